// What no caller can help: a database that goes away, a disk that fills up, a client that dawdles.
import { connect } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { describeOn, makeDatabase, newPortal, startTestServer } from './harness.ts'
import { startTcpProxy } from './tcp-proxy.ts'

describeOn('postgres')('a PostgreSQL that goes away', () => {
  test.each(['refuse', 'hang'] as const)(
    '503 with Retry-After within 5 s while it does (%s), nothing half done, and well again when it returns',
    async (mode) => {
      const place = await makeDatabase()
      const url = new URL(place.environment.PORTICO_DATABASE_URL ?? '')
      const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
      url.port = String(proxy.port)
      const server = await startTestServer({ PORTICO_DATABASE_URL: url.href })
      const portal = await newPortal(server)
      const post = (headers = {}) =>
        portal.call('POST', 'businesses/', { body: portal.business({ external_reference: 'once' }), headers })
      expect((await portal.call('GET', 'businesses/')).status).toBe(200)

      proxy.set(mode)
      const started = Date.now()
      const headers = { 'idempotency-key': 'while-the-database-is-away' }
      const body = portal.business()
      const answers = await Promise.all([
        portal.call('GET', 'businesses/'),
        portal.call('POST', 'businesses/', { body, headers }),
        server.call('GET', `${server.origin}/readyz`),
      ])
      expect(Date.now() - started).toBeLessThan(5000)
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(answers[0].body).toMatchObject({ code: 'service_unavailable', retryable: true, details: [] })
      expect(Number(answers[0].headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect((await server.call('GET', `${server.origin}/healthz`)).status).toBe(200)

      proxy.set('pass')
      await expect
        .poll(async () => (await server.call('GET', `${server.origin}/readyz`)).status, { timeout: 10_000 })
        .toBe(200)
      expect((await portal.call('POST', 'businesses/', { body, headers })).status).toBe(201)
      expect((await post()).status).toBe(201)
      expect((await portal.call('GET', 'businesses/')).body.items).toHaveLength(2)
      await server.stop()
      await proxy.stop()
      await place.remove()
    },
  )
})

describeOn('postgres')('PostgreSQL in the middle of things', () => {
  test('503 within 5 s when it stops answering inside a transaction', async () => {
    const place = await makeDatabase()
    const url = new URL(place.environment.PORTICO_DATABASE_URL ?? '')
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(proxy.port)
    const server = await startTestServer({ PORTICO_DATABASE_URL: url.href })
    const { database } = server.context
    const started = Date.now()
    const stuck = database.transaction(async (tx) => {
      await sql`select 1`.execute(tx)
      proxy.set('hang')
      await sql`select 2`.execute(tx)
    })
    await expect(stuck).rejects.toThrow('Query read timeout')
    expect(Date.now() - started).toBeLessThan(7000)
    proxy.set('pass')
    await server.stop()
    await proxy.stop()
    await place.remove()
  })

  test('what it quotes from rows is not logged', async () => {
    const server = await startTestServer()
    const portal = await newPortal(server)
    await sql`alter table businesses add constraint no_cats check (legal_name <> 'Cat')`.execute(
      server.context.database.write,
    )
    const answer = await portal.call('POST', 'businesses/', {
      body: portal.business({ legal_name: 'Cat', email: 'private@example.com' }),
    })
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([500, 'internal_error', []])
    const lines = server.logLines.join('')
    expect(lines).toContain('no_cats')
    expect(lines).not.toContain('private@example.com')
    await server.stop()
  })
})

describeOn('sqlite')('a disk that fills up', () => {
  test('503 for writes while reads go on, nothing half done, and well again when there is room', async () => {
    const server = await startTestServer()
    const portal = await newPortal(server)
    const { database } = server.context
    const limit = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(database.write)
    await limit(1) // SQLite takes the current size as the least
    const bodies = Array.from({ length: 60 }, (_, n) =>
      portal.business({ external_reference: `full-${n}`, metadata: { filler: 'x'.repeat(500) } }),
    )
    const answers = []
    for (const body of bodies) answers.push(await portal.call('POST', 'businesses/', { body }))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code} ${body.retryable}`))).toEqual(
      new Set(['503 service_unavailable true']),
    )
    const listed = (await portal.call('GET', 'businesses/?page_size=100')).body.items
    expect(listed).toHaveLength(bodies.length - refused.length)
    expect(await database.read.selectFrom('events').select('id').execute()).toHaveLength(listed.length)

    await limit(1_000_000)
    for (const [index, body] of bodies.entries())
      expect((await portal.call('POST', 'businesses/', { body })).status).toBe(
        answers[index]?.status === 201 ? 409 : 201,
      )
    await server.stop()
  })
})

describe('a client that dawdles', () => {
  test('408 and the end of the connection for a client that does not finish its headers', async () => {
    const server = await startTestServer()
    const { port } = new URL(server.origin)
    const answer = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /v1/ HTTP/1.1\r\nHost: x\r\nX-Slow: '))
      socket.on('data', (data) => {
        received += data
      })
      socket.on('close', () => resolve(received))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toMatch(/request-id: req_/i)
    expect(answer).toContain('"code":"request_timeout"')
    await server.stop()
  })
})
