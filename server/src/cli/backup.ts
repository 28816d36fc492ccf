import type { Command } from 'commander'
import { restoreBackup, writeBackup } from '../platform/backup.ts'
import { readConfig } from '../platform/config.ts'
import { lockDataDirectory } from './data-lock.ts'
import { type OutputOptions, print, progressBar } from './output.ts'
import { secretKeyFile, withContext } from './session.ts'

export function backupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('Write everything in the database to one file, as of one moment, while the server runs.')
    .option('--json', 'print JSON')
    .action((file: string, options: OutputOptions) =>
      withContext(async (context) => {
        const result = await writeBackup(context, file, (total) => progressBar('Backup', total))
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
      const unlock = config.database_url === undefined ? lockDataDirectory(config) : () => undefined
      await withContext(async (context) => {
        const result = await restoreBackup(context, file, (total) => progressBar('Restore', total))
        print(options, { file, ...result }, `Restored ${result.rows} rows from ${file}.`)
      })
      unlock()
    })
}
