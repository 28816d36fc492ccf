// Deal applications: how they begin, what is open when the recipient asks again, and how they end by themselves.
import { describe, expect, test } from 'vitest'
import { applicationExpiryDays } from '../src/areas/deal-applications/settings.ts'
import { writeSetting } from '../src/building-blocks/portals/settings.ts'
import type { RecipientProfile } from '../src/building-blocks/recipients/schema.ts'
import { day, isoTime } from '../src/platform/clock.ts'
import { newId } from '../src/platform/values/ids.ts'
import { dateIn } from '../src/platform/values/times.ts'
import {
  act,
  done,
  expectRefusal,
  newApplication,
  newDeal,
  newLender,
  newSubmitted,
  publishProfile,
  publishQuestions,
  putAnswer,
  type Shared,
  startTwoPortals,
} from './deal-fixtures.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { declarationOf, newProgram, upload } from './fixtures.ts'
import { newProject, newRecipient, usd } from './funding-fixtures.ts'
import { newPortal, type TestPortal } from './harness.ts'

const { server, sender, lender, read, dealOf } = await startTwoPortals()

const question = (key: string, type: string, more: object = {}) => ({ key, section: 'main', type, label: key, ...more })
const bankQuestions = [
  question('company', 'text', { required: true }),
  question('has_debt', 'boolean', { required: true }),
  question('debt', 'money', {
    visible_when: { question: 'has_debt', operator: 'equals', value: true },
    required: true,
  }),
  question('debt_reason', 'text', { required_when: { question: 'debt', operator: 'exists' } }),
  question('website', 'url'),
  question('owners', 'group', {
    repeat: { min: 0, max: 5, item_label: 'Owner' },
    questions: [
      { key: 'name', type: 'text', label: 'Name', required: true },
      { key: 'passport', type: 'file', label: 'Passport' },
    ],
  }),
  question('statements', 'file', { validation: { accept: ['text/csv'] } }),
]

/** A recipient whose questions depend on each other. */
const bank = await newLender(server, {}, { sections: [{ key: 'main', title: 'Main' }], questions: bankQuestions })

const create = (body: object, by: TestPortal = sender) => by.call('POST', 'deal-applications/', { body })
const write = (application: Shared, ...answers: object[]) => act(sender, application, 'answers/', { answers }, 'PATCH')
const codesOf = ({ body }: { body: { details: { code: string; pointer: string }[] } }) =>
  body.details.map(({ code, pointer }) => [code, pointer])
const expire = () => runRepeating(server.context, 'deal_applications.expire')
const csv = Buffer.from('date,amount\n2026-03-01,1.00\n')

