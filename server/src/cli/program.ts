import { type Command, Option } from 'commander'
import { ImportReplaced } from '../areas/funding-recommendations/programs/import/claims.ts'
import { type ImportResult, importPrograms } from '../areas/funding-recommendations/programs/import/commands.ts'
import { csvColumns } from '../areas/funding-recommendations/programs/import/csv-records.ts'
import {
  type FileFormat,
  fileFormats,
  openProgramFile,
} from '../areas/funding-recommendations/programs/import/program-files.ts'
import { findOwnRecipient, portalIdOf } from '../building-blocks/recipients/queries.ts'
import type { Context } from '../platform/context.ts'
import { counted } from '../platform/values/counted.ts'
import { idPattern } from '../platform/values/ids.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { withContext } from './session.ts'

interface ImportCommandOptions extends OutputOptions {
  recipient: string
  skipBad: boolean
  format?: FileFormat
}

export function programCommands(program: Command): void {
  program
    .command('program')
    .description('Manage funding programmes: the catalogue of a recipient.')
    .command('import <file>')
    .description(
      'Create and update the programmes of a recipient from a file. The external_reference of a row says which programme it is; unchanged programmes stay as they are. If any row is refused, nothing is imported. The server can keep running.',
    )
    .requiredOption('--recipient <id>', 'the recipient')
    .option('--skip-bad', 'import the valid rows and skip the others', false)
    .addOption(new Option('--format <format>', 'the format of the file, if detection fails').choices(fileFormats))
    .option('--json', 'print JSON')
    .addHelpText('after', formatHelp)
    .action((file: string, options: ImportCommandOptions) =>
      withContext(async (context) => {
        const portal_id = await requireRecipient(context, options.recipient)
        const result = await importFile(context, file, portal_id, options)
        const { created, updated, unchanged, refused, refused_count } = result
        const more = refused_count > refused.length ? { refused_count } : {}
        print(options, { created, updated, unchanged, refused, ...more }, summaryOf(file, result))
        if (refused_count > 0 && !(result.isDone && options.skipBad)) process.exitCode = 1
      }),
    )
}

const formatHelp = `
Formats (UTF-8):
  json   An array of programmes. jsonl: one programme in each line.
  csv    The first line names the fields, separated by commas, semicolons or tabs.
         Nested fields are JSON in one cell (eligibility, fees, required_documents,
         amount, term_months, rate, time_to_fund_days), or columns of their own:
         amount.min, amount.max and amount.currency, term_months.min, rate.kind …
         An empty cell omits the field; spaces around a cell are ignored. Numbers and
         amounts have a decimal point and no thousands separator (1250.00); dates are
         written 2026-01-31.
         Columns: ${csvColumns.join(', ')}.

external_reference, name and funding_type are required. A row describes the whole
programme: fields that it omits are cleared, except status. Without status, a new
programme is a draft and an existing one keeps its status.

With --json, at most 10000 refused rows are listed; if there are more, refused_count
is their number.`

async function requireRecipient({ database }: Context, recipientId: string): Promise<string> {
  const portalId = portalIdOf(recipientId)
  const isId = new RegExp(idPattern('rcp')).test(recipientId)
  if (!isId || !(await findOwnRecipient(database.read, portalId)))
    throw new CommandError(
      `Recipient ${recipientId} does not exist. The id of a recipient begins with rcp_; portico recipient publish prints it.`,
    )
  return portalId
}

async function importFile(
  context: Context,
  file: string,
  portal_id: string,
  { skipBad, format, json }: ImportCommandOptions,
): Promise<ImportResult> {
  const { size, records: recordsOf } = openFile(file, format)
  const records = recordsOf(json ? undefined : progressBar('Import', size))
  try {
    return await importPrograms(context, records, { portal_id, isSkippingBad: skipBad })
  } catch (error) {
    if (error instanceof ImportReplaced) throw new CommandError(error.message, { cause: error })
    throw error
  }
}

function openFile(file: string, format: FileFormat | undefined): ReturnType<typeof openProgramFile> {
  try {
    return openProgramFile(file, format)
  } catch (cause) {
    throw new CommandError(`Cannot read ${file}: ${reasonOf(cause)}.`, { cause })
  }
}

function summaryOf(
  file: string,
  { created, updated, unchanged, refused, refused_count, isDone }: ImportResult,
): string {
  const done = isDone
    ? `Imported ${file}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused_count} refused.`
    : `Nothing was imported from ${file}: ${counted(refused_count, 'row')} refused.`
  const shown = refused.slice(0, mostShown).flatMap(({ row, line, problems }) => {
    const place = line === undefined ? `Row ${row}` : `Row ${row} (line ${line})`
    return problems.map(({ pointer, message }) => `${place}${pointer && ` ${pointer}`}: ${message}`)
  })
  const rest =
    refused_count > mostShown
      ? [`… and ${counted(refused_count - mostShown, 'more row')}. Use --json to list them.`]
      : []
  return [done, ...shown, ...rest].join('\n')
}

const mostShown = 20
