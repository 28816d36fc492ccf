// What becomes of stored values after a rotation where other processes still seal with the old key, and where a key is
// missing: nothing stays with the old key unnoticed, and a backup that needs it is not passed without it.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deployment } from '../src/platform/background/jobs.ts'
import { hour, minute, second } from '../src/platform/clock.ts'
import type { Context } from '../src/platform/context.ts'
import { claimDatabase } from '../src/platform/deployment.ts'
import { countLeft } from '../src/platform/secrets/sealing-again.ts'
import { createVault } from '../src/platform/vault.ts'
import { jsonHere, runHere } from './command-here.ts'
import { runDueJobs } from './due-jobs.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

/** A process that has not noticed the rotation: what goes through its door is sealed with the old key. */
let server: TestServer
let portal: TestPortal
/** One that has. */
let worker: Context
let folder: string
/** Settings with the new key, with the old one and without it. */
let withBoth: Record<string, string>
let withNew: Record<string, string>

beforeEach(async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)]
  server = await startTestServer({ PORTICO_SECRET_KEY: old.toString('base64') })
  const { config, vault } = server.context
  portal = await newPortal(server)
  await claimDatabase(server.context)
  vault.keys.learn([next])
  worker = { ...server.context, vault: createVault(next, old) }
  folder = mkdtempSync(join(tmpdir(), 'portico-sealing-'))
  withNew = {
    ...(config.database_url !== undefined && { PORTICO_DATABASE_URL: config.database_url }),
    PORTICO_DATA_DIR: config.data_dir,
    PORTICO_SECRET_KEY: next.toString('base64'),
  }
  withBoth = { ...withNew, PORTICO_SECRET_KEY_PREVIOUS: old.toString('base64') }
})
afterEach(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const newBusiness = async () => {
  const answer = await portal.call('POST', 'businesses/', { body: portal.business({ tax_id: '98-7654321' }) })
  expect(answer.status).toBe(201)
}
/** What a business leaves: its tax id, and the response under its idempotency key. */
const one = { businesses: 1, idempotency_keys: 1 }
const rotate = () => jsonHere(['secret', 'rotate'], withBoth)
const run = (context = worker) => runDueJobs(context, deployment)
const left = () => countLeft(server.context.database.read, worker.vault)
const outcomesOf = (done: string[]) => done.filter((one) => one.startsWith('secrets.seal_again'))

test('what another process sealed with the old key in a table that was passed is sealed again, however long the round took', async () => {
  await newBusiness()
  await rotate()
  let isSlow = true
  const slow: Context = {
    ...worker,
    vault: {
      ...worker.vault,
      open(...sealed) {
        if (isSlow) server.clock.advance(20 * second)
        isSlow = false
        return worker.vault.open(...sealed)
      },
    },
  }
  expect(outcomesOf(await run(slow))).toEqual(['secrets.seal_again done'])
  expect([isSlow, await left()]).toEqual([false, {}])
  await newBusiness()
  expect(await left()).toEqual(one)
  server.clock.advance(16 * second)
  expect(outcomesOf(await run())).toEqual(['secrets.seal_again done'])
  expect(await left()).toEqual({})
})

test.each(['status', 'retire'])(
  'what a process that was paused sealed after the last round is sealed again when secret %s finds it',
  async (command) => {
    await rotate()
    await run()
    server.clock.advance(minute)
    await run()
    await newBusiness()
    server.clock.advance(hour)
    expect([outcomesOf(await run()), await left()]).toEqual([[], one])
    for (let times = 0; times < 2; times++) {
      const { code, stdout, stderr } = await runHere(['secret', command], withBoth)
      expect([code, stdout + stderr]).toEqual(
        command === 'status'
          ? [0, expect.stringContaining('not encrypted with the current key: 2 (businesses 1, idempotency_keys 1)')]
          : [1, expect.stringContaining('2 values still need an old key')],
      )
    }
    expect(outcomesOf(await run())).toEqual(['secrets.seal_again done'])
    expect(await left()).toEqual({})
  },
)

test('however long values are and however many, little is read and opened at once, and others have their turn between', async () => {
  const { database, vault } = server.context
  const insert = (count: number, characters: number) => {
    const common = { method: 'POST', path: '', query: '', if_match: '', body_hash: '', request_id: '', status: 201 }
    const times = { created_at: '2026-01-01T00:00:00.000Z', expires_at: '2036-01-01T00:00:00.000Z' }
    const rows = Array.from({ length: count }, (_, made) => {
      const key = `${characters}-${made}`
      const sealed_body = vault.seal('idempotent_response', 'x'.repeat(characters), `${portal.id} ${key}`)
      return { portal_id: portal.id, key, headers: '{}', sealed_body, ...common, ...times }
    })
    return database.transaction((tx) => tx.insertInto('idempotency_keys').values(rows).execute())
  }
  await insert(20, 250_000)
  await insert(1200, 10)
  await rotate()

  let turn = 0
  let isCounting = true
  const nextTurn = () => {
    turn += 1
    if (isCounting) setImmediate(nextTurn)
  }
  nextTurn()
  const sums = { rows: [0], bytes: [0], opened: [0] }
  const add = (to: keyof typeof sums, amount: number) => {
    sums[to][turn] = (sums[to][turn] ?? 0) + amount
  }
  const most = () =>
    Object.fromEntries(Object.entries(sums).map(([name, each]) => [name, Math.max(...Object.values(each))]))
  const watched: Context = {
    ...worker,
    database: {
      ...worker.database,
      read: worker.database.read.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          add('rows', result.rows.length)
          add('bytes', JSON.stringify(result.rows).length)
          return result
        },
      }),
    },
    vault: {
      ...worker.vault,
      open(purpose, sealed, boundTo) {
        add('opened', sealed.length)
        return worker.vault.open(purpose, sealed, boundTo)
      },
    },
  }
  expect(outcomesOf(await run(watched))).toEqual(['secrets.seal_again done'])
  const inOneTurn = most()
  expect(await left()).toEqual({})
  // Also by a round that has nothing to do.
  server.clock.advance(minute)
  expect(outcomesOf(await run(watched))).toEqual(['secrets.seal_again done'])
  isCounting = false
  for (const { rows, bytes, opened } of [inOneTurn, most()]) {
    expect(rows).toBeLessThanOrEqual(700)
    expect(bytes).toBeLessThanOrEqual(1_200_000)
    expect(opened).toBeLessThanOrEqual(1_200_000)
  }
})

