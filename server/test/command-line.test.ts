// The built program, as an administrator uses it.
import { once } from 'node:events'
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { day } from '../src/platform/clock.ts'
import { newSecretKey, type RunningServer, runJson, runPortico, startServer } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { describeOn, describeOnce, engine, makeDatabase, type TestDatabase } from './harness.ts'
import { freePort } from './postgres-cluster.ts'
import { pretendedTesseract } from './tesseract.ts'

let place: TestDatabase
let environment: Record<string, string>
/** What the first start has printed. */
let welcome = ''

beforeAll(async () => {
  place = await makeDatabase()
  // It is not there yet: whoever needs it makes it.
  const directory = join(place.environment.PORTICO_DATA_DIR ?? '', 'deeper', 'still')
  environment = { ...place.environment, PORTICO_DATA_DIR: directory }
  if (engine === 'postgres') {
    environment.PORTICO_SECRET_KEY = newSecretKey()
    await runJson(['migrate'], environment)
    welcome = await runPortico(['demo'], environment).then(({ stdout }) => stdout)
  } else {
    const first = await startServer({ environment, args: ['--demo'] })
    await untilKeyShown(first)
    welcome = first.output()
    await first.kill('SIGTERM')
    environment.PORTICO_SECRET_KEY = readFileSync(join(directory, 'secret.key'), 'utf8').trim()
  }
})
afterAll(() => place.remove())

const keyOf = (text: string) => /ptk_stg_\w{38}/.exec(text)?.[0]
/** The demo has a story of months to write, and other tests may keep the machine busy. */
const untilKeyShown = (server: RunningServer) =>
  vi.waitFor(() => expect(keyOf(server.output())).toBeDefined(), { timeout: 120_000 })

const run = (...args: string[]) => runPortico(args, environment)
const json = (...args: string[]) => runJson(args, environment)
/** Where another test has started the same command as a process. */
const here = (...args: string[]) => runHere(args, environment)
const hereJson = (...args: string[]) => jsonHere(args, environment)
/** How the process of a command begins and ends has little to do with the engine: once is enough. */
const onceJson = engine === 'sqlite' ? json : hereJson

