// Autofill through the door, with the demo Portal's own questionnaire and real documents.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setProvider } from '../src/building-blocks/autofill/provider-setting.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import demoContract from '../src/cli/demo-contract.json' with { type: 'json' }
import { financialsXlsx, ownersDocx } from './documents/business-office-files.ts'
import { accountsPdf, bankStatementPdf, taxReturnPdf } from './documents/business-pdfs.ts'
import { encryptedPdf, zipBombDocx } from './documents/hostile-documents.ts'
import { sampleBusiness } from './documents/sample-business.ts'
import { runDueJobs } from './due-jobs.ts'
import { declarationOf, upload } from './fixtures.ts'
import { describeOnce, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  portal = await newPortal(server)
  await server.context.database.transaction((tx) => publishContract(tx, portal.caller, demoContract))
})
afterAll(() => server.stop())

const pdf = 'application/pdf'
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

async function begin(business: Record<string, unknown> = {}, to = portal) {
  const { body } = await to.call('POST', 'businesses/', { body: to.business(business) })
  return beginFor(body.id, to)
}
async function beginFor(business_id: string, to = portal) {
  return (await to.call('POST', 'client-intake-applications/', { body: { business_id } })).body
}
const etagOf = async (application: { url: string }) => (await portal.call('GET', application.url)).body.etag
const answer = async (application: { answers_url: string }, key: string) =>
  (await portal.call('GET', `${application.answers_url}${key}/`)).body
const itemsOf = async (application: { answers_url: string }, group: string) =>
  (await portal.call('GET', `${application.answers_url}${group}/items/`)).body.items
async function write(application: { url: string; answers_url: string }, answers: Record<string, unknown>[]) {
  const headers = { 'if-match': await etagOf(application) }
  const done = await portal.call('PATCH', application.answers_url, { body: { answers }, headers })
  expect(done.status, done.text).toBe(200)
}
async function autofill(application: { url: string }, body: Record<string, unknown> = {}, by = portal) {
  const started = await by.call('POST', `${application.url}autofill/`, { body })
  expect([started.status, started.headers.get('location')], started.text).toEqual([202, started.body.url])
  expect(started.body.state).toBe('queued')
  await runDueJobs(server.context, by.id)
  return (await by.call('GET', started.body.url)).body
}
async function attach(application: { url: string; files_url: string }, bytes: Buffer, type: string, key = 'accounts') {
  const declared = await portal.call('POST', application.files_url, {
    body: { question_key: key, ...declarationOf(bytes, 'document', type) },
    headers: { 'if-match': await etagOf(application) },
  })
  expect(declared.status, declared.text).toBe(201)
  const sent = await upload(declared.body.upload, bytes)
  expect(sent.status, await sent.text()).toBe(200)
  return declared.body
}
const keysOf = (list: { question_key: string }[]) => list.map(({ question_key }) => question_key)
const placed = (list: { question_key: string }[], key: string) => list.find(({ question_key }) => question_key === key)

const known = {
  legal_name: 'Lee Bakery LLC',
  country: 'US',
  region: 'US-CA',
  employee_count: 12,
  annual_revenue: { amount: '1250000.50', currency: 'USD' },
  addresses: [{ kind: 'registered', line1: '1 Harbour Street', city: 'San Francisco', country: 'US' }],
  owners: [
    { first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 },
    { first_name: 'Bob', last_name: 'Ray', ownership_percent: 40 },
  ],
}

