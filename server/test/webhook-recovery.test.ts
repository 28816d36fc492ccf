// Recoveries of many deliveries, and what happens to a webhook in their middle; and deliveries whose webhook, claim or
// database changes while they are under way.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { continueRecovery } from '../src/areas/webhooks/deliveries/commands.ts'
import { oldestDue } from '../src/areas/webhooks/deliveries/depth-queries.ts'
import { claimDeliveries, requeue } from '../src/areas/webhooks/deliveries/queries.ts'
import { findWebhook, setFailingSince } from '../src/areas/webhooks/endpoints/queries.ts'
import { fanOut } from '../src/areas/webhooks/sending/fan-out.ts'
import { writeOutcomes } from '../src/areas/webhooks/sending/outcomes.ts'
import { setPortalState } from '../src/building-blocks/portals/commands.ts'
import { lockPortal } from '../src/platform/background/outbox.ts'
import { day, isoTime, minute } from '../src/platform/clock.ts'
import { newId } from '../src/platform/values/ids.ts'
import { jsonHere } from './command-here.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { describeOn, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { atLeisure } from './many-rows.ts'
import { cleanUp, cleanups } from './real-servers.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
})
afterAll(() => server.stop())
afterEach(cleanUp)

interface Subscribed {
  portal: TestPortal
  sink: Sink
  id: string
  path: string
}

/** A Portal of its own with a webhook that is active, as if its sink had echoed. */
async function subscribe(): Promise<Subscribed> {
  const portal = await newPortal(server)
  const sink = await startSink()
  cleanups.push(() => sink.close())
  const body = { url: sink.url, event_types: ['business.created'] }
  const { id } = (await portal.call('POST', 'webhooks/', { body })).body
  await set(id, { state: 'active' })
  await server.context.database.transaction((tx) => tx.deleteFrom('jobs').where('portal_id', '=', portal.id).execute())
  return { portal, sink, id, path: `webhooks/${id}/` }
}

const set = (id: string, values: { state: string } | { url: string }) =>
  server.context.database.transaction((tx) => tx.updateTable('webhooks').set(values).where('id', '=', id).execute())

/** Lets everything be sent, until the end of the test. */
function deliver(): void {
  const background = startBackground(server.context, server.metrics)
  cleanups.push(() => background.stop())
}

const makeBusiness = ({ portal }: Subscribed) => portal.call('POST', 'businesses/', { body: portal.business() })
const read = async ({ portal }: Subscribed, path: string) => (await portal.call('GET', path)).body
const act = async (one: Subscribed, method: string, rest: string) => {
  const { etag } = await read(one, one.path)
  const { status, text } = await one.portal.call(method, `${one.path}${rest}`, { headers: { 'if-match': etag } })
  expect(status, text).toBe(200)
}

const failed = 520
const stateCounts = async ({ id }: Subscribed): Promise<Record<string, number>> => {
  const rows = await server.context.database.read
    .selectFrom('webhook_deliveries')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where('webhook_id', '=', id)
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
}

/** Deliveries that have failed, more than a piece of a recovery. */
async function failMany({ portal, id, path }: Subscribed): Promise<void> {
  await portal.call('POST', `${path}test/`)
  await atLeisure(server.context, async (tx) => {
    await sql`update webhook_deliveries set state = 'failed', next_attempt_at = null where webhook_id = ${id}`.execute(
      tx,
    )
    await sql`
      insert into webhook_deliveries (portal_id, id, webhook_id, event_id, event_type, state, state_changed_at, attempts,
        scheduled_attempts, trigger, next_attempt_at, created_at, updated_at)
      select portal_id, id || '-' || n, webhook_id, null, event_type, state, state_changed_at, attempts,
        scheduled_attempts, trigger, next_attempt_at, created_at, updated_at
      from webhook_deliveries, (
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(failed - 1)})
        select n from numbers
      ) as copies
      where webhook_id = ${id}
    `.execute(tx)
  })
}

