// Offers, what follows from each, and the decisions around them: declining an application and paying it out.
import { describe, expect, test } from 'vitest'
import { day, isoTime } from '../src/platform/clock.ts'
import { dateIn } from '../src/platform/values/times.ts'
import {
  act,
  done,
  eventsOf,
  expectRefusal,
  funding,
  newAccepted,
  newLender,
  newOffered,
  newSubmitted,
  offerOf,
  type Shared,
  startTwoPortals,
  timelineOf,
} from './deal-fixtures.ts'
import { runRepeating } from './due-jobs.ts'
import { usd } from './funding-fixtures.ts'

const { server, sender, lender, read, dealOf } = await startTwoPortals()

const offer = (application: Shared, more: object = {}) => act(lender, application, 'offers/', offerOf(more))
const listed = async (application: Shared, by = sender) =>
  (await by.call('GET', `${application.url}offers/`)).body.items
const today = (zone = 'UTC') => dateIn(zone, server.clock.now())

describe('making an offer', () => {
  const terms = {
    kind: 'final',
    amount: usd('75000.00'),
    term_months: 36,
    rate: { kind: 'fixed', value: 9.5, apr: 10.1 },
    fees: [
      { name: 'Arrangement fee', amount: usd('500.00'), percent: null },
      { name: 'Broker fee', amount: null, percent: 1.5 },
    ],
    repayment: { frequency: 'monthly', amount: usd('2400.00'), total: usd('86400.00') },
    conditions: ['Signed agreement'],
    valid_until: null,
  }

  test('201 with every term as it was sent, the same for both parties but for the ETag', async () => {
    const application = await newSubmitted(sender, lender)
    const made = await offer(application, terms)
    expect(made.body).toMatchObject({ ...terms, state: 'active', application_id: application.id, expires_at: null })
    expect(made.headers.get('location')).toBe(made.body.url)
    const [ours, theirs] = [await read(made.body), await read(made.body, lender)]
    expect({ ...ours, etag: '', available_actions: [] }).toEqual({ ...theirs, etag: '', available_actions: [] })
    expect([ours.available_actions, theirs.available_actions]).toEqual([['accept', 'decline'], ['withdraw']])
    expect([ours.etag, theirs.etag]).toEqual([(await read(application)).etag, (await read(application, lender)).etag])
    expect((await read(application)).active_offer_id).toBe(made.body.id)
  })

  test('201 with the least: everything else is null or empty', async () => {
    const { body } = await offer(await newSubmitted(sender, lender), { rate: { kind: 'none', value: 0 } })
    expect(body).toMatchObject({
      term_months: null,
      rate: { kind: 'none', value: 0, apr: null },
      fees: [],
      repayment: null,
      conditions: [],
      valid_until: null,
    })
  })

  test('422 for amounts of zero or below, and for a last day that has passed', async () => {
    const application = await newSubmitted(sender, lender)
    const yesterday = isoTime(server.clock.now() - day).slice(0, 10)
    for (const [more, pointer] of [
      [{ amount: usd('0.00') }, '/amount/amount'],
      [{ amount: usd('-5.00') }, '/amount/amount'],
      [{ fees: [{ name: 'Fee', amount: usd('-1.00') }] }, '/fees/0/amount/amount'],
      [{ repayment: { frequency: 'monthly', total: usd('-1.00') } }, '/repayment/total/amount'],
      [{ valid_until: yesterday }, '/valid_until'],
    ] as const) {
      const answer = await offer(application, more)
      expectRefusal(answer, 422, 'validation_failed', 'out_of_range')
      expect(answer.body.details[0].pointer).toBe(pointer)
    }
    expect([await listed(application), (await read(application)).state]).toEqual([[], 'submitted'])
  })

  test('422 for every fee with neither amount nor percent, and with both, all of them reported', async () => {
    const application = await newSubmitted(sender, lender)
    const answer = await offer(application, {
      fees: [
        { name: 'Neither' },
        { name: 'Right', percent: 1, amount: null },
        { name: 'Both', amount: usd('5.00'), percent: 1 },
        { name: 'Nulls', amount: null, percent: null },
        { name: 'Negative', amount: usd('-1.00') },
      ],
    })
    expectRefusal(answer, 422, 'validation_failed', 'required', 'invalid_format', 'required', 'out_of_range')
    const { details } = answer.body
    expect(details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/fees/0',
      '/fees/2',
      '/fees/3',
      '/fees/4/amount/amount',
    ])
    expect(details[1].message).toBe('A fee must have either amount or percent, and not both.')
    expect(await listed(application)).toEqual([])
  })

  test('201 supersedes the active one; all are listed, the newest first, and only one is active', async () => {
    const application = await newSubmitted(sender, lender)
    const amounts = ['10000.00', '20000.00', '30000.00']
    const ids = []
    for (const amount of amounts) ids.push((await offer(application, { amount: usd(amount) })).body.id)
    for (const by of [sender, lender]) {
      const items = await listed(application, by)
      expect(items.map((one: { id: string }) => one.id)).toEqual([...ids].reverse())
      expect(items.map((one: { state: string }) => one.state)).toEqual(['active', 'superseded', 'superseded'])
    }
    const types = (await eventsOf(sender, { id: ids[0] })).map(({ type }: { type: string }) => type)
    expect(types).toEqual(['offer.received', 'offer.superseded'])
    expect(await eventsOf(lender, { id: ids[0] })).toHaveLength(2)
    expectRefusal(await act(sender, application, `offers/${ids[0]}/accept/`), 409, 'state_conflict')
    done(await act(sender, application, `offers/${ids[2]}/accept/`))
    expect((await dealOf(application)).amount_approved).toEqual(usd('30000.00'))
  })

  test('404 for an offer under the address of another application', async () => {
    const [one, two] = [await newOffered(sender, lender), await newOffered(sender, lender)]
    expect((await sender.call('GET', `${one.application.url}offers/${two.offer.id}/`)).status).toBe(404)
    const path = `offers/${two.offer.id}/accept/`
    expectRefusal(await act(sender, one.application, path), 404, 'not_found')
    // What is not there is said before anything about versions.
    const stale = await sender.call('POST', `${one.application.url}${path}`, { headers: { 'if-match': '"stale"' } })
    expectRefusal(stale, 404, 'not_found')
  })
})

