import type { Command } from 'commander'
import { readConfig } from '../platform/config.ts'
import { migrate } from '../platform/database/migrate.ts'
import { counted } from '../platform/values/counted.ts'
import { explainDatabaseError } from './database-errors.ts'
import { type OutputOptions, print } from './output.ts'
import { commandLogger, openContextAsItIs } from './session.ts'

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Update the database schema to this release. Several processes can run it at the same time.')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const config = readConfig(process.env)
      const context = await openContextAsItIs(config, commandLogger(config), { mayCreate: true })
      try {
        const applied = await migrate(context.database)
        print(
          options,
          { applied },
          applied.length > 0
            ? `Applied ${counted(applied.length, 'migration')}: ${applied.join(', ')}`
            : 'The database schema is already up to date.',
        )
      } catch (error) {
        throw explainDatabaseError(context, error)
      } finally {
        await context.database.close()
      }
    })
}
