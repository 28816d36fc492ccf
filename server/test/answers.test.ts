import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '../src/app.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { questionTypes } from '../src/building-blocks/contracts/contract-schema.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { newPortal, openTestContext, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
/** A contract with a question of every type, whose key is its type. */
let everyType: string
/** A contract with the questions that only some clients are asked. */
let branching: string

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  everyType = await publish(questionTypes.map(questionOfType))
  const hasLoan = { question: 'has_loan', operator: 'equals', value: true }
  branching = await publish([
    { key: 'has_loan', type: 'boolean', required: true },
    { key: 'lender', type: 'text', required: true, visible_when: hasLoan },
    { key: 'branch', type: 'text', visible_when: { question: 'lender', operator: 'exists', value: true } },
  ])
})
afterAll(() => server.stop())

const options = ['small', 'large'].map((value) => ({ value, label: value }))

function questionOfType(type: (typeof questionTypes)[number]) {
  const more: Partial<Record<typeof type, object>> = {
    text: { validation: { max_length: 20, pattern: '^[A-Z]' } },
    integer: { validation: { min: 1, max: 100_000, multiple_of: 5 } },
    money: { validation: { min: '10', max: '1000000' } },
    date: { validation: { min_date: '2000-01-01', max_date: 'today' } },
    year_month: { validation: { max_date: 'today' } },
    single_choice: { options, allow_other: true },
    multi_choice: { options, validation: { max_items: 2 } },
    group: {
      repeat: { min: 0, max: 5, item_label: 'Owner' },
      questions: [{ key: 'inner', type: 'text', label: 'Inner' }],
    },
  }
  return { key: type, type, ...more[type] }
}

async function publish(questions: readonly object[]): Promise<string> {
  const draft = {
    kind: 'client_intake',
    title: 'Test',
    locale: 'en-US',
    sections: [{ key: 'one', title: 'One' }],
    questions: questions.map((question) => ({ section: 'one', label: 'A question', ...question })),
  }
  return (await server.context.database.transaction((tx) => publishContract(tx, portal.caller, draft))).id
}

interface Intake {
  id: string
  url: string
  etag: string
}

async function begin(contract_id: string): Promise<Intake> {
  const business = await portal.call('POST', 'businesses/', { body: portal.business() })
  const body = { business_id: business.body.id, contract_id }
  return (await portal.call('POST', 'client-intake-applications/', { body })).body
}

const etagOf = async ({ url }: Intake): Promise<string> => (await portal.call('GET', url)).body.etag

/** A write under an application, at its current ETag unless another is given. */
async function write(one: Intake, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const ifMatch = headers['if-match'] ?? (await etagOf(one))
  return portal.call(method, `${one.url}${path}`, { body, headers: { 'if-match': ifMatch, ...headers } })
}
const put = (one: Intake, key: string, body: unknown) => write(one, 'PUT', `answers/${key}/`, body)
const patch = (one: Intake, answers: readonly object[]) => write(one, 'PATCH', 'answers/', { answers })

interface Seen {
  question_key: string
  value: unknown
  state: string | null
  confirmed: boolean
  is_active: boolean
}
const answersOf = async ({ url }: Intake): Promise<Seen[]> =>
  (await portal.call('GET', `${url}answers/?page_size=500`)).body.items
const answerTo = (one: Intake, key: string) => portal.call('GET', `${one.url}answers/${key}/`)

interface Detail {
  pointer: string
  code: string
  message: string
}
const placesOf = (details: Detail[]) => details.map(({ pointer, code }) => [pointer, code])

/** What was said, down to its texts and numbers; the currency of an amount is a word of the rule as well. */
function saidIn(value: unknown, name = ''): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([inner, one]) => saidIn(one, inner))
  return name === 'currency' || String(value).length < 3 ? [] : [String(value)]
}

