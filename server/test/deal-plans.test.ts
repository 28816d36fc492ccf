// How the lists of deals and applications are found: no filter that an index is promised for reads through a Portal.
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listStages } from '../src/areas/deals/queries.ts'
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import { type Lender, newLender, newSubmitted } from './deal-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { atLeisure, copyRows, numberedId, secondsAfter, spread } from './many-rows.ts'
import { expectFound, expectPagesFound, refreshPlans } from './query-plans.ts'

/** Those that few deals have are the oldest, at the end of every list. */
const named = (prefix: string, digit: number) => `${prefix}_${String(digit).repeat(26)}`
const [often, half, seldom] = [named('ptl', 1), named('ptl', 2), named('ptl', 3)]
const [business, project] = [named('biz', 1), named('prj', 1)]

let server: TestServer
let sender: TestPortal
let lender: Lender
let application: { id: string; deal_id: string }
beforeAll(async () => {
  server = await startTestServer()
  sender = await newPortal(server)
  lender = await newLender(server)
  application = await newSubmitted(sender, lender)
  const updated_at = secondsAfter('2026-01-01T00:00:00.000Z')
  const ofDeal = {
    number: sql`n`,
    updated_at,
    state: spread('on_hold', 'open', 'open', 'won'),
    stage_key: spread('closing', 'funded', 'qualifying', 'funded'),
    business_id: spread(business, 'biz_other', 'biz_other', 'biz_other'),
  }
  await copyRows(server.context, 'deals', application.deal_id, {
    ...ofDeal,
    id: numberedId('deal'),
    recipient_portal_id: spread(seldom, half, often, half),
    project_id: spread(project, '', '', ''),
    external_reference: sql`'ref-' || cast(n as text)`,
  })
  await copyRows(server.context, 'received_deals', application.deal_id, {
    ...ofDeal,
    id: numberedId('deal'),
    external_reference: sql`'ref-' || cast(n as text)`,
  })
  const ofApplication = {
    updated_at,
    id: numberedId('dap'),
    deal_id: numberedId('deal'),
    state: spread('accepted', 'submitted', 'submitted', 'declined'),
  }
  await copyRows(server.context, 'deal_applications', application.id, {
    ...ofApplication,
    active_deal_id: sql`null`,
    recipient_portal_id: spread(seldom, half, often, half),
  })
  await copyRows(server.context, 'received_deal_applications', application.id, ofApplication)
  await refreshPlans(server)
})
afterAll(() => server.stop())

const byRecipient = (portal: string) => `recipient_id=${recipientIdOf(portal)}`
type Case = [path: string, columns: string[]]
const sent: Case[] = [
  ['deals/?direction=sent', []],
  ['deals/?direction=sent&state=on_hold', ['state']],
  ['deals/?direction=sent&stage=closing', ['stage_key']],
  ['deals/?direction=sent&state=open&stage=funded', ['state', 'stage_key']],
  [`deals/?direction=sent&${byRecipient(seldom)}`, ['recipient_portal_id']],
  [`deals/?direction=sent&${byRecipient(half)}&state=open`, ['recipient_portal_id', 'state']],
  [`deals/?direction=sent&${byRecipient(half)}&stage=closing`, ['recipient_portal_id', 'stage_key']],
  [`deals/?direction=sent&${byRecipient(half)}&stage=funded&state=open`, ['recipient_portal_id', 'stage_key', 'state']],
  [`deals/?direction=sent&business_id=${business}`, ['business_id']],
  [`deals/?direction=sent&business_id=${business}&state=open`, ['business_id']],
  [`deals/?direction=sent&project_id=${project}&stage=closing`, ['project_id']],
  ['deals/?direction=sent&external_reference=ref-10000007', ['external_reference']],
  ['deal-applications/?direction=sent', []],
  ['deal-applications/?direction=sent&state=accepted', ['state']],
  [`deal-applications/?direction=sent&${byRecipient(seldom)}`, ['recipient_portal_id']],
  [`deal-applications/?direction=sent&${byRecipient(half)}&state=submitted`, ['recipient_portal_id', 'state']],
  ['deal-applications/?direction=sent&deal_id={deal}&state=submitted', ['deal_id']],
]
const received: Case[] = [
  ['deals/?direction=received', []],
  ['deals/?direction=received&state=on_hold', ['state']],
  ['deals/?direction=received&stage=closing', ['stage_key']],
  ['deals/?direction=received&state=open&stage=funded', ['state', 'stage_key']],
  [`deals/?direction=received&business_id=${business}&stage=closing`, ['business_id']],
  ['deals/?direction=received&external_reference=ref-10000007', ['external_reference']],
  ['deal-applications/?direction=received', []],
  ['deal-applications/?direction=received&state=accepted', ['state']],
  ['deal-applications/?direction=received&deal_id={deal}&state=submitted', ['deal_id']],
]

const ways = '%s is found by %s, on its first pages and backward'

test.each(sent)(ways, async (path, columns) => {
  await expectPagesFound(server, sender, path.replace('{deal}', application.deal_id), columns)
})

describe('by the recipient', () => {
  beforeAll(async () => {
    // Only the recipient of a deal sees it.
    for (const table of ['deals', 'deal_applications'] as const)
      await atLeisure(server.context, (tx) => tx.updateTable(table).set({ recipient_portal_id: lender.id }).execute())
    await refreshPlans(server)
  })

  test.each(received)(ways, async (path, columns) => {
    await expectPagesFound(server, lender, path.replace('{deal}', application.deal_id), columns)
  })
})

test('the deals that may get a new label are found by their ids, the own ones however many were sent', async () => {
  const { database } = server.context
  const { read } = database
  for (const portal of [sender, lender])
    for (const after of ['', 'deal_00000000000000000010003000']) {
      const queries: CompiledQuery[] = []
      const db = read.withPlugin({
        transformQuery({ node, queryId }) {
          queries.push(read.getExecutor().compileQuery(node, queryId))
          return node
        },
        transformResult: async ({ result }) => result,
      })
      await listStages(db, portal.id, after, 100)
      const [own = expect.fail(), received = expect.fail()] = queries
      await expectFound(database, own, ['recipient_portal_id'], 'own')
      await expectFound(database, received, [], 'received')
    }
})
