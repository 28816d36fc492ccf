// What an operator sees from outside: metrics, probes of both kinds of processes, warnings of an old queue, and that the
// sample alerts and the dashboard ask for nothing that does not exist.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { jobs, startBackground, watchProcess } from '../src/app.ts'
import { claimJobs, deployment, enqueue, scheduleRepeating } from '../src/platform/background/jobs.ts'
import { mostCounted } from '../src/platform/background/queue-depth.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { hour, minute } from '../src/platform/clock.ts'
import { serveMetrics } from '../src/platform/http/metrics-listener.ts'
import { createProbes } from '../src/platform/http/probes.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { cleanEnvironment, environmentOf, newSecretKey, program } from './built-program.ts'
import { jsonHere } from './command-here.ts'
import { failJob, runRepeating } from './due-jobs.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { describeOn, makeDatabase, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId } from './many-rows.ts'
import { freePort } from './postgres-cluster.ts'
import { cleanUp, cleanups } from './real-servers.ts'

let server: TestServer
let portal: TestPortal
let listener: Server
beforeAll(async () => {
  // There is no Redis: its metrics are there all the same.
  server = await startTestServer({ PORTICO_REDIS_URL: 'redis://127.0.0.1:9' })
  watchProcess(server.context, server.metrics, server.server.probes)
  listener = await serveMetrics(server.context, server.metrics, server.server.probes, { port: 0 })
  portal = await newPortal(server)
})
afterAll(async () => {
  listener.close()
  await server.stop()
})
afterEach(cleanUp)

// safe because a server that listens on a port has such an address
const address = (of = listener) => `http://127.0.0.1:${(of.address() as AddressInfo).port}`
const scrape = async () => (await server.call('GET', `${address()}/metrics`)).text
/** The samples of one metric, as labels → value. */
async function read(name: string): Promise<Record<string, number>> {
  const lines = (await scrape())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return Object.fromEntries(
    lines
      .map((line) => line.slice(name.length).split(/ (?=[^ ]*$)/))
      .map(([labels = '', value]) => [labels, Number(value)]),
  )
}
const given = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const readiness = (origin: string) => server.call('GET', `${origin}/readyz`)
const forgetJobs = () => server.context.database.transaction((tx) => tx.deleteFrom('jobs').execute())

test('the queue: jobs by kind and state, and how long the oldest due one has waited', async () => {
  const { context, clock } = server
  cleanups.push(forgetJobs)
  const add = (kind: string, after_ms = 0) =>
    context.database.transaction((tx) => enqueue(tx, context, { portal_id: portal.id, kind, after_ms }))
  expect(await read('portico_jobs_oldest_due_seconds')).toEqual({ '': 0 })
  await add('webhooks.verify')
  await add('webhooks.verify')
  await add('files.scan', 10 * minute)
  clock.advance(3 * minute)
  expect(await read('portico_jobs_queued')).toEqual({
    '{kind="webhooks.verify",state="due"}': 2,
    '{kind="files.scan",state="scheduled"}': 1,
  })
  const waited = (await read('portico_jobs_oldest_due_seconds'))[''] ?? 0
  expect(waited).toBeGreaterThanOrEqual(180)
  expect(waited).toBeLessThan(240)
})

test('jobs of kinds that this release does not know never count as due: a newer release, which was put back, has left them', async () => {
  const { context, clock } = server
  cleanups.push(forgetJobs)
  const add = (kind: string) =>
    context.database.transaction((tx) => enqueue(tx, context, { portal_id: portal.id, kind }))
  await add('newer.kind')
  clock.advance(3 * minute)
  expect(await read('portico_jobs_oldest_due_seconds')).toEqual({ '': 0 })
  await add('files.scan')
  clock.advance(minute)
  const waited = (await read('portico_jobs_oldest_due_seconds'))[''] ?? 0
  expect(Math.abs(waited - 60)).toBeLessThan(30)
})

