// Growth of the tables of deals, in both directions: as many deals that the Portal sent as it received.
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import { newId } from '../src/platform/values/ids.ts'
import type { Deployment, Engine } from './deployments.ts'
import { comparePages, compareTables, withTables } from './growth.ts'
import type { TimedCall } from './latency.ts'
import { type Line, say, showProgress } from './report.ts'
import { seedBusinesses, withInserter } from './seed.ts'
import type { Settings } from './throughput.ts'

export async function measureDealGrowth(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) lines.push(...(await measureEngine(settings, engine)))
  return lines
}

async function measureEngine(settings: Settings, engine: Engine): Promise<Line[]> {
  say(`Deals on ${engine}`)
  return withTables(settings, engine, seedDeals, async (large, small) => {
    const lines: Line[] = []
    for (const direction of ['sent', 'received']) {
      const first = `/v1/deals/?page_size=25&direction=${direction}`
      lines.push(...(await comparePages(settings, engine, { ...large, first, noun: `deals ${direction}` })))
    }
    return [
      ...lines,
      ...(await compareTables(settings, engine, { large, small, noun: 'deals each way' }, dealRequests())),
    ]
  })
}

interface Table {
  count: number
  call: TimedCall
  ids: readonly string[]
  business_id: string
  recipient_id: string
}

function dealRequests(): Record<string, (table: Table) => ReturnType<TimedCall>> {
  let unique = 0
  // Another record each time, all over the table, in both directions.
  const anyId = ({ ids }: Table) => ids[(++unique * 7919) % ids.length]
  const list = (query: string) => (table: Table) => table.call(`/v1/deals/?page_size=25&${query}`)
  return {
    'read one deal': (table) => table.call(`/v1/deals/${anyId(table)}/`),
    'pipeline of a broker': list('direction=sent&state=open'),
    'inbox of a recipient': list('direction=received&state=open'),
    'both directions': list('order=-updated_at'),
    'sent deals of a rare stage': list('direction=sent&stage=closing'),
    'received deals of a rare stage': list('direction=received&stage=closing'),
    'deals with one recipient in a stage of 30': (table) =>
      table.call(`/v1/deals/?page_size=25&direction=sent&recipient_id=${table.recipient_id}&stage=offer`),
    'the same that are open': (table) =>
      table.call(`/v1/deals/?page_size=25&direction=sent&recipient_id=${table.recipient_id}&stage=offer&state=open`),
    'deals of one business': (table) => table.call(`/v1/deals/?page_size=25&business_id=${table.business_id}`),
    'create a deal': ({ call, business_id }) => call('/v1/deals/', { business_id, title: `New ${++unique}` }),
  }
}

/** So many deals that the Portal sent to another one, and as many that the other one sent to it. */
async function seedDeals(deployment: Deployment, count: number) {
  const [business_id = ''] = await seedBusinesses(deployment, 100)
  const { portal_id } = deployment
  const other = newId('ptl')
  const start = Math.floor(Date.now() / 1000) - count
  const ways = [
    { sent: 1, from: portal_id, to: other },
    { sent: 0, from: other, to: portal_id },
  ]
  const fill: Parameters<typeof withInserter>[1] = async ({ insert, copy, timeAt }) => {
    const at = timeAt(`${start} + n`)
    const common = { created_at: at, updated_at: at, stage_key: stageOfN }
    for (const [index, { sent, from, to }] of ways.entries()) {
      const { deal, received } = pairOf(from, to, business_id)
      const id = `'deal_${sent}' || substr('${'0'.repeat(25)}', 1, 25 - length(cast(n as text))) || cast(n as text)`
      const ofDeal = {
        state_changed_at: at,
        stage_label: stageOfN,
        stage_category: stageOfN,
        title: `'Loan ' || cast(n as text)`,
      }
      await insert('deals', [deal])
      await copy('deals', deal.id, count, { ...common, ...ofDeal, id, number: 'n + 1' })
      await insert('received_deals', [received])
      await copy('received_deals', received.id, count, { ...common, id, number: 'n + 10000000' })
      showProgress(`${deployment.engine}: seeding`, index + 1, ways.length)
    }
    await insert('deal_numbers', [{ portal_id, last_number: 2 * count }])
  }
  await withInserter(deployment, fill, ['deals', 'received_deals'])
  // Some of them, all over the table.
  const numbers = Array.from({ length: 10_000 }, (_, index) => Math.floor((index * count) / 10_000))
  const ids = numbers.flatMap((n) => ways.map(({ sent }) => `deal_${sent}${String(n).padStart(25, '0')}`))
  return { ids, business_id, recipient_id: recipientIdOf(other) }
}

/** Few deals are about to close, and more than a page of them in both tables. The 30 oldest have a stage of their own. */
const stageOfN = `case when n < 30 then 'offer' when n % 300 = 0 then 'closing' when n % 3 = 0 then 'new'
  when n % 3 = 1 then 'qualifying' else 'application' end`

/** A deal that the others are made of. */
function pairOf(portal_id: string, recipient_portal_id: string, business_id: string) {
  const at = new Date().toISOString()
  const common = { id: newId('deal'), version: 1, state: 'open', stage_key: 'new', created_at: at, updated_at: at }
  const deal = {
    ...common,
    portal_id,
    state_changed_at: at,
    number: 1,
    recipient_portal_id,
    recipient_name: 'Harbour Lending',
    recipient_kind: 'lender',
    sender_name: 'Fairfield Brokers',
    business_id,
    title: 'Loan',
    amount_requested: { amount: '80000.00', currency: 'USD' },
    stage_label: 'new',
    stage_category: 'new',
    reached: { new: at },
    shared_business: { legal_name: 'Lee Bakery LLC', country: 'US', facts: {} },
    application_ids: [],
    tags: ['priority'],
    metadata: { recipient: recipientIdOf(recipient_portal_id) },
  }
  const received = {
    ...common,
    portal_id: recipient_portal_id,
    sender_portal_id: portal_id,
    number: 1,
    business_id: newId('biz'),
    application_ids: [],
    tags: [],
    metadata: {},
  }
  return { deal, received }
}
