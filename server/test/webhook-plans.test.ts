// How webhooks, events, deliveries and attempts are listed: whatever the filter, a page reads about as many rows as it has.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hour, isoTime, minute, second } from '../src/platform/clock.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId, rowCount, secondsAfter, spread } from './many-rows.ts'
import { expectPagesFound, refreshPlans } from './query-plans.ts'

let server: TestServer
let portal: TestPortal
let webhook: string
let delivery: string
/** The oldest copies are of this time, the others a second apart. None is earlier than the event that is copied. */
const began = isoTime(Math.ceil(Date.now() / minute) * minute + minute)
const secondsIn = (count: number) => encodeURIComponent(isoTime(Date.parse(began) + count * second))
const firstDelivery = `dlv_${'0'.repeat(26)}`
const firstAttempt = `att_${'0'.repeat(26)}`
const business = `biz_${'1'.repeat(26)}`

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  await portal.call('POST', 'businesses/', { body: portal.business() })
  const { items } = (await portal.call('GET', 'events/')).body
  await copyRows(server.context, 'events', items[0].id, {
    id: numberedId('evt'),
    sequence: sql`null`,
    type: spread('business.archived', 'business.restored', 'business.created', 'business.updated'),
    resource_id: spread(business, 'biz_other', 'biz_other', 'biz_another'),
    created_at: secondsAfter(began),
  })
  webhook = await newWebhook()
  delivery = await newDelivery(webhook)
  await copyRows(server.context, 'webhook_deliveries', delivery, {
    id: numberedId('dlv'),
    event_id: numberedId('evt'),
    // Most are of a state and a type that few have together.
    state: spread('failed', 'retrying', 'succeeded', 'skipped'),
    event_type: spread('business.archived', 'business.created', 'business.created', 'business.updated'),
    next_attempt_at: sql`null`,
    created_at: secondsAfter(began),
  })
  await newAttempt(delivery)
  await copyRows(server.context, 'webhook_attempts', firstAttempt, {
    id: numberedId('att'),
    started_at: secondsAfter(began),
  })
  // They get their numbers.
  await portal.call('GET', 'events/')
  await refreshPlans(server)
})
afterAll(() => server.stop())

async function newWebhook(): Promise<string> {
  const { body } = await portal.call('POST', 'webhooks/', {
    body: { url: 'https://hooks.example.com/', event_types: ['*'] },
  })
  return body.id
}

/** As the sender leaves them: nothing is sent here. */
async function newDelivery(webhook_id: string): Promise<string> {
  const at = isoTime(Date.parse(began))
  await server.context.database.transaction((tx) =>
    tx
      .insertInto('webhook_deliveries')
      .values({
        portal_id: portal.id,
        id: firstDelivery,
        webhook_id,
        event_id: null,
        event_type: 'webhook.ping',
        state: 'cancelled',
        state_changed_at: at,
        attempts: 1,
        scheduled_attempts: 1,
        trigger: 'test',
        last_response_status: null,
        last_error_code: null,
        next_attempt_at: null,
        lease: null,
        created_at: at,
        updated_at: at,
      })
      .execute(),
  )
  return firstDelivery
}

async function newAttempt(delivery_id: string): Promise<void> {
  await server.context.database.transaction((tx) =>
    tx
      .insertInto('webhook_attempts')
      .values({
        portal_id: portal.id,
        delivery_id,
        id: firstAttempt,
        number: 1,
        trigger: 'test',
        started_at: began,
        duration_ms: 1,
        response_status: 500,
        response_body: '',
        error_code: 'response_status',
        error_message: null,
      })
      .execute(),
  )
}