describe('deciding about an offer', () => {
  test('200 a final one is accepted: the amount is approved, the deal is closing', async () => {
    const { application, offer: one } = await newOffered(sender, lender)
    const accepted = done(await act(sender, application, `offers/${one.id}/accept/`, { note: 'By phone.' }))
    expect(accepted.state).toBe('accepted')
    expect(await read(application)).toMatchObject({ state: 'accepted', active_offer_id: null })
    expect(await dealOf(application)).toMatchObject({
      amount_approved: usd('75000.00'),
      stage: { category: 'closing' },
    })
    const kinds = (await timelineOf(lender, await dealOf(application))).map(({ note }: { note: string }) => note)
    expect(kinds).toContain('By phone.')
  })

  test('200 an indicative one is accepted: the application is in review, and a final one follows', async () => {
    const { application, offer: one } = await newOffered(sender, lender, { kind: 'indicative' })
    expect((await read(application)).available_actions).toContain('accept_indicative_offer')
    done(await act(sender, application, `offers/${one.id}/accept/`))
    expect(await read(application)).toMatchObject({ state: 'in_review', active_offer_id: null })
    expect(await dealOf(application)).toMatchObject({ amount_approved: null, stage: { category: 'under_review' } })
    expectRefusal(await act(lender, application, 'fund/', funding), 409, 'state_conflict')
    const final = (await offer(application)).body
    const states = (await listed(application)).map(({ state }: { state: string }) => state)
    expect(states).toEqual(['active', 'accepted'])
    done(await act(sender, application, `offers/${final.id}/accept/`))
    expect((await read(application)).state).toBe('accepted')
  })

  test('403 names the action that the other party lacks, by the kind of the offer', async () => {
    for (const [kind, words] of [
      ['indicative', 'accept indicative offer'],
      ['final', 'accept final offer'],
    ]) {
      const { application, offer: one } = await newOffered(sender, lender, { kind })
      const refused = await act(lender, application, `offers/${one.id}/accept/`)
      expectRefusal(refused, 403, 'action_not_granted')
      expect(refused.body.message).toBe(`Cannot ${words}: only the sender can take this action.`)
    }
  })

  test('200 a declined one ends the application, and the deal is lost for that reason', async () => {
    const { application, offer: one } = await newOffered(sender, lender)
    done(await act(sender, application, `offers/${one.id}/decline/`, { note: 'Too dear.' }))
    expect((await read(application)).state).toBe('offer_declined')
    expect(await dealOf(application, lender)).toMatchObject({
      state: 'lost',
      outcome: { kind: 'lost', reason_code: 'offer_declined', note: 'Too dear.' },
    })
  })

  test('200 one that the recipient takes back: the application is in review, the offer stays listed', async () => {
    const { application, offer: one } = await newOffered(sender, lender)
    done(await act(lender, application, `offers/${one.id}/withdraw/`))
    expect(await read(application)).toMatchObject({ state: 'in_review', active_offer_id: null })
    expect((await listed(application)).map(({ state }: { state: string }) => state)).toEqual(['withdrawn'])
    expect((await eventsOf(sender, one)).at(-1).type).toBe('offer.withdrawn')
  })

  test('409 while information is requested; the offer stays active meanwhile and a new one supersedes it', async () => {
    const { application, offer: one } = await newOffered(sender, lender)
    done(await act(lender, application, 'request-information/', { message: 'One more thing.' }))
    expect((await read(application)).active_offer_id).toBe(one.id)
    expect((await read(one)).state).toBe('active')
    expectRefusal(await act(sender, application, `offers/${one.id}/accept/`), 409, 'state_conflict')
    done(await act(sender, application, 'respond/'))
    expect((await read(one)).state).toBe('active')
    expect((await offer(application)).status).toBe(201)
    expect((await read(one)).state).toBe('superseded')
  })

  test('200 an application that ends leaves no offer active', async () => {
    for (const [by, rest, body, state] of [
      [sender, 'withdraw/', undefined, 'declined'],
      [lender, 'cancel/', undefined, 'withdrawn'],
      [lender, 'decline/', { reason_codes: ['cash_flow'] }, 'withdrawn'],
    ] as const) {
      const { application, offer: one } = await newOffered(sender, lender)
      done(await act(by, application, rest, body))
      expect([rest, (await read(one)).state]).toEqual([rest, state])
      expect((await read(application)).active_offer_id).toBeNull()
    }
  })
})

