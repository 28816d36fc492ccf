// What an operator does with jobs that failed for good, that keep failing or that nobody here can do: look at them, let the
// workers run them again, or remove them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployment, enqueue, scheduleRepeating } from '../src/platform/background/jobs.ts'
import { countDeadJobs } from '../src/platform/background/queue-depth.ts'
import { hour, minute } from '../src/platform/clock.ts'
import { environmentOf } from './built-program.ts'
import { recordedForDeployment, runHere } from './command-here.ts'
import { failJob } from './due-jobs.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let environment: Record<string, string>
const run = (...args: string[]) => runHere(['jobs', ...args], environment)
const listed = async (): Promise<{ id: string; kind: string }[]> => JSON.parse((await run('list', '--json')).stdout)

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  environment = environmentOf(server.context.config)
})
afterAll(() => server.stop())

test('failed jobs are listed with their errors, and run again by id or by kind, all that are named or none, which the audit log records', async () => {
  const first = await failJob(server.context, portal.id, 'webhooks.verify')
  const second = await failJob(server.context, portal.id, 'webhooks.recover')
  const others = await Promise.all(['a', 'b'].map(() => failJob(server.context, portal.id, 'autofill.run')))
  expect(await listed()).toEqual(
    expect.arrayContaining(
      [first, second, ...others].map((id) =>
        expect.objectContaining({
          id,
          state: 'failed',
          portal_id: portal.id,
          attempts: 5,
          error: 'the test let it fail\nat once',
        }),
      ),
    ),
  )

  const unknown = await run('retry', first, 'job_00000000000000000000000000')
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'portico: No failed job has the id job_00000000000000000000000000. Nothing was changed. List failed jobs with: portico jobs list\n',
  ])
  // Nothing was changed: all four are still there.
  expect((await run('list')).stdout).toMatch(
    /^id +kind +portal_id +attempts +state +failed_at +error\n(job_.*fail\n){4}$/,
  )

  expect((await run('retry', first, second)).stdout).toBe('Workers run 2 jobs again.\n')
  expect(JSON.parse((await run('retry', '--kind', 'autofill.run', '--json')).stdout)).toEqual({
    retried: expect.arrayContaining(others),
  })
  expect((await run('list')).stdout).toMatch(/^No job has failed permanently, no repeating job keeps failing/)
  const waiting = await server.context.database.read
    .selectFrom('jobs')
    .select(['id', 'attempts', 'dead_at', 'run_at'])
    .where('id', 'in', [first, second, ...others])
    .execute()
  expect(waiting).toHaveLength(4)
  for (const { attempts, dead_at, run_at } of waiting) {
    expect([attempts, dead_at]).toEqual([0, null])
    expect(Date.parse(run_at)).toBeLessThanOrEqual(server.context.clock.now())
  }
  expect((await recordedForDeployment(environment)).sort()).toEqual(
    [first, second, ...others].map((id) => ['job.retried', id]).sort(),
  )
})

test('a retry without jobs, of both forms, or of a kind without failed jobs changes nothing and says what to do', async () => {
  const failed = await failJob(server.context, portal.id, 'files.scan')
  const choose = 'portico: Name failed jobs by their ids, or all failed jobs of a kind with --kind KIND.\n'
  expect((await run('retry')).stderr).toBe(choose)
  expect((await run('retry', failed, '--kind', 'files.scan')).stderr).toBe(choose)
  expect((await run('retry', '--kind', 'files.check_upload')).stderr).toBe(
    'portico: No job of the kind files.check_upload has failed permanently. List failed jobs with: portico jobs list\n',
  )
  expect((await run('dismiss')).stderr).toBe(choose)
  expect((await listed()).map(({ id }) => id)).toEqual([failed])
})