type Case = [path: string, columns: string[]]
const early = { after: secondsIn(100), before: secondsIn(200) }
const period = `created_after=${early.after}&created_before=${early.before}`
const events: Case[] = [
  ['events/', []],
  ['events/?order=sequence', []],
  ['events/?sequence_after=5900', ['sequence>']],
  ['events/?type=business.archived', ['type']],
  [`events/?resource_id=${business}`, ['resource_id']],
  [`events/?resource_id=${business}&type=business.restored`, ['resource_id']],
  [`events/?created_before=${early.before}`, ['sequence<']],
  [`events/?created_before=${early.before}&order=sequence`, ['sequence<']],
  [`events/?created_after=${secondsIn(rowCount - 100)}&order=sequence`, ['sequence>']],
  [`events/?${period}`, ['sequence>', 'sequence<']],
  [`events/?${period}&order=sequence`, ['sequence>', 'sequence<']],
  [`events/?${period}&type=business.created`, ['type', 'sequence>', 'sequence<']],
  [`events/?${period}&resource_id=biz_other`, ['resource_id', 'sequence>', 'sequence<']],
  [`events/?created_before=${secondsIn(-1000)}`, ['sequence<']],
]
const deliveryFilters: Case[] = [
  ['', []],
  ['state=failed', ['state']],
  ['event_type=business.archived', ['event_type']],
  ['state=succeeded&event_type=business.updated', ['state', 'event_type']],
  [`created_before=${early.before}`, ['created_at<']],
  [`created_after=${secondsIn(rowCount - 50)}`, ['created_at>']],
  [`${period}&state=skipped`, ['state', 'created_at>', 'created_at<']],
  [`${period}&event_type=business.created`, ['event_type', 'created_at>', 'created_at<']],
  [`${period}&state=succeeded&event_type=business.created`, ['state', 'event_type', 'created_at>', 'created_at<']],
]
const webhooks: Case[] = [
  ['webhooks/', []],
  ['webhooks/?state=active', []],
  [`webhooks/?${period}`, ['created_at>', 'created_at<']],
]

test.each(events)('%s is found by %s, on its first pages and backward', async (path, columns) => {
  await expectPagesFound(server, portal, path, columns)
})

test.each(deliveryFilters)(
  'deliveries with %s are found by %s, on their first pages and backward',
  async (filter, columns) => {
    await expectPagesFound(server, portal, `webhooks/${webhook}/deliveries/?${filter}`, columns)
  },
)

test.each(webhooks)('%s is found by %s', async (path, columns) => {
  await expectPagesFound(server, portal, path, columns)
})

test('the attempts of a delivery are found by it, on their first pages and backward', async () => {
  await expectPagesFound(server, portal, `webhooks/${webhook}/deliveries/${delivery}/attempts/`, ['delivery_id'])
})

describe('events of a period', () => {
  const count = 200
  const times: number[] = []
  let other: TestPortal
  beforeAll(async () => {
    other = await newPortal(server)
    await other.call('POST', 'businesses/', { body: other.business() })
    const { items } = (await other.call('GET', 'events/')).body
    const first = await server.context.database.read
      .selectFrom('events')
      .selectAll()
      .where('id', '=', items[0].id)
      .executeTakeFirstOrThrow()
    const start = Date.parse(first.created_at) + hour
    for (let n = 1; n <= count; n++) {
      // Most are in order. Some were written long before they were committed, and the clock was once an hour ahead.
      const late = n % 17 === 0 ? 7 * minute : 0
      const ahead = n > 80 && n < 120 ? hour : 0
      times.push(start + n * minute + ahead - late)
    }
    for (let begin = 0; begin < count; begin += 25) {
      const rows = times.slice(begin, begin + 25).map((time, index) => ({
        ...first,
        changes: '[]',
        id: `evt_${String(begin + index).padStart(26, '0')}`,
        sequence: null,
        created_at: isoTime(time),
      }))
      await server.context.database.transaction((tx) => tx.insertInto('events').values(rows).execute())
      // They get their numbers piece by piece, as whoever reads them comes by.
      await other.call('GET', 'events/?page_size=1')
    }
  })

  test('are listed all and no others, however far their numbers are from the order of time', async () => {
    const bounds = [0, 1, 30, 77, 85, 100, 119, 121, 150, 199].map((index) => times[index] ?? 0)
    for (const after of [undefined, ...bounds])
      for (const before of [undefined, ...bounds]) {
        const isMeant = (time: number) =>
          (after === undefined || time > after) && (before === undefined || time < before)
        const query = [
          ...(after === undefined ? [] : [`created_after=${isoTime(after)}`]),
          ...(before === undefined ? [] : [`created_before=${isoTime(before)}`]),
        ].join('&')
        const { items } = (
          await other.call('GET', `events/?type=business.created&page_size=250&order=sequence&${query}`)
        ).body
        const listed = items.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp))
        const expected = times.filter(isMeant)
        const own = listed.filter((time: number) => times.includes(time))
        expect([query, own]).toEqual([query, expected])
      }
  })
})
