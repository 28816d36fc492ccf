import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  changedPrograms,
  findProgramVersions,
  lastChangeWithin,
  programsForMatching,
} from '../src/areas/funding-recommendations/programs/queries.ts'
import { publishRecipient } from '../src/building-blocks/recipients/commands.ts'
import { findOwnRecipient, recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import type { RecipientProfile } from '../src/building-blocks/recipients/schema.ts'
import { newProgram } from './fixtures.ts'
import { usd } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let lender: TestPortal
/** Sees what the lender has published. */
let broker: TestPortal
/** Sees nothing of it. */
let stranger: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  lender = await newPortal(server)
  broker = await newPortal(server)
  stranger = await newPortal(server)
  await publish(lender, { visibility: 'invited', invitations: [broker.id] })
})
afterAll(() => server.stop())

const publish = (portal: TestPortal, more: Partial<RecipientProfile> = {}) =>
  server.context.database.transaction((tx) =>
    publishRecipient(tx, portal.caller, { name: 'Harbour Bank', kind: 'lender', countries: ['US'], ...more }),
  )
const send = (portal: TestPortal, body: Record<string, unknown>) =>
  portal.call('POST', 'funding-programs/', { body: { name: 'Growth loan', funding_type: 'term_loan', ...body } })
const change = (portal: TestPortal, { url, etag }: { url: string; etag: string }, body: Record<string, unknown>) =>
  portal.call('PATCH', url, { body, headers: { 'if-match': etag } })
const act = (portal: TestPortal, { url, etag }: { url: string; etag: string }, action: string) =>
  portal.call('POST', `${url}${action}/`, { headers: { 'if-match': etag } })
const catalogVersion = async ({ id }: TestPortal) =>
  (await findOwnRecipient(server.context.database.read, id))?.catalog_version

