// PgBouncer that lets somebody in or not, and the connection past it: what is wrong is said in one sentence, where an
// operator looks.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newSecretKey, startServer } from './built-program.ts'
import { runHere } from './command-here.ts'
import { describeWithPgBouncer, startPgBouncer } from './pgbouncer.ts'
import { type PostgresCluster, runSql, startPostgresCluster } from './postgres-cluster.ts'
import { cleanUp, cleanups } from './real-servers.ts'

const access = `
local all all      trust
host  all postgres 127.0.0.1/32 trust
host  all all      127.0.0.1/32 scram-sha-256
`

const heardFrom =
  /^([\d.]+):\w+: +(?:password authentication failed for user "hears"|connection authorized: user=hears)/gm

describeWithPgBouncer('PgBouncer and PostgreSQL with passwords', () => {
  let cluster: PostgresCluster
  let directory: string
  let key: string
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'portico-pooler-'))
    key = newSecretKey()
    cluster =
      (await startPostgresCluster(
        ['fsync=off', 'log_connections=on', 'log_line_prefix=%n:'],
        {},
        { 'pg_hba.conf': access },
      )) ?? expect.fail('there is no PostgreSQL on this machine')
    for (const statement of [
      `create role app login password 'right'`,
      `create role hears login password 'right'`,
      'create database app owner app',
      'create database other owner app',
    ])
      await runSql(cluster.url, statement)
  })
  afterEach(cleanUp)
  afterAll(() => {
    cluster?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const guard = { databases: 'app', users: '"app" "right"', settings: 'auth_type = scram-sha-256' }
  const urlOf = (base: string, { role = 'app', password = 'right', database = 'app' } = {}) =>
    Object.assign(new URL(base), { username: role, password, pathname: `/${database}` }).href
  const environmentOf = (url: string, direct?: string) => ({
    PORTICO_DATABASE_URL: url,
    PORTICO_DATABASE_POOLER: 'transaction',
    PORTICO_SECRET_KEY: key,
    PORTICO_DATA_DIR: directory,
    ...(direct !== undefined && { PORTICO_DATABASE_DIRECT_URL: direct }),
  })
  const pooled = async (settings = guard) => {
    const pooler = await startPgBouncer(cluster.url, 4, settings)
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= pooler.close()
      return closing
    }
    cleanups.push(close)
    return { ...pooler, close }
  }

  const rejected = /pooler at .* rejected the role app: .*authentication failed.*\. Check the role and the password in/
  const missing = /pooler at .* has no database named nowhere: .*\. Create it, add it to the settings of the pooler, or/
  test.each<[string, Partial<typeof guard>, Parameters<typeof urlOf>[1], RegExp]>([
    ['a password that PgBouncer rejects', {}, { password: 's3cret' }, rejected],
    [
      'a password that PostgreSQL rejects',
      { users: '"app" "s3cret"', settings: 'auth_type = trust' },
      { password: 's3cret' },
      rejected,
    ],
    ['a database that PgBouncer does not know', {}, { database: 'nowhere' }, missing],
    ['a database that PostgreSQL does not know', { databases: '*' }, { database: 'nowhere' }, missing],
  ])('%s is one sentence', async (_name, own, parts, sentence) => {
    const pooler = await pooled({ ...guard, ...own })
    const { code, stderr } = await runHere(['migrate'], environmentOf(urlOf(pooler.urlOf(cluster.url), parts)))
    expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringMatching(sentence)]])
    expect(stderr).not.toMatch(/s3cret|server is running/)
  })

  test('a worker that may not listen past the pooler says so once, tries less often, and says when it works; doctor says why', async () => {
    const pooler = await pooled()
    const url = urlOf(pooler.urlOf(cluster.url))
    const hears = { role: 'hears', password: 's3cret' }
    expect(await runHere(['migrate'], environmentOf(url))).toMatchObject({ code: 0 })
    const doctor = async (parts: Parameters<typeof urlOf>[1]) => {
      const { code, stdout } = await runHere(['doctor'], environmentOf(url, urlOf(cluster.url, parts)))
      expect(stdout).not.toContain('s3cret')
      return [code, stdout.split('\n').filter((line) => line.includes(' direct connection: '))]
    }
    expect(await doctor({})).toEqual([0, ['✓ direct connection: workers hear of new events at once']])
    expect(await doctor({ database: 'other' })).toEqual([
      1,
      [
        expect.stringMatching(
          /✗ .* PORTICO_DATABASE_DIRECT_URL leads to a different database than PORTICO_DATABASE_URL/,
        ),
      ],
    ])
    expect(await doctor(hears)).toEqual([
      1,
      [
        expect.stringMatching(
          /✗ .* rejected the role hears: .* Check the role and the password in PORTICO_DATABASE_DIR/,
        ),
      ],
    ])
    const server = await startServer({
      environment: { ...environmentOf(url, urlOf(cluster.url, hears)), PORTICO_LOG_LEVEL: 'info' },
    })
    cleanups.push(async () => void (await server.kill('SIGTERM')))
    const lines = (text: string) => server.output().split(text).length - 1
    await expect.poll(() => lines('PORTICO_DATABASE_DIRECT_URL cannot be used to hear of new events')).toBe(1)
    // When PostgreSQL heard from it, in seconds.
    const attempts = () =>
      [...readFileSync(join(cluster.directory, 'log'), 'utf8').matchAll(heardFrom)].map(([, time]) => Number(time))
    // Before the server it was doctor.
    await expect.poll(() => attempts().length).toBe(3)
    await runSql(cluster.url, `alter role hears password 's3cret'`)
    await expect.poll(() => lines('new events are heard of at once again')).toBe(1)
    const [first = 0, second = 0, third = 0] = attempts().slice(1)
    expect(third - second).toBeGreaterThan(1.5 * (second - first))
    expect(lines('cannot be used to hear')).toBe(1)
    expect(server.output()).not.toContain('s3cret')
  })

  test('a PostgreSQL that has stopped behind the pooler is one sentence, however the pooler says it', async () => {
    const pooler = await pooled({ ...guard, settings: `${guard.settings}\nquery_wait_timeout = 2` })
    const environment = environmentOf(urlOf(pooler.urlOf(cluster.url)))
    expect(await runHere(['migrate'], environment)).toMatchObject({ code: 0 })
    cluster.kill()
    cleanups.push(() => cluster.restart())
    for (const command of [['migrate'], ['portal', 'list'], ['jobs', 'list']]) {
      const { code, stderr } = await runHere(command, environment)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^portico: The connection pooler at .* has no connection to PostgreSQL: .* server_login_retry \(15 seconds by default\)\.\n$/,
        ),
      ])
    }
    await pooler.close()
    const gone = await runHere(['migrate'], environment)
    expect(gone.stderr).toMatch(/pooler at .* cannot be reached: .*ECONNREFUSED.* that the pooler is running/)
  })
})
