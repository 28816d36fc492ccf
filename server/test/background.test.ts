// Jobs and housekeeping, on a real database and a clock that tests move.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { housekeepingJobs } from '../src/platform/background/housekeeping.ts'
import {
  claimJobs,
  deployment,
  dueOwners,
  enqueue,
  type JobDefinition,
  scheduleRepeating,
} from '../src/platform/background/jobs.ts'
import { leaseMs, whileLeased } from '../src/platform/background/lease.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { startWorker } from '../src/platform/background/worker.ts'
import { day, hour, minute, second } from '../src/platform/clock.ts'
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
const removeJobs = (kind: string) =>
  server.context.database.transaction((tx) => tx.deleteFrom('jobs').where('kind', '=', kind).execute())
const jobsOf = (kind: string) =>
  server.context.database.read.selectFrom('jobs').selectAll().where('kind', '=', kind).execute()
const claim = (kind: string, limit = 100) => claimJobs(server.context, portal.id, [kind], limit)
const define = (kind: string, run: JobDefinition['run'], more: Partial<JobDefinition> = {}): JobDefinition => ({
  kind,
  run,
  ...more,
})

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

  test('whoever waits for a job is told when it is given up, once', async () => {
    await add('hopeless', { payload: { n: 1 } })
    const told: unknown[] = []
    const definition = define(
      'hopeless',
      async () => {
        throw new Error('no')
      },
      {
        maximum_attempts: 2,
        giveUp: async (_context, { payload }) => {
          told.push(payload)
        },
      },
    )
    const outcomes: string[] = []
    for (let attempt = 0; attempt < 2; attempt++) {
      const [job] = await claim('hopeless')
      if (job) outcomes.push(await runJob(server.context, definition, job))
      server.clock.advance(minute)
    }
    expect([outcomes, told]).toEqual([['failed', 'dead'], [{ n: 1 }]])
    await removeJobs('hopeless')
  })

  test('a job is not claimed before its time', async () => {
    await add('later', { after_ms: hour })
    expect(await claim('later')).toEqual([])
    server.clock.advance(hour + second)
    expect(await claim('later')).toHaveLength(1)
  })

  test('a job whose worker died is claimed again after its lease, and the dead worker can no longer end it', async () => {
    await add('leased')
    const [first] = await claim('leased')
    expect(await claim('leased')).toEqual([])
    server.clock.advance(leaseMs + second)
    const [second_] = await claim('leased')
    expect(second_?.attempts).toBe(2)
    const definitions = define('leased', async () => undefined)
    if (first) await runJob(server.context, definitions, first)
    expect(await jobsOf('leased')).toHaveLength(1)
    if (second_) await runJob(server.context, definitions, second_)
    expect(await jobsOf('leased')).toEqual([])
  })

  test('a lease is renewed while the work goes on: nobody takes over a job that takes longer than its lease', async () => {
    await add('long')
    const [job] = await claim('long')
    if (!job) throw new Error('nothing was claimed')
    const leaseEnd = async () => Date.parse((await jobsOf('long'))[0]?.run_at ?? '')
    const work = async () => {
      for (let round = 0; round < 3; round++) {
        server.clock.advance(leaseMs - second)
        await expect.poll(leaseEnd).toBeGreaterThan(server.clock.now() + leaseMs - 5 * second)
        expect(await claim('long')).toEqual([])
      }
    }
    await whileLeased(server.context, job, work, 10)
    await removeJobs('long')
  })

  test('a worker that was away while another took its job over is told, and nothing of what it did is kept', async () => {
    await add('paused')
    const [paused] = await claim('paused')
    server.clock.advance(leaseMs + second)
    const [successor] = await claim('paused')
    if (!paused || !successor) throw new Error('nothing was claimed')
    const signals: boolean[] = []
    const definition = define('paused', async ({ database }, { signal }) => {
      const writing = database.transaction((tx) =>
        enqueue(tx, server.context, { portal_id: portal.id, kind: 'effect' }),
      )
      await writing.catch(() => signals.push(signal.aborted))
    })
    expect(await runJob(server.context, definition, paused)).toBe('lost')
    expect([signals, await jobsOf('effect')]).toEqual([[true], []])
    expect(await jobsOf('paused')).toMatchObject([{ lease: successor.lease, attempts: 2, last_error: null }])
    expect(await runJob(server.context, definition, successor)).toBe('done')
    expect(await jobsOf('effect')).toHaveLength(1)
    await removeJobs('effect')
  })

  test('work that goes on after its time was up writes nothing any more', async () => {
    await add('overdue')
    const [job] = await claim('overdue')
    let late: Promise<unknown> = Promise.resolve()
    const definition = define(
      'overdue',
      ({ database }, { signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => {
            late = expect
              .poll(async () => (await jobsOf('overdue'))[0]?.lease)
              .toBeNull()
              .then(() =>
                database.transaction((tx) => enqueue(tx, server.context, { portal_id: portal.id, kind: 'late' })),
              )
          }),
        ),
      { timeout_ms: 20, waits_ms: [hour] },
    )
    expect(job && (await runJob(server.context, definition, job))).toBe('failed')
    await expect(late).rejects.toThrow('another worker')
    expect(await jobsOf('late')).toEqual([])
    await removeJobs('overdue')
  })

  test('a kind has its own waits between attempts', async () => {
    await add('patient')
    const failing = define('patient', () => Promise.reject(new Error('no')), { waits_ms: [hour, 3 * hour] })
    const waits: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const [job] = await claim('patient')
      if (job) await runJob(server.context, failing, job)
      const wait = Date.parse((await jobsOf('patient'))[0]?.run_at ?? '') - server.clock.now()
      waits.push(Math.floor(wait / (hour - second)))
      server.clock.advance(wait + second)
    }
    expect([waits[0], waits.slice(1).every((one) => one === 3)]).toEqual([1, true])
    await removeJobs('patient')
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

  test('a repeating job that fails is tried again no later than it repeats, or after a minute', async () => {
    await add('failing-often')
    for (const [every_ms, longest] of [
      [second, minute],
      [5 * minute, 5 * minute],
      [day, hour],
    ] as const) {
      const failing = define('failing-often', () => Promise.reject(new Error('no')), { every_ms })
      const [job] = await claim('failing-often')
      expect(job && (await runJob(server.context, failing, { ...job, attempts: 12 }))).toBe('failed')
      const wait = Date.parse((await jobsOf('failing-often'))[0]?.run_at ?? '') - server.clock.now()
      expect(wait).toBeGreaterThan(longest - 5 * second)
      expect(wait).toBeLessThan(1.2 * longest + 5 * second)
      server.clock.advance(wait + second)
    }
    await removeJobs('failing-often')
  })

  test('a job that takes too long is failed and its work told to stop', async () => {
    await add('slow')
    let wasTold = false
    const definition = define(
      'slow',
      (_context, { signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => {
            wasTold = true
          }),
        ),
      { timeout_ms: 20 },
    )
    const [job] = await claim('slow')
    expect(job && (await runJob(server.context, definition, job))).toBe('failed')
    expect(wasTold).toBe(true)
  })

  test('a job that takes its process down each time is dead after its last attempt, without being run again', async () => {
    await add('deadly')
    let runs = 0
    const definition = define('deadly', async () => void runs++, { maximum_attempts: 2 })
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await claim('deadly')).toHaveLength(1) // and then the process is gone
      server.clock.advance(leaseMs + second)
    }
    const [job] = await claim('deadly')
    expect(job && (await runJob(server.context, definition, job))).toBe('dead')
    expect(runs).toBe(0)
  })

  test('jobs of kinds this release does not know are left to the release that does', async () => {
    await add('from-the-future')
    expect(await claim('something-else')).toEqual([])
    expect((await jobsOf('from-the-future'))[0]?.attempts).toBe(0)
  })

  test('a unique job is added once while it waits, and again when it is dead', async () => {
    await add('unique', { unique_key: 'u' })
    await add('unique', { unique_key: 'u' })
    expect(await jobsOf('unique')).toHaveLength(1)
    const [job] = await claim('unique')
    const failing = define('unique', () => Promise.reject(new Error('no')), { maximum_attempts: 1 })
    expect(job && (await runJob(server.context, failing, job))).toBe('dead')
    await add('unique', { unique_key: 'u', payload: { again: true } })
    expect(await claim('unique')).toMatchObject([{ payload: { again: true }, attempts: 1 }])
  })

  test('owners with due jobs are found, each once, however many jobs they have', async () => {
    const other = await newPortal(server)
    for (let i = 0; i < 5; i++) await add('owners')
    await add('owners', { portal_id: other.id })
    await add('owners', { portal_id: (await newPortal(server)).id, after_ms: hour })
    const owners = await dueOwners(server.context)
    expect(owners.filter((id) => id === portal.id || id === other.id)).toHaveLength(2)
    expect(new Set(owners).size).toBe(owners.length)
    await removeJobs('owners')
  })

  test('a Portal with a flood of slow jobs does not hold up another, nor does one slow job hold up the worker', async () => {
    const other = await newPortal(server)
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const finished: string[] = []
    const worker = startWorker(
      server.context,
      [define('flood', () => gate), define('single', async () => undefined)],
      { jobFinished: (kind) => void finished.push(kind) },
      { places: 4, idleMs: 10 },
    )
    for (let i = 0; i < 30; i++) await add('flood')
    await expect.poll(async () => (await jobsOf('flood')).filter((job) => job.lease !== null).length).toBe(2)
    await add('single', { portal_id: other.id })
    await expect.poll(() => finished).toEqual(['single'])
    release()
    await expect.poll(() => finished.length).toBe(31)
    await worker.stop()
  })

  test('a kind holds no more places than it may have, half of them for one Portal, and leaves the rest to others', async () => {
    const other = await newPortal(server)
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const finished: string[] = []
    const worker = startWorker(
      server.context,
      [define('waiting', () => gate, { most_at_once: 4 }), define('working', async () => undefined)],
      { jobFinished: (kind) => void finished.push(kind) },
      { places: 8, idleMs: 10 },
    )
    const running = async () => (await jobsOf('waiting')).filter((job) => job.lease !== null).length
    for (let i = 0; i < 10; i++) await add('waiting')
    await expect.poll(running).toBe(2)
    for (const { id } of [other, await newPortal(server)])
      for (let i = 0; i < 10; i++) await add('waiting', { portal_id: id })
    await expect.poll(running).toBe(4)
    // Of Portals whose other jobs wait, too.
    for (const portal_id of [portal.id, other.id]) await add('working', { portal_id })
    await expect.poll(() => finished).toEqual(['working', 'working'])
    expect(await running()).toBe(4)
    release()
    await expect.poll(() => finished.length).toBe(32)
    await worker.stop()
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
    const stopped = worker.stop().then(() => ran.push('stopped'))
    release?.()
    await stopped
    expect(ran.slice(-2)).toEqual(['worker.slow finished', 'stopped'])
    const [repeating] = await jobsOf('worker.repeats')
    expect(repeating).toMatchObject({ lease: null, portal_id: deployment })
    expect(Date.parse(repeating?.run_at ?? '')).toBeGreaterThan(server.clock.now() + hour - minute)
    await scheduleRepeating(server.context, definitions)
    expect(await jobsOf('worker.repeats')).toHaveLength(1)
  })
})