describe('create', () => {
  test('201 with the whole programme: amounts, ids of rules and defaults filled in', async () => {
    const answer = await send(lender, {
      status: 'scheduled',
      summary: 'Two lines.\nOf text.',
      opens_on: '2026-01-01',
      closes_on: '2026-12-31',
      amount: { min: usd('25000'), max: { amount: '500000.5', currency: 'USD' } },
      term_months: { max: 60 },
      rate: { kind: 'factor', min: 1.15 },
      fees: [
        { name: 'Origination', percent: 2 },
        { name: 'Wire', amount: usd('25') },
      ],
      time_to_fund_days: { min: 0, max: 3 },
      required_documents: ['Bank statements'],
      eligibility: [
        { criterion: 'annual_revenue', operator: 'gte', value: usd('100000') },
        { id: 'rule_1', criterion: 'bankruptcy', operator: 'exists' },
        {
          criterion: 'founded_on',
          operator: 'before',
          value: 'today-36 months',
          effect: 'preferred',
          weight: 2.5,
          when: { criterion: 'legal_form', operator: 'in', value: ['llc'] },
          message: 'Old enough.',
          remedy: 'time',
        },
      ],
      external_reference: 'growth-1',
    })
    expect(answer.status, answer.text).toBe(201)
    const blank = { when: null, message: null, remedy: null, effect: 'required', weight: 1 }
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^prg_/),
      url: `${server.base}funding-programs/${answer.body.id}/`,
      etag: answer.headers.get('etag'),
      created_at: expect.any(String),
      updated_at: answer.body.created_at,
      recipient_id: recipientIdOf(lender.id),
      status: 'scheduled',
      status_changed_at: answer.body.created_at,
      available_actions: ['update', 'publish', 'pause', 'close'],
      name: 'Growth loan',
      funding_type: 'term_loan',
      summary: 'Two lines.\nOf text.',
      opens_on: '2026-01-01',
      closes_on: '2026-12-31',
      amount: { min: usd('25000.00'), max: usd('500000.50') },
      term_months: { min: null, max: 60 },
      rate: { min: 1.15, max: null, kind: 'factor' },
      fees: [
        { name: 'Origination', amount: null, percent: 2 },
        { name: 'Wire', amount: usd('25.00'), percent: null },
      ],
      time_to_fund_days: { min: 0, max: 3 },
      required_documents: ['Bank statements'],
      eligibility: [
        { ...blank, id: 'rule_2', criterion: 'annual_revenue', operator: 'gte', value: usd('100000.00') },
        { ...blank, id: 'rule_1', criterion: 'bankruptcy', operator: 'exists', value: true },
        {
          id: 'rule_3',
          criterion: 'founded_on',
          operator: 'before',
          value: 'today-36 months',
          effect: 'preferred',
          weight: 2.5,
          when: { criterion: 'legal_form', operator: 'in', value: ['llc'] },
          message: 'Old enough.',
          remedy: 'time',
        },
      ],
      external_reference: 'growth-1',
      version: 1,
    })
    expect((await lender.call('GET', answer.body.url)).body).toEqual(answer.body)
  })

  test('201 as a draft when no status is sent, with nothing but name and type', async () => {
    const { body } = await send(lender, {})
    expect(body).toMatchObject({ status: 'draft', amount: null, eligibility: [], fees: [], external_reference: null })
    expect((await send(lender, { amount: {}, term_months: { min: null } })).body).toMatchObject({
      amount: null,
      term_months: null,
    })
  })

  test.each(['paused', 'closed', 'gone'])('422 for the status %s', async (status) => {
    const { body } = await send(lender, { status })
    expect(body.details).toMatchObject([{ pointer: '/status', code: 'invalid_enum' }])
  })

  test('409 for an external reference of another programme, which another Portal may have', async () => {
    const first = await send(lender, { external_reference: 'twice' })
    const second = await send(lender, { external_reference: 'twice' })
    expect([second.status, second.body.code]).toEqual([409, 'already_exists'])
    expect(second.body.details[0].meta).toEqual({ existing_url: first.body.url })
    expect((await send(broker, { external_reference: 'twice' })).status).toBe(201)
  })

  test('422 with every problem and its place, in one answer', async () => {
    const { status, body } = await send(lender, {
      opens_on: '2026-02-01',
      closes_on: '2026-01-31',
      amount: { min: usd('10.001'), max: usd('5') },
      term_months: { min: 12, max: 6 },
      time_to_fund_days: { min: 2, max: 1 },
      fees: [{ name: 'Both', percent: 1, amount: usd('1') }],
      eligibility: [
        { criterion: 'credit_scor', operator: 'gte', value: 600 },
        { criterion: 'country', operator: 'gte', value: 'US' },
        { criterion: 'annual_revenue', operator: 'between', value: [usd('1'), { amount: '2', currency: 'EUR' }] },
      ],
    })
    expect(status).toBe(422)
    expect(body.details.map(({ pointer, code }: Record<string, string>) => [pointer, code])).toEqual([
      ['/closes_on', 'out_of_range'],
      ['/amount/min/amount', 'invalid_format'],
      ['/term_months/min', 'out_of_range'],
      ['/time_to_fund_days/min', 'out_of_range'],
      ['/fees/0', 'invalid_format'],
      ['/eligibility/0/criterion', 'invalid_enum'],
      ['/eligibility/1/operator', 'invalid_enum'],
      ['/eligibility/2/value/1/currency', 'invalid_format'],
    ])
    expect(body.details[5].message).toContain('Did you mean credit_score?')
  })

  test('422 for a rule that the schema refuses', async () => {
    const rule = { criterion: 'country', operator: 'in', value: ['US'] }
    const bad: [Record<string, unknown>, string, string][] = [
      [{ ...rule, operator: 'like' }, '/eligibility/0/operator', 'invalid_enum'],
      [{ ...rule, id: 'Rule 1' }, '/eligibility/0/id', 'invalid_format'],
      [{ ...rule, weight: 0 }, '/eligibility/0/weight', 'out_of_range'],
      [{ ...rule, weight: 101 }, '/eligibility/0/weight', 'out_of_range'],
      [{ ...rule, effect: 'wanted' }, '/eligibility/0/effect', 'invalid_enum'],
      [{ ...rule, message: 'x'.repeat(501) }, '/eligibility/0/message', 'too_long'],
      [{ ...rule, remedy: 'money' }, '/eligibility/0/remedy', 'invalid_enum'],
      [{ ...rule, when: { ...rule, when: rule } }, '/eligibility/0/when/when', 'unknown_field'],
      [{ operator: 'in', value: [] }, '/eligibility/0/criterion', 'required'],
    ]
    for (const [one, pointer, code] of bad)
      expect((await send(lender, { eligibility: [one] })).body.details).toMatchObject([{ pointer, code }])
    const many = Array.from({ length: 101 }, () => rule)
    expect((await send(lender, { eligibility: many })).body.details).toMatchObject([
      { pointer: '/eligibility', code: 'too_long', meta: { maximum: 100 } },
    ])
  })
})

