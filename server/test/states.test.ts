// Generated from the tables of states: every action in every state by every party, first as the table decides, then
// through HTTP for the records that have commands. What two Portals do with a deal is in deal-states.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventKinds, published } from '../src/app.ts'
import { businessStates } from '../src/areas/businesses/states.ts'
import { intakeStates } from '../src/areas/client-intake/states.ts'
import { programStates } from '../src/areas/funding-recommendations/programs/states.ts'
import { day } from '../src/platform/clock.ts'
import { ApiError } from '../src/platform/protocol/errors.ts'
import type { StateMachine } from '../src/platform/protocol/states.ts'
import type { Answer } from './client.ts'
import { runRepeating } from './due-jobs.ts'
import { newIntake, newProgram } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { wayTo } from './state-ways.ts'

const machines = published.states.map(({ machine }) => machine)

describe.each(machines.map((machine) => [machine.type, machine] as const))('the table of %s', (_, machine) => {
  const { states, transitions, beginnings } = machine
  const actions = [...new Set(transitions.map(({ action }) => action))]
  const parties = [...new Set(transitions.map(({ by }) => by))]

  test('leads to every state from the first ones, and names no state that it does not have', () => {
    const reached = new Set(beginnings)
    for (const state of reached)
      for (const { from, to } of transitions) if (from === state && to !== undefined) reached.add(to)
    expect([...reached].sort()).toEqual([...states].sort())
  })

  test('has an event in the catalogue for every step that publishes one', () => {
    const known = new Set(eventKinds.map(({ type }) => type))
    const published = transitions.flatMap(({ event }) => (event === undefined ? [] : [`${machine.type}.${event}`]))
    expect(published.filter((type) => !known.has(type))).toEqual([])
  })

  test.each(states.flatMap((state) => actions.flatMap((action) => parties.map((by) => [state, action, by] as const))))(
    '%s: %s by %s',
    (state, action, by) => {
      const step = transitions.find((one) => one.from === state && one.action === action && one.by === by)
      expect(machine.isAllowed(state, action, by)).toBe(step !== undefined)
      expect(machine.availableActions(state, by).includes(action)).toBe(step !== undefined)
      if (step) return expect(machine.requireStep(state, action, by)).toEqual(step)
      const error = thrownBy(() => machine.requireStep(state, action, by))
      const isEverTheirs = transitions.some((one) => one.action === action && one.by === by)
      expect(error.code).toBe(isEverTheirs ? 'state_conflict' : 'action_not_granted')
      if (isEverTheirs)
        expect(error.details[0]?.meta).toEqual({ state, available_actions: machine.availableActions(state, by) })
    },
  )
})

function thrownBy(work: () => unknown): ApiError {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
  }
  throw new Error('nothing was refused')
}

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

describe('the reference', () => {
  test.each(machines.map(({ type }) => type))('200 a picture of %s with every state and action', async (type) => {
    const machine = machines.find((one) => one.type === type)
    const response = await fetch(`${server.origin}/docs/rest-api-reference/states/${type}.svg`)
    const text = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    for (const state of machine?.states ?? []) expect(text).toContain(`>${state}<`)
    const moves = machine?.transitions.filter(({ to }) => to !== undefined) ?? []
    // What several parties may do is one arrow.
    expect(text.match(/marker-end/g)?.length).toBe(
      new Set(moves.map(({ from, action, to }) => `${from} ${action} ${to}`)).size,
    )
  })

  test('200 the pages of records with states show picture and table', async () => {
    const page = await (await fetch(`${server.origin}/docs/rest-api-reference/businesses.md`)).text()
    expect(page).toContain('](states/business.svg)')
    expect(page).toContain('| `active` | `update`; `archive` → `archived` |')
  })
})

interface Step {
  action: string
  by: string
}

interface Subject {
  machine: StateMachine
  /** In the first state, or in another one that it can be made in. */
  make(state: string): Promise<{ url: string }>
  /** Takes an action of the owner. */
  act(url: string, action: string): Promise<Answer>
  /** Lets what happens by itself happen, if it is due. */
  letHappen(action: string): Promise<void>
}

