// `available_actions` never lies. Walks through everything that two parties and time can do with a deal: what a record
// lists for a party is done, what it does not list is refused, whatever else has happened to the deal.
import { describe, expect, test } from 'vitest'
import { applicationStates } from '../src/areas/deal-applications/states.ts'
import { dealStates } from '../src/areas/deals/states.ts'
import { day, isoTime } from '../src/platform/clock.ts'
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
  newOffered,
  newSubmitted,
  offerOf,
  putAnswer,
  type Shared,
  startTwoPortals,
} from './deal-fixtures.ts'
import { newPortal, type TestPortal } from './harness.ts'

const { server, sender, lender } = await startTwoPortals()

type Noun = 'deal' | 'application'
/** Everything that a walk looks at before each step. */
interface Scene {
  actors: TestPortal[]
  deal: Shared
  application: Shared | undefined
}
interface View {
  deal: { state: string; etag: string; available_actions: string[] }
  application: { state: string; etag: string; available_actions: string[]; active_offer_id: string | null } | undefined
  offer: { kind: string; available_actions: string[] } | undefined
}
interface Step {
  /** What was tried, as far as it makes a difference. */
  name: string
  /** Whether little can happen afterwards. */
  isEnd?: boolean
  take(): Promise<Answer | undefined>
}

const dayIn = (days: number) => isoTime(server.clock.now() + days * day).slice(0, 10)
let offerCount = 0
const unknownOffer = `ofr_${'0'.repeat(26)}`
const tableOf = { deal: dealStates, application: applicationStates }

async function viewOf(by: TestPortal, { deal, application }: Scene): Promise<View> {
  const read = async (url: string) => (await by.call('GET', url)).body
  const shown = application && (await by.call('GET', application.url))
  const seen = shown?.status === 200 ? shown.body : undefined
  const offerId = seen?.active_offer_id
  return {
    deal: await read(deal.url),
    application: seen,
    offer: offerId ? await read(`${application?.url}offers/${offerId}/`) : undefined,
  }
}

/** Sends the request of an action, whether it is listed or not. */
async function take(by: TestPortal, { deal, application }: Scene, view: View, noun: Noun, action: string) {
  if (noun === 'deal') {
    if (action === 'update') return act(by, deal, '', { tags: [`${Math.random()}`] }, 'PATCH')
    if (action === 'move') return act(by, deal, 'stage/', { stage: 'qualifying' })
    return act(by, deal, `${action}/`, action === 'lose' ? { reason_code: 'industry' } : {})
  }
  const target = application ?? expect.fail('there is no application')
  const offer = view.application?.active_offer_id ?? unknownOffer
  const ask = { message: 'Which?', question_keys: ['legal_name'] }
  const requests: Record<string, () => Promise<Answer>> = {
    answer: () => putAnswer(by, target, 'legal_name', `Name ${Math.random()}`),
    offer: () => {
      const kind = offerCount++ % 2 === 0 ? 'final' : 'indicative'
      return act(by, target, 'offers/', offerOf({ kind, valid_until: dayIn(5) }))
    },
    accept_final_offer: () => act(by, target, `offers/${offer}/accept/`),
    accept_indicative_offer: () => act(by, target, `offers/${offer}/accept/`),
    decline_offer: () => act(by, target, `offers/${offer}/decline/`),
    withdraw_offer: () => act(by, target, `offers/${offer}/withdraw/`),
    request_information: () => act(by, target, 'request-information/', { ...ask, due_on: dayIn(5) }),
    return: () => act(by, target, 'return/', ask),
    decline: () => act(by, target, 'decline/', { reason_codes: ['cash_flow'] }),
    fund: () => act(by, target, 'fund/', funding),
  }
  return (requests[action] ?? (() => act(by, target, `${action}/`)))()
}

/** What each offer lists agrees with what its application lists. */
function expectSameOfOffer({ application, offer }: View): void {
  const listed = application?.available_actions ?? []
  const expected = [
    ...(listed.some((action) => action.startsWith('accept_')) ? ['accept'] : []),
    ...(listed.includes('decline_offer') ? ['decline'] : []),
    ...(listed.includes('withdraw_offer') ? ['withdraw'] : []),
  ]
  expect(offer?.available_actions ?? []).toEqual(expected)
  if (listed.includes('accept_final_offer')) expect(offer?.kind).toBe('final')
  if (listed.includes('accept_indicative_offer')) expect(offer?.kind).toBe('indicative')
}