describe('change', () => {
  test('200 replaces what is sent, keeps the rest and the version before', async () => {
    const eligibility = [{ criterion: 'credit_score', operator: 'gte', value: 650 }]
    const window = { opens_on: '2026-02-28', closes_on: null }
    const terms = { term_months: { min: 6, max: 60 }, time_to_fund_days: { min: null, max: 3 } }
    const amount = { max: usd('5000') }
    const before = await newProgram(lender, { eligibility, amount, summary: 'Old', ...window, ...terms })
    const { status, body: after } = await change(lender, before, { summary: null, amount: { min: usd('1') } })
    expect(status).toBe(200)
    expect(after).toEqual({
      ...before,
      etag: after.etag,
      updated_at: after.updated_at,
      summary: null,
      amount: { min: usd('1.00'), max: null },
      version: 2,
    })
    expect(after.etag).not.toBe(before.etag)
    const versionOf = async (portal_id: string, version: number) => {
      const key = { portal_id, program_id: before.id, version }
      return (await findProgramVersions(server.context.database.read, [key])).get(before.id)
    }
    const [old, now] = [await versionOf(lender.id, 1), await versionOf(lender.id, 2)]
    const rule = { id: 'rule_1', ...eligibility[0], effect: 'required', weight: 1 }
    expect(old).toEqual({
      id: before.id,
      version: 1,
      name: before.name,
      summary: 'Old',
      status: 'open',
      funding_type: 'term_loan',
      ...window,
      amount: { min: null, max: usd('5000.00') },
      ...terms,
      eligibility: [rule],
    })
    expect(now).toEqual({ ...old, version: 2, summary: null, amount: { min: usd('1.00'), max: null } })
    expect(await versionOf(lender.id, 3)).toBeUndefined()
    expect(await versionOf(broker.id, 1)).toBeUndefined()
  })

  test('200 without effect changes neither ETag nor catalogue', async () => {
    const before = await newProgram(lender, { amount: { max: usd('5000') }, external_reference: 'same' })
    const version = await catalogVersion(lender)
    const same = { amount: { max: usd('5000.0'), min: null }, external_reference: 'same', fees: [] }
    expect((await change(lender, before, same)).body).toEqual(before)
    expect(await catalogVersion(lender)).toBe(version)
    await change(lender, before, { name: 'Other' })
    expect(await catalogVersion(lender)).toBe((version ?? 0) + 1)
  })

  test('422 for a window that the change turns around, at the field that was sent', async () => {
    const before = await newProgram(lender, { opens_on: '2026-03-01', closes_on: '2026-06-30' })
    const late = await change(lender, before, { opens_on: '2026-07-01' })
    expect(late.body.details).toMatchObject([{ pointer: '/opens_on', code: 'out_of_range' }])
    expect((await change(lender, before, { opens_on: '2026-07-01', closes_on: null })).status).toBe(200)
    const { body } = await change(lender, before, { status: 'open' })
    expect(body.details).toMatchObject([{ pointer: '/status', code: 'not_editable' }])
  })

  test('409 for a reference that another programme has; 200 for a new one, and for none', async () => {
    await newProgram(lender, { external_reference: 'taken' })
    const before = await newProgram(lender)
    expect((await change(lender, before, { external_reference: 'taken' })).status).toBe(409)
    const named = (await change(lender, before, { external_reference: 'free' })).body
    expect((await change(lender, named, { external_reference: null })).body.external_reference).toBeNull()
  })
})

