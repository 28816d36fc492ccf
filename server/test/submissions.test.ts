import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { day, isoTime } from '../src/platform/clock.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let contract: { id: string; version: number }

const draft = {
  kind: 'client_intake',
  title: 'Loans',
  locale: 'en-US',
  sections: [
    { key: 'about', title: 'About' },
    { key: 'loan', title: 'Loan', visible_when: { question: 'wants_loan', operator: 'equals', value: true } },
    { key: 'people', title: 'People' },
  ],
  questions: [
    { key: 'name', section: 'about', type: 'text', label: 'Name', required: true },
    { key: 'founded_on', section: 'about', type: 'date', label: 'Founded', validation: { max_date: 'today' } },
    { key: 'starts_on', section: 'about', type: 'date', label: 'Start', validation: { min_date: 'today' } },
    { key: 'wants_loan', section: 'about', type: 'boolean', label: 'Loan?', required: true },
    { key: 'amount', section: 'loan', type: 'money', label: 'Amount', required: true },
    {
      key: 'purpose',
      section: 'loan',
      type: 'text',
      label: 'Purpose',
      required_when: { question: 'amount', operator: 'gt', value: '100000' },
    },
    { key: 'notes', section: 'people', type: 'display', label: 'Tell us about everybody.' },
    {
      key: 'owners',
      section: 'people',
      type: 'group',
      label: 'Owners',
      repeat: { min: 1, max: 3, item_label: 'Owner' },
      questions: [
        { key: 'full_name', type: 'text', label: 'Full name', required: true },
        { key: 'code', type: 'identifier', label: 'Code', validation: { unique_in_group: true } },
      ],
    },
  ],
}

beforeAll(async () => {
  server = await startTestServer()
  // Noon, so that no test crosses a midnight by itself.
  server.clock.advance(day - (server.clock.now() % day) + day / 2)
  portal = await newPortal(server)
  contract = await server.context.database.transaction((tx) => publishContract(tx, portal.caller, draft))
})
afterAll(() => server.stop())

interface Intake {
  id: string
  url: string
  etag: string
}

async function begin(): Promise<Intake> {
  const business = await portal.call('POST', 'businesses/', { body: portal.business() })
  const body = { business_id: business.body.id, contract_id: contract.id }
  return (await portal.call('POST', 'client-intake-applications/', { body })).body
}

const read = async ({ url }: Intake) => (await portal.call('GET', url)).body
const validationOf = async ({ url }: Intake) => (await portal.call('GET', `${url}validation/`)).body

/** A write under an application, at its current ETag. */
const write = async (one: Intake, method: string, path: string, body?: unknown) =>
  portal.call(method, `${one.url}${path}`, { body, headers: { 'if-match': (await read(one)).etag } })
const put = (one: Intake, key: string, body: unknown) => write(one, 'PUT', `answers/${key}/`, body)
const addOwner = (one: Intake, values: object) => write(one, 'POST', 'answers/owners/items/', { values })
const submit = (one: Intake) => write(one, 'POST', 'submit/')
const giveBack = (one: Intake, body: object) => write(one, 'POST', 'return/', body)

const today = (offset = 0) => isoTime(server.clock.now() + offset * day).slice(0, 10)

/** An application that lacks nothing. */
async function complete() {
  const one = await begin()
  await put(one, 'name', { value: 'Lee Bakery LLC' })
  await put(one, 'wants_loan', { value: false })
  await addOwner(one, { full_name: 'Ann Lee', code: 'A' })
  return one
}

