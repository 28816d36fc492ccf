// The files that the store must have, because a row does: for a backup, and compared with the store. They are read page by
// page, because there may be more than fit into memory.
import { fileKey, ownerOfKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { countKeptFiles, isFileKept, listKeptFiles } from '../building-blocks/questionnaires/files/queries.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import type { KeptFile } from '../platform/backup/lines.ts'
import type { BackedUpFiles } from '../platform/backup.ts'
import type { Context } from '../platform/context.ts'
import type { Connection } from '../platform/database/database.ts'
import { digestOf } from '../platform/storage/digest.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { progressBar } from './output.ts'

interface OwnedFile extends KeptFile {
  portal_id: string
  id: string
}

const pageSize = 500

async function* keptFiles(db: Connection): AsyncGenerator<OwnedFile> {
  for (const portal_id of await portalIds({ database: { read: db } })) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await listKeptFiles(db, portal_id, after, pageSize)
      for (const file of page) yield { portal_id, ...file, key: fileKey(portal_id, file.id) }
      after = page.at(-1)?.id
    }
  }
}

/** For a backup: the files of all rows, and whether a row still has one. */
export const backedUpFiles: BackedUpFiles = {
  // All at once: their bytes are read when the view of the database has ended, which no page could be read from then.
  async list(tx) {
    const all: KeptFile[] = []
    for await (const file of keptFiles(tx)) all.push(file)
    return all
  },
  async isKept(db, key) {
    const { portal_id, id } = ownerOfKey(key)
    return isFileKept(db, portal_id, id)
  },
}

interface DamagedFile {
  id: string
  portal_id: string
  problem: string
}

interface Verification {
  checked: number
  /** The first of those that are not as they should be. */
  damaged: DamagedFile[]
  damaged_count: number
  /** Not as they should be, but nobody has them any more; neither checked nor damaged. */
  deleted: number
}

/** How many are named; the others are counted. */
export const mostShown = 1000

export async function verifyFiles(
  context: Context,
  {
    isHashing,
    isKept = ({ portal_id, id }) => isFileKept(context.database.read, portal_id, id),
  }: {
    /** Without, a file only has to be there, with its size. */
    isHashing: boolean
    /** Asked of files that are not as they should be: a row goes before its bytes. */
    isKept?: (file: { portal_id: string; id: string }) => Promise<boolean>
  },
): Promise<Verification> {
  const { read } = context.database
  let total = 0
  for (const portal_id of await portalIds(context)) total += await countKeptFiles(read, portal_id)
  const showProgress = progressBar('Files', total)
  const result: Verification = { checked: 0, damaged: [], damaged_count: 0, deleted: 0 }
  for await (const file of keptFiles(read)) {
    const { portal_id, id } = file
    const problem = await problemOf(context, file, isHashing)
    if (problem === undefined) result.checked++
    else if (await isKept(file)) {
      result.checked++
      if (++result.damaged_count <= mostShown) result.damaged.push({ id, portal_id, problem })
    } else result.deleted++
    showProgress(result.checked + result.deleted)
  }
  return result
}

async function problemOf(
  { files }: Context,
  { key, size_bytes, sha256 }: KeptFile,
  isHashing: boolean,
): Promise<string | undefined> {
  try {
    const kept = await files.stat(key)
    if (!kept) return 'missing from the file store'
    if (kept.size_bytes !== size_bytes) return `has ${counted(kept.size_bytes, 'byte')} instead of ${size_bytes}`
    if (!isHashing) return undefined
    return (await digestOf(files, key)) === sha256 ? undefined : 'the SHA-256 differs from the uploaded file'
  } catch (error) {
    return `cannot be read: ${reasonOf(error)}`
  }
}