describe('values', () => {
  const usd = (amount: string) => ({ amount, currency: 'USD' })
  const address = { line1: '1 Harbour Street', city: 'Boston', country: 'US' }
  const table: Partial<Record<(typeof questionTypes)[number], { good: unknown[]; bad: unknown[] }>> = {
    text: {
      good: ['Lee Bakery', 'Aß💶 \u00a0 \u200d'],
      bad: ['', '   ', 'lower case', `X${'y'.repeat(20)}`, 'A\u0001', 'A\nB', 'A\u202eB', 777, {}],
    },
    long_text: { good: ['several\nlines'], bad: ['\u200b', false, 'z'.repeat(20_001)] },
    boolean: { good: [true, false], bad: ['true', 0, 'maybe'] },
    integer: { good: [5, 100_000], bad: [7531, 12.5, '555', -555, 100_005, 1e300] },
    decimal: { good: [0, -1.25, 1e15], bad: ['1.255', 7e15] },
    money: {
      good: [usd('25000.00'), { amount: '1500', currency: 'JPY' }],
      bad: [usd('4321.123'), usd('9.99'), usd('1000000.01'), { amount: 4321, currency: 'USD' }, '4321 USD', usd('1e5')],
    },
    percent: { good: [0, 33.3, 100], bad: [100.25, -0.25, '100%'] },
    date: { good: ['2019-04-01', '2000-01-01'], bad: ['1999-12-31', '2999-01-01', '2026-02-30', '31.01.2026', 2019] },
    year_month: { good: ['2019-04'], bad: ['2999-01', '2019-13', '2019-04-01'] },
    email: { good: ['ann@example.com'], bad: ['ann-at-example', `${'a'.repeat(250)}@example.com`] },
    phone: { good: ['+14155550100'], bad: ['415 555 0100', 4155550100] },
    url: { good: ['https://example.com/a?b=c'], bad: ['ftp://example.com/secret', 'javascript:alert(1)', 'harbour'] },
    single_choice: { good: ['small', { other: 'medium' }], bad: ['medium', ['medium'], { other: '' }, 777] },
    multi_choice: {
      good: [['large', 'small'], ['small']],
      bad: [[], ['medium'], ['small', 'small'], 'medium', [{ other: 'medium' }]],
    },
    address: {
      good: [address, { ...address, line2: null, region: 'US-MA', postal_code: '02110' }],
      bad: [
        { ...address, region: 'CA-ON' },
        { ...address, country: 'Atlantis' },
        { line1: '77 Secret Road' },
        { ...address, door: 'blue' },
        'Boston',
      ],
    },
    country: { good: ['DE'], bad: ['XXQ', 'Germany', 'deu'] },
    region: { good: ['US-CA'], bad: ['US-ZZ', 'California'] },
    industry: {
      good: [{ system: 'naics_2022', code: '311811' }],
      bad: [{ system: 'nace_2', code: '311811' }, { system: 'homemade', code: '4711' }, '311811'],
    },
    identifier: { good: ['12-3456789'], bad: ['9'.repeat(101), 12_345] },
    declaration: { good: [true], bad: [false, 'true', 'yes'] },
    file: { good: [], bad: [['fil_01jcz3v0v2fd6tqvh1m8r5k9wx'], 'scan.pdf'] },
    group: { good: [], bad: [[{ inner: 'X of the group' }], 'X of the group'] },
    display: { good: [], bad: ['X displayed'] },
  }

  test('200 keeps an amount with the digits of its currency, as every record does', async () => {
    const one = await begin(everyType)
    const kept = async (value: unknown) => (await put(one, 'money', { value })).body.value
    expect(await kept(usd('25000'))).toEqual(usd('25000.00'))
    expect(await kept(usd('25000.5'))).toEqual(usd('25000.50'))
    expect(await kept({ amount: '1500', currency: 'JPY' })).toEqual({ amount: '1500', currency: 'JPY' })
  })

  test('every type of question is in the table', () => {
    expect(Object.keys(table).sort()).toEqual([...questionTypes].sort())
  })

  test.each(Object.entries(table).flatMap(([type, { good }]) => good.map((value) => ({ type, value }))))(
    '200 $type takes $value and gives it back as it was sent',
    async ({ type, value }) => {
      const one = await begin(everyType)
      const { status, body, text } = await put(one, type, { value })
      expect(status, text).toBe(200)
      expect(body).toMatchObject({
        question_key: type,
        url: `${one.url}answers/${type}/`,
        value,
        state: 'answered',
        source: 'api',
        source_detail: null,
        confirmed: true,
        is_active: true,
        item_count: null,
        items_url: null,
        files_url: null,
      })
      expect((await answerTo(one, type)).body).toEqual(body)
      expect((await answersOf(one)).find(({ question_key }) => question_key === type)).toEqual(body)
    },
  )

  test.each(Object.entries(table).flatMap(([type, { bad }]) => bad.map((value) => ({ type, value }))))(
    '422 $type refuses $value without repeating it',
    async ({ type, value }) => {
      const one = await begin(everyType)
      const before = await answersOf(one)
      const { status, body } = await put(one, type, { value })
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(placesOf(body.details)).toEqual([['/value', 'invalid_answer']])
      const told = [body.message, ...body.details.map(({ message }: Detail) => message)].join('\n')
      for (const said of saidIn(value)) expect(told).not.toContain(said)
      expect(await answersOf(one)).toEqual(before)
      expect(await etagOf(one)).toBe(one.etag)
    },
  )
})