async function recover(one: Subscribed): Promise<string> {
  const body = { since: isoTime(server.clock.now() - day), states: ['failed'] }
  const reply = await one.portal.call('POST', `${one.path}recover/`, { body })
  expect(reply.status, reply.text).toBe(202)
  return reply.body.url
}

test('422 names since when the time to recover from is in the future, and until when it is before since', async () => {
  const one = await subscribe()
  const details = async (body: unknown) => (await one.portal.call('POST', `${one.path}recover/`, { body })).body.details
  const [soon, before] = [server.clock.now() + day, server.clock.now() - day].map(isoTime)
  expect(await details({ since: soon })).toMatchObject([{ pointer: '/since', code: 'out_of_range' }])
  expect(await details({ since: soon, until: before })).toMatchObject([{ pointer: '/until', code: 'out_of_range' }])
})

/** One piece of a recovery, as if its worker had been killed after it. */
const takeOnePiece = ({ portal }: Subscribed, url: string) =>
  server.context.database.transaction((tx) => continueRecovery(tx, portal.caller, url.split('/').at(-2) ?? ''))

/** Nobody works on the Portal's jobs until what is returned is called. */
async function holdJobs({ portal }: Subscribed): Promise<() => Promise<unknown>> {
  const dueAt = (run_at: string) =>
    server.context.database.transaction((tx) =>
      tx.updateTable('jobs').set({ run_at }).where('portal_id', '=', portal.id).execute(),
    )
  await dueAt(isoTime(server.clock.now() + day))
  return () => dueAt(isoTime(server.clock.now() - day))
}

describe('a recovery of many failed deliveries', () => {
  test('goes on where it was when its worker is killed, and sends each once', async () => {
    const one = await subscribe()
    await failMany(one)
    const url = await recover(one)
    expect(await takeOnePiece(one, url)).toBe(false)
    expect(await read(one, url)).toMatchObject({ state: 'running', requeued_count: 500 })
    deliver()
    await expect.poll(async () => (await read(one, url)).state, { timeout: 20_000 }).toBe('completed')
    expect((await read(one, url)).requeued_count).toBe(failed)
    await expect.poll(() => stateCounts(one), { timeout: 40_000 }).toEqual({ succeeded: failed })
    const ids = one.sink.received.map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([failed, failed])
  })

  test('of a webhook that is paused meanwhile is completed; everything waits, and is sent after the pause', async () => {
    const one = await subscribe()
    await failMany(one)
    const url = await recover(one)
    await takeOnePiece(one, url)
    await act(one, 'POST', 'pause/')
    await runDueJobs(server.context, one.portal.id)
    expect(await read(one, url)).toMatchObject({ state: 'completed', requeued_count: failed })
    expect(await stateCounts(one)).toEqual({ pending: failed })
    await act(one, 'POST', 'resume/')
    deliver()
    await expect.poll(() => stateCounts(one), { timeout: 40_000 }).toEqual({ succeeded: failed })
  })

  test('of a webhook that is disabled meanwhile fails; nothing waits for it, and all can be recovered later', async () => {
    const one = await subscribe()
    await failMany(one)
    const url = await recover(one)
    await takeOnePiece(one, url)
    one.sink.answer = (response) => response.writeHead(410).end()
    const goOn = await holdJobs(one)
    deliver()
    await expect.poll(async () => (await read(one, one.path)).state, { timeout: 20_000 }).toBe('disabled')
    await goOn()
    await expect.poll(async () => (await read(one, url)).state, { timeout: 20_000 }).toBe('failed')
    // What was under way has the outcome that it came to; the rest of what was queued is skipped.
    await expect
      .poll(
        async () => {
          server.clock.advance(minute)
          const { pending = 0, retrying = 0 } = await stateCounts(one)
          return pending + retrying
        },
        { timeout: 30_000 },
      )
      .toBe(0)
    const { failed: left = 0, skipped = 0 } = await stateCounts(one)
    expect(left + skipped).toBe(failed)
    expect(left).toBeGreaterThanOrEqual(failed - 500)
    await act(one, 'POST', 'resume/')
    one.sink.answer = (response) => response.end()
    const body = { since: isoTime(server.clock.now() - day) }
    const again = (await one.portal.call('POST', `${one.path}recover/`, { body })).body
    await expect.poll(() => stateCounts(one), { timeout: 40_000 }).toEqual({ succeeded: failed })
    expect((await read(one, again.url)).state).toBe('completed')
  })

  test('of a webhook that is deleted meanwhile fails; what it had queued is cancelled, and nothing is sent', async () => {
    const one = await subscribe()
    await failMany(one)
    const url = await recover(one)
    await takeOnePiece(one, url)
    await act(one, 'DELETE', '')
    await runDueJobs(server.context, one.portal.id)
    const { read: db } = server.context.database
    const row = await db.selectFrom('webhook_recoveries').select('state').where('webhook_id', '=', one.id).execute()
    expect(row).toEqual([{ state: 'failed' }])
    expect(await stateCounts(one)).toEqual({ cancelled: 500, failed: failed - 500 })
    await runRepeating(server.context, 'webhooks.old_deliveries')
    expect(await stateCounts(one)).toEqual({})
    expect(one.sink.received).toEqual([])
  })
})

