// When the last backups were completed: the audit log of the deployment has an entry of each. A backup that was restored
// does not know of itself: its entry is written when its file is complete.
import { sql } from 'kysely'
import type { Registry } from 'prom-client'
import { deployment } from '../background/jobs.ts'
import { second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection } from '../database/database.ts'
import { addReadGauge } from '../read-gauges.ts'

/** Written at the end; `backup.created` is written before the first row is read, whatever becomes of the backup. */
export const backupCompleted = 'backup.completed'

/** The times of the last two, in milliseconds, the last one first. In one statement: entries move from notes to the log. */
export async function lastBackups(db: Connection): Promise<number[]> {
  const { rows } = await sql<{ created_at: string }>`
    select created_at from (
      select created_at from audit_notes
      where portal_id = ${deployment} and action = ${backupCompleted} order by id desc limit 2
    ) as notes
    union all
    select created_at from (
      select created_at from audit_log
      where portal_id = ${deployment} and action = ${backupCompleted} order by sequence desc limit 2
    ) as entries
  `.execute(db)
  const times = rows.map(({ created_at }) => Date.parse(created_at))
  return times.sort((a, b) => b - a).slice(0, 2)
}

/** Without a backup it has no value. */
export function addBackupMetric({ database, log }: Context, registry: Registry): void {
  addReadGauge(registry, log, {
    name: 'portico_last_backup_timestamp_seconds',
    help: 'When the last backup by portico backup was completed, in seconds since 1970. Missing if there was none.',
    read: async () => (await lastBackups(database.read)).slice(0, 1).map((time) => ({ value: time / second })),
  })
}