async function send(method: string, url: string, rest: string, body?: unknown): Promise<Answer> {
  const { etag } = (await portal.call('GET', url)).body
  return portal.call(method, `${url}${rest}`, { body, headers: { 'if-match': etag } })
}

const subjects: Subject[] = [
  {
    machine: businessStates,
    make: async () => (await portal.call('POST', 'businesses/', { body: portal.business() })).body,
    act: (url, action) =>
      action === 'update'
        ? send('PATCH', url, '', { trading_name: `Name ${Math.random()}` })
        : send('POST', url, `${action}/`),
    letHappen: async (action) => expect.fail(`nothing does ${action}`),
  },
  {
    machine: intakeStates,
    make: () => newIntake(portal),
    act(url, action) {
      if (action === 'update') return send('PATCH', url, '', { title: `Title ${Math.random()}` })
      if (action === 'answer') return send('PUT', url, 'answers/legal_name/', { value: `Name ${Math.random()}` })
      const body = action === 'return' ? { message: 'Please look again.', question_keys: [] } : undefined
      return send('POST', url, `${action}/`, body)
    },
    async letHappen() {
      server.clock.advance(91 * day)
      await runRepeating(server.context, 'client_intake.expire')
    },
  },
  {
    machine: programStates,
    make: (status) => newProgram(portal, { status }),
    act: (url, action) =>
      action === 'update' ? send('PATCH', url, '', { name: `Name ${Math.random()}` }) : send('POST', url, `${action}/`),
    letHappen: async (action) => expect.fail(`nothing does ${action}`),
  },
]

describe.each(subjects.map((subject) => [subject.machine.type, subject] as const))('%s', (_, subject) => {
  const { machine } = subject
  const read = async (url: string) => {
    const { body } = await portal.call('GET', url)
    // Programmes have a status where others have a state.
    return { state: body.status, state_changed_at: body.status_changed_at, ...body }
  }
  const take = (url: string, { action, by }: Step) =>
    by === 'job' ? subject.letHappen(action) : subject.act(url, action)

  async function bringTo(state: string): Promise<string> {
    const { begin, steps } = wayTo(machine, state)
    const { url } = await subject.make(begin)
    for (const step of steps) await take(url, step)
    expect((await read(url)).state).toBe(state)
    return url
  }

  test.each(machine.states)('200 %s: available_actions are those of the table', async (state) => {
    const { available_actions } = await read(await bringTo(state))
    expect(available_actions).toEqual(machine.availableActions(state, 'owner'))
  })

  const cases = machine.states.flatMap((state) => machine.actions.map((action) => [state, action] as const))
  test.each(cases)(
    '%s: %s does what the table says, with its event, or is refused and changes nothing',
    async (state, action) => {
      const url = await bringTo(state)
      const before = await read(url)
      const answer = await subject.act(url, action)
      const after = await read(url)
      const step = machine.transitions.find((one) => one.from === state && one.action === action && one.by === 'owner')
      if (!step) {
        expect([answer.status, answer.body.code, after]).toEqual([409, 'state_conflict', before])
        expect(answer.body.details[0].meta).toEqual({ state, available_actions: before.available_actions })
        return
      }
      expect(answer.status, answer.text).toBe(200)
      expect([after.state, after.etag === before.etag]).toEqual([step.to ?? state, false])
      expect(after.state_changed_at === before.state_changed_at).toBe((step.to ?? state) === state)
      const { items } = (await portal.call('GET', `events/?resource_id=${before.id}&order=-sequence&page_size=1`)).body
      if (step.event !== undefined) {
        expect([items[0].type, items[0].data.state]).toEqual([`${machine.type}.${step.event}`, after.state])
        expect(items[0].data.previous_state).toBe(after.state === state ? undefined : state)
      }
    },
  )

  const byThemselves = [...new Set(machine.transitions.filter(({ by }) => by === 'job').map(({ action }) => action))]
  const jobCases = machine.states.flatMap((state) => byThemselves.map((action) => [state, action] as const))
  for (const [state, action] of jobCases)
    test(`${state}: ${action} happens by itself, or not, as the table says`, async () => {
      const url = await bringTo(state)
      await subject.letHappen(action)
      const step = machine.transitions.find((one) => one.from === state && one.action === action && one.by === 'job')
      expect((await read(url)).state).toBe(step?.to ?? state)
    })
})
