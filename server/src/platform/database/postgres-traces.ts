// What PostgreSQL keeps of rows that are gone: samples of their values in its statistics, until a table is analysed again,
// and the rows themselves in its data files, until their space is used again or the table is written anew. Done in a
// session of its own, because neither fits into the time that a statement of the pool has.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { second } from '../clock.ts'
import { ConnectionFailed, type Rewriting, type Rewritten } from './database.ts'
import { VersionedClient } from './postgres-version.ts'
import { everyPortal, told } from './postgres-wall.ts'

/** Leaves nothing of deleted rows in the statistics of these tables. Nobody waits for it. */
export async function forgetStatistics(connectionString: string, tables: readonly string[]): Promise<void> {
  await inOwnSession(connectionString, async (client) => {
    const failures: unknown[] = []
    for (const table of tables)
      await forgetStatisticsOf(client, table, 2 * second).catch((error) => {
        // Others do not wait for this one.
        if (!isLocked(error)) throw error
        failures.push(error)
      })
    if (failures.length > 0) throw failures[0]
  })
}

/** Each text is one journey and one transaction, so that it can be sent through a pooler as well. */
async function forgetStatisticsOf(client: pg.Client, table: string, patienceMs: number): Promise<void> {
  const settings = `set local statement_timeout = 0; set local ${told(everyPortal)};`
  await client.query(`${settings} set local lock_timeout = '5s'; analyze ${table}`)
  const isEmpty = await client.query(`${settings} select 1 from ${table} limit 1`).then(hasNoRows)
  if (!isEmpty) return
  // A table without rows gives nothing to analyse, and its old statistics stay. They go with a change of the type of their
  // column, also when it changes into what it is. Columns of policies cannot be changed, and hold ids.
  // Whether there are any, the owner is not told: row-level security hides statistics, too.
  const { rows } = await client.query<{ column: string; type: string; collation: string | null }>(`
    select quote_ident(attname) as column, format_type(atttypid, atttypmod) as type,
      (select quote_ident(collname) from pg_catalog.pg_collation c where c.oid = a.attcollation and collname <> 'default')
        as collation
    from pg_catalog.pg_attribute a
    where attrelid = '${table}'::regclass and attnum > 0 and atttypid in ('text'::regtype, 'json'::regtype, 'bigint'::regtype, 'date'::regtype, 'timestamptz'::regtype)
      and not exists (
      select 1 from pg_catalog.pg_depend d
      where d.refobjid = a.attrelid and d.refobjsubid = a.attnum and d.classid = 'pg_catalog.pg_policy'::regclass
    )
  `)
  const changes = rows.map(
    ({ column, type, collation }) => `alter ${column} type ${type}${collation ? ` collate ${collation}` : ''}`,
  )
  await whenUnlocked(patienceMs, () =>
    client.query(`${settings} set local lock_timeout = '${lockTimeout}'; alter table ${table} ${changes.join(', ')}`),
  )
}

/** Of several statements, the last one counts; pg gives a list of results for them. */
function hasNoRows(results: unknown): boolean {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results
  return (last as pg.QueryResult).rows.length === 0 // safe because every statement has a result
}

/**
 * Writes the tables anew, and what PostgreSQL knows of their values. The result is what could not be written, with the
 * reason; nothing is, while a transaction that is older than this call could still see deleted rows: they would be copied.
 */
export async function rewriteTables(
  connectionString: string,
  tables: readonly string[],
  { patienceMs, progress }: Rewriting,
): Promise<Rewritten> {
  return inOwnSession(connectionString, async (client) => {
    const left: Rewritten['left'] = []
    let warning: string | undefined
    client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING') warning ??= message
    })
    await client.query(`set statement_timeout = 0; set lock_timeout = '${lockTimeout}'`)
    const older = await untilOlderEnded(client, patienceMs)
    if (older.length > 0) return { older, left }
    // The statistics are a table as well. Last, when those of all others are new.
    for (const [index, table] of [...tables, statistics].entries()) {
      warning = undefined
      // What was true of them until just now may be seen by whoever has begun meanwhile.
      const since = table === statistics ? await untilOlderEnded(client, patienceMs) : []
      if (since.length > 0) {
        left.push({ table, reason: `${since.join(', ')} can still see the old ones` })
        continue
      }
      try {
        if (table !== statistics) await forgetStatisticsOf(client, table, patienceMs)
        await whenUnlocked(patienceMs, () => client.query(`vacuum (full) ${table}`))
        // PostgreSQL leaves out a table of somebody else, and only mentions it.
        if (warning !== undefined) left.push({ table, reason: warning })
      } catch (error) {
        if (!isLocked(error)) throw error
        left.push({ table, reason: 'another session holds a lock on it' })
      }
      progress(index + 1)
    }
    return { older, left }
  })
}

const statistics = 'pg_catalog.pg_statistic'
/** Whoever waits for a lock makes every request that comes later wait too. */
const lockTimeout = '300ms'

/** Sessions and others that began before this call and may still see what was deleted, if they have not ended in time. */
async function untilOlderEnded(client: pg.Client, patienceMs: number): Promise<string[]> {
  const { rows } = await client.query<{ xid: string }>('select pg_current_xact_id()::xid::text as xid')
  const [{ xid } = { xid: '0' }] = rows
  const deadline = performance.now() + patienceMs
  for (;;) {
    // A vacuum has an old view and looks at nothing with it.
    const found = await client.query<{ name: string }>(
      `select 'session ' || pid || coalesce(' of the role ' || usename, '') as name from pg_catalog.pg_stat_activity
        where pid <> pg_backend_pid() and (datname = current_database() or datname is null)
          and greatest(age(backend_xmin), age(backend_xid)) > age($1::xid)
          and pid not in (select pid from pg_catalog.pg_stat_progress_vacuum)
      union all select 'prepared transaction ' || gid from pg_catalog.pg_prepared_xacts
        where database = current_database() and age(transaction) > age($1::xid)
      union all select 'replication slot ' || slot_name from pg_catalog.pg_replication_slots
        where greatest(age(xmin), age(catalog_xmin)) > age($1::xid)`,
      [xid],
    )
    if (found.rows.length === 0) return []
    if (performance.now() > deadline) return found.rows.map(({ name }) => name)
    await wait(second / 5)
  }
}

async function whenUnlocked<T>(patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let round = 1; ; round++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error
      await wait(Math.min(100 * round, 2000))
    }
  }
}

/** Somebody else has the lock. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['55P03', '40P01'].includes(String(error.code))
}

async function inOwnSession<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new VersionedClient({
    connectionString,
    application_name: 'portico traces',
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  // A connection that breaks fails its query; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect().catch((cause: Error) => {
      throw new ConnectionFailed(cause)
    })
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
