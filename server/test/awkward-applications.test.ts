// What can go wrong between two Portals without anybody doing anything wrong: questions that depend on each other, requests
// that change, dates at the end of time, amounts in other forms.
import { describe, expect, test } from 'vitest'
import { day } from '../src/platform/clock.ts'
import {
  act,
  done,
  expectRefusal,
  newAccepted,
  newApplication,
  newDeal,
  newLender,
  newOffered,
  newSubmitted,
  offerOf,
  putAnswer,
  startTwoPortals,
  timelineOf,
} from './deal-fixtures.ts'

const { server, sender, lender } = await startTwoPortals()

const isTrue = { question: 'foreign', operator: 'equals', value: true }
const questions = {
  sections: [{ key: 'main', title: 'Main' }],
  questions: [
    { key: 'company', section: 'main', type: 'text', label: 'Company', required: true },
    { key: 'foreign', section: 'main', type: 'boolean', label: 'Foreign owners', required: true },
    { key: 'info', section: 'main', type: 'display', label: 'Please read this' },
    {
      key: 'since',
      section: 'main',
      type: 'date',
      label: 'Latest statement',
      validation: { min_date: 'today-90 days' },
    },
    {
      key: 'owners',
      section: 'main',
      type: 'group',
      label: 'Owners',
      repeat: { min: 0, max: 5, item_label: 'Owner' },
      questions: [
        { key: 'name', type: 'text', label: 'Name', required: true },
        { key: 'visa', type: 'text', label: 'Visa', required_when: isTrue },
      ],
    },
  ],
}
const today = () => new Date(server.clock.now()).toISOString().slice(0, 10)

/** A submitted application with these questions. */
async function newForeign() {
  const bank = await newLender(server, {}, questions)
  const application = await newApplication(sender, await newDeal(sender, bank))
  const answers = [
    { question_key: 'company', value: 'Lee Bakery LLC' },
    { question_key: 'foreign', value: false },
    { question_key: 'since', value: today() },
  ]
  done(await act(sender, application, 'answers/', { answers }, 'PATCH'))
  await act(sender, application, 'answers/owners/items/', { values: { name: 'Ann Lee' } })
  done(await act(sender, application, 'submit/'))
  const ask = async (...question_keys: string[]) =>
    done(await act(bank, application, 'request-information/', { message: 'Please check.', question_keys }))
  return { bank, application, ask }
}

describe('a request for information', () => {
  test('opens the group whose questions depend on the named one, so that the response can be completed', async () => {
    const { application, ask } = await newForeign()
    expect((await ask('foreign')).open_question_keys.sort()).toEqual(['foreign', 'owners'])
    done(await putAnswer(sender, application, 'foreign', true))
    expectRefusal(await act(sender, application, 'respond/'), 422, 'application_incomplete')
    const { items } = (await sender.call('GET', `${application.url}answers/owners/items/`)).body
    done(await act(sender, application, `answers/owners/items/${items[0].id}/`, { values: { visa: 'E-2' } }, 'PATCH'))
    done(await act(sender, application, 'respond/'))
  })

  test('that replaces another leaves open what the sender has begun to change, and closes the rest', async () => {
    const { application, ask } = await newForeign()
    await ask('company', 'since')
    done(await act(sender, application, 'answers/', { answers: [{ question_key: 'company', value: null }] }, 'PATCH'))
    const again = await ask('foreign')
    const own = (await sender.call('GET', application.url)).body
    expect(own.open_question_keys.sort()).toEqual(['company', 'foreign', 'owners'])
    // The recipient sees what it has opened itself, and not what the sender works on.
    expect(again.open_question_keys.sort()).toEqual(['foreign', 'owners'])
    expectRefusal(await act(sender, application, 'respond/'), 422, 'application_incomplete')
    done(await putAnswer(sender, application, 'company', 'Lee Bakery Inc.'))
    done(await act(sender, application, 'respond/'))
  })

  test('is not blocked by a question that was right when it was submitted and is closed now', async () => {
    const { application, ask } = await newForeign()
    server.clock.advance(100 * day)
    await ask('company')
    expect((await sender.call('GET', `${application.url}validation/`)).body).toEqual({
      is_submittable: true,
      problems: [],
      notices: [],
    })
    done(await act(sender, application, 'respond/'))
  })

  test('shows the recipient the problems of what was submitted, and not which question the sender is changing', async () => {
    const problems = []
    for (const isChanged of [false, true]) {
      const { bank, application, ask } = await newForeign()
      server.clock.advance(100 * day)
      await ask('since')
      if (isChanged) done(await putAnswer(sender, application, 'since', today()))
      await ask('company')
      const { body } = await bank.call('GET', `${application.url}validation/`)
      problems.push(body.problems.map(({ question_key }: { question_key: string }) => question_key))
      done(await act(sender, application, 'respond/'))
    }
    expect(problems).toEqual([['since'], ['since']])
  })

  test('422 for a text that nobody can answer', async () => {
    const { bank, application } = await newForeign()
    const body = { message: 'Please check.', question_keys: ['info'] }
    expectRefusal(await act(bank, application, 'return/', body), 422, 'validation_failed', 'unknown_question')
  })

  test('409 for a response after its day, before anybody has noticed', async () => {
    const application = await newSubmitted(sender, lender)
    const body = { message: 'Please check.', question_keys: [], due_on: today() }
    done(await act(lender, application, 'request-information/', body))
    server.clock.advance(2 * day)
    expectRefusal(await act(sender, application, 'respond/'), 409, 'state_conflict')
  })
})

