import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireIntake } from '../src/areas/client-intake/commands.ts'
import { clientIntakeJobs } from '../src/areas/client-intake/jobs.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { claimJobs, deployment, scheduleRepeating } from '../src/platform/background/jobs.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { day, second } from '../src/platform/clock.ts'
import type { Client } from './client.ts'
import { newIntake } from './fixtures.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }

let server: TestServer
let portal: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

interface Intake {
  id: string
  url: string
  etag: string
}

const publish = (draft: unknown, to: TestPortal) =>
  server.context.database.transaction((tx) => publishContract(tx, to.caller, draft))
const newBusiness = async (of: TestPortal) => (await of.call('POST', 'businesses/', { body: of.business() })).body
const begin = (by: TestPortal, body: Record<string, unknown>) =>
  by.call('POST', 'client-intake-applications/', { body })
const at = ({ etag }: { etag: string }) => ({ 'if-match': etag })
/** Clocks are read more than once in a request. */
const isNear = (time: string, expected: number) => Math.abs(Date.parse(time) - expected) < second
const unknownId = (prefix: string) => `${prefix}_${'0'.repeat(26)}`

/** Each action of an application, as an integrator would do it. */
const perform: Record<string, (application: Intake, call?: Client) => ReturnType<Client>> = {
  update: (one, call = portal.call) => call('PATCH', one.url, { body: { title: 'Renamed' }, headers: at(one) }),
  answer: (one, call = portal.call) =>
    call('PUT', `${one.url}answers/legal_name/`, { body: { value: 'Lee Bakery LLC' }, headers: at(one) }),
  submit: (one, call = portal.call) => call('POST', `${one.url}submit/`, { headers: at(one) }),
  withdraw: (one, call = portal.call) => call('POST', `${one.url}withdraw/`, { headers: at(one) }),
  accept: (one, call = portal.call) => call('POST', `${one.url}accept/`, { headers: at(one) }),
  reject: (one, call = portal.call) =>
    call('POST', `${one.url}reject/`, { body: { message: 'Outside our area.' }, headers: at(one) }),
  return: (one, call = portal.call) =>
    call('POST', `${one.url}return/`, {
      body: { message: 'The website is missing.', question_keys: ['website'] },
      headers: at(one),
    }),
}
const actions = Object.keys(perform)

async function act(application: Intake, action: string, call?: Client) {
  const answer = await perform[action]?.(application, call)
  if (!answer) throw new Error(`no such action: ${action}`)
  return answer
}

/** The way to each state from the beginning, and what can be done there. */
const states: Record<string, { way: string[]; available: string[] }> = {
  in_progress: { way: [], available: ['update', 'answer', 'submit', 'withdraw'] },
  submitted: { way: ['submit'], available: ['update', 'withdraw', 'accept', 'reject', 'return'] },
  returned: { way: ['submit', 'return'], available: ['update', 'answer', 'submit', 'withdraw'] },
  accepted: { way: ['submit', 'accept'], available: ['update'] },
  rejected: { way: ['submit', 'reject'], available: ['update'] },
  withdrawn: { way: ['withdraw'], available: ['update'] },
  expired: { way: ['expire'], available: ['update'] },
}

async function intakeIn(state: string) {
  let application = await newIntake(portal)
  for (const step of states[state]?.way ?? []) {
    if (step === 'expire') {
      server.clock.advance(91 * day)
      await expireNow()
      application = (await portal.call('GET', application.url)).body
    } else application = (await act(application, step)).body
  }
  expect(application.state).toBe(state)
  return application
}

/** Runs the job as the worker would. */
async function expireNow() {
  await scheduleRepeating(server.context, clientIntakeJobs)
  const definition = clientIntakeJobs.find(({ kind }) => kind === 'client_intake.expire')
  const [job] = await claimJobs(server.context, deployment, ['client_intake.expire'], 1)
  if (!definition || !job) throw new Error('client_intake.expire is not due')
  expect(await runJob(server.context, definition, job)).toBe('done')
}

