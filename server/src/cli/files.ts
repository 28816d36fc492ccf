import { type Command, InvalidArgumentError } from 'commander'
import { removeErasedBytes } from '../building-blocks/peoples-data/commands.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import type { Context } from '../platform/context.ts'
import { counted } from '../platform/values/counted.ts'
import { verifyFiles } from './kept-files.ts'
import { CommandError, type OutputOptions, print } from './output.ts'
import { withContext } from './session.ts'
import { lookForUnknownFiles, unknownLines } from './unknown-files.ts'

export function fileCommands(program: Command): void {
  const files = program.command('files').description('Manage uploaded files.')
  files
    .command('verify')
    .description(
      'Compare every stored file with its SHA-256, remove files of erased businesses, and report files without a record. Run it after a restore.',
    )
    .option(
      '--remove-unknown <number>',
      'remove files that no record has and that are older than one day; the number must be the one that `portico files verify` has printed. Stored files are then compared by size only.',
      toNumberOfFiles,
    )
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { removeUnknown?: number }) =>
      withContext(async (context) => {
        const confirmed = options.removeUnknown
        const isRemoving = confirmed !== undefined
        const removed = await removeErasedFiles(context)
        const { checked, damaged, damaged_count, unread, unread_count } = await verifyFiles(context, {
          isHashing: !isRemoving,
        })
        const unknown = await lookForUnknownFiles(context, { damaged_count, unread_count, confirmed })
        const again = removed > 0 ? `Removed ${counted(removed, 'file')} of erased businesses. ` : ''
        const fine = isRemoving ? 'none is missing, and each has its size.' : 'none is missing or damaged.'
        const verified =
          damaged_count === 0
            ? [
                again +
                  (checked + unread_count === 0
                    ? 'There are no files to check.'
                    : `Checked ${counted(checked, 'file')}: ${fine}`),
              ]
            : linesOf(damaged, damaged_count)
        print(
          options,
          { checked, damaged, damaged_count, unread, unread_count, removed, ...unknown.found },
          [...verified, ...linesOf(unread, unread_count), ...unknownLines(unknown, isRemoving)].join('\n'),
        )
        if (unknown.failure !== undefined) throw unknown.failure
        const problems = unknown.problem === undefined ? [] : [unknown.problem]
        if (damaged_count > 0)
          problems.unshift(
            `Missing or damaged: ${damaged_count} of ${counted(checked, 'file')}. Check PORTICO_FILES_URL: this may be the file store of a different deployment. If it is right, restore these files from a backup.`,
          )
        if (unread_count > 0)
          problems.unshift(
            `Not checked, because the file store did not return them: ${counted(unread_count, 'file')}. Run portico doctor, then portico files verify again.`,
          )
        if (problems.length > 0) throw new CommandError(problems.join(' '))
      }),
    )
}

function linesOf(files: readonly { id: string; portal_id: string; problem: string }[], count: number): string[] {
  const more = count - files.length
  return [
    ...files.map(({ id, portal_id, problem }) => `${id} (Portal ${portal_id}): ${problem}`),
    ...(more > 0 ? [`And ${counted(more, 'more file')}.`] : []),
  ]
}

function toNumberOfFiles(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be the number of files that `portico files verify` has printed.')
  return Number(text)
}

/** A copy of the files that was made before an erasure brings back what was erased. */
async function removeErasedFiles(context: Context): Promise<number> {
  let removed = 0
  for (const portal_id of await portalIds(context)) removed += await removeErasedBytes(context, { portal_id })
  return removed
}
