// Both parties act at once. Whatever the order turns out to be, one legal state comes of it, the deal agrees with its
// application, and both parties are told the same story.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dealEffects } from '../../src/areas/deal-applications/states.ts'
import { day, isoTime } from '../../src/platform/clock.ts'
import type { Answer } from '../client.ts'
import {
  act,
  done,
  eventsOf,
  funding,
  newAccepted,
  newApplication,
  newDeal,
  newOffered,
  newSubmitted,
  offerOf,
  putAnswer,
  type Shared,
  startTwoPortals,
} from '../deal-fixtures.ts'
import { runRepeating } from '../due-jobs.ts'
import type { TestPortal } from '../harness.ts'
import { expectOneStory } from './one-story.ts'

const { server, sender, lender, read, dealOf } = await startTwoPortals()

const expire = () => runRepeating(server.context, 'deal_applications.expire')

interface Pair {
  deal: Shared & { progress_url: string }
  application: Shared & { deal_id: string }
}
type Move = [by: 'sender' | 'recipient', on: 'deal' | 'application', rest: string, body?: () => object]

const ask = { message: 'Which?', question_keys: ['legal_name'] }
const tomorrow = () => isoTime(server.clock.now() + day).slice(0, 10)
const moves: Record<string, Move> = {
  submit: ['sender', 'application', 'submit/'],
  respond: ['sender', 'application', 'respond/'],
  withdraw: ['sender', 'application', 'withdraw/'],
  accept: ['sender', 'application', 'offers/{offer}/accept/'],
  'decline offer': ['sender', 'application', 'offers/{offer}/decline/'],
  'withdraw deal': ['sender', 'deal', 'withdraw/'],
  acknowledge: ['recipient', 'application', 'acknowledge/'],
  'request information': ['recipient', 'application', 'request-information/', () => ask],
  'request information until tomorrow': [
    'recipient',
    'application',
    'request-information/',
    () => ({ ...ask, due_on: tomorrow() }),
  ],
  return: ['recipient', 'application', 'return/', () => ask],
  decline: ['recipient', 'application', 'decline/', () => ({ reason_codes: ['cash_flow'] })],
  offer: ['recipient', 'application', 'offers/', () => offerOf({ valid_until: tomorrow() })],
  'indicative offer': ['recipient', 'application', 'offers/', () => offerOf({ kind: 'indicative' })],
  'withdraw offer': ['recipient', 'application', 'offers/{offer}/withdraw/'],
  fund: ['recipient', 'application', 'fund/', () => funding],
  hold: ['recipient', 'deal', 'hold/'],
  resume: ['recipient', 'deal', 'resume/'],
  'lose deal': ['recipient', 'deal', 'lose/', () => ({ reason_code: 'industry' })],
}
/** Those that end everything come seldom, or nothing else would ever be seen. */
const usual = Object.keys(moves).filter(
  (name) => !/^(withdraw|decline|decline offer|withdraw deal|lose deal)$/.test(name),
)
const time = '3 months pass'
const anyMove = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom(...usual) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(moves)) },
  { weight: 1, arbitrary: fc.constant(time) },
)

/** Sends all of them at once, each with what its party saw before. */
async function sendAtOnce({ deal, application }: Pair, names: readonly string[]): Promise<Answer[]> {
  const seen = {
    sender: { deal: await read(deal), application: await read(application) },
    recipient: { deal: await read(deal, lender), application: await read(application, lender) },
  }
  const [offer] = (await sender.call('GET', `${application.url}offers/?page_size=1`)).body.items
  const sent: Promise<Answer>[] = names
    .filter((name) => name !== time)
    .map((name) => {
      const [by, on, rest, body] = moves[name] ?? expect.fail(name)
      const { url } = on === 'deal' ? deal : application
      const portal = by === 'sender' ? sender : lender
      return portal.call('POST', `${url}${rest.replace('{offer}', offer?.id ?? `ofr_${'0'.repeat(26)}`)}`, {
        body: body?.(),
        headers: { 'if-match': seen[by][on].etag ?? '"none"' },
      })
    })
  if (names.includes(time)) {
    server.clock.advance(91 * day)
    await expire()
  }
  return Promise.all(sent)
}

const endings = { win: 'won', lose: 'lost', expire: 'expired' } as const