interface SeenEvent {
  type: string
  sequence: number
  data: { resource: { url: string; version: number }; state: string; previous_state?: string; request_id?: string }
}
const eventsOf = async ({ id }: Intake): Promise<SeenEvent[]> =>
  (await portal.call('GET', `events/?resource_id=${id}&order=sequence`)).body.items
const shortOf = ({ type, data }: SeenEvent) => [
  type.replace('client_intake_application.', ''),
  data.previous_state ?? null,
  data.state,
]

describe('beginning', () => {
  test('201 with every field of the record, as it is read afterwards', async () => {
    const own = await newPortal(server)
    const contract = await publish(shortContract, own)
    const business = await newBusiness(own)
    const made = await begin(own, {
      business_id: business.id,
      title: 'Loan for a second oven',
      external_reference: 'full-1',
      metadata: { z: '1', a: '2' },
    })
    expect(made.status).toBe(201)
    const { id, url, etag, created_at, expires_at } = made.body
    expect(id).toMatch(/^cia_[0-9a-z]{26}$/)
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(made.body).toEqual({
      id,
      url: `${server.base}client-intake-applications/${id}/`,
      etag,
      created_at,
      updated_at: created_at,
      state: 'in_progress',
      state_changed_at: created_at,
      available_actions: ['update', 'answer', 'submit', 'withdraw'],
      business_id: business.id,
      project_ids: [],
      title: 'Loan for a second oven',
      external_reference: 'full-1',
      metadata: { z: '1', a: '2' },
      contract_url: `${server.base}contracts/${contract.id}/`,
      contract_version: 1,
      progress: {
        required: 0,
        answered: 0,
        percent: 100,
        sections: [
          { key: 'business', state: 'complete' },
          { key: 'documents', state: 'complete' },
        ],
      },
      is_submittable: true,
      attempt: 1,
      submission: null,
      returned: null,
      decision: null,
      expires_at,
      answers_url: `${url}answers/`,
      files_url: `${url}files/`,
      validation_url: `${url}validation/`,
      autofill_runs_url: `${url}autofill-runs/`,
    })
    expect(isNear(expires_at, Date.parse(created_at) + 90 * day)).toBe(true)
    expect([made.headers.get('location'), made.headers.get('etag')]).toEqual([url, etag])
    expect((await own.call('GET', url)).text).toBe(made.text)
    expect((await own.call('GET', made.body.contract_url)).body.id).toBe(contract.id)
  })

  test('201 with nothing but a business: the title is that of the contract', async () => {
    const own = await newPortal(server)
    await publish(shortContract, own)
    const { status, body } = await begin(own, { business_id: (await newBusiness(own)).id })
    expect(status).toBe(201)
    expect(body).toMatchObject({ title: 'Short intake', external_reference: null, metadata: {} })
  })

  test('201 with the latest published contract, which the application keeps when another is published', async () => {
    const own = await newPortal(server)
    const first = await publish(shortContract, own)
    const { id: business_id } = await newBusiness(own)
    const early = (await begin(own, { business_id })).body
    const second = await publish({ ...shortContract, title: 'Newer' }, own)
    const late = (await begin(own, { business_id })).body
    const chosen = (await begin(own, { business_id, contract_id: first.id })).body
    const versionOf = async ({ url }: Intake) => {
      const { contract_url, contract_version } = (await own.call('GET', url)).body
      return [contract_url, contract_version]
    }
    expect(await versionOf(early)).toEqual([`${server.base}contracts/${first.id}/`, 1])
    expect(await versionOf(late)).toEqual([`${server.base}contracts/${second.id}/`, 2])
    expect(await versionOf(chosen)).toEqual([`${server.base}contracts/${first.id}/`, 1])
  })

  test('201 with the latest version also when the clock was put back between two publications', async () => {
    const own = await newPortal(server)
    await publish(shortContract, own)
    server.clock.advance(-second)
    await publish({ ...shortContract, title: 'Newer' }, own)
    server.clock.advance(second)
    const { body } = await begin(own, { business_id: (await newBusiness(own)).id })
    expect([body.contract_version, body.title]).toEqual([2, 'Newer'])
  })

  test('422 unknown_reference for a contract of another kind, of another Portal, and for none', async () => {
    const own = await newPortal(server)
    await publish(shortContract, own)
    const ofOtherKind = await publish({ ...shortContract, kind: 'deal_application' }, own)
    const ofOtherPortal = await publish(shortContract, await newPortal(server))
    const { id: business_id } = await newBusiness(own)
    for (const contract_id of [ofOtherKind.id, ofOtherPortal.id, unknownId('ctr')]) {
      const { status, body } = await begin(own, { business_id, contract_id })
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(body.details).toMatchObject([{ pointer: '/contract_id', code: 'unknown_reference' }])
    }
  })

  test('422 unknown_reference for a business that is not there or is of another Portal', async () => {
    const own = await newPortal(server)
    await publish(shortContract, own)
    for (const business_id of [unknownId('biz'), (await newBusiness(portal)).id]) {
      const { status, body } = await begin(own, { business_id })
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(body.details).toMatchObject([{ pointer: '/business_id', code: 'unknown_reference' }])
    }
  })

  test('422 that says what to do while no contract is published, together with every other problem', async () => {
    const own = await newPortal(server)
    await publish({ ...shortContract, kind: 'deal_application' }, own)
    const { status, body } = await begin(own, { business_id: unknownId('biz') })
    expect(status).toBe(422)
    expect(body.details).toMatchObject([
      { pointer: '/business_id', code: 'unknown_reference' },
      { pointer: '/contract_id', code: 'required', message: expect.stringContaining('portico contract publish') },
    ])
  })

  test('409 state_conflict for an archived business, and nothing is begun', async () => {
    const own = await newPortal(server)
    await publish(shortContract, own)
    const business = await newBusiness(own)
    await own.call('POST', `${business.url}archive/`, { headers: at(business) })
    const { status, body } = await begin(own, { business_id: business.id })
    expect([status, body.code]).toEqual([409, 'state_conflict'])
    expect(body.details[0].meta).toEqual({ state: 'archived', available_actions: ['update', 'restore'] })
    expect((await own.call('GET', 'client-intake-applications/')).body.items).toEqual([])
  })

  test('409 already_exists with the address of the application that has the external reference', async () => {
    const first = await newIntake(portal, { external_reference: 'taken' })
    const { status, body } = await begin(portal, { business_id: first.business_id, external_reference: 'taken' })
    expect([status, body.code, body.details[0].meta.existing_url]).toEqual([409, 'already_exists', first.url])
    const elsewhere = await newIntake(await newPortal(server), { external_reference: 'taken' })
    expect(elsewhere.external_reference).toBe('taken')
  })

  test('409 for nine of ten who want the same external reference at once, with the address of the winner', async () => {
    const own = await newPortal(server)
    await publish(shortContract, own)
    const { id: business_id } = await newBusiness(own)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => begin(own, { business_id, external_reference: 'wanted' })),
    )
    const winners = answers.filter(({ status }) => status === 201)
    const losers = answers.filter(({ status }) => status === 409)
    expect([winners.length, losers.length]).toEqual([1, 9])
    for (const { body } of losers)
      expect([body.code, body.details[0].meta.existing_url]).toEqual(['already_exists', winners[0]?.body.url])
    expect((await own.call('GET', 'client-intake-applications/')).body.items).toHaveLength(1)
  })
})

