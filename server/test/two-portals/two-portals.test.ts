// Owner is not caller: what a sender prepares with a recipient's questions, what the recipient may read of it and do
// with it, and that a third Portal sees nothing of it.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import { type Lender, newApplication, newDeal, newLender } from '../deal-fixtures.ts'
import { runDueJobs } from '../due-jobs.ts'
import { declarationOf, upload } from '../fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from '../harness.ts'

let server: TestServer
let sender: TestPortal
let recipient: Lender
let stranger: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  sender = await newPortal(server)
  // Whoever sees a recipient may read its questions: this one shows itself to the sender alone.
  recipient = await newLender(server, { visibility: 'invited', invitations: [sender.id] })
  stranger = await newPortal(server)
})
afterAll(() => server.stop())

async function begin(by: TestPortal = sender): Promise<string> {
  const body = by.business({ legal_name: 'Lee Bakery LLC' })
  const business_id = (await by.call('POST', 'businesses/', { body })).body.id
  const deal = await newDeal(by, recipient, { business_id })
  return `deal-applications/${(await newApplication(by, deal)).id}/`
}

const etagFor = async (portal: TestPortal, path: string) => (await portal.call('GET', path)).body.etag
async function write(by: TestPortal, application: string, method: string, rest: string, body?: unknown) {
  const headers = { 'if-match': (await etagFor(by, application)) ?? '"none"' }
  return by.call(method, `${application}${rest}`, { body, headers })
}
const put = (by: TestPortal, application: string, key: string, value: unknown) =>
  write(by, application, 'PUT', `answers/${key}/`, { value })
async function submit(application: string) {
  const answer = await write(sender, application, 'POST', 'submit/')
  expect(answer.status, answer.text).toBe(200)
}
async function respond(application: string) {
  const answer = await write(sender, application, 'POST', 'respond/')
  expect(answer.status, answer.text).toBe(200)
}
const request = (...question_keys: string[]) => ({ message: 'Please look again.', question_keys })
async function ask(application: string, ...question_keys: string[]) {
  const answer = await write(recipient, application, 'POST', 'request-information/', request(...question_keys))
  expect(answer.status, answer.text).toBe(200)
}
const valueFor = async (portal: TestPortal, application: string, key: string) =>
  (await portal.call('GET', `${application}answers/${key}/`)).body.value

const csv = (text: string) => Buffer.from(`date,amount\n${text}\n`)
async function addFile(application: string, text: string) {
  const bytes = csv(text)
  const declared = { question_key: 'bank_statements', ...declarationOf(bytes, `${text}.csv`, 'text/csv') }
  const { body } = await write(sender, application, 'POST', 'files/', declared)
  expect((await upload(body.upload, bytes)).status).toBe(200)
  return body.id
}

const ofKind = operations.filter(({ path }) => path.startsWith('/deal-applications/{application_id}/'))

/** A path of this kind with something in every place; the application is given. */
const pathOf = (path: string, application: string) =>
  path
    .slice(1)
    .replace('deal-applications/{application_id}/', application)
    .replace('{question_key}', 'legal_name')
    .replace('{group_key}', 'owners')
    .replace('{number}', '1')
    .replace(
      /\{(\w+)_id\}/,
      (_, name) => `${{ item: 'itm', file: 'fil', run: 'afr', offer: 'ofr' }[String(name)]}_${'0'.repeat(26)}`,
    )

async function answersOf(by: TestPortal, application: string) {
  const answers = []
  for (const { method, path, example, body, ifMatch } of ofKind) {
    const answer = await by.call(method, pathOf(path, application), {
      ...(body && { body: example }),
      headers: { 'idempotency-key': randomUUID(), ...(ifMatch && { 'if-match': '"any"' }) },
    })
    answers.push({ operation: `${method} ${path}`, status: answer.status, text: withoutIds(answer) })
  }
  return answers
}
const withoutIds = ({ text, headers }: { text: string; headers: Headers }) =>
  text.replaceAll(headers.get('request-id') ?? '', '')

