// Every command of docs/operating.md and of the pages beside it (docs/operating), in their order, on one machine: SQLite
// where they do not say PostgreSQL. A block without a decision below fails.
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
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
import { senselessCalls } from './handbook-calls.ts'
import { type Ended, type Machine, makeMachine, notHere } from './handbook-machine.ts'
import { openTestContext } from './harness.ts'
import { hasPgBouncer, startPgBouncerAsWritten } from './pgbouncer.ts'
import { freePort, type PostgresCluster, runSql, startPostgresCluster } from './postgres-cluster.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const handbook = readFileSync(join(repository, 'docs/operating.md'), 'utf8')
/** What is seldom needed, by subject. */
const furtherPages = readdirSync(join(repository, 'docs/operating'))
  .sort()
  .map((file) => readFileSync(join(repository, 'docs/operating', file), 'utf8'))
/** Each with the heading that it stands under, and its number there. */
const blocks = [handbook, ...furtherPages].flatMap(blocksOf)

let machine: Machine
let port: number
let cluster: PostgresCluster | undefined
/** Passwords count here, as on Debian, unless it is a server that was given to the tests. */
let given: string | undefined
/** Its own role and database, which the handbook calls portico. */
const name = `handbook_${randomUUID().slice(0, 8)}`
let password = ''
const postgresUrl = () => {
  const url = new URL(given ?? '')
  return Object.assign(url, { username: name, password, pathname: `/${name}` }).href
}
const superuserIn = (database: string) => Object.assign(new URL(given ?? ''), { pathname: `/${database}` }).href

const access = `local all all      trust
host  all postgres 127.0.0.1/32 trust
host  all all      127.0.0.1/32 scram-sha-256
`

