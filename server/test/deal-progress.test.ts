// How a deal goes on: its steps, its timeline, hold and reopen, its ends, and the lists in both directions.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day } from '../src/platform/clock.ts'
import {
  act,
  done,
  expectRefusal,
  funding,
  newAccepted,
  newApplication,
  newDeal,
  newLender,
  newOffered,
  newSubmitted,
  type Shared,
  startTwoPortals,
  timelineOf,
} from './deal-fixtures.ts'
import { runRepeating } from './due-jobs.ts'
import { newProject, usd } from './funding-fixtures.ts'
import type { TestPortal } from './harness.ts'

const { server, sender, lender, read, dealOf, move } = await startTwoPortals()

describe('progress', () => {
  const stepsOf = ({ progress }: { progress: { steps: { key: string; state: string; at: string | null }[] } }) =>
    progress.steps.map(({ key, state, at }) => `${key} ${state}${at === null ? '' : ' at'}`)
  const stepOf = ({ progress }: Parameters<typeof stepsOf>[0], key: string) =>
    progress.steps.find((step) => step.key === key) ?? expect.fail(`no step ${key}`)

  test('200 percent and steps follow the category, steps that were not taken are skipped', async () => {
    const deal = await newDeal(sender, lender)
    expect([deal.progress.percent, stepsOf(deal)]).toEqual([
      0,
      [
        'new current at',
        'qualifying upcoming',
        'application upcoming',
        'under_review upcoming',
        'offer upcoming',
        'closing upcoming',
        'funded upcoming',
      ],
    ])
    const moved = done(await move(deal, 'under_review'))
    expect([moved.progress.percent, stepsOf(moved).slice(0, 4)]).toEqual([
      50,
      ['new done at', 'qualifying skipped', 'application skipped', 'under_review current at'],
    ])
    const back = done(await move(deal, 'application'))
    expect([back.progress.percent, stepsOf(back).slice(0, 4)]).toEqual([
      33,
      ['new done at', 'qualifying skipped', 'application current at', 'under_review upcoming'],
    ])
  })

  test('200 a step that was reached before a way back is done at the end, with its time', async () => {
    const { application, offer } = await newOffered(sender, lender)
    const offered = await dealOf(application)
    const { at } = stepOf(offered, 'offer')
    server.clock.advance(1000)
    done(await act(lender, application, 'request-information/', { message: 'One more thing.' }))
    const back = await dealOf(application)
    expect([back.progress.percent, stepOf(back, 'offer')]).toMatchObject([50, { state: 'upcoming', at: null }])
    done(await act(sender, application, 'respond/'))
    done(await act(sender, application, `offers/${offer.id}/accept/`))
    expect(stepOf(await dealOf(application), 'offer')).toMatchObject({ state: 'done', at })
    done(await act(lender, application, 'fund/', funding))
    const won = await dealOf(application)
    expect([won.progress.percent, stepOf(won, 'offer')]).toMatchObject([100, { state: 'done', at }])
    expect(stepsOf(won).filter((text) => text.includes('skipped'))).toEqual([
      'qualifying skipped',
      'application skipped',
    ])
  })

  test('200 a lost deal keeps what it reached before a way back; a step that is reached again has its new time', async () => {
    const deal = await newDeal(sender, lender)
    const first = stepOf(done(await move(deal, 'under_review')), 'under_review').at
    server.clock.advance(1000)
    done(await move(deal, 'qualifying'))
    const again = done(await move(deal, 'under_review'))
    expect(Date.parse(stepOf(again, 'under_review').at ?? '')).toBeGreaterThan(Date.parse(first ?? ''))
    const offered = stepOf(done(await move(deal, 'offer')), 'offer').at
    done(await move(deal, 'qualifying'))
    const lost = done(await act(lender, deal, 'lose/', { reason_code: 'industry' }))
    expect([lost.progress.percent, stepsOf(lost)]).toEqual([
      17,
      [
        'new done at',
        'qualifying done at',
        'application skipped',
        'under_review done at',
        'offer done at',
        'closing skipped',
        'funded skipped',
      ],
    ])
    expect(stepOf(lost, 'offer').at).toBe(offered)
    const reopened = done(await act(lender, deal, 'reopen/'))
    expect([reopened.progress.percent, stepOf(reopened, 'offer')]).toMatchObject([17, { state: 'upcoming', at: null }])
  })

  test('200 a lost deal has no current step, and what it never reached is skipped; a won one is at 100', async () => {
    const deal = await newDeal(sender, lender)
    done(await move(deal, 'qualifying'))
    const lost = done(await act(lender, deal, 'lose/', { reason_code: 'industry' }))
    expect([lost.progress.percent, lost.stage.category]).toEqual([17, 'closed_lost'])
    expect(
      new Set(
        stepsOf(lost)
          .slice(2)
          .map((text) => text.split(' ')[1]),
      ),
    ).toEqual(new Set(['skipped']))
    expect(stepsOf(lost).some((text) => text.includes('current'))).toBe(false)
    const won = done(await act(lender, await newDeal(sender, lender), 'win/', { amount_funded: usd('10.00') }))
    expect([won.progress.percent, won.amount_funded, won.outcome]).toMatchObject([
      100,
      usd('10.00'),
      { kind: 'won', reason_code: null },
    ])
  })
})