describe('administration', () => {
  let demo: { portal_id: string; key: string }
  let server: RunningServer
  beforeAll(async () => {
    demo = JSON.parse(readFileSync(join(environment.PORTICO_DATA_DIR ?? '', 'demo.json'), 'utf8'))
    server = await startServer({ environment, args: ['--demo'] })
  })
  afterAll(async () => expect(await server.kill('SIGTERM')).toBe(0))

  test('Portals, keys and lead sources are made while the server runs, and work at once', async () => {
    const portal = await hereJson('portal', 'create', '--name', 'Alpha')
    const { id, key } = await hereJson(
      'key',
      'create',
      '--portal',
      portal.id,
      '--name',
      'crm',
      '--grant',
      'businesses:read',
      '--grant',
      'businesses:write',
    )
    const leadSource = await onceJson(
      'lead-source',
      'create',
      '--portal',
      portal.id,
      '--name',
      'Web',
      '--kind',
      'website',
    )
    const made = await server.call('POST', 'businesses/', {
      key,
      body: { legal_name: 'A', country: 'US', lead_source_id: leadSource.id },
    })
    expect(made.status).toBe(201)

    const next = await onceJson('key', 'rotate', id, '--overlap', '1h')
    expect((await server.call('GET', '', { key })).status).toBe(200)
    expect((await server.call('GET', '', { key: next.key })).body.key.id).toBe(next.id)
    await onceJson('key', 'revoke', id)
    await expect
      .poll(async () => (await server.call('GET', '', { key })).body.code, { timeout: 1000 })
      .toBe('api_key_revoked')

    const listed = await run('key', 'list', '--portal', portal.id)
    expect(listed.stdout).toContain(next.id)
    expect(listed.stdout + JSON.stringify(await hereJson('key', 'list', '--portal', portal.id))).not.toContain(
      key.slice(8, 30),
    )
    expect((await onceJson('portal', 'list')).map((one: { id: string }) => one.id)).toContain(portal.id)

    await onceJson('lead-source', 'deactivate', leadSource.id, '--portal', portal.id)
    const refused = await server.call('POST', 'businesses/', {
      key: next.key,
      body: { legal_name: 'A', country: 'US', lead_source_id: leadSource.id },
    })
    expect(refused.body.code).toBe('lead_source_inactive')
    expect((await onceJson('lead-source', 'list', '--portal', portal.id))[0]).toMatchObject({
      id: leadSource.id,
      is_active: false,
    })
  })

  test('looking claims nothing: doctor and list leave a new database to whoever sets it up', async () => {
    const own = await makeDatabase({ hasSchema: true })
    const settings = { ...own.environment, PORTICO_SECRET_KEY: newSecretKey() }
    await runHere(['doctor'], settings)
    await jsonHere(['portal', 'list'], settings)
    const other = { ...settings, PORTICO_ENVIRONMENT: 'production', PORTICO_SECRET_KEY: newSecretKey() }
    expect((await jsonHere(['portal', 'create', '--name', 'P'], other)).id).toMatch(/^ptl_/)
    expect((await runHere(['portal', 'list'], settings)).stderr).toContain('belongs to a production deployment')
    await own.remove()
  })

  test('the first start with --demo sets everything up, the demo shows how to use it, and the next start shows the same key', async () => {
    await untilKeyShown(server)
    expect([keyOf(welcome), keyOf(server.output())]).toEqual([demo.key, demo.key])
    expect(/curl (.+)/.exec(welcome)?.[1]).toContain(demo.key)
    expect((await server.call('GET', 'businesses/', { key: demo.key })).status).toBe(200)
  })

  test('the demo is believable, shows its key, keeps it for its owner only and can be used', async () => {
    expect(statSync(join(environment.PORTICO_DATA_DIR ?? '', 'demo.json')).mode & 0o777).toBe(0o600)
    const { body } = await server.call('GET', 'businesses/?page_size=100', { key: demo.key })
    expect(body.items.length).toBeGreaterThan(20)
    const lee = body.items.find((item: { legal_name: string }) => item.legal_name === 'Lee Bakery LLC')
    expect((await server.call('GET', lee.possible_duplicates_url, { key: demo.key })).body.items).toHaveLength(1)
    expect((await runHere(['demo'], { ...environment, PORTICO_ENVIRONMENT: 'production' })).code).toBe(1)
  })

  test('a restored database has exactly the rows of the backup, and its keys work', async () => {
    const file = join(place.environment.PORTICO_DATA_DIR ?? '', 'portico.backup')
    const before = (await server.call('GET', 'businesses/?page_size=100', { key: demo.key })).text
    await json('portal', 'set', demo.portal_id, '--intake-expiry-days', '45')
    const written = await json('backup', file)
    const lead = (await server.call('GET', 'lead-sources/', { key: demo.key })).body.items[0].id
    await server.call('POST', 'businesses/', {
      key: demo.key,
      body: { legal_name: 'After', country: 'US', lead_source_id: lead, lead_source_detail: { campaign: 'x' } },
    })

    const other = await makeDatabase({ hasSchema: true })
    const settings = { ...other.environment, PORTICO_SECRET_KEY: environment.PORTICO_SECRET_KEY ?? '' }
    expect(await runJson(['restore', file], settings)).toMatchObject({ rows: written.rows })
    const restored = await startServer({ environment: settings })
    const after = (await restored.call('GET', 'businesses/?page_size=100', { key: demo.key })).text
    const withoutAddress = (text: string) =>
      JSON.stringify(JSON.parse(text).items).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
    expect(withoutAddress(after)).toBe(withoutAddress(before))
    const { id } = JSON.parse(before).items.find(({ state }: { state: string }) => state === 'active')
    const body = { business_id: id }
    const begun = (await restored.call('POST', 'client-intake-applications/', { key: demo.key, body })).body
    expect(Date.parse(begun.expires_at) - Date.parse(begun.created_at)).toBe(45 * day)
    const { items } = (await restored.call('GET', 'audit-log/?action=portal.restored', { key: demo.key })).body
    expect(items).toMatchObject([{ actor: { kind: 'command_line', id: userInfo().username } }])
    await restored.kill('SIGTERM')
    const { chains } = await jsonHere(['audit', 'verify'], settings)
    expect(chains.filter(({ broken }: { broken: unknown }) => broken !== null)).toEqual([])
    const own = chains.find(({ portal_id }: { portal_id: string }) => portal_id === demo.portal_id)
    expect(own.entries).toBeGreaterThan(items[0].sequence)

    expect((await runHere(['restore', file], settings)).stderr).toContain('not empty')
    const empty = await makeDatabase({ hasSchema: true })
    const emptySettings = { ...empty.environment, PORTICO_SECRET_KEY: newSecretKey() }
    expect((await runHere(['restore', file], emptySettings)).stderr).toContain('a different secret key')
    truncateSync(file, statSync(file).size - 100)
    expect((await runHere(['restore', file], emptySettings)).stderr).toMatch(/is damaged: |incomplete/)
    expect(await jsonHere(['portal', 'list'], emptySettings)).toEqual([])
    await other.remove()
    await empty.remove()
  })

  test('doctor finds nothing wrong here, and exits with 1 where something is', async () => {
    const { findings } = await json('doctor')
    expect(findings.filter((finding: { outcome: string }) => finding.outcome === 'problem')).toEqual([])
    const wrongKey = await runHere(['doctor'], { ...environment, PORTICO_SECRET_KEY: newSecretKey() })
    expect([wrongKey.code, wrongKey.stdout]).toEqual([1, expect.stringContaining('PORTICO_SECRET_KEY is not the key')])
    const wrongSetting = await runHere(['doctor'], { ...environment, PORTICO_PORT: 'x', PORTICO_PROT: '1' })
    expect(wrongSetting.stdout).toContain('PORTICO_PORT must be a whole number')
    const risky = { PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true', PORTICO_CLAMAV: 'unix:/nowhere/clamd.ctl' }
    const staging = await runHere(['doctor'], { ...environment, ...risky })
    expect(staging.stdout).toMatch(
      /^✗ virus scanner: The virus scanner cannot be reached: .*Check that clamd is running/m,
    )
    expect(staging.stdout).not.toContain('PORTICO_WEBHOOK_ALLOW_PRIVATE')
    const production = await runHere(['doctor'], { ...environment, ...risky, PORTICO_ENVIRONMENT: 'production' })
    expect(production.stdout).toMatch(/^! configuration: PORTICO_WEBHOOK_ALLOW_PRIVATE=true lets every Portal send/m)
    // Erasures are listed there, whatever the database is.
    const unusable = await runHere(['doctor'], { ...environment, PORTICO_DATA_DIR: '/dev/null/x' })
    expect([unusable.code, unusable.stdout]).toEqual([
      1,
      expect.stringMatching(/^✗ data directory: \/dev\/null\/x cannot be used: .*PORTICO_DATA_DIR/m),
    ])
  })

  test('doctor tells a server of Portico on its port from any other program', async () => {
    const answering = async (body: string) => {
      const other = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1')
      onTestFinished(() => void other.close())
      await once(other, 'listening')
      // safe because it listens on a port
      const { port } = other.address() as AddressInfo
      const settings = { ...environment, PORTICO_HOST: '127.0.0.1', PORTICO_PORT: String(port) }
      const { findings } = await jsonHere(['doctor'], settings)
      return findings.find(({ check }: { check: string }) => check === 'port').outcome
    }
    expect([await answering('{"status":"ok"}'), await answering('Welcome!')]).toEqual(['ok', 'warning'])
  })
})

const start = (more: Record<string, string>) =>
  runPortico(['serve'], { ...environment, PORTICO_METRICS_PORT: 'off', PORTICO_PORT: '1', ...more })

describe('a start that cannot succeed says why', () => {
  test('another secret key or environment than the database was set up with, after a warning of a risky setting', async () => {
    expect((await start({ PORTICO_SECRET_KEY: newSecretKey() })).stderr).toContain(
      'PORTICO_SECRET_KEY is not the key that this database uses',
    )
    const production = { PORTICO_ENVIRONMENT: 'production', PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' }
    for (const { stdout, stderr } of [
      await start(production),
      await runPortico(['worker'], { ...environment, ...production }),
    ]) {
      expect(stderr).toContain('belongs to a staging deployment')
      expect(stdout).toContain('PORTICO_WEBHOOK_ALLOW_PRIVATE=true lets every Portal send requests')
    }
  })
})

describeOnce('files, sentences and settings', () => {
  test('a contract is published from a file; one that cannot be is refused with every problem and its place', async () => {
    const portal = await hereJson('portal', 'create', '--name', 'Asks')
    const file = join(place.environment.PORTICO_DATA_DIR ?? '', 'contract.json')
    const publish = async (contract: unknown, by = here) => {
      const isRaw = typeof contract === 'string' || Buffer.isBuffer(contract)
      writeFileSync(file, isRaw ? contract : JSON.stringify(contract))
      return by('contract', 'publish', file, '--portal', portal.id)
    }
    const contract = {
      kind: 'client_intake',
      title: 'Short',
      locale: 'en',
      sections: [{ key: 'one', title: 'One' }],
      questions: [{ key: 'name', section: 'one', type: 'text', label: 'Name' }],
    }
    expect((await publish(contract, run)).stdout).toContain('version 1 of client_intake (Short)')
    expect((await publish(contract)).stdout).toContain('version 2')
    expect(await json('contract', 'list', '--portal', portal.id)).toHaveLength(2)
    const refused = await publish({
      ...contract,
      questions: [{ ...contract.questions[0], section: 'two', validation: { pattern: '(' } }],
    })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('/questions/0/section: The contract has no section two.')
    expect(refused.stderr).toContain(
      '/questions/0/validation/pattern: The pattern is not valid at character 1: this group has no closing parenthesis',
    )
    expect((await publish('{')).stderr).toContain(`${file} must be valid JSON`)
    expect((await here('contract', 'publish', `${file}.gone`, '--portal', portal.id)).stderr).toContain('Cannot read')
    expect(await hereJson('contract', 'list', '--portal', portal.id)).toHaveLength(2)
  })

  test('a contract file that is not UTF-8, repeats a member or nests too deep is refused in one sentence', async () => {
    const portal = await hereJson('portal', 'create', '--name', 'Strict')
    const file = join(place.environment.PORTICO_DATA_DIR ?? '', 'strict.json')
    const publish = async (contract: string | Buffer) => {
      writeFileSync(file, contract)
      return here('contract', 'publish', file, '--portal', portal.id)
    }
    const question = '{"key":"name","section":"one","type":"text","label":"Name"}'
    const contract = (title: string, one = question) =>
      `{"kind":"client_intake","title":"${title}","locale":"en","sections":[{"key":"one","title":"One"}],"questions":[${one}]}`
    const deep = `${'{"not":['.repeat(20_000)}${']}'.repeat(20_000)}`
    const latin1 = await publish(Buffer.from(contract('Café'), 'latin1'))
    const repeated = await publish(contract('Twice","title":"Two'))
    const nested = await publish(contract('Deep', question.replace('}', `,"visible_when":${deep}}`)))
    expect([latin1, repeated, nested].map(({ code, stderr }) => [code, stderr.trim()])).toEqual([
      [1, `portico: ${file} must be valid UTF-8.`],
      [1, `portico: ${file} must not contain a duplicate member in one object: title.`],
      [1, `portico: ${file} must be nested at most 32 levels deep.`],
    ])
    expect(await hereJson('contract', 'list', '--portal', portal.id)).toEqual([])
    const marked = await publish(`\ufeff${contract('Café')}`)
    expect(marked.stdout).toContain('(Café)')
  })

  test.each<[args: string[], sentence: string, by?: typeof run]>([
    [['key', 'create', '--portal', 'ptl_x', '--name', 'n', '--grant', 'all'], 'Portal ptl_x does not exist'],
    [['key', 'create', '--portal', 'ptl_x', '--name', 'n', '--grant', 'moon'], 'Unknown grant: moon'],
    [['key', 'revoke', 'key_x'], 'Key key_x does not exist'],
    [['portal', 'create', '--name', ' '], 'The name of a Portal must have 1 to 200 characters'],
    [['portal', 'create', '--name', 'a\nb'], 'must be a single line without control characters; character 2 is U+000A'],
    [['portal', 'create', '--name', '\u001b[31mred'], 'must be a single line without control characters'],
    [['portal', 'create'], "required option '--name <name>' not specified"],
    [['portal', 'suspend', 'ptl_x'], 'Portal ptl_x does not exist', run],
    [['lead-source', 'create', '--portal', 'ptl_x', '--name', 'n', '--kind', 'moon'], "argument 'moon' is invalid"],
    [['lead-source', 'create', '--portal', 'ptl_x', '--name', 'n', '--kind', 'event'], 'Portal ptl_x does not exist'],
    [['fly'], "unknown command 'fly'", run],
    [['key', 'list', '--portal', 'ptl_x'], 'Portal ptl_x does not exist'],
    [
      ['key', 'create', '--portal', 'ptl_x', '--name', 'n', '--grant', 'all', '--expires', '2027-02-30T00:00:00Z'],
      'must be a time such as',
    ],
    [['restore', '/nowhere/backup'], 'cannot be read as a backup'],
  ])('%s fails with a sentence and without a stack', async (args, sentence, by = here) => {
    const { code, stderr } = await by(...args)
    expect(code).toBe(1)
    expect(stderr).toContain(sentence)
    expect(stderr).not.toMatch(/\n\s+at |\.\./)
  })

  test('with --json an error is JSON too', async () => {
    const { stderr } = await run('key', 'revoke', 'key_x', '--json')
    expect(JSON.parse(stderr).error).toContain('Key key_x does not exist')
    expect(JSON.parse((await here('portal', 'create', '--json')).stderr).error).toContain('--name')
    expect((await run('key')).stdout).toContain('rotate')
  })

  test('doctor says whether scans can be read', async () => {
    const look = (program: string) => runHere(['doctor'], { ...environment, PORTICO_TESSERACT: program })
    const working = await look(pretendedTesseract(''))
    expect([working.code, working.stdout]).toEqual([
      0,
      expect.stringMatching(/OCR: tesseract 5\.3\.0, .*, languages eng/),
    ])
    const none = await look('off')
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('install the package tesseract-ocr')])
    const other = await look('/bin/cat')
    expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('/bin/cat does not work as Tesseract')])
    expect((await look('tesseract')).stdout).toContain('PORTICO_TESSERACT must be auto, off or the absolute path')
  })
})