describe('an offer', () => {
  test('201 until the last date there is, and it can be accepted', async () => {
    const { application, offer } = await newOffered(sender, lender, { valid_until: '9999-12-31' })
    expect(offer.expires_at).toBe('9999-12-31T23:59:59.999Z')
    done(await act(sender, application, `offers/${offer.id}/accept/`))
  })

  test('200 it can be accepted in review, when it was made before a request for information', async () => {
    const { application, offer } = await newOffered(sender, lender)
    done(await act(lender, application, 'request-information/', { message: 'Please check.' }))
    expect((await sender.call('GET', offer.url)).body.available_actions).toEqual([])
    expect(done(await act(sender, application, 'respond/')).available_actions).toContain('accept_final_offer')
    expect((await sender.call('GET', offer.url)).body.available_actions).toEqual(['accept', 'decline'])
    done(await act(sender, application, `offers/${offer.id}/accept/`))
    expect((await sender.call('GET', application.url)).body.state).toBe('accepted')
  })

  test('200 a return takes it back', async () => {
    const { application, offer } = await newOffered(sender, lender)
    done(await act(lender, application, 'request-information/', { message: 'Please check.' }))
    done(await act(sender, application, 'respond/'))
    const body = { message: 'Please enter the registered name.', question_keys: ['legal_name'] }
    expect(done(await act(lender, application, 'return/', body)).active_offer_id).toBeNull()
    expect((await sender.call('GET', offer.url)).body.state).toBe('withdrawn')
  })

  test('422 for fees or repayments in another currency than its amount', async () => {
    const application = await newSubmitted(sender, lender)
    const repayment = { frequency: 'monthly', amount: { amount: '2400', currency: 'JPY' } }
    const refused = await act(lender, application, 'offers/', offerOf({ repayment }))
    expectRefusal(refused, 422, 'validation_failed', 'invalid_enum')
  })
})

describe('what both read', () => {
  test('200 an amount has the digits of its currency, however it was sent, and the same amount changes nothing', async () => {
    const deal = await newDeal(sender, lender, { amount_requested: { amount: '25000', currency: 'USD' } })
    expect(deal.amount_requested.amount).toBe('25000.00')
    const same = { amount_requested: { amount: '25000.00', currency: 'USD' } }
    expect(done(await act(sender, deal, '', same, 'PATCH')).etag).toBe(deal.etag)
  })

  test('403 before 412 for the party that never may', async () => {
    const deal = await newDeal(sender, lender)
    const headers = { 'if-match': '"old"' }
    expectRefusal(await sender.call('POST', `${deal.url}win/`, { body: {}, headers }), 403, 'action_not_granted')
    const refused = await act(sender, deal, 'win/', {})
    expect(refused.body.message).toBe('Cannot win: only the recipient can take this action.')
    const application = await newSubmitted(sender, lender)
    const answer = await sender.call('POST', `${application.url}decline/`, {
      body: { reason_codes: ['cash_flow'] },
      headers,
    })
    expectRefusal(answer, 403, 'action_not_granted')
  })

  test('200 a note on the same stage is a note: nothing has moved', async () => {
    const deal = await newDeal(sender)
    done(await act(sender, deal, 'stage/', { stage: 'new', note: 'Called the owner.' }))
    const last = (await timelineOf(sender, deal)).at(-1)
    expect([last.kind, last.note]).toEqual(['note', 'Called the owner.'])
    const { items } = (await sender.call('GET', `events/?resource_id=${deal.id}&order=sequence`)).body
    expect(items.map(({ type }: { type: string }) => type)).toEqual(['deal.created', 'deal.updated'])
  })

  test('200 what was approved is approved no longer when the deal is lost', async () => {
    const { application } = await newAccepted(sender, lender)
    done(await act(lender, application, 'cancel/', {}))
    const deal = (await sender.call('GET', `deals/${application.deal_id}/`)).body
    expect([deal.state, deal.amount_approved, deal.outcome.note]).toEqual(['lost', null, null])
  })

  test('200 the application says why it ended with its deal', async () => {
    const application = await newSubmitted(sender, lender)
    const deal = (await sender.call('GET', `deals/${application.deal_id}/`)).body
    done(await act(sender, deal, 'withdraw/', { note: 'No longer needed.' }))
    expect((await lender.call('GET', application.url)).body.decision).toMatchObject({ note: 'No longer needed.' })
  })

  test('200 a file that was submitted once stays readable for the recipient, as old as its submission', async () => {
    const application = await newSubmitted(sender, lender)
    const { items } = (await lender.call('GET', `${application.url}files/`)).body
    for (const file of items)
      expect([file.created_at, file.updated_at]).toEqual([
        application.submission.submitted_at,
        application.submission.submitted_at,
      ])
  })
})