describe('a third Portal', () => {
  test('404 from every operation of the kind, byte for byte as for an application that does not exist', async () => {
    const application = await begin()
    await put(sender, application, 'legal_name', 'Lee')
    await submit(application)
    const real = await answersOf(stranger, application)
    const unknown = await answersOf(stranger, `deal-applications/dap_${'0'.repeat(26)}/`)
    expect(real).toEqual(unknown)
    expect(new Set(real.map(({ status }) => status))).toEqual(new Set([404]))
    expect(real.length).toBeGreaterThan(35)
  })

  test('404 for the contract, which sender and recipient read alike', async () => {
    await begin()
    const path = `contracts/${recipient.contract_id}/`
    const [mine, theirs] = [await sender.call('GET', path), await recipient.call('GET', path)]
    expect([mine.status, theirs.status, mine.text === theirs.text]).toEqual([200, 200, true])
    expect((await sender.call('GET', `${path}schema.json`)).status).toBe(200)
    for (const rest of ['', 'schema.json'])
      expect((await stranger.call('GET', `${path}${rest}`)).body.code).toBe('not_found')
  })
})

describe('the recipient', () => {
  test('404 from every operation until the first submission', async () => {
    const application = await begin()
    await put(sender, application, 'legal_name', 'Lee')
    const answers = await answersOf(recipient, application)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
  })

  test('200 with the answers as they were last submitted, while the sender goes on', async () => {
    const application = await begin()
    await put(sender, application, 'legal_name', 'Lee')
    await put(sender, application, 'tax_id', '12-3456789')
    await write(sender, application, 'POST', 'answers/owners/items/', {
      values: { first_name: 'Ann', last_name: 'Lee' },
      declined: ['ownership_percent'],
    })
    await submit(application)
    expect(await valueFor(recipient, application, 'tax_id')).toBe('12-3456789')
    const { items } = (await recipient.call('GET', `${application}answers/owners/items/`)).body
    expect(items[0].values).toEqual({ first_name: 'Ann', last_name: 'Lee' })
    expect(items[0].value_sources.ownership_percent.state).toBe('declined')

    await ask(application, 'legal_name', 'owners')
    await put(sender, application, 'legal_name', 'Lee & Daughters')
    await write(sender, application, 'DELETE', `answers/owners/items/${items[0].id}/`)
    expect(await valueFor(sender, application, 'legal_name')).toBe('Lee & Daughters')
    expect(await valueFor(recipient, application, 'legal_name')).toBe('Lee')
    expect((await recipient.call('GET', `${application}answers/owners/`)).body.item_count).toBe(1)

    await respond(application)
    expect(await valueFor(recipient, application, 'legal_name')).toBe('Lee & Daughters')
    expect((await recipient.call('GET', `${application}answers/owners/`)).body.item_count).toBe(0)
  })

  test('403 action_not_granted for every write that is the sender’s', async () => {
    const application = await begin()
    await submit(application)
    await ask(application, 'website')
    for (const [method, rest, body] of [
      ['PUT', 'answers/website/', { value: 'https://example.com' }],
      ['DELETE', 'answers/website/'],
      ['PATCH', 'answers/', { answers: [{ question_key: 'website', value: 'https://example.com' }] }],
      ['POST', 'answers/owners/items/', { values: { first_name: 'Ann' } }],
      ['POST', 'files/', { question_key: 'bank_statements', ...declarationOf(csv('x'), 'x.csv', 'text/csv') }],
      ['POST', 'submit/'],
      ['POST', 'respond/'],
      ['POST', 'withdraw/'],
    ] as const) {
      const answer = await write(recipient, application, method, rest, body)
      expect([rest, answer.status, answer.body.code]).toEqual([rest, 403, 'action_not_granted'])
    }
    expect(await valueFor(recipient, application, 'website')).toBeUndefined()
  })

  test('200 for files of the submission and their bytes; 404 for those declared since', async () => {
    const application = await begin()
    const first = await addFile(application, 'march')
    expect((await recipient.call('POST', `${application}files/${first}/download/`)).status).toBe(404)
    await submit(application)
    await ask(application, 'bank_statements')
    const second = await addFile(application, 'april')
    await write(sender, application, 'DELETE', `files/${first}/`)

    const { items } = (await recipient.call('GET', `${application}files/`)).body
    expect(items.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([[first, 'available']])
    const { body: transfer } = await recipient.call('POST', `${application}files/${first}/download/`)
    const bytes = await fetch(transfer.url, { headers: transfer.headers })
    expect([bytes.status, await bytes.text()]).toEqual([200, csv('march').toString()])
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', 'download/'],
    ] as const)
      expect((await recipient.call(method, `${application}files/${second}/${rest}`)).status).toBe(404)
  })

  test('404 for runs of Autofill, which read the sender’s record and the recipient’s questions', async () => {
    const application = await begin()
    const { body: run } = await sender.call('POST', `${application}autofill/`, { body: { sources: ['business'] } })
    await runDueJobs(server.context, sender.id)
    const read = (await sender.call('GET', run.url)).body
    expect([read.state, read.filled[0].value]).toEqual(['completed', 'Lee Bakery LLC'])
    await submit(application)
    expect(await valueFor(recipient, application, 'legal_name')).toBe('Lee Bakery LLC')
    for (const path of [run.url, `${application}autofill-runs/`])
      expect((await recipient.call('GET', path)).status).toBe(404)
    expect((await recipient.call('POST', `${application}autofill/`)).status).toBe(404)
  })
})

