// How much waits to be sent, and for how long. Each look into the table is one into an index, and bounded.
import { type RawBuilder, sql } from 'kysely'
import type { Connection } from '../../../platform/database/database.ts'
import { isSentTo } from '../endpoints/queries.ts'

/** Enough to see that something is wrong; counting all would read all. */
export const countedOfWebhook = 1000

export async function countWaiting(db: Connection): Promise<Record<'pending' | 'retrying', number>> {
  const countOf = (state: string) => sql`
    coalesce(sum((
      select count(*) from (
        select 1 from webhook_deliveries
        where webhook_deliveries.portal_id = webhooks.portal_id and webhook_deliveries.webhook_id = webhooks.id
          and webhook_deliveries.state = ${state}
        order by webhook_deliveries.created_at limit ${countedOfWebhook}
      ) as counted
    )), 0)`
  const { rows } = await sql<{ pending: number; retrying: number }>`
    select ${countOf('pending')} as pending, ${countOf('retrying')} as retrying from webhooks
  `.execute(db)
  const [{ pending, retrying } = { pending: 0, retrying: 0 }] = rows
  return { pending: Number(pending), retrying: Number(retrying) }
}

/** For how many milliseconds the oldest delivery that nobody has claimed has been due. */
export async function oldestDue(
  db: Connection,
  now: RawBuilder<string>,
): Promise<Record<'healthy' | 'failing', number>> {
  const { rows } = await sql<{ is_failing: number; due_at: string; now: string }>`
    select is_failing, min(due_at) as due_at, ${now} as now
    from (
      select
        case when failing_since is null then 0 else 1 end as is_failing,
        (
          select next_attempt_at from webhook_deliveries
          where webhook_deliveries.portal_id = webhooks.portal_id and webhook_deliveries.webhook_id = webhooks.id
            and next_attempt_at is not null
          order by next_attempt_at limit 1
        ) as due_at
      from webhooks where ${isSentTo}
    ) as firsts
    where due_at is not null
    group by is_failing
  `.execute(db)
  const ages = { healthy: 0, failing: 0 }
  for (const { is_failing, due_at, now: at } of rows)
    ages[is_failing ? 'failing' : 'healthy'] = Math.max(0, Date.parse(at) - Date.parse(due_at))
  return ages
}
