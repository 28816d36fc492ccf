// What the database keeps of Portico's own time, for other processes and the next start. One row for the deployment.
import { sql } from 'kysely'
import { note } from '../audit/notes.ts'
import { isoTime } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import { type OwnTime, toleranceMs } from '../own-time.ts'
import { asDeployment, deployment } from './jobs.ts'

/** A context whose clock is looked after. */
export interface TimedContext extends Context {
  clock: OwnTime
}

/** Moves what waits for its time, when the clock that it waits by was set back. */
export type SetBack = (tx: Tx, context: Context, milliseconds: number) => Promise<void>

/** The reference for the own time: the clock of the database where it has one, or the clock of the machine. */
export async function readReference({ database, clock }: Context): Promise<number> {
  return readTime(database.read, database.timeIn({ ...clock, now: clock.wall }, 0))
}

async function readTime(db: Connection, time: ReturnType<Context['database']['timeIn']>): Promise<number> {
  const { rows } = await sql<{ time: string }>`select ${time} as time`.execute(db)
  return Date.parse(rows[0]?.time ?? '')
}

export async function findKeptTime({ database }: Context) {
  return database.read.selectFrom('kept_times').selectAll().where('portal_id', '=', deployment).executeTakeFirst()
}

/** Takes up the time where the last process left it. */
export async function beginTime(context: TimedContext): Promise<void> {
  const kept = await findKeptTime(context)
  const times = kept && { now: Date.parse(kept.kept_at), expiry: Date.parse(kept.expiry_at) }
  context.clock.begin(await readReference(context), times)
}

/** Keeps the time. Whoever finds that the clock which judges due work was set back moves that work along with it. */
export async function keepTime(context: TimedContext, setBacks: readonly SetBack[]): Promise<void> {
  const { database, clock } = context
  await database.transaction(async (tx) => {
    const row = { ...timesOf(clock), judged_at: isoTime(await readTime(tx, database.timeIn(clock, 0))) }
    const before = await lockRow(tx, row)
    const setBackMs = Date.parse(before.judged_at) - Date.parse(row.judged_at)
    if (setBackMs > toleranceMs) for (const setBack of setBacks) await setBack(tx, context, setBackMs)
    await tx.updateTable('kept_times').set(row).where('portal_id', '=', deployment).execute()
  })
}

/** Says to every process that the reference is right, and to those that start later. */
export async function acceptTime(context: TimedContext): Promise<void> {
  context.clock.accept(await readReference(context))
  await context.database.transaction(async (tx) => {
    const { acceptances } = await lockRow(tx, { ...timesOf(context.clock), judged_at: isoTime(context.clock.now()) })
    await tx
      .updateTable('kept_times')
      .set({ ...timesOf(context.clock), acceptances: acceptances + 1 })
      .where('portal_id', '=', deployment)
      .execute()
    await note(tx, asDeployment(context), { action: 'clock.accepted', resource_id: deployment })
  })
}

function timesOf(clock: OwnTime) {
  return {
    kept_at: isoTime(clock.believed()),
    expiry_at: isoTime(clock.expiry()),
    difference_ms: clock.difference() ?? null,
  }
}

/** The row as it is, and nobody else's until the end of the transaction. */
function lockRow(
  tx: Tx,
  first: { kept_at: string; expiry_at: string; judged_at: string; difference_ms: number | null },
) {
  return tx
    .insertInto('kept_times')
    .values({ portal_id: deployment, acceptances: 0, ...first })
    .onConflict((conflict) => conflict.column('portal_id').doUpdateSet({ acceptances: sql`kept_times.acceptances` }))
    .returningAll()
    .executeTakeFirstOrThrow()
}
