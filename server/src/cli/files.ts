import type { Command } from 'commander'
import { fileKey, ownerOfKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { removeErasedBytes } from '../building-blocks/peoples-data/commands.ts'
import { isFileKept, listKeptFiles } from '../building-blocks/questionnaires/files/queries.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import type { KeptFile } from '../platform/backup/lines.ts'
import type { BackedUpFiles } from '../platform/backup.ts'
import type { Context } from '../platform/context.ts'
import type { Connection } from '../platform/database/database.ts'
import { digestOf } from '../platform/storage/digest.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { withContext } from './session.ts'
import { lookForUnknownFiles, unknownSentence } from './unknown-files.ts'

export function fileCommands(program: Command): void {
  const files = program.command('files').description('Manage uploaded files.')
  files
    .command('verify')
    .description(
      'Compare every stored file with its SHA-256, remove files of erased businesses, and report files without a record. Run it after a restore.',
    )
    .option('--remove-unknown', 'remove files that no record has and that are older than one day')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { removeUnknown?: true }) =>
      withContext(async (context) => {
        const removed = await removeErasedFiles(context)
        const { checked, damaged } = await verifyFiles(context)
        const isRemoving = options.removeUnknown ?? false
        const unknown = await lookForUnknownFiles(context, isRemoving)
        const again = removed > 0 ? `Removed ${counted(removed, 'file')} of erased businesses. ` : ''
        const verified =
          damaged.length === 0
            ? checked === 0
              ? `${again}There are no files to check.`
              : `${again}Checked ${counted(checked, 'file')}: none is missing or damaged.`
            : damaged.map(({ id, portal_id, problem }) => `${id} (Portal ${portal_id}): ${problem}`).join('\n')
        const { problem, young, ...found } = unknown
        print(
          options,
          { checked, damaged, removed, ...found },
          [verified, ...unknownSentence(unknown, isRemoving)].join('\n'),
        )
        const problems = problem === undefined ? [] : [problem]
        if (damaged.length > 0)
          problems.unshift(
            `Missing or damaged: ${damaged.length} of ${counted(checked, 'file')}. Restore from a backup.`,
          )
        if (problems.length > 0) throw new CommandError(problems.join(' '))
      }),
    )
}

/** A copy of the files that was made before an erasure brings back what was erased. */
async function removeErasedFiles(context: Context): Promise<number> {
  let removed = 0
  for (const portal_id of await portalIds(context)) removed += await removeErasedBytes(context, { portal_id })
  return removed
}

export interface DamagedFile {
  id: string
  portal_id: string
  problem: string
}

/** Every file that belongs to a row. */
async function listAllFiles(db: Connection): Promise<(KeptFile & { portal_id: string; id: string })[]> {
  const all: (KeptFile & { portal_id: string; id: string })[] = []
  for (const portal_id of await portalIds({ database: { read: db } })) {
    for (const file of await listKeptFiles(db, portal_id))
      all.push({ portal_id, ...file, key: fileKey(portal_id, file.id) })
  }
  return all
}

/** For a backup: the files of all rows, and whether a row still has one. */
export const backedUpFiles: BackedUpFiles = {
  list: listAllFiles,
  async isKept(db, key) {
    const { portal_id, id } = ownerOfKey(key)
    return isFileKept(db, portal_id, id)
  },
}

export async function verifyFiles(context: Context): Promise<{ checked: number; damaged: DamagedFile[] }> {
  const all = await listAllFiles(context.database.read)
  const showProgress = progressBar('Files', all.length)
  const damaged: DamagedFile[] = []
  for (const [index, { portal_id, id, key, size_bytes, sha256 }] of all.entries()) {
    const problem = await problemOf(context, key, { size_bytes, sha256 })
    if (problem !== undefined) damaged.push({ id, portal_id, problem })
    showProgress(index + 1)
  }
  return { checked: all.length, damaged }
}

async function problemOf(
  { files }: Context,
  key: string,
  { size_bytes, sha256 }: { size_bytes: number; sha256: string },
): Promise<string | undefined> {
  try {
    const kept = await files.stat(key)
    if (!kept) return 'missing from the file store'
    if (kept.size_bytes !== size_bytes) return `has ${counted(kept.size_bytes, 'byte')} instead of ${size_bytes}`
    return (await digestOf(files, key)) === sha256 ? undefined : 'the SHA-256 differs from the uploaded file'
  } catch (error) {
    return `cannot be read: ${reasonOf(error)}`
  }
}
