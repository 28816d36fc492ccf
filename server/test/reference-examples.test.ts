// The examples of the reference, run as a reader would run them, on the built server with the demo data.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { published } from '../src/app.ts'
import { checkAgainst } from '../src/platform/protocol/validation.ts'
import recorded from '../src/reference/recorded-examples.json' with { type: 'json' }
import { shellExample } from '../src/reference/shell-examples.ts'
import { type RunningServer, runJson, startServer } from './built-program.ts'
import { type Recording, recordExamples, shapeOf } from './example-recording.ts'
import { engine, makeDatabase, type TestDatabase } from './harness.ts'

const everything = [...published.operations, ...published.others]

let place: TestDatabase
let server: RunningServer
let recording: Recording
let failures: string[]

beforeAll(async () => {
  place = await makeDatabase()
  const environment: Record<string, string> = {
    ...place.environment,
    PORTICO_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  if (engine === 'postgres') await runJson(['migrate'], environment)
  const { key } = await runJson(['demo'], environment)
  server = await startServer({ environment })
  ;({ recording, failures } = await recordExamples(server.origin, key))
})
afterAll(async () => {
  await server?.kill('SIGTERM')
  await place?.remove()
})

test('the curl example of every operation runs as it is copied and answers with its documented status', () => {
  expect(failures).toEqual([])
  expect(Object.keys(recording.responses).sort()).toEqual(everything.map(({ id }) => id).sort())
})

test('the responses that the reference shows have the members, nulls and names of real ones', () => {
  const advice = 'these examples changed: npm run record-examples'
  expect(Object.keys(recorded.responses).sort(), advice).toEqual(Object.keys(recording.responses).sort())
  expect(shapeOf(recorded.responses), advice).toEqual(shapeOf(recording.responses))
  expect(shapeOf(recorded.events), advice).toEqual(shapeOf(recording.events))
})

test.each(everything.filter(({ response }) => response).map((operation) => [operation.id, operation] as const))(
  'the response that the page of %s shows fits its schema',
  (id, { response }) => {
    const shown: Record<string, unknown> = recorded.responses
    expect(response && checkAgainst(response)(shown[id])).toEqual([])
  },
)

test('no example needs more than bash or zsh, curl, openssl and what Linux and macOS both have', () => {
  const odd = everything.filter((operation) => {
    const { setup, command } = shellExample(operation, published, { public_url: 'http://127.0.0.1:8080' })
    return /^\s*#|\$RANDOM|\/proc\/|\bjq\b|\buuidgen\b|grep -P|sed -i|date -d|\\\|/m.test(`${setup}\n${command}`)
  })
  expect(odd.map(({ id }) => id)).toEqual([])
})
