// What an endpoint answers may repeat the record that an event is about. It comes when the endpoint likes: also after the
// record was erased.
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { environmentOf, runPortico } from './built-program.ts'
import { jsonHere } from './command-here.ts'
import { whileStopped } from './faults/stopped-statement.ts'
import { describeOn, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
let background: ReturnType<typeof startBackground>
let portal: TestPortal
let sink: Sink
let path: string

beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  background = startBackground(server.context, server.metrics)
  portal = await newPortal(server)
  sink = await startSink()
  const { body } = await portal.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'] } })
  path = `webhooks/${body.id}/`
})
afterAll(async () => {
  await sink.close()
  await background.stop()
  await server.stop()
})

const make = async () => (await portal.call('POST', 'businesses/', { body: portal.business() })).body
const deliveries = async () => (await portal.call('GET', `${path}deliveries/`)).body.items
/** By type of event and record, what is kept of the responses to each attempt. */
async function kept() {
  const found: [type: string, record: string, bodies: (string | null)[]][] = []
  for (const { event_type, event_id, attempts_url } of await deliveries()) {
    const { items } = (await portal.call('GET', attempts_url)).body
    const event = (await portal.call('GET', `events/${event_id}/`)).body
    const bodies = items.map((attempt: { response_body: string | null }) => attempt.response_body)
    found.push([event_type, event.data.resource.id, bodies])
  }
  return found.sort()
}

test('of a response that comes after the erasure only the status is kept, also when a delivery is sent again; others are kept whole', async () => {
  await expect.poll(async () => (await portal.call('GET', path)).body.state).toBe('active')
  const held: (() => void)[] = []
  const answer = (response: ServerResponse, id: string) => response.end(`the record ${id}`)
  sink.answer = (response, { event }) => void held.push(() => answer(response, event.data.resource.id))
  const [erased, living] = [await make(), await make()]
  await expect.poll(() => held.length).toBe(2)

  await jsonHere(['business', 'erase', erased.id, '--yes'], environmentOf(server.context.config))
  sink.answer = (response, { event }) => answer(response, event.data.resource.id)
  for (const release of held) release()
  const settled = async () => (await deliveries()).map(({ state }: { state: string }) => state)
  await expect.poll(settled).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
  const [first] = (await deliveries()).filter(
    ({ event_type }: { event_type: string }) => event_type === 'business.archived',
  )
  expect((await portal.call('POST', `${path}deliveries/${first.id}/redeliver/`)).status).toBe(202)
  await expect.poll(kept).toEqual(
    [
      ['business.archived', erased.id, [null, null]],
      ['business.created', erased.id, [null]],
      ['business.created', living.id, [`the record ${living.id}`]],
      ['business.erased', erased.id, [null]],
    ].sort(),
  )
  expect((await deliveries()).map((one: { last_response_status: number }) => one.last_response_status)).toEqual([
    200, 200, 200, 200,
  ])
})

describeOn('postgres')('on PostgreSQL, where transactions overlap', () => {
  test('a response waits for the erasure that is just being committed, and is then not kept', async () => {
    const { context } = server
    const held: (() => void)[] = []
    sink.answer = (response, { event }) => void held.push(() => response.end(`the record ${event.data.resource.id}`))
    const { id } = await make()
    await expect.poll(() => held.length).toBe(1)
    sink.answer = (response) => response.end()

    let erasing: ReturnType<typeof runPortico> | undefined
    // Its last statement: what was written before is forgotten, and the business is gone for nobody else yet.
    const last = { change: 'insert', table: 'events', condition: "new.type = 'business.erased'" } as const
    await whileStopped(context, last, async (isReached) => {
      erasing = runPortico(['business', 'erase', id, '--yes'], environmentOf(context.config))
      await expect.poll(isReached).toBe(true)
      held[0]?.()
      await expect.poll(waitingForErasures).toBe(1)
    })
    expect(await erasing).toMatchObject({ code: 0 })
    // The other events of the business were answered without a body.
    await expect
      .poll(async () => (await kept()).filter(([type, record]) => record === id && type === 'business.created'))
      .toEqual([['business.created', id, [null]]])
  })
})

/** Transactions that wait for a lock which others may share. */
async function waitingForErasures(): Promise<number> {
  const { rows } = await sql`
    select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and not granted
      and database = (select oid from pg_database where datname = current_database())
  `.execute(server.context.database.read)
  return rows.length
}