describe('a worker that stops', () => {
  test('tells the jobs under way; one that gives up is due again at once with no attempt used up', async () => {
    let isRunning = false
    const outcomes: string[] = []
    const giving = define('stops.gives-up', (_context, { signal }) => {
      isRunning = true
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const start = (definition: JobDefinition) =>
      startWorker(
        server.context,
        [definition],
        { jobFinished: (_kind, outcome) => void outcomes.push(outcome) },
        { idleMs: 10 },
      )
    await add('stops.gives-up')
    const worker = start(giving)
    await expect.poll(() => isRunning).toBe(true)
    await worker.stop()
    expect(await jobsOf('stops.gives-up')).toMatchObject([{ lease: null, attempts: 0, last_error: null }])
    const next = start(define('stops.gives-up', async () => undefined))
    await expect.poll(() => outcomes.at(-1)).toBe('done')
    await next.stop()
    // The one that stopped may have had it once more: it was due again while its last look was under way.
    expect(new Set(outcomes.slice(0, -1))).toEqual(new Set(['returned']))
  })

  test('a repeating job that a stop has cut short is due again at once', async () => {
    const every_ms = hour
    const repeating = define(
      'stops.repeats',
      (_context, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      { every_ms },
    )
    const worker = startWorker(server.context, [repeating], { jobFinished: () => undefined }, { idleMs: 10 })
    await expect.poll(async () => (await jobsOf('stops.repeats'))[0]?.lease ?? null).not.toBeNull()
    await worker.stop()
    const [job] = await jobsOf('stops.repeats')
    expect(job).toMatchObject({ lease: null, attempts: 0 })
    expect(Date.parse(job?.run_at ?? '')).toBeLessThanOrEqual(server.clock.now())
    await removeJobs('stops.repeats')
  })
})

describe('housekeeping', () => {
  test('old events, expired idempotency keys and long-dead jobs go; the rest stays', async () => {
    const clocked = await startTestServer()
    const own = await newPortal(clocked)
    const other = await newPortal(clocked)
    const run = async () => {
      for (const job of housekeepingJobs)
        await job.run(clocked.context, {
          portal_id: deployment,
          request_id: null,
          payload: {},
          signal: new AbortController().signal,
        })
    }
    const count = async (table: 'events' | 'idempotency_keys' | 'jobs') =>
      (await clocked.context.database.read.selectFrom(table).select('portal_id').execute()).length
    await clocked.context.database.transaction(async (tx) => {
      await enqueue(tx, clocked.context, { portal_id: deployment, kind: 'died' })
      await tx
        .updateTable('jobs')
        .set({ dead_at: new Date(clocked.clock.now()).toISOString() })
        .execute()
    })
    const made = await own.call('POST', 'businesses/', { body: own.business() })
    const event = (await own.call('GET', 'events/')).body.items[0]
    await run()
    expect([await count('events'), await count('idempotency_keys'), await count('jobs')]).toEqual([1, 1, 1])
    clocked.clock.advance(73 * hour)
    await run()
    expect([await count('events'), await count('idempotency_keys')]).toEqual([1, 0])
    clocked.clock.advance(28 * day)
    expect((await own.call('GET', `events/${event.id}/`)).body.code).toBe('event_expired')
    expect((await own.call('GET', 'events/')).body.items).toEqual([])
    await run()
    expect([await count('events'), await count('jobs')]).toEqual([0, 0])
    const gone = await own.call('GET', `events/${event.id}/`)
    expect([gone.status, gone.body.code]).toEqual([410, 'event_expired'])
    // Whose it was cannot be told, nor whether it ever was; what is older than a Portal was never its own.
    const neverWas = await other.call('GET', `events/${event.id.slice(0, -4)}0000/`)
    const foreign = await other.call('GET', `events/${event.id}/`)
    for (const answer of [foreign, neverWas])
      expect({ ...answer.body, request_id: '' }).toEqual({ ...gone.body, request_id: '' })
    expect((await other.call('GET', `events/evt_${'0'.repeat(26)}/`)).status).toBe(404)
    expect((await own.call('GET', made.body.url)).status).toBe(200)
    await clocked.stop()
  })
})
