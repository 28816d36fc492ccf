// The matching thread dies, hangs or has to give up, through the door: nobody waits in vain, and the next task succeeds.
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { startMatcher } from '../src/areas/funding-recommendations/calculations/matcher.ts'
import { claimJobs } from '../src/platform/background/jobs.ts'
import type { ClaimedJob } from '../src/platform/background/lease.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { newProgram } from './fixtures.ts'
import { calculate, newProject, newRecipient } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

const misbehaving = new URL('./matching/misbehaving-thread.ts', import.meta.url)
const job = 'funding_recommendations.calculate'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  startMisbehaving()
  await newProgram(await newRecipient(server))
})
afterAll(() => server.stop())

/** `workMs` is how long a task may take without coming any further before its thread is given up. */
const startMisbehaving = (workMs = {}) => startMatcher(server.context, { entry: misbehaving, workMs })
const ask = (broker: TestPortal, project: { url: string }, postal_code: string) =>
  broker.call('POST', `${project.url}what-if/`, { body: { values: { postal_code } } })
const stateOf = async (broker: TestPortal, { url }: { url: string }) => (await broker.call('GET', url)).body.state
const definition = () => {
  const found = jobs.find(({ kind }) => kind === job)
  if (!found) throw new Error(`there is no job ${job}`)
  return found
}
const pagesOf = async ({ id }: TestPortal) =>
  server.context.database.read.selectFrom('match_pages').select('list').where('portal_id', '=', id).execute()

/** Two calculations, the first of which goes wrong, claimed by a worker. */
async function startBoth(trick: string) {
  const broker = await newPortal(server)
  const projects = [await newProject(broker, { postal_code: trick }), await newProject(broker)]
  const started: { id: string; url: string }[] = []
  for (const { calculations_url } of projects) started.push((await broker.call('POST', calculations_url)).body)
  const claimed = await claimJobs(server.context, broker.id, [job], 10)
  expect(claimed.map(({ payload }) => payload.calculation_id)).toEqual(started.map(({ id }) => id))
  const states = () => Promise.all(started.map((one) => stateOf(broker, one)))
  return { broker, claimed, states, project: projects[1] }
}

/** Jobs of a worker that can be told to stop; the first of them is the one the thread works on. */
async function runInOrder([first, ...others]: ClaimedJob[]) {
  if (!first) throw new Error('there is no job')
  const stopping = new AbortController()
  const run = (one: ClaimedJob) => runJob(server.context, definition(), one, stopping.signal)
  startMisbehaving()
  const threadStarted = once(process, 'worker')
  const running = run(first)
  await threadStarted
  return { stopping, runs: [running, ...others.map(run)] }
}

describe('a thread that goes wrong', () => {
  for (const [trick, what] of [
    ['EXIT', 'ends'],
    ['CRASH', 'dies of an error'],
    ['STALL', 'never finishes'],
  ] as const) {
    const workMs = trick === 'STALL' ? { calculate: 2500, what_if: 2500 } : {}

    test(`a question whose thread ${what} gets 503 with Retry-After, and the next one an answer of a new thread`, async () => {
      startMisbehaving(workMs)
      const broker = await newPortal(server)
      const project = await newProject(broker)
      const failed = await ask(broker, project, trick)
      expect([failed.status, failed.body.code, failed.body.retryable]).toEqual([503, 'service_unavailable', true])
      expect(failed.headers.get('retry-after')).toMatch(/^[0-9]+$/)
      expect((await ask(broker, project, '12345')).status).toBe(200)
      expect((await calculate(broker, project)).counts.evaluated).toBe(1)
    })

    test(`a calculation whose thread ${what} is tried again later, and the one behind it is not held up`, async () => {
      startMisbehaving(workMs)
      const { broker, claimed, states } = await startBoth(trick)
      const outcomes = await Promise.all(claimed.map((one) => runJob(server.context, definition(), one)))
      expect(outcomes).toEqual(['failed', 'done'])
      expect(await states()).toEqual(['running', 'completed'])
      server.clock.advance(60_000)
      const again = await claimJobs(server.context, broker.id, [job], 10)
      expect(again).toMatchObject([{ id: claimed[0]?.id, attempts: 2 }])
    })
  }
})

