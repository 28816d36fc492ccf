import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { requireBackup, restoreBackup, writeBackup } from '../platform/backup.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { counted } from '../platform/values/counted.ts'
import { lockDataDirectory } from './data-lock.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { secretKeyFile, withContext } from './session.ts'

export function backupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('Write a consistent backup of the database to one file. The server can keep running.')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .action((file: string, options: OutputOptions & { force?: true }) =>
      withContext(async (context) => {
        const showProgress = (total: number) => progressBar('Backup', total)
        const result = await writeBackup(context, file, { showProgress, isReplacing: options.force ?? false })
        const hint = context.config.secret_key
          ? 'Also keep PORTICO_SECRET_KEY'
          : `Also keep a copy of ${secretKeyFile(context.config)}`
        print(
          options,
          { file, ...result },
          `Wrote ${counted(result.rows, 'row')} to ${file}. ${hint}: the backup cannot be restored without this key. The backup does not contain uploaded files.`,
        )
      }),
    )
  program
    .command('restore <file>')
    .description('Restore a backup into an empty SQLite or PostgreSQL database.')
    .option('--json', 'print JSON')
    .action(async (file: string, options: OutputOptions) => {
      const config = readConfig(process.env)
      // Before anything is created: a new directory with a new secret key could never restore this backup.
      await requireBackup(file)
      requireSecretKey(config)
      const unlock = config.database_url === undefined ? lockDataDirectory(config) : () => undefined
      await withContext(async (context) => {
        const result = await restoreBackup(context, file, (total) => progressBar('Restore', total))
        print(
          options,
          { file, ...result },
          `Restored ${counted(result.rows, 'row')} from ${file}. Restore the uploaded files as well, then run: portico files verify`,
        )
      })
      unlock()
    })
}

/** A backup can be used only with the key it was created with, so no new key may be generated. */
function requireSecretKey(config: Config): void {
  const file = secretKeyFile(config)
  if (config.secret_key || config.database_url !== undefined || existsSync(file)) return
  throw new CommandError(
    `Restoring requires the secret key that the backup was created with. Copy it to ${file}, or set PORTICO_SECRET_KEY.`,
  )
}
