import type { Command } from 'commander'
import { readConfig } from '../platform/config.ts'
import { compareSchema, migrate } from '../platform/database/migrate.ts'
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
        const { isEmpty } = await compareSchema(context.database)
        const applied = await migrate(context.database)
        const done = `Applied ${counted(applied.length, 'migration')}: ${applied.join(', ')}`
        const hint =
          'The database was empty, as that of a new deployment is. If there should be data in it, restore a backup into a new, empty database before anybody uses this one.'
        print(
          options,
          { applied, was_empty: isEmpty },
          applied.length > 0
            ? [done, ...(isEmpty ? [hint] : [])].join('\n')
            : 'The database schema is already up to date.',
        )
      } catch (error) {
        throw explainDatabaseError(context, error)
      } finally {
        await context.database.close()
      }
    })
}