describe('from the business record', () => {
  test('what is known is filled in, with where it comes from and how sure we are, unconfirmed', async () => {
    const application = await begin(known)
    const run = await autofill(application, { sources: ['business'] })
    expect([run.state, run.error, run.problems]).toEqual(['completed', null, []])
    expect(keysOf(run.filled)).toEqual(
      expect.arrayContaining(['legal_name', 'country', 'region', 'employee_count', 'annual_revenue', 'owners']),
    )
    expect(await answer(application, 'legal_name')).toMatchObject({
      value: 'Lee Bakery LLC',
      source: 'autofill',
      source_detail: { kind: 'business', reference: application.business_id, confidence: 0.95 },
      confirmed: false,
    })
    expect((await answer(application, 'registered_address')).value).toEqual({
      line1: '1 Harbour Street',
      city: 'San Francisco',
      country: 'US',
    })
    expect(await itemsOf(application, 'owners')).toMatchObject([
      { position: 1, values: { first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 } },
      { position: 2, values: { first_name: 'Bob', last_name: 'Ray', ownership_percent: 40 } },
    ])
    const { body } = await portal.call('GET', `events/?resource_id=${application.id}`)
    expect(body.items.map(({ type }: { type: string }) => type)).toContain(
      'client_intake_application.autofill_completed',
    )
  })

  test('the ETag moves when something was filled, and only then', async () => {
    const application = await begin(known)
    const before = await etagOf(application)
    await autofill(application, { sources: ['business'], mode: 'suggest_only' })
    expect(await etagOf(application)).toBe(before)
    await autofill(application, { sources: ['business'] })
    expect(await etagOf(application)).not.toBe(before)
  })

  test('a confirmed answer is never overwritten, in no mode; a declined one neither', async () => {
    const application = await begin(known)
    await write(application, [
      { question_key: 'legal_name', value: 'Another Name Ltd' },
      { question_key: 'employee_count', state: 'declined' },
    ])
    for (const mode of ['fill_empty', 'overwrite_unconfirmed', 'suggest_only']) {
      const run = await autofill(application, { mode, sources: ['business'] })
      expect(placed(run.skipped, 'legal_name')).toMatchObject({ reason: 'confirmed' })
      expect(placed(run.skipped, 'employee_count')).toMatchObject({ reason: 'declined' })
    }
    expect((await answer(application, 'legal_name')).value).toBe('Another Name Ltd')
  })

  test('fill_empty suggests where something else stands unconfirmed; overwrite_unconfirmed replaces it', async () => {
    const application = await begin(known)
    await write(application, [{ question_key: 'employee_count', value: 99, confirmed: false }])
    const cautious = await autofill(application, { sources: ['business'] })
    expect(placed(cautious.suggested, 'employee_count')).toMatchObject({ value: 12 })
    expect((await answer(application, 'employee_count')).value).toBe(99)
    const bold = await autofill(application, { sources: ['business'], mode: 'overwrite_unconfirmed' })
    expect(placed(bold.filled, 'employee_count')).toMatchObject({ value: 12 })
    expect((await answer(application, 'employee_count')).value).toBe(12)
  })

  test('suggestions are accepted by question, and are confirmed answers from then on', async () => {
    const application = await begin(known)
    const run = await autofill(application, { sources: ['business'], mode: 'suggest_only' })
    expect([run.filled, run.available_actions]).toEqual([[], ['apply']])
    const wrong = await portal.call('POST', `${run.url}apply/`, {
      body: { question_keys: ['legal_name', 'rent'] },
      headers: { 'if-match': await etagOf(application) },
    })
    expect([wrong.status, wrong.body.details[0].pointer]).toEqual([422, '/question_keys/1'])
    const applied = await portal.call('POST', `${run.url}apply/`, {
      body: { question_keys: ['legal_name', 'owners'] },
      headers: { 'if-match': await etagOf(application) },
    })
    expect(applied.status, applied.text).toBe(200)
    expect(applied.body.answers).toMatchObject([
      { question_key: 'legal_name', value: 'Lee Bakery LLC', confirmed: true, source: 'autofill' },
      { question_key: 'owners', item_count: 2 },
    ])
    expect((await portal.call('GET', `${application.answers_url}country/`)).status).toBe(404)
    expect(applied.body.etag).toBe(await etagOf(application))
  })

  test('apply is listed while a run has suggestions, and only then', async () => {
    const application = await begin(known)
    const run = await autofill(application, { sources: ['previous_applications'] })
    expect([run.state, run.suggested, run.available_actions]).toEqual(['completed', [], []])
    const applied = await portal.call('POST', `${run.url}apply/`, {
      body: { question_keys: ['legal_name'] },
      headers: { 'if-match': await etagOf(application) },
    })
    expect([applied.status, applied.body.details[0].pointer]).toEqual([422, '/question_keys/0'])
  })

  test('409 when an answer, or a value of an item, is newer than the run: nothing of the apply is written', async () => {
    const application = await begin(known)
    const items = `${application.answers_url}owners/items/`
    const person = await portal.call('POST', items, {
      body: { values: { first_name: 'Ann', last_name: 'Lee' } },
      headers: { 'if-match': await etagOf(application) },
    })
    expect(person.status, person.text).toBe(201)
    const run = await autofill(application, { sources: ['business'], mode: 'suggest_only' })
    const apply = async (from: { url: string }, question_keys: string[]) =>
      portal.call('POST', `${from.url}apply/`, {
        body: { question_keys },
        headers: { 'if-match': await etagOf(application) },
      })

    await write(application, [{ question_key: 'legal_name', value: 'Confirmed Since Ltd' }])
    const refused = await apply(run, ['country', 'legal_name'])
    expect([refused.status, refused.body.code]).toEqual([409, 'state_conflict'])
    expect(refused.body.details).toMatchObject([
      {
        pointer: '/question_keys/1',
        code: 'state_conflict',
        meta: { question_key: 'legal_name', item_id: null, state: 'completed', available_actions: ['apply'] },
      },
    ])
    expect((await answer(application, 'legal_name')).value).toBe('Confirmed Since Ltd')
    expect((await portal.call('GET', `${application.answers_url}country/`)).status).toBe(404)

    const share = await portal.call('PATCH', `${items}${person.body.id}/`, {
      body: { values: { ownership_percent: 50 } },
      headers: { 'if-match': await etagOf(application) },
    })
    expect(share.status, share.text).toBe(200)
    const again = await apply(run, ['owners'])
    expect([again.status, again.body.details[0].meta.item_id]).toEqual([409, person.body.id])
    expect((await itemsOf(application, 'owners')).map(({ values }: { values: unknown }) => values)).toEqual([
      { first_name: 'Ann', last_name: 'Lee', ownership_percent: 50 },
    ])

    const taken = await apply(run, ['country'])
    expect([taken.status, (await apply(run, ['country'])).status], taken.text).toEqual([200, 200])
  })

  test('409 while a run is under way, and for an application that is closed', async () => {
    const application = await begin(known)
    const first = await portal.call('POST', `${application.url}autofill/`, { body: {} })
    const second = await portal.call('POST', `${application.url}autofill/`, { body: {} })
    expect([second.status, second.body.code]).toEqual([409, 'operation_in_progress'])
    expect(second.body.details[0].meta.running_url).toBe(first.body.url)
    await portal.call('POST', `${application.url}withdraw/`, { headers: { 'if-match': await etagOf(application) } })
    await runDueJobs(server.context, portal.id)
    const failed = (await portal.call('GET', first.body.url)).body
    expect([failed.state, failed.error.code]).toEqual(['failed', 'state_conflict'])
    const closed = await portal.call('POST', `${application.url}autofill/`)
    expect([closed.status, closed.body.code]).toEqual([409, 'state_conflict'])
  })
})

