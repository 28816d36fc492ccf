// Deals: how they are created, what each party keeps on them, how they are numbered, and what the recipient was told.
import { describe, expect, test } from 'vitest'
import { setPortalState } from '../src/building-blocks/portals/commands.ts'
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import { newId } from '../src/platform/values/ids.ts'
import {
  act,
  done,
  expectRefusal,
  type Lender,
  newApplication,
  newDeal,
  newLender,
  newSubmitted,
  publishProfile,
  putAnswer,
  startTwoPortals,
} from './deal-fixtures.ts'
import { newProgram } from './fixtures.ts'
import { calculate, matchesOf, newProject, usd } from './funding-fixtures.ts'
import { newPortal } from './harness.ts'

const { server, sender, lender } = await startTwoPortals()

const create = (body: object, by = sender) => by.call('POST', 'deals/', { body })
const newBusiness = async (by = sender, more: object = {}) =>
  (await by.call('POST', 'businesses/', { body: by.business({ ...more }) })).body
const codesOf = ({ body }: { body: { details: { code: string; pointer: string }[] } }) =>
  body.details.map(({ code, pointer }) => [code, pointer])

/** A project that was matched with one programme of a lender of its own. */
async function newMatch(to?: Lender) {
  const recipient = to ?? (await newLender(server))
  const program = await newProgram(recipient)
  const project = await newProject(sender)
  await calculate(sender, project)
  const match = (await matchesOf(sender, project)).find(
    (one: { program: { id: string } }) => one.program.id === program.id,
  )
  const body = {
    business_id: project.business_id,
    recipient_id: recipient.recipient_id,
    project_id: project.id,
    match_id: match.id,
  }
  return { recipient, program, project, match, body }
}

describe('creating a deal from a match', () => {
  test('201 takes over the amount and the programme, and the match names the deal', async () => {
    const { program, project, match, body } = await newMatch()
    const deal = (await create(body)).body
    expect(deal).toMatchObject({
      amount_requested: usd('80000.00'),
      program_id: program.id,
      project_id: project.id,
      match_id: match.id,
      state: 'open',
      direction: 'sent',
      stage: { key: 'new', category: 'new' },
    })
    const again = (await matchesOf(sender, project)).find((one: { id: string }) => one.id === match.id)
    expect(again.deal_id).toBe(deal.id)
    expect((await sender.call('GET', match.url)).body.deal_id).toBe(deal.id)
  })

  test('201 with the amount that was sent, and with none when null was sent', async () => {
    const { body } = await newMatch()
    expect((await create({ ...body, amount_requested: usd('5000.00') })).body.amount_requested).toEqual(usd('5000.00'))
    expect((await create({ ...body, amount_requested: null })).body.amount_requested).toBeNull()
  })

  test('201 without recipient_id goes to the recipient of the match, which may be the own Portal', async () => {
    const { recipient, program, body } = await newMatch()
    const deal = (await create({ ...body, recipient_id: undefined })).body
    expect(deal).toMatchObject({ recipient: { id: recipient.recipient_id }, program_id: program.id })
    const own = await newLender(server)
    const mine = await newProgram(own)
    const project = await newProject(own)
    await calculate(own, project)
    const match = (await matchesOf(own, project)).find((one: { program: { id: string } }) => one.program.id === mine.id)
    const { business_id, id: project_id } = project
    const internal = (await create({ business_id, project_id, match_id: match.id }, own)).body
    expect(internal).toMatchObject({
      recipient: { id: own.recipient_id, kind: 'own_portal' },
      program_id: mine.id,
      direction: 'sent',
    })
    expect(internal.available_actions).toContain('move')
  })

  test('422 recipient_not_eligible for the match when its recipient stopped accepting, and recipient_id was not sent', async () => {
    const { recipient, body } = await newMatch()
    await publishProfile(recipient, { accepting_applications: false })
    for (const [sent, pointer] of [
      [{ ...body, recipient_id: undefined }, '/match_id'],
      [body, '/recipient_id'],
    ] as const) {
      const answer = await create(sent)
      expectRefusal(answer, 422, 'recipient_not_eligible', 'not_accepting')
      expect(answer.body.details[0].pointer).toBe(pointer)
    }
  })

  test('422 unknown_reference for the match of another project, another calculation’s or none', async () => {
    const [one, two] = [await newMatch(lender), await newMatch(lender)]
    const answer = await create({ ...one.body, match_id: two.match.id })
    expectRefusal(answer, 422, 'validation_failed', 'unknown_reference')
    expect(codesOf(answer)).toEqual([['unknown_reference', '/match_id']])
    expectRefusal(await create({ ...one.body, match_id: newId('mat') }), 422, 'validation_failed', 'unknown_reference')
  })

  test('422 for a project of another business, for a match without its project, for another recipient', async () => {
    const { body } = await newMatch()
    const { id: business_id } = await newBusiness()
    const cases = [
      [{ ...body, business_id }, ['unknown_reference', '/project_id']],
      [{ ...body, project_id: undefined }, ['required', '/project_id']],
      [{ ...body, recipient_id: lender.recipient_id }, ['unknown_reference', '/recipient_id']],
    ] as const
    for (const [sent, expected] of cases) {
      const answer = await create(sent)
      expect([answer.status, answer.body.code, codesOf(answer)]).toEqual([422, 'validation_failed', [expected]])
    }
  })

  test('422 recipient_not_eligible when the programme was paused or closed since the calculation', async () => {
    const { recipient, program, body } = await newMatch()
    done(await act(recipient, { url: program.url }, 'pause/'))
    expectRefusal(await create(body), 422, 'recipient_not_eligible', 'program_not_open')
    done(await act(recipient, { url: program.url }, 'publish/'))
    expect((await create(body)).status).toBe(201)
    done(await act(recipient, { url: program.url }, 'close/'))
    expectRefusal(await create(body), 422, 'recipient_not_eligible', 'program_not_open')
  })
})

