import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setLeadSourceActive } from '../src/areas/businesses/commands.ts'
import { compileInsert } from '../src/platform/database/compiled-query.ts'
import { newId } from '../src/platform/values/ids.ts'
import { newLeadSource, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

const create = (more: Record<string, unknown> = {}) =>
  portal.call('POST', 'businesses/', { body: portal.business(more) })

describe('creating', () => {
  test('201 with every field as it was sent', async () => {
    const input = {
      ...portal.business(),
      legal_name: 'Lee Bakery LLC',
      lead_source_detail: { campaign: 'spring', referrer_name: null, referral_code: null },
      trading_name: 'Lee Bakery',
      legal_form: 'llc',
      region: 'US-CA',
      registration_number: 'C-123',
      industry: { system: 'naics_2022', code: '311811' },
      founded_on: '2016-03-01',
      employee_count: 12,
      website: 'https://bakery.example.com/shop',
      email: 'office@bakery.example.com',
      phone: '+14155550100',
      addresses: [
        {
          kind: 'registered',
          line1: '1 Harbour Street',
          line2: null,
          city: 'San Francisco',
          region: 'US-CA',
          postal_code: '94105',
          country: 'US',
        },
      ],
      annual_revenue: { amount: '1250000.50', currency: 'USD' },
      consents: [{ kind: 'credit_check', granted: true, granted_at: '2026-01-31T12:00:00.000Z', text_version: '3' }],
      do_not_contact: true,
      tags: ['a', 'b'],
      metadata: { z: '1', a: '2' },
      external_reference: 'full-1',
    }
    const owners = [
      {
        first_name: 'Ann',
        last_name: 'Lee',
        email: 'ann@example.com',
        phone: null,
        role: 'Director',
        ownership_percent: 60.5,
      },
    ]
    const made = await portal.call('POST', 'businesses/', { body: { ...input, owners, tax_id: '12-3456789' } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      ...input,
      owners,
      tax_id_last4: '6789',
      state: 'active',
      available_actions: ['update', 'archive'],
    })
    expect(made.body.owners[0].id).toMatch(/^own_/)
    expect(made.headers.get('location')).toBe(made.body.url)
    const read = await portal.call('GET', made.body.url)
    expect(read.text).toBe(made.text)
  })

  test('the tax id is sealed in the table and never in a response', async () => {
    const made = await create({ tax_id: '98-7654321' })
    const row = await server.context.database.read
      .selectFrom('businesses')
      .selectAll()
      .where('id', '=', made.body.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain('7654321')
    expect(server.context.vault.open('tax_id', row.tax_id_sealed ?? '', `${portal.id} ${made.body.id}`)).toBe(
      '98-7654321',
    )
    expect(made.text).not.toContain('7654321')
  })

  test.each([
    ['a region of another country', { region: 'FR-IDF' }, '/region', 'invalid_format'],
    ['an unknown region', { region: 'US-ZZ' }, '/region', 'invalid_format'],
    ['an unknown country', { country: 'XX' }, '/country', 'invalid_format'],
    ['a date in the future', { founded_on: '2999-01-01' }, '/founded_on', 'out_of_range'],
    ['a year before all calendars', { founded_on: '0000-01-01' }, '/founded_on', 'invalid_format'],
    [
      'a leap second',
      { consents: [{ kind: 'other', granted: true, granted_at: '2016-12-31T23:59:60Z' }] },
      '/consents/0/granted_at',
      'invalid_format',
    ],
    ['a name nobody can see', { legal_name: '\u200b' }, '/legal_name', 'invalid_format'],
    ['a name with a line break', { legal_name: 'Lee\nBakery' }, '/legal_name', 'invalid_format'],
    ['a name with a control character', { trading_name: 'Lee\u0007' }, '/trading_name', 'invalid_format'],
    ['a name that reads backwards', { legal_name: 'Lee \u202eyrekaB' }, '/legal_name', 'invalid_format'],
    ['a tag with a tab', { tags: ['a\tb'] }, '/tags/0', 'invalid_format'],
    ['an e-mail address with an invisible letter', { email: 'an\u200bn@example.com' }, '/email', 'invalid_format'],
    ['an e-mail address in a domain that is none', { email: 'ann@exa mple.com' }, '/email', 'invalid_format'],
    ['a website with credentials', { website: 'https://ann:secret@example.com' }, '/website', 'invalid_format'],
    ['a reference of blanks', { external_reference: ' ' }, '/external_reference', 'invalid_format'],
    ['a date that does not exist', { founded_on: '2026-02-30' }, '/founded_on', 'invalid_format'],
    [
      'too many decimals for the currency',
      { annual_revenue: { amount: '1.005', currency: 'USD' } },
      '/annual_revenue/amount',
      'invalid_format',
    ],
    [
      'decimals in a currency without them',
      { annual_revenue: { amount: '100.5', currency: 'JPY' } },
      '/annual_revenue/amount',
      'invalid_format',
    ],
    [
      'an amount that is a number',
      { annual_revenue: { amount: 5, currency: 'USD' } },
      '/annual_revenue/amount',
      'invalid_type',
    ],
    [
      'an unknown currency',
      { annual_revenue: { amount: '5', currency: 'ZZZ' } },
      '/annual_revenue/currency',
      'invalid_format',
    ],
    [
      'an industry code of another system',
      { industry: { system: 'nace_2', code: '311811' } },
      '/industry/code',
      'invalid_format',
    ],
    ['a phone number that is not E.164', { phone: '415 555 0100' }, '/phone', 'invalid_format'],
    ['an e-mail address without a domain', { email: 'ann' }, '/email', 'invalid_format'],
    ['a website that is a script', { website: 'javascript:alert(1)' }, '/website', 'invalid_format'],
    ['an unknown legal form', { legal_form: 'empire' }, '/legal_form', 'invalid_enum'],
    ['a name of blanks', { legal_name: '   ' }, '/legal_name', 'invalid_format'],
    ['a name that is too long', { legal_name: 'x'.repeat(201) }, '/legal_name', 'too_long'],
    [
      'ownership over 100 % in total',
      {
        owners: [
          { first_name: 'a', last_name: 'b', ownership_percent: 70 },
          { first_name: 'c', last_name: 'd', ownership_percent: 40 },
        ],
      },
      '/owners',
      'out_of_range',
    ],
    [
      'an owner id that is not on record',
      { owners: [{ id: `own_${'0'.repeat(26)}`, first_name: 'a', last_name: 'b' }] },
      '/owners/0/id',
      'unknown_reference',
    ],
    [
      'a lead source that does not exist',
      { lead_source_id: `ldsrc_${'0'.repeat(26)}` },
      '/lead_source_id',
      'unknown_reference',
    ],
    ['a field of the record that cannot be set', { id: 'biz_1' }, '/id', 'not_editable'],
    ['a field nobody knows', { colour: 'red' }, '/colour', 'unknown_field'],
    ['a key of metadata with a space', { metadata: { 'Customer ID': 'x' } }, '/metadata/Customer ID', 'invalid_format'],
    ['metadata that is not text', { metadata: { a: 1 } }, '/metadata/a', 'invalid_type'],
    [
      'more than 50 pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])) },
      '/metadata',
      'too_long',
    ],
  ])('422 for %s, naming the place', async (_, more, pointer, code) => {
    const answer = await create(more)
    expect(answer.status).toBe(422)
    expect(answer.body.code).toBe('validation_failed')
    expect(
      answer.body.details.map((detail: { pointer: string; code: string }) => [detail.pointer, detail.code]),
    ).toContainEqual([pointer, code])
  })

  test('422 says which character of a name is refused, and counts problems as they are listed', async () => {
    const answer = await create({ legal_name: 'Lee\u0007Bakery', trading_name: '', tags: ['a\nb'], email: 'ann' })
    expect(answer.body.message).toBe('The request has 4 problems.')
    expect(answer.body.details.map((detail: { message: string }) => detail.message).sort()).toEqual([
      'email must be an e-mail address such as office@example.com.',
      'legal_name must be a single line without control characters; character 4 is U+0007.',
      'tags[0] must be a single line without control characters; character 2 is U+000A.',
      'trading_name must have at least 1 character.',
    ])
  })

  test('422 says what a key of metadata may be', async () => {
    const answer = await create({ metadata: { 'crm:id': 'x', '': 'y' } })
    expect(answer.body.details.map((detail: { message: string }) => detail.message).sort()).toEqual([
      'Every key of metadata must have 1 to 64 characters from A–Z a–z 0–9 _ . -; received "".',
      'Every key of metadata must have 1 to 64 characters from A–Z a–z 0–9 _ . -; received "crm:id".',
    ])
  })

  test.each([
    { email: 'josé@example.es' },
    { email: 'office@münchen.de' },
    { email: '用户@例子.广告' },
    { website: 'https://münchen.de' },
    { website: 'https://例子.广告/路径?q=名' },
    { website: 'https://example.com/@lee' },
    { legal_name: 'שלום בע״מ \u200e(2)' },
    { legal_name: 'شركة می\u200cخواهم' },
    { legal_name: 'क्‍ष 💶' },
  ])('201 with %j as it was given', async (more) => {
    const answer = await create(more)
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining(more)])
  })

  test('422 lists every problem of the body at once, and at most 50', async () => {
    const answer = await create({ legal_name: 7, country: 'Atlantis', employee_count: -1, colour: 'red' })
    expect(answer.body.details.map((detail: { pointer: string }) => detail.pointer).sort()).toEqual([
      '/colour',
      '/country',
      '/employee_count',
      '/legal_name',
    ])
    const many = await create(Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`field_${i}`, 1])))
    expect(many.body.details).toHaveLength(50)
    expect(many.body.message).toContain('80')
  })

  test('422 lead_source_inactive when the lead source is no longer in use', async () => {
    const lead_source_id = await newLeadSource(portal.caller)
    await server.context.database.transaction((tx) => setLeadSourceActive(tx, portal.caller, lead_source_id, false))
    const answer = await create({ lead_source_id })
    expect([answer.status, answer.body.code]).toEqual([422, 'lead_source_inactive'])
  })

  test('422 without a detail when the lead source requires one, 201 with it', async () => {
    const lead_source_id = await newLeadSource(portal.caller, { requires_detail: true })
    const refused = await create({ lead_source_id, lead_source_detail: { campaign: null } })
    expect(refused.body.details[0]).toMatchObject({ pointer: '/lead_source_detail', code: 'required' })
    expect((await create({ lead_source_id, lead_source_detail: { campaign: 'x' } })).status).toBe(201)
  })

  test('409 already_exists with the address of the business that has the external reference', async () => {
    const first = await create({ external_reference: 'taken' })
    const second = await create({ external_reference: 'taken' })
    expect(second.status).toBe(409)
    expect(second.body.details[0].meta.existing_url).toBe(first.body.url)
    const other = await newPortal(server)
    expect(
      (await other.call('POST', 'businesses/', { body: other.business({ external_reference: 'taken' }) })).status,
    ).toBe(201)
  })
})

