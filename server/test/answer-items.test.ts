import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let contract_id: string

const yes = (question: string) => ({ question, operator: 'equals', value: true })

const draft = {
  kind: 'client_intake',
  title: 'Items',
  locale: 'en-US',
  sections: [{ key: 'one', title: 'One' }],
  questions: [
    { key: 'is_urgent', section: 'one', type: 'boolean', label: 'Urgent' },
    { key: 'is_foreign', section: 'one', type: 'boolean', label: 'Foreign business' },
    {
      key: 'owners',
      section: 'one',
      type: 'group',
      label: 'Owners',
      repeat: { min: 2, max: 4, item_label: 'Owner' },
      questions: [
        { key: 'name', type: 'text', label: 'Name', required: true },
        { key: 'email', type: 'email', label: 'E-mail', validation: { unique_in_group: true } },
        { key: 'share', type: 'percent', label: 'Share' },
        { key: 'is_foreign', type: 'boolean', label: 'Foreign owner' },
        { key: 'visa', type: 'text', label: 'Visa', required: true, visible_when: yes('is_foreign') },
        { key: 'mobile', type: 'phone', label: 'Mobile', required: true, visible_when: yes('is_urgent') },
        {
          key: 'permit',
          type: 'identifier',
          label: 'Permit',
          visible_when: yes('is_foreign'),
          validation: { unique_in_group: true },
        },
      ],
    },
    {
      key: 'debts',
      section: 'one',
      type: 'group',
      label: 'Debts',
      visible_when: { question: 'is_urgent', operator: 'not_equals', value: true },
      repeat: { min: 0, max: 10, item_label: 'Debt' },
      questions: [{ key: 'lender', type: 'text', label: 'Lender', required: true }],
    },
  ],
}

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  contract_id = (await server.context.database.transaction((tx) => publishContract(tx, portal.caller, draft))).id
})
afterAll(() => server.stop())

interface Intake {
  id: string
  url: string
  etag: string
}
interface Item {
  id: string
  position: number
  values: Record<string, unknown>
}

async function begin(): Promise<Intake> {
  const business = await portal.call('POST', 'businesses/', { body: portal.business() })
  const body = { business_id: business.body.id, contract_id }
  return (await portal.call('POST', 'client-intake-applications/', { body })).body
}

const etagOf = async ({ url }: Intake): Promise<string> => (await portal.call('GET', url)).body.etag
const write = async (one: Intake, method: string, path: string, body?: unknown) =>
  portal.call(method, `${one.url}answers/${path}`, { body, headers: { 'if-match': await etagOf(one) } })
const add = (one: Intake, values: object, position?: number, group = 'owners') =>
  write(one, 'POST', `${group}/items/`, { values, ...(position !== undefined && { position }) })
const change = (one: Intake, id: string, body: object) => write(one, 'PATCH', `owners/items/${id}/`, body)
const remove = (one: Intake, id: string) => write(one, 'DELETE', `owners/items/${id}/`)
const itemsOf = async (one: Intake, group = 'owners'): Promise<Item[]> =>
  (await portal.call('GET', `${one.url}answers/${group}/items/`)).body.items
const namesOf = async (one: Intake) => (await itemsOf(one)).map(({ position, values }) => `${position} ${values.name}`)

interface Problem {
  question_key: string
  group_key: string | null
  item_id: string | null
  code: string
}
async function problemsOf({ url }: Intake) {
  const { problems } = (await portal.call('GET', `${url}validation/`)).body
  return problems.map(({ question_key, group_key, item_id, code }: Problem) => [question_key, group_key, item_id, code])
}

