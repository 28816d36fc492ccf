// Generated from the tables of deals, applications and offers: every action in every state by every party through HTTP,
// between two Portals and in one Portal that is both. Whatever the table refuses changes nothing for anybody.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationStates, dealEffects, offerStates } from '../src/areas/deal-applications/states.ts'
import { dealStates, type Party } from '../src/areas/deals/states.ts'
import { day, isoTime } from '../src/platform/clock.ts'
import type { StateMachine } from '../src/platform/protocol/states.ts'
import type { Answer } from './client.ts'
import {
  act,
  done,
  expectRefusal,
  funding,
  type Lender,
  newApplication,
  newDeal,
  newLender,
  offerOf,
  putAnswer,
  type Shared,
} from './deal-fixtures.ts'
import { runRepeating } from './due-jobs.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { wayTo } from './state-ways.ts'

let server: TestServer
const cast = {} as Record<'two Portals' | 'one Portal', { sender: TestPortal; recipient: Lender }>
type Cast = keyof typeof cast
/** Two Portals on both engines. One that is both parties works on rows of its own alone: there, one engine tells. */
const casts: Cast[] = engine === 'sqlite' ? ['two Portals', 'one Portal'] : ['two Portals']
beforeAll(async () => {
  server = await startTestServer()
  const own = await newLender(server, { visibility: 'invited' })
  cast['two Portals'] = { sender: await newPortal(server), recipient: await newLender(server) }
  cast['one Portal'] = { sender: own, recipient: own }
})
afterAll(() => server.stop())

/** Those who act: in one Portal, one for both parties. */
function actorsOf(name: Cast): { by: TestPortal; parties: Party[] }[] {
  const { sender, recipient } = cast[name]
  if (sender === recipient) return [{ by: sender, parties: ['sender', 'recipient'] }]
  return [
    { by: sender, parties: ['sender'] },
    { by: recipient, parties: ['recipient'] },
  ]
}

interface Scene {
  name: Cast
  deal: Shared
  application: Shared
}

async function begin(name: Cast): Promise<Scene> {
  const { sender, recipient } = cast[name]
  const deal = await newDeal(sender, recipient)
  return { name, deal, application: await newApplication(sender, deal) }
}

/** Whatever each party can read of it, but for the working copy of the answers. */
async function viewsOf({ name, deal, application }: Scene) {
  return Promise.all(
    actorsOf(name).map(async ({ by }) => {
      const read = async (url: string) => {
        const { status, body } = await by.call('GET', url)
        return status === 404 ? {} : body
      }
      return {
        deal: await read(deal.url),
        application: await read(application.url),
        offers: (await read(`${application.url}offers/`)).items ?? [],
        timeline: (await read(`${deal.url}progress/?page_size=500`)).items,
        events: (await read('events/?order=-sequence&page_size=20')).items,
      }
    }),
  )
}
type View = Awaited<ReturnType<typeof viewsOf>>[number]

/** What was told since, without what is a Portal's own. */
function toldSince(before: View, after: View): { type: string; id: string; state: string; from?: string }[] {
  const last = before.events[0]?.sequence ?? 0
  return after.events
    .filter(({ sequence }: { sequence: number }) => sequence > last)
    .map(({ type, data }: { type: string; data: Record<string, never> & { resource: { id: string } } }) => ({
      type,
      id: data.resource.id,
      state: data.state,
      from: data.previous_state,
    }))
    .reverse()
}

/** A day in this many days, in the time zone of the recipient. */
const dayIn = (days: number) => isoTime(server.clock.now() + days * day).slice(0, 10)

async function letPass(days: number): Promise<void> {
  server.clock.advance(days * day)
  await runRepeating(server.context, 'deal_applications.expire')
}

const lost = { reason_code: 'client_unresponsive' }
const bodies: Record<string, () => object> = {
  request_information: () => ({ message: 'Which name?', question_keys: ['legal_name'], due_on: dayIn(5) }),
  return: () => ({ message: 'Which name?', question_keys: ['legal_name'] }),
  decline: () => ({ reason_codes: ['cash_flow'] }),
  fund: () => funding,
}

