// Every command of docs/operating.md, in the order of the page, on one machine: SQLite where it does not say PostgreSQL.
// A block without a decision below fails.
import { randomBytes, randomUUID } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { createBusiness, createLeadSource } from '../src/areas/businesses/commands.ts'
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import { readConfig, unknownVariables } from '../src/platform/config.ts'
import type { Context } from '../src/platform/context.ts'
import { newId } from '../src/platform/values/ids.ts'
import { version } from '../src/platform/version.ts'
import { failJob } from './due-jobs.ts'
import { type Ended, type Machine, makeMachine, notHere } from './handbook-machine.ts'
import { openTestContext } from './harness.ts'
import { freePort, runSql } from './postgres-cluster.ts'
import { startRedis } from './redis-server.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const handbook = readFileSync(join(repository, 'docs/operating.md'), 'utf8')
/** Each with the heading that it stands under, and its number there. */
const blocks = blocksOf(handbook)

let machine: Machine
let port: number
const given = inject('postgresUrl')
/** Its own role and database, which the handbook calls portico. */
const name = `handbook_${randomUUID().slice(0, 8)}`
const postgresUrl = () => {
  const url = new URL(given ?? '')
  return Object.assign(url, { username: name, pathname: `/${name}` }).href
}
const superuserIn = (database: string) => Object.assign(new URL(given ?? ''), { pathname: `/${database}` }).href

beforeAll(async () => {
  port = await freePort()
  machine = makeMachine(port)
  const work = join(machine.root, 'work')
  cpSync(join(repository, 'deploy'), join(work, 'deploy'), { recursive: true })
  copyFileSync(join(repository, 'server/src/cli/demo-contracts/harbour-loan.json'), join(work, 'questions.json'))
})
afterAll(async () => {
  await machine.shell('gpgconf --kill all')
  machine.remove()
  if (given === undefined) return
  for (const database of [name, `${name}_before`])
    await runSql(given, `drop database if exists ${database} with (force)`)
  for (const role of [`${name}_next`, name]) await runSql(given, `drop role if exists ${role}`)
})

type Decision = (text: string) => Promise<void>

/** Ids that earlier commands have printed: `ptl_…` is the last one that begins so. */
const ids: Record<string, string> = {}
const withIds = (text: string) => text.replaceAll(/\b(ptl|biz|ctr)_…/g, (_, kind: string) => ids[kind] ?? '')

/** In a shell; up to the line that needs an id which only the lines before it can print. */
async function runBlock(text: string, environment: Record<string, string> = {}): Promise<Ended> {
  const unknown = text
    .split('\n')
    .findIndex((line) => [...line.matchAll(/(ptl|biz|ctr)_…/g)].some(([, kind = '']) => !ids[kind]))
  const lines = text.split('\n')
  const first = await machine.shell(
    machine.placed(withIds((unknown > 0 ? lines.slice(0, unknown) : lines).join('\n'))),
    environment,
  )
  for (const [id] of first.output.matchAll(/\b(ptl|biz|ctr)_[0-9a-z]{26}\b/g)) ids[id.slice(0, 3)] = id
  if (unknown <= 0 || first.code !== 0) return first
  const { code, output } = await runBlock(lines.slice(unknown).join('\n'), environment)
  return { code, output: first.output + output }
}

async function expectToRun(text: string, environment?: Record<string, string>): Promise<string> {
  const { code, output } = await runBlock(text, environment)
  expect(code, output).toBe(0)
  return output
}

/** Runs, and is then looked at. */
const runs =
  (
    look: (output: string) => unknown = () => undefined,
    environment: () => Record<string, string> = () => ({}),
  ): Decision =>
  async (text) =>
    void (await look(await expectToRun(text.replaceAll(' -o portico -g portico', ''), environment())))

/** Nothing is run, because another test does it. */
const elsewhere =
  (file: string): Decision =>
  async () =>
    expect(existsSync(join(repository, 'server/test', file))).toBe(true)

