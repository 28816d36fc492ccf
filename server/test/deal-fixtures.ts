// What tests of deals begin with: a recipient that asks questions, a deal for it, and the way of an application.
import { afterAll, expect } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { publishRecipient } from '../src/building-blocks/recipients/commands.ts'
import type { RecipientProfile } from '../src/building-blocks/recipients/schema.ts'
import type { Answer } from './client.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }

export interface Lender extends TestPortal {
  recipient_id: string
  contract_id: string
}

/** A record that both parties read at one address. */
export interface Shared {
  id: string
  url: string
}

const lenderProfile: RecipientProfile = { name: 'Harbour Lending', kind: 'lender', countries: ['US'] }

/** What the tests of a file share: a server, a Portal that sends deals, and one that receives them. */
export async function startTwoPortals() {
  const starting = startTestServer()
  afterAll(async () => (await starting).stop())
  const server = await starting
  const [sender, lender] = [await newPortal(server), await newLender(server)]
  /** A record as the sender sees it, or another Portal. */
  const read = async ({ url }: Pick<Shared, 'url'>, by: TestPortal = sender) => (await by.call('GET', url)).body
  const dealOf = ({ deal_id }: { deal_id: string }, by?: TestPortal) => read({ url: `deals/${deal_id}/` }, by)
  /** Moves a deal to another stage; the lender does, unless another Portal works on it. */
  const move = ({ url }: Pick<Shared, 'url'>, stage: string, note?: string, by: TestPortal = lender) =>
    act(by, { url }, 'stage/', { stage, ...(note !== undefined && { note }) })
  return { server, sender, lender, read, dealOf, move }
}

/** A Portal that is a recipient everybody sees, with the questions of the short contract unless others are given. */
export async function newLender(server: TestServer, more: Partial<RecipientProfile> = {}, contract: object = {}) {
  return becomeLender(await newPortal(server), more, contract)
}

async function becomeLender(
  portal: TestPortal,
  more: Partial<RecipientProfile> = {},
  contract: object = {},
): Promise<Lender> {
  const contract_id = await publishQuestions(portal, contract)
  const recipient_id = await publishProfile({ ...portal, contract_id }, more)
  return { ...portal, recipient_id, contract_id }
}

/** Publishes the questions of a recipient, as the next version when it has some already. */
export async function publishQuestions({ caller }: Pick<TestPortal, 'caller'>, more: object = {}): Promise<string> {
  const draft = { ...shortContract, kind: 'deal_application', key: 'loan', ...more }
  return (await caller.context.database.transaction((tx) => publishContract(tx, caller, draft))).id
}

/** Publishes the profile of a recipient, or changes it. */
export async function publishProfile(
  { caller, contract_id }: Pick<Lender, 'caller' | 'contract_id'>,
  more: Partial<RecipientProfile> = {},
): Promise<string> {
  const profile = { ...lenderProfile, application_contract_id: contract_id, ...more }
  return (await caller.context.database.transaction((tx) => publishRecipient(tx, caller, profile))).id
}

/** A deal for a business of its own; for the sender's own Portal unless a recipient is given. */
export async function newDeal(
  sender: TestPortal,
  lender?: Pick<Lender, 'recipient_id'>,
  { business_id, ...more }: { business_id?: string; [name: string]: unknown } = {},
) {
  const id = business_id ?? (await sender.call('POST', 'businesses/', { body: sender.business() })).body.id
  const body = { business_id: id, ...(lender && { recipient_id: lender.recipient_id }), ...more }
  return made(await sender.call('POST', 'deals/', { body }))
}

export async function newApplication(sender: TestPortal, deal: Shared, more: object = {}) {
  return made(await sender.call('POST', 'deal-applications/', { body: { deal_id: deal.id, ...more } }))
}

/** An application of a deal of its own, as far as it was submitted. */
export async function newSubmitted(sender: TestPortal, lender: Lender) {
  const application = await newApplication(sender, await newDeal(sender, lender))
  return done(await act(sender, application, 'submit/'))
}

/** The same with an offer that the sender can accept. */
export async function newOffered(sender: TestPortal, lender: Lender, more: object = {}) {
  const application = await newSubmitted(sender, lender)
  const offer = made(await act(lender, application, 'offers/', offerOf(more)))
  return { application: (await sender.call('GET', application.url)).body, offer }
}

/** The same with the final offer accepted. */
export async function newAccepted(sender: TestPortal, lender: Lender) {
  const { application, offer } = await newOffered(sender, lender)
  done(await act(sender, application, `offers/${offer.id}/accept/`))
  return { application: (await sender.call('GET', application.url)).body, offer }
}

export const offerOf = (more: object = {}) => ({
  kind: 'final',
  amount: { amount: '75000.00', currency: 'USD' },
  ...more,
})
export const funding = { amount: { amount: '75000.00', currency: 'USD' } }

/** Versions at which something was refused: a refusal changes nothing, so that the next try need not read them again. */
const refusedAt = new Map<string, string>()

/** A write at the version that the caller sees now. */
export async function act(
  by: TestPortal,
  { url }: Pick<Shared, 'url'>,
  rest: string,
  body?: unknown,
  method = 'POST',
): Promise<Answer> {
  const place = `${by.id} ${url}`
  const sendAt = async (etag: string) => {
    const answer = await by.call(method, `${url}${rest}`, { body, headers: { 'if-match': etag } })
    if (answer.status === 403 || answer.status === 409) refusedAt.set(place, etag)
    else refusedAt.delete(place)
    return answer
  }
  const known = refusedAt.get(place)
  const answer = known === undefined ? undefined : await sendAt(known)
  // Somebody else has changed it since.
  if (answer && answer.status !== 412) return answer
  const { etag = '"none"' } = (await by.call('GET', url)).body
  return sendAt(etag)
}

export const putAnswer = (by: TestPortal, application: Shared, key: string, value: unknown) =>
  act(by, application, `answers/${key}/`, { value }, 'PUT')

export function done(answer: Answer) {
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
function made(answer: Answer) {
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

export function expectRefusal(answer: Answer, status: number, code: string, ...details: string[]): void {
  const seen = (answer.body?.details ?? []).map((detail: { code: string }) => detail.code)
  expect([answer.status, answer.body?.code, ...(details.length > 0 ? seen : [])], answer.text).toEqual([
    status,
    code,
    ...details,
  ])
}

/** What a Portal was told of a record, in order. */
export async function eventsOf(portal: TestPortal, { id }: Pick<Shared, 'id'>) {
  const { body } = await portal.call('GET', `events/?resource_id=${id}&order=sequence&page_size=250`)
  return body.items
}

/** The timeline of a deal, as a Portal reads it. */
export async function timelineOf(portal: TestPortal, deal: { progress_url: string }) {
  const { body } = await portal.call('GET', `${deal.progress_url}?page_size=500`)
  return body.items
}
