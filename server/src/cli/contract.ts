import { readFileSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import { ContractRefused, publishContract } from '../building-blocks/contracts/commands.ts'
import { allContracts } from '../building-blocks/contracts/queries.ts'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import { retryRaces } from '../platform/database/races.ts'
import { ApiError } from '../platform/protocol/errors.ts'
import { parseStrictJson } from '../platform/protocol/strict-json.ts'
import { reasonOf } from '../platform/values/reason.ts'
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
        const draft = readDraft(file)
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

function readDraft(file: string): unknown {
  let bytes: Buffer
  try {
    if (statSync(file).size > maximumFileBytes)
      throw new Error(`a contract file must be at most ${maximumFileBytes} bytes`)
    bytes = readFileSync(file)
  } catch (cause) {
    throw new CommandError(`Cannot read ${file}: ${reasonOf(cause)}.`, { cause })
  }
  try {
    // Some editors begin a file with a byte order mark, which JSON does not allow.
    const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    return parseStrictJson(bytes.subarray(start), { subject: file, maximumValues: 200_000 })
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    throw new CommandError(cause.message, { cause })
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
/** Room for a contract of 1 MiB, which is measured without whitespace, and its indentation. */
const maximumFileBytes = 8 * 1024 * 1024
