// `portico webhooks listen` and `portico trigger` as a developer runs them: built programs against a server over HTTP.
import { spawn } from 'node:child_process'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnvironment, program, runPortico } from './built-program.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
let portal: TestPortal
let sink: Sink
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  sink = await startSink()
})
afterAll(async () => {
  await sink.close()
  await server.stop()
})

const reach = () => ({ PORTICO_URL: server.origin, PORTICO_API_KEY: portal.key })
const makeBusiness = async () => (await portal.call('POST', 'businesses/', { body: portal.business() })).body

/** The listening program, and the lines of JSON it has printed. */
function startListening(args: readonly string[]) {
  const child = spawn(process.execPath, [program, 'webhooks', 'listen', '--json', ...args], {
    env: cleanEnvironment(reach()),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const lines = () =>
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return {
    lines,
    until: (count: number) => expect.poll(() => lines().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count),
    interrupt: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}

test('events are forwarded once, signed so that the official library accepts them, whatever the receiver answers, until Ctrl+C', async () => {
  const before = await makeBusiness()
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server.origin).port) })
  const url = `http://127.0.0.1:${proxy.port}/v1`
  const listening = startListening([
    '--forward-to',
    sink.url,
    '--url',
    url,
    '--events',
    'business.created,deal.created',
  ])
  await listening.until(1)
  const [{ forward_to, secret }] = listening.lines()
  expect(forward_to).toBe(sink.url)

  // A real event, made by the other command.
  const { code, stdout, stderr } = await runPortico(['trigger', 'business.archived', '--json'], reach())
  expect([code, stderr]).toEqual([0, ''])
  const made = JSON.parse(stdout)
  expect(made).toMatchObject({ event: 'business.archived', url: `${server.base}businesses/${made.id}/` })
  expect((await portal.call('GET', `businesses/${made.id}/`)).body.state).toBe('archived')
  await listening.until(2)
  const [received] = sink.received
  // safe because the headers of a signature are single texts
  const event = new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>)
  const { items } = (await portal.call('GET', `events/?resource_id=${made.id}&type=business.created`)).body
  expect(event).toEqual(items[0])
  expect(received?.headers['webhook-id']).toBe(items[0].id)

  sink.answer = (response) => response.writeHead(500).end()
  await makeBusiness()
  await listening.until(3)
  await sink.close()
  // The connection to the server is lost meanwhile: what happens then is forwarded when it is back.
  proxy.set('refuse')
  await makeBusiness()
  proxy.set('pass')
  await listening.until(4)
  sink = await startSink()

  expect(await listening.interrupt()).toBe(0)
  await proxy.stop()
  const [, first, refused, unreachable, end] = listening.lines()
  expect(first).toMatchObject({ id: items[0].id, type: 'business.created', status: 200 })
  expect(refused.status).toBe(500)
  expect(unreachable.error).toBe(`nothing listens on ${new URL(forward_to).host}`)
  expect(end).toEqual({ forwarded: 1, failed: 2 })
  expect(JSON.stringify(listening.lines())).not.toContain(before.id)
})

test.each([
  ['a wrong key', ['trigger', 'deal.won', '--key', 'ptk_stg_wrong'], 'status 401, invalid_api_key'],
  [
    'a server that is not there',
    ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/', '--url', 'http://127.0.0.1:1'],
    'Cannot reach http://127.0.0.1:1/v1/. Check --url',
  ],
  [
    'an event type that does not exist',
    ['trigger', 'deal.wonn'],
    'There is no event type deal.wonn. Did you mean deal.won?',
  ],
])('exit 1 with a sentence for %s', async (_, args, sentence) => {
  const { code, stdout, stderr } = await runPortico(args, reach())
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('exit 1 for a key without the grant for webhooks', async () => {
  const { key } = await newKey(server, portal.id, { grants: ['businesses:read'] })
  const { code, stderr } = await runPortico(['webhooks', 'listen', '--forward-to', sink.url, '--key', key], reach())
  expect([code, stderr.includes('status 403, resource_not_granted')]).toEqual([1, true])
})
