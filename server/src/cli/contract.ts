import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { ContractRefused, publishContract } from '../building-blocks/contracts/commands.ts'
import { allContracts } from '../building-blocks/contracts/queries.ts'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import { retryRaces } from '../platform/database/races.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

export function contractCommands(program: Command): void {
  const contract = program.command('contract').description('Manage the questions a Portal asks.')
  contract
    .command('publish <file>')
    .description('Check a contract and publish it as the next version; applications already begun keep theirs.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((file: string, options: OutputOptions & { portal: string }) =>
      withContext(async (context) => {
        await requirePortal(context.database.read, options.portal)
        const draft = readDraft(file)
        const caller = { context, portal_id: options.portal, request_id: null }
        const { database } = context
        const { id, kind, key, version, title } = await retryRaces(database, () =>
          database.transaction((tx) => publishContract(tx, caller, draft)),
        ).catch((error) => {
          if (!(error instanceof ContractRefused)) throw error
          throw new CommandError(`${file} cannot be published.\n${error.message}`, { cause: error })
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
        print(options, rows, rows.length > 0 ? table(shown) : 'This Portal has published no contracts.')
      }),
    )
}

function readDraft(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
  try {
    // Some editors begin a file with a mark that JSON does not know.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new CommandError(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
}