/** What always holds of a deal and its application, whoever looks. */
async function expectAgreement({ deal, application }: Pair): Promise<void> {
  const [ours, theirs] = [await read(deal), await read(deal, lender)]
  const mine = await read(application)
  const isShown = mine.submission !== null
  const shown = await lender.call('GET', application.url)
  expect(shown.status).toBe(isShown ? 200 : 404)
  if (isShown) expect([shown.body.state, shown.body.active_offer_id]).toEqual([mine.state, mine.active_offer_id])
  for (const field of ['state', 'state_changed_at', 'stage', 'progress', 'amount_approved', 'amount_funded'])
    expect(theirs[field]).toEqual(ours[field])
  // Why it ended is the same for both, unless the reason is a draft that the recipient never saw.
  const isTold = isShown || ours.outcome?.reason_code !== 'application_expired'
  expect(theirs.outcome).toEqual(isTold ? ours.outcome : { ...ours.outcome, reason_code: null })

  // safe because the table has every state that the schema allows
  const { category, ends } = dealEffects[mine.state as keyof typeof dealEffects]
  if (ours.state === 'withdrawn') expect(mine.state).toBe('withdrawn')
  else if (ends) expect(ours.state).toBe(endings[ends.action])
  // The deal outlives an application that was withdrawn, until the recipient gives it up.
  else if (mine.state === 'withdrawn' && ours.state === 'lost') expect(ours.outcome.reason_code).toBe('industry')
  else {
    expect(['open', 'on_hold']).toContain(ours.state)
    expect(ours.stage.category).toBe(isShown ? category : 'new')
  }

  const { items: offers } = (await sender.call('GET', `${application.url}offers/`)).body
  const active = offers.filter(({ state }: { state: string }) => state === 'active').map(({ id }: Shared) => id)
  expect(active).toEqual(mine.active_offer_id === null ? [] : [mine.active_offer_id])

  await expectOneStory([sender, lender], { deal, application }, offers, mine.state)
}

describe('any actions of both parties at once', () => {
  test('leave one legal state, a deal that agrees with its application, and one story in both Portals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.array(anyMove, { minLength: 2, maxLength: 4 }), { minLength: 3, maxLength: 7 }),
        async (isSubmitted, rounds) => {
          const deal = await newDeal(sender, lender)
          const application = await newApplication(sender, deal)
          if (isSubmitted) done(await act(sender, application, 'submit/'))
          for (const names of rounds) {
            const answers = await sendAtOnce({ deal, application }, names)
            // The last day of an offer may have passed before the offer arrives.
            const possible = [200, 201, 403, 404, 409, 412, ...(names.includes(time) ? [422] : [])]
            for (const { status, text } of answers) expect(possible, text).toContain(status)
            await expectAgreement({ deal, application })
          }
        },
      ),
      {
        numRuns: 12,
        examples: [
          [
            false,
            [
              ['withdraw', 'submit'],
              ['lose deal', 'submit'],
            ],
          ],
        ],
      },
    )
  })
})

/** Both requests at once, and how each ended. */
async function atOnce(...requests: (() => Promise<Answer>)[]): Promise<number[]> {
  return (await Promise.all(requests.map((send) => send()))).map(({ status }) => status)
}
async function send(by: TestPortal, record: { url: string }, rest: string, body?: object, key = randomUUID()) {
  const { etag } = await read(record, by)
  return () => by.call('POST', `${record.url}${rest}`, { body, headers: { 'if-match': etag, 'idempotency-key': key } })
}

