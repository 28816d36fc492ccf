// PostgreSQL behind a proxy that refuses or goes silent. How long the answers take is judged in the long form alone.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { watchProcess } from '../../src/app.ts'
import { makeDatabase, newPortal, startTestServer } from '../harness.ts'
import { startTcpProxy } from '../tcp-proxy.ts'
import { isFull } from './scale.ts'

describe('a PostgreSQL that goes away', () => {
  test.each(['refuse', 'hang'] as const)(
    '503 with Retry-After while it does (%s), nothing half done, metrics that do not deceive, and well again when it returns',
    async (mode) => {
      const place = await makeDatabase()
      const url = new URL(place.environment.PORTICO_DATABASE_URL ?? '')
      const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
      url.port = String(proxy.port)
      const server = await startTestServer({ PORTICO_DATABASE_URL: url.href })
      watchProcess(server.context, server.metrics, server.server.probes)
      const portal = await newPortal(server)
      const post = (headers = {}) =>
        portal.call('POST', 'businesses/', { body: portal.business({ external_reference: 'once' }), headers })
      expect((await portal.call('GET', 'businesses/')).status).toBe(200)

      proxy.set(mode)
      const started = performance.now()
      const headers = { 'idempotency-key': 'while-the-database-is-away' }
      const body = portal.business()
      const answers = await Promise.all([
        portal.call('GET', 'businesses/'),
        portal.call('POST', 'businesses/', { body, headers }),
        server.call('GET', `${server.origin}/readyz`),
      ])
      if (isFull) expect(performance.now() - started).toBeLessThan(5000)
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(answers[0].body).toMatchObject({ code: 'service_unavailable', retryable: true, details: [] })
      expect(Number(answers[0].headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect((await server.call('GET', `${server.origin}/healthz`)).status).toBe(200)
      const metrics = await server.metrics.registry.metrics()
      expect(metrics).toMatch(/^portico_ready 0$/m)
      // Without the database nobody knows the queue: 0 would say that all is well.
      expect(metrics).not.toMatch(/^portico_jobs_(queued|oldest_due_seconds)\b/m)

      proxy.set('pass')
      await expect
        .poll(async () => (await server.call('GET', `${server.origin}/readyz`)).status, { timeout: 10_000 })
        .toBe(200)
      await expect.poll(() => server.metrics.registry.metrics()).toMatch(/^portico_ready 1$/m)
      expect((await portal.call('POST', 'businesses/', { body, headers })).status).toBe(201)
      expect((await post()).status).toBe(201)
      expect((await portal.call('GET', 'businesses/')).body.items).toHaveLength(2)
      await server.stop()
      await proxy.stop()
      await place.remove()
    },
  )

  test('an error a request can answer with when it stops answering inside a transaction', async () => {
    const place = await makeDatabase()
    const url = new URL(place.environment.PORTICO_DATABASE_URL ?? '')
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(proxy.port)
    const server = await startTestServer({ PORTICO_DATABASE_URL: url.href })
    const { database } = server.context
    const started = performance.now()
    const stuck = database.transaction(async (tx) => {
      await sql`select 1`.execute(tx)
      proxy.set('hang')
      await sql`select 2`.execute(tx)
    })
    await expect(stuck).rejects.toThrow('Connection terminated: no answer in time')
    if (isFull) expect(performance.now() - started).toBeLessThan(5000)
    proxy.set('pass')
    await server.stop()
    await proxy.stop()
    await place.remove()
  })
})