describe('adding', () => {
  test('201 with every field of the item, at the end, as it is read afterwards', async () => {
    const one = await begin()
    await add(one, { name: 'Ann' })
    const made = await add(one, { name: 'Bo', share: 40 })
    expect(made.status).toBe(201)
    const { id, etag, created_at } = made.body
    const told = { state: 'answered', source: 'api', source_detail: null, confirmed: true, is_active: true }
    expect(made.body).toEqual({
      id,
      url: `${one.url}answers/owners/items/${id}/`,
      etag,
      created_at,
      updated_at: created_at,
      group_key: 'owners',
      position: 2,
      values: { name: 'Bo', share: 40 },
      value_sources: { name: told, share: told },
      is_active: true,
    })
    expect(id).toMatch(/^itm_[0-9a-z]{26}$/)
    expect(made.headers.get('location')).toBe(made.body.url)
    expect((await portal.call('GET', made.body.url)).text).toBe(made.text)
    expect((await portal.call('GET', `${one.url}answers/owners/`)).body).toMatchObject({
      value: null,
      state: 'answered',
      confirmed: true,
      item_count: 2,
      items_url: `${one.url}answers/owners/items/`,
    })
  })

  test('201 at a position, and those behind it move on', async () => {
    const one = await begin()
    await add(one, { name: 'Ann' })
    await add(one, { name: 'Bo' })
    expect((await add(one, { name: 'First' }, 1)).body.position).toBe(1)
    expect((await add(one, { name: 'Last' }, 4)).body.position).toBe(4)
    expect(await namesOf(one)).toEqual(['1 First', '2 Ann', '3 Bo', '4 Last'])
  })

  test('422 for a position beyond the end, with the range', async () => {
    const one = await begin()
    await add(one, { name: 'Ann' })
    const beyond = await add(one, { name: 'Bo' }, 3)
    expect(beyond.status).toBe(422)
    expect(beyond.body.details).toMatchObject([
      { pointer: '/position', code: 'out_of_range', meta: { minimum: 1, maximum: 2 } },
    ])
    expect((await add(one, { name: 'Bo' }, 0)).body.details).toMatchObject([
      { pointer: '/position', code: 'out_of_range' },
    ])
    expect(await namesOf(one)).toEqual(['1 Ann'])
  })

  test('409 limit_reached when the group is full, and 201 again after one was deleted', async () => {
    const one = await begin()
    const ids: string[] = []
    for (const name of ['Ann', 'Bo', 'Cy', 'Di']) ids.push((await add(one, { name })).body.id)
    const before = await etagOf(one)
    const { status, body } = await add(one, { name: 'Ed' })
    expect([status, body.code]).toEqual([409, 'limit_reached'])
    expect(body.details).toMatchObject([{ name: 'owners', meta: { maximum: 4 } }])
    expect(await etagOf(one)).toBe(before)
    await remove(one, ids[1] ?? '')
    expect((await add(one, { name: 'Ed' })).status).toBe(201)
    expect(await namesOf(one)).toEqual(['1 Ann', '2 Cy', '3 Di', '4 Ed'])
  })

  test('422 tells every value that does not fit and every question the group does not have', async () => {
    const one = await begin()
    const { status, body } = await add(one, { name: 'Ann', share: 140, lender: 'First Bank', email: 'ann-at-home' }, 9)
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(body.details).toMatchObject([
      { pointer: '/values/share', code: 'invalid_answer', meta: { question_key: 'share' } },
      { pointer: '/values/lender', code: 'unknown_question', meta: { question_key: 'lender' } },
      { pointer: '/values/email', code: 'invalid_answer', meta: { question_key: 'email' } },
      { pointer: '/position', code: 'out_of_range' },
    ])
    expect(JSON.stringify([body.message, body.details])).not.toMatch(/First Bank|ann-at-home|140/)
    expect(await itemsOf(one)).toEqual([])
  })

  test('201 once for the same Idempotency-Key', async () => {
    const one = await begin()
    const send = () =>
      portal.call('POST', `${one.url}answers/owners/items/`, {
        body: { values: { name: 'Ann' } },
        headers: { 'if-match': one.etag, 'idempotency-key': `items-${one.id}` },
      })
    const first = await send()
    const again = await send()
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    expect(await itemsOf(one)).toHaveLength(1)
  })
})

