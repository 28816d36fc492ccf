// Projects and their criteria, through the door.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { isoTime } from '../src/platform/clock.ts'
import { setCriteria, usd } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  const asked = (key: string, type: string, maps_to: string, more = {}) => ({
    ...{ key, section: 'main', type, label: key, maps_to },
    ...more,
  })
  const options = ['equipment', 'hobbies'].map((value) => ({ value, label: value }))
  await server.context.database.transaction((tx) =>
    publishContract(tx, portal.caller, {
      ...{ key: 'client_intake', kind: 'client_intake', title: 'Intake', locale: 'en-US' },
      sections: [{ key: 'main', title: 'Main' }],
      questions: [
        asked('amount', 'money', 'project.amount_requested'),
        asked('purpose', 'long_text', 'project.description'),
        asked('use', 'single_choice', 'project.use_of_funds', { options }),
        asked('revenue', 'money', 'business.annual_revenue'),
        asked('score', 'integer', 'business.credit_score', { sensitivity: 'restricted' }),
      ],
    }),
  )
})
afterAll(() => server.stop())

async function newBusiness(more: Record<string, unknown> = {}) {
  return (await portal.call('POST', 'businesses/', { body: portal.business(more) })).body
}
async function submitted(business_id: string, answers: Record<string, unknown>) {
  const { body: intake } = await portal.call('POST', 'client-intake-applications/', { body: { business_id } })
  const list = Object.entries(answers).map(([question_key, value]) => ({ question_key, value }))
  const written = await portal.call('PATCH', intake.answers_url, {
    body: { answers: list },
    headers: { 'if-match': intake.etag },
  })
  expect(written.status, written.text).toBe(200)
  const { body: current } = await portal.call('GET', intake.url)
  const done = await portal.call('POST', `${intake.url}submit/`, { headers: { 'if-match': current.etag } })
  expect(done.status, done.text).toBe(200)
  return done.body
}
const create = (body: Record<string, unknown>) => portal.call('POST', 'projects/', { body })
const criteriaOf = async (project: { criteria: { url: string } }) =>
  (await portal.call('GET', project.criteria.url)).body
const suggestionsOf = async (project: { criteria: { url: string } }) =>
  (await portal.call('GET', `${project.criteria.url}suggestions/`)).body.items
const eventsOf = async (id: string) =>
  (await portal.call('GET', `events/?resource_id=${id}`)).body.items.map((event: { type: string }) => event.type)