test('jobs that failed for good are counted behind a backlog that is too long to be counted', async () => {
  const { context } = server
  cleanups.push(forgetJobs)
  await context.database.transaction((tx) => enqueue(tx, context, { portal_id: portal.id, kind: 'webhooks.verify' }))
  const { id } = await context.database.read.selectFrom('jobs').select('id').executeTakeFirstOrThrow()
  await copyRows(context, 'jobs', id, { id: numberedId('job') }, { last: mostCounted })
  await failJob(context, portal.id, 'files.scan')
  // Soon: what took long to count, as on a busy machine, is not counted again at once.
  await expect
    .poll(() => read('portico_jobs_queued'))
    .toEqual({
      '{kind="webhooks.verify",state="due"}': mostCounted,
      '{kind="files.scan",state="dead"}': 1,
    })
})

test('a repeating job that keeps failing is seen in every process until it succeeds, also while it is tried again', async () => {
  const { context, clock } = server
  cleanups.push(forgetJobs)
  const kind = 'files.sweep'
  await scheduleRepeating(context, jobs)
  const failures = async () => (await read('portico_jobs_repeating_failures'))[`{kind="${kind}"}`]
  const attempt = async (run: () => Promise<void>, stopping?: AbortSignal) => {
    clock.advance(2 * hour)
    const [job] = await claimJobs(context, deployment, [kind], 1)
    if (!job) throw new Error('it is not due')
    const before = await failures()
    const outcome = await runJob(context, { kind, every_ms: hour, run }, job, stopping)
    return [outcome, before, await failures()]
  }
  const fails = () => Promise.reject(new Error('the disk is gone'))
  expect(await attempt(fails)).toEqual(['failed', 0, 1])
  expect(await attempt(fails)).toEqual(['failed', 1, 2])
  // A stop is neither.
  expect(await attempt(fails, AbortSignal.abort())).toEqual(['returned', 2, 2])
  expect(await attempt(async () => undefined)).toEqual(['done', 2, 0])
  expect(Object.keys(await read('portico_jobs_repeating_failures'))).toHaveLength(
    jobs.filter(({ every_ms }) => every_ms !== undefined).length,
  )
})

test('the time of the last backup that was completed, wherever its entry is, and none before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-watched-backups-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const environment = environmentOf(server.context.config)
  const time = async () => (await read('portico_last_backup_timestamp_seconds'))['']
  expect(await time()).toBeUndefined()
  for (const name of ['first', 'second']) {
    const begun = Date.now() / 1000
    await jsonHere(['backup', join(folder, name)], environment)
    const noted = await time()
    expect(noted).toBeGreaterThanOrEqual(Math.floor(begun))
    expect(noted).toBeLessThanOrEqual(Date.now() / 1000 + 1)
    await runRepeating(server.context, 'audit_log.chain')
    expect(await time()).toBe(noted)
  }
})

test('a queue that nobody works is a warning of readyz, and never takes the API out of service', async () => {
  const { context, clock } = server
  cleanups.push(forgetJobs)
  // What readiness has found is remembered for a moment.
  const message = expect.stringContaining('No worker has run on this database yet')
  for (const origin of [server.origin, address()])
    await expect
      .poll(async () => {
        const { status, body } = await readiness(origin)
        return [status, body.status, body.warnings]
      })
      .toEqual([200, 'ready', [{ code: 'queue_not_worked', message }]])
  await scheduleRepeating(context, jobs)
  const bodySoon = () => expect.poll(async () => (await readiness(server.origin)).body)
  await bodySoon().toEqual({ status: 'ready' })
  clock.advance(3 * minute)
  await bodySoon().toMatchObject({
    status: 'ready',
    warnings: [{ message: expect.stringContaining('The oldest due background job has waited 3 minutes') }],
  })
})

test('a process that only works is not ready while its worker does not look for work, nor while it stops, and its metrics say so', async () => {
  let [isStopping, isWorking] = [false, true]
  const probes = createProbes(
    server.context,
    jobs,
    () => isStopping,
    () => isWorking,
  )
  const metrics = createMetrics()
  watchProcess(server.context, metrics, probes)
  const own = await serveMetrics(server.context, metrics, probes, { port: 0 })
  cleanups.push(() => own.close())
  const ready = async () => /^portico_ready (.)$/m.exec((await server.call('GET', `${address(own)}/metrics`)).text)?.[1]
  expect((await readiness(address(own))).status).toBe(200)
  expect(await ready()).toBe('1')
  isWorking = false
  const stuck = await readiness(address(own))
  expect([stuck.status, stuck.body.details[0].code]).toEqual([503, 'worker_stuck'])
  expect(await ready()).toBe('0')
  isStopping = true
  expect((await readiness(address(own))).body.details[0].code).toBe('draining')
  expect((await server.call('GET', `${address(own)}/healthz`)).text).toBe('{"status":"ok"}')
})