describe('valid_until', () => {
  const expire = () => runRepeating(server.context, 'deal_applications.expire')

  test('the offer can be accepted until the last moment of that day in the time zone of the recipient', async () => {
    const zone = 'Pacific/Auckland'
    const far = await newLender(server, { time_zone: zone })
    const application = await newSubmitted(sender, far)
    const made = (await act(far, application, 'offers/', offerOf({ valid_until: today(zone) }))).body
    const end = Date.parse(made.expires_at)
    expect([dateIn(zone, end - 1), dateIn(zone, end) > today(zone)]).toEqual([today(zone), true])
    server.clock.advance(end - server.clock.now() - 1000)
    await expire()
    expect((await read(made)).state).toBe('active')
    server.clock.advance(1000)
    const late = await act(sender, application, `offers/${made.id}/accept/`)
    expectRefusal(late, 409, 'state_conflict')
    // The same fact in the refusal and in what is read meanwhile.
    expect(late.body.message).toBe(`Cannot accept final offer: the offer expired at ${made.expires_at}.`)
    const { state, available_actions } = await read(application)
    expect(late.body.details[0].meta).toEqual({ state, available_actions })
    expect([state, (await read(made)).available_actions]).toEqual(['offered', []])
    await expire()
    expect([(await read(made)).state, (await read(application)).state]).toEqual(['expired', 'in_review'])
    for (const by of [sender, far]) expect((await eventsOf(by, made)).at(-1).type).toBe('offer.expired')
    expect((await dealOf(application)).stage.category).toBe('under_review')
  })

  test('an offer whose last day has passed has expired, whatever ends it before the job has run', async () => {
    for (const [by, rest, body, status] of [
      [sender, 'withdraw/', undefined, 200],
      [lender, 'cancel/', undefined, 200],
      [lender, 'decline/', { reason_codes: ['cash_flow'] }, 200],
      [lender, 'offers/', offerOf(), 201],
    ] as const) {
      const { application, offer: one } = await newOffered(sender, lender, { valid_until: today() })
      server.clock.advance(2 * day)
      expect([rest, (await act(by, application, rest, body)).status]).toEqual([rest, status])
      const types = (await eventsOf(sender, one)).map(({ type }: { type: string }) => type)
      expect([rest, (await read(one)).state, types]).toEqual([rest, 'expired', ['offer.received', 'offer.expired']])
    }
  })

  test('an offer that expires while information is requested leaves the request open', async () => {
    const { application, offer: one } = await newOffered(sender, lender, { valid_until: today() })
    done(await act(lender, application, 'request-information/', { message: 'One more thing.' }))
    const before = [(await read(application)).etag, (await read(application, lender)).etag]
    server.clock.advance(2 * day)
    await expire()
    expect((await read(one)).state).toBe('expired')
    expect(await read(application)).toMatchObject({ state: 'information_requested', active_offer_id: null })
    const after = [(await read(application)).etag, (await read(application, lender)).etag]
    expect(after.map((etag, index) => etag === before[index])).toEqual([false, false])
  })

  test('a second run of the job changes nothing, and an offer without a last day never expires', async () => {
    const { application, offer: one } = await newOffered(sender, lender)
    server.clock.advance(400 * day)
    await expire()
    const before = await read(application)
    await expire()
    expect([(await read(one)).state, await read(application)]).toEqual(['active', before])
  })
})