describe('creating an application', () => {
  test('201 with the questions of the recipient; the sender alone knows of it', async () => {
    const deal = await newDeal(sender, lender)
    const theirs = await read(deal, lender)
    const application = await newApplication(sender, deal)
    expect(application).toMatchObject({
      state: 'draft',
      direction: 'sent',
      deal_id: deal.id,
      attempt: 1,
      submission: null,
      is_submittable: true,
      contract_url: `${server.base}contracts/${lender.contract_id}/`,
    })
    expect((await read(deal)).application_ids).toEqual([application.id])
    expect(await read(deal, lender)).toEqual(theirs)
    const { items } = (await lender.call('GET', `deal-applications/?deal_id=${deal.id}`)).body
    expect(items).toEqual([])
    done(await act(sender, application, 'submit/'))
    expect((await read(deal, lender)).application_ids).toEqual([application.id])
  })

  test('403 for the recipient of the deal, 422 for a deal of others and one that never was, alike', async () => {
    const deal = await newDeal(sender, lender)
    expectRefusal(await create({ deal_id: deal.id }, lender), 403, 'action_not_granted')
    const foreign = await create({ deal_id: deal.id }, await newPortal(server))
    const unknown = await create({ deal_id: newId('deal') }, await newPortal(server))
    expectRefusal(foreign, 422, 'validation_failed', 'unknown_reference')
    expect(foreign.body.details).toEqual(unknown.body.details)
  })

  test('409 state_conflict while the deal is on hold or has ended, or the business is archived', async () => {
    const [held, lost, other] = [
      await newDeal(sender, lender),
      await newDeal(sender, lender),
      await newDeal(sender, lender),
    ]
    done(await act(lender, held, 'hold/'))
    expectRefusal(await create({ deal_id: held.id }), 409, 'state_conflict')
    done(await act(lender, held, 'resume/'))
    expect((await create({ deal_id: held.id })).status).toBe(201)
    done(await act(lender, lost, 'lose/', { reason_code: 'industry' }))
    expectRefusal(await create({ deal_id: lost.id }), 409, 'state_conflict')
    done(await act(sender, { url: `businesses/${other.business_id}/` }, 'archive/'))
    const refused = await create({ deal_id: other.id })
    expectRefusal(refused, 409, 'state_conflict')
    expect(refused.body.message).toContain('Cannot create an application: the business is archived.')
  })

  test('422 recipient_not_eligible when it stopped accepting, left the country, or has no questions', async () => {
    const changing = await newLender(server)
    const deal = await newDeal(sender, changing)
    const changes: [Partial<RecipientProfile>, string][] = [
      [{ accepting_applications: false }, 'not_accepting'],
      [{ countries: ['CA'] }, 'country_not_served'],
      [{ visibility: 'invited' }, 'not_visible'],
      [{ visibility: 'open', application_contract_id: null }, 'no_application_contract'],
    ]
    for (const [more, code] of changes) {
      await publishProfile(changing, more)
      expectRefusal(await create({ deal_id: deal.id }), 422, 'recipient_not_eligible', code)
    }
    await publishProfile(changing)
    expect((await create({ deal_id: deal.id })).status).toBe(201)
  })

  test('422 for another recipient than the deal’s, for a programme of another or one that is closed', async () => {
    const deal = await newDeal(sender, lender)
    const wrong = await create({ deal_id: deal.id, recipient_id: bank.recipient_id })
    expect([wrong.status, codesOf(wrong)]).toEqual([422, [['unknown_reference', '/recipient_id']]])
    const foreign = await newProgram(bank)
    const other = await create({ deal_id: deal.id, program_id: foreign.id })
    expect([other.status, codesOf(other)]).toEqual([422, [['unknown_reference', '/program_id']]])
    const own = await newProgram(lender)
    done(await act(lender, own, 'pause/'))
    expectRefusal(
      await create({ deal_id: deal.id, program_id: own.id }),
      422,
      'recipient_not_eligible',
      'program_not_open',
    )
    done(await act(lender, own, 'publish/'))
    const made = await create({ deal_id: deal.id, program_id: own.id, recipient_id: lender.recipient_id })
    expect([made.status, made.body.program_id]).toEqual([201, own.id])
  })

  test('422 no_application_contract for the own Portal while it asks no questions', async () => {
    const deal = await newDeal(sender)
    expectRefusal(await create({ deal_id: deal.id }), 422, 'recipient_not_eligible', 'no_application_contract')
    const silent = await newDeal(sender, await newRecipient(server))
    expectRefusal(await create({ deal_id: silent.id }), 422, 'recipient_not_eligible', 'no_application_contract')
  })
})