describe('changing', () => {
  test('200 changes what is sent, empties what is null, leaves the rest', async () => {
    const made = await create({
      trading_name: 'Old',
      phone: '+14155550100',
      tags: ['x'],
      owners: [{ first_name: 'Ann', last_name: 'Lee' }],
    })
    const changed = await portal.call('PATCH', made.body.url, {
      body: { trading_name: 'New', phone: null },
      headers: { 'if-match': made.body.etag },
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      trading_name: 'New',
      phone: null,
      tags: ['x'],
      owners: made.body.owners,
      legal_name: made.body.legal_name,
    })
    expect(changed.body.etag).not.toBe(made.body.etag)
    expect((await portal.call('GET', made.body.url)).text).toBe(changed.text)
  })

  test('200 keeps the id of an owner that is named by it', async () => {
    const made = await create({ owners: [{ first_name: 'Ann', last_name: 'Lee' }] })
    const { id } = made.body.owners[0]
    const changed = await portal.call('PATCH', made.body.url, {
      body: {
        owners: [
          { id, first_name: 'Anna', last_name: 'Lee' },
          { first_name: 'Bo', last_name: 'Ek' },
        ],
      },
      headers: { 'if-match': made.body.etag },
    })
    expect(changed.body.owners[0]).toMatchObject({ id, first_name: 'Anna' })
    expect(changed.body.owners[1].id).not.toBe(id)
  })

  test('422 not_editable for the lead source: it was chosen at creation', async () => {
    const made = await create()
    const answer = await portal.call('PATCH', made.body.url, {
      body: { lead_source_id: portal.lead_source_id },
      headers: { 'if-match': made.body.etag },
    })
    expect(answer.body.details[0]).toMatchObject({ pointer: '/lead_source_id', code: 'not_editable' })
  })

  test('422 when the region would no longer be in the country', async () => {
    const made = await create({ region: 'US-CA' })
    const answer = await portal.call('PATCH', made.body.url, {
      body: { country: 'FR' },
      headers: { 'if-match': made.body.etag },
    })
    expect(answer.body.details[0]).toMatchObject({ pointer: '/country' })
  })

  test('409 when the external reference belongs to another business, 200 for its own', async () => {
    await create({ external_reference: 'ref-a' })
    const made = await create({ external_reference: 'ref-b' })
    const patch = (external_reference: string) =>
      portal.call('PATCH', made.body.url, { body: { external_reference }, headers: { 'if-match': made.body.etag } })
    expect((await patch('ref-a')).body.code).toBe('already_exists')
    expect((await patch('ref-b')).status).toBe(200)
  })

  test('200 for a change that changes nothing: same ETag, no event; a tax id is compared, too', async () => {
    const sent = {
      trading_name: 'Lee',
      tags: ['a', 'b'],
      tax_id: '12-3456789',
      annual_revenue: { amount: '10.00', currency: 'USD' },
    }
    const made = (await portal.call('POST', 'businesses/', { body: portal.business(sent) })).body
    const change = (body: object) => portal.call('PATCH', made.url, { body, headers: { 'if-match': made.etag } })
    for (const body of [sent, { trading_name: 'Lee' }, { tax_id: '12-3456789' }]) {
      const answer = await change(body)
      expect([answer.status, answer.body]).toEqual([200, made])
    }
    const events = (await portal.call('GET', `events/?resource_id=${made.id}`)).body.items
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['business.created'])
    expect((await change({ tax_id: '12-3456780' })).body.etag).not.toBe(made.etag)
  })

  test('200 honours an Idempotency-Key on PATCH: the retry replays although the ETag has moved', async () => {
    const made = await create()
    const sent = {
      body: { trading_name: 'Once' },
      headers: { 'if-match': made.body.etag, 'idempotency-key': 'patch-once-0123456789' },
    }
    const first = await portal.call('PATCH', made.body.url, sent)
    const again = await portal.call('PATCH', made.body.url, sent)
    expect(again.status).toBe(200)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('archiving', () => {
  test('200 archive and restore move the state and say what is possible next', async () => {
    const made = await create()
    const archived = await portal.call('POST', `${made.body.url}archive/`, { headers: { 'if-match': made.body.etag } })
    expect(archived.body).toMatchObject({ state: 'archived', available_actions: ['update', 'restore'] })
    const restored = await portal.call('POST', `${made.body.url}restore/`, {
      body: {},
      headers: { 'if-match': archived.body.etag },
    })
    expect(restored.body).toMatchObject({ state: 'active', available_actions: ['update', 'archive'] })
    expect(Date.parse(restored.body.state_changed_at)).toBeGreaterThanOrEqual(
      Date.parse(archived.body.state_changed_at),
    )
  })

  test('409 state_conflict with the state and the available actions', async () => {
    const made = await create()
    const answer = await portal.call('POST', `${made.body.url}restore/`, { headers: { 'if-match': made.body.etag } })
    expect([answer.status, answer.body.code]).toEqual([409, 'state_conflict'])
    expect(answer.body.details[0].meta).toEqual({ state: 'active', available_actions: ['update', 'archive'] })
  })

  test('422 for a command with fields it does not take', async () => {
    const made = await create()
    const answer = await portal.call('POST', `${made.body.url}archive/`, {
      body: { why: 'x' },
      headers: { 'if-match': made.body.etag },
    })
    expect(answer.body.details[0]).toMatchObject({ pointer: '/why', code: 'unknown_field' })
  })
})

describe('finding', () => {
  test('200 each filter finds what it names and nothing else', async () => {
    const own = await newPortal(server)
    const make = (more: Record<string, unknown>) => own.call('POST', 'businesses/', { body: own.business(more) })
    const lead_source_id = await newLeadSource(own.caller)
    const plain = await make({ legal_name: 'Plain Company' })
    const french = await make({ legal_name: 'Crêperie Bélanger SARL', country: 'FR', trading_name: 'Chez Zoé' })
    const referred = await make({
      legal_name: 'Referred Ltd',
      lead_source_id,
      external_reference: 'ext-9',
      email: 'hello@zebra.example.com',
    })
    const archived = await own.call('POST', `${plain.body.url}archive/`, { headers: { 'if-match': plain.body.etag } })
    const find = async (query: string) => {
      const answer = await own.call('GET', `businesses/?${query}`)
      expect(answer.status).toBe(200)
      return answer.body.items.map((item: { id: string }) => item.id)
    }
    expect(await find('state=archived')).toEqual([archived.body.id])
    expect(await find('state=active')).toEqual([referred.body.id, french.body.id])
    expect(await find('country=FR')).toEqual([french.body.id])
    expect(await find(`lead_source_id=${lead_source_id}`)).toEqual([referred.body.id])
    expect(await find('external_reference=ext-9')).toEqual([referred.body.id])
    expect(await find('search=creperie')).toEqual([french.body.id])
    expect(await find('search=BELANG%20zoe')).toEqual([french.body.id])
    expect(await find('search=zebra')).toEqual([referred.body.id])
    expect(await find('search=plain%20zebra')).toEqual([])
    expect(await find('search=--')).toEqual([])
    expect(await find(`created_after=${french.body.created_at}`)).toEqual(
      referred.body.created_at > french.body.created_at ? [referred.body.id] : [],
    )
    expect(await find('created_before=2020-01-01T00:00:00Z')).toEqual([])
    expect(await find('order=legal_name')).toEqual([french.body.id, plain.body.id, referred.body.id])
    expect(await find('order=-legal_name&country=US')).toEqual([referred.body.id, plain.body.id])
  })

  test('200 a changed name is found by its new words and no longer by its old ones', async () => {
    const made = await create({ legal_name: 'Quetzal Roofing' })
    await portal.call('PATCH', made.body.url, {
      body: { legal_name: 'Xylophone Roofing' },
      headers: { 'if-match': made.body.etag },
    })
    expect((await portal.call('GET', 'businesses/?search=quetzal')).body.items).toEqual([])
    expect((await portal.call('GET', 'businesses/?search=xylo')).body.items).toHaveLength(1)
  })
})

describe('possible duplicates', () => {
  test('200 names the other business and every reason', async () => {
    const own = await newPortal(server)
    const make = async (more: Record<string, unknown>) =>
      (await own.call('POST', 'businesses/', { body: own.business(more) })).body
    const first = await make({ legal_name: 'Lee Bakery LLC', registration_number: 'C-123 456', tax_id: '12-3456789' })
    const second = await make({ legal_name: 'LEE BAKERY, L.L.C.', registration_number: 'c123456', tax_id: '123456789' })
    const sameName = await make({ legal_name: 'The Lee Bakery' })
    await make({ legal_name: 'Lee Bakery', country: 'CA' })
    const { body } = await own.call('GET', first.possible_duplicates_url)
    expect(body.items).toEqual([
      { business_id: second.id, url: second.url, reasons: ['same_registration_number', 'same_tax_id', 'same_name'] },
      { business_id: sameName.id, url: sameName.url, reasons: ['same_name'] },
    ])
    expect((await own.call('GET', first.url)).headers.get('etag')).toBe(first.etag)
  })
})

describe('odd names', () => {
  test('201 for long words of rare characters; signs alone make no duplicates', async () => {
    const own = await newPortal(server)
    const make = async (more: Record<string, unknown>) => own.call('POST', 'businesses/', { body: own.business(more) })
    const rare = `${'a'.repeat(39)}\u{20000}b ${'a'.repeat(39)}\u{21000}b`
    expect((await make({ legal_name: rare })).status).toBe(201)
    const stars = await make({ legal_name: '★★', registration_number: '---' })
    await make({ legal_name: '♥', registration_number: '//' })
    expect((await own.call('GET', stars.body.possible_duplicates_url)).body.items).toEqual([])
  })

  test('422 when a change would empty the detail a lead source requires', async () => {
    const lead_source_id = await newLeadSource(portal.caller, { requires_detail: true })
    const made = await create({ lead_source_id, lead_source_detail: { campaign: 'x' } })
    const answer = await portal.call('PATCH', made.body.url, {
      body: { lead_source_detail: null },
      headers: { 'if-match': made.body.etag },
    })
    expect(answer.body.details[0]).toMatchObject({ pointer: '/lead_source_detail', code: 'required' })
  })

  test('409 with the address of the winner for all who wanted the same reference at once', async () => {
    const own = await newPortal(server)
    const made = []
    for (let i = 0; i < 8; i++) made.push((await own.call('POST', 'businesses/', { body: own.business() })).body)
    const answers = await Promise.all(
      made.map(({ url, etag }) =>
        own.call('PATCH', url, { body: { external_reference: 'wanted' }, headers: { 'if-match': etag } }),
      ),
    )
    const winner = answers.find(({ status }) => status === 200)
    const losers = answers.filter(({ status }) => status === 409)
    expect(losers).toHaveLength(7)
    for (const { body } of losers) expect(body.details[0].meta.existing_url).toBe(winner?.body.url)
  })
})

describe('lead sources', () => {
  test('200 lists the sources of the Portal by name, with filters', async () => {
    const own = await newPortal(server)
    const event = await newLeadSource(own.caller, { name: 'Été fair', kind: 'event' })
    await server.context.database.transaction((tx) => setLeadSourceActive(tx, own.caller, event, false))
    const { body } = await own.call('GET', 'lead-sources/')
    expect(body.items.map((item: { name: string }) => item.name)).toEqual(['Été fair', 'Website'])
    expect((await own.call('GET', 'lead-sources/?is_active=true')).body.items).toHaveLength(1)
    expect((await own.call('GET', 'lead-sources/?kind=event')).body.items[0]).toMatchObject({
      id: event,
      is_active: false,
      requires_detail: false,
    })
    expect((await own.call('GET', `lead-sources/${event}/`)).body.id).toBe(event)
  })

  test('200 the same businesses for a word that few have and for one that thousands have', async () => {
    const own = await newPortal(server)
    const made: string[] = []
    for (const name of ['Ordinary One', 'Special Ordinary Two', 'Extraordinary Three', 'Ordinarily Four'])
      made.push((await own.call('POST', 'businesses/', { body: own.business({ legal_name: name }) })).body.id)
    const find = async (words: string) => {
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const at = cursor && `&cursor=${cursor}`
        const { body } = await own.call('GET', `businesses/?order=created_at&page_size=1&search=${words}${at}`)
        ids.push(...body.items.map((item: { id: string }) => item.id))
        cursor = body.next_cursor
      }
      return ids
    }
    const expected = [[made[0], made[1]], [made[1]], [made[0], made[1], made[3]]]
    const searches = ['ordinary', 'special%20ordinary', 'ordinar']
    const whenRare = await Promise.all(searches.map(find))
    // Enough entries of the word that nobody would look all of them up.
    const insertWords = compileInsert('business_words')
    for (let batch = 0; batch < 5; batch++) {
      await server.context.database.transaction((tx) =>
        insertWords(
          tx,
          Array.from({ length: 500 }, () => ({ portal_id: own.id, word: 'ordinary', business_id: newId('biz') })),
        ),
      )
    }
    expect([whenRare, await Promise.all(searches.map(find))]).toEqual([expected, expected])
  })
})