/** Everything that is not listed is refused, and nothing changes by it. */
async function expectRefusals(scene: Scene, views: View[]): Promise<void> {
  for (const [index, by] of scene.actors.entries()) {
    const view = views[index] ?? expect.fail()
    const parties: string[] =
      scene.actors.length === 1 ? ['sender', 'recipient'] : [['sender', 'recipient'][index] ?? '']
    for (const noun of ['deal', 'application'] as const) {
      if (noun === 'application' && !scene.application) continue
      for (const action of tableOf[noun].actions) {
        // What is never this party's to take is tested with the tables.
        if (!tableOf[noun].transitions.some((one) => one.action === action && parties.includes(one.by))) continue
        if (view[noun]?.available_actions.includes(action)) continue
        // One address serves both kinds of offers.
        if (action.startsWith('accept_') && view.offer?.available_actions.includes('accept')) continue
        const { status, body } = await take(by, scene, view, noun, action)
        const isUnseen = noun === 'application' && (view.application === undefined || /_offer$/.test(action))
        const refusals = ['state_conflict', ...(isUnseen ? ['not_found'] : [])]
        expect(refusals, `${action} of the ${noun}: ${status} ${body.message}`).toContain(body.code)
        if (body.code === 'state_conflict' && view[noun] && !/_offer$/.test(action))
          expect([action, body.details[0].meta.available_actions]).toEqual([action, view[noun].available_actions])
      }
    }
  }
  expect(await Promise.all(scene.actors.map((by) => viewOf(by, scene)))).toEqual(views)
}

/** What can happen next: every listed action of every party, a new application, and time. */
function stepsFrom(scene: Scene, views: View[]): Step[] {
  const steps: Step[] = []
  for (const [index, by] of scene.actors.entries()) {
    const view = views[index] ?? expect.fail()
    for (const noun of ['deal', 'application'] as const)
      for (const action of view[noun]?.available_actions ?? [])
        if (action !== 'update')
          steps.push({
            name: `${noun} ${view[noun]?.state}: ${action}`,
            isEnd: /^(win|lose|withdraw|decline|decline_offer|cancel|fund)$/.test(action),
            take: () => take(by, scene, view, noun, action),
          })
  }
  const [own] = views
  const isOpen = own?.application && tableOf.application.transitions.some(({ from }) => from === own.application?.state)
  if (isOpen) {
    steps.push({
      name: `${own.application?.state}: 91 days pass, and nobody notices`,
      isEnd: true,
      take: async () => {
        server.clock.advance(91 * day)
        return undefined
      },
    })
  } else if (own?.deal.state === 'open')
    steps.push({
      name: 'begin an application',
      take: async () => {
        scene.application = await newApplication(scene.actors[0] ?? expect.fail(), scene.deal)
        return undefined
      },
    })
  return steps
}

describe.each(['two Portals', 'one Portal'])('%s', (cast) => {
  test('each action that a record lists is done, and each that it does not list is refused', {
    timeout: 240_000,
  }, async () => {
    const recipient: Lender = await newLender(server)
    const sender = cast === 'one Portal' ? recipient : await newPortal(server)
    const counts = new Map<string, number>()
    const known = new Set<string>()
    const countOf = ({ name }: Step) => counts.get(name) ?? 0

    for (let walk = 0; walk < walks; walk++) {
      const deal = await newDeal(sender, recipient)
      const scene: Scene = { actors: [...new Set([sender, recipient])], deal, application: undefined }
      // Most of what can happen needs a submitted application.
      if (walk > 0) scene.application = await newApplication(sender, deal)
      if (walk > 1) done(await act(sender, scene.application ?? expect.fail(), 'submit/'))
      for (let place = 1; place <= longestWalk; place++) {
        const views = await Promise.all(scene.actors.map((by) => viewOf(by, scene)))
        for (const view of views) expectSameOfOffer(view)
        const situation = JSON.stringify(
          views.map(({ deal, application, offer }) => [
            [deal.state, deal.available_actions],
            application && [application.state, application.available_actions],
            offer && [offer.kind, offer.available_actions],
          ]),
        )
        if (!known.has(situation)) {
          known.add(situation)
          await expectRefusals(scene, views)
        }
        // What was tried least comes first, so that the walks soon have been everywhere; what ends them comes last.
        const steps = stepsFrom(scene, views)
        if (steps.length === 0) break
        const goingOn = steps.filter(({ isEnd }) => !isEnd)
        const next = (place > longestWalk - 4 || goingOn.length === 0 ? steps : goingOn).reduce((least, one) =>
          countOf(one) < countOf(least) ? one : least,
        )
        counts.set(next.name, countOf(next) + 1)
        const answer = await next.take()
        if (answer) expect([200, 201], `${next.name}: ${answer.text}`).toContain(answer.status)
      }
    }
    // Enough has been seen to mean something.
    expect(known.size).toBeGreaterThan(20)
    expect(counts.size).toBeGreaterThan(30)
  })
})
const [walks, longestWalk] = [9, 11]