describe('a request for information', () => {
  test('422 not_editable for every question it does not name, with all of them reported and nothing written', async () => {
    const application = await begin()
    await put(sender, application, 'legal_name', 'Lee')
    const item = (
      await write(sender, application, 'POST', 'answers/owners/items/', { values: { first_name: 'A', last_name: 'L' } })
    ).body
    const file = await addFile(application, 'march')
    await submit(application)
    await ask(application, 'website')
    const before = await etagFor(sender, application)

    const many = await write(sender, application, 'PATCH', 'answers/', {
      answers: [
        { question_key: 'website', value: 'https://example.com' },
        { question_key: 'legal_name', value: 'Other' },
        { question_key: 'tax_id', value: null },
      ],
    })
    const detailsOf = (answer: typeof many) =>
      answer.body.details.map(({ code, pointer, name }: Record<string, string>) => [code, pointer ?? name])
    expect([many.status, detailsOf(many)]).toEqual([
      422,
      [
        ['not_editable', '/answers/1/question_key'],
        ['not_editable', '/answers/2/question_key'],
      ],
    ])
    expect(many.body.details[0].meta).toEqual({ question_key: 'legal_name', open_question_keys: ['website'] })
    const passport = { question_key: 'passport', item_id: item.id, ...declarationOf(csv('x'), 'x.csv', 'text/csv') }
    for (const [method, rest, body, place] of [
      ['PUT', 'answers/legal_name/', { value: 'Other' }, '/question_key'],
      ['POST', 'answers/owners/items/', { values: { first_name: 'Bo' } }, 'group_key'],
      ['PATCH', `answers/owners/items/${item.id}/`, { values: { first_name: 'Bo' } }, 'group_key'],
      ['DELETE', `answers/owners/items/${item.id}/`, undefined, 'group_key'],
      ['POST', 'files/', passport, '/question_key'],
      ['DELETE', `files/${file}/`, undefined, 'file_id'],
    ] as const) {
      const answer = await write(sender, application, method, rest, body)
      expect([rest, answer.status, detailsOf(answer)]).toEqual([rest, 422, [['not_editable', place]]])
    }
    expect(await etagFor(sender, application)).toBe(before)
  })

  test('200 for the questions it names, with the items and files under them', async () => {
    const application = await begin()
    await submit(application)
    await ask(application, 'owners', 'bank_statements')
    const { status, body } = await write(sender, application, 'POST', 'answers/owners/items/', {
      values: { first_name: 'A', last_name: 'L' },
    })
    expect(status).toBe(201)
    const passport = { question_key: 'passport', item_id: body.id, ...declarationOf(csv('x'), 'x.csv', 'text/csv') }
    expect((await write(sender, application, 'POST', 'files/', passport)).status).toBe(201)
    await addFile(application, 'april')
  })

  test('202 for Autofill, which leaves the other questions alone and says so', async () => {
    const application = await begin()
    await submit(application)
    await ask(application, 'website')
    const { body: run } = await sender.call('POST', `${application}autofill/`, { body: { sources: ['business'] } })
    await runDueJobs(server.context, sender.id)
    const read = (await sender.call('GET', run.url)).body
    expect([read.state, read.filled]).toEqual(['completed', []])
    expect(read.skipped).toContainEqual({
      question_key: 'legal_name',
      group_key: null,
      item_id: null,
      reason: 'not_editable',
    })
  })
})