describe('a project', () => {
  test('201: criteria come from the business and the submitted intake, each with its source', async () => {
    const business = await newBusiness({
      ...{ region: 'US-CA', founded_on: '2019-04-01', annual_revenue: usd('1250000.00'), legal_form: 'llc' },
      industry: { system: 'naics_2022', code: '311811' },
      addresses: [
        { kind: 'registered', line1: '1 Harbour Street', city: 'San Francisco', country: 'US', postal_code: '94105' },
      ],
    })
    const intake = await submitted(business.id, {
      ...{
        amount: usd('80000.00'),
        purpose: 'A second oven',
        use: 'equipment',
        revenue: usd('1300000.00'),
        score: 700,
      },
    })
    const { status, body } = await create({ business_id: business.id, intake_application_id: intake.id })
    expect([status, body.title, body.description]).toEqual([201, 'Intake', 'A second oven'])
    expect(body.criteria).toMatchObject({ state: 'complete', missing: [] })
    const { values } = await criteriaOf(body)
    const found = Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: values of every form
      Object.entries<any>(values).map(([key, { value, source, source_detail }]) => [
        key,
        [value, source, source_detail.reference],
      ]),
    )
    const [ofBusiness, ofIntake] = [
      ['business', business.id],
      ['client_intake_application', intake.id],
    ]
    expect(found).toEqual({
      amount_requested: [usd('80000.00'), ...ofIntake],
      use_of_funds: [['equipment'], ...ofIntake],
      annual_revenue: [usd('1300000.00'), ...ofIntake],
      country: ['US', ...ofBusiness],
      region: ['US-CA', ...ofBusiness],
      postal_code: ['94105', ...ofBusiness],
      founded_on: ['2019-04-01', ...ofBusiness],
      legal_form: ['llc', ...ofBusiness],
      industry: [{ system: 'naics_2022', code: '311811' }, ...ofBusiness],
      // The restricted answer stays where it is sealed.
    })
    expect((await portal.call('GET', intake.url)).body.project_ids).toEqual([body.id])
    expect((await eventsOf(body.id)).sort()).toEqual(['project.created', 'project.criteria_completed'])
  })

  test('an answer that does not fit its criterion is left out', async () => {
    const business = await newBusiness()
    const intake = await submitted(business.id, { use: 'hobbies', amount: usd('0.00') })
    const { body } = await create({ business_id: business.id, intake_application_id: intake.id })
    expect(body.criteria).toMatchObject({ state: 'incomplete', missing: ['amount_requested', 'use_of_funds'] })
    expect(await eventsOf(body.id)).toEqual(['project.created'])
  })

  test('422 for a business or an application of somebody else, or an application of another business', async () => {
    const [business, other] = [await newBusiness(), await newBusiness()]
    const intake = await submitted(other.id, { amount: usd('1.00') })
    const stranger = await newPortal(server)
    const unknown = await stranger.call('POST', 'projects/', { body: { business_id: business.id } })
    expect([unknown.status, unknown.body.details[0].pointer]).toEqual([422, '/business_id'])
    const mixed = await create({ business_id: business.id, intake_application_id: intake.id })
    expect([mixed.status, mixed.body.details[0].pointer]).toEqual([422, '/intake_application_id'])
  })

  test('409 for an archived business, and for an application that is not submitted', async () => {
    const business = await newBusiness()
    const { body: intake } = await portal.call('POST', 'client-intake-applications/', {
      body: { business_id: business.id },
    })
    const early = await create({ business_id: business.id, intake_application_id: intake.id })
    expect([early.status, early.body.code]).toEqual([409, 'state_conflict'])
    await portal.call('POST', `${business.url}archive/`, { headers: { 'if-match': business.etag } })
    const late = await create({ business_id: business.id })
    expect([late.status, late.body.message]).toEqual([409, 'Cannot begin a project: the business is archived.'])
  })

  test('projects made at once from one application are all made, and all named by it', async () => {
    const business = await newBusiness()
    const intake = await submitted(business.id, { amount: usd('5.00') })
    const made = await Promise.all(
      Array.from({ length: 5 }, () => create({ business_id: business.id, intake_application_id: intake.id })),
    )
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    const { project_ids } = (await portal.call('GET', intake.url)).body
    expect(project_ids.toSorted()).toEqual(made.map(({ body }) => body.id).toSorted())
  })

  test('409 for a reference that another project has, when it is created and when it is changed', async () => {
    const business = await newBusiness()
    const first = await create({ business_id: business.id, external_reference: 'p-1' })
    expect(first.status).toBe(201)
    const again = await create({ business_id: business.id, external_reference: 'p-1' })
    expect([again.status, again.body.details[0].meta.existing_url]).toEqual([409, first.body.url])
    const { body: other } = await create({ business_id: business.id })
    const changed = await portal.call('PATCH', other.url, {
      body: { external_reference: 'p-1' },
      headers: { 'if-match': other.etag },
    })
    expect(changed.status).toBe(409)
    const { items } = (await portal.call('GET', 'projects/?external_reference=p-1')).body
    expect(items.map((one: { id: string }) => one.id)).toEqual([first.body.id])
  })

  test('a change without effect makes no new version', async () => {
    const { body } = await create({ business_id: (await newBusiness()).id, title: 'Oven' })
    const same = await portal.call('PATCH', body.url, { body: { title: 'Oven' }, headers: { 'if-match': body.etag } })
    expect([same.status, same.body.etag]).toEqual([200, body.etag])
    const other = await portal.call('PATCH', body.url, { body: { title: 'Van' }, headers: { 'if-match': body.etag } })
    expect([other.body.title, other.body.etag === body.etag]).toEqual(['Van', false])
  })
})

