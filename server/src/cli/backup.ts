import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { requireBackup, restoreBackup, writeBackup } from '../platform/backup.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { lockDataDirectory } from './data-lock.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { secretKeyFile, withContext } from './session.ts'

export function backupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('Write everything in the database to one file, as of one moment, while the server runs.')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .action((file: string, options: OutputOptions & { force?: true }) =>
      withContext(async (context) => {
        const showProgress = (total: number) => progressBar('Backup', total)
        const result = await writeBackup(context, file, { showProgress, isReplacing: options.force ?? false })
        const hint = context.config.secret_key
          ? 'Keep PORTICO_SECRET_KEY with it'
          : `Keep ${secretKeyFile(context.config)} with it`
        print(
          options,
          { file, ...result },
          `Wrote ${result.rows} rows to ${file}. ${hint}: without the key the backup cannot be used.`,
        )
      }),
    )
  program
    .command('restore <file>')
    .description('Read a backup into an empty database, of either engine.')
    .option('--json', 'print JSON')
    .action(async (file: string, options: OutputOptions) => {
      const config = readConfig(process.env)
      // Before anything is created: a new directory with a new secret key could never take this backup.
      await requireBackup(file)
      requireSecretKey(config)
      const unlock = config.database_url === undefined ? lockDataDirectory(config) : () => undefined
      await withContext(async (context) => {
        const result = await restoreBackup(context, file, (total) => progressBar('Restore', total))
        print(
          options,
          { file, ...result },
          `Restored ${result.rows} rows from ${file}. Put the uploaded files back as well, then run: portico files verify`,
        )
      })
      unlock()
    })
}

/** A backup opens with the key it was made with, and no other can be made up here. */
function requireSecretKey(config: Config): void {
  const file = secretKeyFile(config)
  if (config.secret_key || config.database_url !== undefined || existsSync(file)) return
  throw new CommandError(
    `The backup needs the secret key it was made with. Put it into ${file}, or set PORTICO_SECRET_KEY.`,
  )
}