describe('what nobody has confirmed', () => {
  const validationOf = async ({ url }: { url: string }, by = portal) => (await by.call('GET', `${url}validation/`)).body

  test('is listed as notices of the validation, also in items, and does not prevent the submission', async () => {
    const application = await begin(known)
    await autofill(application, { sources: ['business'] })
    const before = await validationOf(application)
    const [item] = await itemsOf(application, 'owners')
    expect(before.notices).toEqual(
      expect.arrayContaining([
        {
          question_key: 'legal_name',
          group_key: null,
          item_id: null,
          code: 'unconfirmed',
          message: expect.any(String),
        },
        expect.objectContaining({ question_key: 'first_name', group_key: 'owners', item_id: item.id }),
      ]),
    )
    expect(keysOf(before.problems)).not.toContain('legal_name')
    await write(application, [{ question_key: 'legal_name', value: 'Lee Bakery LLC' }])
    expect(keysOf((await validationOf(application)).notices)).not.toContain('legal_name')
  })

  test('prevents the submission where the contract says must_confirm, until somebody confirms it', async () => {
    const strict = {
      ...demoContract,
      questions: demoContract.questions.map((question) =>
        question.key === 'legal_name'
          ? { ...question, autofill: { sources: ['business'], must_confirm: true } }
          : question,
      ),
    }
    const careful = await newPortal(server)
    await server.context.database.transaction((tx) => publishContract(tx, careful.caller, strict))
    const application = await begin(known, careful)
    await autofill(application, { sources: ['business'] }, careful)
    const before = await validationOf(application, careful)
    expect(before.problems).toContainEqual(
      expect.objectContaining({ question_key: 'legal_name', code: 'must_confirm' }),
    )
    expect(keysOf(before.notices)).not.toContain('legal_name')
    const { etag } = (await careful.call('GET', application.url)).body
    const confirmed = await careful.call('PATCH', application.answers_url, {
      body: { answers: [{ question_key: 'legal_name', value: 'Lee Bakery LLC' }] },
      headers: { 'if-match': etag },
    })
    expect(confirmed.status, confirmed.text).toBe(200)
    expect(keysOf((await validationOf(application, careful)).problems)).not.toContain('legal_name')
  })
})