describe('finding', () => {
  test('200 each filter finds what it names and nothing else, in the order asked for', async () => {
    const own = await newPortal(server)
    const one = await newIntake(own)
    server.clock.advance(second)
    const two = await newIntake(own, { external_reference: 'ext-9' })
    server.clock.advance(second)
    const three = await newIntake(own)
    await act(two, 'submit', own.call)
    const find = async (query: string) => {
      const { status, body, text } = await own.call('GET', `client-intake-applications/?${query}`)
      expect(status, text).toBe(200)
      return body.items.map(({ id }: Intake) => id)
    }
    expect(await find('')).toEqual([three.id, two.id, one.id])
    expect(await find('order=created_at')).toEqual([one.id, two.id, three.id])
    expect(await find('state=submitted')).toEqual([two.id])
    expect(await find('state=in_progress')).toEqual([three.id, one.id])
    expect(await find(`business_id=${one.business_id}`)).toEqual([one.id])
    expect(await find('external_reference=ext-9')).toEqual([two.id])
    expect(await find('external_reference=ext')).toEqual([])
    expect(await find(`created_after=${one.created_at}`)).toEqual([three.id, two.id])
    expect(await find(`created_before=${three.created_at}`)).toEqual([two.id, one.id])
    expect(await find(`created_after=${one.created_at}&created_before=${three.created_at}&state=in_progress`)).toEqual(
      [],
    )
    const { items } = (await own.call('GET', 'client-intake-applications/')).body
    for (const item of items) expect(item).toEqual((await own.call('GET', item.url)).body)
  })

  test('200 pages forward through every application once and backward the same way', async () => {
    const own = await newPortal(server)
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await newIntake(own)).id)
    const get = async (cursor: string | null) =>
      (await own.call('GET', `client-intake-applications/?page_size=2${cursor ? `&cursor=${cursor}` : ''}`)).body
    const idsOf = ({ items }: { items: Intake[] }) => items.map(({ id }) => id)
    const first = await get(null)
    const second = await get(first.next_cursor)
    const third = await get(second.next_cursor)
    expect([first, second, third].map(idsOf)).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)])
    expect([first.previous_cursor, third.next_cursor]).toEqual([null, null])
    const back = await get(third.previous_cursor)
    expect(back.items).toEqual(second.items)
    const start = await get(back.previous_cursor)
    expect([start.items, start.previous_cursor]).toEqual([first.items, null])
  })

  test('404 for an application of another Portal, whatever is tried', async () => {
    const foreign = await newIntake(await newPortal(server))
    expect((await portal.call('GET', foreign.url)).status).toBe(404)
    for (const action of actions) expect((await act(foreign, action)).status, action).toBe(404)
    expect((await portal.call('GET', `${foreign.url}answers/`)).status).toBe(404)
    expect((await portal.call('GET', `${foreign.url}validation/`)).status).toBe(404)
  })
})

