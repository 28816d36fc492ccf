// Deals go all the way from their creation to the money, in two Portals, while the server is killed under both again and
// again. Each command is one transaction with two rows, two timelines, two Portals' events and a disclosure: afterwards
// all of them tell one story, and no command was run twice.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createKey, createPortal } from '../../src/building-blocks/portals/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { RunningServer } from '../built-program.ts'
import { funding, offerOf, publishProfile, publishQuestions } from '../deal-fixtures.ts'
import { openTestContext } from '../harness.ts'
import { freePort } from '../postgres-cluster.ts'
import { type Deployment, newDeployment, readAll, report } from './deployment.ts'
import { createLoadClient, type LoadClient, type LoadRequest } from './load-client.ts'
import { sendPatiently, startCrowd } from './patient-writers.ts'
import { faultTimeoutMs, scale } from './scale.ts'
import { createSeededRandom } from './seeded-random.ts'

let deployment: Deployment
let recipient_id: string
/** The keys of both Portals. */
const keys = { sender: '', recipient: '' }
beforeAll(async () => {
  deployment = await newDeployment()
  keys.sender = deployment.key
  const { context } = await openTestContext(readConfig(deployment.environment))
  const { portal_id, key } = await context.database.transaction(async (tx) => {
    const { id } = await createPortal(tx, context, { name: 'Harbour Lending' })
    return { portal_id: id, ...(await createKey(tx, context, { portal_id: id, name: 'Key', grants: ['all'] })) }
  })
  keys.recipient = key
  const caller = { context, portal_id, request_id: null }
  recipient_id = await publishProfile({ caller, contract_id: await publishQuestions({ caller }) })
  await context.database.close()
})
afterAll(() => deployment.remove())

type Party = keyof typeof keys
interface Journey {
  business_id: string
  deal_id: string
  application_id: string
  offer_id: string
  /** The last command, to be sent once more. */
  last: LoadRequest
}

const figures = { retries: 0, replays: 0 }
const random = createSeededRandom(1)

/** One deal to its end. Every command is sent until it is acknowledged, and must then have been done, and done once. */
async function travel(clients: Record<Party, LoadClient>, acknowledged: () => void): Promise<Journey> {
  let last: LoadRequest = { method: 'GET', path: '/v1/' }
  const send = async (by: Party, request: LoadRequest) => {
    const reply = await sendPatiently(clients[by], request, figures)
    if (reply.status >= 300)
      throw new Error(`${request.method} ${request.path} was answered ${reply.status}: ${reply.text}`)
    return reply
  }
  const command = async (by: Party, path: string, body?: unknown, etag?: string) => {
    const headers = { 'idempotency-key': randomUUID(), ...(etag !== undefined && { 'if-match': etag }) }
    last = { method: 'POST', path: `/v1/${path}`, headers, body }
    const reply = await send(by, last)
    acknowledged()
    // As if the answer had been lost on its way, before or after the next kill.
    if (random.below(3) === 0) {
      const again = await send(by, last)
      if (again.text !== reply.text || again.headers['idempotent-replayed'] !== 'true')
        throw new Error(`${last.path} was not replayed: ${again.text}`)
    }
    return JSON.parse(reply.text)
  }
  const read = async (by: Party, path: string) =>
    JSON.parse((await send(by, { method: 'GET', path: `/v1/${path}` })).text)
  const business_id = (await command('sender', 'businesses/', deployment.business())).id
  const deal_id = (await command('sender', 'deals/', { business_id, recipient_id })).id
  const { id, etag } = await command('sender', 'deal-applications/', { deal_id })
  const path = `deal-applications/${id}/`
  await command('sender', `${path}submit/`, undefined, etag)
  const offer = await command('recipient', `${path}offers/`, offerOf(), (await read('recipient', path)).etag)
  await command('sender', `${path}offers/${offer.id}/accept/`, {}, (await read('sender', path)).etag)
  await command('recipient', `${path}fund/`, funding, (await read('recipient', path)).etag)
  return { business_id, deal_id, application_id: id, offer_id: offer.id, last }
}

