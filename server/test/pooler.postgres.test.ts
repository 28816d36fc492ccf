// Behind PgBouncer in transaction mode, each transaction may find itself on another session. 1.18, which Debian has, knows
// nothing of prepared statements. Everything that Portico does goes through four sessions here.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tablesOfPeople } from '../src/building-blocks/peoples-data/traces.ts'
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import { readConfig } from '../src/platform/config.ts'
import { newSecretKey, type RunningServer, runJson, runPortico, startServer } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { newProject } from './funding-fixtures.ts'
import {
  makeDatabase,
  newPortal,
  openTestContext,
  startTestServer,
  type TestDatabase,
  type TestPortal,
  type TestServer,
} from './harness.ts'
import { describeWithPgBouncer, startPgBouncer } from './pgbouncer.ts'
import { type Sink, startSink } from './webhook-sink.ts'

describeWithPgBouncer('behind PgBouncer in transaction mode', () => {
  let place: TestDatabase
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>
  let sink: Sink
  let environment: Record<string, string>
  /** The process under test, with its worker; and a server in this process, to look with. */
  let running: RunningServer
  let server: TestServer
  let portal: TestPortal

  beforeAll(async () => {
    place = await makeDatabase()
    pooler = await startPgBouncer(inject('postgresUrl') ?? '', 4)
    sink = await startSink()
    const { PORTICO_DATABASE_URL: direct = '' } = place.environment
    environment = {
      ...place.environment,
      PORTICO_DATABASE_URL: pooler.urlOf(direct),
      PORTICO_DATABASE_DIRECT_URL: direct,
      PORTICO_DATABASE_POOLER: 'transaction',
      PORTICO_SECRET_KEY: newSecretKey(),
      PORTICO_RATE_LIMITS: 'off',
      PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true',
    }
  })
  afterAll(async () => {
    await running?.kill('SIGKILL')
    await server?.stop()
    await sink?.close()
    await pooler?.close()
    await place?.remove()
  })

  test('without its setting, one sentence says so', async () => {
    const { stderr } = await runPortico(['migrate'], { ...environment, PORTICO_DATABASE_POOLER: 'none' })
    expect(stderr).toMatch(/^portico: The connection pooler .* Set PORTICO_DATABASE_POOLER=transaction\.\n$/)
  })

  test('two processes migrate at once, and every migration runs once', async () => {
    const [one, two] = await Promise.all([runJson(['migrate'], environment), runJson(['migrate'], environment)])
    expect([one.applied.length, two.applied.length]).toContain(0)
    running = await startServer({ environment })
    server = await startTestServer(environment)
    portal = await newPortal(server)
  })

  const call: TestPortal['call'] = (method, path, sent = {}) => running.call(method, path, { key: portal.key, ...sent })

  /** As a client does that is told to come back: with the same key. */
  const create = async (headers = { 'idempotency-key': randomUUID() }, body = portal.business()) => {
    for (;;) {
      const answer = await call('POST', 'businesses/', { body, headers })
      if (answer.status !== 503) return answer
    }
  }

  test('201 for 150 writes at once, each on record, with an event that is delivered to a webhook', async () => {
    const { body: webhook } = await call('POST', 'webhooks/', {
      body: { url: sink.url, event_types: ['business.created'] },
    })
    const state = async () => (await call('GET', `webhooks/${webhook.id}/`)).body.state
    await expect.poll(state, { timeout: 30_000 }).toBe('active')
    const answers = await Promise.all(Array.from({ length: 150 }, () => create()))
    const ids = answers.map(({ status, text, body }) => {
      expect(status, text).toBe(201)
      return body.id
    })
    const read = await Promise.all(ids.map((id) => call('GET', `businesses/${id}/`)))
    expect(read.map(({ body }) => body.id)).toEqual(ids)
    const delivered = () => new Set(sink.received.map(({ event }) => event.data.resource.id)).size
    await expect.poll(delivered, { timeout: 30_000 }).toBe(150)
  })

  test('one execution for ten keys with twelve identical requests each; the others are replays or 409', async () => {
    const before = (await call('GET', 'events/?type=business.created&page_size=100')).body.items.length
    expect(before).toBe(100)
    const body = portal.business()
    const keys = Array.from({ length: 10 }, () => randomUUID())
    const answers = await Promise.all(
      keys.flatMap((key) => Array.from({ length: 12 }, () => create({ 'idempotency-key': key }, body))),
    )
    for (const { status, text } of answers) expect([201, 409], text).toContain(status)
    const created = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotent-replayed'))
    expect(created).toHaveLength(10)
    expect(new Set(answers.filter(({ status }) => status === 201).map((one) => one.body.id)).size).toBe(10)
  })

  test('1 of 20 writers on one ETag wins, and 19 get 412', async () => {
    const { body, headers } = await call('POST', 'businesses/', { body: portal.business() })
    const etag = headers.get('etag') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call('PATCH', `businesses/${body.id}/`, {
          body: { employee_count: index },
          headers: { 'if-match': etag },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)])
  })

  test('an import, a match calculation, a backup and doctor work as ever', async () => {
    const file = join(place.environment.PORTICO_DATA_DIR ?? '', 'programs.json')
    const eligibility = [{ criterion: 'credit_score', operator: 'gte', value: 600 }]
    const program = { funding_type: 'term_loan', status: 'open', eligibility }
    writeFileSync(
      file,
      JSON.stringify(
        Array.from({ length: 700 }, (_, n) => ({ ...program, external_reference: `r${n}`, name: `P ${n}` })),
      ),
    )
    const imported = await runJson(['program', 'import', file, '--recipient', recipientIdOf(portal.id)], environment)
    expect(imported).toMatchObject({ created: 700 })

    const project = await newProject(portal)
    const started = await portal.call('POST', project.calculations_url)
    expect(started.status, started.text).toBe(202)
    // The worker of the other process calculates it.
    const state = async () => (await portal.call('GET', started.body.url)).body.state
    await expect.poll(state, { timeout: 30_000 }).toBe('completed')

    await runJson(['backup', `${file}.backup`], environment)
    const { findings } = await runJson(['doctor'], environment)
    expect(findings.filter(({ outcome }: { outcome: string }) => outcome === 'problem')).toEqual([])
  })

  test('statistics are forgotten through it, and tables are rewritten beside it', async () => {
    const { PORTICO_DATABASE_DIRECT_URL: _, ...pooledAlone } = environment
    const { context } = await openTestContext(readConfig(pooledAlone))
    await context.database.forgetStatistics(tablesOfPeople)
    await context.database.close()
    const refused = await runHere(['business', 'compact'], pooledAlone)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Set PORTICO_DATABASE_DIRECT_URL to')])
    expect(await jsonHere(['business', 'compact'], environment)).toEqual({ compacted: true })
  })

  test('a statement that forgets its Portal finds the rows of its Portal alone', async () => {
    const other = await newPortal(server)
    await other.call('POST', 'businesses/', { body: other.business() })
    const seen = async (id: string) => {
      const { rows } = await sql`select distinct portal_id from businesses`.execute(
        server.context.database.within(id).read,
      )
      return rows
    }
    const answers = await Promise.all([portal, other, portal, other].map(({ id }) => seen(id)))
    expect(answers).toEqual([portal, other, portal, other].map(({ id }) => [{ portal_id: id }]))
  })

  test('no session keeps anything: no statement, lock, setting or Portal of whoever was there before', async () => {
    const left = sql<Record<string, unknown>>`
      select (select count(*) from pg_prepared_statements) as statements,
        (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
        (select setting from pg_settings where name = 'statement_timeout') as timeout,
        current_setting('portico.portal', true) as portal`
    // Without Portico's own settings around it.
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: environment.PORTICO_DATABASE_URL ?? '', max: 8 })
    const text = left.compile(server.context.database.read).sql
    const looks = await Promise.all(Array.from({ length: 8 }, () => pool.query(text)))
    await pool.end()
    for (const { rows } of looks) {
      expect(rows).toEqual([{ statements: '0', locks: '0', timeout: '0', portal: expect.toSatisfy((one) => !one) }])
    }
  })
})
