// The guide to webhooks: its examples and its receiver run as they are on the page, and its tables say what is true.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { attemptErrors } from '../src/areas/webhooks/deliveries/schema.ts'
import { deliveryStates } from '../src/areas/webhooks/deliveries/states.ts'
import { newSecret } from '../src/areas/webhooks/endpoints/secrets.ts'
import { webhookStates } from '../src/areas/webhooks/endpoints/states.ts'
import { waitAfter } from '../src/areas/webhooks/sending/schedule.ts'
import { hour, minute, second } from '../src/platform/clock.ts'
import { type ExampleAnswer, examplesIn, readGuide, runExamples, tableOf } from './guide-examples.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { freePort } from './postgres-cluster.ts'

const guide = readGuide('receive-updates.md')
const examples = examplesIn(guide)
const receiver = /```ts receiver\n([\s\S]*?)\n```/.exec(guide)?.[1] ?? ''

let server: TestServer
let background: ReturnType<typeof startBackground>
let portal: TestPortal
let answers: ExampleAnswer[]
beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  background = startBackground(server.context, server.metrics)
  portal = await newPortal(server)
  const port = String(await freePort())
  const environment = {
    PORTICO_URL: `${server.origin}/v1`,
    PORTICO_API_KEY: portal.key,
    RECEIVER_URL: `http://127.0.0.1:${port}/portico`,
    PORT: port,
  }
  answers = await runExamples(
    examples.map(({ code }) => code),
    environment,
    { 'receiver.ts': receiver },
  )
})
afterAll(async () => {
  await background.stop()
  await server.stop()
})

const answerTo = (part: string) => answers[examples.findIndex(({ code }) => code.includes(part))] ?? expect.fail(part)

test('every example runs, and every request of them succeeds', () => {
  expect(answers).toHaveLength(examples.length)
  for (const [index, { statuses, printed }] of answers.entries()) {
    const shown = `${examples[index]?.code}\n${printed}`
    expect(
      statuses.filter((status) => status < 200 || status > 299),
      shown,
    ).toEqual([])
  }
})

test('the webhook becomes active by the echo of the receiver, and stays so by hand', () => {
  expect(JSON.parse(answerTo('cat webhook.json').printed)).toMatchObject({ state: 'pending_verification' })
  expect(JSON.parse(answerTo('verify/" -X POST').printed)).toMatchObject({ state: 'active' })
  expect(JSON.parse(answerTo('CHALLENGE=').printed)).toMatchObject({ state: 'active' })
})

test('the receiver of the page gets the event of the new business, with its version and state', () => {
  expect(answerTo('business.created receiver.log').printed).toMatch(
    /^business\.created biz_[0-9a-z]{26} version 1 active$/m,
  )
  expect(answerTo('business.created receiver.log').printed).not.toContain('rejected')
})

test('the receiver of the page ignores duplicates and older versions, and rejects what is not signed or was changed', async () => {
  const sender = `
    import { Webhook } from 'standardwebhooks'
    const send = async (id, version, change = '') => {
      const body = JSON.stringify({ id, type: 'deal.' + id, data: { resource: { id: 'deal_1', version } } })
      const at = new Date()
      const signature = new Webhook(process.env.PORTICO_WEBHOOK_SECRET).sign(id, at, body)
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': change === 'unsigned' ? '' : signature,
      }
      const sent = change === 'changed' ? body + ' ' : body
      const response = await fetch('http://127.0.0.1:' + process.env.PORT, { method: 'POST', headers, body: sent })
      console.log(id, response.status)
    }
    await send('new', 2)
    await send('new', 2)
    await send('old', 1)
    await send('unsigned', 3, 'unsigned')
    await send('changed', 3, 'changed')
    await send('next', 3)`
  const [answer] = await runExamples(
    [
      [
        'node --import tsx receiver.ts > receiver.log 2>&1 &',
        'until grep -q listening receiver.log; do sleep 0.2; done',
        'node sender.mjs; until grep -q deal.next receiver.log; do sleep 0.2; done; kill $!; cat receiver.log',
      ].join('\n'),
    ],
    { PORT: String(await freePort()), PORTICO_WEBHOOK_SECRET: newSecret() },
    { 'receiver.ts': receiver, 'sender.mjs': sender },
  )
  expect(answer?.printed.split('\n').map((line) => line.trim())).toEqual([
    'new 200',
    'new 200',
    'old 200',
    'unsigned 400',
    'changed 400',
    'next 200',
    expect.stringContaining('listening on'),
    'deal.new deal_1 version 2',
    'out of date deal.old deal_1',
    'rejected',
    'rejected',
    'deal.next deal_1 version 3',
  ])
})

test('the examples of a delivery show what became of it: its attempt, its redelivery, its recovery', () => {
  const [webhook, deliveries, attempts] = answerTo('cat deliveries.json')
    .printed.replaceAll('}{', '}\n{')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  expect(webhook).toMatchObject({ state: 'active', failing_since: null })
  expect(deliveries.items).toMatchObject([{ state: 'succeeded', attempt_count: 1, last_response_status: 200 }])
  expect(attempts.items).toMatchObject([{ number: 1, response_status: 200, response_body: 'ok', error_code: null }])
  expect(JSON.parse(answerTo('redeliver/').printed)).toMatchObject({ state: 'pending', trigger: 'redelivery' })
})

test('the tables name every state, every error and the schedule as it is', () => {
  const namesUnder = (heading: string) => tableOf(guide, heading).map(([, name = '']) => name.replaceAll('`', ''))
  expect(namesUnder('Why did I not get it?')).toEqual([
    ...webhookStates.states,
    ...deliveryStates.states.toSorted((a, b) => order(a) - order(b)),
    ...attemptErrors,
  ])
  const units: Record<string, number> = { seconds: second, minutes: minute, hours: hour }
  const waits = tableOf(guide, 'Retries').map(([, , text = '']) => {
    const [number, unit = ''] = text.split(' ')
    return text === 'at once' ? 0 : Number(number) * (units[unit] ?? Number.NaN)
  })
  const scheduled = waits.slice(1).map((_, index) => waitAfter(index + 1, { random: 0 }))
  expect(waits).toEqual([0, ...scheduled])
  expect(waitAfter(waits.length, { random: 0 })).toBeUndefined()
})

/** The page has what is good before what is not. */
const order = (state: string) => ['pending', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled'].indexOf(state)
