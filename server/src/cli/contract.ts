import type { Command } from 'commander'
import { ContractRefused, publishContract } from '../building-blocks/contracts/commands.ts'
import { allContracts } from '../building-blocks/contracts/queries.ts'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import { retryRaces } from '../platform/database/races.ts'
import { readJsonFile } from './json-file.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

export function contractCommands(program: Command): void {
  const contract = program.command('contract').description('Manage contracts: the questions that a Portal asks.')
  contract
    .command('publish <file>')
    .description('Check a contract and publish it as a new version. Existing applications keep their version.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((file: string, options: OutputOptions & { portal: string }) =>
      withContext(async (context) => {
        await requirePortal(context.database.read, options.portal)
        const draft = readJsonFile(file, { maximumBytes: maximumFileBytes })
        const caller = { context, portal_id: options.portal, request_id: null }
        const { database } = context
        const { id, kind, key, version, title } = await retryRaces(database, () =>
          database.transaction((tx) => publishContract(tx, caller, draft)),
        ).catch((error) => {
          if (!(error instanceof ContractRefused)) throw error
          throw new CommandError(`Cannot publish ${file}.\n${error.message}`, { cause: error })
        })
        print(options, { id, kind, key, version, title }, `Published ${id}: version ${version} of ${key} (${title}).`)
      }),
    )
  contract
    .command('list')
    .description('List the published contracts of a Portal.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { portal: string }) =>
      withContext(async (context) => {
        await requirePortal(context.database.read, options.portal)
        const rows = await allContracts(context.database.read, options.portal)
        const shown = rows.map((row) => ({ ...row, version: String(row.version) }))
        print(options, rows, rows.length > 0 ? table(shown) : 'This Portal has no published contracts.')
      }),
    )
}

/** Room for a contract of 1 MiB, which is measured without whitespace, and its indentation. */
const maximumFileBytes = 8 * 1024 * 1024