/** Takes an action on the application as a party, or lets it happen. */
async function take(scene: Scene, action: string, by: TestPortal, kind = 'final'): Promise<Answer | undefined> {
  const { deal, application } = scene
  const { sender, recipient } = cast[scene.name]
  const onOffer = async (verb: string) => {
    const { items } = (await sender.call('GET', `${application.url}offers/?page_size=1`)).body
    return act(by, application, `offers/${items[0]?.id ?? `ofr_${'0'.repeat(26)}`}/${verb}/`)
  }
  switch (action) {
    case 'answer':
      return putAnswer(by, application, 'legal_name', `Name ${Math.random()}`)
    case 'offer':
      return act(by, application, 'offers/', offerOf({ kind, valid_until: dayIn(5) }))
    case 'accept_final_offer':
    case 'accept_indicative_offer':
      return onOffer('accept')
    case 'decline_offer':
      return onOffer('decline')
    case 'withdraw_offer':
      return onOffer('withdraw')
    case 'withdraw_with_deal':
      done(await act(sender, deal, 'withdraw/'))
      return undefined
    case 'cancel_with_deal':
      done(await act(recipient, deal, 'lose/', lost))
      return undefined
    case 'expire':
    case 'give_up':
      await letPass(91)
      return undefined
    case 'expire_offer':
      await letPass(7)
      return undefined
    default:
      return act(by, application, `${action.replaceAll('_', '-')}/`, bodies[action]?.())
  }
}

const offerActions = new Set(['accept_final_offer', 'accept_indicative_offer', 'decline_offer', 'withdraw_offer'])

/** On the usual way an offer is answered while it is offered. */
const isUsual = (step: { from: string; action: string }) => step.from !== 'in_review' || !offerActions.has(step.action)
const seenByRecipient = (step: { from: string; action: string; to?: string }) =>
  isUsual(step) && (step.from !== 'draft' || step.to === 'submitted')

/** An application in a state, on the shortest way; a way that the recipient sees where there is one. */
async function bringTo(
  name: Cast,
  state: (typeof applicationStates.states)[number],
  kind?: string,
  /** In review with an offer that was made before a request for information. */
  hasOffer = false,
): Promise<Scene> {
  if (state === 'in_review' && hasOffer) {
    const scene = await bringTo(name, 'offered', kind)
    await take(scene, 'request_information', cast[name].recipient)
    await take(scene, 'respond', cast[name].sender)
    return scene
  }
  const scene = await begin(name)
  const isSeen = state !== 'draft' && state !== 'expired'
  const { steps } = wayTo(applicationStates, state, isSeen ? seenByRecipient : isUsual)
  for (const { action, by } of steps) await take(scene, action, cast[name][by === 'recipient' ? by : 'sender'], kind)
  expect((await cast[name].sender.call('GET', scene.application.url)).body.state).toBe(state)
  return scene
}

const kindFor = (action: string) => (action === 'accept_indicative_offer' ? 'indicative' : 'final')
const isAllowedTo = <Action extends string>(
  { transitions }: StateMachine<string, Action, Party | 'job'>,
  state: string,
  action: Action,
  parties: readonly string[],
) => transitions.some((one) => one.from === state && one.action === action && parties.includes(one.by))

