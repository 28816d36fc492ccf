// The deals of the demo Portal, in both directions: what somebody finds who reads about deals and tries them out.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationStates, offerStates } from '../src/areas/deal-applications/states.ts'
import { dealStates } from '../src/areas/deals/states.ts'
import { ensureDemo } from '../src/cli/demo.ts'
import { startTestServer, type TestServer } from './harness.ts'

let server: TestServer
let key: string
beforeAll(async () => {
  server = await startTestServer()
  const made = await ensureDemo(server.context)
  if (!made) throw new Error('there was a Portal before the demo')
  key = made.key
})
afterAll(() => server.stop())

/** Every item of a collection. */
async function all(path: string) {
  const items = []
  for (let cursor = ''; ; ) {
    const url = `${path}${path.includes('?') ? '&' : '?'}page_size=100${cursor && `&cursor=${cursor}`}`
    const { status, body, text } = await server.call('GET', url, { key })
    expect(status, text).toBe(200)
    items.push(...body.items)
    if (body.next_cursor === null) return items
    cursor = encodeURIComponent(body.next_cursor)
  }
}
const statesIn = (records: readonly { state: string }[]) => [...new Set(records.map(({ state }) => state))].sort()
const get = async (path: string) => (await server.call('GET', path, { key })).body

test('deals are in every state, sent, received and for the own Portal', async () => {
  const deals = await all('deals/')
  expect(statesIn(deals)).toEqual([...dealStates.states].sort())
  const of = (direction: string) => deals.filter((deal) => deal.direction === direction)
  expect([of('sent').length > 30, of('received').length > 20]).toEqual([true, true])
  const own = deals.filter(({ recipient }) => recipient.kind === 'own_portal')
  expect(statesIn(own)).toEqual(['lost', 'on_hold', 'open', 'won'])
  expect(deals.map(({ number }) => number).sort((a, b) => a - b)).toEqual(deals.map((_, index) => index + 1))
  expect(new Set(deals.map(({ title }) => title)).size).toBeGreaterThan(50)
})

test('applications are in every state of the table', async () => {
  const sent = await all('deal-applications/?direction=sent')
  expect(statesIn(sent)).toEqual([...applicationStates.states].sort())
  const received = await all('deal-applications/?direction=received')
  // Nobody sees a draft of another Portal, and only a draft expires.
  const seen = applicationStates.states.filter((state) => state !== 'draft' && state !== 'expired')
  expect(statesIn(received)).toEqual([...seen].sort())
  expect(received.every(({ sender }) => sender.name === 'Larkmoor Brokers (demo)')).toBe(true)
  const offers = []
  for (const { offers_url } of [...sent, ...received]) offers.push(...(await all(offers_url)))
  expect(statesIn(offers)).toEqual([...offerStates.states].sort())
  expect([...new Set(offers.map(({ kind }) => kind))].sort()).toEqual(['final', 'indicative'])
})

test('one deal went from a match to the money, by the acts of both Portals', async () => {
  const [deal] = (await all('deals/?direction=sent&state=won')).filter(({ match_id }) => match_id !== null)
  expect(deal).toMatchObject({
    recipient: { name: 'Saltmarsh Community Bank' },
    amount_approved: { amount: '60000.00' },
    amount_funded: { amount: '60000.00' },
    progress: { percent: 100 },
    outcome: { kind: 'won' },
  })
  const match = await get(`projects/${deal.project_id}/matches/${deal.match_id}/`)
  expect([match.deal_id, match.outcome, match.program.id]).toEqual([deal.id, 'eligible', deal.program_id])
  const timeline = await all(deal.progress_url)
  const kinds = timeline.map(({ kind }) => kind)
  const acts = ['created', 'submitted', 'acknowledged', 'information_requested', 'responded', 'funded']
  const places = acts.map((act) => kinds.findIndex((kind) => kind === act || kind === `application_${act}`))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places[0]).toBe(0)
  const offers = kinds.filter((kind) => kind.startsWith('offer_'))
  expect(offers.filter((kind) => kind === 'offer_received')).toHaveLength(3)
  expect(offers.filter((kind) => kind === 'offer_accepted')).toHaveLength(2)
  expect([...new Set(timeline.map(({ actor }) => actor.name))].sort()).toEqual([
    'Harbour Funding (demo)',
    'Saltmarsh Community Bank',
  ])
  const disclosures = await all(`deals/${deal.id}/disclosures/`)
  expect(disclosures.map(({ submission_number }) => submission_number)).toEqual([null, 1, 2])
  const times = timeline.map(({ at }) => at)
  expect(times).toEqual([...times].sort())
})

test('nothing has happened in the future, or before its business was known', async () => {
  const now = new Date(server.clock.now()).toISOString()
  const deals = await all('deals/?direction=sent')
  for (const deal of deals) {
    const business = await get(`businesses/${deal.business_id}/`)
    expect(business.created_at < deal.created_at, deal.title).toBe(true)
    expect(deal.updated_at <= now, deal.title).toBe(true)
  }
})

test('four recipients and the Portal itself ask 15 to 30 questions, most of which Autofill knows how to look for', async () => {
  const recipients = (await all('recipients/')).filter((one) => one.application_contract_url !== null)
  expect(recipients.map(({ name }) => name).sort()).toEqual([
    'Brackenfold Equipment Finance',
    'Coppervale Foundation',
    'Harbour Funding',
    'Lanternlight Microfund',
    'Saltmarsh Community Bank',
  ])
  for (const { name, application_contract_url } of recipients) {
    const { kind, questions } = await get(application_contract_url)
    const types = questions.map(({ type }: { type: string }) => type)
    expect([kind, types.includes('file'), types.includes('group')], name).toEqual(['deal_application', true, true])
    expect(questions.length >= 15 && questions.length <= 30, name).toBe(true)
    const known = questions.filter((one: { autofill?: unknown; maps_to?: string }) => one.autofill && one.maps_to)
    expect(known.length / questions.length, name).toBeGreaterThan(0.6)
    expect(
      questions.some((one: { visible_when?: unknown }) => one.visible_when),
      name,
    ).toBe(true)
  }
})

test('the draft that Autofill has filled says where each answer comes from', async () => {
  const drafts = await all('deal-applications/?direction=sent&state=draft')
  const draft = drafts.find(({ recipient }) => recipient.name === 'Lanternlight Microfund')
  const [run] = await all(draft.autofill_runs_url)
  expect(run).toMatchObject({ state: 'completed', problems: [] })
  const sources = (await all(draft.answers_url)).map(({ source_detail }) => source_detail?.kind)
  expect(new Set(sources)).toEqual(new Set(['business', 'project', undefined]))
})