describe('from earlier applications', () => {
  test('answers of the same business are taken over by what they mean, people included', async () => {
    const earlier = await begin({ country: 'US' })
    await write(earlier, [
      { question_key: 'legal_name', value: 'Lee Bakery LLC' },
      { question_key: 'bank_balance', value: { amount: '5000.00', currency: 'USD' } },
    ])
    const next = await beginFor(earlier.business_id)
    const run = await autofill(next, { sources: ['previous_applications'] })
    expect(keysOf(run.filled)).toEqual(expect.arrayContaining(['legal_name', 'bank_balance']))
    expect(await answer(next, 'bank_balance')).toMatchObject({
      value: { amount: '5000.00', currency: 'USD' },
      source_detail: { kind: 'previous_applications', reference: earlier.id },
    })
    const stranger = await begin({ country: 'US' })
    expect((await autofill(stranger, { sources: ['previous_applications'] })).filled).toEqual([])
  })
})

describe('from documents', () => {
  test('a document that contradicts the record is shown as a candidate, and a person decides', async () => {
    const application = await begin({ ...known, country: 'GB', region: 'GB-ENG', legal_name: 'Quite Another Name Ltd' })
    await attach(application, accountsPdf(), pdf)
    const run = await autofill(application)
    const name = [...run.filled, ...run.suggested].find(({ question_key }) => question_key === 'legal_name')
    const values = name.candidates.map(({ value }: { value: string }) => value)
    expect(values).toEqual(expect.arrayContaining(['Quite Another Name Ltd', sampleBusiness.legal_name]))
  })
})

describeOnce('from documents, which the database has no part in', () => {
  test('labelled figures and names of PDF, DOCX and XLSX are found, with the place in the document', async () => {
    const application = await begin({ country: 'US', legal_name: sampleBusiness.legal_name })
    const ids = [(await attach(application, accountsPdf(), pdf)).id]
    await attach(application, bankStatementPdf(), pdf, 'bank_statements')
    await attach(application, taxReturnPdf(), pdf, 'tax_return')
    await attach(application, ownersDocx(), docx)
    ids.push((await attach(application, financialsXlsx(), xlsx)).id)
    const run = await autofill(application, { sources: ['documents'] })
    expect([run.state, run.problems]).toEqual(['completed', []])
    const found = [...run.filled, ...run.suggested]
    expect(keysOf(found)).toEqual(
      expect.arrayContaining([
        'legal_name',
        'annual_revenue',
        'bank_balance',
        'tax_id',
        'registered_address',
        'owners',
      ]),
    )
    const revenue = placed(found, 'annual_revenue') as unknown as {
      candidates: { source_detail: { kind: string; reference: string } }[]
    }
    const { kind, reference } = revenue.candidates[0]?.source_detail ?? { kind: '', reference: '' }
    expect([kind, ids.includes(reference.split(',')[0])]).toEqual(['documents', true])
    expect(reference).toMatch(/, page \d+, line \d+$/)
    const owners = await itemsOf(application, 'owners')
    expect(owners.map(({ values }: { values: { last_name: string } }) => values.last_name)).toEqual(
      sampleBusiness.owners.map(({ last_name }) => last_name),
    )
  })

  test('a bomb fails its run and nothing else: the server goes on, and the next run works', async () => {
    const application = await begin(known)
    const bomb = await attach(application, zipBombDocx(200), docx)
    const run = await autofill(application, { sources: ['documents'] })
    expect([run.state, run.error.code, run.filled]).toEqual(['failed', 'sources_failed', []])
    expect(run.problems).toMatchObject([{ source: 'documents', reference: bomb.id }])
    expect((await portal.call('GET', application.url)).status).toBe(200)
    const { body } = await portal.call('GET', `events/?resource_id=${application.id}`)
    expect(body.items.map(({ type }: { type: string }) => type)).toContain('client_intake_application.autofill_failed')
    const again = await autofill(application)
    expect([again.state, placed(again.filled, 'legal_name') !== undefined]).toEqual(['completed', true])
    expect(again.problems).toMatchObject([{ reference: bomb.id }])
  })

  test('a document with a password is told as such', async () => {
    const application = await begin(known)
    const locked = await attach(application, encryptedPdf(), pdf)
    const run = await autofill(application, { sources: ['documents'] })
    expect(run.problems).toMatchObject([{ reference: locked.id, code: 'encrypted' }])
  })
})