/** Only sets variables: the program accepts them. */
const settings: Decision = async (text) => {
  const ca = join(machine.root, 'etc/portico/portico.env')
  // Whatever is named must be there.
  const named = machine.placed(text).replaceAll(/(?<==)\/[^&']*\.(crt|key)/g, ca)
  const script = named
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line, 'env -0; printf "\\0\\0"']))
    .join('\n')
  const output = await expectToRun(script.replaceAll('…', 'x'))
  for (const printed of output.split('\0\0').slice(0, -1)) {
    const environment = Object.fromEntries(printed.split('\0').map((line) => line.split(/=([\s\S]*)/, 2)))
    expect(unknownVariables(environment)).toEqual([])
    // The first line of several is not the whole of it: the keys of a bucket come last.
    if (!printed.includes('=s3:') || environment.PORTICO_S3_ACCESS_KEY_ID) readConfig(environment)
  }
}

/** Statements, on PostgreSQL. */
const onPostgres =
  (database: () => string = () => name): Decision =>
  async (text) => {
    if (given !== undefined)
      await runSql(superuserIn(database()), asHere(text.replaceAll('…', new URL(given).password)))
  }
const asHere = (text: string) =>
  text.replaceAll(/\bportico\b(?![.@:-])/g, name).replaceAll('before_restore', `${name}_before`)

/** The role belongs to the whole server, which other tests share. */
const withNextRole = (text: string) => text.replaceAll('portico2', `${name}_next`)

/** On the PostgreSQL database that an earlier block has made. */
const withPostgres: Decision = async (text) => {
  if (given === undefined) return
  const url = `export PORTICO_DATABASE_URL='${postgresUrl()}'`
  await expectToRun(text.replace(/^export PORTICO_DATABASE_URL=.*$/m, url))
}