describe('who sees a programme', () => {
  const idsOf = async (portal: TestPortal, query: string) =>
    (await portal.call('GET', `funding-programs/?page_size=100&${query}`)).body.items.map(
      ({ id }: { id: string }) => id,
    )

  test('200 others see what is published, without its reference and actions; never a draft', async () => {
    const program = await newProgram(lender, { status: 'draft', external_reference: 'hidden' })
    const unknown = await broker.call('GET', program.url.replace(/prg_\w+/, `prg_${'0'.repeat(26)}`))
    const strip = (text: string) => text.replace(/req_\w+/g, '')
    const isSeen = async (portal: TestPortal) => {
      const answer = await portal.call('GET', program.url)
      if (answer.status === 404) expect(strip(answer.text)).toBe(strip(unknown.text))
      const isListed = (await idsOf(portal, '')).includes(program.id)
      expect(isListed).toBe(answer.status === 200)
      return answer.status === 200 && answer.body
    }
    expect([await isSeen(broker), await isSeen(stranger)]).toEqual([false, false])
    let current = program
    for (const action of ['publish', 'pause', 'publish', 'close']) {
      current = (await act(lender, current, action)).body
      expect(await isSeen(broker)).toEqual({ ...current, external_reference: null, available_actions: [] })
      expect(await isSeen(stranger)).toBe(false)
    }
    expect(await isSeen(lender)).toEqual(current)
  })

  test('403 for whoever sees it and does not own it, 404 for whoever does not see it', async () => {
    const program = await newProgram(lender)
    for (const [portal, status, code] of [
      [broker, 403, 'action_not_granted'],
      [stranger, 404, 'not_found'],
    ] as const) {
      const changed = await change(portal, program, { name: 'Mine now' })
      const closed = await act(portal, program, 'close')
      expect([changed.status, changed.body.code, closed.status, closed.body.code]).toEqual([status, code, status, code])
    }
    expect((await lender.call('GET', program.url)).body).toEqual(program)
  })

  test('200 the filters narrow the list, and find nothing that is not shown', async () => {
    const [lenderId, brokerId] = [recipientIdOf(lender.id), recipientIdOf(broker.id)]
    const grant = await newProgram(lender, { funding_type: 'grant', external_reference: 'grant-7' })
    const draft = await newProgram(lender, { funding_type: 'grant', status: 'draft' })
    const own = await newProgram(broker, { funding_type: 'grant', status: 'draft', external_reference: 'grant-7' })
    expect(await idsOf(broker, 'funding_type=grant')).toEqual([own.id, grant.id])
    expect(await idsOf(broker, `funding_type=grant&recipient_id=${lenderId}`)).toEqual([grant.id])
    expect(await idsOf(broker, `funding_type=grant&recipient_id=${brokerId}`)).toEqual([own.id])
    expect(await idsOf(broker, 'funding_type=grant&status=draft')).toEqual([own.id])
    expect(await idsOf(broker, 'funding_type=grant&status=open')).toEqual([grant.id])
    expect(await idsOf(broker, 'external_reference=grant-7')).toEqual([own.id])
    expect(await idsOf(lender, 'external_reference=grant-7')).toEqual([grant.id])
    expect(await idsOf(lender, 'funding_type=grant&order=created_at')).toEqual([grant.id, draft.id])
    expect(await idsOf(stranger, `recipient_id=${lenderId}`)).toEqual([])
    expect(await idsOf(broker, `funding_type=grant&created_after=${own.created_at}`)).toEqual([])
    expect(await idsOf(broker, `funding_type=grant&created_before=${own.created_at}`)).toEqual([grant.id])
  })

  test('200 pages over several recipients go forward and backward without a gap or a repetition', async () => {
    const [reader, ...others] = [await newPortal(server), await newPortal(server), await newPortal(server)]
    for (const other of others) await publish(other, { visibility: 'invited', invitations: [reader.id] })
    const made: string[] = []
    for (let i = 0; i < 11; i++) {
      const owner = [reader, ...others][i % 3] ?? reader
      made.push((await newProgram(owner, { name: `P${i}`, funding_type: 'equity' })).id)
    }
    for (const order of ['created_at', '-created_at']) {
      const expected = order === 'created_at' ? made : [...made].reverse()
      const path = `funding-programs/?page_size=4&funding_type=equity&order=${order}`
      const pages: { ids: string[]; next: string | null; previous: string | null }[] = []
      const read = async (cursor: string | null) => {
        const { body } = await reader.call('GET', cursor === null ? path : `${path}&cursor=${cursor}`)
        const ids = body.items.map(({ id }: { id: string }) => id)
        return { ids, next: body.next_cursor, previous: body.previous_cursor }
      }
      for (let page = await read(null); ; page = await read(page.next)) {
        pages.push(page)
        if (page.next === null) break
      }
      expect(pages.map(({ ids }) => ids)).toEqual([expected.slice(0, 4), expected.slice(4, 8), expected.slice(8)])
      expect(pages.map(({ previous }) => previous === null)).toEqual([true, false, false])
      const back = await read(pages[2]?.previous ?? null)
      expect([back.ids, back.previous === null]).toEqual([expected.slice(4, 8), false])
      const first = await read(back.previous)
      expect([first.ids, first.previous, first.next === null]).toEqual([expected.slice(0, 4), null, false])
    }
  })
})

