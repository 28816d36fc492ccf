// `portico trigger`: every event type is caused for real in the demo Portal, or the command says why it cannot be.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventKinds, startBackground } from '../src/app.ts'
import { callerOf } from '../src/cli/api-client.ts'
import { ensureDemo } from '../src/cli/demo.ts'
import { noRecipes, recipes } from '../src/cli/trigger-recipes.ts'
import { startTestServer, type TestServer } from './harness.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
let background: ReturnType<typeof startBackground>
let call: ReturnType<typeof callerOf>
let sink: Sink
beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { key } = (await ensureDemo(server.context)) ?? expect.fail('there was a Portal before the demo')
  call = callerOf({ url: server.origin, key })
  background = startBackground(server.context, server.metrics)
  sink = await startSink()
  const { id } = await call('POST', 'webhooks/', { url: sink.url, event_types: ['business.archived'] })
  await vi.waitFor(async () => expect((await call('GET', `webhooks/${id}/`)).state).toBe('active'), { timeout: 30_000 })
})
afterAll(async () => {
  await background.stop()
  await sink.close()
  await server.stop()
})

test('every event type can be caused, or there is a reason why not', () => {
  const types = eventKinds.map(({ type }) => type).sort()
  expect([...Object.keys(recipes), ...Object.keys(noRecipes)].sort()).toEqual(types)
})

/** Those that concern one endpoint alone arrive there, and are in no list. */
const messages = ['webhook.ping', 'webhook.verification']
const listed = Object.keys(recipes).filter((type) => !messages.includes(type))

test.each(listed)('%s is caused: the event about the record that the command names is listed', async (type) => {
  const made = await recipes[type]?.(call)
  expect(made).toMatchObject({ id: expect.any(String), url: expect.stringContaining(server.base) })
  const about = async () => {
    const { items } = await call('GET', `events/?type=${type}&page_size=250`)
    // safe because the API lists events in this form
    return (items as { data: { resource: { id: string } } }[]).map(({ data }) => data.resource.id)
  }
  await expect.poll(about, { timeout: 30_000 }).toContain(idOf(type, made ?? {}))
})

/** An Autofill run is told of as a change of its application. */
function idOf(type: string, made: Record<string, unknown>): unknown {
  return type.includes('autofill') ? String(made.url).split('/').at(-4) : made.id
}

test.each(messages)('%s is sent to a webhook of the Portal', async (type) => {
  const made = await recipes[type]?.(call)
  expect(made?.id).toEqual(expect.any(String))
})