describe.each(casts)('an application, %s', (name) => {
  test.each(applicationStates.states)(
    '403 or 409 %s: available_actions are those of the table, and any other changes nothing for either party',
    async (state) => {
      const scene = await bringTo(name, state)
      const before = await viewsOf(scene)
      const [own] = before
      for (const [index, { parties }] of actorsOf(name).entries()) {
        const { id, active_offer_id, available_actions } = before[index]?.application ?? expect.fail()
        const isHidden = (state === 'draft' || state === 'expired') && !parties.includes('sender')
        expect(id === undefined).toBe(isHidden)
        if (isHidden) continue
        const isPossible = (action: string) =>
          !offerActions.has(action) || (active_offer_id !== null && action !== 'accept_indicative_offer')
        expect(available_actions).toEqual(applicationStates.availableActions(state, parties).filter(isPossible))
      }
      for (const [index, { by, parties }] of actorsOf(name).entries())
        for (const action of applicationStates.actions) {
          if (isAllowedTo(applicationStates, state, action, parties)) continue
          const answer = await take(scene, action, by)
          const isTheirs = applicationStates.transitions.some(
            (one) => one.action === action && parties.includes(one.by as Party),
          )
          const isHidden = (state === 'draft' || state === 'expired') && !parties.includes('sender')
          if (isHidden || (isTheirs && offerActions.has(action) && own?.offers.length === 0))
            expect([action, answer?.status, answer?.body.code]).toEqual([action, 404, 'not_found'])
          else
            expect([action, answer?.status, answer?.body.code]).toEqual(
              isTheirs ? [action, 409, 'state_conflict'] : [action, 403, 'action_not_granted'],
            )
          if (answer?.status === 409 && !offerActions.has(action))
            expect(answer.body.details[0].meta).toEqual({
              state,
              available_actions: before[index]?.application.available_actions,
            })
        }
      expect(await viewsOf(scene)).toEqual(before)
    },
  )

  const steps = applicationStates.transitions.map((step) => [step.from, step.action, step.by, step] as const)
  test.each(steps)('200 %s: %s by %s, told to both, and the deal follows', async (state, action, party, step) => {
    const scene = await bringTo(name, state, kindFor(action), offerActions.has(action))
    const before = await viewsOf(scene)
    const answer = await take(scene, action, cast[name][party === 'recipient' ? party : 'sender'], kindFor(action))
    if (answer) expect(answer.status, answer.text).toBe(action === 'offer' ? 201 : 200)
    const after = await viewsOf(scene)
    const to = step.to ?? state
    const own = { before: before[0] ?? expect.fail(), after: after[0] ?? expect.fail() }

    // Both see the same, from the first submission on.
    const isShown = after.filter(({ application }) => application.id !== undefined)
    expect(isShown.length === after.length).toBe(own.after.application.submission !== null || name === 'one Portal')
    for (const { application } of isShown) expect(application.state).toBe(to)
    for (const { deal } of after) expect([deal.state, deal.stage]).toEqual([own.after.deal.state, own.after.deal.stage])
    expect(own.after.application.etag).not.toBe(own.before.application.etag)
    const [, theirs] = after
    if (theirs && action === 'answer') expect(theirs).toEqual(before[1])
    else if (theirs?.application.id !== undefined) expect(theirs.application.etag).not.toBe(before[1]?.application.etag)

    // What the table says is told to both, and both are told the same.
    const told = after.map((view, index) => toldSince(before[index] ?? expect.fail(), view))
    const ofApplication = told[0]?.filter(({ id }) => id === scene.application.id)
    expect(ofApplication).toEqual(
      step.event === undefined
        ? []
        : [
            {
              type: `deal_application.${step.event}`,
              id: scene.application.id,
              state: to,
              from: to === state ? undefined : state,
            },
          ],
    )
    if (told[1])
      expect(told[1]).toEqual(isShown.length === 2 ? told[0] : told[0]?.filter(({ type }) => type.startsWith('deal.')))

    expectDealFollows(own.before, own.after, action, to)
    if (applicationStates.transitions.every(({ from }) => from !== to)) {
      expect(own.after.application).toMatchObject({ active_offer_id: null, expires_at: null, open_question_keys: null })
      expect(own.after.offers.filter((offer: { state: string }) => offer.state === 'active')).toEqual([])
    }
  })
})

const endings = { win: 'won', lose: 'lost', expire: 'expired' } as const
const withDeal: Record<string, string> = { withdraw_with_deal: 'withdrawn', cancel_with_deal: 'lost' }