const decisions: Record<string, Decision> = {
  'Install 1': elsewhere('installation.test.ts'),
  'Install 2': elsewhere('installation.test.ts'),
  'As a service 1': runs(() => {
    expect(handbook).toContain(`portico-server-${version}.tgz`)
    expect(existsSync(join(machine.root, 'usr/local/sbin/portico-admin'))).toBe(true)
  }),
  'As a service 2': runs(),
  'As a service 3': runs(),
  'As a service 4': runs((output) => expect(output).toContain('✓ deployment')),
  'As a service 5': runs(() => {
    const units = join(machine.root, 'etc/systemd/system')
    const [start = 'none'] = /^ExecStart=.+$/m.exec(readFileSync(join(units, 'portico-api@.service'), 'utf8')) ?? []
    expect(readFileSync(join(units, 'portico-api@.service.d/override.conf'), 'utf8')).toBe(
      `[Service]\nExecStart=\n${start} --no-worker\n`,
    )
  }),
  'nginx 1': async (text) => {
    // A second time changes nothing more: it is also done for an upgrade.
    for (const _ of ['first', 'again']) await expectToRun(text)
    expect(readdirSync(join(machine.root, 'etc/nginx/conf.d'))).toHaveLength(2)
    const [first, ...others] = readFileSync(join(machine.root, 'etc/nginx/nginx.conf'), 'utf8').split('\n')
    expect(first).toBe('worker_rlimit_nofile 20000;')
    expect(others.filter((line) => line.includes('worker_'))).toEqual([
      'worker_processes auto;',
      '\tworker_connections 8192;',
    ])
  },
  'Containers 1': runs(),
  'Containers 2': runs(() => {
    const asked = [...readFileSync(join(repository, 'deploy/compose.yaml'), 'utf8').matchAll(/\$\{(\w+):\?/g)].map(
      ([, variable]) => variable,
    )
    const written = readFileSync(join(machine.root, 'work/deploy/.env'), 'utf8').matchAll(/^(\w+)=\S+$/gm)
    expect([...written].map(([, variable]) => variable).sort()).toEqual([...new Set(asked)].sort())
  }),
  'Containers 3': async (text) => {
    const programs = 'external_reference,name,funding_type\nterm-loan,Term loan,term_loan\n'
    writeFileSync(join(machine.root, 'work/programs.csv'), programs)
    await expectToRun(text)
    // What the commands do in a container, where the file is a pipe.
    const terms = '--name "Harbour Lending" --kind lender --country US'
    await expectToRun(`portico recipient publish --portal ptl_… ${terms}`)
    const piped = text.replaceAll(/^docker compose exec -T api-1 (.*) <(\S+)$/gm, 'cat $2 | $1')
    const output = await expectToRun(piped.replace('rcp_…', recipientIdOf(ids.ptl ?? '')))
    expect(output).toMatch(/Published ctr_[\s\S]*: 1 created, 0 updated/)
  },
  'Containers 4': runs(),
  'Upgrade 1': runs(() => expect(existsSync(join(machine.root, 'var/lib/portico/before-0.2.0.backup'))).toBe(true)),
  'Upgrade 2': runs(),
  'PostgreSQL 1': async (text) => {
    // A database is created in no transaction.
    for (const statement of text.split('\n').filter(Boolean)) await onPostgres(() => 'postgres')(statement)
  },
  'PostgreSQL 2': withPostgres,
  'Migrations 1': onPostgres(),
  'TLS 1': settings,
  'PgBouncer 1': settings,
  'Row-level security 1': onPostgres(),
  'Change the password of the role 1': async (text) => {
    await onPostgres()(withNextRole(text))
    if (given === undefined) return
    const PORTICO_DATABASE_URL = Object.assign(new URL(postgresUrl()), { username: `${name}_next` }).href
    const key = randomBytes(32).toString('base64')
    const { output } = await machine.shell('portico doctor', { PORTICO_DATABASE_URL, PORTICO_SECRET_KEY: key })
    expect(output).toContain('✓ row-level security')
  },
  'Change the password of the role 2': onPostgres(),
  'Change the password of the role 3': (text) => onPostgres()(withNextRole(text)),
  'Large tables 1': onPostgres(),
  'Files 1': settings,
  'Files 2': runs(() => {
    const { Statement } = JSON.parse(readFileSync(join(machine.root, 'work/policy.json'), 'utf8'))
    expect(new Set(Statement.map(({ Condition }: Record<string, object>) => JSON.stringify(Condition))).size).toBe(7)
  }),
  'Files 3': runs(),
  'Autofill 1': runs(),
  'Autofill 2': runs(),
  'Matching 1': runs(),
  'Deals 1': async (text) => {
    const stages = ['new', 'qualifying', 'application', 'under_review', 'offer', 'closing', 'funded', 'closed_lost']
    const file = stages.map((category) => ({ key: `own_${category}`, label: category, category }))
    writeFileSync(join(machine.root, 'var/lib/portico/stages.json'), JSON.stringify(file))
    expect(await expectToRun(text)).toContain('own_closed_lost')
  },
  'Deals 2': runs(),
  'Deals 3': async (text) => {
    copyFileSync(join(machine.root, 'work/questions.json'), join(machine.root, 'var/lib/portico/questions.json'))
    await expectToRun(text)
  },
  'Back up and restore 1': runs((output) => expect(output).toMatch(/Wrote \d+ rows/)),
  'Back up and restore 2': async (text) => {
    const newKey = `gpg --batch --quiet --passphrase '' --quick-generate-key backups@example.com future-default default never`
    await expectToRun(
      `mkdir -m 700 "$HOME/.gnupg"; ${newKey}\n${text}\ncmp /backups/decrypted.backup /backups/portico.backup`,
    )
  },
  'Back up and restore 3': async (text) => {
    await expectToRun(text)
    const [path = '', ...jobs] = readFileSync(join(machine.root, 'etc/cron.d/portico'), 'utf8').trim().split('\n')
    expect(jobs).toHaveLength(3)
    for (const job of jobs) {
      const command = /^\d+ \d+ \* \* (?:\*|[\d-]+) root (.*)$/.exec(job)?.[1] ?? ''
      // As cron does it: nothing of this shell, and a % must be escaped.
      expect(command).not.toMatch(/(?<!\\)%/)
      const here = path.replace('PATH=', `PATH=${machine.root}/programs:`)
      await expectToRun(`env -i ${here} /bin/sh -c '${command.replaceAll('\\%', '%')}'`)
    }
    expect(readdirSync(join(machine.root, 'backups')).join()).toMatch(/erasures\.jsonl.*portico-[1-7]\.backup/)
  },
  'Back up and restore 4': runs((output) => expect(output).toMatch(/Nothing was changed[\s\S]*Restored \d+ rows/)),
  'Back up and restore 5': async (text) => {
    if (given === undefined) return
    const env = join(machine.root, 'etc/portico/portico.env')
    const before = readFileSync(env, 'utf8')
    const key = readFileSync(join(machine.root, 'var/lib/portico/secret.key'), 'utf8').trim()
    writeFileSync(env, `${before}\nPORTICO_DATABASE_URL='${postgresUrl()}'\nPORTICO_SECRET_KEY='${key}'\n`)
    const psql = text.split('\n').map((line) => (line.startsWith('runuser') ? asHere(line) : line))
    expect(await expectToRun(psql.join('\n'), { HANDBOOK_SUPERUSER: given })).toMatch(/Restored \d+ rows/)
    writeFileSync(env, before)
  },
  'Back up and restore 6': async (text) => {
    const folder = join(machine.root, 'var/lib/portico/files', ids.ptl ?? '')
    mkdirSync(folder, { recursive: true })
    const files = Array.from({ length: 12 }, () => join(folder, newId('fil')))
    for (const file of files) {
      writeFileSync(file, 'uploaded after the backup')
      utimesSync(file, new Date('2026-01-01'), new Date('2026-01-01'))
    }
    expect(await expectToRun(text)).toContain('Removed 12 of 12 files without a record.')
    expect(files.filter((file) => existsSync(file))).toEqual([])
  },
  'Back up and restore 7': runs(),
  'Back up and restore 8': async (text) => {
    await expectToRun(text)
    // What the shell in the container does with the files.
    for (const [, script = ''] of text.matchAll(/--entrypoint sh api-1 (.*) &&$/gm)) await expectToRun(`sh ${script}`)
    const restore = text.split('\n').find((line) => line.includes(' restore ')) ?? ''
    const files = [...restore.matchAll(/\/var\/lib\/portico\/(\S+)/g)].map(([, file = '']) => file)
    for (const file of files) {
      const copy = join(machine.root, 'var/lib/portico', file)
      expect(readFileSync(copy)).toEqual(readFileSync(join(machine.root, 'backups', file)))
      expect(statSync(copy).mode & 0o777).toBe(0o600)
    }
    expect(files).toHaveLength(2)
  },
  'Recovery by PostgreSQL itself 1': runs((output) => expect(output).toMatch(/numbers that no receiver has seen/)),
  'Rotate the secret key 1': async (text) => {
    const { code, output } = await runBlock(text)
    // The last line is for three days later.
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/is in use[\s\S]*Current key: [\s\S]*(Cursors from before|old key)/),
    ])
  },
  'Probes 1': elsewhere('handbook.test.ts'),
  'Logs 1': runs((output) => expect(output).toContain('req_')),
  'Metrics 1': async (text) => {
    const { rule_files, scrape_configs } = parse(text)
    expect(rule_files.map((file: string) => existsSync(machine.placed(file)))).toEqual([true])
    const [{ job_name, static_configs }] = scrape_configs
    expect(readFileSync(machine.placed(rule_files[0]), 'utf8')).toContain(`up{job="${job_name}"}`)
    expect(static_configs[0].targets).toEqual(['127.0.0.1:8081', '127.0.0.1:8083', '127.0.0.1:9464'])
  },
  // The probes are those of this server.
  'Traces 1': async (text) => {
    const probes = blocks.find(({ key }) => key === 'Probes 1')?.text ?? ''
    const metricsPort = await freePort()
    const meanwhile = probes.replace(':8080', `:${port}`).replace(':8081', `:${metricsPort}`)
    const output = await expectToRun(text, { HANDBOOK_MEANWHILE: meanwhile, PORTICO_METRICS_PORT: String(metricsPort) })
    expect(output).toMatch(/"status":"ready"[\s\S]*portico_up 1/)
  },
  'Audit 1': runs(),
  'Audit 2': runs((output) => expect(output).toContain('unbroken')),
  'Audit 3': async (text) => {
    await expectToRun(text)
    await expectToRun(text)
    // The evidence of a log that was changed is not replaced.
    const kept = (await expectToRun('cat heads.txt')).trim()
    const forged = kept.replace(/[0-9a-f]{8}$/gm, '00000000')
    await expectToRun(`echo '${forged}' > heads.txt`)
    expect((await runBlock(text)).code).toBe(1)
    expect((await expectToRun('cat heads.txt')).trim()).toBe(forged)
  },
  "People's data 1": async (text) => {
    ids.biz = await withContext(async (context) => {
      const caller = { context, portal_id: ids.ptl ?? '', request_id: null }
      const { id } = await context.database.transaction(async (tx) => {
        const source = { name: 'Web', kind: 'website' as const, requires_detail: false }
        const lead_source_id = await createLeadSource(tx, caller, source)
        return createBusiness(tx, caller, { legal_name: 'Quayside Ltd', country: 'GB', lead_source_id })
      })
      return id
    })
    expect(await expectToRun(text)).toMatch(/README\.txt[\s\S]*manifest\.json/)
  },
  "People's data 2": runs(() => expect(existsSync(join(machine.root, 'var/lib/portico/erasures.jsonl'))).toBe(true)),
  "People's data 3": runs(),
  "People's data 4": runs(),
  "People's data 5": runs((output) => expect(output).toContain('1095')),
  'Scale 1': async (text) => {
    const redis = await startRedis(await freePort(), 'password')
    const output = await expectToRun(text.replace('redis.example.com:6379', `127.0.0.1:${redis.port}`))
    expect(output).toContain('✓ Redis')
    await redis.kill()
  },
  'Failed jobs 1': async (text) => {
    await withContext((context) => failJob(context, ids.ptl ?? '', 'files.scan'))
    expect(await expectToRun(text)).toMatch(/files\.scan[\s\S]*Workers run 1 job again\./)
  },
  'Failed jobs 2': async (text) => {
    await withContext((context) => failJob(context, ids.ptl ?? '', 'webhooks.verify'))
    expect(await expectToRun(text)).toContain('Removed 1 job.')
  },
}

