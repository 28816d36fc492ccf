// Who did what: entries of every kind of actor, how they are listed, and what keeps them as they are.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setLeadSourceActive } from '../src/areas/businesses/commands.ts'
import { applicationExpiryDays } from '../src/areas/deal-applications/settings.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { createKey, revokeKey, rotateKey, setPortalState } from '../src/building-blocks/portals/commands.ts'
import { writeSetting } from '../src/building-blocks/portals/settings.ts'
import type { AuditEntry } from '../src/platform/audit/entries.ts'
import type { Tx } from '../src/platform/database/database.ts'
import { newDeal, newLender } from './deal-fixtures.ts'
import { runRepeating } from './due-jobs.ts'
import { newIntake } from './fixtures.ts'
import { calculate, newProject } from './funding-fixtures.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

const write = <T>(work: (tx: Tx) => Promise<T>) => server.context.database.transaction(work)
async function entriesOf(by: TestPortal, query = ''): Promise<AuditEntry[]> {
  const { body } = await by.call('GET', `audit-log/?order=sequence&page_size=250${query}`)
  expect(body.next_cursor).toBeNull()
  return body.items
}
const told = (entries: readonly AuditEntry[]) =>
  entries.map(({ actor, action, resource, changes }) => [actor.kind, actor.id, action, resource.id, changes])
const newBusiness = async (by = portal, more = {}) =>
  (await by.call('POST', 'businesses/', { body: by.business(more) })).body