describe('races', () => {
  test('withdraw against fund: one of them happens', async () => {
    for (let round = 0; round < 4; round++) {
      const { application } = await newAccepted(sender, lender)
      const requests = [await send(sender, application, 'withdraw/'), await send(lender, application, 'fund/', funding)]
      const statuses = await atOnce(...requests)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect([409, 412]).toContain(statuses.find((status) => status !== 200))
      const isFunded = statuses[1] === 200
      expect([(await read(application)).state, (await dealOf(application)).state]).toEqual(
        isFunded ? ['funded', 'won'] : ['withdrawn', 'open'],
      )
      await expectAgreement({ deal: await dealOf(application), application })
    }
  })

  test('a fund clicked five times: one 200, the others 412; with one Idempotency-Key it is replayed', async () => {
    const { application } = await newAccepted(sender, lender)
    const clicks = await Promise.all(Array.from({ length: 5 }, () => send(lender, application, 'fund/', funding)))
    expect((await atOnce(...clicks)).sort()).toEqual([200, 412, 412, 412, 412])
    expect(
      (await eventsOf(sender, application)).filter(({ type }: { type: string }) => type.endsWith('funded')),
    ).toHaveLength(1)

    const second = (await newAccepted(sender, lender)).application
    const key = randomUUID()
    const { etag } = await read(second, lender)
    const headers = { 'if-match': etag, 'idempotency-key': key }
    const click = () => lender.call('POST', `${second.url}fund/`, { body: funding, headers })
    const answers = await Promise.all(Array.from({ length: 5 }, click))
    for (const { status, body } of answers)
      expect([200, 'idempotency_key_in_use']).toContain(status === 200 ? 200 : body.code)
    const replay = await click()
    expect([replay.status, replay.headers.get('idempotent-replayed'), replay.body.state]).toEqual([
      200,
      'true',
      'funded',
    ])
    await expectAgreement({ deal: await dealOf(second), application: second })
  })

  test('withdrawing the deal against making an offer: no offer stands on a deal that ended', async () => {
    for (let round = 0; round < 4; round++) {
      const application = await newSubmitted(sender, lender)
      const deal = await dealOf(application)
      const requests = [await send(sender, deal, 'withdraw/'), await send(lender, application, 'offers/', offerOf())]
      const [withdrawn, offered] = await atOnce(...requests)
      // An offer moves the deal, so that whoever withdraws must have seen it.
      expect([
        [200, 412],
        [200, 409],
        [412, 201],
      ]).toContainEqual([withdrawn, offered])
      await expectAgreement({ deal, application })
      const { items } = (await sender.call('GET', `${application.url}offers/`)).body
      if (withdrawn === 200) expect(items.filter(({ state }: { state: string }) => state === 'active')).toEqual([])
    }
  })

  test('accepting against expiry: before the last moment it is accepted, from it on it has expired', async () => {
    const today = () => isoTime(server.clock.now()).slice(0, 10)
    const early = await newOffered(sender, lender, { valid_until: today() })
    const accept = await send(sender, early.application, `offers/${early.offer.id}/accept/`)
    const [[status]] = await Promise.all([atOnce(accept), expire()])
    expect([status, (await read(early.application)).state]).toEqual([200, 'accepted'])

    const late = await newOffered(sender, lender, { valid_until: today() })
    const tooLate = await send(sender, late.application, `offers/${late.offer.id}/accept/`)
    server.clock.advance(Date.parse(late.offer.expires_at) - server.clock.now())
    const [[refused]] = await Promise.all([atOnce(tooLate), expire()])
    expect([409, 412]).toContain(refused)
    expect([(await read(late.application)).state, (await read(late.offer)).state]).toEqual(['in_review', 'expired'])
    await expectAgreement({ deal: await dealOf(late.application), application: late.application })
  })

  test('responding against a new request, editing against submitting: nothing unseen is overwritten', async () => {
    const application = await newSubmitted(sender, lender)
    done(await act(lender, application, 'request-information/', ask))
    const both = [
      await send(sender, application, 'respond/'),
      await send(lender, application, 'request-information/', ask),
    ]
    const statuses = await atOnce(...both)
    expect(statuses).toContain(200)
    await expectAgreement({ deal: await dealOf(application), application })

    const draft = await newApplication(sender, await newDeal(sender, lender))
    const { etag } = draft
    const headers = { 'if-match': etag }
    const [edit, submit] = await Promise.all([
      sender.call('PUT', `${draft.url}answers/legal_name/`, { body: { value: 'Late' }, headers }),
      sender.call('POST', `${draft.url}submit/`, { headers }),
    ])
    expect([edit.status, submit.status].sort()).toEqual(edit.status === 200 ? [200, 412] : [200, edit.status])
    expect([409, 412, 200]).toContain(edit.status)
    const shown = await lender.call('GET', `${draft.url}answers/legal_name/`)
    expect(shown.status).toBe(404)
  })

  test('both reopen an expired deal: one of them does, and one application is begun', async () => {
    const deal = await newDeal(sender, lender)
    await newApplication(sender, deal)
    server.clock.advance(91 * day)
    await expire()
    const statuses = await atOnce(await send(sender, deal, 'reopen/'), await send(lender, deal, 'reopen/'))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    const begun = await Promise.all(
      Array.from({ length: 4 }, () => sender.call('POST', 'deal-applications/', { body: { deal_id: deal.id } })),
    )
    expect(begun.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  test('two submissions at once of one application: one 200, one submission', async () => {
    const application = await newApplication(sender, await newDeal(sender, lender))
    done(await putAnswer(sender, application, 'legal_name', 'Lee'))
    const statuses = await atOnce(
      await send(sender, application, 'submit/'),
      await send(sender, application, 'submit/'),
    )
    expect(statuses.sort()).toEqual([200, 412])
    expect((await read(application)).submission.number).toBe(1)
  })
})