describe('one answer', () => {
  test('200 a declined answer has no value, and a value takes its place', async () => {
    const one = await begin(everyType)
    await put(one, 'url', { value: 'https://example.com' })
    const declined = await put(one, 'url', { state: 'declined' })
    expect(declined.body).toMatchObject({ value: null, state: 'declined', source: 'api', confirmed: true })
    expect((await put(one, 'url', { confirmed: false })).body).toMatchObject({ state: 'declined', confirmed: false })
    expect((await put(one, 'url', { value: 'https://example.org' })).body).toMatchObject({
      value: 'https://example.org',
      state: 'answered',
    })
  })

  test('200 confirmed alone changes nothing but who stands by the answer; 422 when there is none', async () => {
    const one = await begin(everyType)
    const refused = await put(one, 'text', { confirmed: true })
    expect([refused.status, placesOf(refused.body.details)]).toEqual([422, [['/value', 'invalid_answer']]])
    expect((await put(one, 'text', { value: 'Lee', confirmed: false })).body).toMatchObject({
      value: 'Lee',
      confirmed: false,
    })
    expect((await put(one, 'text', { confirmed: true })).body).toMatchObject({ value: 'Lee', confirmed: true })
    expect((await put(one, 'text', { confirmed: false })).body).toMatchObject({ value: 'Lee', confirmed: false })
    expect((await put(one, 'text', { value: 'Ann' })).body).toMatchObject({ value: 'Ann', confirmed: true })
  })

  test('200 DELETE clears, also what is not there; then the answer is 404', async () => {
    const one = await begin(everyType)
    await put(one, 'text', { value: 'Lee' })
    const cleared = await write(one, 'DELETE', 'answers/text/')
    expect(cleared.status).toBe(200)
    expect(cleared.body).toMatchObject({ application_id: one.id, application_url: one.url, state: 'in_progress' })
    expect((await answerTo(one, 'text')).status).toBe(404)
    expect((await write(one, 'DELETE', 'answers/text/')).status).toBe(200)
  })

  test('200 for a value of null, which clears the answer and shows the question without one', async () => {
    const one = await begin(everyType)
    await put(one, 'text', { value: 'Lee' })
    const cleared = await put(one, 'text', { value: null })
    expect([cleared.status, cleared.body.question_key]).toEqual([200, 'text'])
    expect(cleared.body).toMatchObject({ value: null, state: null, source: null, confirmed: false, updated_at: null })
    expect(cleared.body.etag).toBe(await etagOf(one))
    expect((await answerTo(one, 'text')).status).toBe(404)
  })

  test('200 for a write that changes nothing, and the ETag stays', async () => {
    const one = await begin(everyType)
    const { etag } = (await put(one, 'text', { value: 'Lee' })).body
    for (const answer of [
      await put(one, 'text', { value: 'Lee' }),
      await put(one, 'text', { confirmed: true }),
      await patch(one, [
        { question_key: 'text', value: 'Lee' },
        { question_key: 'integer', value: null },
      ]),
      await write(one, 'DELETE', 'answers/integer/'),
    ])
      expect([answer.status, answer.body.etag]).toEqual([200, etag])
    expect(await etagOf(one)).toBe(etag)
  })

  test('422 for a write that says nothing, alone and in a list', async () => {
    const one = await begin(everyType)
    const { etag } = (await put(one, 'text', { value: 'Lee', confirmed: false })).body
    expect((await put(one, 'text', {})).status).toBe(422)
    expect((await patch(one, [{ question_key: 'text' }])).status).toBe(422)
    expect((await answerTo(one, 'text')).body).toMatchObject({ value: 'Lee', confirmed: false, etag })
  })

  test('404 for a question the contract does not have, or has in a group only', async () => {
    const one = await begin(everyType)
    for (const key of ['nothing', 'inner', 'UPPER']) {
      expect((await answerTo(one, key)).status, key).toBe(404)
      expect((await put(one, key, { value: 'X' })).status, key).toBe(404)
      expect((await write(one, 'DELETE', `answers/${key}/`)).status, key).toBe(404)
    }
  })
})