describe('what matching reads', () => {
  test('open and scheduled programmes page by page, and what changed after a place of the catalogue', async () => {
    const portal = await newPortal(server)
    const db = server.context.database.read
    const [open, draft, scheduled, paused] = [
      await newProgram(portal),
      await newProgram(portal, { status: 'draft' }),
      await newProgram(portal, { status: 'scheduled' }),
      await newProgram(portal),
    ]
    await act(portal, paused, 'pause')
    const all = await programsForMatching(db, portal.id, { limit: 10 })
    expect(all.map(({ id }) => id)).toEqual([open.id, scheduled.id])
    expect(await programsForMatching(db, portal.id, { afterId: open.id, limit: 1 })).toEqual([
      {
        ...{ id: scheduled.id, version: 1, funding_type: 'term_loan', opens_on: null, closes_on: null },
        ...{ amount: null, term_months: null, time_to_fund_days: null, eligibility: [] },
      },
    ])
    /** So many changes after a place, and where they end. */
    const changes = async (catalog_version: number, program_id: string, limit: number) => {
      const after = { catalog_version, program_id }
      const until = await lastChangeWithin(db, portal.id, after, limit)
      if (!until) return []
      const found = await changedPrograms(db, portal.id, { after, until, limit })
      expect(found.at(-1)).toMatchObject({ catalog_version: until.catalog_version, terms: { id: until.program_id } })
      return found.map(({ terms, state, catalog_version }) => [terms.id, state, catalog_version])
    }
    expect(await changes(0, '', 10)).toEqual([
      [open.id, 'open', 1],
      // A draft comes with the version that is there: nobody is matched with it.
      [draft.id, 'draft', 1],
      [scheduled.id, 'scheduled', 2],
      [paused.id, 'paused', 4],
    ])
    expect(await changes(1, draft.id, 1)).toEqual([[scheduled.id, 'scheduled', 2]])
    expect(await changes(4, paused.id, 1)).toEqual([])
  })
})
