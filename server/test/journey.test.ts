// The whole chain by public operations alone, from a business to its money: two Portals, each with its own key. What an
// administrator does from the command line (questions, the profile of a recipient) is done before.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import type { Answer } from './client.ts'
import { act, done, type Lender, newLender, offerOf } from './deal-fixtures.ts'
import { runDueJobs } from './due-jobs.ts'
import { declarationOf, upload } from './fixtures.ts'
import { rule, usd } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let broker: TestPortal
let lender: Lender

const asked = (key: string, type: string, fact: string) => ({
  ...{ key, section: 'main', type, label: key, required: true, maps_to: fact },
  autofill: { sources: ['business', 'previous_applications', 'project'] },
})
const questions = [
  asked('company', 'text', 'business.legal_name'),
  asked('revenue', 'money', 'business.annual_revenue'),
  asked('amount', 'money', 'project.amount_requested'),
]
const sections = [{ key: 'main', title: 'Main' }]

beforeAll(async () => {
  server = await startTestServer()
  broker = await newPortal(server)
  const intake = { kind: 'client_intake', title: 'Intake', locale: 'en-US', sections, questions }
  await server.context.database.transaction((tx) => publishContract(tx, broker.caller, intake))
  const years = { key: 'years', section: 'main', type: 'integer', label: 'Years', required: true }
  const statements = { key: 'statements', section: 'main', type: 'file', label: 'Statements', required: true }
  lender = await newLender(server, {}, { sections, questions: [...questions, years, statements] })
})
afterAll(() => server.stop())

function created(answer: Answer) {
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}
/** Starts work that is done beside the request, and reads what came of it. */
async function worked(started: Answer) {
  expect(started.status, started.text).toBe(202)
  await runDueJobs(server.context, broker.id)
  const { body } = await broker.call('GET', started.headers.get('location') ?? '')
  expect(body.state).toBe('completed')
  return body
}