test('a value that no key opens is not passed over: the job fails with the key that is missing, and ends', async () => {
  await newBusiness()
  await rotate()
  const alone = createVault(Buffer.from(withNew.PORTICO_SECRET_KEY ?? '', 'base64'))
  const missing = expect.stringMatching(
    /^2 encrypted values cannot be decrypted \(businesses 1, idempotency_keys 1\), because a secret key is missing: the first key of this deployment\. Add it to PORTICO_SECRET_KEY_PREVIOUS\.$/,
  )
  server.clock.advance(minute)
  const attempts: string[] = []
  for (let round = 0; round < 12; round++) {
    attempts.push(...outcomesOf(await run({ ...worker, vault: alone })))
    server.clock.advance(2 * hour)
  }
  expect(attempts).toEqual([...Array(9).fill('secrets.seal_again failed'), 'secrets.seal_again dead'])
  const jobs = await jsonHere(['jobs', 'list'], withNew)
  expect(JSON.stringify(jobs)).toContain('because a secret key is missing: the first key of this deployment')
  const { findings } = await runHere(['doctor', '--json'], withNew).then(({ stdout }) => JSON.parse(stdout))
  expect(findings.filter(({ check }: { check: string }) => check === 'secret key')).toEqual([
    { check: 'secret key', outcome: 'warning', message: missing },
  ])
  // Whoever looks does not let it begin anew.
  expect(await jsonHere(['secret', 'status'], withNew)).toMatchObject({ total: 2, unreadable: missing })
  expect(outcomesOf(await run({ ...worker, vault: alone }))).toEqual([])
  // With the key, one more try is all it takes.
  await runHere(['jobs', 'retry', '--kind', 'secrets.seal_again'], withBoth)
  expect(outcomesOf(await run())).toEqual(['secrets.seal_again done'])
  expect(await left()).toEqual({})
})

test('a drill fails for a backup that a missing key is needed for, and names it; a restore says so', async () => {
  await newBusiness()
  await rotate()
  const file = join(folder, 'during.backup')
  await jsonHere(['backup', file], withBoth)
  const drill = async (settings: Record<string, string>) => {
    const { code, stdout, stderr } = await runHere(['restore', file, '--drill', '--json'], settings)
    const { checks } = JSON.parse(stdout)
    return { code, stderr, key: checks.find(({ check }: { check: string }) => check === 'secret key') }
  }
  expect(await drill(withBoth)).toMatchObject({ code: 0, key: { outcome: 'ok' } })
  const sentence = expect.stringContaining(
    '(businesses 1, idempotency_keys 1), because a secret key is missing: the first key of this deployment. Add it to PORTICO_SECRET_KEY_PREVIOUS.',
  )
  expect(await drill(withNew)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('1 problem found.'),
    key: { outcome: 'problem', message: sentence },
  })
  if (engine === 'sqlite') {
    const place = { ...withNew, PORTICO_DATA_DIR: join(folder, 'restored') }
    expect(await jsonHere(['restore', file], place)).toMatchObject({ unreadable: sentence })
  }

  // A key that is no longer the first is known by its name.
  server.clock.advance(minute)
  await run()
  const third = randomBytes(32).toString('base64')
  const { PORTICO_SECRET_KEY: second = '', PORTICO_SECRET_KEY_PREVIOUS: first = '' } = withBoth
  const { current: key } = await jsonHere(['secret', 'status'], withBoth)
  const all = { ...withBoth, PORTICO_SECRET_KEY: third, PORTICO_SECRET_KEY_PREVIOUS: `${second},${first}` }
  await jsonHere(['secret', 'rotate'], all)
  await jsonHere(['backup', file, '--force'], all)
  expect(await drill(all)).toMatchObject({ code: 0 })
  expect((await drill({ ...all, PORTICO_SECRET_KEY_PREVIOUS: first })).key.message).toContain(
    `missing: the key whose name begins with ${key.slice(0, 8)}.`,
  )
})
