// Generated from the tables of states: every action of an integrator on webhooks and deliveries in every state.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blankDelivery } from '../src/areas/webhooks/deliveries/commands.ts'
import { insertDeliveries } from '../src/areas/webhooks/deliveries/queries.ts'
import { deliveryStates } from '../src/areas/webhooks/deliveries/states.ts'
import { webhookRecord } from '../src/areas/webhooks/endpoints/commands.ts'
import { findWebhook } from '../src/areas/webhooks/endpoints/queries.ts'
import { webhookStates } from '../src/areas/webhooks/endpoints/states.ts'
import { isoTime } from '../src/platform/clock.ts'
import { takeAction } from '../src/platform/records/stateful-records.ts'
import type { Answer } from './client.ts'
import { activeWebhook } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

const read = async (path: string) => (await portal.call('GET', path)).body

/** A webhook in this state; the steps are those that the table has. */
async function bringTo(state: (typeof webhookStates.states)[number]): Promise<string> {
  if (state === 'pending_verification') {
    const body = { url: 'https://hooks.example.com/new', event_types: ['*'] }
    return `webhooks/${(await portal.call('POST', 'webhooks/', { body })).body.id}/`
  }
  const { id } = await activeWebhook(portal)
  const path = `webhooks/${id}/`
  if (state === 'paused') await act(path, 'pause')
  if (state === 'disabled')
    await server.context.database.transaction(async (tx) => {
      const row = (await findWebhook(tx, portal.id, id)) ?? expect.fail('there is no webhook')
      return takeAction(tx, { ...portal.caller, is_job: true }, webhookRecord, row, { action: 'disable', by: 'job' })
    })
  expect((await read(path)).state).toBe(state)
  return path
}

let changes = 0
async function act(path: string, action: (typeof webhookStates.actions)[number]): Promise<Answer> {
  const { etag } = await read(path)
  const headers = { 'if-match': etag }
  if (action === 'update') return portal.call('PATCH', path, { body: { description: `Change ${++changes}` }, headers })
  if (action === 'delete') return portal.call('DELETE', path, { headers })
  if (action === 'test') return portal.call('POST', `${path}test/`)
  // Something else than the challenge: whether it is looked at is what the table says.
  if (action === 'verify') return portal.call('POST', `${path}verify/`, { body: { challenge: 'not this one' } })
  return portal.call('POST', `${path}${action.replaceAll('_', '-')}/`, { headers })
}

describe('a webhook', () => {
  test.each(webhookStates.states)('200 %s: available_actions are those of the table', async (state) => {
    const { available_actions } = await read(await bringTo(state))
    expect(available_actions).toEqual(webhookStates.availableActions(state, 'owner'))
  })

  const cases = webhookStates.states.flatMap((state) => webhookStates.actions.map((action) => [state, action] as const))
  test.each(cases)('%s: %s does what the table says, or is refused and changes nothing', async (state, action) => {
    const path = await bringTo(state)
    const before = await read(path)
    const answer = await act(path, action)
    const step = webhookStates.transitions.find((one) => one.from === state && one.action === action)
    if (!step) {
      const code = action === 'test' ? 'webhook_not_active' : 'state_conflict'
      expect([answer.status, answer.body.code, await read(path)]).toEqual([409, code, before])
    } else if (action === 'delete') {
      expect([answer.status, (await portal.call('GET', path)).status]).toEqual([200, 404])
    } else if (action === 'verify' && before.verified_at === null) {
      expect([answer.status, answer.body.code]).toEqual([422, 'webhook_verification_failed'])
    } else {
      expect(answer.status, answer.text).toBe(action === 'test' ? 202 : 200)
      // A challenge for a URL that is verified has nothing to do.
      expect((await read(path)).state).toBe(action === 'verify' ? state : (step.to ?? state))
    }
  })
})

describe('a delivery', () => {
  test.each(deliveryStates.states)('%s: a redelivery is what the table says', async (state) => {
    const { id: webhook_id } = await activeWebhook(portal)
    const blank = blankDelivery(portal.id, webhook_id, isoTime(server.clock.now()))
    const row = { ...blank, state, event_id: null, event_type: 'webhook.ping', trigger: 'test' }
    await server.context.database.transaction((tx) => insertDeliveries(tx, [row]))
    const path = `webhooks/${webhook_id}/deliveries/${row.id}/`
    const before = await read(path)
    expect(before.available_actions).toEqual(deliveryStates.availableActions(state, 'owner'))
    const answer = await portal.call('POST', `${path}redeliver/`)
    if (before.available_actions.includes('redeliver'))
      expect([answer.status, answer.body.state, (await read(path)).trigger]).toEqual([202, 'pending', 'redelivery'])
    else expect([answer.status, answer.body.code, await read(path)]).toEqual([409, 'state_conflict', before])
  })
})