/** The deal is where `dealEffects` says, and its timeline tells how it came there. */
function expectDealFollows(before: View, after: View, action: string, to: keyof typeof dealEffects): void {
  const { category, ends } = dealEffects[to]
  const ended = withDeal[action] ?? (ends && endings[ends.action])
  const { deal } = after
  const isKnown = after.application.submission !== null
  if (ended !== undefined) {
    expect([deal.state, deal.outcome.kind, deal.stage.category]).toEqual([
      ended,
      ended,
      ended === 'won' ? 'funded' : 'closed_lost',
    ])
    if (ends && !(action in withDeal)) expect(deal.outcome.reason_code).toBe(ends.reason_code)
  } else {
    expect([deal.state, deal.outcome]).toEqual(['open', null])
    expect(deal.stage.category).toBe(isKnown ? (category ?? before.deal.stage.category) : before.deal.stage.category)
  }
  const isMoved = deal.state !== before.deal.state || deal.stage.key !== before.deal.stage.key
  const type = deal.state === before.deal.state ? 'deal.stage_changed' : `deal.${deal.state}`
  const told = toldSince(before, after).filter(({ id }) => id === deal.id)
  expect(told.map((event) => event.type)).toEqual(isMoved ? [type] : [])
  const added: { kind: string; from: string; to: string }[] = after.timeline.slice(before.timeline.length)
  expect(added.some(({ kind }) => kind === type.replace('deal.', ''))).toBe(isMoved)
  const ofApplication = added.filter(({ kind }) => /^(application|offer)_/.test(kind))
  const step = { from: before.application.state, to }
  expect(ofApplication.map(({ from, to }) => ({ from, to }))).toEqual(action === 'answer' ? [] : [step])
}

describe('time', () => {
  const byTime = ['expire', 'give_up', 'expire_offer']
  test.each(applicationStates.states)(
    '%s is what the table says after 91 days, and again after 91 more',
    async (state) => {
      const scene = await bringTo('two Portals', state)
      const read = async () => (await cast['two Portals'].sender.call('GET', scene.application.url)).body.state
      const step = applicationStates.transitions.find(({ from, action }) => from === state && byTime.includes(action))
      await letPass(91)
      expect(await read()).toBe(step?.to ?? state)
      await letPass(91)
      expect(await read()).toBe(step?.to ?? state)
    },
  )
})

/** Brings a deal to a state, by its own actions or by those of an application. */
async function bringDealTo(name: Cast, state: (typeof dealStates.states)[number]): Promise<Scene> {
  const scene = await begin(name)
  const { steps } = wayTo(dealStates, state)
  for (const { action, by } of steps) await takeOnDeal(scene, action, by)
  return scene
}

async function takeOnDeal(scene: Scene, action: string, party: Party | 'job'): Promise<Answer | undefined> {
  const { sender, recipient } = cast[scene.name]
  if (party === 'job') {
    if (action === 'expire') await letPass(91)
    else {
      done(await act(sender, scene.application, 'submit/'))
      if (action === 'lose') done(await act(recipient, scene.application, 'decline/', { reason_codes: ['cash_flow'] }))
      if (action === 'win') {
        await take(scene, 'offer', recipient)
        await take(scene, 'accept_final_offer', sender)
        done(await act(recipient, scene.application, 'fund/', funding))
      }
    }
    return undefined
  }
  return onDeal(scene, action, cast[scene.name][party], party)
}

async function onDeal({ deal }: Scene, action: string, by: TestPortal, party: Party): Promise<Answer> {
  if (action === 'update')
    return act(
      by,
      deal,
      '',
      party === 'sender' ? { title: `Title ${Math.random()}` } : { tags: [`${Math.random()}`] },
      'PATCH',
    )
  if (action === 'move') return act(by, deal, 'stage/', { stage: 'qualifying' })
  return act(by, deal, `${action}/`, action === 'lose' ? lost : {})
}

