// What no caller can help: a database that fails, a disk that fills up, a client that dawdles.
import { connect } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { describeOn, newPortal, startTestServer } from './harness.ts'

describeOn('postgres')('a failing PostgreSQL', () => {
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