describe('many answers at once', () => {
  test('200 for 200 answers, 422 too_long for 201', async () => {
    const contract = await publish(Array.from({ length: 201 }, (_, n) => ({ key: `q${n}`, type: 'integer' })))
    const one = await begin(contract)
    const answers = Array.from({ length: 201 }, (_, n) => ({ question_key: `q${n}`, value: n }))
    const refused = await patch(one, answers)
    expect([refused.status, placesOf(refused.body.details)]).toEqual([422, [['/answers', 'too_long']]])
    expect(await answersOf(one)).toEqual([])
    const written = await patch(one, answers.slice(0, 200))
    expect(written.status).toBe(200)
    expect(written.body).toMatchObject({ application_id: one.id, state: 'in_progress', is_submittable: true })
    expect(written.body.answers).toHaveLength(200)
    expect((await answersOf(one)).map(({ value }) => value)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })

  test('422 tells every problem at its place, and nothing is written', async () => {
    const one = await begin(everyType)
    await put(one, 'text', { value: 'Before' })
    const before = [await answersOf(one), await etagOf(one)]
    const { status, body } = await patch(one, [
      { question_key: 'text', value: 'After' },
      { question_key: 'boolean', value: 'maybe' },
      { question_key: 'nothing', value: 1 },
      { question_key: 'integer', value: 7531 },
      { question_key: 'inner', value: 'X' },
      { question_key: 'text', value: 'Again' },
      { question_key: 'email', value: 'ann@example.com', state: 'declined' },
      { question_key: 'phone', confirmed: true },
      { question_key: 'group', value: null },
      { question_key: 'display', state: 'declined' },
      { question_key: 'country', value: 'DE' },
    ])
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(placesOf(body.details)).toEqual([
      ['/answers/1/value', 'invalid_answer'],
      ['/answers/2/question_key', 'unknown_question'],
      ['/answers/3/value', 'invalid_answer'],
      ['/answers/4/question_key', 'unknown_question'],
      ['/answers/5/question_key', 'invalid_answer'],
      ['/answers/6', 'invalid_answer'],
      ['/answers/7/value', 'invalid_answer'],
      ['/answers/8/value', 'invalid_answer'],
      ['/answers/9/state', 'invalid_answer'],
    ])
    expect(body.details[3].message).toContain('group')
    expect([await answersOf(one), await etagOf(one)]).toEqual(before)
  })

  test('200 writes, declines, clears and confirms together, and returns what is there now', async () => {
    const one = await begin(everyType)
    await patch(one, [
      { question_key: 'text', value: 'Lee', confirmed: false },
      { question_key: 'email', value: 'ann@example.com' },
      { question_key: 'country', value: 'DE' },
    ])
    const { status, body } = await patch(one, [
      { question_key: 'country', value: 'FR' },
      { question_key: 'text', confirmed: true },
      { question_key: 'email', value: null },
      { question_key: 'phone', state: 'declined' },
    ])
    expect(status).toBe(200)
    expect(body.answers).toMatchObject([
      { question_key: 'country', value: 'FR' },
      { question_key: 'text', value: 'Lee', confirmed: true },
      { question_key: 'phone', value: null, state: 'declined' },
    ])
    const given = (await answersOf(one)).filter(({ state }) => state !== null)
    expect(given.map(({ question_key }) => question_key)).toEqual(['text', 'phone', 'country'])
  })

  test('200 replays for the same Idempotency-Key although the ETag has moved', async () => {
    const one = await begin(everyType)
    const headers = { 'if-match': one.etag, 'idempotency-key': `answers-${one.id}` }
    const send = () => write(one, 'PATCH', 'answers/', { answers: [{ question_key: 'text', value: 'Once' }] }, headers)
    const first = await send()
    await put(one, 'text', { value: 'Twice' })
    const again = await send()
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    expect((await answerTo(one, 'text')).body.value).toBe('Twice')
  })
})

describe('hidden questions', () => {
  test('200 keep their answers, ask for nothing, are left out of the submission, and come back', async () => {
    const one = await begin(branching)
    const missing = async () =>
      (await portal.call('GET', `${one.url}validation/`)).body.problems.map(({ question_key }: Seen) => question_key)
    await put(one, 'has_loan', { value: true })
    expect(await missing()).toEqual(['lender'])
    await patch(one, [
      { question_key: 'lender', value: 'First Bank' },
      { question_key: 'branch', value: 'Harbour' },
    ])
    const seen = async () => (await answersOf(one)).map(({ value, is_active }) => [value, is_active])
    await put(one, 'has_loan', { value: false })
    expect(await seen()).toEqual([
      [false, true],
      ['First Bank', false],
      ['Harbour', false],
    ])
    await write(one, 'DELETE', 'answers/lender/')
    expect(await missing()).toEqual([])
    const whileHidden = await put(one, 'lender', { value: 'Second Bank' })
    expect([whileHidden.status, whileHidden.body.is_active]).toEqual([200, false])

    const submitted = await write(one, 'POST', 'submit/')
    const { content } = (await portal.call('GET', submitted.body.submission.url)).body
    expect(content.answers).toEqual([{ question_key: 'has_loan', state: 'answered', value: false }])

    await write(one, 'POST', 'return/', { message: 'Is it so?', question_keys: ['has_loan'] })
    await put(one, 'has_loan', { value: true })
    expect(await seen()).toEqual([
      [true, true],
      ['Second Bank', true],
      ['Harbour', true],
    ])
  })
})

describe('restricted answers', () => {
  test('200 are sealed in every table, readable through the API, and after a restart as well', async () => {
    const contract = await publish([
      { key: 'tax_id', type: 'identifier', sensitivity: 'restricted', required: true },
      { key: 'name', type: 'text' },
      {
        key: 'owners',
        type: 'group',
        repeat: { min: 0, max: 5, item_label: 'Owner' },
        questions: [
          { key: 'passport', type: 'identifier', label: 'Passport', sensitivity: 'restricted' },
          { key: 'nickname', type: 'text', label: 'Nickname' },
        ],
      },
    ])
    const one = await begin(contract)
    const keyed = { 'idempotency-key': `restricted-${one.id}` }
    await write(one, 'PUT', 'answers/tax_id/', { value: 'SECRET-4711' }, keyed)
    await put(one, 'name', { value: 'Plainly visible' })
    const item = await write(one, 'POST', 'answers/owners/items/', { values: { passport: 'SECRET-P8' } })
    await write(one, 'PATCH', `answers/owners/items/${item.body.id}/`, { values: { nickname: 'SECRET-NICK' } })
    await write(one, 'POST', 'submit/')

    const { read } = server.context.database
    const tables = ['answers', 'answer_items', 'submissions', 'idempotency_keys', 'events', 'jobs'] as const
    const rows = await Promise.all(
      tables.map((table) => read.selectFrom(table).selectAll().where('portal_id', '=', portal.id).execute()),
    )
    const stored = JSON.stringify(rows)
    expect(stored).toContain('Plainly visible')
    expect(stored).not.toContain('SECRET')
    expect(server.logLines.join('\n')).not.toContain('SECRET')
    expect((await answerTo(one, 'tax_id')).body.value).toBe('SECRET-4711')

    const { context } = await openTestContext(server.context.config)
    const restarted = createServer(context, createMetrics())
    try {
      const get = async (path: string) => {
        const headers = { authorization: `Bearer ${portal.key}` }
        return (
          await restarted.http.inject({ url: `/v1/client-intake-applications/${one.id}/${path}`, headers })
        ).json()
      }
      expect((await get('answers/tax_id/')).value).toBe('SECRET-4711')
      expect((await get(`answers/owners/items/${item.body.id}/`)).values).toEqual({
        passport: 'SECRET-P8',
        nickname: 'SECRET-NICK',
      })
      expect((await get('submissions/1/')).content.answers[0].value).toBe('SECRET-4711')
    } finally {
      await restarted.close()
      await context.database.close()
    }
  })
})

describe('paging', () => {
  test('200 forward only, one by one, in the order of the contract', async () => {
    const one = await begin(everyType)
    await patch(one, [
      { question_key: 'country', value: 'DE' },
      { question_key: 'text', value: 'Lee' },
      { question_key: 'email', state: 'declined' },
    ])
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await portal.call('GET', `${one.url}answers/?page_size=1${cursor && `&cursor=${cursor}`}`)
      expect(body.previous_cursor).toBeNull()
      expect(body.items).toHaveLength(1)
      seen.push(body.items[0].question_key)
      cursor = body.next_cursor
    }
    // A group and a file question always have an answer; what only displays never has one.
    expect(seen).toEqual(['text', 'email', 'country', 'file', 'group'])
  })

  test('400 invalid_cursor for a cursor of another application or collection', async () => {
    const one = await begin(everyType)
    const other = await begin(everyType)
    const { next_cursor } = (await portal.call('GET', `${one.url}answers/?page_size=1`)).body
    expect(next_cursor).not.toBeNull()
    for (const path of [`${other.url}answers/`, `${one.url}answers/group/items/`, 'client-intake-applications/']) {
      const { status, body } = await portal.call('GET', `${path}?page_size=1&cursor=${next_cursor}`)
      expect([status, body.code], path).toEqual([400, 'invalid_cursor'])
    }
  })
})

