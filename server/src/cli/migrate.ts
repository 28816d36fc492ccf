import type { Command } from 'commander'
import { readConfig } from '../platform/config.ts'
import { migrate } from '../platform/database/migrate.ts'
import { type OutputOptions, print } from './output.ts'
import { commandLogger, explainDatabaseError, openContextAsItIs } from './session.ts'

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database schema up to this program. Safe to run from many places at once.')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const config = readConfig(process.env)
      const context = await openContextAsItIs(config, commandLogger(config))
      try {
        const applied = await migrate(context.database)
        print(
          options,
          { applied },
          applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The schema is current; there was nothing to do.',
        )
      } catch (error) {
        throw explainDatabaseError(context, error)
      } finally {
        await context.database.close()
      }
    })
}