describe('criteria', () => {
  async function newProject(business: Record<string, unknown> = {}) {
    return (await create({ business_id: (await newBusiness(business)).id })).body
  }

  test('what is sent is set, null clears it, and completeness is told once', async () => {
    const project = await newProject()
    expect((await criteriaOf(project)).missing).toEqual(['amount_requested', 'use_of_funds'])
    const complete = await setCriteria(portal, project, {
      amount_requested: usd('5000.00'),
      use_of_funds: ['vehicles'],
    })
    expect([complete.state, complete.values.amount_requested]).toMatchObject([
      'complete',
      { value: usd('5000.00'), source: 'api', source_detail: null },
    ])
    expect((await portal.call('GET', project.url)).body.criteria.state).toBe('complete')
    await setCriteria(portal, project, { credit_score: 700 })
    const cleared = await setCriteria(portal, project, { use_of_funds: null, credit_score: null })
    expect([cleared.state, cleared.missing, 'credit_score' in cleared.values]).toEqual([
      'incomplete',
      ['use_of_funds'],
      false,
    ])
    expect((await eventsOf(project.id)).filter((type: string) => type === 'project.criteria_completed')).toHaveLength(1)
  })

  test('422 with every problem, and nothing is changed', async () => {
    const project = await newProject({ country: 'US' })
    const before = await criteriaOf(project)
    const answer = await portal.call('PATCH', project.criteria.url, {
      headers: { 'if-match': before.etag },
      body: {
        values: {
          credit_score: 700,
          amount_requested: usd('0.00'),
          annual_revenue: { amount: '1.005', currency: 'USD' },
          region: 'DE-BE',
          industry: { system: 'naics_2022', code: 'A' },
        },
      },
    })
    expect([answer.status, answer.body.details.map((one: { pointer: string }) => one.pointer)]).toEqual([
      422,
      ['/values/amount_requested/amount', '/values/annual_revenue/amount', '/values/industry/code', '/values/region'],
    ])
    const wrong = await portal.call('PATCH', project.criteria.url, {
      headers: { 'if-match': before.etag },
      body: { values: { shoe_size: 42, use_of_funds: ['hobbies'], collateral: 'cash', employee_count: 1.5 } },
    })
    expect(wrong.body.details.map((one: { pointer: string; code: string }) => [one.pointer, one.code])).toEqual([
      ['/values/shoe_size', 'unknown_field'],
      ['/values/use_of_funds/0', 'invalid_enum'],
      ['/values/employee_count', 'invalid_type'],
      ['/values/collateral', 'invalid_type'],
    ])
    expect((await criteriaOf(project)).etag).toBe(before.etag)
  })

  test('422 for days of criteria that are not over, and for the discharge of no bankruptcy', async () => {
    const project = await newProject({ country: 'US' })
    const { etag } = await criteriaOf(project)
    const send = async (values: Record<string, unknown>) => {
      const answer = await portal.call('PATCH', project.criteria.url, {
        headers: { 'if-match': etag },
        body: { values },
      })
      return [answer.status, ...(answer.body.details ?? []).map((one: { pointer: string }) => one.pointer)]
    }
    const [tomorrow, today] = [1, 0].map((days) => isoTime(server.clock.now() + days * 86_400_000).slice(0, 10))
    expect(await send({ founded_on: tomorrow, bankruptcy: { has: true, discharged_on: tomorrow } })).toEqual([
      422,
      '/values/founded_on',
      '/values/bankruptcy/discharged_on',
    ])
    expect(await send({ bankruptcy: { has: false, discharged_on: '2020-01-01' } })).toEqual([
      422,
      '/values/bankruptcy/discharged_on',
    ])
    expect(await send({ founded_on: today, bankruptcy: { has: true, discharged_on: today } })).toEqual([200])
  })

  test('a later change of the business is a suggestion, and what was set is never overwritten', async () => {
    const business = await newBusiness({ annual_revenue: usd('100000.00') })
    const { body: project } = await create({ business_id: business.id })
    expect(await suggestionsOf(project)).toEqual([])
    server.clock.advance(1000)
    const changed = await portal.call('PATCH', business.url, {
      body: { annual_revenue: usd('250000.00'), employee_count: 7 },
      headers: { 'if-match': business.etag },
    })
    expect(changed.status).toBe(200)
    const after = await criteriaOf(project)
    expect(after.values.annual_revenue.value).toEqual(usd('100000.00'))
    expect((await suggestionsOf(project)).map((one: { key: string; value: unknown }) => [one.key, one.value])).toEqual([
      ['annual_revenue', usd('250000.00')],
      ['employee_count', 7],
    ])
    server.clock.advance(1000)
    // A change of something else brings nothing back.
    const touched = await portal.call('PATCH', business.url, {
      body: { metadata: { a: 'b' } },
      headers: { 'if-match': changed.body.etag },
    })
    const set = await setCriteria(portal, project, { annual_revenue: usd('300000.00'), employee_count: 7 })
    expect([set.values.annual_revenue.value, await suggestionsOf(project)]).toEqual([usd('300000.00'), []])
    server.clock.advance(1000)
    expect(await suggestionsOf(project)).toEqual([])
    await portal.call('PATCH', business.url, {
      body: { annual_revenue: usd('280000.00') },
      headers: { 'if-match': touched.body.etag },
    })
    const newer = await criteriaOf(project)
    expect([newer.values.annual_revenue.value, (await suggestionsOf(project))[0].value]).toEqual([
      usd('300000.00'),
      usd('280000.00'),
    ])
  })

  test('412 when the project or its criteria changed since they were read: both have one ETag', async () => {
    const project = await newProject()
    const { etag } = await criteriaOf(project)
    expect(etag).toBe(project.etag)
    await setCriteria(portal, project, { credit_score: 640 })
    expect((await portal.call('GET', project.url)).body.etag).toBe((await criteriaOf(project)).etag)
    const stale = await portal.call('PATCH', project.criteria.url, {
      body: { values: { credit_score: 1 } },
      headers: { 'if-match': etag },
    })
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
  })

  test('the vocabulary describes every criterion, and each of its choices can be sent', async () => {
    const { items } = (await portal.call('GET', 'criteria-definitions/')).body
    expect(items.filter((one: { required: boolean }) => one.required).map((one: { key: string }) => one.key)).toEqual([
      'amount_requested',
      'country',
      'use_of_funds',
    ])
    const project = await newProject()
    for (const { key, type, allowed_values, label, help } of items) {
      expect([key, label.length > 0 && help.length > 10]).toEqual([key, true])
      const values = allowed_values.map(({ value }: { value: string }) => value)
      if (type === 'choices') await setCriteria(portal, project, { [key]: values })
      if (type === 'choice') for (const value of values) await setCriteria(portal, project, { [key]: value })
    }
  })
})