describe('declining an application', () => {
  test('200 with one to four reasons, which the sender reads; the deal is lost', async () => {
    const application = await newSubmitted(sender, lender)
    const reason_codes = ['cash_flow', 'industry', 'geography', 'other']
    done(await act(lender, application, 'decline/', { reason_codes, note: 'Not for us.' }))
    expect(await read(application)).toMatchObject({
      state: 'declined',
      decision: { reason_codes, note: 'Not for us.' },
    })
    expect(await dealOf(application)).toMatchObject({
      state: 'lost',
      outcome: { reason_code: 'declined', note: 'Not for us.' },
    })
  })

  test('422 without a reason, with five, with one twice, with an unknown one, and for other without a note', async () => {
    const application = await newSubmitted(sender, lender)
    for (const body of [
      {},
      { reason_codes: [] },
      { reason_codes: ['cash_flow', 'industry', 'geography', 'collateral', 'liens_or_judgments'] },
      { reason_codes: ['cash_flow', 'cash_flow'] },
      { reason_codes: ['bad_mood'] },
      { reason_codes: ['other'] },
      { reason_codes: ['other'], note: '  ' },
    ])
      expectRefusal(await act(lender, application, 'decline/', body), 422, 'validation_failed')
    expect((await read(application)).state).toBe('submitted')
  })
})

describe('funding', () => {
  test('200 the deal is won with the amount, at 100 percent, and nothing can be done any more', async () => {
    const { application } = await newAccepted(sender, lender)
    const paid = { amount: usd('74500.00'), funded_on: today(), note: 'Paid.' }
    const funded = done(await act(lender, application, 'fund/', paid))
    expect(funded).toMatchObject({
      state: 'funded',
      funding: { amount: paid.amount, funded_on: paid.funded_on },
      available_actions: [],
    })
    for (const by of [sender, lender])
      expect(await dealOf(application, by)).toMatchObject({
        state: 'won',
        amount_requested: null,
        amount_approved: usd('75000.00'),
        amount_funded: usd('74500.00'),
        outcome: { kind: 'won', reason_code: null, note: 'Paid.' },
        progress: { percent: 100 },
        stage: { category: 'funded' },
      })
  })

  test('422 for nothing, for another currency than that of the accepted offer, for a day to come', async () => {
    const { application } = await newAccepted(sender, lender)
    const tomorrow = isoTime(server.clock.now() + day).slice(0, 10)
    const answer = await act(lender, application, 'fund/', {
      amount: { amount: '0.00', currency: 'EUR' },
      funded_on: tomorrow,
    })
    expectRefusal(answer, 422, 'validation_failed', 'out_of_range', 'invalid_enum', 'out_of_range')
    expect(answer.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/amount/amount',
      '/amount/currency',
      '/funded_on',
    ])
    expect(answer.body.details[2].message).toBe(`funded_on must not be in the future. Today is ${today()} in UTC.`)
    expect((await read(application)).state).toBe('accepted')
  })

  test('200 on the day that it is in the time zone of the recipient', async () => {
    const zone = 'Pacific/Kiritimati'
    const { application } = await newAccepted(sender, lender)
    const ahead = await newLender(server, { time_zone: zone })
    const theirs = (await newAccepted(sender, ahead)).application
    // Move to a moment when the day there is ahead of the day in UTC.
    server.clock.advance(Date.parse(`${today()}T12:00:00Z`) + day - server.clock.now())
    const there = { amount: funding.amount, funded_on: today(zone) }
    expect(there.funded_on > today()).toBe(true)
    expectRefusal(await act(lender, application, 'fund/', there), 422, 'validation_failed', 'out_of_range')
    done(await act(ahead, theirs, 'fund/', there))
  })

  test('200 without a day, which is today in the time zone of the recipient, and for a day before the deal was entered', async () => {
    const zone = 'Pacific/Kiritimati'
    const ahead = await newLender(server, { time_zone: zone })
    // A moment when the day there is ahead of the day in UTC.
    server.clock.advance(Date.parse(`${today()}T12:00:00Z`) + day - server.clock.now())
    const [{ application }, other] = [await newAccepted(sender, ahead), await newAccepted(sender, ahead)]
    expect(today(zone) > today()).toBe(true)
    expect(done(await act(ahead, application, 'fund/', funding)).funding.funded_on).toBe(today(zone))
    const before = { ...funding, funded_on: '2018-01-01' }
    expect(done(await act(ahead, other.application, 'fund/', before)).funding.funded_on).toBe('2018-01-01')
  })
})
