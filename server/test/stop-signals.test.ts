// Signals that come while a process starts, and starts that fail before any work is begun.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import { cleanEnvironment, newSecretKey, program, runNode, startServer } from './built-program.ts'
import { bucketSettings } from './faults/spread.ts'
import { makeDatabase, openTestContext, type TestDatabase } from './harness.ts'
import { freePort } from './postgres-cluster.ts'
import { startS3Server } from './s3-server.ts'

let database: TestDatabase
let environment: Record<string, string>
beforeAll(async () => {
  database = await makeDatabase({ hasSchema: true })
  environment = { ...database.environment, PORTICO_SECRET_KEY: newSecretKey() }
})
afterAll(() => database.remove())

/** Kinds of jobs in the queue. */
async function queued(settings: Record<string, string>): Promise<string[]> {
  const { context } = await openTestContext(readConfig(settings))
  const rows = await context.database.read.selectFrom('jobs').select('kind').execute()
  await context.database.close()
  return rows.map(({ kind }) => kind)
}
const patiently = { timeout: 20_000 }
/** A worker plans it before anything else. */
const firstOfWorker = 'funding_recommendations.tell_new_matches'

const listening = (server: Server) =>
  new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))) // safe because it listens on a port

/** Whatever was begun before the end goes on for some turns, so that it shows. */
const lingering = `const { exit } = process
  process.exit = (code) => {
    let turns = 1000
    const next = () => (turns-- > 0 ? setImmediate(next) : exit(code))
    next()
  }`

test('a worker whose metrics port is in use ends before it begins any work', async () => {
  const other = createServer()
  const port = await listening(other)
  const preload = `data:text/javascript,${encodeURIComponent(lingering)}`
  const settings = { ...environment, PORTICO_METRICS_PORT: String(port) }
  const { code, stderr } = await runNode(['--import', preload, program, 'worker'], settings)
  other.close()
  expect([code, stderr]).toEqual([
    1,
    `portico: Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set PORTICO_METRICS_PORT to a different port.\n`,
  ])
  expect(await queued(environment)).toEqual([])
})

test('a server that is told to stop while it makes the demo says so at once, begins nothing else and leaves a whole demo', async () => {
  const account = { access_key_id: 'AKIDSTOP', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
  const store = await startS3Server(account)
  const own = await makeDatabase({ hasSchema: true })
  const settings = {
    ...own.environment,
    ...bucketSettings(store, account),
    PORTICO_SECRET_KEY: newSecretKey(),
    PORTICO_LOG_LEVEL: 'info',
  }
  let goOn: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const reached = new Promise<void>((resolve) => {
    store.faults.before = () => {
      resolve()
      return held
    }
  })
  const first = await startServer({ environment: settings, args: ['--demo'] })
  await reached
  const ended = first.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${first.origin}/readyz`)).status, patiently).toBe(503)
  goOn()
  await expect.poll(() => first.output(), patiently).toContain('"stopping: finishing requests and jobs in progress"')
  expect(await ended).toBe(0)
  expect(first.output()).not.toMatch(/server started|ptk_/)
  expect(await queued(settings)).not.toContain(firstOfWorker)

  const second = await startServer({ environment: settings, args: ['--demo'] })
  await expect.poll(() => second.output(), patiently).toMatch(/ptk_stg_\w{38}/)
  expect(await second.kill('SIGTERM')).toBe(0)
  expect(await queued(settings)).toContain(firstOfWorker)
  await store.close()
  await own.remove()
})

/** In a container the program is process 1, which the kernel keeps signals from unless it listens. */
const asFirstProcess = [
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--pid', '--fork', '--mount-proc', '--kill-child'],
]
const canBeFirst = spawnSync('unshare', [...asFirstProcess, 'true']).status === 0
/** Where nobody may make such a namespace, the program is at least told that it is process 1. */
const calledFirst = `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'pid', { value: 1 })")}`

describe('the first process of a container', () => {
  const start = (args: readonly string[], settings: Record<string, string>) => {
    const options = { env: cleanEnvironment({ ...environment, ...settings }), stdio: 'ignore' } as const
    const parent = canBeFirst
      ? spawn('unshare', [...asFirstProcess, process.execPath, program, ...args], options)
      : spawn(process.execPath, ['--import', calledFirst, program, ...args], options)
    const ended = new Promise((resolve) => parent.once('exit', resolve))
    return {
      kill(signal: NodeJS.Signals): Promise<unknown> {
        const children = canBeFirst && readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8')
        process.kill(Number(children || parent.pid), signal)
        return ended
      },
    }
  }

  test.each([
    ['SIGTERM', 143, ['serve', '--demo']],
    ['SIGINT', 130, ['serve']],
    ['SIGTERM', 143, ['worker']],
    ['SIGTERM', 143, ['migrate']],
    ['SIGINT', 130, ['portal', 'list']],
  ] as const)('with nothing to finish yet, %s ends it with status %i: %j', async (signal, status, args) => {
    // It takes connections and never answers: whoever waits for it is in the middle of its start.
    const silent = createServer()
    const connected = new Promise((resolve) => silent.once('connection', resolve))
    const port = await listening(silent)
    const first = start(args, { PORTICO_DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` })
    await connected
    expect(await first.kill(signal)).toBe(status)
    silent.close()
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('a server that serves finishes first: %s', async (signal) => {
    const port = await freePort()
    const first = start(['serve'], { PORTICO_PORT: String(port), PORTICO_METRICS_PORT: 'off' })
    const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok)
    await expect.poll(() => isReady().catch(() => false), patiently).toBe(true)
    expect(await first.kill(signal)).toBe(0)
  })
})