describeOnce('a start that cannot succeed says why', () => {
  test('a wrong setting, with its name and an example', async () => {
    const { code, stderr } = await start({ PORTICO_ENVIRONMENT: 'prod' })
    expect([code, stderr]).toEqual([
      1,
      'portico: PORTICO_ENVIRONMENT must be one of staging, production, not "prod". Example: PORTICO_ENVIRONMENT=production\n',
    ])
  })

  test('a data directory that is a file', async () => {
    const file = join(place.environment.PORTICO_DATA_DIR ?? '', 'a-file')
    writeFileSync(file, '')
    const { PORTICO_DATABASE_URL: _, ...sqlite } = environment
    const { code, stderr } = await runPortico(['serve'], { ...sqlite, PORTICO_DATA_DIR: file })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Set PORTICO_DATA_DIR to a directory that the user ${userInfo().username} can write to`),
    ])
  })
})

describeOn('sqlite')('SQLite', () => {
  test('one server per port and per data directory; the lock ends with a kill -9', async () => {
    const server = await startServer({ environment })
    const other = await makeDatabase({ hasSchema: true })
    const samePort = await runPortico(['serve'], {
      ...other.environment,
      PORTICO_SECRET_KEY: newSecretKey(),
      PORTICO_PORT: String(server.port),
      PORTICO_METRICS_PORT: 'off',
    })
    expect(samePort.stderr).toContain(`Port ${server.port} on 127.0.0.1 is already in use`)
    await other.remove()
    const second = await start({ PORTICO_PORT: String(await freePort()) })
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining('Another server is already using the data directory'),
    ])
    await server.kill('SIGKILL')
    const again = await startServer({ environment })
    expect(await again.kill('SIGTERM')).toBe(0)
  })

  test('the secret key is made once, for its owner only, even by six processes at once', async () => {
    const own = await makeDatabase()
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        runPortico(['portal', 'create', '--name', `P${n}`, '--json'], own.environment),
      ),
    )
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(Array(6).fill([0, '']))
    const file = join(own.environment.PORTICO_DATA_DIR ?? '', 'secret.key')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toHaveLength(32)
    expect(await runJson(['portal', 'list'], own.environment)).toHaveLength(6)
    await own.remove()
  })
})

describeOn('postgres')('PostgreSQL', () => {
  test('serve refuses an empty database and says what to run', async () => {
    const own = await makeDatabase()
    const { code, stderr } = await runPortico(['serve'], { ...own.environment, PORTICO_SECRET_KEY: newSecretKey() })
    expect([code, stderr]).toEqual([1, expect.stringContaining('run: portico migrate')])
    await own.remove()
  })

  test('a server that cannot be reached, and a missing secret key, are told in a sentence', async () => {
    const away = await runPortico(['portal', 'list'], {
      ...environment,
      PORTICO_DATABASE_URL: `postgres://u:hunter2@127.0.0.1:${await freePort()}/x`,
    })
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('cannot be reached')])
    expect(away.stderr).not.toContain('hunter2')
    const { PORTICO_SECRET_KEY: _, ...keyless } = environment
    expect((await runPortico(['portal', 'list'], keyless)).stderr).toContain(
      'PORTICO_SECRET_KEY is required with PostgreSQL',
    )
  })
})

describe('migrating', () => {
  test('eight processes at once: all succeed, one works', async () => {
    const own = await makeDatabase()
    const settings = { ...own.environment, PORTICO_SECRET_KEY: newSecretKey() }
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => runPortico(['migrate', '--json'], settings)))
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(Array(8).fill([0, '']))
    const applied = outcomes.map(({ stdout }) => JSON.parse(stdout).applied).filter((names) => names.length > 0)
    expect(applied).toHaveLength(1)
    await own.remove()
  })
})