test('a deal that is killed at every step is created, submitted, offered, accepted and funded once, in both Portals', {
  timeout: 2 * faultTimeoutMs,
}, async () => {
  const port = await freePort()
  let server = await deployment.start({ port })
  const clientOf = (key: string) => createLoadClient(server.origin, { key, sockets: writers })
  const clients = { sender: clientOf(keys.sender), recipient: clientOf(keys.recipient) }
  onTestFinished(() => {
    for (const client of Object.values(clients)) client.close()
  })
  const journeys: Journey[] = []
  const crowd = startCrowd(writers, async (_writer, _round, acknowledged) => {
    journeys.push(await travel(clients, acknowledged))
  })
  for (let kill = 0; kill < scale.kills; kill++) {
    await crowd.acknowledgedMore(1 + random.below(3 * writers))
    await server.kill('SIGKILL')
    server = await deployment.start({ port })
  }
  await crowd.finish()

  const stories = await readStories(server)
  for (const journey of journeys) await expectOneStory(server, journey, stories)
  for (const party of ['sender', 'recipient'] as const) {
    const deals = await readAll(server, keys[party], 'deals/?page_size=100')
    expect(deals.map(({ id }) => id).sort()).toEqual(journeys.map(({ deal_id }) => deal_id).sort())
    // Counted without a gap and without a number given twice.
    const numbers = deals.map(({ number }) => number).sort((a, b) => a - b)
    expect(numbers).toEqual(journeys.map((_, index) => index + 1))
  }
  for (const { last } of journeys.slice(-writers)) {
    const again = await clients.recipient.send(last)
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true'])
  }
  report('killed deals', { kills: scale.kills, deals: journeys.length, ...figures })
  expect(figures.retries).toBeGreaterThan(0)
})
const writers = 6

/** What each Portal was told, by the record it is about, in order. */
async function readStories(server: RunningServer): Promise<Record<Party, Map<string, string[]>>> {
  const storyOf = async (party: Party) => {
    const told = new Map<string, string[]>()
    for (const { type, data } of await readAll(server, keys[party], 'events/?order=sequence&page_size=250'))
      told.set(data.resource.id, [...(told.get(data.resource.id) ?? []), type])
    return told
  }
  return { sender: await storyOf('sender'), recipient: await storyOf('recipient') }
}

async function expectOneStory(
  server: RunningServer,
  { business_id, deal_id, application_id, offer_id }: Journey,
  told: Record<Party, Map<string, string[]>>,
): Promise<void> {
  for (const party of ['sender', 'recipient'] as const) {
    const read = async (path: string) => (await server.call('GET', path, { key: keys[party] })).body
    const deal = await read(`deals/${deal_id}/`)
    const application = await read(`deal-applications/${application_id}/`)
    expect([deal.state, deal.stage.category, deal.amount_funded, deal.application_ids]).toEqual([
      'won',
      'funded',
      funding.amount,
      [application_id],
    ])
    expect([application.state, application.submission.number]).toEqual(['funded', 1])
    const { items: offers } = await read(`deal-applications/${application_id}/offers/`)
    expect(offers.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([[offer_id, 'accepted']])

    const isSender = party === 'sender'
    const { items: timeline } = await read(`deals/${deal_id}/progress/`)
    expect(timeline.map(({ kind, to }: { kind: string; to: string }) => [kind, to])).toEqual([
      ['created', 'open'],
      ...(isSender ? [['application_created', 'draft']] : []),
      ['application_submitted', 'submitted'],
      ['stage_changed', 'under_review'],
      ['offer_received', 'offered'],
      ['stage_changed', 'offer'],
      ['offer_accepted', 'accepted'],
      ['stage_changed', 'closing'],
      ['application_funded', 'funded'],
      ['won', 'won'],
    ])
    const story = (id: string) => told[party].get(id) ?? []
    expect(story(business_id)).toEqual(isSender ? ['business.created'] : [])
    const moves = Array.from({ length: 3 }, () => 'deal.stage_changed')
    expect(story(deal_id)).toEqual(['deal.created', ...moves, 'deal.won'])
    expect(story(application_id)).toEqual(
      ['created', 'submitted', 'accepted', 'funded']
        .filter((verb) => isSender || verb !== 'created')
        .map((verb) => `deal_application.${verb}`),
    )
    expect(story(offer_id)).toEqual(['offer.received', 'offer.accepted'])
    if (!isSender) continue
    const { items: disclosures } = await read(`deals/${deal_id}/disclosures/`)
    expect(
      disclosures.map((one: { application_id: string | null; submission_number: number | null }) => [
        one.application_id,
        one.submission_number,
      ]),
    ).toEqual([
      [null, null],
      [application_id, 1],
    ])
  }
}
