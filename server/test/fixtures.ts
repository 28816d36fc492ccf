// For the tests that walk every operation: what stands in a path, and what a request of each operation looks like.
import { hash } from 'node:crypto'
import { challengeOf } from '../src/areas/webhooks/endpoints/commands.ts'
import { findWebhook } from '../src/areas/webhooks/endpoints/queries.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { publishRecipient } from '../src/building-blocks/recipients/commands.ts'
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import demoContract from '../src/cli/demo-contract.json' with { type: 'json' }
import type { Operation } from '../src/platform/http/operation.ts'
import { exampleId } from '../src/platform/values/fields.ts'
import type { Sent } from './client.ts'
import { runDueJobs } from './due-jobs.ts'
import { calculate, matchesOf, newProject } from './funding-fixtures.ts'
import type { TestPortal } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }

interface Made {
  id: string
  /** The ETag of what is at hand now: a record's own, or that of the application it is under. */
  etag?: string
}
/** What the earlier parts of a path name, and the collection it begins with: both kinds of applications are under one name. */
type Before = Readonly<Record<string, string>> & { readonly root: string }

const dealApplications = 'deal-applications/'

/** A record of each kind a path can name: how to make one under those before it. */
const makers: Record<string, (portal: TestPortal, before: Before) => Promise<Made>> = {
  business_id: async (portal) => (await portal.call('POST', 'businesses/', { body: portal.business() })).body,
  lead_source_id: async (portal) => ({ id: portal.lead_source_id }),
  contract_id: async ({ caller }) =>
    caller.context.database.transaction((tx) => publishContract(tx, caller, demoContract)),
  // Its own: nobody else sees it before it is published.
  recipient_id: async ({ id }) => ({ id: recipientIdOf(id) }),
  event_id: async (portal) => {
    await portal.call('POST', 'businesses/', { body: portal.business() })
    return (await portal.call('GET', 'events/?page_size=1')).body.items[0]
  },
  application_id: (portal, { root }) => (root === dealApplications ? newOwnApplication(portal) : newIntake(portal)),
  deal_id: (portal) => newOwnDeal(portal),
  offer_id: async (portal, before) => {
    await submit(portal, before)
    return act(portal, before, 'offers/', finalOffer)
  },
  program_id: (portal) => newProgram(portal),
  project_id: (portal) => newProject(portal),
  calculation_id: async (portal, { project_id = '' }) => calculate(portal, await projectOf(portal, project_id)),
  match_id: async (portal, { project_id = '' }) => {
    const project = await projectOf(portal, project_id)
    await newProgram(portal)
    await calculate(portal, project)
    return (await matchesOf(portal, project))[0]
  },
  question_key: async () => ({ id: 'legal_name' }),
  group_key: async () => ({ id: 'owners' }),
  item_id: (portal, before) =>
    act(portal, before, 'answers/owners/items/', { values: { first_name: 'Bob', last_name: 'Ray' } }),
  number: async () => ({ id: '1' }),
  webhook_id: activeWebhook,
  delivery_id: async (portal, { webhook_id }) => {
    const { id } = (await portal.call('POST', `webhooks/${webhook_id}/test/`)).body
    return { id }
  },
  recovery_id: async (portal, { webhook_id }) => {
    const body = { since: '2026-01-31T00:00:00.000Z' }
    const { id } = (await portal.call('POST', `webhooks/${webhook_id}/recover/`, { body })).body
    return { id }
  },
  file_id: (portal, before) =>
    act(portal, before, 'files/', {
      question_key: 'bank_statements',
      ...declarationOf(csvBytes, 'statement.csv', 'text/csv'),
    }),
  run_id: async (portal, { root, application_id }) => {
    const path = `${root}${application_id}/autofill/`
    const { id } = (await portal.call('POST', path, { body: { mode: 'suggest_only' } })).body
    return { id }
  },
}

type Preparation = (portal: TestPortal, before: Before, etag: string) => Promise<Made>

/** What the operations under an application need, whatever kind it is of. */
const underApplication: Record<string, Preparation> = {
  'submissions.read': submit,
  'files.download': async (portal, { root, application_id, file_id }) => {
    const path = `${root}${application_id}/files/${file_id}/`
    const sent = await upload((await portal.call('POST', `${path}upload/`)).body, csvBytes)
    if (sent.status !== 200) throw new Error(await sent.text())
    return (await portal.call('GET', path)).body
  },
  'autofill.apply': async (portal, { root, application_id }) => {
    await runDueJobs(portal.caller.context, portal.id)
    return (await portal.call('GET', `${root}${application_id}/`)).body
  },
  'answers.read': async (portal, { root, application_id }, etag) =>
    (
      await portal.call('PUT', `${root}${application_id}/answers/legal_name/`, {
        body: { value: 'Lee Bakery LLC' },
        headers: { 'if-match': etag },
      })
    ).body,
}
const ofKind = (kind: string): Record<string, Preparation> =>
  Object.fromEntries(Object.entries(underApplication).map(([name, prepare]) => [`${kind}.${name}`, prepare]))