test('a calculation that is slow, but comes further, is not given up', async () => {
  const broker = await newPortal(server)
  // Less than it takes.
  startMisbehaving({ calculate: 3000 })
  expect((await calculate(broker, await newProject(broker, { postal_code: 'SLOWER' }))).counts.evaluated).toBe(1)
})

describe('a calculation that is given up', () => {
  test('is never begun when it was waiting, and stops when it was running; both are due again at once', async () => {
    const { broker, claimed, states } = await startBoth('HANG')
    const { runs, stopping } = await runInOrder(claimed)
    await expect.poll(states, { timeout: 20_000 }).toEqual(['running', 'running'])
    stopping.abort()
    expect(await Promise.all(runs)).toEqual(['returned', 'returned'])
    expect(await pagesOf(broker)).toEqual([])
    // The next worker does not have to wait for a lease, and no attempt was used up.
    const again = await claimJobs(server.context, broker.id, [job], 10)
    expect(again.map(({ attempts }) => attempts)).toEqual([1, 1])
    const [, second] = again
    expect(second && (await runJob(server.context, definition(), second))).toBe('done')
    expect(await states()).toEqual(['running', 'completed'])
  })

  test('does not take the question with it that waits behind it', async () => {
    const { broker, claimed, states, project } = await startBoth('HANG')
    const { runs, stopping } = await runInOrder(claimed)
    await expect.poll(states, { timeout: 20_000 }).toEqual(['running', 'running'])
    const question = ask(broker, project, '12345')
    stopping.abort()
    expect(await Promise.all(runs)).toEqual(['returned', 'returned'])
    expect((await question).status).toBe(200)
  })
})

describe('while the thread is busy', () => {
  const recipient = {
    ...{ portal_id: 'ptl_none', id: 'rcp_none', name: 'Nobody', countries: [], time_zone: 'UTC', catalog_version: 0 },
  }
  const place = { catalog_version: 0, program_id: '' }
  /** Everything is asked for at once; the names of what was asked for in the order of the answers. */
  async function answersTo(asked: readonly (readonly [string, 'find_new' | 'calculate' | 'what_if'])[]) {
    const matcher = startMatcher(server.context)
    const now = server.clock.now()
    const project = { project_id: 'prj_none', values: {}, recipients: [], now }
    const tasks = {
      find_new: { portal_id: 'ptl_none', after_project_id: '', recipient, after: place, until: place, now },
      calculate: { portal_id: 'ptl_none', result_id: 'cal_none', ...project },
      what_if: { portal_id: 'ptl_none', instead: {}, ...project },
    }
    const answered: string[] = []
    await Promise.all(
      asked.map(async ([name, kind]) => {
        await matcher.run(kind, tasks[kind])
        answered.push(name)
      }),
    )
    return answered
  }

  test('a question goes first, then calculations, then the search for new matches; of equals the oldest', async () => {
    const answered = await answersTo([
      ['running', 'find_new'],
      ['search 1', 'find_new'],
      ['search 2', 'find_new'],
      ['calculation 1', 'calculate'],
      ['calculation 2', 'calculate'],
      ['question 1', 'what_if'],
      ['question 2', 'what_if'],
    ])
    expect(answered).toEqual([
      ...['running', 'question 1', 'question 2', 'calculation 1', 'calculation 2', 'search 1', 'search 2'],
    ])
  })

  test('a search is not kept waiting for ever: after twenty others it has its turn', async () => {
    const questions = Array.from({ length: 30 }, (_, number) => [`question ${number}`, 'what_if'] as const)
    const answered = await answersTo([['running', 'calculate'], ['search', 'find_new'], ...questions])
    expect(answered.indexOf('search')).toBe(21)
  })
})