describe('changing', () => {
  test('200 changes what is sent, clears what is null, leaves the rest', async () => {
    const one = await begin()
    const { id, created_at } = (await add(one, { name: 'Ann', share: 60, email: 'ann@example.com' })).body
    const { status, body } = await change(one, id, { values: { share: 55.5, email: null, is_foreign: false } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, created_at, position: 1, values: { name: 'Ann', share: 55.5, is_foreign: false } })
    expect(Object.keys(body.values).sort()).toEqual(['is_foreign', 'name', 'share'])
    expect(Object.keys(body.value_sources).sort()).toEqual(['is_foreign', 'name', 'share'])
    expect(await itemsOf(one)).toEqual([body])
  })

  test('200 moves to a position and closes the gap; values may change at once', async () => {
    const one = await begin()
    const ids: string[] = []
    for (const name of ['Ann', 'Bo', 'Cy', 'Di']) ids.push((await add(one, { name })).body.id)
    expect((await change(one, ids[0] ?? '', { position: 3, values: { name: 'Anna' } })).body.position).toBe(3)
    expect(await namesOf(one)).toEqual(['1 Bo', '2 Cy', '3 Anna', '4 Di'])
    await change(one, ids[3] ?? '', { position: 1 })
    expect(await namesOf(one)).toEqual(['1 Di', '2 Bo', '3 Cy', '4 Anna'])
    expect((await change(one, ids[3] ?? '', { position: 5 })).status).toBe(422)
  })

  test('200 declines a value, which no longer counts as given; 200 again when it is answered', async () => {
    const one = await begin()
    const { id } = (await add(one, { name: 'Ann', email: 'ann@example.com' })).body
    const declined = await change(one, id, { declined: ['email', 'name'] })
    expect([declined.status, declined.body.values]).toEqual([200, {}])
    expect(declined.body.value_sources.email).toMatchObject({ state: 'declined', confirmed: true })
    expect(await problemsOf(one)).toContainEqual(['name', 'owners', id, 'declined'])
    const answered = await change(one, id, { values: { name: 'Ann' } })
    expect(answered.body.value_sources.name.state).toBe('answered')
    expect(await problemsOf(one)).not.toContainEqual(['name', 'owners', id, 'declined'])
  })

  test('200 confirms a value that is there, or leaves it to Autofill', async () => {
    const one = await begin()
    const made = (await write(one, 'POST', 'owners/items/', { values: { name: 'Ann' }, confirmed: { name: false } }))
      .body
    expect(made.value_sources.name.confirmed).toBe(false)
    const { body } = await change(one, made.id, { confirmed: { name: true } })
    expect([body.values.name, body.value_sources.name.confirmed]).toEqual(['Ann', true])
  })

  test('422 for a question that is both answered and declined, or confirmed without a value', async () => {
    const one = await begin()
    const { id } = (await add(one, { name: 'Ann' })).body
    const refused = await change(one, id, {
      values: { share: 1 },
      declined: ['share', 'nope'],
      confirmed: { email: true },
    })
    expect([refused.status, refused.body.details.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      ['/declined/0', '/declined/1', '/confirmed/email'],
    ])
  })

  test('200 marks the values of questions that are not asked of this item', async () => {
    const one = await begin()
    const { id } = (await add(one, { name: 'Ann', is_foreign: true, visa: 'B1' })).body
    const { body } = await change(one, id, { values: { is_foreign: false } })
    expect([body.values.visa, body.value_sources.visa.is_active, body.value_sources.name.is_active]).toEqual([
      'B1',
      false,
      true,
    ])
  })

  test('200 for a change that changes nothing, and the ETag stays', async () => {
    const one = await begin()
    const { id, etag } = (await add(one, { name: 'Ann' })).body
    for (const body of [{ values: { name: 'Ann' } }, { position: 1 }, { values: { email: null } }])
      expect((await change(one, id, body)).body.etag).toBe(etag)
  })

  test('422 leaves the item and the ETag as they were', async () => {
    const one = await begin()
    const made = await add(one, { name: 'Ann' })
    const refused = await change(one, made.body.id, { values: { name: 'Bo', share: -1, nothing: 1 } })
    expect(refused.body.details).toMatchObject([
      { pointer: '/values/share', code: 'invalid_answer' },
      { pointer: '/values/nothing', code: 'unknown_question' },
    ])
    expect((await change(one, made.body.id, {})).status).toBe(422)
    expect((await portal.call('GET', made.body.url)).body).toEqual(made.body)
    expect(await etagOf(one)).toBe(made.body.etag)
  })

  test('412 for a stale ETag, 428 without one', async () => {
    const one = await begin()
    const { url } = (await add(one, { name: 'Ann' })).body
    for (const [method, path, body] of [
      ['POST', `${one.url}answers/owners/items/`, { values: {} }],
      ['PATCH', url, { position: 1 }],
      ['DELETE', url, undefined],
    ] as const) {
      const stale = await portal.call(method, path, { body, headers: { 'if-match': one.etag } })
      expect([stale.status, (await portal.call(method, path, { body })).status], method).toEqual([412, 428])
    }
    expect(await namesOf(one)).toEqual(['1 Ann'])
  })

  test('404 for an item of another group or application, and for what is no group', async () => {
    const one = await begin()
    const other = await begin()
    const { id } = (await add(one, { name: 'Ann' })).body
    for (const [holder, path] of [
      [one, `debts/items/${id}/`],
      [other, `owners/items/${id}/`],
      [one, `owners/items/itm_${'0'.repeat(26)}/`],
      [one, `is_urgent/items/${id}/`],
      [one, `nothing/items/${id}/`],
    ] as const) {
      expect((await portal.call('GET', `${holder.url}answers/${path}`)).status, path).toBe(404)
      expect((await write(holder, 'PATCH', path, { position: 1 })).status, path).toBe(404)
      expect((await write(holder, 'DELETE', path)).status, path).toBe(404)
    }
    for (const path of ['is_urgent/items/', 'name/items/', 'nothing/items/']) {
      expect((await portal.call('GET', `${one.url}answers/${path}`)).status, path).toBe(404)
      expect((await write(one, 'POST', path, { values: {} })).status, path).toBe(404)
    }
    expect(await namesOf(one)).toEqual(['1 Ann'])
  })
})

