// What doctor says of backups. There are other ways to back up, and systems that need no backup: it warns only where
// `portico backup` is the usual way, or was run every day until it stopped.
import { lastBackups } from '../platform/backup/last-backup.ts'
import { hour } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { spokenDuration } from '../platform/values/durations.ts'

export async function examineBackups({
  database,
  config,
  clock,
}: Context): Promise<{ outcome: 'ok' | 'warning'; message: string }> {
  const [last, before] = await lastBackups(database.read)
  const now = clock.now()
  const isProduction = config.environment === 'production'
  if (last === undefined) {
    const { since } = await database.read
      .selectFrom('portals')
      .select((eb) => eb.fn.min('created_at').as('since'))
      .executeTakeFirstOrThrow()
    // PostgreSQL has ways of its own.
    const isMissed = isProduction && database.engine === 'sqlite' && since && now - Date.parse(since) > lateMs
    return {
      outcome: isMissed ? 'warning' : 'ok',
      message: `portico backup has completed no backup yet${isMissed ? advice : ''}`,
    }
  }
  const isLate = now - last > lateMs
  const wasDaily = before !== undefined && last - before <= lateMs
  const isMissed = isProduction && isLate && (database.engine === 'sqlite' || wasDaily)
  return {
    outcome: isMissed ? 'warning' : 'ok',
    message: `portico backup completed the last backup ${spokenDuration(now - last)} ago${isMissed ? advice : ''}`,
  }
}

const advice = '. The handbook (Back up and restore) has a backup for every night.'
/** A day, and time for a slow backup. The sample alert waits as long. */
const lateMs = 26 * hour