describe('ETag', () => {
  test('200 every write moves the ETag of the application and returns it in header and body', async () => {
    const one = await begin(everyType)
    const seen = [one.etag]
    let item = ''
    const steps: [string, () => string, unknown?][] = [
      ['PUT', () => 'answers/text/', { value: 'Lee' }],
      ['PUT', () => 'answers/text/', { value: 'Ann' }],
      ['DELETE', () => 'answers/text/'],
      ['PATCH', () => 'answers/', { answers: [{ question_key: 'text', value: 'Lee' }] }],
      ['PUT', () => 'answers/text/', { value: null }],
      ['POST', () => 'answers/group/items/', { values: { inner: 'X' } }],
      ['PATCH', () => `answers/group/items/${item}/`, { values: { inner: 'Y' } }],
      ['DELETE', () => `answers/group/items/${item}/`],
      ['PATCH', () => '', { title: 'Renamed' }],
      ['POST', () => 'submit/'],
      ['POST', () => 'return/', { message: 'Again, please.', question_keys: [] }],
      ['POST', () => 'withdraw/'],
    ]
    for (const [method, pathOf, sent] of steps) {
      const path = pathOf()
      const answer = await write(one, method, path, sent, { 'if-match': seen.at(-1) ?? '' })
      expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
      if (method === 'POST' && path.endsWith('items/')) item = answer.body.id
      const read = await portal.call('GET', one.url)
      const etags = [answer.headers.get('etag'), answer.body.etag, read.headers.get('etag'), read.body.etag]
      expect(new Set(etags).size, `${method} ${path}`).toBe(1)
      expect(seen).not.toContain(answer.body.etag)
      expect((await answerTo(one, 'group')).headers.get('etag')).toBe(answer.body.etag)
      seen.push(answer.body.etag)
    }
  })

  test('412 for all but one of a hundred who write at once on the same ETag', async () => {
    const one = await begin(everyType)
    const send = async (value: string, triesLeft = 20): Promise<Awaited<ReturnType<typeof write>>> => {
      const answer = await write(one, 'PUT', 'answers/text/', { value }, { 'if-match': one.etag })
      // The server was too busy, and has written nothing.
      return answer.status === 503 && triesLeft > 0 ? send(value, triesLeft - 1) : answer
    }
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => send(`W${n}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(99).fill(412)])
    const winner = answers.find(({ status }) => status === 200)
    expect((await answerTo(one, 'text')).body).toEqual(winner?.body)
    for (const { status, text } of answers) if (status === 412) expect(text).not.toContain(winner?.body.etag)
  })
})