describe('creating a deal', () => {
  test('201 for the own Portal when no recipient is named: it works on the deal itself', async () => {
    const deal = await newDeal(sender)
    expect(deal).toMatchObject({ direction: 'sent', recipient: { id: recipientIdOf(sender.id), kind: 'own_portal' } })
    expect(deal.available_actions).toEqual(['update', 'move', 'hold', 'win', 'lose', 'withdraw'])
    const { body } = await sender.call('GET', `${deal.url}disclosures/`)
    expect(body.items).toEqual([])
    const { items } = (await sender.call('GET', `deals/?direction=received`)).body
    expect(items).toEqual([])
  })

  test('201 without a title has the name of the business; tags are kept once', async () => {
    const business = await newBusiness()
    const deal = (await create({ business_id: business.id, tags: ['vip', 'oven', 'vip'] })).body
    expect([deal.title, deal.tags]).toEqual([business.legal_name, ['vip', 'oven']])
  })

  test.each([
    ['not_visible', 'a recipient that never was', async () => newId('rcp')],
    ['not_visible', 'one that is not published', async () => recipientIdOf((await newPortal(server)).id)],
    [
      'not_visible',
      'one that shows itself to others only',
      async () => (await newLender(server, { visibility: 'invited' })).recipient_id,
    ],
    [
      'not_visible',
      'one that is suspended',
      async () => {
        const suspended = await newLender(server)
        await server.context.database.transaction((tx) => setPortalState(tx, server.context, suspended.id, 'suspended'))
        return suspended.recipient_id
      },
    ],
    [
      'not_accepting',
      'one that accepts no applications',
      async () => (await newLender(server, { accepting_applications: false })).recipient_id,
    ],
    [
      'country_not_served',
      'one of other countries',
      async () => (await newLender(server, { countries: ['CA'] })).recipient_id,
    ],
  ])('422 recipient_not_eligible, %s: %s', async (code, _, find) => {
    const { id: business_id } = await newBusiness()
    const newest = async () => (await sender.call('GET', 'deals/?order=-updated_at&page_size=1')).body.items
    const before = await newest()
    const answer = await create({ business_id, recipient_id: await find() })
    expectRefusal(answer, 422, 'recipient_not_eligible', code)
    expect(answer.body.details[0].pointer).toBe('/recipient_id')
    expect(await newest()).toEqual(before)
  })

  test('409 state_conflict for an archived business, 422 for one of another Portal', async () => {
    const business = await newBusiness()
    await act(sender, business, 'archive/')
    const archived = await create({ business_id: business.id })
    expectRefusal(archived, 409, 'state_conflict')
    expect(archived.body.details[0].meta.state).toBe('archived')
    const foreign = await create({ business_id: (await newBusiness(lender)).id })
    const unknown = await create({ business_id: newId('biz') })
    expectRefusal(foreign, 422, 'validation_failed', 'unknown_reference')
    expect(codesOf(foreign)).toEqual(codesOf(unknown))
  })

  test('422 for an amount of zero, below it or with too many digits, when it is created or changed', async () => {
    const { id: business_id } = await newBusiness()
    const deal = await newDeal(sender)
    for (const [amount, code] of [
      ['0.00', 'out_of_range'],
      ['-1.00', 'out_of_range'],
      ['1.001', 'invalid_format'],
    ] as const) {
      const sent = { amount_requested: usd(amount) }
      for (const answer of [await create({ business_id, ...sent }), await act(sender, deal, '', sent, 'PATCH')]) {
        expectRefusal(answer, 422, 'validation_failed', code)
        if (code === 'out_of_range') expect(answer.body.details[0].message).toBe('amount must be greater than 0.')
      }
    }
  })

  test('both parties are told of it, and the recipient sees name and country of the business', async () => {
    const business = await newBusiness(sender, { trading_name: 'Secret name', employee_count: 12 })
    const deal = (await create({ business_id: business.id, recipient_id: lender.recipient_id })).body
    for (const portal of [sender, lender]) {
      const { items } = (await portal.call('GET', `events/?resource_id=${deal.id}`)).body
      expect(items.map(({ type }: { type: string }) => type)).toEqual(['deal.created'])
    }
    const { body } = await lender.call('GET', deal.url)
    expect([body.direction, body.business]).toEqual([
      'received',
      { id: business.id, legal_name: business.legal_name, country: 'US', facts: {} },
    ])
  })
})