describe('from a provider', () => {
  /** Every question that anything may fill may be filled by the provider. */
  const askingProvider = {
    ...demoContract,
    questions: demoContract.questions.map((question) =>
      'autofill' in question && question.autofill ? { ...question, autofill: { sources: ['provider'] } } : question,
    ),
  }
  const provider = {
    received: [] as { headers: IncomingMessage['headers']; body: Record<string, unknown> }[],
    answer: (): { status: number; body: string } => ({ status: 200, body: '{"facts":[]}' }),
  }
  const http = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      provider.received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) })
      const { status, body } = provider.answer()
      response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' }).end(body)
    })
  })
  let own: TestPortal
  let secret: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    own = await newPortal(server)
    const { port } = http.address() as AddressInfo
    await server.context.database.transaction(async (tx) => {
      await publishContract(tx, own.caller, askingProvider)
      secret = (await setProvider(tx, server.context, own.id, `http://127.0.0.1:${port}/facts`)).secret
    })
  })
  afterAll(() => {
    http.close()
  })

  test('it is asked for what may be filled, with its secret, and its facts carry its confidence', async () => {
    provider.answer = () => ({
      status: 200,
      body: JSON.stringify({
        facts: [
          { fact: 'business.legal_name', value: 'Lee Bakery LLC', confidence: 0.8, reference: 'registry 4711' },
          { fact: 'owner.first_name', value: 'Ann', row: 0 },
          { fact: 'owner.last_name', value: 'Lee', row: 0 },
          { fact: 'business.employee_count', value: 'a dozen' },
        ],
      }),
    })
    const application = await begin({ country: 'US' }, own)
    const run = await autofill(application, { sources: ['provider'] }, own)
    expect(run.state).toBe('completed')
    expect(placed(run.filled, 'legal_name')).toMatchObject({
      source_detail: { kind: 'provider', reference: 'registry 4711', confidence: 0.8 },
    })
    expect(placed(run.filled, 'owners')).toMatchObject({ value: { first_name: 'Ann', last_name: 'Lee' } })
    expect(placed(run.skipped, 'employee_count')).toMatchObject({ reason: 'does_not_fit' })
    const [asked] = provider.received
    expect(asked?.headers.authorization).toBe(`Bearer ${secret}`)
    expect(asked?.body).toMatchObject({
      version: 1,
      application_id: application.id,
      business: { country: 'US' },
      wanted: expect.arrayContaining([
        { fact: 'business.legal_name', question_key: 'legal_name', group_key: null, type: 'text' },
        { fact: 'owner.first_name', question_key: 'first_name', group_key: 'owners', type: 'text' },
      ]),
    })
  })

  test('people nobody is sure of, or about whom sources disagree, are suggested and not added', async () => {
    const person = (share: number, confidence: number, row: number) => [
      { fact: 'owner.first_name', value: 'Ann', confidence, row },
      { fact: 'owner.last_name', value: 'Lee', confidence, row },
      { fact: 'owner.ownership_percent', value: share, confidence, row },
    ]
    for (const facts of [person(60, 0.4, 0), [...person(60, 0.8, 0), ...person(55, 0.75, 1)]]) {
      provider.answer = () => ({ status: 200, body: JSON.stringify({ facts }) })
      const application = await begin({ country: 'US' }, own)
      const run = await autofill(application, { sources: ['provider'] }, own)
      expect(placed(run.filled, 'owners')).toBeUndefined()
      const offered = placed(run.suggested, 'owners') as unknown as { candidates: { value: unknown }[] }
      const shares = new Set(facts.filter(({ fact }) => fact.endsWith('percent')).map(({ value }) => value))
      expect(offered.candidates.map(({ value }) => value)).toEqual(
        [...shares].map((ownership_percent) => ({ first_name: 'Ann', last_name: 'Lee', ownership_percent })),
      )
      expect((await own.call('GET', `${application.answers_url}owners/`)).body.item_count).toBe(0)
    }
  })

  test('a provider that no question may be filled from is not called at all', async () => {
    const before = provider.received.length
    const quiet = await newPortal(server)
    const { port } = http.address() as AddressInfo
    await server.context.database.transaction(async (tx) => {
      await publishContract(tx, quiet.caller, demoContract)
      await setProvider(tx, server.context, quiet.id, `http://127.0.0.1:${port}/facts`)
    })
    expect((await autofill(await begin({ country: 'US' }, quiet), {}, quiet)).state).toBe('completed')
    expect(provider.received).toHaveLength(before)
  })

  test('a provider that is asked for and not set up is reported, with what to run; without naming sources it is left out', async () => {
    const without = await newPortal(server)
    await server.context.database.transaction((tx) => publishContract(tx, without.caller, askingProvider))
    const problem = { source: 'provider', reference: null, code: 'not_set_up', message: expect.any(String) }
    const mixed = await autofill(await begin(known, without), { sources: ['business', 'provider'] }, without)
    expect([mixed.state, mixed.problems]).toEqual(['completed', [problem]])
    const alone = await autofill(await begin(known, without), { sources: ['provider'] }, without)
    expect([alone.state, alone.problems]).toEqual(['failed', [problem]])
    expect(alone.error.message).toContain('portico autofill-provider set')
    const every = await autofill(await begin(known, without), {}, without)
    expect([every.state, every.problems, every.sources.includes('provider')]).toEqual(['completed', [], false])
    expect((await autofill(await begin({ country: 'US' }, own), {}, own)).sources).toContain('provider')
  })

  test.each([
    ['a refusal', { status: 500, body: '{}' }, 'refused'],
    ['a redirect', { status: 302, body: '{}' }, 'refused'],
    ['something that is not JSON', { status: 200, body: '<html>' }, 'malformed'],
    ['facts of another form', { status: 200, body: '{"facts":[{"value":1}]}' }, 'malformed'],
  ])('%s of the provider fails the run that asked nobody else, and says why', async (_, given, code) => {
    provider.answer = () => given
    const run = await autofill(await begin({ country: 'US' }, own), { sources: ['provider'] }, own)
    expect([run.state, run.problems]).toMatchObject(['failed', [{ source: 'provider', code }]])
  })

  test('a private address is never called unless the deployment allows it', async () => {
    const strict = await startTestServer()
    try {
      const there = await newPortal(strict)
      const { port } = http.address() as AddressInfo
      await strict.context.database.transaction(async (tx) => {
        await publishContract(tx, there.caller, askingProvider)
        await setProvider(tx, strict.context, there.id, `https://127.0.0.1:${port}/facts`)
      })
      const before = provider.received.length
      const business = await there.call('POST', 'businesses/', { body: there.business() })
      const application = await there.call('POST', 'client-intake-applications/', {
        body: { business_id: business.body.id },
      })
      const started = await there.call('POST', `${application.body.url}autofill/`, { body: { sources: ['provider'] } })
      await runDueJobs(strict.context, there.id)
      const run = (await there.call('GET', started.body.url)).body
      expect([run.state, run.problems]).toMatchObject(['failed', [{ code: 'address_not_allowed' }]])
      expect(provider.received).toHaveLength(before)
    } finally {
      await strict.stop()
    }
  })
})