async function withContext<T>(work: (context: Context) => Promise<T>, environment = {}): Promise<T> {
  const PORTICO_DATA_DIR = join(machine.root, 'var/lib/portico')
  const { context } = await openTestContext(
    readConfig({ PORTICO_DATA_DIR, PORTICO_ENVIRONMENT: 'production', ...environment }),
  )
  return work(context).finally(() => context.database.close())
}

test('every block has a decision, in the order of the page', () => {
  expect(blocks.map(({ key }) => key)).toEqual(Object.keys(decisions))
})

test.each(blocks)('$key runs as it is written', async ({ key, text }) => {
  await decisions[key]?.(text)
})

/** Commands that the handbook names in a sentence and in no block, and the test that runs them. */
const inSentences: Record<string, string> = {
  'clock accept': 'faults/moved-clock.test.ts',
  demo: 'demo.test.ts',
  'key revoke': 'command-line.test.ts',
  'key rotate': 'command-line.test.ts',
  'portal list': 'command-line.test.ts',
  'portal resume': 'webhook-recovery.test.ts',
  'portal suspend': 'command-line.test.ts',
  trigger: 'webhook-command-line.test.ts',
  'webhooks listen': 'webhook-command-line.test.ts',
  worker: 'watching.test.ts',
}

test('every command in a sentence stands in a block, too, or is run by another test', () => {
  const inBlocks = blocks.map(({ text }) => text).join('\n')
  const sentences = handbook.replaceAll(/^```[\s\S]*?^```/gm, '')
  const named = [...sentences.matchAll(/`portico(?:-admin)? ([a-z-]+(?: (?:--)?[a-z-]+)?)/g)].map(
    ([, words = '']) => words,
  )
  const others = new Set(
    named.filter((words) => !inBlocks.includes(`portico ${words}`) && !inBlocks.includes(`portico-admin ${words}`)),
  )
  expect([...others].sort()).toEqual(Object.keys(inSentences).sort())
  for (const [words, file] of Object.entries(inSentences)) {
    const test = readFileSync(join(repository, 'server/test', file), 'utf8')
    expect(test, words).toContain(
      words
        .split(' ')
        .map((word) => `'${word}'`)
        .join(', '),
    )
  }
})

test('what cannot run here is asked for things that there are', () => {
  const { services } = parse(readFileSync(join(repository, 'deploy/compose.yaml'), 'utf8'), { merge: true })
  const units = readdirSync(join(machine.root, 'etc/systemd/system'))
  const run = machine.commands().map(shapeOf)
  const isRun = (words: readonly string[]) => run.includes(shapeOf(words.join(' ')))
  const areServices = (words: readonly string[]) => words.every((word) => word in services)
  const containers: Record<string, (words: string[]) => boolean> = {
    build: ([flag, file = '']) => flag === '--file' && existsSync(join(repository, file)),
    // Longer than a server may take to stop.
    run: (words) =>
      words.join(' ').startsWith('--init --stop-timeout 45 ') && words.slice(-3).join() === 'portico,serve,--demo',
    tag: (words) => words.join() === 'portico,portico:before',
    image: (words) => words.join() === 'prune',
  }
  const ofCompose: Record<string, (words: string[]) => boolean> = {
    build: (words) => words.join() === '--pull',
    up: (words) =>
      words.join() === '--detach' ||
      (words.slice(0, 3).join(' ') === '--detach --no-deps --wait' && areServices(words.slice(3))),
    stop: areServices,
    restart: ([flag, ...words]) => flag === '--no-deps' && areServices(words),
    exec: (words) => {
      const [service = '', command, ...rest] = words[0] === '-T' ? words.slice(1) : words
      const isOfNginx = service === 'proxy' && command === 'nginx' && rest.join(' ') === '-s reload'
      const isOfPortico = command === 'portico' && service in services && isRun(rest)
      return isOfPortico || isOfNginx || (service === 'database' && command === 'psql')
    },
    cp: ([from = '']) => (from.split(':')[0] ?? '') in services,
    run: (words) => {
      const [, options = '', service = '', command = ''] =
        /^--rm((?: -\S+| sh)*) (\S+) ?(.*)$/.exec(words.join(' ')) ?? []
      if (!(service in services)) return false
      if (options === '') return service === 'migrate' && command === ''
      if (options === ' --no-deps') return isRun(command.split(' '))
      return options === ' --no-deps -T --entrypoint sh' && command.startsWith('-c umask 077 && cat >')
    },
  }
  const isSensible: Record<keyof typeof notHere, (words: string[]) => boolean> = {
    npm: ([, , flag, , file = '']) => flag === '--prefix' && /^\.\/portico-server-[\d.]+\.tgz$/.test(file),
    'systemd-sysusers': (words) => words.length === 0,
    systemctl: ([verb = '', ...words]) =>
      verb === 'daemon-reload' ||
      (verb === 'reload' && words.join() === 'nginx') ||
      (verb === 'restart' && words.join() === 'pgbouncer') ||
      (['enable', 'start', 'stop', 'restart'].includes(verb) &&
        words
          .filter((word) => word !== '--now')
          .every((unit) => units.includes(`${unit.replace(/@.*/, '@')}.service`))),
    'apt-get': ([verb, ...words]) => verb === 'install' && words.every((word) => /^[a-z0-9-]+$/.test(word)),
    nginx: (words) => words.join() === '-t',
    docker: ([first = '', ...words]) => {
      if (first !== 'compose') return containers[first]?.(words) ?? false
      const [verb = '', ...rest] = words
      return ofCompose[verb]?.(rest) ?? false
    },
    aws: ([service, verb, from = '', to = '', ...words]) =>
      service === 's3api'
        ? [verb, from, to, ...words].join(' ') ===
          'put-bucket-policy --bucket portico-files --policy file://policy.json'
        : `${service} ${verb}` === 's3 sync' &&
          from === join(machine.root, 'var/lib/portico/files') &&
          /^s3:\/\/[a-z-]+$/.test(to) &&
          words.join(' ') === '--exclude incoming/*',
    journalctl: (words) => words.join(' ') === '--unit portico* --output cat',
  }
  const calls = machine.calls()
  const check: Record<string, ((words: string[]) => boolean) | undefined> = isSensible
  expect(calls.filter(([program = '', ...words]) => !check[program]?.(words))).toEqual([])
  expect([...new Set(calls.map(([program]) => program))].sort()).toEqual(Object.keys(notHere).sort())
})

/** A command and its options, without their values. */
function shapeOf(command: string): string {
  const [first, second = ''] = command.split(' ')
  const subcommand = /^[a-z]+$/.test(second) ? [second] : []
  return [first, ...subcommand, ...[...command.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option)].join(' ')
}

function blocksOf(page: string): { key: string; text: string }[] {
  let heading = ''
  let count = 0
  return [...page.matchAll(/^#+ ([^\n]*)$|^```\w+\n([\s\S]*?)^```$/gm)].flatMap(([, title, text]) => {
    if (title !== undefined) {
      heading = title
      count = 0
    }
    return text === undefined ? [] : [{ key: `${heading} ${++count}`, text }]
  })
}