test('business, intake, project, match, deal, application, offer, money: each step by an operation that anybody can call', async () => {
  created(
    await lender.call('POST', 'funding-programs/', {
      body: {
        name: 'Oven loan',
        funding_type: 'term_loan',
        status: 'open',
        amount: { min: usd('10000.00'), max: usd('250000.00') },
        eligibility: [rule('annual_revenue', 'gte', usd('100000.00'))],
      },
    }),
  )

  const logged = server.logLines.length
  const revenue = usd('1250000.00')
  const body = broker.business({ legal_name: 'Lee Bakery LLC', annual_revenue: revenue })
  const business = created(await broker.call('POST', 'businesses/', { body }))
  const intake = created(
    await broker.call('POST', 'client-intake-applications/', { body: { business_id: business.id } }),
  )
  const answers = [
    { question_key: 'company', value: 'Lee Bakery LLC' },
    { question_key: 'revenue', value: revenue },
    { question_key: 'amount', value: usd('80000.00') },
  ]
  done(await act(broker, intake, 'answers/', { answers }, 'PATCH'))
  expect(done(await act(broker, intake, 'submit/')).state).toBe('submitted')

  const { id: intake_application_id } = intake
  const project = created(
    await broker.call('POST', 'projects/', { body: { business_id: business.id, intake_application_id } }),
  )
  done(await act(broker, { url: project.criteria.url }, '', { values: { use_of_funds: ['equipment'] } }, 'PATCH'))
  await worked(await broker.call('POST', project.calculations_url))
  const [match] = done(await broker.call('GET', project.matches_url)).items
  expect([match.outcome, match.recipient.id, match.rank]).toEqual(['eligible', lender.recipient_id, 1])

  const deal = created(
    await broker.call('POST', 'deals/', {
      body: {
        business_id: business.id,
        recipient_id: match.recipient.id,
        project_id: project.id,
        match_id: match.id,
        title: 'A second oven',
      },
    }),
  )
  expect([deal.amount_requested, deal.program_id]).toEqual([usd('80000.00'), match.program.id])

  const application = created(await broker.call('POST', 'deal-applications/', { body: { deal_id: deal.id } }))
  const run = await worked(await broker.call('POST', `${application.url}autofill/`, { body: {} }))
  expect(run.filled.map(({ question_key }: { question_key: string }) => question_key).sort()).toEqual([
    'amount',
    'company',
    'revenue',
  ])
  const incomplete = await act(broker, application, 'submit/')
  expect([incomplete.status, incomplete.body.code]).toEqual([422, 'application_incomplete'])
  const confirmed = ['company', 'revenue', 'amount'].map((question_key) => ({ question_key, confirmed: true }))
  done(
    await act(
      broker,
      application,
      'answers/',
      { answers: [{ question_key: 'years', value: 4 }, ...confirmed] },
      'PATCH',
    ),
  )
  const bytes = Buffer.from('date,balance\n2026-10-01,41250.10\n')
  const declared = { question_key: 'statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') }
  const file = created(await act(broker, application, 'files/', declared))
  expect((await upload(file.upload, bytes)).status).toBe(200)
  expect(done(await act(broker, application, 'submit/')).state).toBe('submitted')

  const [received] = done(await lender.call('GET', 'deal-applications/?direction=received')).items
  expect(received.id).toBe(application.id)
  const { items: read } = done(await lender.call('GET', received.answers_url))
  expect(read.find(({ question_key }: { question_key: string }) => question_key === 'company').value).toBe(
    'Lee Bakery LLC',
  )
  const download = done(await lender.call('POST', `${received.files_url}${file.id}/download/`))
  const arrived = await fetch(download.url, { headers: download.headers })
  expect(Buffer.from(await arrived.arrayBuffer()).equals(bytes)).toBe(true)

  done(await act(lender, received, 'acknowledge/', { reference: 'HL-1' }))
  done(await act(lender, received, 'request-information/', { message: 'Since when?', question_keys: ['years'] }))
  done(await act(broker, application, 'answers/', { answers: [{ question_key: 'years', value: 5 }] }, 'PATCH'))
  done(await act(broker, application, 'respond/'))
  const indicative = created(await act(lender, received, 'offers/', offerOf({ kind: 'indicative' })))
  done(await act(broker, application, `offers/${indicative.id}/accept/`))
  const final = created(await act(lender, received, 'offers/', offerOf({ amount: usd('76000.00') })))
  done(await act(broker, application, `offers/${final.id}/accept/`))
  done(await act(lender, received, 'fund/', { amount: usd('76000.00'), funded_on: '2026-01-31' }))

  for (const portal of [broker, lender]) {
    const won = done(await portal.call('GET', deal.url))
    expect(won).toMatchObject({
      state: 'won',
      stage: { category: 'funded' },
      progress: { percent: 100 },
      amount_approved: usd('76000.00'),
      amount_funded: usd('76000.00'),
    })
  }
  const { items: timeline } = done(await broker.call('GET', deal.progress_url))
  expect(timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
    'created',
    'application_created',
    'application_submitted',
    'stage_changed',
    'application_acknowledged',
    'application_information_requested',
    'application_responded',
    'offer_received',
    'stage_changed',
    'offer_accepted',
    'stage_changed',
    'offer_received',
    'stage_changed',
    'offer_accepted',
    'stage_changed',
    'application_funded',
    'won',
  ])

  const typesOf = async (portal: TestPortal) => {
    const { items } = done(await portal.call('GET', 'events/?order=sequence&page_size=250'))
    const sequences = items.map(({ sequence }: { sequence: number }) => sequence)
    expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1))
    return items.map(({ type }: { type: string }) => type)
  }
  const shared = [
    'deal.created',
    'deal_application.submitted',
    'deal_application.acknowledged',
    'deal_application.information_requested',
    'deal_application.responded',
    'offer.received',
    'offer.accepted',
    'offer.received',
    'offer.accepted',
    'deal_application.accepted',
    'deal_application.funded',
    'deal.won',
  ]
  expectCounted(server.logLines.slice(logged), [...(await typesOf(broker)), ...(await typesOf(lender))].length)
  const withoutStages = (types: string[]) => types.filter((type) => type !== 'deal.stage_changed')
  expect(withoutStages(await typesOf(lender))).toEqual(shared)
  const told = withoutStages(await typesOf(broker))
  expect(told.filter((type) => /^(deal|offer)/.test(type) && !/application\.(created|autofill)/.test(type))).toEqual(
    shared,
  )
  expect(told.filter((type) => !/^(deal|offer)/.test(type))).toEqual([
    'business.created',
    'client_intake_application.created',
    'client_intake_application.submitted',
    'project.created',
    'project.criteria_completed',
    'match_calculation.completed',
    'file.available',
  ])
})

/** What the page on capacity calculates with is what this chain took. */
function expectCounted(lines: readonly string[], events: number): void {
  const requests = lines.map((line) => JSON.parse(line)).filter(({ method }) => method !== undefined)
  const chain = requests.slice(0, requests.findIndex(({ path }) => path.endsWith('/fund/')) + 1)
  const transfers = chain.filter(({ path }) => path.startsWith('/transfers/')).length
  const reads = chain.filter(({ method, path }) => method === 'GET' && !path.startsWith('/transfers/')).length
  const writes = chain.length - reads - transfers
  const capacity = readFileSync(new URL('../../docs/capacity.md', import.meta.url), 'utf8')
  expect(capacity).toContain(
    `${chain.length} requests (${reads} reads, ${writes} writes, ${transfers} transfers of a file) and ${events} events`,
  )
}
