import type { Command } from 'commander'
import { fileKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { listKeptFiles } from '../building-blocks/questionnaires/files/queries.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import type { Context } from '../platform/context.ts'
import { digestOf } from '../platform/storage/digest.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { withContext } from './session.ts'

export function fileCommands(program: Command): void {
  const files = program.command('files').description('Manage uploaded files.')
  files
    .command('verify')
    .description('Compare every stored file with its SHA-256. Run it after a restore.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async (context) => {
        const { checked, damaged } = await verifyFiles(context)
        print(
          options,
          { checked, damaged },
          damaged.length === 0
            ? checked === 0
              ? 'There are no files to check.'
              : `Checked ${counted(checked, 'file')}: none is missing or damaged.`
            : damaged.map(({ id, portal_id, problem }) => `${id} (Portal ${portal_id}): ${problem}`).join('\n'),
        )
        if (damaged.length > 0)
          throw new CommandError(
            `Missing or damaged: ${damaged.length} of ${counted(checked, 'file')}. Restore from a backup.`,
          )
      }),
    )
}

interface DamagedFile {
  id: string
  portal_id: string
  problem: string
}

async function verifyFiles(context: Context): Promise<{ checked: number; damaged: DamagedFile[] }> {
  const all: { portal_id: string; id: string; size_bytes: number; sha256: string }[] = []
  for (const portal_id of await portalIds(context)) {
    for (const file of await listKeptFiles(context.database.read, portal_id)) all.push({ portal_id, ...file })
  }
  const showProgress = progressBar('Files', all.length)
  const damaged: DamagedFile[] = []
  for (const [index, { portal_id, id, size_bytes, sha256 }] of all.entries()) {
    const problem = await problemOf(context, fileKey(portal_id, id), { size_bytes, sha256 })
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