describe('external_reference', () => {
  test('409 already_exists for a second deal of the sender, naming the first; another Portal may have it', async () => {
    const first = await newDeal(sender, lender, { external_reference: 'crm-1' })
    const answer = await create({ business_id: (await newBusiness()).id, external_reference: 'crm-1' })
    expectRefusal(answer, 409, 'already_exists')
    expect(answer.body.details[0].meta.existing_url).toBe(first.url)
    const second = await newDeal(sender, lender)
    expectRefusal(await act(sender, second, '', { external_reference: 'crm-1' }, 'PATCH'), 409, 'already_exists')
    done(await act(lender, second, '', { external_reference: 'crm-1' }, 'PATCH'))
    expectRefusal(await act(lender, first, '', { external_reference: 'crm-1' }, 'PATCH'), 409, 'already_exists')
    expect((await sender.call('GET', second.url)).body.external_reference).toBeNull()
    await newDeal(await newPortal(server), lender, { external_reference: 'crm-1' })
  })

  test('of 8 deals created at once with one reference, one is created and the others get 409', async () => {
    const { id: business_id } = await newBusiness()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ business_id, external_reference: 'at-once' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
    expect((await sender.call('GET', 'deals/?external_reference=at-once')).body.items).toHaveLength(1)
  })

  test('of a deal that was sent and one that was received, one gets the reference that both are given at once', async () => {
    const [own, other] = [await newLender(server), await newLender(server)]
    const deals = [await newDeal(own, other), await newDeal(other, own), await newDeal(own)]
    for (let round = 0; round < 8; round++) {
      const body = { external_reference: `round-${round}` }
      const answers = await Promise.all(deals.map((deal) => act(own, deal, '', body, 'PATCH')))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
      const found = (await own.call('GET', `deals/?external_reference=${body.external_reference}`)).body.items
      expect(found).toHaveLength(1)
    }
  })
})