test('a failed job that is dismissed is listed and counted no more, all that are named or none, which the audit log records', async () => {
  const [first, second] = await Promise.all(['a', 'b'].map(() => failJob(server.context, portal.id, 'deals.relabel')))
  const unknown = await run('dismiss', first ?? '', 'job_00000000000000000000000000')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  const dead = async () => (await countDeadJobs(server.context)).filter(({ kind }) => kind === 'deals.relabel')
  expect(await dead()).toEqual([{ kind: 'deals.relabel', state: 'dead', count: 2 }])
  expect((await run('dismiss', first ?? '')).stdout).toBe('Removed 1 job.\n')
  expect(JSON.parse((await run('dismiss', '--kind', 'deals.relabel', '--json')).stdout)).toEqual({
    dismissed: [second],
  })
  expect(await dead()).toEqual([])
  // A job that has not failed is left alone.
  const running = await server.context.database.read.selectFrom('jobs').select('id').executeTakeFirstOrThrow()
  expect((await run('dismiss', running.id)).code).toBe(1)
  expect((await recordedForDeployment(environment)).filter(([action]) => action === 'job.dismissed').sort()).toEqual(
    [first, second].map((id) => ['job.dismissed', id]).sort(),
  )
})

const doctor = async (check: string): Promise<{ outcome: string; message: string }[]> => {
  const { findings } = JSON.parse((await runHere(['doctor', '--json'], environment)).stdout)
  return findings.filter((finding: { check: string }) => finding.check === check)
}

test('a repeating job that keeps failing is listed and reported by doctor with its error, and a retry runs it at once', async () => {
  const { context, clock } = server
  const kind = 'files.sweep'
  const failing = jobsOf(kind)
  await scheduleRepeating(context, [{ kind, every_ms: hour, run: async () => undefined }])
  const fail = async (attempts: number) =>
    context.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ attempts, last_error: 'the disk is gone\nat once', run_at: context.database.timeIn(clock, hour) })
        .where('kind', '=', kind)
        .execute(),
    )
  await fail(2)
  // It may only have been held up for a moment.
  expect((await listed()).filter((job) => job.kind === kind)).toEqual([])
  await fail(3)
  const [job] = await failing()
  expect(await listed()).toContainEqual({
    id: job?.id,
    kind,
    state: 'failing',
    portal_id: deployment,
    attempts: 3,
    failed_at: null,
    error: 'the disk is gone\nat once',
  })
  expect(await doctor('background jobs')).toContainEqual({
    check: 'background jobs',
    outcome: 'problem',
    message: expect.stringMatching(/^The repeating job files\.sweep has failed 3 times in a row: the disk is gone\. /),
  })
  expect((await run('dismiss', '--kind', kind)).code).toBe(1)
  expect((await run('retry', '--kind', kind)).stdout).toBe('Workers run 1 job again.\n')
  const [now] = await failing()
  expect(Date.parse(now?.run_at ?? '')).toBeLessThanOrEqual(clock.now())
  // Nothing has succeeded yet.
  expect(now?.attempts).toBe(3)
})

test('jobs of kinds that this release does not know are listed and named by doctor, and can be removed unless somebody works on them', async () => {
  const { context, clock } = server
  const kind = 'newer.kind'
  await context.database.transaction(async (tx) => {
    for (const portal_id of [portal.id, deployment, deployment]) await enqueue(tx, context, { portal_id, kind })
  })
  const [waiting, abandoned, busy] = await jobsOf(kind)()
  const hold = (id: string | undefined, until: number) =>
    context.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ lease: 'lease_of_another', run_at: context.database.timeIn(clock, until) })
        .where('id', '=', id ?? '')
        .execute(),
    )
  await hold(abandoned?.id, -minute)
  await hold(busy?.id, minute)
  expect((await listed()).filter((job) => job.kind === kind)).toMatchObject(
    Array(3).fill({ state: 'unknown', failed_at: null }),
  )
  expect(await doctor('unknown jobs')).toMatchObject([
    { outcome: 'warning', message: expect.stringContaining('that wrote them: newer.kind (3). If you do not return') },
  ])
  expect((await run('dismiss', '--kind', kind)).stdout).toBe('Removed 2 jobs.\n')
  expect(await jobsOf(kind)()).toMatchObject([{ id: busy?.id }])
  const recorded = await recordedForDeployment(environment)
  for (const id of [waiting?.id, abandoned?.id]) expect(recorded).toContainEqual(['job.dismissed', id])
  await hold(busy?.id, -minute)
  expect((await run('dismiss', busy?.id ?? '')).code).toBe(0)
  expect(await doctor('unknown jobs')).toEqual([])
})

function jobsOf(kind: string) {
  return () =>
    server.context.database.read.selectFrom('jobs').selectAll().where('kind', '=', kind).orderBy('id').execute()
}
