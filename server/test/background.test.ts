// Jobs, the outbox and housekeeping, on a real database and a clock that tests move.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { day, hour, minute, second } from '../src/platform/clock.ts'
import { housekeepingJobs } from '../src/platform/housekeeping.ts'
import { claimJobs, deployment, enqueue, type JobDefinition, runJob, scheduleRepeating } from '../src/platform/jobs.ts'
import { numberEvents, publish } from '../src/platform/outbox.ts'
import { startWorker } from '../src/platform/worker.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

const add = (kind: string, more: Partial<Parameters<typeof enqueue>[2]> = {}) =>
  server.context.database.transaction((tx) => enqueue(tx, server.context, { portal_id: portal.id, kind, ...more }))
const jobsOf = (kind: string) =>
  server.context.database.read.selectFrom('jobs').selectAll().where('kind', '=', kind).execute()
const claim = async (kind: string) =>
  (await claimJobs(server.context, 100, 5 * minute)).filter((job) => job.kind === kind)
const define = (kind: string, run: JobDefinition['run'], more: Partial<JobDefinition> = {}) =>
  new Map([[kind, { kind, run, ...more }]])

describe('jobs', () => {
  test('a job of a transaction that fails does not exist', async () => {
    const failed = server.context.database.transaction(async (tx) => {
      await enqueue(tx, server.context, { portal_id: portal.id, kind: 'rolled-back' })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await jobsOf('rolled-back')).toEqual([])
  })

  test('a job is claimed once, run with its payload and gone afterwards', async () => {
    await add('plain', { payload: { n: 7, list: [1] } })
    const claims = await Promise.all([claim('plain'), claim('plain'), claim('plain')])
    const [job, ...others] = claims.flat()
    expect(others).toEqual([])
    const seen: unknown[] = []
    const definitions = define('plain', async (_context, { payload }) => {
      seen.push(payload)
    })
    if (job) expect(await runJob(server.context, definitions, job)).toBe('done')
    expect(seen).toEqual([{ n: 7, list: [1] }])
    expect(await jobsOf('plain')).toEqual([])
  })

  test('a job is not claimed before its time', async () => {
    await add('later', { run_at: server.clock.now() + hour })
    expect(await claim('later')).toEqual([])
    server.clock.advance(hour + second)
    expect(await claim('later')).toHaveLength(1)
  })

  test('a job whose worker died is claimed again after its lease, and the dead worker can no longer end it', async () => {
    await add('leased')
    const [first] = await claim('leased')
    expect(await claim('leased')).toEqual([])
    server.clock.advance(5 * minute + second)
    const [second_] = await claim('leased')
    expect(second_?.attempts).toBe(2)
    const definitions = define('leased', async () => undefined)
    if (first) await runJob(server.context, definitions, first)
    expect(await jobsOf('leased')).toHaveLength(1)
    if (second_) await runJob(server.context, definitions, second_)
    expect(await jobsOf('leased')).toEqual([])
  })

  test('a job that fails is tried again later and later, and is kept as dead after its last attempt', async () => {
    await add('failing')
    const definitions = define(
      'failing',
      async () => {
        throw new Error('still broken')
      },
      { maximum_attempts: 3 },
    )
    const outcomes: string[] = []
    for (let round = 0; round < 3; round++) {
      const [job] = await claim('failing')
      if (job) outcomes.push(await runJob(server.context, definitions, job))
      expect(await claim('failing')).toEqual([])
      server.clock.advance(30 * second)
    }
    expect(outcomes).toEqual(['failed', 'failed', 'dead'])
    expect((await jobsOf('failing'))[0]).toMatchObject({ last_error: 'still broken', attempts: 3 })
    server.clock.advance(day)
    expect(await claim('failing')).toEqual([])
  })

  test('a Portal with a flood of jobs does not hold up another', async () => {
    const other = await newPortal(server)
    for (let i = 0; i < 50; i++) await add('flood')
    await add('single', { portal_id: other.id })
    const claimed = await claimJobs(server.context, 4, minute)
    expect(claimed.map((job) => job.kind)).toContain('single')
    await server.context.database.transaction((tx) =>
      tx.deleteFrom('jobs').where('kind', 'in', ['flood', 'single']).execute(),
    )
  })

  test('the worker runs what is due and repeats what repeats; stopping waits for what is under way', async () => {
    const ran: string[] = []
    let release: (() => void) | undefined
    const definitions: JobDefinition[] = [
      { kind: 'worker.repeats', every_ms: hour, run: async () => void ran.push('repeats') },
      {
        kind: 'worker.slow',
        run: () =>
          new Promise((resolve) => {
            release = resolve
          }),
      },
    ]
    await add('worker.slow')
    const worker = startWorker(
      server.context,
      definitions,
      { jobFinished: (kind) => void ran.push(`${kind} finished`) },
      { idleMs: 10 },
    )
    await expect.poll(() => ran.includes('repeats') && release !== undefined).toBe(true)
    let isStopped = false
    const stopped = worker.stop().then(() => {
      isStopped = true
    })
    expect(isStopped).toBe(false)
    release?.()
    await stopped
    expect(ran).toContain('worker.slow finished')
    const [repeating] = await jobsOf('worker.repeats')
    expect(repeating).toMatchObject({ lease: null, portal_id: deployment })
    expect(Date.parse(repeating?.run_at ?? '')).toBeGreaterThan(server.clock.now() + hour - minute)
    await scheduleRepeating(server.context, definitions)
    expect(await jobsOf('worker.repeats')).toHaveLength(1)
  })
})

describe('the outbox', () => {
  test('every change has its event, with the request that caused it and no values of fields', async () => {
    const own = await newPortal(server)
    const made = await own.call('POST', 'businesses/', { body: own.business() })
    const changed = await own.call('PATCH', made.body.url, {
      body: { trading_name: 'Secret name', phone: null },
      headers: { 'if-match': made.body.etag },
    })
    const archived = await own.call('POST', `${made.body.url}archive/`, { headers: { 'if-match': changed.body.etag } })
    await own.call('POST', `${made.body.url}restore/`, { headers: { 'if-match': archived.body.etag } })
    const { body, text } = await own.call('GET', 'events/?order=sequence')
    expect(
      body.items.map((event: { type: string; sequence: number; data: { resource: { version: number } } }) => [
        event.type,
        event.sequence,
        event.data.resource.version,
      ]),
    ).toEqual([
      ['business.created', 1, 1],
      ['business.updated', 2, 2],
      ['business.archived', 3, 3],
      ['business.restored', 4, 4],
    ])
    expect(body.items[1].data).toMatchObject({
      changes: ['trading_name', 'phone'],
      request_id: changed.headers.get('request-id'),
      state: 'active',
    })
    expect(body.items[2].data).toMatchObject({ state: 'archived', previous_state: 'active' })
    expect(text).not.toContain('Secret name')
    expect((await own.call('GET', body.items[0].data.resource.url)).body.id).toBe(made.body.id)
    expect((await own.call('GET', `events/${body.items[0].id}/`)).body).toEqual(body.items[0])
    expect(
      (await own.call('GET', 'events/?sequence_after=2&order=sequence')).body.items.map(
        (event: { sequence: number }) => event.sequence,
      ),
    ).toEqual([3, 4])
    expect((await own.call('GET', 'events/?type=business.archived')).body.items).toHaveLength(1)
    expect((await own.call('GET', `events/?resource_id=${made.body.id}`)).body.items).toHaveLength(4)
  })

  test('a refused change leaves no event', async () => {
    const own = await newPortal(server)
    const made = await own.call('POST', 'businesses/', { body: own.business() })
    await own.call('PATCH', made.body.url, { body: { trading_name: 'x' }, headers: { 'if-match': '"stale"' } })
    await own.call('POST', `${made.body.url}restore/`, { headers: { 'if-match': made.body.etag } })
    expect((await own.call('GET', 'events/')).body.items).toHaveLength(1)
  })

  test('numbers have no gaps and no doubles, however many write and number at once', async () => {
    const own = await newPortal(server)
    const event = (n: number) => ({
      type: 'business.updated',
      resource: { type: 'business', id: `biz_${n}`, path: '/businesses/x/', version: 1 },
    })
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await server.context.database.transaction((tx) => publish(tx, own.caller, event(n)))
        if (n % 5 === 0) await numberEvents(server.context.database, own.id)
      }),
    )
    await Promise.all([1, 2, 3].map(() => numberEvents(server.context.database, own.id)))
    const rows = await server.context.database.read
      .selectFrom('events')
      .select('sequence')
      .where('portal_id', '=', own.id)
      .orderBy('sequence')
      .execute()
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
  })
})