describe('what would be refused is not listed', () => {
  test('a deal with a submitted application is not won by hand, until the application has ended', async () => {
    const application = await newSubmitted(sender, lender)
    const deal = { url: `deals/${application.deal_id}/` }
    // In the stage that the deal goes to when the application is withdrawn: nothing else of it moves then.
    const moved = done(await act(lender, deal, 'stage/', { stage: 'application' }))
    expect(moved.available_actions).toEqual(['update', 'move', 'hold', 'lose'])
    const refused = await act(lender, deal, 'win/')
    expectRefusal(refused, 409, 'state_conflict')
    expect(refused.body.message).toBe(
      'Cannot win: the deal has a submitted application. Fund the application to win the deal.',
    )
    expect(refused.body.details[0].meta).toEqual({ state: 'open', available_actions: moved.available_actions })
    done(await act(sender, application, 'withdraw/'))
    const free = (await lender.call('GET', deal.url)).body
    expect([free.etag === moved.etag, free.available_actions.includes('win')]).toEqual([false, true])
    done(await act(lender, deal, 'win/'))
  })

  test('an application or offer whose deadline has passed lists nothing that is too late, and has another ETag', async () => {
    const draft = await newApplication(sender, await newDeal(sender, lender))
    const asked = await newSubmitted(sender, lender)
    done(await act(lender, asked, 'request-information/', { message: 'Which?', due_on: dayIn(5) }))
    const { application: offered, offer } = await newOffered(sender, lender, { valid_until: dayIn(5) })
    const records = [draft.url, asked.url, offered.url, offer.url]
    const read = async (by = sender) => Promise.all(records.map(async (url) => (await by.call('GET', url)).body))
    const before = await read()
    server.clock.advance(91 * day)
    const after = await read()
    expect(after.map(({ available_actions }) => available_actions)).toEqual([
      ['withdraw'],
      ['withdraw'],
      ['withdraw'],
      [],
    ])
    for (const [index, { etag, updated_at }] of after.entries()) {
      expect(updated_at).toBe(before[index]?.updated_at)
      expect(etag).not.toBe(before[index]?.etag)
    }
    // Whoever has read it in time is told that it is too late, and not that somebody has changed it.
    const late = await sender.call('POST', `${draft.url}submit/`, { headers: { 'if-match': before[0]?.etag } })
    expectRefusal(late, 409, 'state_conflict')
    expect(late.body.message).toBe(`Cannot submit: the deadline of the application passed at ${draft.expires_at}.`)
    const answer = await putAnswer(sender, draft, 'legal_name', 'Late')
    expectRefusal(answer, 409, 'state_conflict')
    // What is not too late is done with either tag.
    done(await sender.call('POST', `${draft.url}withdraw/`, { headers: { 'if-match': before[0]?.etag } }))
  })

  test('200 for a tag from between two deadlines: nobody has changed what its caller has read', async () => {
    for (const [first, second] of [
      [2, 4],
      [4, 2],
    ] as const) {
      const { application } = await newOffered(sender, lender, { valid_until: dayIn(first) })
      done(await act(lender, application, 'request-information/', { message: 'Which?', due_on: dayIn(second) }))
      const tagIn = async (days: number) => {
        server.clock.advance(days * day)
        return (await sender.call('GET', application.url)).body.etag
      }
      const tags = [await tagIn(0), await tagIn(3), await tagIn(2)]
      expect(new Set(tags).size).toBe(3)
      done(await sender.call('POST', `${application.url}withdraw/`, { headers: { 'if-match': tags[1] } }))
    }
  })
})
