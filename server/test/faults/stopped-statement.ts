// Stops whoever comes to a certain change of a row, in the middle of its transaction: a kill then lands there and nowhere
// else. On PostgreSQL it waits for a lock that the test holds; SQLite knows no waiting, and counts without end instead.
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { sql } from 'kysely'
import type { Context } from '../../src/platform/context.ts'
import { atLeisure } from '../many-rows.ts'

/** A change of a row, as the engines name it in a trigger: `before <change> on <table> for each row when (<condition>)`. */
export interface StoppedChange {
  change: string
  table: string
  condition: string
}

/** Runs `work` while every such change stops; `isReached` says whether somebody has stopped there. */
export async function whileStopped(
  context: Context,
  stopped: StoppedChange,
  work: (isReached: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  await (context.database.engine === 'sqlite' ? onSqlite : onPostgres)(context, stopped, work)
}

const onSqlite: typeof whileStopped = async ({ database, config }, { change, table, condition }, work) => {
  // A server may be writing just now.
  const run = (text: string) => database.patiently(() => sql.raw(text).execute(database.write))
  await run(
    'create view endless as with recursive numbers (n) as (select 1 union all select n + 1 from numbers) select n from numbers',
  )
  await run(
    `create trigger stop before ${change} on ${table} for each row when (${condition}) begin select count(*) from endless; end`,
  )
  try {
    const file = join(config.data_dir, 'portico.db')
    await work(async () => isLocked(file) && isLocked(file))
  } finally {
    await run('drop trigger stop')
    await run('drop view endless')
  }
}

/**
 * Whether somebody writes all the time: transactions are much shorter than this connection waits. One that a busy machine
 * holds up is over when somebody looks again.
 */
function isLocked(file: string): boolean {
  const connection = new DatabaseSync(file, { timeout: 1000 })
  try {
    connection.exec('begin immediate; rollback')
    return false
  } catch {
    return true
  } finally {
    connection.close()
  }
}

const onPostgres: typeof whileStopped = async (context, { change, table, condition }, work) => {
  const { database } = context
  const run = (text: string) => sql.raw(text).execute(database.write)
  await run(`create function stop() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${lockNumber});
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end $$`)
  await run(`create trigger stop before ${change} on ${table} for each row when (${condition}) execute function stop()`)
  try {
    // Held for as long as the work takes: the transaction of a request would be ended after 15 s.
    await atLeisure(context, async (tx) => {
      await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(tx)
      await work(async () => {
        const { rows } = await sql`
          select 1 from pg_locks where locktype = 'advisory' and objid = ${lockNumber} and not granted
            and database = (select oid from pg_database where datname = current_database())
        `.execute(database.read)
        return rows.length > 0
      })
    })
  } finally {
    await run(`drop function stop() cascade`)
  }
}

const lockNumber = 471_100
