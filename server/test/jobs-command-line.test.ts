// What an operator does with jobs that failed for good: look at them, let the workers run them again, or remove them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countJobs } from '../src/platform/background/queue-depth.ts'
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
  const { data_dir, database_url, secret_key } = server.context.config
  environment = {
    PORTICO_DATA_DIR: data_dir,
    ...(database_url !== undefined && { PORTICO_DATABASE_URL: database_url }),
    PORTICO_SECRET_KEY: secret_key?.toString('base64') ?? '',
  }
})
afterAll(() => server.stop())

test('failed jobs are listed with their errors, and run again by id or by kind, all that are named or none, which the audit log records', async () => {
  const first = await failJob(server.context, portal.id, 'test.first')
  const second = await failJob(server.context, portal.id, 'test.second')
  const others = await Promise.all(['a', 'b'].map(() => failJob(server.context, portal.id, 'test.others')))
  expect(await listed()).toEqual(
    expect.arrayContaining(
      [first, second, ...others].map((id) =>
        expect.objectContaining({ id, portal_id: portal.id, attempts: 5, error: 'the test let it fail\nat once' }),
      ),
    ),
  )

  const unknown = await run('retry', first, 'job_00000000000000000000000000')
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'portico: No failed job has the id job_00000000000000000000000000. Nothing was changed. List failed jobs with: portico jobs list\n',
  ])
  // Nothing was changed: all four are still there.
  expect((await run('list')).stdout).toMatch(/^id +kind +portal_id +attempts +failed_at +error\n(job_.*fail\n){4}$/)

  expect((await run('retry', first, second)).stdout).toBe('Workers run 2 jobs again.\n')
  expect(JSON.parse((await run('retry', '--kind', 'test.others', '--json')).stdout)).toEqual({
    retried: expect.arrayContaining(others),
  })
  expect((await run('list')).stdout).toBe('No job has failed permanently.\n')
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
  const failed = await failJob(server.context, portal.id, 'test.kept')
  const choose = 'portico: Name failed jobs by their ids, or all failed jobs of a kind with --kind KIND.\n'
  expect((await run('retry')).stderr).toBe(choose)
  expect((await run('retry', failed, '--kind', 'test.kept')).stderr).toBe(choose)
  expect((await run('retry', '--kind', 'test.none')).stderr).toBe(
    'portico: No job of the kind test.none has failed permanently. List failed jobs with: portico jobs list\n',
  )
  expect((await run('dismiss')).stderr).toBe(choose)
  expect((await listed()).map(({ id }) => id)).toEqual([failed])
})

test('a failed job that is dismissed is listed and counted no more, all that are named or none, which the audit log records', async () => {
  const [first, second] = await Promise.all(['a', 'b'].map(() => failJob(server.context, portal.id, 'test.dismissed')))
  const unknown = await run('dismiss', first ?? '', 'job_00000000000000000000000000')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  const dead = async () => (await countJobs(server.context)).filter(({ kind }) => kind === 'test.dismissed')
  expect(await dead()).toEqual([{ kind: 'test.dismissed', state: 'dead', count: 2 }])
  expect((await run('dismiss', first ?? '')).stdout).toBe('Removed 1 failed job.\n')
  expect(JSON.parse((await run('dismiss', '--kind', 'test.dismissed', '--json')).stdout)).toEqual({
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