describe('order', () => {
  test('200 pages forward only, and finds each item once and in order', async () => {
    const one = await begin()
    const made: string[] = []
    for (let n = 0; n < 5; n++) made.unshift((await add(one, { lender: `Bank ${n}` }, 1, 'debts')).body.id)
    const path = `${one.url}answers/debts/items/?page_size=2`
    const seen: string[][] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await portal.call('GET', `${path}${cursor && `&cursor=${cursor}`}`)
      expect(body.previous_cursor).toBeNull()
      seen.push(body.items.map(({ id }: Item) => id))
      cursor = body.next_cursor
    }
    expect(seen).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)])
  })

  test('200 for any sequence of adding, moving and deleting: positions are 1 to n, in the order a list would have', async () => {
    const maximum = 10
    const step = fc.record({
      verb: fc.constantFrom('add', 'add', 'insert', 'move', 'delete'),
      which: fc.nat(),
      to: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const one = await begin()
        const model: string[] = []
        for (const [index, { verb, which, to }] of steps.entries()) {
          const values = { lender: `Bank ${index}` }
          if (verb === 'add' || verb === 'insert') {
            const at = verb === 'add' ? model.length : to % (model.length + 1)
            const answer = await add(one, values, verb === 'add' ? undefined : at + 1, 'debts')
            expect(answer.status).toBe(model.length < maximum ? 201 : 409)
            if (answer.status === 201) model.splice(at, 0, answer.body.id)
            continue
          }
          const from = which % Math.max(1, model.length)
          const [id] = model.splice(from, 1)
          if (id === undefined) continue
          const path = `debts/items/${id}/`
          if (verb === 'delete') expect((await write(one, 'DELETE', path)).status).toBe(200)
          else {
            const at = to % (model.length + 1)
            const answer = await write(one, 'PATCH', path, { position: at + 1 })
            expect([answer.status, answer.body.position]).toEqual([200, at + 1])
            model.splice(at, 0, id)
          }
        }
        const items = await itemsOf(one, 'debts')
        expect(items.map(({ id, position }) => [id, position])).toEqual(model.map((id, index) => [id, index + 1]))
        expect((await portal.call('GET', `${one.url}answers/debts/`)).body.item_count).toBe(model.length)
      }),
      { numRuns: 15 },
    )
  })
})