/** As somebody else would write it: JSON with sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([name, member]) => [name, sorted(member)]),
  )
}

test('a change is one entry with its key, Request-Id, record, version and names of fields, chained to the one before', async () => {
  const own = await newPortal(server)
  const created = await own.call('POST', 'businesses/', { body: own.business() })
  const { id, etag } = created.body
  const headers = { 'if-match': etag }
  const changed = await own.call('PATCH', `businesses/${id}/`, { body: { trading_name: 'Lee', tags: ['a'] }, headers })
  const entries = await entriesOf(own)
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
  let previous = '0'.repeat(64)
  for (const { hash, ...content } of entries) {
    expect(content.previous_hash).toBe(previous)
    previous = createHash('sha256')
      .update(JSON.stringify(sorted(content)))
      .digest('hex')
    expect(hash).toBe(previous)
  }
  const actor = { kind: 'api_key', id: own.key_id }
  expect(entries.slice(-2)).toMatchObject([
    {
      id: expect.stringMatching(/^aud_/),
      portal_id: own.id,
      actor,
      action: 'business.created',
      resource: { type: 'business', id, version: 1 },
      changes: [],
      request_id: created.headers.get('request-id'),
    },
    {
      actor,
      action: 'business.updated',
      resource: { type: 'business', id, version: 2 },
      changes: expect.arrayContaining(['trading_name', 'tags']),
      request_id: changed.headers.get('request-id'),
    },
  ])
})

test('a change without an event is noted under its operation, with the parts and fields it names', async () => {
  const own = await newPortal(server)
  await write((tx) => publishContract(tx, own.caller, shortContract))
  const from = (await entriesOf(own)).length
  const application = await newIntake(own)
  const answers = [{ question_key: 'legal_name', value: 'Lee Bakery LLC' }]
  await own.call('PATCH', application.answers_url, { body: { answers }, headers: { 'if-match': application.etag } })
  const webhook = { url: 'https://hooks.example.com/', event_types: ['*'] }
  const { id } = (await own.call('POST', 'webhooks/', { body: webhook })).body
  const actor = ['api_key', own.key_id]
  expect(told((await entriesOf(own)).slice(from)).slice(-3)).toEqual([
    [...actor, 'client_intake_application.created', application.id, []],
    [...actor, 'client_intake_applications.answers.write', application.id, ['answers/legal_name']],
    [...actor, 'webhooks.create', id, ['url', 'event_types']],
  ])
})

test('a replayed request leaves no second entry, and a refused one none', async () => {
  const before = await entriesOf(portal)
  const headers = { 'idempotency-key': 'audit-log-replay-0001' }
  const body = portal.business()
  const first = await portal.call('POST', 'businesses/', { body, headers })
  await portal.call('POST', 'businesses/', { body, headers })
  await portal.call('POST', 'businesses/', { body: { ...body, country: 'XX' } })
  await portal.call('POST', `businesses/${first.body.id}/restore/`, { headers: { 'if-match': first.body.etag } })
  await portal.call('PATCH', `businesses/${first.body.id}/`, { body: { tags: [] }, headers: { 'if-match': '"old"' } })
  const after = await entriesOf(portal)
  expect(after.slice(before.length).map(({ request_id }) => request_id)).toEqual([first.headers.get('request-id')])
})

test('acts of an administrator are noted with the user of the operating system', async () => {
  const own = await newPortal(server)
  const { context } = server
  const key = await write((tx) => createKey(tx, context, { portal_id: own.id, name: 'CRM', grants: ['audit'] }))
  const next = await write((tx) => rotateKey(tx, context, { key_id: key.id, overlap: '24h' }))
  await write((tx) => revokeKey(tx, context, key.id))
  await write((tx) => writeSetting(tx, context, own.id, applicationExpiryDays, 10))
  await write((tx) => setPortalState(tx, context, own.id, 'suspended'))
  await write((tx) => setPortalState(tx, context, own.id, 'active'))
  await write((tx) => setLeadSourceActive(tx, own.caller, own.lead_source_id, false))
  const contract = await write((tx) => publishContract(tx, own.caller, shortContract))
  const by = ['command_line', 'tester']
  const entries = await entriesOf(own)
  expect(told(entries)).toEqual([
    [...by, 'portal.created', own.id, []],
    [...by, 'api_key.created', own.key_id, expect.arrayContaining(['grants/businesses:write', 'grants/audit:read'])],
    [...by, 'lead_source.created', own.lead_source_id, []],
    [...by, 'api_key.created', key.id, ['grants/audit:read']],
    [...by, 'api_key.created', next.id, ['grants/audit:read']],
    [...by, 'api_key.rotated', key.id, [`replaced_by/${next.id}`]],
    [...by, 'api_key.revoked', key.id, []],
    [...by, 'portal.setting_changed', own.id, [applicationExpiryDays.name]],
    [...by, 'portal.suspended', own.id, []],
    [...by, 'portal.resumed', own.id, []],
    [...by, 'lead_source.deactivated', own.lead_source_id, []],
    [...by, 'contract.published', contract.id, []],
  ])
  expect(entries.at(-1)?.resource).toEqual({ type: 'contract', id: contract.id, version: 1 })
  expect(entries.at(-2)?.resource).toEqual({ type: 'lead_source', id: own.lead_source_id, version: null })
})

test('what a job does is by the job, with the request that asked for it', async () => {
  const own = await newPortal(server)
  await calculate(own, await newProject(own))
  const entries = await entriesOf(own)
  const [asked] = entries.filter(({ action }) => action === 'match_calculations.start')
  const completed = entries.filter(({ action }) => action === 'match_calculation.completed')
  expect(asked?.request_id).toMatch(/^req_/)
  expect(completed.map(({ actor, request_id }) => [actor, request_id])).toEqual([
    [{ kind: 'job', id: 'funding_recommendations.calculate' }, asked?.request_id],
  ])
})

test('the other party of a deal is told that another Portal acted, and neither its key nor its request', async () => {
  const lender = await newLender(server)
  const deal = await newDeal(portal, lender)
  const [mine] = await entriesOf(portal, `&resource_id=${deal.id}`)
  const theirs = await entriesOf(lender, `&resource_id=${deal.id}`)
  expect(mine).toMatchObject({ action: 'deal.created', actor: { kind: 'api_key', id: portal.key_id } })
  expect(theirs).toMatchObject([
    { action: 'deal.created', actor: { kind: 'other_portal', id: null }, request_id: null },
  ])
  expect(JSON.stringify(await entriesOf(lender))).not.toContain(portal.key_id)
})

describe('GET /audit-log/', () => {
  let own: TestPortal
  let other: TestPortal
  beforeAll(async () => {
    own = await newPortal(server)
    other = await newPortal(server)
    for (let count = 0; count < 3; count++) await newBusiness(own)
  })

  test('shows nothing of another Portal, whatever it is asked for', async () => {
    const theirs = await entriesOf(own)
    const [last] = theirs.slice(-1)
    for (const query of [
      `request_id=${last?.request_id}`,
      `resource_id=${last?.resource.id}`,
      `actor_id=${own.key_id}`,
    ]) {
      expect((await own.call('GET', `audit-log/?${query}`)).body.items.length).toBeGreaterThan(0)
      expect((await other.call('GET', `audit-log/?${query}`)).body.items).toEqual([])
    }
    const hashes = new Set(theirs.map(({ hash }) => hash))
    expect((await entriesOf(other)).filter(({ hash, portal_id }) => hashes.has(hash) || portal_id === own.id)).toEqual(
      [],
    )
    const { next_cursor } = (await own.call('GET', 'audit-log/?page_size=2')).body
    const stolen = await other.call('GET', `audit-log/?page_size=2&cursor=${encodeURIComponent(next_cursor)}`)
    expect([stolen.status, stolen.body.code]).toEqual([400, 'invalid_cursor'])
  })

  test('filters by actor, action, record, request and time, together', async () => {
    const all = await entriesOf(own)
    const [first, second] = all.filter(({ action }) => action === 'business.created')
    expect((await entriesOf(own, `&actor_id=${own.key_id}`)).map(({ action }) => action)).toEqual(
      Array(3).fill('business.created'),
    )
    expect(await entriesOf(own, '&actor_id=tester')).toEqual(all.slice(0, 3))
    expect(await entriesOf(own, '&action=business.created')).toHaveLength(3)
    expect(await entriesOf(own, `&action=business.created&resource_id=${first?.resource.id}`)).toEqual([first])
    expect(await entriesOf(own, `&request_id=${second?.request_id}&actor_id=${own.key_id}`)).toEqual([second])
    const isLater = ({ created_at }: AuditEntry) => created_at > (first?.created_at ?? '')
    const later = await entriesOf(own, `&created_after=${first?.created_at}`)
    expect(later).toEqual(all.filter(isLater))
    expect(await entriesOf(own, `&created_before=${first?.created_at}`)).toEqual(
      all.filter(({ created_at }) => created_at < (first?.created_at ?? '')),
    )
  })

  test('pages forward and back through the whole log', async () => {
    const all = (await entriesOf(own)).reverse()
    const seen: AuditEntry[] = []
    let page = (await own.call('GET', 'audit-log/?page_size=2')).body
    const first = page
    for (; ; page = (await own.call('GET', `audit-log/?cursor=${encodeURIComponent(page.next_cursor)}`)).body) {
      seen.push(...page.items)
      if (page.next_cursor === null) break
    }
    expect(seen).toEqual(all)
    while (page.previous_cursor !== null)
      page = (await own.call('GET', `audit-log/?cursor=${encodeURIComponent(page.previous_cursor)}`)).body
    expect(page.items).toEqual(first.items)
  })

  test('has every change of writers at once, each once, while others read and the job chains', async () => {
    const busy = await newPortal(server)
    const ids = (
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          if (index % 8 === 0) await busy.call('GET', 'audit-log/')
          if (index % 8 === 4) await runRepeating(server.context, 'audit_log.chain')
          return (await newBusiness(busy)).id
        }),
      )
    ).sort()
    const entries = await entriesOf(busy)
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
    const created = entries.filter(({ action }) => action === 'business.created')
    expect(created.map(({ resource }) => resource.id).sort()).toEqual(ids)
    for (const [index, { previous_hash }] of entries.entries())
      expect(previous_hash).toBe(entries[index - 1]?.hash ?? '0'.repeat(64))
  })
})

test('no value that was sent is in an entry: what can be erased is not in the log', async () => {
  const own = await newPortal(server)
  const canary = 'zebrafinch'
  const business = await newBusiness(own, {
    legal_name: `${canary} LLC`,
    trading_name: canary,
    external_reference: `${canary}-1`,
    website: `https://${canary}.example.com/`,
    metadata: { [canary]: canary },
    tags: [canary],
  })
  const headers = { 'if-match': business.etag }
  await own.call('PATCH', `businesses/${business.id}/`, { body: { metadata: { [`${canary}2`]: canary } }, headers })
  await write((tx) => publishContract(tx, own.caller, shortContract))
  const application = await newIntake(own, { business_id: business.id })
  const body = { answers: [{ question_key: 'legal_name', value: canary }] }
  await own.call('PATCH', application.answers_url, { body, headers: { 'if-match': application.etag } })
  const webhook = { url: `https://${canary}.example.com/`, event_types: ['*'], description: canary }
  expect((await own.call('POST', 'webhooks/', { body: webhook })).status).toBe(201)
  const entries = await entriesOf(own)
  expect(entries.length).toBeGreaterThan(7)
  expect(JSON.stringify(entries)).not.toContain(canary)
})

test('the database itself refuses to change or remove an entry', async () => {
  await entriesOf(portal)
  const attempts = [
    sql`update audit_log set action = 'x' where portal_id = ${portal.id} and sequence = 1`,
    sql`delete from audit_log where portal_id = ${portal.id} and sequence = 1`,
    ...(engine === 'postgres' ? [sql`truncate audit_log`] : []),
  ]
  for (const attempt of attempts)
    await expect(write((tx) => attempt.execute(tx))).rejects.toThrow('the audit log is append-only')
})

test('events are chained before they are removed', async () => {
  const own = await newPortal(server)
  const { id } = await newBusiness(own)
  server.clock.advance(31 * 24 * 3600 * 1000)
  try {
    await runRepeating(server.context, 'housekeeping.old_events')
    expect((await own.call('GET', 'events/')).body.items).toEqual([])
    expect(await entriesOf(own, `&resource_id=${id}`)).toMatchObject([{ action: 'business.created' }])
  } finally {
    server.clock.advance(-31 * 24 * 3600 * 1000)
  }
})
