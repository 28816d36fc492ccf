// PostgreSQL as operators guard it: with TLS, passwords and few rights. What is refused is said in one sentence that says
// what to do, and what is allowed is encrypted and checked.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../src/platform/config.ts'
import type { Database } from '../src/platform/database/database.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { openDatabase } from '../src/platform/database/open-database.ts'
import { createLogger } from '../src/platform/logging.ts'
import { newSecretKey, runPortico } from './built-program.ts'
import { newPortal, startTestServer } from './harness.ts'
import { type PostgresCluster, runSql, startPostgresCluster } from './postgres-cluster.ts'

/** The last line lets in whoever is not named before. */
const access = `
local     all all                        trust
hostssl   all tls_only      127.0.0.1/32 trust
hostnossl all tls_only      127.0.0.1/32 reject
host      all with_password 127.0.0.1/32 scram-sha-256
host      portico all       127.0.0.1/32 scram-sha-256
host      all all           127.0.0.1/32 trust
`

let cluster: PostgresCluster
let directory: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'portico-tls-'))
  const [certificate, key] = makeCertificates(directory)
  const files = { 'server.crt': certificate, 'server.key': key, 'pg_hba.conf': access }
  cluster =
    (await startPostgresCluster(['ssl=on', 'fsync=off'], {}, files)) ??
    expect.fail('there is no PostgreSQL on this machine')
  for (const statement of [
    'create role tls_only login',
    `create role with_password login password 'right'`,
    'create role limited login connection limit 0',
    'create role outsider login',
    'create role reader login',
    'create role standby_user login superuser',
    'alter role standby_user set default_transaction_read_only = on',
    'create database guarded',
    'revoke connect on database guarded from public',
    'grant connect on database guarded to reader, with_password, tls_only, limited',
  ])
    await runSql(cluster.url, statement)
  await withDatabase(urlOf({}), migrate)
})
afterAll(() => {
  cluster?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const urlOf = ({ role = 'postgres', password = '', host = '127.0.0.1', port = '', query = '' }) => {
  const url = new URL(cluster.url)
  Object.assign(url, { username: role, password, hostname: host, pathname: '/guarded', search: query })
  if (port) url.port = port
  return url.href
}

async function withDatabase(url: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const config = readConfig({ PORTICO_DATABASE_URL: url })
  const database = await openDatabase(
    config,
    createLogger(config, () => undefined),
  )
  await work(database).finally(() => database.close())
}

async function expectSentence(url: string, sentence: RegExp): Promise<void> {
  const environment = { PORTICO_DATABASE_URL: url, PORTICO_SECRET_KEY: newSecretKey(), PORTICO_DATA_DIR: directory }
  const [plain, json] = await Promise.all([
    runPortico(['serve'], environment),
    runPortico(['portal', 'create', '--name', 'A', '--json'], environment),
  ])
  expect([plain.code, json.code, plain.stdout]).toEqual([1, 1, ''])
  expect(plain.stderr.trim().split('\n')).toEqual([expect.stringMatching(sentence)])
  expect(JSON.parse(json.stderr).error).toMatch(sentence)
  expect(plain.stderr + json.stderr).not.toMatch(/s3cret|\.js:\d|\.ts:\d/)
}

test.each<[string, Parameters<typeof urlOf>[0], RegExp]>([
  [
    'a wrong password',
    { role: 'with_password', password: 's3cret' },
    /rejected the role with_password: .* Check the role/,
  ],
  [
    'a missing password',
    { role: 'with_password' },
    /rejected the role with_password: .* Check the role and the password/,
  ],
  [
    'no right to connect',
    { role: 'outsider' },
    /outsider cannot connect .* Run as its owner: grant connect on database/,
  ],
  ['no right to create or read', { role: 'reader' }, /The role reader lacks permissions in the database guarded/],
  ['a read-only server', { role: 'standby_user' }, /is read-only: .* Set PORTICO_DATABASE_URL to the primary server/],
  ['too many connections', { role: 'limited' }, /has no free connections: .* decrease PORTICO_DATABASE_POOL_SIZE/],
  ['TLS that is required', { role: 'tls_only' }, /requires TLS, add sslmode=verify-full to PORTICO_DATABASE_URL/],
  [
    'a certificate of an unknown CA',
    { host: 'localhost', query: 'sslmode=verify-full' },
    /certificate of PostgreSQL at localhost:\d+ is not trusted: .* Add sslrootcert=FILE/,
  ],
])('%s is one sentence', async (_name, parts, sentence) => {
  await expectSentence(urlOf(parts), sentence)
})

test('a Unix socket is reached by its directory, and one that is not there is one sentence', async () => {
  const by = (host: string) => urlOf({ host: 'localhost', query: `host=${encodeURIComponent(host)}` })
  await withDatabase(by(cluster.directory), async ({ read }) => {
    const { rows } = await sql`select client_addr from pg_stat_activity where pid = pg_backend_pid()`.execute(read)
    expect(rows).toEqual([{ client_addr: null }])
  })
  await expectSentence(by('/nowhere'), /PostgreSQL at \/nowhere:\d+\/guarded cannot be reached: .*ENOENT/)
})

test('a certificate of another host is one sentence', async () => {
  const query = `sslmode=verify-full&sslrootcert=${directory}/ca.crt`
  await expectSentence(urlOf({ query }), /is for a different host: .* Use a host name of the certificate/)
})

test('a server that is too old is one sentence', async () => {
  // Nothing but its version is changed on the way.
  const { port } = new URL(cluster.url)
  const proxy = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    near.pipe(far)
    far.on('data', (bytes) => {
      const text = bytes.toString('latin1').replace(/(?<=server_version\0)1\d/, '13')
      near.write(Buffer.from(text, 'latin1'))
    })
    for (const socket of [near, far])
      socket.on('error', () => undefined).on('close', () => [near, far].map((one) => one.destroy()))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const own = typeof address === 'object' && address ? String(address.port) : ''
  await expectSentence(urlOf({ port: own }), /its version is 13.*, and Portico needs PostgreSQL 15 or later\. Upgrade/)
  await new Promise((resolve) => proxy.close(resolve))
})

test.each([
  ['localhost', 'verify-full', true],
  ['localhost', 'require', true],
  ['127.0.0.1', 'verify-ca', true],
  ['127.0.0.1', 'no-verify', true],
  ['127.0.0.1', 'disable', false],
])('%s with sslmode=%s: encrypted is %s', async (host, mode, isEncrypted) => {
  const ca = mode.startsWith('verify') || mode === 'require' ? `&sslrootcert=${directory}/ca.crt` : ''
  await withDatabase(urlOf({ host, query: `sslmode=${mode}${ca}` }), async ({ read }) => {
    const { rows } = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(read)
    expect(rows).toEqual([{ ssl: isEncrypted }])
  })
})

test.each([
  ['sslmode=allow', /has the sslmode "allow"; it must be one of disable, verify-full, verify-ca, no-verify/],
  ['sslmode=verify-ca', /has the sslmode verify-ca, which needs sslrootcert/],
  ['sslmode=verify-full&sslrootcert=/nowhere/ca.crt', /names a file for sslrootcert that cannot be read: ENOENT/],
])('%s is refused at the start', (query, problem) => {
  expect(() => readConfig({ PORTICO_DATABASE_URL: urlOf({ query }) })).toThrow(problem)
})

test('files for TLS that cannot be used are one sentence', async () => {
  const key = join(directory, 'broken.key')
  writeFileSync(key, 'no key')
  const query = `sslmode=verify-full&sslrootcert=${directory}/ca.crt&sslcert=${directory}/server.crt&sslkey=${key}`
  await expectSentence(
    urlOf({ host: 'localhost', query }),
    /Cannot connect to PostgreSQL at localhost:\d+: the TLS files cannot be used: sslcert or sslkey is damaged, .*\. Check the files that PORTICO_DATABASE_URL names/,
  )
})

test('503 while files for TLS are gone or broken, however many ask, and well again when they are back', async () => {
  const own = (name: string) => join(directory, `own-${name}`)
  for (const name of ['ca.crt', 'server.crt', 'server.key']) copyFileSync(join(directory, name), own(name))
  const query = `sslmode=verify-full&sslrootcert=${own('ca.crt')}&sslcert=${own('server.crt')}&sslkey=${own('server.key')}`
  const server = await startTestServer({ PORTICO_DATABASE_URL: urlOf({ host: 'localhost', query }) })
  const stopListening = server.context.database.listen(() => undefined)
  const portal = await newPortal(server)
  const ask = () => portal.call('GET', 'businesses/')
  expect((await ask()).status).toBe(200)
  const faults: [string, () => void][] = [
    ['ca.crt', () => rmSync(own('ca.crt'))],
    // Not those that are known everywhere instead.
    ['ca.crt', () => writeFileSync(own('ca.crt'), '')],
    ['server.key', () => writeFileSync(own('server.key'), 'no key')],
  ]
  for (const [name, damage] of faults) {
    damage()
    await runSql(cluster.url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'guarded'`)
    for (let round = 1; round <= 2; round++) {
      // More than the pool has connections: those that wait are served by whoever fails before them.
      const answers = await Promise.all(Array.from({ length: 40 }, ask))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
      for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    if (name === 'ca.crt')
      await expect.poll(() => server.logLines.join('')).toContain('PORTICO_DATABASE_URL cannot be used to hear')
    copyFileSync(join(directory, name), own('next'))
    renameSync(own('next'), own(name))
    await expect.poll(async () => (await ask()).status).toBe(200)
  }
  const reasons = server.logLines.flatMap((line) => /the TLS files cannot be used: [^"]+/.exec(line)?.[0] ?? [])
  for (const reason of ['ENOENT', 'is empty', 'sslcert or sslkey is damaged'])
    expect([...new Set(reasons)]).toContainEqual(expect.stringContaining(reason))
  await stopListening()
  await server.stop()
})

test.each([
  ['postgres://u:p@a:5432,b:5432/db', 'names several hosts'],
  ['postgresql://u:p@a,b/db', 'names several hosts'],
  ['postgres://u:p@a/db?host=a,b', 'names several hosts'],
  ['postgres://u:p@a/db?port=5432,5433', 'names several hosts'],
  ['postgres://u:p@a/db?target_session_attrs=read-write', 'has target_session_attrs'],
])('%s is refused at the start, with what to use instead', (url, problem) => {
  const advice = 'must name one host that always leads to the primary server: a virtual address'
  for (const variable of ['PORTICO_DATABASE_URL', 'PORTICO_DATABASE_DIRECT_URL'])
    expect(() => readConfig({ [variable]: url })).toThrow(`${variable} ${problem}; it ${advice}`)
})

test('a comma in a password does not make several hosts', () => {
  const url = 'postgres://u:p,q@a/db'
  expect(readConfig({ PORTICO_DATABASE_URL: url }).database_url).toBe(url)
})

test('the database of compose.yaml belongs to a role that is no superuser, and doctor says that Portals are kept apart', async () => {
  const { configs, services } = parse(readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8'))
  const [first] = services.database.configs
  expect(first).toEqual({ source: 'database-role', target: '/docker-entrypoint-initdb.d/portico.sql' })
  const script = join(directory, 'portico.sql')
  writeFileSync(script, configs[first.source].content)
  // As the image leaves it before it runs its scripts: nothing but a superuser with a password.
  await runSql(cluster.url, 'drop role portico')
  await runSql(cluster.url, `alter role postgres password 'p%1'`)
  const options = ['--variable=ON_ERROR_STOP=1', '--no-password', '--no-psqlrc', '--quiet', `--file=${script}`]
  execFileSync('psql', [...options, cluster.url], { env: { ...process.env, POSTGRES_PASSWORD: 'p%1' }, stdio: 'pipe' })
  const url = Object.assign(new URL(cluster.url), { username: 'portico', password: 'p%251', pathname: '/portico' }).href
  const environment = { PORTICO_DATABASE_URL: url, PORTICO_SECRET_KEY: newSecretKey(), PORTICO_DATA_DIR: directory }
  expect(await runPortico(['migrate'], environment)).toMatchObject({ code: 0, stderr: '' })
  expect((await runPortico(['doctor'], environment)).stdout).toContain(
    'row-level security: PostgreSQL separates the rows of Portals',
  )
  await withDatabase(url, async ({ read }) => {
    const { rows } = await sql`
      select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, pg_get_userbyid(datdba) as owner
      from pg_roles join pg_database on datname = current_database() where rolname = current_user
    `.execute(read)
    const rights = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }
    expect(rows).toEqual([{ rolname: 'portico', owner: 'portico', ...rights }])
  })
  // Whoever has the password of Portico has not got that of the superuser.
  await expectSentence(url.replace('portico:', 'postgres:'), /rejected the role postgres/)
})

/** A CA of its own, and a certificate of it for `localhost`. */
function makeCertificates(place: string): [string, string] {
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: place, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  run('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=Test CA', '-days', '2')
  run('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
  writeFileSync(join(place, 'names'), 'subjectAltName=DNS:localhost')
  const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  run('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...signing)
  return [readFileSync(join(place, 'server.crt'), 'utf8'), readFileSync(join(place, 'server.key'), 'utf8')]
}