describe('what items must have', () => {
  test('200 too few, then enough; each item is asked for what it lacks', async () => {
    const one = await begin()
    expect(await problemsOf(one)).toEqual([['owners', 'owners', null, 'required']])
    const first = (await add(one, {})).body.id
    expect(await problemsOf(one)).toEqual([
      ['owners', 'owners', null, 'too_few_items'],
      ['name', 'owners', first, 'required'],
    ])
    await change(one, first, { values: { name: 'Ann' } })
    await add(one, { name: 'Bo' })
    expect(await problemsOf(one)).toEqual([])
  })

  test('200 a value that must differ is a problem of every item that repeats it, in whatever case', async () => {
    const one = await begin()
    await add(one, { name: 'Ann', email: 'ann@example.com' })
    const second = (await add(one, { name: 'Bo', email: 'ANN@example.com' })).body.id
    const third = (await add(one, { name: 'Cy', email: 'ann@example.com' })).body.id
    await add(one, { name: 'Cy' })
    expect(await problemsOf(one)).toEqual([
      ['email', 'owners', second, 'not_unique'],
      ['email', 'owners', third, 'not_unique'],
    ])
    await change(one, second, { values: { email: 'bo@example.com' } })
    await change(one, third, { values: { email: null } })
    expect(await problemsOf(one)).toEqual([])
  })

  test('200 a value that must differ is no problem while its question is hidden in the item', async () => {
    const one = await begin()
    await add(one, { name: 'Ann', is_foreign: true, visa: 'A', permit: 'P-1' })
    const second = (await add(one, { name: 'Bo', is_foreign: true, visa: 'B', permit: 'P-1' })).body.id
    expect(await problemsOf(one)).toEqual([['permit', 'owners', second, 'not_unique']])
    await change(one, second, { values: { is_foreign: false } })
    expect(await problemsOf(one)).toEqual([])
  })

  test('200 a condition in an item means the same item, then the top level, never a sibling', async () => {
    const one = await begin()
    await write(one, 'PUT', 'is_foreign/', { value: true })
    const foreign = (await add(one, { name: 'Ann', is_foreign: true })).body.id
    await add(one, { name: 'Bo', is_foreign: false })
    await add(one, { name: 'Cy' })
    expect(await problemsOf(one)).toEqual([['visa', 'owners', foreign, 'required']])
    await change(one, foreign, { values: { visa: 'V-1' } })
    await write(one, 'PUT', 'is_urgent/', { value: true })
    expect((await problemsOf(one)).map(([key]: string[]) => key)).toEqual(['mobile', 'mobile', 'mobile'])
    await write(one, 'PUT', 'is_urgent/', { value: false })
    expect(await problemsOf(one)).toEqual([])
  })

  test('200 items of a hidden group are kept, ask for nothing, and are left out of the submission', async () => {
    const one = await begin()
    await write(one, 'PUT', 'is_urgent/', { value: false })
    const debt = (await add(one, {}, undefined, 'debts')).body
    for (const name of ['Ann', 'Bo']) await add(one, { name, mobile: '+14155550100', visa: 'hidden' })
    expect(await problemsOf(one)).toEqual([['lender', 'debts', debt.id, 'required']])
    await write(one, 'PUT', 'is_urgent/', { value: true })
    expect(await problemsOf(one)).toEqual([])
    expect(await itemsOf(one, 'debts')).toMatchObject([{ id: debt.id, is_active: false }])
    expect((await portal.call('GET', `${one.url}answers/debts/`)).body).toMatchObject({
      is_active: false,
      item_count: 1,
    })
    const submitted = await portal.call('POST', `${one.url}submit/`, { headers: { 'if-match': await etagOf(one) } })
    const { content } = (await portal.call('GET', submitted.body.submission.url)).body
    expect(content.items).toEqual(
      (await itemsOf(one)).map(({ id, position, values: { name, mobile } }) => ({
        id,
        group_key: 'owners',
        position,
        values: { name, mobile },
      })),
    )
  })
})
