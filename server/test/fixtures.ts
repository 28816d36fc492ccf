// For the tests that walk every operation: what stands in a path, and what a request of each operation looks like.
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import demoContract from '../src/cli/demo-contract.json' with { type: 'json' }
import type { Operation } from '../src/platform/http/operation.ts'
import { exampleId } from '../src/platform/values.ts'
import type { Sent } from './client.ts'
import type { TestPortal } from './harness.ts'

/** A record of each kind a path can name: how to make one, and its ETag if it has one. */
const makers: Record<string, (portal: TestPortal) => Promise<{ id: string; etag?: string }>> = {
  business_id: async (portal) => (await portal.call('POST', 'businesses/', { body: portal.business() })).body,
  lead_source_id: async (portal) => ({ id: portal.lead_source_id }),
  contract_id: async ({ caller }) =>
    caller.context.database.transaction((tx) => publishContract(tx, caller, demoContract)),
  event_id: async (portal) => {
    await portal.call('POST', 'businesses/', { body: portal.business() })
    return (await portal.call('GET', 'events/?page_size=1')).body.items[0]
  },
}

/** Operations that need the record in another state than a new one is in. */
const preparations: Record<
  string,
  (portal: TestPortal, record: { id: string; etag?: string }) => Promise<{ id: string; etag?: string }>
> = {
  'businesses.restore': async (portal, { id, etag = '' }) =>
    (await portal.call('POST', `businesses/${id}/archive/`, { headers: { 'if-match': etag } })).body,
}

export interface Prepared {
  path: string
  sent: Sent
}

/** A request of this operation that succeeds in this Portal. */
export async function prepareRequest(operation: Operation, portal: TestPortal): Promise<Prepared> {
  let path = operation.path.slice(1)
  let etag: string | undefined
  for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const make = makers[name]
    if (!make) throw new Error(`no maker for the path parameter ${name}: add one to fixtures.ts`)
    let record = await make(portal)
    record = (await preparations[operation.id]?.(portal, record)) ?? record
    path = path.replace(`{${name}}`, record.id)
    etag = record.etag
  }
  const sent: Sent = { headers: {} }
  if (operation.ifMatch) sent.headers = { 'if-match': etag ?? '' }
  if (operation.body) sent.body = fillExample(operation.example, portal)
  return { path, sent }
}

/** The operation's own example, with the Portal's own records in place of the shown ones. */
function fillExample(example: unknown, portal: TestPortal): unknown {
  const text = JSON.stringify(example)
    .replaceAll(exampleId('ldsrc'), portal.lead_source_id)
    .replaceAll('crm-4711', `crm-${Math.random()}`)
  return JSON.parse(text)
}

/** The same request with ids that name nothing. */
export function withUnknownIds(operation: Operation, path: string): string {
  return (
    path.replace(/(biz|ldsrc|ctr|evt)_[0-9a-z]{26}/g, (_, prefix) => `${prefix}_${'0'.repeat(26)}`) || operation.path
  )
}
