// What came of attempts. An outcome counts only under the claim that its delivery was sent with: another worker may have
// taken the delivery over, or somebody may have asked for it anew. The attempt itself is always kept.
import type { RawBuilder } from 'kysely'
import { compileInsert } from '../../../platform/database/compiled-query.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { groupBy } from '../../../platform/values/groups.ts'
import type { AttemptRow, DeliveryRow } from './queries.ts'
import type { DeliveryState } from './states.ts'

/** What became of a delivery that was claimed. */
export interface DeliveryOutcome {
  portal_id: string
  id: string
  /** The claim under which it was sent; another worker may have taken it since. */
  claimed: string
  state: DeliveryState
  state_changed_at: string
  scheduled_attempts: number
  last_response_status: number | null
  last_error_code: string | null
  next_attempt_at: RawBuilder<string> | null
  updated_at: string
}

/** How many attempts were made of a delivery, with the one that is being recorded: its number. */
interface CountedAttempt {
  id: string
  attempts: number
}

/** Undefined when another worker has taken the delivery over. */
export async function recordOutcome(
  tx: Tx,
  { claimed, portal_id, id, ...outcome }: DeliveryOutcome,
): Promise<CountedAttempt | undefined> {
  return tx
    .updateTable('webhook_deliveries')
    .set((eb) => ({ ...outcome, attempts: eb('attempts', '+', 1), lease: null }))
    .where('portal_id', '=', portal_id)
    .where('id', '=', id)
    .where('lease', '=', claimed)
    .returning(['id', 'attempts'])
    .executeTakeFirst()
}

/** Deliveries that arrived, each under the claim it was sent with; returns those that no other worker has. */
export async function recordSuccesses(
  tx: Tx,
  delivered: readonly (DeliveryRow & { status: number | null })[],
  now: string,
): Promise<(CountedAttempt & { lease: string | null })[]> {
  const groups = groupBy(delivered, ({ portal_id, lease, status }) => `${portal_id} ${lease} ${status}`)
  const recorded: (CountedAttempt & { lease: string | null })[] = []
  for (const group of groups.values()) {
    const [{ portal_id = '', lease = '', status = null } = {}] = group
    const rows = await tx
      .updateTable('webhook_deliveries')
      .set((eb) => ({
        state: 'succeeded',
        state_changed_at: now,
        attempts: eb('attempts', '+', 1),
        scheduled_attempts: eb('scheduled_attempts', '+', 1),
        last_response_status: status,
        last_error_code: null,
        next_attempt_at: null,
        lease: null,
        updated_at: now,
      }))
      .where('portal_id', '=', portal_id)
      .where('lease', '=', lease)
      .where(
        'id',
        'in',
        group.map(({ id }) => id),
      )
      .returning(['id', 'attempts'])
      .execute()
    recorded.push(...rows.map((row) => ({ ...row, lease })))
  }
  return recorded
}

/** Counts an attempt whose delivery went on without it; undefined when the delivery no longer exists. */
export async function countAttempt(
  tx: Tx,
  { portal_id, id }: Pick<DeliveryRow, 'portal_id' | 'id'>,
): Promise<CountedAttempt | undefined> {
  return tx
    .updateTable('webhook_deliveries')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('portal_id', '=', portal_id)
    .where('id', '=', id)
    .returning(['id', 'attempts'])
    .executeTakeFirst()
}

/** Whether an attempt is in the log: then it was counted, and only its writer has not heard of it. */
export async function isKnownAttempt(
  tx: Tx,
  { portal_id, id: delivery_id }: Pick<DeliveryRow, 'portal_id' | 'id'>,
  id: string,
): Promise<boolean> {
  const known = await tx
    .selectFrom('webhook_attempts')
    .select('id')
    .where('portal_id', '=', portal_id)
    .where('delivery_id', '=', delivery_id)
    .where('id', '=', id)
    .executeTakeFirst()
  return known !== undefined
}

const insertAttemptRows = compileInsert('webhook_attempts')

export async function insertAttempts(tx: Tx, rows: readonly AttemptRow[]): Promise<void> {
  if (rows.length > 0) await insertAttemptRows(tx, rows)
}