/** Operations that need the record in another state than a new one is in. */
const preparations: Record<string, Preparation> = {
  'businesses.restore': (portal, { business_id }, etag) => step(portal, `businesses/${business_id}/archive/`, etag),
  'funding_programs.publish': (portal, { program_id }, etag) =>
    step(portal, `funding-programs/${program_id}/pause/`, etag),
  'matches.restore': (portal, { project_id, match_id }, etag) =>
    step(portal, `projects/${project_id}/matches/${match_id}/dismiss/`, etag),
  ...ofKind('client_intake_applications'),
  'client_intake_applications.accept': submit,
  'client_intake_applications.reject': submit,
  'client_intake_applications.return': submit,
  'webhooks.create': makeRoom,
  'webhooks.resume': (portal, { webhook_id }, etag) => step(portal, `webhooks/${webhook_id}/pause/`, etag),
  'deals.resume': (portal, { deal_id }, etag) => step(portal, `deals/${deal_id}/hold/`, etag),
  'deals.reopen': (portal, { deal_id }, etag) =>
    step(portal, `deals/${deal_id}/lose/`, etag, { reason_code: 'client_unresponsive' }),
  ...ofKind('deal_applications'),
  'deal_applications.acknowledge': submit,
  'deal_applications.request_information': submit,
  'deal_applications.return': submit,
  'deal_applications.decline': submit,
  'deal_applications.cancel': submit,
  'offers.create': submit,
  'deal_applications.respond': async (portal, before) => {
    await submit(portal, before)
    return act(portal, before, 'request-information/', { message: 'Which website?', question_keys: ['website'] })
  },
  'deal_applications.fund': async (portal, before) => {
    await submit(portal, before)
    const { id } = await act(portal, before, 'offers/', finalOffer)
    return act(portal, before, `offers/${id}/accept/`)
  },
}

const finalOffer = { kind: 'final', amount: { amount: '75000.00', currency: 'USD' } }
const csvBytes = Buffer.from('date,amount\n2026-03-01,12.50\n')

/** What a declaration says about bytes. */
export function declarationOf(bytes: Buffer, filename: string, content_type: string) {
  return { filename, content_type, size_bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }
}

/** Sends bytes where a declaration said. */
export async function upload(
  { method, url, headers }: { method: string; url: string; headers: Record<string, string> },
  bytes: Buffer,
): Promise<Response> {
  return fetch(url, { method, headers, body: new Uint8Array(bytes) })
}

/** An application of a business of its own, with a short questionnaire. */
export async function newIntake(portal: TestPortal, more: Record<string, unknown> = {}) {
  const { id: contract_id } = await shortContractOf(portal)
  const { id: business_id } = await newKnownBusiness(portal)
  const body = { business_id, contract_id, ...more }
  return (await portal.call('POST', 'client-intake-applications/', { body })).body
}

/** A business that Autofill knows something about. */
async function newKnownBusiness(portal: TestPortal): Promise<Made> {
  const annual_revenue = { amount: '1250000.50', currency: 'USD' }
  return (await portal.call('POST', 'businesses/', { body: portal.business({ annual_revenue }) })).body
}

/** A programme that is open, unless it is said otherwise. */
export async function newProgram(portal: TestPortal, more: Record<string, unknown> = {}) {
  const body = { name: 'Growth loan', funding_type: 'term_loan', status: 'open', ...more }
  return (await portal.call('POST', 'funding-programs/', { body })).body
}

/** A deal that a Portal works on by itself, for a business of its own. */
async function newOwnDeal(portal: TestPortal): Promise<Made> {
  await askQuestions(portal)
  const business = await newKnownBusiness(portal)
  return (await portal.call('POST', 'deals/', { body: { business_id: business.id } })).body
}

/** An application of a Portal to itself: it takes the actions of both parties. */
async function newOwnApplication(portal: TestPortal): Promise<Made> {
  const { id: deal_id } = await newOwnDeal(portal)
  return (await portal.call('POST', dealApplications, { body: { deal_id } })).body
}

/** A webhook whose URL is verified; nobody runs the background work that would send there. A few serve for all tests. */
export async function activeWebhook(portal: TestPortal): Promise<Made> {
  const [known] = (await portal.call('GET', 'webhooks/?state=active')).body.items
  if (known) return known
  await makeRoom(portal)
  const input = { url: 'https://hooks.example.com/portico', event_types: ['*'] }
  const { id } = (await portal.call('POST', 'webhooks/', { body: input })).body
  const { context } = portal.caller
  const row = await findWebhook(context.database.read, portal.id, id)
  const body = { challenge: row && challengeOf(context, row) }
  return (await portal.call('POST', `webhooks/${id}/verify/`, { body })).body
}