/** JSON with the members of every object sorted by name, as the reference describes it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
const digestOf = (content: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('hex')

interface Problem {
  question_key: string
  group_key: string | null
  item_id: string | null
  code: string
  message: string
}
interface Detail {
  location: string
  name: string
  code: string
  message: string
  meta: object
}

describe('what is missing', () => {
  test('422 application_incomplete with exactly the problems that validation lists', async () => {
    const one = await begin()
    const first = (await addOwner(one, { code: 'SAME' })).body.id
    const second = (await addOwner(one, { full_name: 'Bo', code: 'same' })).body.id
    await put(one, 'wants_loan', { value: true })
    await put(one, 'amount', { value: { amount: '100000.01', currency: 'USD' } })
    await put(one, 'purpose', { state: 'declined' })
    const { is_submittable, problems } = await validationOf(one)
    expect(is_submittable).toBe(false)
    expect(problems.map(({ message: _, ...problem }: Problem) => problem)).toEqual([
      { question_key: 'name', group_key: null, item_id: null, code: 'required' },
      { question_key: 'purpose', group_key: null, item_id: null, code: 'declined' },
      { question_key: 'full_name', group_key: 'owners', item_id: first, code: 'required' },
      { question_key: 'code', group_key: 'owners', item_id: second, code: 'not_unique' },
    ])
    const before = await read(one)
    expect(before.is_submittable).toBe(false)
    const { status, body } = await submit(one)
    expect([status, body.code]).toEqual([422, 'application_incomplete'])
    expect(
      body.details.map(({ location, name, code, message, meta }: Detail) => {
        expect([location, 'question_key' in meta && meta.question_key]).toEqual(['state', name])
        return { ...meta, code, message }
      }),
    ).toEqual(problems)
    expect(await read(one)).toEqual(before)
    expect((await portal.call('GET', `${one.url}submissions/1/`)).status).toBe(404)
  })

  test('200 validation of a submitted application: no problems, and not to be submitted', async () => {
    const one = await complete()
    expect(await validationOf(one)).toEqual({ is_submittable: true, problems: [], notices: [] })
    await submit(one)
    expect(await validationOf(one)).toEqual({ is_submittable: false, problems: [], notices: [] })
    expect((await read(one)).is_submittable).toBe(false)
  })

  test('200 progress counts what must be answered and what is, and says how each section stands', async () => {
    const one = await begin()
    let owner = ''
    const steps: [string, () => Promise<unknown>, [number, number, number], string[]][] = [
      ['nothing', async () => undefined, [3, 0, 0], ['not_started', 'hidden', 'not_started']],
      ['a name', () => put(one, 'name', { value: 'Lee' }), [3, 1, 33], ['in_progress', 'hidden', 'not_started']],
      [
        'a loan, which opens a section',
        () => put(one, 'wants_loan', { value: true }),
        [4, 2, 50],
        ['complete', 'not_started', 'not_started'],
      ],
      [
        'an amount that asks for a purpose',
        () => put(one, 'amount', { value: { amount: '200000', currency: 'USD' } }),
        [5, 3, 60],
        ['complete', 'in_progress', 'not_started'],
      ],
      [
        'a purpose that is declined',
        () => put(one, 'purpose', { state: 'declined' }),
        [5, 3, 60],
        ['complete', 'in_progress', 'not_started'],
      ],
      [
        'a purpose',
        () => put(one, 'purpose', { value: 'A second oven' }),
        [5, 4, 80],
        ['complete', 'complete', 'not_started'],
      ],
      [
        'an owner without a name',
        async () => {
          owner = (await addOwner(one, {})).body.id
        },
        [6, 5, 83],
        ['complete', 'complete', 'in_progress'],
      ],
      [
        'the name of the owner',
        () => write(one, 'PATCH', `answers/owners/items/${owner}/`, { values: { full_name: 'Ann' } }),
        [6, 6, 100],
        ['complete', 'complete', 'complete'],
      ],
      [
        'no loan after all',
        () => put(one, 'wants_loan', { value: false }),
        [4, 4, 100],
        ['complete', 'hidden', 'complete'],
      ],
    ]
    for (const [what, step, [required, answered, percent], states] of steps) {
      await step()
      const { progress, is_submittable } = await read(one)
      const sections = ['about', 'loan', 'people'].map((key, index) => ({ key, state: states[index] }))
      expect(progress, what).toEqual({ required, answered, percent, sections })
      expect(is_submittable, what).toBe(percent === 100)
    }
    const cleared = await write(one, 'DELETE', 'answers/name/')
    const now = await read(one)
    expect(cleared.body).toMatchObject({ progress: now.progress, is_submittable: false })
    expect(now.progress).toMatchObject({ required: 4, answered: 3, percent: 75 })
  })
})

describe('days that move', () => {
  test('422 for a day after today, 200 for the same one when it has come', async () => {
    const one = await begin()
    const tomorrow = today(1)
    const refused = await put(one, 'founded_on', { value: tomorrow })
    expect([refused.status, refused.body.details[0].code]).toEqual([422, 'invalid_answer'])
    server.clock.advance(day)
    expect((await put(one, 'founded_on', { value: tomorrow })).status).toBe(200)
  })

  test('422 for a submission on a day that has left an answer behind, though the record is as it was', async () => {
    const one = await complete()
    await put(one, 'starts_on', { value: today() })
    const before = await read(one)
    expect([before.is_submittable, (await validationOf(one)).is_submittable]).toEqual([true, true])
    server.clock.advance(day)
    expect(await read(one)).toEqual(before)
    const { is_submittable, problems } = await validationOf(one)
    expect(is_submittable).toBe(false)
    expect(problems).toMatchObject([{ question_key: 'starts_on', code: 'invalid_answer' }])
    const { status, body } = await submit(one)
    expect([status, body.code]).toEqual([422, 'application_incomplete'])
    expect(body.details).toMatchObject([{ name: 'starts_on', code: 'invalid_answer' }])
    await put(one, 'starts_on', { value: today() })
    expect((await submit(one)).status).toBe(200)
  })
})

describe('submitting', () => {
  test('200 freezes what was asked and said, with the digest of its canonical JSON', async () => {
    const one = await complete()
    await put(one, 'wants_loan', { value: true })
    await put(one, 'amount', { value: { currency: 'USD', amount: '5000.50' } })
    await put(one, 'purpose', { value: 'Hidden by then' })
    await put(one, 'founded_on', { state: 'declined' })
    await put(one, 'wants_loan', { value: false })
    const { status, headers, body } = await submit(one)
    expect(status).toBe(200)
    const { submission, expires_at, attempt, returned, etag } = body
    expect(body).toMatchObject({ state: 'submitted', is_submittable: false })
    expect([attempt, returned, expires_at, headers.get('etag')]).toEqual([1, null, null, etag])
    expect(submission).toMatchObject({ number: 1, url: `${one.url}submissions/1/` })

    const frozen = (await portal.call('GET', submission.url)).body
    const [owner] = (await portal.call('GET', `${one.url}answers/owners/items/`)).body.items
    expect(frozen).toEqual({
      url: submission.url,
      application_id: one.id,
      number: 1,
      submitted_at: submission.submitted_at,
      sha256: digestOf(frozen.content),
      content: {
        contract_id: contract.id,
        contract_version: contract.version,
        answers: [
          { question_key: 'name', state: 'answered', value: 'Lee Bakery LLC' },
          { question_key: 'founded_on', state: 'declined', value: null },
          { question_key: 'wants_loan', state: 'answered', value: false },
        ],
        items: [{ id: owner.id, group_key: 'owners', position: 1, values: { full_name: 'Ann Lee', code: 'A' } }],
        files: [],
      },
    })
    expect(submission.sha256).toBe(frozen.sha256)
  })

  test('409 for a second submission, 412 for a stale ETag, 428 without one', async () => {
    const one = await complete()
    const submitted = (await submit(one)).body
    const stale = await portal.call('POST', `${one.url}submit/`, { headers: { 'if-match': one.etag } })
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
    expect(stale.text).not.toContain(submitted.etag.replaceAll('"', ''))
    expect((await portal.call('POST', `${one.url}submit/`)).status).toBe(428)
    const second = await submit(one)
    expect([second.status, second.body.code]).toEqual([409, 'state_conflict'])
    expect(second.body.details[0].meta.state).toBe('submitted')
    expect(await read(one)).toEqual(submitted)
  })

  test('200 replays for the same Idempotency-Key, and there is one submission', async () => {
    const one = await complete()
    const { etag } = await read(one)
    const send = () =>
      portal.call('POST', `${one.url}submit/`, { headers: { 'if-match': etag, 'idempotency-key': `submit-${one.id}` } })
    const first = await send()
    const again = await send()
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    const events = await portal.call('GET', `events/?resource_id=${one.id}&type=client_intake_application.submitted`)
    expect(events.body.items).toHaveLength(1)
    expect((await portal.call('GET', `${one.url}submissions/2/`)).status).toBe(404)
  })

  test('200 for one of ten who submit at once, 412 for the others', async () => {
    const one = await complete()
    const headers = { 'if-match': (await read(one)).etag }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => portal.call('POST', `${one.url}submit/`, { headers })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
    expect((await portal.call('GET', `${one.url}submissions/1/`)).status).toBe(200)
  })

  test('404 for a submission that is not there, of another application or of another Portal', async () => {
    const one = await complete()
    await submit(one)
    for (const number of ['2', '0', '01', 'last'])
      expect((await portal.call('GET', `${one.url}submissions/${number}/`)).status, number).toBe(404)
    expect((await portal.call('GET', `${(await begin()).url}submissions/1/`)).status).toBe(404)
    expect((await (await newPortal(server)).call('GET', `${one.url}submissions/1/`)).status).toBe(404)
  })
})

describe('returning', () => {
  test('200 returned says why until the next submission, the first edit takes it up, and both submissions stay', async () => {
    const one = await complete()
    const first = (await submit(one)).body
    const frozen = (await portal.call('GET', first.submission.url)).text
    const why = { message: 'Is the name right?', question_keys: ['name', 'owners'] }

    const returned = (await giveBack(one, why)).body
    expect(returned).toMatchObject({ state: 'returned', attempt: 2, returned: why, is_submittable: true })
    expect(returned.submission).toEqual(first.submission)
    expect(returned.expires_at).not.toBeNull()

    const edited = (await put(one, 'name', { value: 'Lee Bakery Inc' })).body
    const reopened = await read(one)
    expect(reopened).toMatchObject({ state: 'in_progress', attempt: 2, returned: why, etag: edited.etag })
    expect(reopened.submission).toEqual(first.submission)
    const { state_changed_at } = reopened
    await put(one, 'name', { value: 'Lee Bakery Corp' })
    expect((await read(one)).state_changed_at).toBe(state_changed_at)

    const second = (await submit(one)).body
    expect(second).toMatchObject({ state: 'submitted', attempt: 2, returned: null, submission: { number: 2 } })
    expect(second.submission.url).toBe(`${one.url}submissions/2/`)
    expect((await portal.call('GET', first.submission.url)).text).toBe(frozen)
    const { content, sha256 } = (await portal.call('GET', second.submission.url)).body
    expect(content.answers[0].value).toBe('Lee Bakery Corp')
    expect([sha256, second.submission.sha256]).toEqual([digestOf(content), digestOf(content)])
    expect(sha256).not.toBe(first.submission.sha256)
  })

  test.each([
    ['an answer', (one: Intake) => put(one, 'founded_on', { state: 'declined' })],
    [
      'many answers',
      (one: Intake) => write(one, 'PATCH', 'answers/', { answers: [{ question_key: 'name', value: 'L' }] }),
    ],
    ['a cleared answer', (one: Intake) => write(one, 'DELETE', 'answers/name/')],
    ['an item', (one: Intake) => addOwner(one, { full_name: 'Bo' })],
  ])('200 %s takes a returned application up again; what is refused does not', async (_, edit) => {
    const one = await complete()
    await submit(one)
    await giveBack(one, { message: 'Please look again.', question_keys: [] })
    expect((await put(one, 'wants_loan', { value: 'maybe' })).status).toBe(422)
    expect((await read(one)).state).toBe('returned')
    expect((await edit(one)).status).toBeLessThan(300)
    expect((await read(one)).state).toBe('in_progress')
  })

  test('200 a returned application may be submitted as it is, as its second attempt with the same digest', async () => {
    const one = await complete()
    const first = (await submit(one)).body
    await giveBack(one, { message: 'Sure?', question_keys: [] })
    const second = (await submit(one)).body
    expect(second).toMatchObject({ state: 'submitted', attempt: 2, submission: { number: 2 } })
    expect(second.submission.sha256).toBe(first.submission.sha256)
  })

  test('422 for questions the contract does not have and without a message; a question named twice is told once', async () => {
    const one = await complete()
    const submitted = (await submit(one)).body
    const unknown = await giveBack(one, { message: 'Why?', question_keys: ['name', 'nothing', 'full_name'] })
    expect(unknown.status).toBe(422)
    expect(unknown.body.details).toMatchObject([
      { pointer: '/question_keys/1', code: 'unknown_question' },
      { pointer: '/question_keys/2', code: 'unknown_question' },
    ])
    expect((await giveBack(one, { question_keys: [] })).body.details).toMatchObject([
      { pointer: '/message', code: 'required' },
    ])
    expect(await read(one)).toEqual(submitted)
    const returned = await giveBack(one, { message: 'Why?', question_keys: ['name', 'name'] })
    expect(returned.body.returned).toEqual({ message: 'Why?', question_keys: ['name'] })
  })
})
