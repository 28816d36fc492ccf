import type { Command } from 'commander'
import { withdrawDeal } from '../areas/deal-applications/expiry-commands.ts'
import { completeErasures, rememberErasures } from '../building-blocks/peoples-data/commands.ts'
import { leaveGap, noteRestore } from '../platform/backup.ts'
import { inTransaction } from '../platform/database/races.ts'
import { counted } from '../platform/values/counted.ts'
import { removeTraces } from './business-compact.ts'
import { type OutputOptions, print } from './output.ts'
import { erasureSentence, findErasures } from './restored-erasures.ts'
import { withContext } from './session.ts'

export function databaseCommands(program: Command): void {
  program
    .command('database')
    .description('Tell Portico what has happened to its database.')
    .command('recovered')
    .description(
      'Use this after the database was recovered to an earlier state without `portico restore`: point-in-time recovery, pg_restore, a failover that lost transactions. The next events get numbers that no receiver has seen, businesses that were erased since are erased again, and the audit logs have an entry. Stop all processes before, and start them afterwards.',
    )
    .option('--erasures <file>', 'erase again what is in this list, besides the list in the data directory')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { erasures?: string }) =>
      withContext(async (context) => {
        const { entries, lists } = await findErasures(context.config, options.erasures)
        const portals = await inTransaction(context.database, async (tx) => {
          await leaveGap(tx, context)
          await rememberErasures(tx, context, entries)
          return noteRestore(tx, context)
        })
        const done = await completeErasures(context, { withdraw: withdrawDeal, isAttended: true })
        if (done.length > 0) await removeTraces(context)
        const erasures = { applied: done.length, lists }
        print(
          options,
          { portals, erasures },
          `The events of ${counted(portals, 'Portal')} continue with numbers that no receiver has seen. The audit log of each has the entry portal.restored. ${erasureSentence(context, erasures, 'recovered database')}`,
        )
      }),
    )
}