describe('reading while others write', () => {
  test('200 an ETag comes with the answer of its own version, never with that of another', async () => {
    const application = await newIntake(portal)
    const path = `${application.url}answers/legal_name/`
    const written = new Map<string, string>()
    let isDone = false
    const readers = Array.from({ length: 4 }, async () => {
      const seen: { etag: string; value: string }[] = []
      while (!isDone) {
        const { status, body } = await portal.call('GET', path)
        if (status === 200) seen.push(body)
      }
      return seen
    })
    let { etag } = application
    for (let n = 0; n < 150; n++) {
      const { body } = await portal.call('PUT', path, { body: { value: `Name ${n}` }, headers: { 'if-match': etag } })
      etag = body.etag
      written.set(etag, body.value)
    }
    isDone = true
    const seen = (await Promise.all(readers)).flat()
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((answer) => written.get(answer.etag) !== answer.value)).toEqual([])
  })
})

describe('what each state allows', () => {
  test.each(Object.keys(states))('200 available_actions of %s are exactly those that are possible', async (state) => {
    const application = await intakeIn(state)
    expect(application.available_actions).toEqual(states[state]?.available)
  })

  const pairs = Object.entries(states).flatMap(([state, { available }]) =>
    actions.map((action) => ({ state, action, isPossible: available.includes(action) })),
  )

  test.each(pairs.filter(({ isPossible }) => isPossible))(
    '200 $action while it is $state',
    async ({ state, action }) => {
      const application = await intakeIn(state)
      expect((await act(application, action)).status).toBe(200)
      expect((await portal.call('GET', application.url)).body.etag).not.toBe(application.etag)
    },
  )

  test.each(pairs.filter(({ isPossible }) => !isPossible))(
    '409 $action while it is $state, with the state, what is possible there, and nothing changed',
    async ({ state, action }) => {
      const application = await intakeIn(state)
      const { status, body } = await act(application, action)
      expect([status, body.code]).toEqual([409, 'state_conflict'])
      const meta = { state, available_actions: states[state]?.available }
      expect(body.details).toMatchObject([{ location: 'state', meta }])
      expect((await portal.call('GET', application.url)).body).toEqual(application)
    },
  )

  test('409 for every write under an application that is submitted', async () => {
    const fresh = await newIntake(portal)
    const owner = await portal.call('POST', `${fresh.url}answers/owners/items/`, {
      body: { values: { first_name: 'Ann', last_name: 'Lee' } },
      headers: at(fresh),
    })
    const submitted = (await act({ ...fresh, etag: owner.body.etag }, 'submit')).body
    for (const [method, path, body] of [
      ['PUT', 'answers/website/', { state: 'declined' }],
      ['PATCH', 'answers/', { answers: [{ question_key: 'website', state: 'declined' }] }],
      ['DELETE', 'answers/website/', undefined],
      ['POST', 'answers/owners/items/', { values: {} }],
      ['PATCH', `answers/owners/items/${owner.body.id}/`, { values: { first_name: 'Anna' } }],
      ['DELETE', `answers/owners/items/${owner.body.id}/`, undefined],
    ] as const) {
      const answer = await portal.call(method, `${submitted.url}${path}`, { body, headers: at(submitted) })
      expect([answer.status, answer.body.code], `${method} ${path}`).toEqual([409, 'state_conflict'])
      expect(answer.body.details[0].meta.available_actions).toEqual(states.submitted?.available)
    }
    expect((await portal.call('GET', submitted.url)).body).toEqual(submitted)
  })

  test.each(Object.keys(states))(
    '200 title and metadata change while it is %s, and nothing else does',
    async (state) => {
      const before = await intakeIn(state)
      const { status, body } = await portal.call('PATCH', before.url, {
        body: { title: 'Renamed', metadata: { segment: 'retail' } },
        headers: at(before),
      })
      expect(status).toBe(200)
      const { etag, updated_at } = body
      expect(body).toEqual({ ...before, title: 'Renamed', metadata: { segment: 'retail' }, etag, updated_at })
      expect(etag).not.toBe(before.etag)
    },
  )

  test('422 for a change of what cannot be changed, or of nothing', async () => {
    const one = await newIntake(portal)
    const patch = async (body: unknown) =>
      (await portal.call('PATCH', one.url, { body, headers: at(one) })).body.details
    expect(await patch({ state: 'accepted' })).toMatchObject([{ pointer: '/state', code: 'not_editable' }])
    expect(await patch({ business_id: one.business_id })).toMatchObject([
      { pointer: '/business_id', code: 'not_editable' },
    ])
    expect(await patch({})).toMatchObject([{ code: 'too_short' }])
  })
})