/** Deletes the webhooks of a Portal before there are too many. */
async function makeRoom(portal: TestPortal): Promise<Made> {
  const { items } = (await portal.call('GET', 'webhooks/')).body
  if (items.length > 5)
    for (const { id, etag } of items) await portal.call('DELETE', `webhooks/${id}/`, { headers: { 'if-match': etag } })
  return { id: '' }
}

const askingPortals = new Set<string>()
async function askQuestions({ id, caller }: TestPortal): Promise<void> {
  if (askingPortals.has(id)) return
  askingPortals.add(id)
  await caller.context.database.transaction(async (tx) => {
    const contract = await publishContract(tx, caller, { ...shortContract, kind: 'deal_application', key: 'loan' })
    // Invited, with nobody on the list: it stays a recipient that no other Portal sees.
    await publishRecipient(tx, caller, {
      ...{ name: 'Own', kind: 'lender', countries: ['US'], visibility: 'invited' },
      application_contract_id: contract.id,
    })
  })
}

const shortContracts = new Map<string, { id: string }>()
export async function shortContractOf({ id, caller }: TestPortal): Promise<{ id: string }> {
  const known = shortContracts.get(id)
  if (known) return known
  const published = await caller.context.database.transaction((tx) => publishContract(tx, caller, shortContract))
  shortContracts.set(id, published)
  return published
}

async function projectOf(portal: TestPortal, id: string) {
  return (await portal.call('GET', `projects/${id}/`)).body
}

/** A write on an application at its present version. */
async function act(portal: TestPortal, before: Before, rest: string, body?: unknown): Promise<Made> {
  const path = `${before.root}${before.application_id}/`
  return step(portal, `${path}${rest}`, (await portal.call('GET', path)).body.etag, body)
}

async function step(portal: TestPortal, path: string, etag: string, body?: unknown): Promise<Made> {
  return (await portal.call('POST', path, { body, headers: { 'if-match': etag } })).body
}

async function submit(portal: TestPortal, before: Before): Promise<Made> {
  return act(portal, before, 'submit/')
}

interface Prepared {
  path: string
  sent: Sent
  /** What the path names. */
  named: Readonly<Record<string, string>>
  /** Real values by the examples that stand for them in the reference. */
  replacements: Map<string, string>
}

/** A request of this operation that succeeds in this Portal. */
export async function prepareRequest(operation: Operation, portal: TestPortal): Promise<Prepared> {
  const named: Record<string, string> & { root: string } = { root: operation.path.slice(1).split('{')[0] ?? '' }
  const replacements = new Map<string, string>([[exampleId('ldsrc'), portal.lead_source_id]])
  let etag: string | undefined
  for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const make = makers[name]
    if (!make) throw new Error(`no maker for the path parameter ${name}: add one to fixtures.ts`)
    const made = await make(portal, named)
    named[name] = made.id
    etag = made.etag ?? etag
    const prefix = operation.params[name]?.id_prefix
    if (prefix) replacements.set(exampleId(prefix), made.id)
  }
  etag = (await preparations[operation.id]?.(portal, named, etag ?? ''))?.etag ?? etag
  const text = JSON.stringify(operation.example) ?? ''
  for (const [name, prefix] of [
    ['business_id', 'biz'],
    ['deal_id', 'deal'],
    ['item_id', 'itm'],
  ] as const) {
    const shown = exampleId(prefix)
    if (!text.includes(shown) || replacements.has(shown)) continue
    const made = await makers[name]?.(portal, named)
    if (made) replacements.set(shown, made.id)
    if (name === 'item_id') etag = made?.etag
  }
  const path = operation.path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')
  const sent: Sent = { headers: {} }
  if (operation.ifMatch) sent.headers = { 'if-match': etag ?? '' }
  if (operation.body) sent.body = fillExample(operation.example, replacements)
  return { path, sent, named, replacements }
}

/** The operation's own example, with the Portal's own records in place of the shown ones. */
function fillExample(example: unknown, replacements: ReadonlyMap<string, string>): unknown {
  let text = JSON.stringify(example)
  for (const [shown, real] of replacements) text = text.replaceAll(shown, real)
  return JSON.parse(text)
}

/** The same request with ids that name nothing. */
export function withUnknownIds(operation: Operation, path: string): string {
  return path.replace(/([a-z]+)_[0-9a-z]{26}/g, (_, prefix) => `${prefix}_${'0'.repeat(26)}`) || operation.path
}
