// A calculation over many programmes is interrupted by a stop and by kill -9. Nothing of it is seen half done, the stop
// does not wait for it, and the next process finishes it.
import { beforeAll, expect, test } from 'vitest'
import { createProgram } from '../../src/areas/funding-recommendations/programs/commands.ts'
import type { RunningServer } from '../built-program.ts'
import { rule } from '../funding-fixtures.ts'
import { copyRows, numberedId } from '../many-rows.ts'
import { report } from './deployment.ts'
import { faultTimeoutMs, isFull } from './scale.ts'
import { newWatchedDeployment } from './watched-deployment.ts'

/** A calculation of a second or more: whoever sees that it runs has the time to interrupt it. */
const programCount = isFull ? 20_000 : 8000
const kind = 'funding_recommendations.calculate'

const { beside, caller, deployment, makeDue, startCalculation } = await newWatchedDeployment()
/** What the test before has left: it goes on with the work of one that was stopped. */
let server: RunningServer
beforeAll(async () => {
  await fillCatalogue()
  server = await deployment.start()
})

test('a stop gives a running calculation up within seconds, and the next process finishes it at once', {
  timeout: faultTimeoutMs,
}, async () => {
  const { path, matches } = await startCalculation(server, 'running')
  const begin = performance.now()
  expect(await server.kill('SIGTERM')).toBe(0)
  const stopMs = performance.now() - begin
  // By the clock on the wall, so only where nobody else uses the machine; what is left of the job tells it everywhere.
  if (isFull) expect(stopMs).toBeLessThan(5000)
  // Given up, not finished: due now, as if nobody had tried.
  const [job] = await jobs()
  expect(job).toMatchObject({ lease: null, attempts: 0, last_error: null })
  expect(Date.parse(job?.run_at ?? '')).toBeLessThanOrEqual(Date.now())
  server = await deployment.start()
  await untilCompleted(server, path, matches)
  report('stop during a calculation', { 'stopped after ms': Math.round(stopMs) })
})

test('a calculation that is killed with its process shows nothing, and is finished once its lease has run out', {
  timeout: faultTimeoutMs,
}, async () => {
  const { path, matches } = await startCalculation(server, 'running')
  await server.kill('SIGKILL')
  const [job] = await jobs()
  expect(job).toMatchObject({ attempts: 1, lease: expect.any(String) })
  const again = await deployment.start()
  const read = async (address: string) => (await again.call('GET', address, { key: deployment.key })).body
  expect([(await read(path)).state, (await read(matches)).items]).toEqual(['running', []])
  // As if the minute of the lease had passed.
  await makeDue(kind)
  await untilCompleted(again, path, matches)
  expect(await again.kill('SIGTERM')).toBe(0)
})

const jobs = () => beside.database.read.selectFrom('jobs').selectAll().where('kind', '=', kind).execute()

/** Every programme has its match, once. */
async function untilCompleted({ call }: RunningServer, path: string, matches: string): Promise<void> {
  const { key } = deployment
  const read = async () => (await call('GET', path, { key })).body
  await expect.poll(async () => (await read()).state, { timeout: 50_000 }).toBe('completed')
  const { counts } = await read()
  expect(counts).toMatchObject({ evaluated: programCount, eligible: programCount })
  const ranks = (items: { rank: number }[]) => items.map(({ rank }) => rank)
  const { items } = (await call('GET', matches, { key })).body
  expect(ranks(items)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
  const { items: last } = (await call('GET', `${matches}&order=-rank`, { key })).body
  expect(ranks(last)).toEqual(Array.from({ length: 500 }, (_, index) => programCount - index))
}

/** One programme as an integrator makes it, and many like it. */
async function fillCatalogue(): Promise<void> {
  const bounds = Array.from({ length: 10 }, (_, n) =>
    rule('amount_requested', 'gte', money(1000 + n), { id: `rule_${n}` }),
  )
  const { id } = await beside.database.transaction((tx) =>
    createProgram(tx, caller, {
      name: 'Growth loan',
      funding_type: 'term_loan',
      status: 'open',
      eligibility: bounds as never,
    }),
  )
  await copyRows(beside, 'funding_programs', id, { id: numberedId('prg') }, { last: programCount - 1 })
}

const money = (amount: number) => ({ amount: `${amount}.00`, currency: 'USD' })
