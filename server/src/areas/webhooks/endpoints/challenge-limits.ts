// How many challenges go out. They are sent to addresses that nobody has confirmed yet, so registrations must not be a way
// to flood somebody else: a Portal has a number for each hour, and so has a host, whoever asks.
import { sql } from 'kysely'
import { deployment } from '../../../platform/background/jobs.ts'
import { hour, isoTime, second } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { hostOf } from '../../../platform/outbound/public-addresses.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'

const windowMs = hour
/** Enough to register every webhook a Portal can have, and to verify each once more. */
const mostPerPortal = 100
/** Some hosts receive for many Portals: one Portal alone must not use up what there is. */
const mostPerHost = 1000

/** Counts a challenge that is about to be sent; refuses one too many. What is refused does not count. */
export async function countChallenge(tx: Tx, caller: Caller, url: string): Promise<void> {
  const now = caller.context.clock.now()
  const limits = [
    { portal_id: caller.portal_id, host: '', most: mostPerPortal, whose: 'from this Portal' },
    { portal_id: deployment, host: hostOf(new URL(url)), most: mostPerHost, whose: 'to this host' },
  ]
  for (const { most, whose, ...counter } of limits) {
    const { sent, began_at } = await countOne(tx, counter, now)
    if (sent <= most) continue
    const retrySeconds = Math.max(1, Math.ceil((Date.parse(began_at) + windowMs - now) / second))
    const message = `Too many challenges were sent ${whose}: at most ${most} are allowed in an hour. Retry later.`
    throw new ApiError('rate_limited', { message, headers: { 'retry-after': String(retrySeconds) } })
  }
}

async function countOne(tx: Tx, { portal_id, host }: { portal_id: string; host: string }, now: number) {
  const began_at = isoTime(now)
  const over = isoTime(now - windowMs)
  const isOver = sql<boolean>`webhook_challenges.began_at <= ${over}`
  return tx
    .insertInto('webhook_challenges')
    .values({ portal_id, host, began_at, sent: 1 })
    .onConflict((conflict) =>
      conflict.columns(['portal_id', 'host']).doUpdateSet({
        began_at: sql`case when ${isOver} then excluded.began_at else webhook_challenges.began_at end`,
        sent: sql`case when ${isOver} then 1 else webhook_challenges.sent + 1 end`,
      }),
    )
    .returning(['sent', 'began_at'])
    .executeTakeFirstOrThrow()
}

/** Removes counters whose hour is over. */
export async function forgetChallenges(tx: Tx, portalId: string, now: number): Promise<void> {
  await tx
    .deleteFrom('webhook_challenges')
    .where('portal_id', '=', portalId)
    .where('began_at', '<=', isoTime(now - windowMs))
    .execute()
}