/** Answers that the sink still owes. */
function hold({ sink }: Subscribed) {
  const owed: ((status: number) => void)[] = []
  sink.answer = (response) => owed.push((status) => response.writeHead(status).end())
  return {
    owes: (count: number) => expect.poll(() => owed.length, { timeout: 20_000 }).toBe(count),
    answer: (index: number, status: number) => owed[index]?.(status),
  }
}

describe('deliveries that are claimed ahead, because the endpoint answers at once,', () => {
  /** So many calls hang and more are claimed, after some that were answered. */
  async function claimAhead(one: Subscribed) {
    await failMany(one)
    await recover(one)
    const owed: ((status: number) => void)[] = []
    let answeredAtOnce = 40
    one.sink.answer = (response) => {
      if (answeredAtOnce-- > 0) response.end()
      else owed.push((status) => response.writeHead(status).end())
    }
    const background = startBackground(server.context, server.metrics)
    cleanups.push(() => background.stop())
    for (;;) {
      await expect.poll(() => owed.length, { interval: 5 }).toBe(calledAtOnce)
      // While all places are taken, nothing more is claimed.
      if ((await claimedOf(one)) > calledAtOnce) return { background, owed }
      // Too slow for one that answers at once, as a busy machine makes it.
      answeredAtOnce = 40
      for (const answer of owed.splice(0)) answer(200)
    }
  }
  const calledAtOnce = 16
  const claimedOf = async ({ id }: Subscribed): Promise<number> => {
    const { count } = await server.context.database.read
      .selectFrom('webhook_deliveries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('webhook_id', '=', id)
      .where('lease', 'is not', null)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  test('are given back when it fails: only what is under way stays claimed', async () => {
    const one = await subscribe()
    const { owed } = await claimAhead(one)
    owed.pop()?.(500)
    await expect.poll(() => claimedOf(one), { timeout: 20_000 }).toBe(calledAtOnce - 1)
    for (const answer of owed) answer(200)
  })

  test('are given back when the webhook is paused: only what is under way arrives', async () => {
    const one = await subscribe()
    const { owed } = await claimAhead(one)
    await act(one, 'POST', 'pause/')
    await expect.poll(() => claimedOf(one), { timeout: 20_000 }).toBe(calledAtOnce)
    const before = one.sink.received.length
    for (const answer of owed) answer(200)
    await expect.poll(() => claimedOf(one), { timeout: 20_000 }).toBe(0)
    expect(one.sink.received).toHaveLength(before)
    expect((await stateCounts(one)).pending).toBe(failed - before)
  })

  test('are given back when the Portal is suspended: only what is under way arrives, and the rest once it is resumed', async () => {
    const one = await subscribe()
    const { owed } = await claimAhead(one)
    const become = (state: 'active' | 'suspended') =>
      server.context.database.transaction((tx) => setPortalState(tx, server.context, one.portal.id, state))
    await become('suspended')
    await expect.poll(() => claimedOf(one), { timeout: 20_000 }).toBe(calledAtOnce)
    const before = one.sink.received.length
    for (const answer of owed.splice(0)) answer(200)
    await expect.poll(() => claimedOf(one), { timeout: 20_000 }).toBe(0)
    // Others are served meanwhile.
    const other = await subscribe()
    await makeBusiness(other)
    await expect.poll(() => other.sink.received.length, { timeout: 20_000 }).toBe(1)
    expect(await stateCounts(one)).toEqual({ succeeded: before, pending: failed - before })
    // What cannot be sent is not late.
    const { database } = server.context
    expect((await oldestDue(database.read, database.timeIn(server.clock, 0))).healthy).toBe(0)
    one.sink.answer = (response) => response.end()
    await become('active')
    await expect.poll(() => stateCounts(one), { timeout: 20_000 }).toEqual({ succeeded: failed })
    expect(one.sink.received).toHaveLength(failed)
  })

  test('of a Portal that was suspended count as failing only from its return on', async () => {
    const { portal, id } = await subscribe()
    const { database, config } = server.context
    const failingSince = async () => (await findWebhook(database.read, portal.id, id))?.failing_since
    await database.transaction((tx) => setFailingSince(tx, portal.id, id, isoTime(server.clock.now() - 6 * day)))
    const environment = {
      PORTICO_DATA_DIR: config.data_dir,
      PORTICO_SECRET_KEY: config.secret_key?.toString('base64') ?? '',
      ...(config.database_url !== undefined && { PORTICO_DATABASE_URL: config.database_url }),
    }
    await jsonHere(['portal', 'suspend', portal.id], environment)
    expect(await failingSince()).not.toBeNull()
    await jsonHere(['portal', 'resume', portal.id], environment)
    expect(await failingSince()).toBeNull()
  })

  test('are given back by a worker that stops: another sends them at once, and each arrives once', async () => {
    const one = await subscribe()
    const { background, owed } = await claimAhead(one)
    const stopped = background.stop()
    await expect.poll(() => claimedOf(one), { timeout: 20_000 }).toBe(calledAtOnce)
    for (const answer of owed) answer(200)
    await stopped
    one.sink.answer = (response) => response.end()
    deliver()
    await expect.poll(() => stateCounts(one), { timeout: 20_000 }).toEqual({ succeeded: failed })
    const ids = one.sink.received.map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([failed, failed])
  })
})

const deliveries = async (one: Subscribed) => (await read(one, `${one.path}deliveries/`)).items

describe('a delivery that is under way', () => {
  test('when another one makes its webhook disabled has the state that it comes to', async () => {
    const one = await subscribe()
    const sink = hold(one)
    deliver()
    for (const _ of [1, 2, 3]) await makeBusiness(one)
    await sink.owes(3)
    sink.answer(2, 410)
    await expect.poll(async () => (await read(one, one.path)).state, { timeout: 20_000 }).toBe('disabled')
    // The job that ends what waits has had its turn.
    await expect.poll(() => jobsOf(one), { timeout: 20_000 }).toEqual([expect.objectContaining({ lease: null })])
    sink.answer(0, 200)
    sink.answer(1, 500)
    await expect
      .poll(
        async () => {
          server.clock.advance(minute)
          return (await stateCounts(one)) as Record<string, number>
        },
        { timeout: 20_000 },
      )
      .toEqual({ succeeded: 1, skipped: 1, failed: 1 })
    await expect.poll(() => jobsOf(one), { timeout: 20_000 }).toEqual([])
  })

  const jobsOf = ({ portal }: Subscribed) =>
    server.context.database.read
      .selectFrom('jobs')
      .selectAll()
      .where('portal_id', '=', portal.id)
      .where('kind', '=', 'webhooks.end_deliveries')
      .execute()

  test('and succeeds after another one has failed makes its webhook healthy again', async () => {
    const one = await subscribe()
    const sink = hold(one)
    deliver()
    for (const _ of [1, 2]) await makeBusiness(one)
    await sink.owes(2)
    sink.answer(1, 500)
    const failingSince = async () => (await read(one, one.path)).failing_since
    await expect.poll(failingSince, { timeout: 20_000 }).not.toBeNull()
    sink.answer(0, 200)
    await expect.poll(failingSince, { timeout: 20_000 }).toBeNull()
  })

  test('to an address that the webhook has left meanwhile does not disable it by answering 410', async () => {
    const one = await subscribe()
    const sink = hold(one)
    deliver()
    await makeBusiness(one)
    await sink.owes(1)
    const moved = await startSink()
    cleanups.push(() => moved.close())
    await set(one.id, { url: moved.url })
    sink.answer(0, 410)
    await expect.poll(() => stateCounts(one), { timeout: 20_000 }).toEqual({ failed: 1 })
    await makeBusiness(one)
    await expect.poll(() => stateCounts(one), { timeout: 20_000 }).toEqual({ failed: 1, succeeded: 1 })
    expect(await read(one, one.path)).toMatchObject({ state: 'active', failing_since: null })
  })

  test('and is taken over by another worker has two attempts, each with a number of its own', async () => {
    const one = await subscribe()
    const sink = hold(one)
    deliver()
    await makeBusiness(one)
    await sink.owes(1)
    const { database, clock } = server.context
    // As if its claim had run out: its worker is presumed dead.
    await database.transaction((tx) =>
      tx
        .updateTable('webhook_deliveries')
        .set({ next_attempt_at: database.timeIn(clock, 0) })
        .where('webhook_id', '=', one.id)
        .execute(),
    )
    database.announce()
    await sink.owes(2)
    sink.answer(0, 500)
    const attempts = async () => (await read(one, (await deliveries(one))[0].attempts_url)).items
    await expect.poll(async () => (await attempts()).length, { timeout: 20_000 }).toBe(1)
    expect((await deliveries(one))[0].state).toBe('pending')
    sink.answer(1, 200)
    await expect.poll(async () => (await deliveries(one))[0].state, { timeout: 20_000 }).toBe('succeeded')
    const shown = (await attempts()).map(({ number, response_status }: Record<string, number>) => [
      number,
      response_status,
    ])
    expect(shown).toEqual([
      [1, 500],
      [2, 200],
    ])
  })
})

test('an outcome that is written again because its answer was lost is in the log once', async () => {
  const one = await subscribe()
  await makeBusiness(one)
  const { context } = server
  const { database, clock } = context
  await fanOut(context, { portal_id: one.portal.id, is_awaited: true })
  const webhook = (await findWebhook(database.read, one.portal.id, one.id)) ?? expect.fail('there is no webhook')
  for (const status of [500, 200]) {
    const claim = {
      now: database.timeIn(clock, 0),
      until: database.timeIn(clock, minute),
      lease: newId('lease'),
      limit: 1,
    }
    const endpoint = { portal_id: one.portal.id, webhook_id: one.id }
    const [delivery = expect.fail('nothing is due')] = await claimDeliveries(database, endpoint, claim)
    const sent = {
      started_at: isoTime(clock.now()),
      duration_ms: 1,
      response_status: status,
      response_body: '',
      error_code: status === 200 ? null : 'response_status',
      error_message: null,
      retry_after: undefined,
    }
    const finished = [{ delivery, webhook, sent, attempt_id: newId('att') }]
    for (const _ of [1, 2]) await writeOutcomes(context, finished)
    server.clock.advance(minute)
  }
  const [{ attempt_count, state, attempts_url }] = await deliveries(one)
  expect([attempt_count, state]).toEqual([2, 'succeeded'])
  const numbers = (await read(one, attempts_url)).items.map(({ number }: { number: number }) => number)
  expect(numbers).toEqual([1, 2])
})

test('deliveries have the time of Portico, and are due by the clock of the database', async () => {
  const one = await subscribe()
  await makeBusiness(one)
  const { context } = server
  const { database, clock } = context
  const ahead = { ...database, timeIn: (own: typeof clock, ms: number) => database.timeIn(own, ms + 40 * day) }
  await fanOut({ ...context, database: ahead }, { portal_id: one.portal.id, is_awaited: true })
  const [{ created_at, next_attempt_at }] = await deliveries(one)
  expect(Math.abs(Date.parse(created_at) - clock.now())).toBeLessThan(minute)
  expect(Math.abs(Date.parse(next_attempt_at) - clock.now() - 40 * day)).toBeLessThan(minute)
})

describeOn('postgres')('rows that somebody else holds', () => {
  /** Holds the row of a Portal until the result is called. */
  async function holdPortal({ portal }: Subscribed): Promise<() => Promise<void>> {
    let release: () => void = () => undefined
    let transaction: Promise<void> = Promise.resolve()
    await new Promise<void>((held) => {
      transaction = atLeisure(server.context, async (tx) => {
        await lockPortal(tx, portal.id)
        held()
        await new Promise<void>((resolve) => {
          release = resolve
        })
      })
    })
    return () => {
      release()
      return transaction
    }
  }

  test('of one Portal do not hold up the deliveries of another', async () => {
    const [held, other] = [await subscribe(), await subscribe()]
    deliver()
    const release = await holdPortal(held)
    await makeBusiness(held)
    const before = server.logLines.length
    const events = 8
    for (let count = 1; count <= events; count++) {
      await makeBusiness(other)
      await expect.poll(() => other.sink.received.length, { timeout: 20_000 }).toBe(count)
    }
    // Each time that the held row was waited for in vain is in the log. The other's events did not wait as often.
    const inVain = server.logLines.slice(before).filter((line) => line.includes('could not be prepared'))
    expect(inVain.length).toBeLessThan(events)
    expect(held.sink.received).toEqual([])
    await release()
    await expect.poll(() => held.sink.received.length, { timeout: 20_000 }).toBe(1)
  })

  test('of a Portal whose deliveries are being made keep its webhook from being disabled meanwhile', async () => {
    const one = await subscribe()
    const sink = hold(one)
    deliver()
    await makeBusiness(one)
    await sink.owes(1)
    const release = await holdPortal(one)
    const before = server.logLines.length
    sink.answer(0, 410)
    await expect.poll(async () => (await deliveries(one))[0].state, { timeout: 20_000 }).toBe('failed')
    expect((await read(one, one.path)).state).toBe('active')
    await release()
    // On a busy machine the row was held for longer than it is waited for: then the next 410 counts.
    one.sink.answer = (response) => response.writeHead(410).end()
    const isInVain = () => server.logLines.slice(before).some((line) => line.includes('health of a webhook could not'))
    let isTold = false
    const state = async () => {
      if (isInVain() && !isTold) {
        isTold = true
        await makeBusiness(one)
      }
      return (await read(one, one.path)).state
    }
    await expect.poll(state).toBe('disabled')
  })

  test('of an old delivery that is being asked for again keep it from being removed', async () => {
    const one = await subscribe()
    await failMany(one)
    await set(one.id, { state: 'paused' })
    const { database, clock } = server.context
    server.clock.advance(31 * day)
    const [{ id }] = await deliveries(one)
    const remove = () => runRepeating(server.context, 'webhooks.old_deliveries')
    let removal = Promise.resolve()
    /** On a busy machine the row is held for longer than it is waited for. */
    let isGivenUp = false
    await atLeisure(server.context, async (tx) => {
      const now = isoTime(clock.now())
      await requeue(tx, one.portal.id, [id], { now, due: database.timeIn(clock, 0), trigger: 'redelivery' })
      removal = remove().catch((error) => {
        if (database.troubleOf(error)?.kind !== 'unavailable') throw error
        isGivenUp = true
      })
      // It has found the delivery, and waits for its row.
      const waiting = sql`
        select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()
      `
      await expect.poll(async () => isGivenUp || (await waiting.execute(database.read)).rows.length > 0).toBe(true)
    })
    await removal
    if (isGivenUp) await remove()
    expect(await stateCounts(one)).toEqual({ pending: 1 })
  })
})