test('the process, its database and its file store', async () => {
  const { engine } = server.context.database
  const [info] = Object.keys(await read('portico_build_info'))
  expect(info).toMatch(new RegExp(`^{version="[^"]+",node="${process.version}",engine="${engine}"}$`))
  const connections = await read('portico_database_connections')
  expect(Object.keys(connections)).toEqual(['{state="in_use"}', '{state="idle"}', '{state="waiting"}'])
  expect(connections['{state="waiting"}']).toBe(0)
  const before = (await read('portico_database_statements_total'))[''] ?? 0
  await portal.call('POST', 'businesses/', { body: portal.business() })
  expect((await read('portico_database_statements_total'))[''] ?? 0).toBeGreaterThan(before)
  expect((await read('portico_database_seconds_total'))[''] ?? 0).toBeGreaterThan(0)

  const application = await newIntake(portal)
  const bytes = Buffer.from('a,b\n1,2\n')
  const { body: file } = await portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') },
    headers: { 'if-match': application.etag },
  })
  await upload(file.upload, bytes)
  expect((await read('portico_file_store_calls_total'))['{operation="keep"}']).toBe(1)
  expect((await read('portico_file_store_failures_total'))['{operation="receive"}']).toBe(0)
  // Nothing can be received while a file stands where uploads arrive; other bytes are the client's own failure.
  const { body: now } = await portal.call('GET', application.url)
  const { body: next } = await portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'next.csv', 'text/csv') },
    headers: { 'if-match': now.etag },
  })
  const arriving = join(server.context.config.data_dir, 'files', 'incoming')
  expect((await upload(next.upload, Buffer.from(bytes).fill('x'))).status).toBe(422)
  rmSync(arriving, { recursive: true })
  writeFileSync(arriving, '')
  expect((await upload(next.upload, bytes)).status).toBe(503)
  rmSync(arriving)
  expect((await read('portico_file_store_failures_total'))['{operation="receive"}']).toBe(1)
  expect((await read('portico_file_store_calls_total'))['{operation="receive"}']).toBe(3)
  const free = await read('portico_disk_free_bytes')
  expect(Object.keys(free)).toEqual(engine === 'sqlite' ? ['{use="data"}', '{use="files"}'] : ['{use="files"}'])
  expect(Math.min(...Object.values(free))).toBeGreaterThan(0)
})

test('free inodes as a share of all, and nothing where the file system does not count them', async () => {
  const { context, server: own } = server
  // Where there are no files yet, nothing is known of their disk.
  const directory = context.config.data_dir
  const shares = async (where: string) => {
    const metrics = createMetrics()
    const config = { ...context.config, files: { kind: 'disk' as const, directory: where } }
    watchProcess({ ...context, config }, metrics, own.probes)
    const text = await metrics.registry.getSingleMetricAsString('portico_disk_free_inodes_ratio')
    return /^portico_disk_free_inodes_ratio\{use="files"\} (.*)$/m.exec(text)?.[1]
  }
  const { files, ffree } = await statfs(directory)
  if (files > 0) expect(Number(await shares(directory))).toBeCloseTo(ffree / files, 1)
  expect((await statfs('/proc')).files).toBe(0)
  expect(await shares('/proc')).toBeUndefined()
})