describe('events', () => {
  test('200 one event for each transition, with where it came from, a rising version and the request behind it', async () => {
    let application = await newIntake(portal)
    const requests: (string | null)[] = []
    for (const step of ['submit', 'return', 'answer', 'submit', 'return', 'submit', 'accept']) {
      const answer = await act(application, step)
      expect(answer.status).toBe(200)
      application = { ...application, etag: answer.body.etag }
      if (step !== 'answer') requests.push(answer.headers.get('request-id'))
    }
    const events = await eventsOf(application)
    expect(events.map(shortOf)).toEqual([
      ['created', null, 'in_progress'],
      ['submitted', 'in_progress', 'submitted'],
      ['returned', 'submitted', 'returned'],
      ['submitted', 'in_progress', 'submitted'],
      ['returned', 'submitted', 'returned'],
      ['submitted', 'returned', 'submitted'],
      ['accepted', 'submitted', 'accepted'],
    ])
    expect(events.map(({ data }) => data.resource.version)).toEqual([1, 2, 3, 5, 6, 7, 8])
    expect(events.slice(1).map(({ data }) => data.request_id)).toEqual(requests)
    expect(events[0]?.data.resource.url).toBe(application.url)
  })

  test.each([
    ['rejected', ['submit', 'reject'], 'submitted'],
    ['withdrawn', ['withdraw'], 'in_progress'],
    ['withdrawn', ['submit', 'withdraw'], 'submitted'],
    ['withdrawn', ['submit', 'return', 'withdraw'], 'returned'],
  ])('200 the event %s after %j says that it was %s', async (verb, way, previous) => {
    let application = await newIntake(portal)
    for (const step of way) application = (await act(application, step)).body
    expect((await eventsOf(application)).map(shortOf).at(-1)).toEqual([verb, previous, verb])
  })

  test('409 and 412 leave no event', async () => {
    const application = await newIntake(portal)
    await act(application, 'accept')
    await act({ ...application, etag: '"stale"' }, 'submit')
    expect((await eventsOf(application)).map(shortOf)).toEqual([['created', null, 'in_progress']])
  })
})

