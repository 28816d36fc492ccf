// PostgreSQL answers, but lets nobody in: that may pass, and is told as such.
import { describe, expect, inject, test } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { ConnectionFailed } from '../../src/platform/database/database.ts'
import { openPostgres } from '../../src/platform/database/postgres.ts'
import { createProbes } from '../../src/platform/http/probes.ts'
import { createLogger } from '../../src/platform/logging.ts'
import { makeDatabase, newPortal, startTestServer } from '../harness.ts'
import { runSql } from '../postgres-cluster.ts'

describe('PostgreSQL that lets nobody in', () => {
  test('503 with Retry-After while the database accepts no connections, and well again when it does', async () => {
    const place = await makeDatabase()
    const url = new URL(place.environment.PORTICO_DATABASE_URL ?? '')
    const name = url.pathname.slice(1)
    const server = await startTestServer(place.environment)
    const portal = await newPortal(server)
    expect((await portal.call('GET', 'businesses/')).status).toBe(200)
    const administer = (command: string) => runSql(inject('postgresUrl') ?? '', command)
    await administer(`alter database ${name} allow_connections false`)
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    for (const round of [1, 2, 3]) {
      const answers = await Promise.all([
        portal.call('GET', 'businesses/'),
        portal.call('POST', 'businesses/', { body: portal.business() }),
        server.call('GET', `${server.origin}/readyz`),
      ])
      expect([round, ...answers.map(({ status }) => status)]).toEqual([round, 503, 503, 503])
      for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    // A worker that has not looked for work for that long says what is behind it.
    const isNot = () => false
    const worker = createProbes(server.context, [], isNot, isNot)
    await expect(worker.readiness()).rejects.toMatchObject({ details: [{ code: 'database_unreachable' }] })
    await administer(`alter database ${name} allow_connections true`)
    await expect.poll(async () => (await portal.call('GET', 'businesses/')).status, { timeout: 10_000 }).toBe(200)
    await server.stop()
    await place.remove()
  })

  test('503 with Retry-After for writes while it is read-only, as a standby is; well again on new connections', async () => {
    const place = await makeDatabase({ hasSchema: true })
    const name = new URL(place.environment.PORTICO_DATABASE_URL ?? '').pathname.slice(1)
    const server = await startTestServer(place.environment)
    const portal = await newPortal(server)
    const write = () => portal.call('POST', 'businesses/', { body: portal.business() })
    const administer = (command: string) => runSql(inject('postgresUrl') ?? '', command)
    await administer(`alter database ${name} set default_transaction_read_only = on`)
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await expect.poll(async () => (await portal.call('GET', 'businesses/')).status, { timeout: 10_000 }).toBe(200)
    for (const { status, headers } of await Promise.all([write(), write(), write()]))
      expect([status, Number(headers.get('retry-after')) >= 1]).toEqual([503, true])
    // Sessions that are there keep what they began with: those that refused are not used again.
    await administer(`alter database ${name} reset default_transaction_read_only`)
    await expect.poll(async () => (await write()).status, { timeout: 10_000 }).toBe(201)
    const answers = await Promise.all(Array.from({ length: 12 }, write))
    expect(answers.filter(({ status }) => status !== 201).length).toBeLessThan(12)
    await expect
      .poll(async () => (await Promise.all(Array.from({ length: 12 }, write))).map(({ status }) => status), {
        timeout: 10_000,
      })
      .toEqual(Array(12).fill(201))
    await server.stop()
    await place.remove()
  })

  test('ready, with a warning, while all connections are in use: that is a load, and no failing write', async () => {
    const place = await makeDatabase({ hasSchema: true })
    const server = await startTestServer({ ...place.environment, PORTICO_DATABASE_POOL_SIZE: '2' })
    let letGo = (): void => undefined
    const end = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let begun = 0
    const work = [1, 2].map(() =>
      server.context.database.transaction(async () => {
        begun++
        await end
      }),
    )
    await expect.poll(() => begun).toBe(2)
    const { status, body } = await server.call('GET', `${server.origin}/readyz`)
    expect([status, body.warnings]).toEqual([200, [expect.objectContaining({ code: 'connections_busy' })]])
    letGo()
    await Promise.all(work)
    expect((await server.call('GET', `${server.origin}/readyz`)).status).toBe(200)
    await server.stop()
    await place.remove()
  })

  test.each(['55000', '53300', '57P03', '28000', '28P01', '3D000', '42501', '08001'])(
    'an error %s while connecting means that the database is away',
    async (code) => {
      const { troubleOf, close } = openPostgres(
        readConfig({ PORTICO_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }),
        createLogger({ log_level: 'silent' }, () => undefined),
        'request',
      )
      expect(troubleOf(new ConnectionFailed(Object.assign(new Error('no'), { code })))).toEqual({ kind: 'unavailable' })
      await close()
    },
  )

  test('a row that the wall between Portals refuses is a mistake of ours; a right that is missing is not', async () => {
    const { troubleOf, close } = openPostgres(
      readConfig({ PORTICO_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }),
      createLogger({ log_level: 'silent' }, () => undefined),
      'request',
    )
    const refused = (message: string) => troubleOf(Object.assign(new Error(message), { code: '42501' }))
    expect(refused('new row violates row-level security policy for table "deals"')).toBeUndefined()
    expect(refused('permission denied for table deals')).toEqual({ kind: 'unavailable' })
    await close()
  })
})