test('the alert on server errors counts the API and transfers, and not what would dilute them', async () => {
  const paths = [
    'healthz',
    'readyz',
    'docs/',
    'v1/',
    'v1/events/',
    'v1/nothing/',
    'nothing',
    `transfers/fil_${'0'.repeat(26)}`,
  ]
  for (const path of paths) await portal.call('GET', `${server.origin}/${path}`)
  const counted = Object.keys(await read('portico_http_request_duration_seconds_count'))
  const routes = [...new Set(counted.map((labels) => /route="([^"]*)"/.exec(labels)?.[1] ?? ''))]
  const { groups } = parse(given('deploy/prometheus-alerts.yaml'))
  const { expr } = groups[0].rules.find(({ alert }: { alert: string }) => alert === 'PorticoServerErrors')
  const [pattern, ...others] = [...expr.matchAll(/route=~"([^"]+)"/g)].map(([, regex]) => regex)
  expect(others).toEqual([pattern])
  const isCounted = (route: string) => new RegExp(`^(?:${pattern})$`).test(route)
  expect(routes.filter((route) => !isCounted(route)).sort()).toEqual(['/docs', '/healthz', '/readyz', 'unrouted'])
  for (const route of ['/v1/', '/v1/events/', '/transfers/:file_id'])
    expect([route, routes.includes(route), isCounted(route)]).toEqual([route, true, true])
})

describeOn('postgres')('while PostgreSQL does not answer', () => {
  test('a scrape is answered without what is read from it', async () => {
    const { database } = server.context
    await database.transaction(async (tx) => {
      await sql`lock table jobs in access exclusive mode`.execute(tx)
      const text = await scrape()
      expect(text).toContain('portico_up 1')
      expect(text).toContain('portico_build_info{')
      expect(text).not.toMatch(/^portico_jobs_(queued|oldest_due_seconds)\b/m)
    })
    // What a scrape has begun to read may end a moment after it.
    await expect.poll(() => read('portico_jobs_oldest_due_seconds')).toEqual({ '': 0 })
  })
})

describeOn('sqlite')('the program', () => {
  test('portico worker has healthz and readyz on the port of its metrics, and ends on SIGTERM', async () => {
    const { environment, remove } = await makeDatabase({ hasSchema: true })
    const port = await freePort()
    const worker = spawn(process.execPath, [program, 'worker'], {
      env: cleanEnvironment({
        ...environment,
        PORTICO_SECRET_KEY: newSecretKey(),
        PORTICO_METRICS_PORT: String(port),
        PORTICO_LOG_LEVEL: 'warn',
      }),
      stdio: 'ignore',
    })
    cleanups.push(async () => {
      worker.kill('SIGKILL')
      await remove()
    })
    const origin = `http://127.0.0.1:${port}`
    const ready = () => readiness(origin).catch(() => undefined)
    await expect.poll(async () => (await ready())?.body, { timeout: 50_000 }).toEqual({ status: 'ready' })
    expect((await server.call('GET', `${origin}/healthz`)).status).toBe(200)
    expect((await server.call('GET', `${origin}/metrics`)).text).toContain('portico_build_info{')
    const { services } = parse(given('deploy/compose.yaml'), { merge: true })
    const [, , ...check]: string[] = services.worker.healthcheck.test
    const examine = () =>
      spawnSync(
        'node',
        check.map((word) => word.replace(':8081/', `:${port}/`)),
      ).status
    expect(examine()).toBe(0)
    worker.kill('SIGTERM')
    expect(await once(worker, 'exit')).toEqual([0, null])
    expect(examine()).toBe(1)
  })

  test('the alerts, the dashboard and the handbook name only metrics that exist, and the handbook names them all', async () => {
    const background = startBackground(server.context, server.metrics)
    cleanups.push(() => background.stop())
    const existing = [...(await scrape()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
    // Only where traces are sent.
    existing.push('portico_trace_spans_total')
    const namesIn = (file: string) =>
      [...given(file).matchAll(/portico_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))
    for (const file of ['deploy/prometheus-alerts.yaml', 'deploy/grafana-dashboard.json']) {
      expect(namesIn(file).length).toBeGreaterThan(8)
      expect(namesIn(file).filter((name) => !existing.includes(name))).toEqual([])
    }
    // `portico_clock_…` stands for several.
    const described = ['docs/operating.md', 'docs/operating/metrics.md'].flatMap(namesIn)
    const stands = (name: string, metric: string) => (name.endsWith('_') ? metric.startsWith(name) : metric === name)
    expect(described.filter((name) => !existing.some((metric) => stands(name, metric)))).toEqual([])
    expect(existing.filter((metric) => !described.some((name) => stands(name, metric)))).toEqual([])
  })
})