describe('the timeline', () => {
  test('200 says what happened, who did it and what was noted; a key is named to its own Portal only', async () => {
    const deal = await newDeal(sender, lender)
    done(await move(deal, 'qualifying', 'Called the owner.'))
    done(await act(lender, deal, 'hold/', { note: 'Holidays.' }))
    done(await act(lender, deal, 'resume/'))
    done(await act(sender, deal, 'withdraw/', { note: 'Found another.' }))
    const withKeys = (senderKey: string | null, lenderKey: string | null) => {
      const ours = { portal_id: sender.id, name: deal.sender.name, key_id: senderKey }
      const theirs = { portal_id: lender.id, name: 'Harbour Lending', key_id: lenderKey }
      return [
        ['created', null, 'open', null, ours],
        ['stage_changed', 'new', 'qualifying', 'Called the owner.', theirs],
        ['on_hold', 'open', 'on_hold', 'Holidays.', theirs],
        ['resumed', 'on_hold', 'open', null, theirs],
        ['withdrawn', 'open', 'withdrawn', 'Found another.', ours],
      ]
    }
    const seenBy = async (by: TestPortal) =>
      (await timelineOf(by, deal)).map(({ kind, from, to, note, actor }: Record<string, unknown>) => [
        kind,
        from,
        to,
        note,
        actor,
      ])
    expect(await seenBy(sender)).toEqual(withKeys(sender.key_id, null))
    expect(await seenBy(lender)).toEqual(withKeys(null, lender.key_id))
  })

  test('200 what happens by itself has no Portal; what only the sender knows is in its timeline alone', async () => {
    const deal = await newDeal(sender, lender)
    await newApplication(sender, deal)
    server.clock.advance(91 * day)
    await runRepeating(server.context, 'deal_applications.expire')
    const kinds = async (by: TestPortal) => (await timelineOf(by, deal)).map(({ kind }: { kind: string }) => kind)
    expect(await kinds(sender)).toEqual(['created', 'application_created', 'application_expired', 'expired'])
    expect(await kinds(lender)).toEqual(['created', 'expired'])
    const last = (await timelineOf(lender, deal)).at(-1)
    expect(last.actor).toEqual({ portal_id: null, name: 'Portico', key_id: null })
  })

  test('200 pages forward and backward', async () => {
    const deal = await newDeal(sender, lender)
    for (const key of ['qualifying', 'application', 'new']) done(await move(deal, key))
    const all = (await timelineOf(sender, deal)).map(({ id }: Shared) => id)
    const page = async (cursor = '') => (await sender.call('GET', `${deal.progress_url}?page_size=3${cursor}`)).body
    const first = await page()
    const second = await page(`&cursor=${first.next_cursor}`)
    expect([...first.items, ...second.items].map(({ id }: Shared) => id)).toEqual(all)
    expect((await page(`&cursor=${second.previous_cursor}`)).items).toEqual(first.items)
  })
})

