import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { note } from '../platform/audit/notes.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import { asDeployment, deployment } from '../platform/background/jobs.ts'
import { beginTime } from '../platform/background/kept-time.ts'
import { cannotBeChecked, checkBackup } from '../platform/backup/check.ts'
import { backupCompleted } from '../platform/backup/last-backup.ts'
import { readHeading } from '../platform/backup/lines.ts'
import { lostFilesIn, requireRoom, restoreBackup, type WrittenBackup, writeBackup } from '../platform/backup.ts'
import { type Config, readConfig } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { sqliteFile } from '../platform/database/open-database.ts'
import { inTransaction } from '../platform/database/races.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { createVault } from '../platform/vault.ts'
import { lockDataDirectory } from './data-lock.ts'
import { backedUpFiles } from './kept-files.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { drillRestore } from './restore-drill.ts'
import { erasureSentence, findErasures, finishRestore } from './restored-erasures.ts'
import { restoredKeyProblem } from './secret.ts'
import { existingSecretKeys, secretKeyFile } from './secret-key.ts'
import { withContext } from './session.ts'
import { requireFileStore } from './storage-check.ts'

export function backupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('Write a consistent backup of the database to one file. The server can keep running.')
    .option('--with-files', 'include uploaded files')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .action((file: string, options: OutputOptions & { withFiles?: true; force?: true }) =>
      withContext(async (context) => {
        const { config } = context
        let noted: NotedBackup = { in_audit_log: false }
        const result = await writeBackup(context, file, {
          showProgress: (total) => progressBar('Backup', total),
          isReplacing: options.force ?? false,
          begin: async () => {
            noted = await noteBackup(context, 'backup.created')
          },
          ...(options.withFiles && { files: backedUpFiles }),
        })
        const lost = lostFilesIn(result.files)
        // One that lacks files is none to rely on: whoever watches must hear of it.
        if (lost === 0) {
          const completed = await noteBackup(context, backupCompleted)
          if (noted.in_audit_log) noted = completed
        }
        const hint = config.secret_key ? 'Also keep PORTICO_SECRET_KEY' : `Also keep a copy of ${secretKeyFile(config)}`
        print(
          options,
          { file, ...result, ...noted },
          `Wrote ${counted(result.rows, 'row')} to ${file}. ${hint}: the backup cannot be restored without this key. ${filesSentence(result)}${noted.audit_log_problem ? ` The audit log has no entry of this backup: ${noted.audit_log_problem}.` : ''}`,
        )
        const kept =
          result.kept === undefined ? '' : ` The earlier backup may still have them, and was kept as ${result.kept}.`
        if (lost > 0)
          throw new CommandError(
            `The backup is complete except for ${counted(lost, 'file')} that the file store has lost or damaged.${kept} Run: portico files verify`,
          )
      }),
    )
  program
    .command('restore <file>')
    .description('Restore a backup into an empty SQLite or PostgreSQL database.')
    .option('--dry-run', 'check the backup and the database, and change nothing')
    .option('--drill', 'restore into a temporary database, check everything there, report, and remove it')
    .option('--erasures <file>', 'erase again what is in this list, besides the list in the data directory')
    .option('--json', 'print JSON')
    .action(async (file: string, options: OutputOptions & { dryRun?: true; drill?: true; erasures?: string }) => {
      const config = readConfig(process.env)
      await refusePipe(file)
      // Before anything is created: a new directory with a new secret key could never restore this backup.
      const heading = await readHeading(file)
      requireSecretKey(config)
      if (options.drill) return drillRestore(config, file, options)
      if (options.dryRun) return tryRestore(config, file, options)
      const erasures = await findErasures(config, options.erasures)
      const unlock = config.database_url === undefined ? lockDataDirectory(config) : () => undefined
      try {
        await withContext(
          async (context) => {
            if (heading.files) await requireFileStore(config)
            const { entries, lists } = erasures
            const result = await restoreBackup(context, file, (total) => progressBar('Restore', total), entries)
            await beginTime(context)
            const erased = { applied: await finishRestore(context, entries), lists }
            const unreadable = await restoredKeyProblem(context)
            print(
              options,
              { file, ...result, erasures: erased, unreadable: unreadable ?? null },
              `Restored ${counted(result.rows, 'row')} and ${counted(result.files, 'file')} from ${file}. ${authenticitySentence(result.is_authentic)} ${erasureSentence(context, erased)}\nIf the backup does not contain the uploaded files, restore them as well. Then run: portico files verify${unreadable === undefined ? '' : `\n${unreadable}`}`,
            )
          },
          { isEmptyExpected: true },
        )
      } finally {
        unlock()
      }
    })
}

interface NotedBackup {
  in_audit_log: boolean
  audit_log_problem?: string
}

/** As every export is. But a database that refuses it can still be saved; and one without Portals stays empty. */
async function noteBackup(context: Context, action: string): Promise<NotedBackup> {
  const { database } = context
  try {
    if ((await portalIds(context)).length === 0) return { in_audit_log: false }
    await inTransaction(database, (tx) => note(tx, asDeployment(context), { action, resource_id: deployment }))
    return { in_audit_log: true }
  } catch (error) {
    return { in_audit_log: false, audit_log_problem: reasonOf(error) }
  }
}

function filesSentence({ files }: WrittenBackup): string {
  if (files && files.removed > 0)
    return `The backup contains ${counted(files.whole, 'uploaded file')}; ${counted(files.removed, 'file')} ${files.removed === 1 ? 'was' : 'were'} deleted while it was written.`
  return files
    ? `The backup contains ${counted(files.whole, 'uploaded file')}.`
    : 'The backup does not contain uploaded files: copy the file store as well, or use --with-files.'
}

/** Everything a restore would look at before it changes anything. Not even a database is created. */
async function tryRestore(config: Config, file: string, options: OutputOptions): Promise<void> {
  const { heading, rows, files, isAuthentic } = await checkBackup(
    { config, vault: createVault(...existingSecretKeys(config)) },
    file,
  )
  if (config.database_url !== undefined || existsSync(sqliteFile(config)))
    await withContext(({ database }) => requireRoom(database, heading), { isEmptyExpected: true })
  if (files.whole.size > 0) await requireFileStore(config)
  print(
    options,
    {
      file,
      created_at: heading.created_at,
      rows,
      files: files.whole.size,
      lost_files: [...files.missing, ...files.damaged],
      is_authentic: isAuthentic,
    },
    `${file} can be restored: ${counted(rows, 'row')} and ${counted(files.whole.size, 'file')}, as of ${heading.created_at}. ${authenticitySentence(isAuthentic)} Nothing was changed in the database.`,
  )
}

function authenticitySentence(isAuthentic: boolean): string {
  return isAuthentic ? 'The backup is as it was written.' : cannotBeChecked
}

/** Without this, a pipe would be reported as a damaged backup. */
async function refusePipe(file: string): Promise<void> {
  // Whatever else is wrong with the file, its reader reports.
  const kind = await stat(file).catch(() => undefined)
  if (kind?.isFIFO())
    throw new CommandError(
      `${file} is a pipe, and a backup is read more than once. Write the backup to a file, then restore the file.`,
    )
}

/** A backup can be used only with the key it was created with, so no new key may be generated. */
function requireSecretKey(config: Config): void {
  const file = secretKeyFile(config)
  if (config.secret_key || config.database_url !== undefined || existsSync(file)) return
  throw new CommandError(
    `Restoring requires the secret key that the backup was created with. Copy it to ${file}, or set PORTICO_SECRET_KEY.`,
  )
}