describe.each(casts)('a deal, %s', (name) => {
  test.each(dealStates.states)(
    '403 or 409 %s: available_actions are those of the table, and any other changes nothing for either party',
    async (state) => {
      const scene = await bringDealTo(name, state)
      const before = await viewsOf(scene)
      for (const [index, { parties }] of actorsOf(name).entries()) {
        const { deal } = before[index] ?? expect.fail()
        expect([deal.state, deal.available_actions]).toEqual([state, dealStates.availableActions(state, parties)])
      }
      for (const [index, { by, parties }] of actorsOf(name).entries())
        for (const action of dealStates.actions) {
          if (isAllowedTo(dealStates, state, action, parties)) continue
          const answer = await onDeal(scene, action, by, parties[0] ?? 'sender')
          const isTheirs = dealStates.transitions.some(
            (one) => one.action === action && parties.includes(one.by as Party),
          )
          if (isTheirs) expectRefusal(answer, 409, 'state_conflict')
          else expectRefusal(answer, 403, 'action_not_granted')
          if (isTheirs)
            expect(answer.body.details[0].meta).toEqual({
              state,
              available_actions: before[index]?.deal.available_actions,
            })
        }
      expect(await viewsOf(scene)).toEqual(before)
    },
  )

  const steps = dealStates.transitions.map((step) => [step.from, step.action, step.by, step] as const)
  test.each(steps)('200 %s: %s by %s, told to both', async (state, action, party, step) => {
    const scene = await bringDealTo(name, state)
    const before = await viewsOf(scene)
    const answer = await takeOnDeal(scene, action, party)
    if (answer) expect(answer.status, answer.text).toBe(200)
    const after = await viewsOf(scene)
    const told = after.map((view, index) => toldSince(before[index] ?? expect.fail(), view))
    const to = step.to ?? state
    for (const [index, { deal }] of after.entries()) {
      expect(deal.state).toBe(to)
      expect(deal.state_changed_at === before[index]?.deal.state_changed_at).toBe(to === state)
      const ofDeal = told[index]?.filter(({ id }) => id === scene.deal.id)
      // The table has no event for what a party may change of its own; a title is both parties'.
      if (action === 'update' && party === 'sender')
        expect(ofDeal).toEqual([{ type: 'deal.updated', id: scene.deal.id, state, from: undefined }])
      else if (step.event === undefined) expect(ofDeal).toEqual([])
      else
        expect(ofDeal?.at(-1)).toEqual({
          type: `deal.${step.event}`,
          id: scene.deal.id,
          state: to,
          from: to === state ? undefined : state,
        })
      expect(ofDeal).toEqual(told[0]?.filter(({ id }) => id === scene.deal.id))
    }
  })
})

const offerWays: Record<(typeof offerStates.states)[number], string[]> = {
  active: [],
  accepted: ['accept_final_offer'],
  declined: ['decline_offer'],
  expired: ['expire_offer'],
  superseded: ['offer'],
  withdrawn: ['withdraw_offer'],
}

describe.each(casts)('an offer, %s', (name) => {
  test.each(offerStates.states)('%s: each party does what the table says, and nothing else', async (state) => {
    const { sender, recipient } = cast[name]
    const bringOffer = async () => {
      const scene = await bringTo(name, 'offered')
      const { id } = (await sender.call('GET', `${scene.application.url}offers/`)).body.items[0]
      for (const way of offerWays[state])
        await take(scene, way, /^(offer|withdraw_offer)$/.test(way) ? recipient : sender)
      return { scene, id, before: await viewsOf(scene) }
    }
    let offer = await bringOffer()
    for (const action of ['accept', 'decline', 'withdraw'] as const)
      for (const { by, parties } of actorsOf(name)) {
        const { scene, id, before } = offer
        const url = `${scene.application.url}offers/${id}/`
        expect((await by.call('GET', url)).body.state).toBe(state)
        const answer = await act(by, scene.application, `offers/${id}/${action}/`)
        const step = offerStates.transitions.find(
          (one) => one.from === state && one.action === action && parties.includes(one.by as Party),
        )
        if (!step) {
          const isTheirs = offerStates.transitions.some(
            (one) => one.action === action && parties.includes(one.by as Party),
          )
          expectRefusal(answer, isTheirs ? 409 : 403, isTheirs ? 'state_conflict' : 'action_not_granted')
          expect(await viewsOf(scene)).toEqual(before)
          continue
        }
        expect(answer.body.state).toBe(step.to)
        for (const reader of [sender, recipient]) {
          expect((await reader.call('GET', url)).body.state).toBe(step.to)
          const { items } = (await reader.call('GET', `events/?resource_id=${id}&order=-sequence&page_size=1`)).body
          expect([items[0].type, items[0].data.state]).toEqual([`offer.${step.event}`, step.to])
        }
        // What was refused has changed nothing; this one has, and the next needs another.
        offer = await bringOffer()
      }
  })
})