describe('numbers', () => {
  test('1, 2, 3 … in each Portal, without gaps, however many are created at once and however many fail', async () => {
    const [one, two] = [await newPortal(server), await newLender(server)]
    const { id: business_id } = await newBusiness(one)
    const sent = [
      ...Array.from({ length: 12 }, () => create({ business_id, recipient_id: two.recipient_id }, one)),
      ...Array.from({ length: 4 }, () => create({ business_id, external_reference: 'same' }, one)),
    ]
    const made = (await Promise.all(sent)).filter(({ status }) => status === 201).map(({ body }) => body.number)
    expect(made.sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1))
    const { items } = (await two.call('GET', 'deals/?page_size=100')).body
    const theirs = items.map(({ number }: { number: number }) => number)
    expect(theirs.sort((a: number, b: number) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  })

  test('201 for every one of the deals that two Portals send each other at once', async () => {
    const [one, two] = [await newLender(server), await newLender(server)]
    const [ours, theirs] = [await newBusiness(one), await newBusiness(two)]
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0
          ? create({ business_id: ours.id, recipient_id: two.recipient_id }, one)
          : create({ business_id: theirs.id, recipient_id: one.recipient_id }, two),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
    for (const portal of [one, two]) {
      const { items } = (await portal.call('GET', 'deals/?page_size=100')).body
      const numbers = items.map(({ number }: { number: number }) => number).sort((a: number, b: number) => a - b)
      expect(numbers).toEqual(Array.from({ length: 10 }, (_, index) => index + 1))
    }
  })
})

describe('the fields of each party', () => {
  test('200 each writes its own, sees its own, and does not move the other’s ETag', async () => {
    const deal = await newDeal(sender, lender, {
      tags: ['ours'],
      metadata: { margin: '2' },
      external_reference: 'our-1',
    })
    const before = (await lender.call('GET', deal.url)).body
    expect(before).toMatchObject({ tags: [], metadata: {}, external_reference: null, assignee: null })
    const theirs = { tags: ['theirs'], metadata: { desk: '7' }, external_reference: 'their-1', assignee: 'Ann Lee' }
    const changed = done(await act(lender, deal, '', theirs, 'PATCH'))
    expect(changed).toMatchObject(theirs)
    expect(changed.etag).not.toBe(before.etag)
    const ours = (await sender.call('GET', deal.url)).body
    expect(ours).toEqual(deal)
    expect(ours.assignee).toBeNull()

    done(await act(sender, deal, '', { tags: ['more'], metadata: {}, external_reference: null }, 'PATCH'))
    expect((await lender.call('GET', deal.url)).body).toEqual(changed)
  })

  test('200 what both see moves both: title, amount, expected close', async () => {
    const deal = await newDeal(sender, lender)
    for (const change of [{ title: 'Oven' }, { amount_requested: usd('1.00') }, { expected_close_on: '2027-01-31' }]) {
      const before = (await lender.call('GET', deal.url)).body
      done(await act(sender, deal, '', change, 'PATCH'))
      const after = (await lender.call('GET', deal.url)).body
      expect(after).toMatchObject(change)
      expect(after.etag).not.toBe(before.etag)
    }
  })

  test('deal.updated tells both parties the names of what both see, and nobody of what is a party’s own', async () => {
    const deal = await newDeal(sender, lender)
    const both = { title: 'Oven', amount_requested: usd('1.00') }
    done(await act(sender, deal, '', { ...both, expected_close_on: deal.expected_close_on, tags: ['x'] }, 'PATCH'))
    done(await act(sender, deal, '', { metadata: { margin: '2' } }, 'PATCH'))
    done(await act(lender, deal, '', { tags: ['y'] }, 'PATCH'))
    for (const party of [sender, lender]) {
      const { items } = (await party.call('GET', `events/?resource_id=${deal.id}&order=sequence`)).body
      const told = items.map(({ type, data }: { type: string; data: { changes?: string[] } }) => [type, data.changes])
      expect(told.slice(1)).toEqual([['deal.updated', ['title', 'amount_requested']]])
      expect(items.at(-1).data.resource.version).toBe(2)
    }
    const audit = await sender.call('GET', `audit-log/?resource_id=${deal.id}&order=sequence`)
    const noted = audit.body.items.slice(1).map((one: Record<string, unknown>) => `${one.action}: ${one.changes}`)
    expect(noted.sort()).toEqual([
      'deal.updated: title,amount_requested',
      'deals.change: metadata',
      'deals.change: tags',
    ])
  })

  test('422 not_editable for the fields of the other, all of them reported, nothing written', async () => {
    const deal = await newDeal(sender, lender)
    const wrong = await act(
      lender,
      deal,
      '',
      { title: 'Ours now', amount_requested: null, expected_close_on: null, tags: ['x'] },
      'PATCH',
    )
    expect(codesOf(wrong)).toEqual([
      ['not_editable', '/title'],
      ['not_editable', '/amount_requested'],
      ['not_editable', '/expected_close_on'],
    ])
    expect((await lender.call('GET', deal.url)).body.tags).toEqual([])
    const assigned = await act(sender, deal, '', { assignee: 'Me' }, 'PATCH')
    expect([assigned.status, codesOf(assigned)]).toEqual([422, [['not_editable', '/assignee']]])
    done(await act(sender, await newDeal(sender), '', { assignee: 'Me' }, 'PATCH'))
  })

  test('200 a change without effect makes no new version, for either party', async () => {
    const deal = await newDeal(sender, lender, { tags: ['a'] })
    expect(done(await act(sender, deal, '', { tags: ['a'], title: deal.title }, 'PATCH')).etag).toBe(deal.etag)
    const theirs = (await lender.call('GET', deal.url)).body
    expect(done(await act(lender, deal, '', { tags: [], assignee: null }, 'PATCH')).etag).toBe(theirs.etag)
  })

  test('412 with the ETag that the other party sees', async () => {
    const deal = await newDeal(sender, lender)
    const { etag } = (await lender.call('GET', deal.url)).body
    expect(etag).not.toBe(deal.etag)
    const stale = await sender.call('PATCH', deal.url, { body: { tags: ['x'] }, headers: { 'if-match': etag } })
    expectRefusal(stale, 412, 'precondition_failed')
  })
})

describe('disclosures', () => {
  test('200 the sender sees what was shared, when and with whom; the recipient gets 404', async () => {
    const deal = await newDeal(sender, lender)
    const application = await newApplication(sender, deal)
    done(await putAnswer(sender, application, 'legal_name', 'Lee'))
    done(await putAnswer(sender, application, 'tax_id', '12-3456789'))
    const list = async () => (await sender.call('GET', `${deal.url}disclosures/`)).body.items
    expect(await list()).toMatchObject([
      {
        recipient_id: lender.recipient_id,
        application_id: null,
        submission_number: null,
        facts: ['business.legal_name', 'business.country'],
        question_keys: [],
        file_ids: [],
      },
    ])
    done(await act(sender, application, 'submit/'))
    const [, second] = await list()
    expect(second).toMatchObject({
      application_id: application.id,
      submission_number: 1,
      facts: ['business.legal_name', 'business.tax_id'],
      question_keys: ['legal_name', 'tax_id'],
    })
    done(await act(lender, application, 'request-information/', { message: 'Web?', question_keys: ['website'] }))
    done(await putAnswer(sender, application, 'website', 'https://example.com'))
    expect(await list()).toHaveLength(2)
    done(await act(sender, application, 'respond/'))
    expect((await list())[2]).toMatchObject({ submission_number: 2 })
    expect((await list())[2].question_keys).toContain('website')
    expect((await lender.call('GET', `${deal.url}disclosures/`)).status).toBe(404)
  })

  test('200 the facts on the deal are those submitted, without restricted ones', async () => {
    const application = await newSubmitted(sender, lender)
    const deal = (await sender.call('GET', `deals/${application.deal_id}/`)).body
    expect(deal.business.facts).toEqual({})
    done(await act(lender, application, 'return/', { message: 'All.', question_keys: ['legal_name', 'tax_id'] }))
    done(await putAnswer(sender, application, 'legal_name', 'Lee'))
    done(await putAnswer(sender, application, 'tax_id', '12-3456789'))
    expect((await lender.call('GET', deal.url)).body.business.facts).toEqual({})
    done(await act(sender, application, 'submit/'))
    for (const portal of [sender, lender])
      expect((await portal.call('GET', deal.url)).body.business.facts).toEqual({ 'business.legal_name': 'Lee' })
  })
})

describe('a recipient that changes', () => {
  test('200 an existing deal goes on, with the name it was sent to', async () => {
    const changing = await newLender(server)
    const deal = await newDeal(sender, changing)
    await publishProfile(changing, { name: 'New name', accepting_applications: false, countries: ['CA'] })
    expect((await sender.call('GET', deal.url)).body.recipient.name).toBe('Harbour Lending')
    done(await act(changing, deal, 'stage/', { stage: 'qualifying' }))
    done(await act(sender, deal, 'withdraw/'))
  })
})