describe('one open application', () => {
  test('409 already_exists for a second one of the deal, also with override; 201 after it ended', async () => {
    const deal = await newDeal(sender, lender)
    const first = await newApplication(sender, deal)
    for (const override of [false, true]) {
      const answer = await create({ deal_id: deal.id, override })
      expectRefusal(answer, 409, 'already_exists')
      expect(answer.body.details[0].meta).toEqual({ existing_url: first.url, application_ids: [first.id] })
    }
    done(await act(sender, first, 'withdraw/'))
    const second = await newApplication(sender, deal)
    expect((await read(deal)).application_ids).toEqual([first.id, second.id])
  })

  test('409 already_with_recipient for the same business in another deal; override is allowed and recorded', async () => {
    const one = await newDeal(sender, lender)
    const two = await newDeal(sender, lender, { business_id: one.business_id })
    const first = await newApplication(sender, one)
    const refused = await create({ deal_id: two.id })
    expectRefusal(refused, 409, 'already_with_recipient')
    expect(refused.body.details[0].meta).toEqual({ existing_url: first.url, application_ids: [first.id] })
    const second = (await create({ deal_id: two.id, override: true })).body
    expect(second.override).toMatchObject({ application_ids: [first.id] })
    done(await act(sender, second, 'submit/'))
    expect([(await read(second)).override.application_ids, (await read(second, lender)).override]).toEqual([
      [first.id],
      null,
    ])
    const elsewhere = await newDeal(sender, bank, { business_id: one.business_id })
    expect((await newApplication(sender, elsewhere)).override).toBeNull()
  })

  test('201 beside more than 100 others: the override names the latest 100, and so does the refusal', async () => {
    const one = await newDeal(sender, lender)
    const ids = [(await newApplication(sender, one)).id]
    const next = async (override: boolean) => {
      const deal = await newDeal(sender, lender, { business_id: one.business_id })
      return create({ deal_id: deal.id, override })
    }
    for (let count = 0; count < 100; count++) ids.unshift((await next(true)).body.id)
    const { override } = (await next(true)).body
    expect(override.application_ids).toEqual(ids.slice(0, 100))
    expect((await next(false)).body.details[0].meta.application_ids).toHaveLength(100)
    // The oldest, which is no longer named, still stands in the way of another one of its deal.
    const same = await create({ deal_id: one.id, override: true })
    expectRefusal(same, 409, 'already_exists')
    expect(same.body.details[0].meta.existing_url).toContain(ids.at(-1))
  })

  test('of applications begun at once for one business and recipient, one is created', async () => {
    const one = await newDeal(sender, lender)
    const deals = [one]
    for (let i = 0; i < 3; i++) deals.push(await newDeal(sender, lender, { business_id: one.business_id }))
    const answers = await Promise.all([...deals, ...deals].map(({ id }) => create({ deal_id: id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  })
})

/** Submitted to the bank with everything that is required. */
async function newAtBank() {
  const application = await newApplication(sender, await newDeal(sender, bank))
  done(await write(application, { question_key: 'company', value: 'Lee' }, { question_key: 'has_debt', value: false }))
  const owner = (await act(sender, application, 'answers/owners/items/', { values: { name: 'Ann' } })).body
  done(await act(sender, application, 'submit/'))
  return { application, owner }
}

describe('submitting', () => {
  test('422 application_incomplete with what is missing; nothing is shared', async () => {
    const application = await newApplication(sender, await newDeal(sender, bank))
    done(await write(application, { question_key: 'has_debt', value: true }))
    const before = await read(application)
    const answer = await act(sender, application, 'submit/')
    expectRefusal(answer, 422, 'application_incomplete')
    const { items } = {
      items: answer.body.details.map(({ meta }: { meta: { question_key: string } }) => meta.question_key),
    }
    expect(items).toEqual(['company', 'debt'])
    expect(await read(application)).toEqual(before)
    expect((await bank.call('GET', application.url)).status).toBe(404)
  })

  test('409 while the business is archived, naming the business', async () => {
    const draft = await newApplication(sender, await newDeal(sender, lender))
    done(await act(sender, { url: `businesses/${draft.business_id}/` }, 'archive/'))
    const refused = await act(sender, draft, 'submit/')
    expectRefusal(refused, 409, 'state_conflict')
    expect(refused.body.message).toContain('Cannot submit: the business is archived.')
    done(await act(sender, { url: `businesses/${draft.business_id}/` }, 'restore/'))
    done(await act(sender, draft, 'submit/'))
  })

  test('200 moves the deal to review and gives the submission a number, a time and a digest', async () => {
    const { application } = await newAtBank()
    const after = await read(application)
    expect(after.submission).toMatchObject({ number: 1, url: `${application.url}submissions/1/` })
    expect(after.submission.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect((await dealOf(application, bank)).stage.category).toBe('under_review')
    const [ours, theirs] = await Promise.all([sender, bank].map((by) => by.call('GET', after.submission.url)))
    expect(ours?.body).toEqual(theirs?.body)
    expect((await bank.call('GET', application.url)).body.created_at).toBe(after.submission.submitted_at)
  })

  test('409 for every write of answers, items and files afterwards', async () => {
    const { application, owner } = await newAtBank()
    const declared = { question_key: 'statements', ...declarationOf(csv, 'a.csv', 'text/csv') }
    for (const [method, rest, body] of [
      ['PUT', 'answers/website/', { value: 'https://example.com' }],
      ['DELETE', 'answers/company/', undefined],
      ['PATCH', 'answers/', { answers: [{ question_key: 'company', value: 'B' }] }],
      ['POST', 'answers/owners/items/', { values: { name: 'Bo' } }],
      ['PATCH', `answers/owners/items/${owner.id}/`, { values: { name: 'Bo' } }],
      ['DELETE', `answers/owners/items/${owner.id}/`, undefined],
      ['POST', 'files/', declared],
    ] as const)
      expectRefusal(await act(sender, application, rest, body, method), 409, 'state_conflict')
  })
})

describe.each([
  ['request-information/', 'information_requested', 'respond/', 'in_review'],
  ['return/', 'returned', 'submit/', 'submitted'],
])('%s', (asked, state, handedIn, next) => {
  const ask = (application: Shared, ...question_keys: string[]) =>
    act(bank, application, asked, { message: 'Please look again.', question_keys })

  test('200 opens the named questions and what depends on them, and nothing else', async () => {
    const { application, owner } = await newAtBank()
    const asking = done(await ask(application, 'has_debt', 'statements'))
    expect([asking.state, asking.attempt]).toEqual([state, 2])
    const open = (await read(application)).open_question_keys
    expect([...open].sort()).toEqual(['debt', 'debt_reason', 'has_debt', 'statements'])
    expect((await read(application, bank)).open_question_keys).toEqual(open)
    const refused = await write(
      application,
      { question_key: 'has_debt', value: true },
      { question_key: 'company', value: 'Other' },
      { question_key: 'website', value: 'https://example.com' },
    )
    expectRefusal(refused, 422, 'validation_failed', 'not_editable', 'not_editable')
    expectRefusal(
      await act(sender, application, `answers/owners/items/${owner.id}/`, undefined, 'DELETE'),
      422,
      'validation_failed',
      'not_editable',
    )
    const passport = { question_key: 'passport', item_id: owner.id, ...declarationOf(csv, 'a.csv', 'text/csv') }
    expectRefusal(await act(sender, application, 'files/', passport), 422, 'validation_failed', 'not_editable')

    done(await write(application, { question_key: 'has_debt', value: true }))
    expectRefusal(await act(sender, application, handedIn), 422, 'application_incomplete')
    done(
      await write(
        application,
        { question_key: 'debt', value: usd('5.00') },
        { question_key: 'debt_reason', value: 'Oven' },
      ),
    )
    const declared = { question_key: 'statements', ...declarationOf(csv, 'a.csv', 'text/csv') }
    const file = (await act(sender, application, 'files/', declared)).body
    expect((await upload(file.upload, csv)).status).toBe(200)
    const handed = done(await act(sender, application, handedIn))
    expect(handed).toMatchObject({
      state: next,
      submission: { number: 2 },
      open_question_keys: null,
      information_request: null,
      returned: null,
    })
    expect((await bank.call('GET', `${application.url}answers/debt_reason/`)).body.value).toBe('Oven')
    expect((await bank.call('GET', `${application.url}files/`)).body.items.map(({ id }: Shared) => id)).toEqual([
      file.id,
    ])
    expectRefusal(await putAnswer(sender, application, 'has_debt', false), 409, 'state_conflict')
  })

  test('200 a group opens its items and the files in them', async () => {
    const { application, owner } = await newAtBank()
    done(await ask(application, 'owners'))
    const passport = { question_key: 'passport', item_id: owner.id, ...declarationOf(csv, 'a.csv', 'text/csv') }
    expect((await act(sender, application, 'files/', passport)).status).toBe(201)
    expect((await act(sender, application, 'answers/owners/items/', { values: { name: 'Bo' } })).status).toBe(201)
    const removed = await act(sender, application, `answers/owners/items/${owner.id}/`, undefined, 'DELETE')
    expect([200, 204]).toContain(removed.status)
    expect((await bank.call('GET', `${application.url}answers/owners/items/`)).body.items).toHaveLength(1)
    expectRefusal(await putAnswer(sender, application, 'company', 'X'), 422, 'validation_failed', 'not_editable')
  })

  test('the recipient sees nothing of the edits: record, deal, validation and list stay byte for byte', async () => {
    const { application } = await newAtBank()
    done(await ask(application, 'has_debt', 'company'))
    const paths = ['', 'answers/', 'files/', 'validation/', 'offers/', 'answers/owners/items/'].map(
      (rest) => `${application.url}${rest}`,
    )
    const look = () =>
      Promise.all(
        [...paths, `deals/${(application as { deal_id: string }).deal_id}/`].map(
          async (path) => (await bank.call('GET', path)).text,
        ),
      )
    const before = await look()
    done(await write(application, { question_key: 'has_debt', value: true }))
    done(await act(sender, application, 'answers/company/', undefined, 'DELETE'))
    expect((await read(application)).progress.percent).toBeLessThan(100)
    expect(await look()).toEqual(before)
  })

  test('422 unknown_question for keys the contract does not have, with the place of each; nothing changes', async () => {
    const { application } = await newAtBank()
    const before = await read(application)
    const answer = await ask(application, 'company', 'nothing', 'passport')
    expect([answer.status, codesOf(answer)]).toEqual([
      422,
      [
        ['unknown_question', '/question_keys/1'],
        ['unknown_question', '/question_keys/2'],
      ],
    ])
    expect(await read(application)).toEqual(before)
  })
})

describe('a request for information', () => {
  const ask = (application: Shared, more: object = {}) =>
    act(bank, application, 'request-information/', { message: 'Why?', ...more })

  test('200 without questions: only a response is awaited, nothing can be edited', async () => {
    const { application } = await newAtBank()
    done(await ask(application))
    const { etag: _, ...seen } = await read(application)
    expect(seen).toMatchObject({ open_question_keys: [], is_submittable: true })
    expect(seen.available_actions).toEqual(['respond', 'withdraw'])
    const refused = await putAnswer(sender, application, 'company', 'X')
    expectRefusal(refused, 409, 'state_conflict')
    expect(refused.body.message).toBe('Cannot answer: the request for information names no questions to change.')
    expect(refused.body.details[0].meta.available_actions).toEqual(seen.available_actions)
    done(await ask(application, { question_keys: ['company'] }))
    expect((await read(application)).available_actions).toContain('answer')
    done(await putAnswer(sender, application, 'company', 'X Inc.'))
    // What the sender has begun to change stays open, so it can still answer.
    done(await ask(application))
    expect(await read(application)).toMatchObject({ open_question_keys: ['company'] })
    expect((await read(application)).available_actions).toContain('answer')
    done(await act(sender, application, 'respond/', { note: 'Because.' }))
    const { items } = (await bank.call('GET', `deals/${(await read(application)).deal_id}/progress/`)).body
    expect(items.map(({ note }: { note: string }) => note)).toContain('Because.')
  })

  test('200 a second one replaces the first: its questions are open, those of the first are not', async () => {
    const { application } = await newAtBank()
    const first = done(await ask(application, { question_keys: ['company'], due_on: '2099-01-01' })).information_request
    const second = done(await ask(application, { message: 'Web?', question_keys: ['website'] })).information_request
    expect(second).toMatchObject({ message: 'Web?', question_keys: ['website'], due_on: null })
    expect(second.id).not.toBe(first.id)
    expect(await read(application)).toMatchObject({ open_question_keys: ['website'], expires_at: null, attempt: 2 })
    expectRefusal(await putAnswer(sender, application, 'company', 'X'), 422, 'validation_failed', 'not_editable')
  })

  test('422 for a day that has passed where the recipient is', async () => {
    const { application } = await newAtBank()
    const yesterday = isoTime(server.clock.now() - day).slice(0, 10)
    const answer = await ask(application, { due_on: yesterday })
    expect([answer.status, codesOf(answer)]).toEqual([422, [['out_of_range', '/due_on']]])
  })

  test('closed_incomplete when the day has passed there, not a moment before; edits do not postpone it', async () => {
    const zone = 'America/Los_Angeles'
    const west = await newLender(server, { time_zone: zone })
    const application = await newSubmitted(sender, west)
    const due_on = dateIn(zone, server.clock.now())
    done(await act(west, application, 'request-information/', { message: 'Web?', question_keys: ['website'], due_on }))
    const { expires_at } = await read(application)
    done(await putAnswer(sender, application, 'website', 'https://example.com'))
    expect((await read(application)).expires_at).toBe(expires_at)
    server.clock.advance(Date.parse(expires_at) - server.clock.now() - 1000)
    expect(dateIn(zone, server.clock.now())).toBe(due_on)
    await expire()
    expect((await read(application)).state).toBe('information_requested')
    server.clock.advance(1000)
    await expire()
    for (const by of [sender, west]) {
      expect((await read(application, by)).state).toBe('closed_incomplete')
      expect(await dealOf(application, by)).toMatchObject({
        state: 'expired',
        outcome: { kind: 'expired', reason_code: 'information_not_provided' },
      })
    }
  })
})

describe('expiry', () => {
  test('a draft ends 90 days after its last edit, and the sender may reopen the deal for a new one', async () => {
    const application = await newApplication(sender, await newDeal(sender, lender))
    server.clock.advance(60 * day)
    done(await putAnswer(sender, application, 'legal_name', 'Lee'))
    server.clock.advance(60 * day)
    await expire()
    expect((await read(application)).state).toBe('draft')
    server.clock.advance(31 * day)
    await expire()
    expect((await read(application)).state).toBe('expired')
    const deal = await dealOf(application)
    expect([deal.state, deal.outcome.reason_code]).toEqual(['expired', 'application_expired'])
    expect((await lender.call('GET', application.url)).status).toBe(404)
    done(await act(sender, deal, 'reopen/'))
    expect((await newApplication(sender, deal)).state).toBe('draft')
  })

  test('the setting of the sender’s Portal decides for applications begun afterwards', async () => {
    const own = await newPortal(server)
    const before = await newApplication(own, await newDeal(own, lender))
    await server.context.database.transaction((tx) =>
      writeSetting(tx, server.context, own.id, applicationExpiryDays, 10),
    )
    const after = await newApplication(own, await newDeal(own, lender))
    server.clock.advance(11 * day)
    await expire()
    expect([(await read(before, own)).state, (await read(after, own)).state]).toEqual(['draft', 'expired'])
  })
})

describe('Autofill', () => {
  test('202 fills from the project, the deal, the business and what was answered before', async () => {
    const questions = [
      ['company', 'text', 'business.legal_name', ['business', 'previous_applications']],
      ['amount', 'money', 'project.amount_requested', ['project']],
      ['nickname', 'text', 'business.nickname', ['previous_applications']],
    ].map(([key, type, maps_to, sources]) => question(String(key), String(type), { maps_to, autofill: { sources } }))
    const own = await newLender(server, {}, { sections: [{ key: 'main', title: 'Main' }], questions })
    const project = await newProject(sender)
    const begin = async () => {
      const body = { business_id: project.business_id, recipient_id: own.recipient_id, project_id: project.id }
      const deal = (await sender.call('POST', 'deals/', { body })).body
      return newApplication(sender, deal, { override: true })
    }
    const first = await begin()
    done(await putAnswer(sender, first, 'nickname', 'The oven'))
    done(await act(sender, first, 'submit/'))
    const second = await begin()
    const { body: run } = await sender.call('POST', `${second.url}autofill/`, { body: {} })
    await runDueJobs(server.context, sender.id)
    const { state, filled } = (await sender.call('GET', run.url)).body
    const seen = filled.map(({ question_key, value }: { question_key: string; value: unknown }) => [
      question_key,
      value,
    ])
    expect([state, Object.fromEntries(seen)]).toEqual([
      'completed',
      expect.objectContaining({ amount: usd('80000.00'), nickname: 'The oven' }),
    ])
    expect((await own.call('POST', `${first.url}autofill/`, { body: {} })).status).toBe(404)
  })

  test('202 what was answered to a restricted question fills restricted questions of other recipients, and no others', async () => {
    const asked = (sensitivity: string) => [
      question('tax_number', 'text', {
        sensitivity,
        maps_to: 'business.tax_number',
        autofill: { sources: ['previous_applications'] },
      }),
      question('partners', 'group', {
        repeat: { min: 0, max: 5, item_label: 'Partner' },
        autofill: { sources: ['previous_applications'] },
        questions: [
          { key: 'name', type: 'text', label: 'Name', maps_to: 'owner.last_name' },
          { key: 'passport', type: 'text', label: 'Passport', maps_to: 'owner.passport', sensitivity },
        ],
      }),
    ]
    const recipients = []
    for (const sensitivity of ['restricted', 'restricted', 'personal'])
      recipients.push(
        await newLender(server, {}, { sections: [{ key: 'main', title: 'Main' }], questions: asked(sensitivity) }),
      )
    const [one = expect.fail(), ...others] = recipients
    const deal = await newDeal(sender, one)
    const first = await newApplication(sender, deal)
    done(await putAnswer(sender, first, 'tax_number', '93-1847720'))
    await act(sender, first, 'answers/partners/items/', { values: { name: 'Lee', passport: 'X1234567' } })
    done(await act(sender, first, 'submit/'))
    const filled = []
    for (const other of others) {
      const next = await newApplication(sender, await newDeal(sender, other, { business_id: deal.business_id }))
      await sender.call('POST', `${next.url}autofill/`, { body: {} })
      await runDueJobs(server.context, sender.id)
      const items = (await sender.call('GET', `${next.url}answers/partners/items/`)).body.items
      filled.push([
        (await sender.call('GET', `${next.url}answers/tax_number/`)).body.value,
        items.map(({ values }: { values: object }) => values),
      ])
    }
    expect(filled).toEqual([
      ['93-1847720', [{ name: 'Lee', passport: 'X1234567' }]],
      [undefined, [{ name: 'Lee' }]],
    ])
  })

  test('a run that comes too late fails and says that the deadline has passed', async () => {
    const application = await newApplication(sender, await newDeal(sender, lender))
    const { body: run } = await sender.call('POST', `${application.url}autofill/`, { body: { sources: ['business'] } })
    server.clock.advance(Date.parse(application.expires_at) - server.clock.now())
    await runDueJobs(server.context, sender.id)
    const { state, error } = (await sender.call('GET', run.url)).body
    const message = `Cannot answer: the deadline of the application passed at ${application.expires_at}.`
    expect([state, error]).toEqual(['failed', { code: 'state_conflict', message }])
  })
})

describe('acknowledging', () => {
  test('200 with a reference that the sender reads', async () => {
    const application = await newSubmitted(sender, lender)
    done(await act(lender, application, 'acknowledge/', { reference: 'HL-1' }))
    expect((await read(application)).acknowledgement).toMatchObject({ reference: 'HL-1' })
    expectRefusal(await act(lender, application, 'acknowledge/', {}), 409, 'state_conflict')
  })
})

describe('a contract with a new version', () => {
  test('200 an application keeps its questions; the next one has the new ones', async () => {
    const changing = await newLender(server)
    const first = await newApplication(sender, await newDeal(sender, changing))
    const questions = [question('only_this', 'text', { required: true })]
    const contract_id = await publishQuestions(changing, { sections: [{ key: 'main', title: 'Main' }], questions })
    await publishProfile({ ...changing, contract_id })
    done(await putAnswer(sender, first, 'legal_name', 'Lee'))
    done(await act(sender, first, 'submit/'))
    for (const by of [sender, changing]) expect((await by.call('GET', first.contract_url)).body.version).toBe(1)
    const second = await newApplication(sender, await newDeal(sender, changing))
    expect([first.contract_version, second.contract_version]).toEqual([1, 2])
    expectRefusal(await putAnswer(sender, second, 'legal_name', 'Lee'), 404, 'not_found')
    done(await putAnswer(sender, second, 'only_this', 'Lee'))
  })
})
