// What every write stands on: transactions that share a commit or a journey are still whole, apart and in order.
import { DeduplicateJoinsPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { compileInsert, compileOnce } from '../src/platform/database/compiled-query.ts'
import type { Database, Tx } from '../src/platform/database/database.ts'
import { openPostgres } from '../src/platform/database/postgres.ts'
import { doAhead } from '../src/platform/database/transactions.ts'
import { newId } from '../src/platform/values/ids.ts'
import { describeOn, newPortal, startTestServer, type TestServer } from './harness.ts'

const insertPortals = compileInsert('portals')
let server: TestServer
let database: Database

beforeAll(async () => {
  server = await startTestServer()
  database = server.context.database
})
afterAll(() => server.stop())

describe('transactions', () => {
  test('many at once: those that fail leave nothing, those that succeed are there, whoever they shared a commit with', async () => {
    const before = await portalIds()
    const insertTwo = (index: number) =>
      database.transaction(async (tx) => {
        const id = await insertPortal(tx)
        if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
        await insertPortal(tx, `${id}b`)
        if (index % 3 === 0) throw new Error('on purpose')
        return id
      })
    const outcomes: PromiseSettledResult<string>[] = []
    // No more at once than get a connection in time on a busy machine.
    for (let first = 0; first < 300; first += 60)
      outcomes.push(...(await Promise.allSettled(Array.from({ length: 60 }, (_, index) => insertTwo(first + index)))))
    const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(done).toHaveLength(200)
    expect(await portalIds()).toEqual([...before, ...done, ...done.map((id) => `${id}b`)].sort())
  })

  test('an insert that nobody waited for is there for the next statement of its transaction', async () => {
    await database.transaction(async (tx) => {
      const id = await insertPortal(tx)
      const found = await tx.selectFrom('portals').select('name').where('portal_id', '=', id).executeTakeFirst()
      expect(found).toEqual({ name: 'Portal' })
    })
  })

  test('a transaction whose last insert cannot be done fails as a duplicate and leaves nothing', async () => {
    const taken = await database.transaction((tx) => insertPortal(tx))
    const before = await portalIds()
    const failure = await database
      .transaction(async (tx) => {
        await insertPortal(tx)
        await insertPortal(tx, taken)
        await insertPortal(tx)
      })
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    expect(database.troubleOf(failure)?.kind).toBe('duplicate')
    expect(await portalIds()).toEqual(before)
    // The connection it ran on is as good as before.
    await Promise.all(Array.from({ length: 20 }, () => database.transaction((tx) => insertPortal(tx))))
    expect(await portalIds()).toHaveLength(before.length + 20)
  })

  test('a value that cannot be written fails its transaction, and nothing of it stays', async () => {
    const before = await portalIds()
    const circular: { self?: unknown } = {}
    circular.self = circular
    const attempt = database.transaction(async (tx) => {
      await insertPortal(tx)
      // safe because this is the fault
      await insertPortal(tx, circular as unknown as string)
      await insertPortal(tx)
    })
    await expect(attempt).rejects.toThrow()
    expect(await portalIds()).toEqual(before)
    await Promise.all(Array.from({ length: 20 }, () => database.transaction((tx) => insertPortal(tx))))
    expect(await portalIds()).toHaveLength(before.length + 20)
  })

  test('more inserts than one statement can hold still go in together', async () => {
    const before = await portalIds()
    const ids = await database.transaction(async (tx) => {
      const made: string[] = []
      for (let i = 0; i < 400; i++) made.push(await insertPortal(tx))
      return made
    })
    expect(await portalIds()).toEqual([...before, ...ids].sort())
  })

  test('requests that take the same reference at once: one gets it, all others are told who has it', async () => {
    const portal = await newPortal(server)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        portal.call('POST', 'businesses/', { body: portal.business({ external_reference: 'only-one' }) }),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    for (const { status, body } of answers.filter((answer) => answer !== made[0])) {
      expect([status, body.code, body.details[0].meta.existing_url]).toEqual([409, 'already_exists', made[0]?.body.url])
    }
  })
})

describe('work that is begun before it is known whether it may be done', () => {
  /** Refused from the beginning: a transaction that has to wait for its turn looks at that later. */
  function refusal(): Promise<void> {
    const refused = Promise.reject(new Error('refused'))
    refused.catch(() => undefined)
    return refused
  }

  /** Work that reads, changes and reads again, and what became of each step, under a permission that is given or refused. */
  async function workUnder(permission: Promise<void>) {
    const steps: string[] = []
    const id = newId('ptl')
    const outcome = await database
      .transaction(async (tx) =>
        doAhead(tx, permission, async () => {
          await tx.selectFrom('portals').select('portal_id').limit(1).execute()
          steps.push('read')
          await insertPortal(tx, id)
          steps.push('changed')
          return 'done'
        }).catch((error: Error) => error.message),
      )
      .catch((error: Error) => `thrown: ${error.message}`)
    return { steps, outcome, isThere: (await portalIds()).includes(id) }
  }

  test('with permission it is done', async () => {
    expect(await workUnder(Promise.resolve())).toEqual({ steps: ['read', 'changed'], outcome: 'done', isThere: true })
  })

  test('without permission it gets no answer to what it has read, and changes nothing even though its transaction ends well', async () => {
    expect(await workUnder(refusal())).toEqual({
      steps: [],
      outcome: 'refused',
      isThere: false,
    })
  })

  test('a change that comes first waits for the permission', async () => {
    const before = await portalIds()
    const outcome = await database.transaction((tx) => {
      const later = new Promise<void>((_, reject) => setImmediate(() => reject(new Error('refused'))))
      return doAhead(tx, later, async () => {
        await insertPortal(tx)
        await sql`update portals set name = 'changed'`.execute(tx)
      }).catch((error: Error) => error.message)
    })
    expect(outcome).toBe('refused')
    expect(await portalIds()).toEqual(before)
    expect(await database.read.selectFrom('portals').select('name').where('name', '=', 'changed').execute()).toEqual([])
  })

  test('with a plugin of Kysely around the transaction, everything waits', async () => {
    const before = await portalIds()
    const attempt = (permission: Promise<void>) =>
      database.transaction((tx) => {
        // safe because a transaction with a plugin is one
        const wrapped = tx.withPlugin(new DeduplicateJoinsPlugin()) as Tx
        return doAhead(wrapped, permission, () => insertPortal(wrapped))
      })
    await expect(attempt(refusal())).rejects.toThrow('refused')
    expect(await portalIds()).toEqual(before)
    const id = await attempt(Promise.resolve())
    expect(await portalIds()).toContain(id)
  })

  test('a refusal comes before the failure of the work', async () => {
    const refused = refusal()
    const attempt = database.transaction((tx) =>
      doAhead(tx, refused, async () => {
        throw new Error('of the work')
      }),
    )
    await expect(attempt).rejects.toThrow('refused')
  })

  test('work that goes on after a failed statement gets no further', async () => {
    const before = await portalIds()
    const attempt = database.transaction((tx) =>
      doAhead(tx, refusal(), async () => {
        for (let tries = 0; tries < 3; tries++) await insertPortal(tx).catch(() => undefined)
      }),
    )
    await expect(attempt).rejects.toThrow('refused')
    expect(await portalIds()).toEqual(before)
  })
})

describeOn('sqlite')('transactions that share a commit', () => {
  test('when the database gives up all of them, each fails as unavailable and nothing stays', async () => {
    const before = await portalIds()
    const outcomes = await Promise.allSettled([
      database.transaction((tx) => insertPortal(tx)),
      database.transaction((tx) => insertPortal(tx)),
      database.transaction(async (tx) => {
        await insertPortal(tx)
        // What SQLite does by itself when the disk is full.
        await sql`rollback`.execute(tx)
        throw new Error('database or disk is full')
      }),
    ])
    const kinds = outcomes.map((outcome) => outcome.status === 'rejected' && database.troubleOf(outcome.reason)?.kind)
    expect(kinds).toEqual(['unavailable', 'unavailable', 'unavailable'])
    expect(await portalIds()).toEqual(before)
    await database.transaction((tx) => insertPortal(tx))
    expect(await portalIds()).toHaveLength(before.length + 1)
  })
})

describeOn('sqlite')('transactions that follow one another without a pause', () => {
  test('let everybody else have a turn of the event loop between them', async () => {
    // Longer than those that share a commit may take together.
    const work = (tx: Tx) =>
      sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000) select count(*) from numbers`.execute(
        tx,
      )
    const rounds = 10
    const follow = async () => {
      for (let round = 0; round < rounds; round++) await database.transaction(work)
    }
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    count()
    await Promise.all([follow(), follow()])
    isOver = true
    expect(turns).toBeGreaterThanOrEqual(rounds)
  })
})

describeOn('postgres')('statements that are sent together', () => {
  test('fail by the first error among them, and what was skipped works on the same connection afterwards', async () => {
    const { context } = server
    const own = openPostgres({ ...context.config, database_pool_size: 1 }, context.log, 'request')
    onTestFinished(() => own.close())
    const names = compileOnce((db, { id }: { id: string }) =>
      db.selectFrom('portals').select('name').where('portal_id', '=', id),
    )
    const backend = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(own.read)).rows[0]?.pid
    const taken = await database.transaction((tx) => insertPortal(tx))
    const pid = await backend()
    const failures: unknown[] = []
    const keep = (error: unknown) => failures.push(error)
    await own
      .transaction(async (tx) => {
        await insertPortal(tx, taken)
        // PostgreSQL skips the preparation of the first, so it does not know the statement of the second.
        await Promise.all([1, 2, 3].map(() => names(tx, { id: taken }).catch(keep)))
        await names(tx, { id: taken }).catch(keep)
        throw new Error('after the failure')
      })
      .catch(keep)
    expect(failures.slice(0, 4).map((failure) => own.troubleOf(failure)?.kind)).toEqual(Array(4).fill('duplicate'))
    expect(failures[4]).toEqual(new Error('after the failure'))
    await own.transaction(async (tx) => {
      for (let time = 0; time < 2; time++) expect(await names(tx, { id: taken })).toEqual([{ name: 'Portal' }])
    })
    expect(await backend()).toBe(pid)
  })
})

describeOn('postgres')('a table that has just been filled', () => {
  test('is planned for by what is in it, within seconds', async () => {
    const plan = async () => {
      const { rows } = await database.transaction(async (tx) => {
        await sql`set local plan_cache_mode = force_generic_plan`.execute(tx)
        await sql`prepare by_key as select status from idempotency_keys where portal_id = $1 and key = $2`.execute(tx)
        const found = await sql<Record<string, string>>`explain execute by_key ('', '')`.execute(tx)
        await sql`deallocate by_key`.execute(tx)
        return found
      })
      return rows.flatMap((row) => Object.values(row)).join('\n')
    }
    const knownRows = async () => {
      const { rows } = await sql<{ reltuples: number }>`
        select reltuples from pg_class where relname = 'idempotency_keys'
      `.execute(database.read)
      return rows[0]?.reltuples
    }
    await sql`
      insert into idempotency_keys
      select 'ptl_a', number::text, 'POST', '/v1/', '', '', '', '', 201, '{}', repeat('x', 900), now(), now() + interval '1 day'
      from generate_series(1, 500) as number
    `.execute(database.write)
    await expect.poll(knownRows, { timeout: 20_000, interval: 200 }).toBeGreaterThanOrEqual(500)
    expect(await plan()).toContain('idempotency_keys_pkey')
  })
})

async function insertPortal(tx: Tx, id = newId('ptl')): Promise<string> {
  const now = new Date().toISOString()
  await insertPortals(tx, [{ portal_id: id, name: 'Portal', state: 'active', last_sequence: 0, created_at: now }])
  return id
}

async function portalIds(): Promise<string[]> {
  const rows = await database.read.selectFrom('portals').select('portal_id').execute()
  return rows.map(({ portal_id }) => portal_id).sort()
}
