// Events are written with what they tell of, and numbered afterwards without gaps, in an order that every reader can trust.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numberEvents, publish } from '../src/platform/background/outbox.ts'
import { newPortal, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const event = (id: string) => ({
  type: 'business.updated',
  resource: { type: 'business', id, path: '/businesses/x/', version: 1 },
})

describe('the outbox', () => {
  test('every change has its event, with the request that caused it and no values of fields', async () => {
    const own = await newPortal(server)
    const made = await own.call('POST', 'businesses/', { body: own.business() })
    const changed = await own.call('PATCH', made.body.url, {
      body: { trading_name: 'Secret name', phone: null, tags: [] },
      headers: { 'if-match': made.body.etag },
    })
    const archived = await own.call('POST', `${made.body.url}archive/`, { headers: { 'if-match': changed.body.etag } })
    await own.call('POST', `${made.body.url}restore/`, { headers: { 'if-match': archived.body.etag } })
    const { body, text } = await own.call('GET', 'events/?order=sequence')
    expect(
      body.items.map((event: { type: string; sequence: number; data: { resource: { version: number } } }) => [
        event.type,
        event.sequence,
        event.data.resource.version,
      ]),
    ).toEqual([
      ['business.created', 1, 1],
      ['business.updated', 2, 2],
      ['business.archived', 3, 3],
      ['business.restored', 4, 4],
    ])
    expect(body.items[1].data).toMatchObject({
      changes: ['trading_name'],
      request_id: changed.headers.get('request-id'),
      state: 'active',
    })
    expect(body.items[2].data).toMatchObject({ state: 'archived', previous_state: 'active' })
    expect(text).not.toContain('Secret name')
    expect((await own.call('GET', body.items[0].data.resource.url)).body.id).toBe(made.body.id)
    expect((await own.call('GET', `events/${body.items[0].id}/`)).body).toEqual(body.items[0])
    expect(
      (await own.call('GET', 'events/?sequence_after=2&order=sequence')).body.items.map(
        (event: { sequence: number }) => event.sequence,
      ),
    ).toEqual([3, 4])
    expect((await own.call('GET', 'events/?type=business.archived')).body.items).toHaveLength(1)
    expect((await own.call('GET', `events/?resource_id=${made.body.id}`)).body.items).toHaveLength(4)
  })

  test('a refused change leaves no event', async () => {
    const own = await newPortal(server)
    const made = await own.call('POST', 'businesses/', { body: own.business() })
    await own.call('PATCH', made.body.url, { body: { trading_name: 'x' }, headers: { 'if-match': '"stale"' } })
    await own.call('POST', `${made.body.url}restore/`, { headers: { 'if-match': made.body.etag } })
    expect((await own.call('GET', 'events/')).body.items).toHaveLength(1)
  })

  test('an event that commits late gets a higher number than one that was seen before it', async () => {
    const own = await newPortal(server)
    const { database } = server.context
    const seen = async () =>
      (await own.call('GET', 'events/?order=sequence')).body.items.map((one: Seen) => [
        one.data.resource.id,
        one.sequence,
      ])
    type Seen = { sequence: number; data: { resource: { id: string } } }
    let commit: () => void = () => undefined
    let isWritten: () => void = () => undefined
    const written = new Promise<void>((resolve) => {
      isWritten = resolve
    })
    const late = database.transaction(async (tx) => {
      await publish(tx, own.caller, event('late'))
      isWritten()
      // SQLite lets nobody else write meanwhile, so there the late one is simply the first.
      if (database.engine === 'postgres') {
        await new Promise<void>((resolve) => {
          commit = resolve
        })
      }
    })
    await written
    await database.transaction((tx) => publish(tx, own.caller, event('early')))
    if (database.engine === 'postgres') expect(await seen()).toEqual([['early', 1]])
    commit()
    await late
    expect(await seen()).toEqual(
      database.engine === 'postgres'
        ? [
            ['early', 1],
            ['late', 2],
          ]
        : [
            ['late', 1],
            ['early', 2],
          ],
    )
  })

  test('numbers have no gaps and no doubles, however many write and number at once', async () => {
    const own = await newPortal(server)
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await server.context.database.transaction((tx) => publish(tx, own.caller, event(`biz_${n}`)))
        if (n % 5 === 0) await numberEvents(server.context.database, own.id)
      }),
    )
    await Promise.all([1, 2, 3].map(() => numberEvents(server.context.database, own.id)))
    const rows = await server.context.database.read
      .selectFrom('events')
      .select('sequence')
      .where('portal_id', '=', own.id)
      .orderBy('sequence')
      .execute()
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
  })

  test('what was written after the commit of something else has the higher number, whatever the clocks of the processes say', async () => {
    const own = await newPortal(server)
    const { database } = server.context
    await database.transaction((tx) => publish(tx, own.caller, event('first')))
    // Ids begin with the time: as if the process that wrote it had a clock far ahead.
    const id = 'evt_7zzzzzzzzzzzzzzzzzzzzzzzzz'
    await database.transaction((tx) => tx.updateTable('events').set({ id }).where('portal_id', '=', own.id).execute())
    await database.transaction((tx) => publish(tx, own.caller, event('second')))
    const { body } = await own.call('GET', 'events/?order=sequence')
    expect(body.items.map((one: { data: { resource: { id: string } } }) => one.data.resource.id)).toEqual([
      'first',
      'second',
    ])
  })

  test('a transaction that began early and writes its event after another has committed has the higher number', async () => {
    const own = await newPortal(server)
    const { database } = server.context
    const seen = async () =>
      (await own.call('GET', 'events/?order=sequence')).body.items.map(
        (one: { data: { resource: { id: string } } }) => one.data.resource.id,
      )
    const other = async () => database.transaction((tx) => publish(tx, own.caller, event('quick')))
    // SQLite lets nobody else write meanwhile.
    if (database.engine === 'sqlite') await other()
    await database.transaction(async (tx) => {
      // As whoever changes a record does: its row is locked first.
      await tx.updateTable('api_keys').set({ name: 'locked' }).where('portal_id', '=', own.id).execute()
      if (database.engine === 'postgres') await other()
      await publish(tx, own.caller, event('patient'))
    })
    expect(await seen()).toEqual(['quick', 'patient'])
  })

  test.each([
    ['created_before=9999-12-31T23:59:59Z', 1],
    ['created_after=0001-01-01T00:00:00Z', 1],
    ['created_after=0001-01-01T00:00:00Z&created_before=9999-12-31T23:59:59.999Z', 1],
    ['created_before=0001-01-01T00:00:00Z', 0],
    ['created_after=9999-12-31T23:59:59Z', 0],
    [`sequence_after=${Number.MAX_SAFE_INTEGER}`, 0],
  ])('a list of events bounded by %s finds %i of 1', async (query, count) => {
    const own = await newPortal(server)
    await own.call('POST', 'businesses/', { body: own.business() })
    const { status, body, text } = await own.call('GET', `events/?${query}`)
    expect(status, text).toBe(200)
    expect(body.items).toHaveLength(count)
  })
})
