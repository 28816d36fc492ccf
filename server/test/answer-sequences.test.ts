import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let contract_id: string

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  const draft = {
    kind: 'client_intake',
    title: 'Sequences',
    locale: 'en-US',
    sections: [{ key: 'one', title: 'One' }],
    questions: [
      { key: 'text', type: 'text', validation: { max_length: 20, pattern: '^[A-Z]' } },
      { key: 'integer', type: 'integer', validation: { min: 1, max: 100_000, multiple_of: 5 } },
      { key: 'boolean', type: 'boolean' },
      {
        key: 'single_choice',
        type: 'single_choice',
        options: ['small', 'large'].map((value) => ({ value, label: value })),
        allow_other: true,
      },
    ].map((question) => ({ section: 'one', label: question.key, ...question })),
  }
  contract_id = (await server.context.database.transaction((tx) => publishContract(tx, portal.caller, draft))).id
})
afterAll(() => server.stop())

interface Intake {
  url: string
  etag: string
}

async function begin(): Promise<Intake> {
  const business = await portal.call('POST', 'businesses/', { body: portal.business() })
  const body = { business_id: business.body.id, contract_id }
  return (await portal.call('POST', 'client-intake-applications/', { body })).body
}

interface Seen {
  question_key: string
  value: unknown
  state: string | null
  confirmed: boolean
}
const answersOf = async ({ url }: Intake): Promise<Seen[]> => (await portal.call('GET', `${url}answers/`)).body.items

describe('any sequence of writes', () => {
  const good: Record<string, fc.Arbitrary<unknown>> = {
    text: fc
      .string({ unit: 'binary', maxLength: 8 })
      .map((rest) => `A${rest.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '')}`),
    integer: fc.integer({ min: 1, max: 20 }).map((n) => n * 5),
    boolean: fc.boolean(),
    single_choice: fc.constantFrom('small', { other: 'medium' }),
  }
  const keys = Object.keys(good)
  interface Write {
    question_key: string
    value?: unknown
    state?: string
    confirmed?: boolean
  }
  const oneWrite: fc.Arbitrary<Write> = fc.constantFrom(...keys).chain((key) => {
    const parts = { question_key: fc.constant(key), value: good[key] ?? fc.nat(), confirmed: fc.boolean() }
    return fc.oneof(
      { weight: 5, arbitrary: fc.record(parts, { requiredKeys: ['question_key', 'value'] }) },
      fc
        .constantFrom<Omit<Write, 'question_key'>>(
          { value: null },
          { value: ['of no type'] },
          { state: 'declined' },
          { confirmed: true },
          { confirmed: false },
        )
        .map((rest) => ({ question_key: key, ...rest })),
    )
  })
  const step = fc.oneof(
    oneWrite.map((one) => ({ method: 'PUT', writes: [one], isStale: false })),
    fc.constantFrom(...keys).map((question_key) => {
      return { method: 'DELETE', writes: [{ question_key, value: null }], isStale: false }
    }),
    fc.record({
      method: fc.constant('PATCH'),
      writes: fc.array(oneWrite, { minLength: 1, maxLength: 4 }),
      isStale: fc.boolean(),
    }),
  )

  type Model = Map<string, { value: unknown; state: string; confirmed: boolean }>

  /** What the writes come to; undefined when they are refused. */
  function after(model: Model, writes: readonly Write[]): Model | undefined {
    const next: Model = new Map(model)
    if (new Set(writes.map(({ question_key }) => question_key)).size < writes.length) return undefined
    for (const { question_key, value, state, confirmed = true } of writes) {
      const current = model.get(question_key)
      if (state === 'declined') next.set(question_key, { value: null, state, confirmed })
      else if (value === null) next.delete(question_key)
      else if (Array.isArray(value)) return undefined
      else if (value !== undefined) next.set(question_key, { value, state: 'answered', confirmed })
      else if (current) next.set(question_key, { ...current, confirmed })
      else return undefined
    }
    return next
  }

  test('200, 412 and 422 as a simple model predicts, and exactly its answers at the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const one = await begin()
        let model: Model = new Map()
        let { etag } = one
        for (const { method, writes, isStale } of steps) {
          const [{ question_key, ...body } = { question_key: '' }] = writes
          const path = method === 'PATCH' ? 'answers/' : `answers/${question_key}/`
          const sent = method === 'PATCH' ? { answers: writes } : method === 'PUT' ? body : undefined
          const headers = { 'if-match': isStale ? '"stale"' : etag }
          const answer = await portal.call(method, `${one.url}${path}`, { body: sent, headers })
          const next = isStale ? undefined : after(model, writes)
          expect(answer.status, answer.text).toBe(isStale ? 412 : next ? 200 : 422)
          model = next ?? model
          etag = next ? answer.body.etag : etag
        }
        const given = await answersOf(one)
        expect(
          new Map(
            given.map(({ question_key, value, state, confirmed }) => [question_key, { value, state, confirmed }]),
          ),
        ).toEqual(model)
        expect((await portal.call('GET', one.url)).body.etag).toBe(etag)
      }),
      { numRuns: 20 },
    )
  })
})
