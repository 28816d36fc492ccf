// What grows by itself is cut back by itself, in batches small enough not to hold anybody up. How much may go is said by
// `clock.expiry()`, which never runs away: an hour removes at most what usually goes in six.
import type { Kysely } from 'kysely'
import { chainEntries } from '../audit/chain.ts'
import { day, hour, isoTime, minute } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { deadJobsKeptMs, deployment, type JobDefinition } from './jobs.ts'
import { numberEvents } from './outbox.ts'
import { attemptSeparately } from './separate-attempts.ts'

export const eventsKeptMs = 30 * day

/** What is left over waits for the next round. */
const housekeepingTimeoutMs = 4 * minute

export const housekeepingJobs: readonly JobDefinition[] = [
  {
    kind: 'housekeeping.expired_idempotency_keys',
    every_ms: hour,
    timeout_ms: housekeepingTimeoutMs,
    needs_clock: true,
    run: (context, { signal }) =>
      deleteInBatches(context, signal, 'idempotency_keys', 'key', (db, portalId) =>
        db
          .selectFrom('idempotency_keys')
          .select('key as id')
          .where('portal_id', '=', portalId)
          .where('expires_at', '<=', isoTime(context.clock.expiry()))
          .limit(batchSize),
      ),
  },
  {
    kind: 'housekeeping.old_events',
    every_ms: hour,
    timeout_ms: housekeepingTimeoutMs,
    needs_clock: true,
    run: (context, { signal }) =>
      deleteInBatches(
        context,
        signal,
        'events',
        'id',
        (db, portalId) =>
          // Events are numbered about in the order of time, so only the first ones can be old.
          db
            .selectFrom((eb) =>
              eb
                .selectFrom('events')
                .select(['id', 'created_at'])
                .where('portal_id', '=', portalId)
                .where('sequence', 'is not', null)
                .orderBy('sequence')
                .limit(batchSize)
                .as('oldest'),
            )
            .select('oldest.id')
            .where('oldest.created_at', '<=', isoTime(context.clock.expiry() - eventsKeptMs)),
        // An event that is not in the audit log yet would be missing there. Where this fails, nothing is deleted.
        async (portalId) => {
          await numberEvents(context.database, portalId)
          await chainEntries(context.database, portalId)
        },
      ),
  },
  {
    kind: 'housekeeping.dead_jobs',
    every_ms: day,
    timeout_ms: housekeepingTimeoutMs,
    needs_clock: true,
    run: (context, { signal }) =>
      deleteInBatches(context, signal, 'jobs', 'id', (db, portalId) =>
        db
          .selectFrom('jobs')
          .select('id')
          .where('portal_id', '=', portalId)
          .where('dead_at', '<=', isoTime(context.clock.expiry() - deadJobsKeptMs))
          .limit(batchSize),
      ),
  },
]

interface Doomed {
  execute(): Promise<{ id: string }[]>
}

async function deleteInBatches(
  context: Context,
  signal: AbortSignal,
  table: 'idempotency_keys' | 'events' | 'jobs',
  column: 'key' | 'id',
  doomed: (db: Kysely<Tables>, portalId: string) => Doomed,
  prepare?: (portalId: string) => Promise<void>,
): Promise<void> {
  const each = attemptSeparately(context, signal)
  for (const portal_id of await ownerIds(context))
    await each.attempt({ portal_id }, async () => {
      await prepare?.(portal_id)
      while (!signal.aborted) {
        const rows = await doomed(context.database.read, portal_id).execute()
        if (rows.length === 0) break
        const ids = rows.map((row) => row.id)
        await context.database.transaction(async (tx) => {
          const { ref } = tx.dynamic
          await tx.deleteFrom(table).where('portal_id', '=', portal_id).where(ref<never>(column), 'in', ids).execute()
        })
        if (rows.length < batchSize) break
      }
    })
  each.end()
}

/** Every owner of rows: the Portals, and the deployment itself. */
async function ownerIds(context: Context): Promise<string[]> {
  return [deployment, ...(await portalIds(context))]
}

export async function portalIds({ database }: { database: Pick<Context['database'], 'read'> }): Promise<string[]> {
  const rows = await database.read.selectFrom('portals').select('portal_id').orderBy('portal_id').execute()
  return rows.map((row) => row.portal_id)
}

const batchSize = 500