describe('expiry', () => {
  test('an application that rests for 90 days expires, returned ones too, and says so in an event', async () => {
    const resting = await newIntake(portal)
    const returned = await intakeIn('returned')
    const submitted = await intakeIn('submitted')
    expect(submitted.expires_at).toBeNull()
    server.clock.advance(89 * day)
    await expireNow()
    expect((await portal.call('GET', resting.url)).body).toEqual(resting)
    server.clock.advance(2 * day)
    await expireNow()
    for (const [before, previous] of [
      [resting, 'in_progress'],
      [returned, 'returned'],
    ]) {
      const now = (await portal.call('GET', before.url)).body
      expect(now).toMatchObject({ state: 'expired', expires_at: null, is_submittable: false })
      expect(now.etag).not.toBe(before.etag)
      expect(now.state_changed_at > before.state_changed_at).toBe(true)
      expect((await eventsOf(before)).map(shortOf)).toEqual([['expired', previous, 'expired']])
    }
    expect((await portal.call('GET', submitted.url)).body).toEqual(submitted)
  })

  test('an application that is edited meanwhile does not expire until it has rested again', async () => {
    const application = await newIntake(portal)
    server.clock.advance(60 * day)
    const edited = await act(application, 'answer')
    server.clock.advance(31 * day)
    await expireNow()
    const now = (await portal.call('GET', application.url)).body
    expect([now.state, now.etag]).toEqual(['in_progress', edited.body.etag])
    expect(isNear(now.expires_at, Date.parse(now.updated_at) + 90 * day)).toBe(true)
    // Nor when the job had found it due just before it was edited.
    await server.context.database.transaction((tx) => expireIntake(tx, portal.caller, application.id))
    expect((await portal.call('GET', application.url)).body).toEqual(now)
    server.clock.advance(60 * day)
    await expireNow()
    expect((await portal.call('GET', application.url)).body.state).toBe('expired')
  })
})

describe('review', () => {
  test.each(['accept', 'reject', 'return'])(
    '403 for %s without the grant review, 200 with nothing else',
    async (action) => {
      const submitted = await intakeIn('submitted')
      const callWith = async (...grants: string[]): Promise<Client> => {
        const { key } = await newKey(server, portal.id, { grants })
        return (method, path, sent = {}) => server.call(method, path, { key, ...sent })
      }
      const writer = await callWith('client_intake_applications:read', 'client_intake_applications:write')
      const refused = await act(submitted, action, writer)
      expect([refused.status, refused.body.code]).toEqual([403, 'action_not_granted'])
      expect((await portal.call('GET', submitted.url)).body).toEqual(submitted)
      const reviewer = await callWith('client_intake_applications:review')
      expect((await act(submitted, action, reviewer)).status).toBe(200)
      expect((await act(await newIntake(portal), 'submit', reviewer)).status).toBe(403)
    },
  )

  test('200 the decision says what the reviewer said and when', async () => {
    for (const [state, message] of [
      ['accepted', null],
      ['rejected', 'Outside our area.'],
    ] as const) {
      const { decision, state_changed_at } = await intakeIn(state)
      expect(decision).toEqual({ message, decided_at: expect.any(String) })
      expect(isNear(decision.decided_at, Date.parse(state_changed_at))).toBe(true)
    }
  })
})