describe('housekeeping', () => {
  test('old events, expired idempotency keys and long-dead jobs go; the rest stays', async () => {
    const clocked = await startTestServer()
    const own = await newPortal(clocked)
    const run = async () => {
      for (const job of housekeepingJobs) await job.run(clocked.context, { portal_id: deployment, payload: {} })
    }
    const count = async (table: 'events' | 'idempotency_keys' | 'jobs') =>
      (await clocked.context.database.read.selectFrom(table).select('portal_id').execute()).length
    const made = await own.call('POST', 'businesses/', { body: own.business() })
    const event = (await own.call('GET', 'events/')).body.items[0]
    await run()
    expect([await count('events'), await count('idempotency_keys')]).toEqual([1, 1])
    clocked.clock.advance(73 * hour)
    await run()
    expect([await count('events'), await count('idempotency_keys')]).toEqual([1, 0])
    clocked.clock.advance(28 * day)
    expect((await own.call('GET', `events/${event.id}/`)).body.code).toBe('event_expired')
    expect((await own.call('GET', 'events/')).body.items).toEqual([])
    await run()
    expect(await count('events')).toBe(0)
    expect((await own.call('GET', `events/${event.id}/`)).body.code).toBe('not_found')
    expect((await own.call('GET', made.body.url)).status).toBe(200)
    await clocked.stop()
  })
})
