// How much of a recipient's application Autofill fills after a completed intake and a project, and how much of that is
// right. The figures stand in docs/benchmarks.md, and this test keeps them true.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { modelOf } from '../src/building-blocks/contracts/contract-model.ts'
import { evaluate } from '../src/building-blocks/contracts/evaluation.ts'
import demoContract from '../src/cli/demo-contract.json' with { type: 'json' }
import { createDemoRecipients } from '../src/cli/demo-recipients.ts'
import { canonicalJson } from '../src/platform/values/canonical-json.ts'
import { runDueJobs } from './due-jobs.ts'
import { declarationOf, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

const usd = (amount: string) => ({ amount, currency: 'USD' })
const address = { line1: '410 Foundry Road', city: 'Canton', region: 'US-OH', postal_code: '44702', country: 'US' }

/** What the record of the business says. */
const business = {
  legal_name: 'Ferndale Precision Inc.',
  country: 'US',
  region: 'US-OH',
  legal_form: 'corporation',
  registration_number: 'OH-2207781',
  industry: { system: 'naics_2022', code: '332710' },
  founded_on: '2008-06-15',
  employee_count: 48,
  website: 'https://ferndale-precision.example.com',
  email: 'office@ferndale-precision.example.com',
  phone: '+12025550177',
  annual_revenue: usd('9400000.00'),
  addresses: [{ kind: 'registered', ...address }],
  owners: [{ first_name: 'Paul', last_name: 'Novak', role: 'Owner', ownership_percent: 60 }],
}
/** What the client answers in the intake, beyond what the record says. */
const answers: Record<string, unknown> = {
  tax_id: '11-3456880',
  business_model: 'Turned and milled parts for makers of pumps and medical devices.',
  trades_elsewhere: false,
  identity_check: 'online',
  others_hold_shares: false,
  amount_requested: usd('70000.00'),
  purpose: 'equipment',
  purpose_detail: 'A five-axis milling centre for parts that are bought in today.',
  needed_by: '2027-03-01',
  term_months: 60,
  annual_profit: usd('610000.00'),
  year_end: '2025-12',
  bank_balance: usd('412000.00'),
  overdrawn: false,
  has_debts: false,
  tax_arrears: false,
  may_search_credit: true,
  is_true: true,
}
/** What the broker adds to the project. */
const criteria: Record<string, unknown> = {
  monthly_revenue: usd('783000.00'),
  existing_debt: usd('0.00'),
  liens_or_judgments: false,
  personal_guarantee: true,
  collateral: ['equipment', 'receivables'],
  ownership_attributes: ['family_owned', 'veteran_owned'],
  match_funding_percent: 20,
}
/** The right answer to a question, by the fact that it asks for. */
const right: Record<string, unknown> = {
  ...Object.fromEntries(Object.entries(business).map(([name, value]) => [`business.${name}`, value])),
  'business.registered_address': address,
  'business.tax_id': answers.tax_id,
  'business.description': answers.business_model,
  'business.monthly_revenue': criteria.monthly_revenue,
  'business.existing_debt': criteria.existing_debt,
  'business.liens_or_judgments': false,
  'project.amount_requested': answers.amount_requested,
  'project.use_of_funds': ['equipment'],
  'project.description': answers.purpose_detail,
  'project.term_months': 60,
  'project.personal_guarantee': true,
  'project.collateral': criteria.collateral,
  'project.ownership_attributes': criteria.ownership_attributes,
  'project.match_funding_percent': 20,
  'owner.first_name': 'Paul',
  'owner.last_name': 'Novak',
  'owner.ownership_percent': 60,
  'owner.birth_date': '1974-05-02',
}

let server: TestServer
let portal: TestPortal
let business_id: string
let project_id: string
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  await server.context.database.transaction(async (tx) => {
    await publishContract(tx, portal.caller, demoContract)
    await createDemoRecipients(tx, portal.caller, new Date(server.clock.now()).toISOString().slice(0, 10))
  })
  business_id = (await send('POST', 'businesses/', portal.business(business))).id
  const application = await completeIntake()
  project_id = (await send('POST', 'projects/', { business_id, intake_application_id: application.id, title: 'Mill' }))
    .id
  await send('PATCH', `projects/${project_id}/criteria/`, { values: criteria }, `projects/${project_id}/`)
})
afterAll(() => server.stop())

