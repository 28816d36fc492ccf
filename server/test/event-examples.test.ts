// Examples of events that are not recorded with the others, because nobody can cause them with a request on the demo:
// each is compared with a real one, which has the same members, types, states and resource.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventKinds, jobs, startBackground } from '../src/app.ts'
import { archiveBusiness } from '../src/areas/businesses/commands.ts'
import { withdrawDeal } from '../src/areas/deal-applications/expiry-commands.ts'
import { calculationJob } from '../src/areas/funding-recommendations/calculations/commands.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { completeErasure, type ErasureRequest, requestErasure } from '../src/building-blocks/peoples-data/commands.ts'
import { callerOf } from '../src/cli/api-client.ts'
import { recipes } from '../src/cli/trigger-recipes.ts'
import { day } from '../src/platform/clock.ts'
import { exampleEvent } from '../src/reference/event-documents.ts'
import { act, done, newDeal, newLender } from './deal-fixtures.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { shapeOf } from './example-recording.ts'
import { newIntake, newProgram } from './fixtures.ts'
import { calculate, newProject, newRecipient } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
let portal: TestPortal
let sink: Sink
beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  portal = await newPortal(server)
  await server.context.database.transaction((tx) => publishContract(tx, portal.caller, shortContract))
  sink = await startSink()
})
afterAll(async () => {
  await sink.close()
  await server.stop()
})

const call = (by = portal) => callerOf({ url: server.origin, key: by.key })
/** The last event of a type, once it is there. */
async function listed(type: string, by = portal): Promise<unknown> {
  await runDueJobs(server.context, by.id)
  const { items } = (await by.call('GET', `events/?type=${type}&page_size=1`)).body
  return items[0] ?? expect.fail(`there is no ${type}`)
}
const caused = async (type: string, by = portal) => {
  await recipes[type]?.(call(by))
  return listed(type, by)
}

/** What the sink receives of a type while everything is delivered. */
async function received(type: string): Promise<unknown> {
  const background = startBackground(server.context, server.metrics)
  try {
    const { id } = (await portal.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'] } })).body
    const state = async () => (await portal.call('GET', `webhooks/${id}/`)).body.state
    await expect.poll(state, { timeout: 20_000 }).toBe('active')
    if (type === 'webhook.verification') return sink.verifications[0]
    sink.answer = (response) => response.writeHead(type === 'webhook.disabled' ? 410 : 200).end()
    await portal.call('POST', `webhooks/${id}/test/`)
    if (type === 'webhook.disabled') {
      await expect.poll(state, { timeout: 20_000 }).toBe('disabled')
      return listed(type)
    }
    await expect.poll(() => sink.received.length, { timeout: 20_000 }).toBeGreaterThan(0)
    return sink.received[0]?.event
  } finally {
    await background.stop()
  }
}

/** Erases a business that has sent a deal to a lender. */
async function erased(type: string, scope = { recipients: false, funded: false }): Promise<unknown> {
  const lender = await newLender(server)
  const { business_id, ...deal } = await newDeal(portal, lender)
  done(await act(portal, deal, 'withdraw/'))
  const archive: ErasureRequest['archive'] = async (tx, caller) =>
    void (await archiveBusiness(tx, caller, { business_id, ifMatch: null }))
  const erasure = await requestErasure(server.context, { business_id, scope, reason: null, archive })
  await completeErasure(server.context, erasure, { withdraw: withdrawDeal })
  return listed(type, type === 'business.erased' ? portal : lender)
}

const makers: Record<string, () => Promise<unknown>> = {
  'business.erased': () => erased('business.erased'),
  'deal.business_erased': () => erased('deal.business_erased'),
  'deal.erased': () => erased('deal.erased', { recipients: true, funded: false }),
  'client_intake_application.expired': async () => {
    await newIntake(portal)
    server.clock.advance(91 * day)
    await runRepeating(server.context, 'client_intake.expire')
    return listed('client_intake_application.expired')
  },
  'client_intake_application.autofill_failed': () => caused('client_intake_application.autofill_failed'),
  'deal_application.autofill_failed': async () => caused('deal_application.autofill_failed', await newLender(server)),
  'file.rejected': () => caused('file.rejected'),
  'match_calculation.failed': async () => {
    const { calculations_url } = await newProject(portal, { time_in_business_months: 24 })
    const { id } = (await portal.call('POST', calculations_url)).body
    const job = jobs.find(({ kind }) => kind === calculationJob) ?? expect.fail('nobody calculates')
    const given = { portal_id: portal.id, request_id: null, payload: { calculation_id: id } }
    // As if every attempt had broken off after it had begun.
    await expect(
      job.run(server.context, { ...given, signal: AbortSignal.abort(new Error('broken off')) }),
    ).rejects.toThrow()
    await job.giveUp?.(server.context, given)
    return listed('match_calculation.failed')
  },
  'match.found': async () => {
    const lender = await newRecipient(server)
    const project = await newProject(portal, { time_in_business_months: 24 })
    await calculate(portal, project)
    await newProgram(lender, { name: 'New' })
    await runRepeating(server.context, 'funding_recommendations.tell_new_matches')
    return listed('match.found')
  },
  'webhook.ping': () => received('webhook.ping'),
  'webhook.verification': () => received('webhook.verification'),
  'webhook.disabled': () => received('webhook.disabled'),
}

test('every example that is not recorded is compared with a real event', () => {
  const invented = eventKinds.filter(({ example }) => example).map(({ type }) => type)
  expect(invented.sort()).toEqual(Object.keys(makers).sort())
})

test.each(Object.keys(makers))('the example of %s has the form of a real one', async (type) => {
  const kind = eventKinds.find((one) => one.type === type) ?? expect.fail(`there is no ${type}`)
  const real = await makers[type]?.()
  expect(shapeOf(exampleEvent(kind, server.context.config))).toEqual(shapeOf(withoutRequest(real)))
})

/** Who caused it is no part of the example: requests cause some, and jobs others. */
function withoutRequest(event: unknown): unknown {
  // safe because events have this form
  const { data, ...rest } = event as { data: Record<string, unknown> }
  const { request_id: _, ...kept } = data
  return { ...rest, data: kept }
}