describe('ends', () => {
  test('422 lost without a reason, with an unknown one, and for other without a note', async () => {
    const deal = await newDeal(sender, lender)
    for (const body of [{}, { reason_code: 'mood' }, { reason_code: 'other' }, { reason_code: 'declined' }])
      expectRefusal(await act(lender, deal, 'lose/', body), 422, 'validation_failed')
    const lost = done(await act(lender, deal, 'lose/', { reason_code: 'other', note: 'Moved away.' }))
    expect(lost.outcome).toMatchObject({ kind: 'lost', reason_code: 'other', note: 'Moved away.' })
  })

  test.each([
    ['withdraw/', 'sender', undefined, 'withdrawn', 'withdrawn'],
    ['lose/', 'recipient', { reason_code: 'industry' }, 'lost', 'cancelled'],
  ] as const)('200 %s by the %s takes the open application along', async (rest, by, body, state, ended) => {
    for (const isSubmitted of [false, true]) {
      const deal = await newDeal(sender, lender)
      const application = await newApplication(sender, deal)
      if (isSubmitted) done(await act(sender, application, 'submit/'))
      const party = by === 'sender' ? sender : lender
      expect(done(await act(party, deal, rest, body)).state).toBe(state)
      expect((await read(application)).state).toBe(ended)
      const { items } = (await lender.call('GET', `events/?resource_id=${application.id}`)).body
      expect(items.length > 0).toBe(isSubmitted)
    }
  })

  test('409 won past a submitted application, which is funded instead; a draft is cancelled', async () => {
    const application = await newSubmitted(sender, lender)
    const deal = await dealOf(application)
    const answer = await act(lender, deal, 'win/')
    expectRefusal(answer, 409, 'state_conflict')
    expect(answer.body.details[0].meta.state).toBe('open')
    expect((await dealOf(application)).state).toBe('open')
    const other = await newDeal(sender, lender)
    const draft = await newApplication(sender, other)
    expect(done(await act(lender, other, 'win/')).state).toBe('won')
    expect((await read(draft)).state).toBe('cancelled')
  })

  test('200 a withdrawn application leaves the deal open, without what was approved', async () => {
    const { application } = await newAccepted(sender, lender)
    done(await act(sender, application, 'withdraw/'))
    expect(await dealOf(application)).toMatchObject({
      state: 'open',
      amount_approved: null,
      outcome: null,
      stage: { category: 'application' },
    })
  })

  test('200 an application goes on while the deal is on hold, and the deal with it', async () => {
    const { application } = await newAccepted(sender, lender)
    done(await act(lender, await dealOf(application), 'hold/'))
    done(await act(lender, application, 'fund/', funding))
    expect((await dealOf(application)).state).toBe('won')
  })
})

describe('reopening', () => {
  test('200 a lost deal goes on where it was, without its outcome', async () => {
    const deal = await newDeal(sender, lender)
    done(await move(deal, 'qualifying'))
    done(await act(lender, deal, 'lose/', { reason_code: 'industry' }))
    expectRefusal(await act(sender, deal, 'reopen/'), 409, 'state_conflict')
    const reopened = done(await act(lender, deal, 'reopen/', { note: 'Came back.' }))
    expect(reopened).toMatchObject({ state: 'open', outcome: null, stage: { key: 'qualifying' } })
  })

  test('200 one that ended under review begins at the application, which may be a new one', async () => {
    const application = await newSubmitted(sender, lender)
    done(await act(lender, application, 'decline/', { reason_codes: ['cash_flow'] }))
    const deal = await dealOf(application)
    const reopened = done(await act(lender, deal, 'reopen/'))
    expect(reopened).toMatchObject({ state: 'open', stage: { category: 'application' } })
    const second = await newApplication(sender, deal)
    done(await act(sender, second, 'submit/'))
    expect((await read(deal, lender)).application_ids).toEqual([application.id, second.id])
    expect((await read(application, lender)).state).toBe('declined')
  })

  test('200 that a second draft expired is not told to the recipient, who saw the first application', async () => {
    const application = await newSubmitted(sender, lender)
    done(await act(lender, application, 'decline/', { reason_codes: ['cash_flow'] }))
    const deal = await dealOf(application)
    done(await act(lender, deal, 'reopen/'))
    await newApplication(sender, deal)
    server.clock.advance(91 * day)
    await runRepeating(server.context, 'deal_applications.expire')
    expect((await read(deal)).outcome).toMatchObject({ kind: 'expired', reason_code: 'application_expired' })
    expect((await read(deal, lender)).outcome).toMatchObject({ kind: 'expired', reason_code: null })
  })

  test('409 for a withdrawn deal and a won one', async () => {
    const [one, two] = [await newDeal(sender, lender), await newDeal(sender, lender)]
    done(await act(sender, one, 'withdraw/'))
    done(await act(lender, two, 'win/'))
    for (const deal of [one, two]) expectRefusal(await act(lender, deal, 'reopen/'), 409, 'state_conflict')
  })
})

