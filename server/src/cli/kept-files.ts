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
import { StoreUnavailable } from '../platform/storage/file-store.ts'
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

interface FileProblem {
  id: string
  portal_id: string
  problem: string
}

interface Verification {
  checked: number
  /** The first of those that are not as they should be. */
  damaged: FileProblem[]
  damaged_count: number
  /** The first of those of which nobody knows: the store did not return them. Not among the checked ones. */
  unread: FileProblem[]
  unread_count: number
  /** Not as they should be, but nobody has them any more; neither checked nor damaged. */
  deleted: number
}

/** How many are named; the others are counted. */
export const mostShown = 1000

/** Throws StoreUnavailable where the store cannot be used at all: its files are not lost, and each would be waited for. */
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
  await requireStore(context)
  let total = 0
  for (const portal_id of await portalIds(context)) total += await countKeptFiles(read, portal_id)
  const showProgress = progressBar('Files', total)
  const result: Verification = { checked: 0, damaged: [], damaged_count: 0, unread: [], unread_count: 0, deleted: 0 }
  let unavailable = 0
  for await (const file of keptFiles(read)) {
    const { portal_id, id } = file
    const found = await problemOf(context, file, isHashing)
    unavailable = found?.isUnavailable ? unavailable + 1 : 0
    if (unavailable === mostUnavailable) {
      await requireStore(context)
      unavailable = 0
    }
    if (found === undefined) result.checked++
    else if (!(await isKept(file))) result.deleted++
    else if (found.isUnread) {
      if (++result.unread_count <= mostShown) result.unread.push({ id, portal_id, problem: found.problem })
    } else {
      result.checked++
      if (++result.damaged_count <= mostShown) result.damaged.push({ id, portal_id, problem: found.problem })
    }
    showProgress(result.checked + result.unread_count + result.deleted)
  }
  return result
}

async function problemOf(
  { files }: Context,
  { key, size_bytes, sha256 }: KeptFile,
  isHashing: boolean,
): Promise<{ problem: string; isUnread?: true; isUnavailable?: boolean } | undefined> {
  try {
    const kept = await files.stat(key)
    if (!kept) return { problem: 'missing from the file store' }
    if (kept.size_bytes !== size_bytes)
      return { problem: `has ${counted(kept.size_bytes, 'byte')} instead of ${size_bytes}` }
    if (!isHashing || (await digestOf(files, key)) === sha256) return undefined
    return { problem: 'the SHA-256 differs from the uploaded file' }
  } catch (error) {
    const isUnavailable = error instanceof StoreUnavailable
    return { problem: `cannot be read: ${reasonOf(error)}`, isUnread: true, isUnavailable }
  }
}

/** A directory answers at once, and its check writes: what is on a full disk can still be verified. */
async function requireStore({ files }: Context): Promise<void> {
  if (files.direct) await files.check()
}

/** So many in a row may be a store that is gone. */
const mostUnavailable = 3