/** A request that succeeds; the ETag is that of the record at `versioned`. */
async function send(method: string, path: string, body?: unknown, versioned?: string) {
  const etag = versioned === undefined ? undefined : (await portal.call('GET', versioned)).body.etag
  const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': etag }
  const answer = await portal.call(method, path, { headers, ...(body !== undefined && { body }) })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

async function completeIntake() {
  const intake = await send('POST', 'client-intake-applications/', { business_id })
  await send('POST', `${intake.url}autofill/`, {})
  await runDueJobs(server.context, portal.id)
  const given = Object.entries(answers).map(([question_key, value]) => ({ question_key, value }))
  await send('PATCH', intake.answers_url, { answers: given }, intake.url)
  const [{ id: item }] = (await portal.call('GET', `${intake.answers_url}owners/items/`)).body.items
  const owner = { role: 'both', birth_date: '1974-05-02', home_address: address, was_bankrupt: false }
  await send('PATCH', `${intake.answers_url}owners/items/${item}/`, { values: owner }, intake.url)
  const bytes = Buffer.from('date,amount\n2026-03-01,12.50\n')
  const file = { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') }
  const declared = await send('POST', intake.files_url, file, intake.url)
  expect((await upload(declared.upload, bytes)).status).toBe(200)
  return send('POST', `${intake.url}submit/`, undefined, intake.url)
}

interface Question {
  key: string
  type: string
  label: string
  maps_to?: string
  questions?: Question[]
}

/** What Autofill makes of the application of one recipient. */
async function measure(recipient: { id: string; name: string }) {
  const deal = await send('POST', 'deals/', { business_id, project_id, recipient_id: recipient.id })
  const application = await send('POST', 'deal-applications/', { deal_id: deal.id })
  await send('POST', `${application.url}autofill/`, {})
  await runDueJobs(server.context, portal.id)
  const contract = (await portal.call('GET', application.contract_url)).body
  const questions: Question[] = contract.questions
  const found = (await portal.call('GET', `${application.answers_url}?page_size=500`)).body.items
  const items = (await portal.call('GET', `${application.answers_url}owners/items/`)).body.items
  const values = new Map<string, unknown>(found.map((one: { value: unknown }) => [keyOf(one), one.value]))
  const { isVisible } = evaluate(modelOf(contract), { values, items: new Map() }, '2026-01-31')
  // Nobody but the client can upload a document or make a declaration.
  const asked = questions.filter(
    ({ key, type }) => isVisible(key) && !['file', 'declaration', 'display'].includes(type),
  )
  const filled = asked.filter(({ key, type }) => (type === 'group' ? items.length > 0 : values.get(key) !== undefined))
  const isRight = ({ key, type, maps_to = '', questions: inner = [] }: Question) =>
    type === 'group'
      ? items.every(({ values: of }: { values: Record<string, unknown> }) =>
          inner.every((one) => one.key in of && canonicalJson(of[one.key]) === canonicalJson(right[one.maps_to ?? ''])),
        )
      : canonicalJson(values.get(key)) === canonicalJson(right[maps_to])
  return {
    asked: asked.length,
    filled: filled.length,
    wrong: filled.filter((question) => !isRight(question)).map(({ key }) => key),
    empty: asked.filter((question) => !filled.includes(question)).map(({ key }) => key),
  }
}
const keyOf = (answer: object) => (answer as { question_key: string }).question_key // safe because every answer has one

test('Autofill fills most of every application, and everything it fills is right', async () => {
  const recipients = (await portal.call('GET', 'recipients/?page_size=100')).body.items
  const asking = recipients.filter(
    (one: { application_contract_url: unknown }) => one.application_contract_url !== null,
  )
  expect(asking).toHaveLength(4)
  const rows: string[] = []
  const problems: unknown[] = []
  for (const recipient of asking) {
    const { asked, filled, wrong, empty } = await measure(recipient)
    rows.push(
      `| ${recipient.name} | ${asked} | ${filled} (${Math.round((100 * filled) / asked)} %) | ${filled - wrong.length} (${Math.round((100 * (filled - wrong.length)) / filled)} %) | ${empty.map((key) => `\`${key}\``).join(', ') || 'none'} |`,
    )
    if (filled / asked < 0.7 || wrong.length > 0)
      problems.push({ recipient: recipient.name, filled, asked, wrong, empty })
  }
  expect(problems).toEqual([])
  const told = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')
  expect(told.split('\n').filter((line) => rows.includes(line))).toEqual(rows)
})