describe('lists', () => {
  const ids = async (by: TestPortal, query: string, path = 'deals/') => {
    const { status, body, text } = await by.call('GET', `${path}?page_size=100&${query}`)
    expect(status, text).toBe(200)
    return body.items.map(({ id }: Shared) => id)
  }

  test('200 every filter, in both directions', async () => {
    const [own, other] = [await newLender(server), await newLender(server)]
    const project = await newProject(own)
    const sent = await newDeal(own, other, {
      business_id: project.business_id,
      project_id: project.id,
      external_reference: 'a',
    })
    const mine = await newDeal(own)
    const received = await newDeal(other, own)
    done(await move(received, 'qualifying', undefined, own))
    done(await act(own, received, '', { external_reference: 'b' }, 'PATCH'))
    server.clock.advance(1000)
    done(await act(own, mine, 'hold/'))
    const cases: [string, Shared[]][] = [
      ['direction=sent&order=updated_at', [sent, mine]],
      ['direction=received', [received]],
      ['order=updated_at', [sent, received, mine]],
      ['order=-updated_at', [mine, received, sent]],
      ['state=on_hold', [mine]],
      ['state=open&order=updated_at', [sent, received]],
      ['stage=qualifying', [received]],
      [`recipient_id=${other.recipient_id}`, [sent]],
      [`recipient_id=${own.recipient_id}&order=updated_at`, [received, mine]],
      [`business_id=${project.business_id}`, [sent]],
      [`business_id=${(received as { business_id?: string }).business_id}`, [received]],
      [`project_id=${project.id}`, [sent]],
      ['external_reference=a', [sent]],
      ['external_reference=b', [received]],
      ['direction=sent&external_reference=b', []],
    ]
    for (const [query, expected] of cases)
      expect([query, await ids(own, query)]).toEqual([query, expected.map(({ id }) => id)])
    expect(await ids(other, `project_id=${project.id}`)).toEqual([])
    expect(await ids(other, 'external_reference=a')).toEqual([])
    const { status } = await own.call('GET', 'deals/?state=closed')
    expect(status).toBe(400)
  })

  test('200 the latest activity first, as each party sees it', async () => {
    const [own, other] = [await newLender(server), await newLender(server)]
    const [one, two] = [await newDeal(own, other), await newDeal(own, other)]
    server.clock.advance(1000)
    done(await act(other, one, '', { tags: ['mine'] }, 'PATCH'))
    expect([await ids(own, ''), await ids(other, '')]).toEqual([
      [two.id, one.id],
      [one.id, two.id],
    ])
    server.clock.advance(1000)
    done(await act(own, two, '', { title: 'Seen by both' }, 'PATCH'))
    expect(await ids(other, '')).toEqual([two.id, one.id])
  })

  test('200 applications by direction, state, deal and recipient', async () => {
    const [own, other] = [await newLender(server), await newLender(server)]
    const draft = await newApplication(own, await newDeal(own, other))
    const sent = await newSubmitted(own, other)
    const received = await newSubmitted(other, own)
    await newApplication(other, await newDeal(other, own))
    const cases: [string, Shared[]][] = [
      ['order=updated_at', [draft, sent, received]],
      ['direction=received', [received]],
      ['direction=sent&order=-updated_at', [sent, draft]],
      ['state=draft', [draft]],
      ['state=submitted&order=updated_at', [sent, received]],
      [`deal_id=${sent.deal_id}`, [sent]],
      [`deal_id=${received.deal_id}`, [received]],
      [`recipient_id=${own.recipient_id}`, [received]],
      [`recipient_id=${other.recipient_id}&order=updated_at`, [draft, sent]],
    ]
    for (const [query, expected] of cases)
      expect([query, await ids(own, query, 'deal-applications/')]).toEqual([query, expected.map(({ id }) => id)])
  })

  test('for any mix of sent and received deals, order and page size: each is found once, and the same way back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('sent', 'received', 'own'), { maxLength: 9 }),
        fc.constantFrom('updated_at', '-updated_at'),
        fc.integer({ min: 1, max: 4 }),
        async (kinds, order, size) => {
          const [own, other] = [await newLender(server), await newLender(server)]
          const all: string[] = []
          for (const kind of kinds)
            all.push(
              (kind === 'received' ? await newDeal(other, own) : await newDeal(own, kind === 'own' ? undefined : other))
                .id,
            )
          const page = async (cursor: string | null) =>
            (await own.call('GET', `deals/?order=${order}&page_size=${size}${cursor ? `&cursor=${cursor}` : ''}`)).body
          const pages = [await page(null)]
          for (let last = pages[0]; last.next_cursor !== null; last = pages.at(-1))
            pages.push(await page(last.next_cursor))
          const seen = pages.flatMap(({ items }) => items.map(({ id }: Shared) => id))
          expect(seen).toEqual(order.startsWith('-') ? [...all].reverse() : all)
          const back = []
          for (let last = pages.at(-1); last.previous_cursor !== null; ) {
            last = await page(last.previous_cursor)
            back.unshift(...last.items.map(({ id }: Shared) => id))
          }
          expect(back).toEqual(seen.slice(0, seen.length - pages.at(-1).items.length))
        },
      ),
      { numRuns: 8 },
    )
  })
})