beforeAll(async () => {
  cluster = await startPostgresCluster(['fsync=off', 'full_page_writes=off'], {}, { 'pg_hba.conf': access })
  given = cluster?.url ?? inject('postgresUrl')
  port = await freePort()
  machine = makeMachine(port)
  const work = join(machine.root, 'work')
  cpSync(join(repository, 'deploy'), join(work, 'deploy'), { recursive: true })
  copyFileSync(join(repository, 'server/src/cli/demo-contracts/harbour-loan.json'), join(work, 'questions.json'))
})
afterAll(async () => {
  await machine.shell('gpgconf --kill all')
  machine.remove()
  if (cluster) return cluster.stop()
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
    void (await look(await expectToRun(withoutOwners(text), environment())))

/** The users of the service and of PostgreSQL are not on this machine, or are not ours. */
const withoutOwners = (text: string) => text.replaceAll(/ -o (portico|postgres) -g \1\b/g, '')

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
    if (given !== undefined) await runSql(superuserIn(database()), asHere(text.replaceAll('…', newPassword)))
  }
const newPassword = 'another'
const asHere = (text: string) =>
  text.replaceAll(/\bportico\b(?![.@:-])/g, name).replaceAll('before_restore', `${name}_before`)

/** The role belongs to the whole server, which other tests share. */
const withNextRole = (text: string) => text.replaceAll('portico2', `${name}_next`)

/** What Install writes into the settings of the service, for PostgreSQL and for Redis. */
let [postgresSettings, redisSetting] = ['', '']
const settingsFile = () => join(machine.root, 'etc/portico/portico.env')
const settingIn = (text: string, variable: string) => new RegExp(`^${variable}='?(.*?)'?$`, 'm').exec(text)?.[1] ?? ''

/** The lines that the work adds to the settings of the service, which are then as they were: other blocks use SQLite. */
async function addedSettings(work: () => Promise<unknown>): Promise<string> {
  const before = readFileSync(settingsFile(), 'utf8')
  try {
    await work()
    const after = readFileSync(settingsFile(), 'utf8')
    expect(after.startsWith(before)).toBe(true)
    return after.slice(before.length)
  } finally {
    writeFileSync(settingsFile(), before)
  }
}

const withSettings = (lines: string, work: () => Promise<unknown>) =>
  addedSettings(async () => {
    writeFileSync(settingsFile(), `${readFileSync(settingsFile(), 'utf8')}${lines}`)
    await work()
  })

const decisions: Record<string, Decision> = {
  'Node 1': async (text) => {
    // As the archive of Node has it, and its list of what there is, of which only one is here.
    await expectToRun(`mkdir -p node-v22.0.0-linux-x64/bin
ln -s ${process.execPath} node-v22.0.0-linux-x64/bin/node
tar -czf node-v22.0.0-linux-x64.tar.gz node-v22.0.0-linux-x64
sha256sum node-v22.0.0-linux-x64.tar.gz > SHASUMS256.txt
echo "${'0'.repeat(64)}  node-v22.0.0-darwin-x64.tar.gz" >> SHASUMS256.txt`)
    expect(await expectToRun(text)).toContain(process.version)
    expect(existsSync(join(machine.root, 'usr/local/bin/node'))).toBe(true)
    await expectToRun('echo damaged >> node-v22.0.0-linux-x64.tar.gz')
    expect((await runBlock(text)).code).not.toBe(0)
  },
  'The package 1': elsewhere('installation.test.ts'),
  'The package 2': elsewhere('installation.test.ts'),
  'As a service 1': runs(() => {
    expect(handbook).toContain(`portico-server-${version}.tgz`)
    expect(existsSync(join(machine.root, 'usr/local/sbin/portico-admin'))).toBe(true)
  }),
  'PostgreSQL and Redis 1': async (text) => {
    if (given === undefined) return
    const block = text.replaceAll(/^create .*$/gm, asHere)
    const written = await addedSettings(() => expectToRun(block, { HANDBOOK_SUPERUSER: given ?? '' }))
    const url = new URL(settingIn(written, 'PORTICO_DATABASE_URL'))
    expect([url.username, url.host, url.pathname]).toEqual(['portico', '127.0.0.1:5432', '/portico'])
    password = url.password
    postgresSettings = written.replace(url.href, postgresUrl())
    // A second time, nothing is added: the secret key stays.
    const again = addedSettings(async () => (await runBlock(block, { HANDBOOK_SUPERUSER: given ?? '' })).code)
    expect(await again).toBe('')
  },
  'PostgreSQL and Redis 2': async (text) => {
    redisSetting = await addedSettings(() => expectToRun(text))
  },
  'Start 1': runs(),
  'Start 2': async (text) => {
    if (given !== undefined) await withSettings(postgresSettings, () => expectToRun(text))
    await expectToRun(text)
  },
  'Start 3': runs((output) => expect(output).toContain('✓ deployment')),
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
  'Processes 1': runs(() => {
    const units = join(machine.root, 'etc/systemd/system')
    const [start = 'none'] = /^ExecStart=.+$/m.exec(readFileSync(join(units, 'portico-api@.service'), 'utf8')) ?? []
    expect(readFileSync(join(units, 'portico-api@.service.d/override.conf'), 'utf8')).toBe(
      `[Service]\nExecStart=\n${start} --no-worker\n`,
    )
  }),
  'PgBouncer 1': async (text) => {
    if (given === undefined) return
    const block = text.replaceAll(/^portico = .*$|^runuser .*$/gm, asHere)
    await expectToRun(withoutOwners(block), { HANDBOOK_SUPERUSER: given })
    const folder = join(machine.root, 'etc/pgbouncer')
    const [ini, users] = ['pgbouncer.ini', 'userlist.txt'].map((file) => readFileSync(join(folder, file), 'utf8'))
    expect(users).toContain(`"${name}" "SCRAM-SHA-256$`)
    if (!hasPgBouncer('the pgbouncer.ini of the handbook')) return
    const pooler = await startPgBouncerAsWritten(given, { ini: ini ?? '', users: users ?? '' })
    try {
      const pooled = `${postgresSettings}
PORTICO_DATABASE_URL='${pooler.urlOf(postgresUrl())}'
PORTICO_DATABASE_POOLER=transaction
PORTICO_DATABASE_DIRECT_URL='${postgresUrl()}'
`
      await withSettings(pooled, async () => {
        const output = await expectToRun('portico-admin portal list; portico-admin doctor || true')
        expect(output).toMatch(/✓ direct connection/)
      })
      // Whoever does not know the password is refused, where the password counts.
      if (!cluster) return
      await withSettings(pooled.replaceAll(password, 'wrong'), async () =>
        expect((await runBlock('portico-admin portal list')).output).toContain('rejected the role'),
      )
    } finally {
      await pooler.close()
    }
  },
  'PgBouncer 2': settings,
  'Files 1': settings,
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
  'Upgrade 1': runs(() => expect(existsSync(join(machine.root, 'var/lib/portico/before-0.2.0.backup'))).toBe(true)),
  'Back up and restore 1': runs((output) => expect(output).toMatch(/Wrote \d+ rows/)),
  'Back up and restore 2': async (text) => {
    const newKey = `gpg --batch --quiet --passphrase '' --quick-generate-key backups@example.com future-default default never`
    await expectToRun(
      `mkdir -m 700 "$HOME/.gnupg"; ${newKey}\n${text}\ncmp /backups/decrypted.backup /backups/portico.backup`,
    )
  },
  'Back up and restore 3': async (text) => {
    await expectToRun(withoutOwners(text))
    const [path = '', ...jobs] = readFileSync(join(machine.root, 'etc/cron.d/portico'), 'utf8').trim().split('\n')
    expect(jobs).toHaveLength(3)
    for (const job of jobs) {
      const command = /^\d+ \d+ \* \* (?:\*|[\d-]+) root (.*)$/.exec(job)?.[1] ?? ''
      // As cron does it: nothing of this shell, and a % must be escaped.
      expect(command).not.toMatch(/(?<!\\)%/)
      const here = path.replace('PATH=', `PATH=${machine.root}/programs:`)
      const asCron = () => runBlock(`env -i ${here} /bin/sh -c '${command.replaceAll('\\%', '%')}'`)
      expect(await asCron()).toMatchObject({ code: 0 })
      if (command.includes('erasures.jsonl')) await expectListKept(asCron)
    }
    expect(readdirSync(join(machine.root, 'backups')).join()).toMatch(/erasures\.jsonl.*portico-[1-7]\.backup/)
  },
  'Restore 1': async (text) => {
    const restored = /Nothing was changed[\s\S]*Restored \d+ rows/
    const block = withoutOwners(text)
    const list = join(machine.root, 'backups/erasures.jsonl')
    // Where no list was ever made, the line that names one fails, and without it the sequence goes on.
    renameSync(list, `${list}.away`)
    expect(await runBlock(block)).toMatchObject({ code: 1, output: expect.stringContaining('does not exist') })
    const without = block.slice(block.search(/^.* --erasures /m)).replace(/ --erasures \S+/, '')
    expect(await expectToRun(without)).toMatch(/Restored \d+ rows/)
    renameSync(`${list}.away`, list)
    rmSync(join(machine.root, 'var/lib/portico.before'), { recursive: true })
    expect(await expectToRun(block)).toMatch(restored)
  },
  'Restore 2': async (text) => {
    if (given === undefined) return
    const key = readFileSync(join(machine.root, 'var/lib/portico/secret.key'), 'utf8').trim()
    const own = `PORTICO_DATABASE_URL='${postgresUrl()}'\nPORTICO_SECRET_KEY='${key}'\n`
    const psql = text.split('\n').map((line) => (line.startsWith('runuser') ? asHere(line) : line))
    const superuser = { HANDBOOK_SUPERUSER: given }
    await withSettings(own, async () =>
      expect(await expectToRun(psql.join('\n'), superuser)).toMatch(/Restored \d+ rows/),
    )
  },
  'Files without a record 1': async (text) => {
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
  'Recovery by PostgreSQL itself 1': runs((output) => expect(output).toMatch(/numbers that no receiver has seen/)),
  'Probes 1': elsewhere('handbook.test.ts'),
  'Logs 1': runs((output) => expect(output).toContain('req_')),
  'Metrics 1': async (text) => {
    const { rule_files, scrape_configs } = parse(text)
    expect(rule_files.map((file: string) => existsSync(machine.placed(file)))).toEqual([true])
    const [{ job_name, static_configs }] = scrape_configs
    expect(readFileSync(machine.placed(rule_files[0]), 'utf8')).toContain(`up{job="${job_name}"}`)
    expect(static_configs[0].targets).toEqual(['127.0.0.1:8081', '127.0.0.1:8083', '127.0.0.1:9464'])
  },
  'Scale 1': async (text) => {
    const url = new URL(settingIn(redisSetting, 'PORTICO_REDIS_URL'))
    url.port = String(await freePort())
    // With the password that Install has written into its file, and with none it would refuse us.
    const redis = spawn('redis-server', [join(machine.root, 'etc/redis/redis.conf'), '--port', url.port, '--save', ''])
    try {
      const listening = `until (: </dev/tcp/127.0.0.1/${url.port}) 2>/dev/null; do sleep 0.1; done`
      const here = text.replace(/redis:\/\/:password@redis\.example\.com:6379\/0/, url.href)
      expect(here).toContain(url.href)
      expect(await expectToRun(`${listening}\n${here}`)).toContain('✓ Redis')
      const output = (await runBlock(`PORTICO_REDIS_URL=redis://127.0.0.1:${url.port} portico doctor`)).output
      expect(output).not.toContain('✓ Redis')
    } finally {
      redis.kill()
    }
  },
  'Rotate the secret key 1': async (text) => {
    const { code, output } = await runBlock(text)
    // The last line is for three days later.
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/is in use[\s\S]*Current key: [\s\S]*(Cursors from before|old key)/),
    ])
  },
  'Audit 1': runs(),
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
  'Failed jobs 1': async (text) => {
    await withContext((context) => failJob(context, ids.ptl ?? '', 'files.scan'))
    expect(await expectToRun(text)).toMatch(/files\.scan[\s\S]*Workers run 1 job again\./)
  },
  'Failed jobs 2': async (text) => {
    await withContext((context) => failJob(context, ids.ptl ?? '', 'webhooks.verify'))
    expect(await expectToRun(text)).toContain('Removed 1 job.')
  },
  // containers.md
  'Install with Docker 1': runs(),
  'Install with Docker 2': runs(() => {
    const asked = [...readFileSync(join(repository, 'deploy/compose.yaml'), 'utf8').matchAll(/\$\{(\w+):\?/g)].map(
      ([, variable]) => variable,
    )
    const written = readFileSync(join(machine.root, 'work/deploy/.env'), 'utf8').matchAll(/^(\w+)=\S+$/gm)
    expect([...written].map(([, variable]) => variable).sort()).toEqual([...new Set(asked)].sort())
  }),
  'Install with Docker 3': async (text) => {
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
  'Install with Docker 4': runs(),
  'Upgrade the containers 1': runs(),
  'Back up and restore with containers 1': async (text) => {
    const kept = join(machine.root, 'backups/portico.backup')
    copyFileSync(kept, join(machine.root, 'var/lib/portico/portico.backup'))
    rmSync(kept)
    await expectToRun(text)
    expect(existsSync(kept)).toBe(true)
  },
  'Back up and restore with containers 2': async (text) => {
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
  // data-protection.md
  'Traces in database files 1': runs(),
  'Retention 1': runs((output) => expect(output).toContain('1095')),
  'The audit log 1': runs((output) => expect(output).toContain('unbroken')),
  'The audit log 2': async (text) => {
    await expectToRun(text)
    await expectToRun(text)
    // The evidence of a log that was changed is not replaced.
    const kept = (await expectToRun('cat heads.txt')).trim()
    const forged = kept.replace(/[0-9a-f]{8}$/gm, '00000000')
    await expectToRun(`echo '${forged}' > heads.txt`)
    expect((await runBlock(text)).code).toBe(1)
    expect((await expectToRun('cat heads.txt')).trim()).toBe(forged)
  },
  // metrics.md: the probes are those of this server.
  'Traces by OpenTelemetry 1': async (text) => {
    const probes = blocks.find(({ key }) => key === 'Probes 1')?.text ?? ''
    const metricsPort = await freePort()
    const meanwhile = probes.replace(':8080', `:${port}`).replace(':8081', `:${metricsPort}`)
    const output = await expectToRun(text, { HANDBOOK_MEANWHILE: meanwhile, PORTICO_METRICS_PORT: String(metricsPort) })
    expect(output).toMatch(/"status":"ready"[\s\S]*portico_up 1/)
  },
  // object-stores.md
  'The bucket policy 1': runs(() => {
    const { Statement } = JSON.parse(readFileSync(join(machine.root, 'work/policy.json'), 'utf8'))
    expect(new Set(Statement.map(({ Condition }: Record<string, object>) => JSON.stringify(Condition))).size).toBe(7)
  }),
  'Move files to a bucket 1': runs(),
  // postgresql.md
  'Migrations 1': onPostgres(),
  'TLS 1': settings,
  'Row-level security 1': onPostgres(),
  'Change the password of the role 1': async (text) => {
    await onPostgres()(withNextRole(text))
    if (given === undefined) return
    const next = { username: `${name}_next`, password: newPassword }
    const PORTICO_DATABASE_URL = Object.assign(new URL(postgresUrl()), next).href
    const key = randomBytes(32).toString('base64')
    const { output } = await machine.shell('portico doctor', { PORTICO_DATABASE_URL, PORTICO_SECRET_KEY: key })
    expect(output).toContain('✓ row-level security')
  },
  'Change the password of the role 2': onPostgres(),
  'Change the password of the role 3': (text) => onPostgres()(withNextRole(text)),
  'Large tables 1': onPostgres(),
}

/** The list of erasures is added to, and stays as it is where there is no room for the new one. */
async function expectListKept(collect: () => Promise<Ended>): Promise<void> {
  const list = join(machine.root, 'backups/erasures.jsonl')
  const draft = join(machine.root, 'backups/erasures.new')
  const ids = { portal_id: newId('ptl'), business_id: newId('biz'), erasure_id: newId('ers') }
  const collected = `${JSON.stringify({ ...ids, at: '2026-11-01T00:00:00.000Z', scope: {} })}\n`
  writeFileSync(list, collected)
  expect(await collect()).toMatchObject({ code: 0 })
  expect(readFileSync(list, 'utf8')).toBe(collected)
  symlinkSync('/dev/full', draft)
  const { code } = await collect()
  rmSync(draft, { force: true })
  // What is no file has no end.
  const kept = lstatSync(list).isFile() ? readFileSync(list, 'utf8') : 'no file'
  rmSync(list)
  writeFileSync(list, '')
  expect([code === 0, kept]).toEqual([false, collected])
}

async function withContext<T>(work: (context: Context) => Promise<T>, environment = {}): Promise<T> {
  const PORTICO_DATA_DIR = join(machine.root, 'var/lib/portico')
  const { context } = await openTestContext(
    readConfig({ PORTICO_DATA_DIR, PORTICO_ENVIRONMENT: 'production', ...environment }),
  )
  return work(context).finally(() => context.database.close())
}

test('every block has a decision, in the order of the pages', () => {
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
  const sentences = [handbook, ...furtherPages].join('\n').replaceAll(/^```[\s\S]*?^```/gm, '')
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
  expect(senselessCalls(machine)).toEqual([])
  expect([...new Set(machine.calls().map(([program]) => program))].sort()).toEqual(Object.keys(notHere).sort())
})

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