describe('a Portal that is sender and recipient', () => {
  test('200 for the actions of both, and one event of each', async () => {
    const application = await begin(recipient)
    const act = async (method: string, rest: string, body?: unknown) =>
      recipient.call(method, `${application}${rest}`, {
        body,
        headers: { 'if-match': await etagFor(recipient, application) },
      })
    expect((await act('PUT', 'answers/legal_name/', { value: 'Lee' })).status).toBe(200)
    expect((await act('POST', 'submit/')).status).toBe(200)
    expect((await act('POST', 'request-information/', request('website'))).status).toBe(200)
    expect((await act('PUT', 'answers/website/', { value: 'https://example.com' })).status).toBe(200)
    const { items } = (await recipient.call('GET', 'events/?page_size=250')).body
    const types = items
      .filter(({ data }: { data: { resource: { url: string } } }) => data.resource.url.includes(application))
      .map(({ type }: { type: string }) => type)
    expect(types.sort()).toEqual([
      'deal_application.created',
      'deal_application.information_requested',
      'deal_application.submitted',
    ])
  })
})

describe('events', () => {
  test('each Portal hears of what concerns it: both of the submission, the sender alone of its files', async () => {
    const application = await begin()
    await addFile(application, 'march')
    await submit(application)
    const typesFor = async (portal: TestPortal) => {
      const { items } = (await portal.call('GET', 'events/?page_size=250')).body
      return items
        .filter(({ data }: { data: { resource: { url: string } } }) => data.resource.url.includes(application))
        .map(({ type }: { type: string }) => type)
    }
    expect((await typesFor(sender)).sort()).toEqual([
      'deal_application.created',
      'deal_application.submitted',
      'file.available',
    ])
    expect(await typesFor(recipient)).toEqual(['deal_application.submitted'])
    expect(await typesFor(stranger)).toEqual([])
    // A request is known to whoever sent it.
    const submitted = async (portal: TestPortal) =>
      (await portal.call('GET', 'events/?type=deal_application.submitted&order=-sequence&page_size=1')).body.items[0]
    expect((await submitted(sender)).data.request_id).toMatch(/^req_/)
    expect((await submitted(recipient)).data.request_id).toBeUndefined()
  })

  test('is_submittable is the sender’s alone, and only while there is something to submit', async () => {
    const application = await begin()
    const isSubmittable = async (portal: TestPortal) =>
      (await portal.call('GET', `${application}validation/`)).body.is_submittable
    expect(await isSubmittable(sender)).toBe(true)
    await submit(application)
    expect([await isSubmittable(sender), await isSubmittable(recipient)]).toEqual([false, false])
    await ask(application, 'website')
    expect([await isSubmittable(sender), await isSubmittable(recipient)]).toEqual([true, false])
  })
})
