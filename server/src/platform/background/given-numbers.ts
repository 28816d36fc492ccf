// Numbers of events only rise. Where they have fallen while this process ran, the database was put back to an earlier state
// beside it: by a recovery, or a failover that lost transactions. The numbers in between would be given out twice, and a
// receiver that has seen them would miss the events that get them now.
import type { Context } from '../context.ts'
import { asCalled } from '../values/as-called.ts'

export const wentBackAdvice =
  'The database is older than it was while this process ran: after a recovery, or a failover that lost transactions, numbers of events are given out twice. Stop all processes, run `portico database recovered`, and start them again.'

/** True from the moment that the number of any Portal is seen to have fallen, until the process ends. */
export function watchNumbers({ database, config, log }: Context): () => Promise<boolean> {
  const highest = new Map<string, number>()
  let hasFallen = false
  return async () => {
    if (hasFallen) return true
    // As they were before the question: an answer that overtakes another says nothing.
    const known = new Map(highest)
    for (const { portal_id, last_sequence } of await database.read
      .selectFrom('portals')
      .select(['portal_id', 'last_sequence'])
      .execute()) {
      const isLower = last_sequence < (known.get(portal_id) ?? 0)
      if (isLower && !hasFallen) log.error({ portal_id, last_sequence }, asCalled(wentBackAdvice, config.program))
      hasFallen ||= isLower
      highest.set(portal_id, Math.max(last_sequence, highest.get(portal_id) ?? 0))
    }
    return hasFallen
  }
}
