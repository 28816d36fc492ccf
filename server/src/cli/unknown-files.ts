// Bytes in the file store that no record has: what was uploaded after a backup that was restored, or left by a crash. They
// may be data of people whom nobody can find any more. A row is committed before a client can send the first byte, and no
// id is given twice, so bytes without a row are nobody's, with two exceptions:
//   the demo keeps bytes before it commits their row     what is younger than a day is left alone
//   a restore does, too, and leaves old bytes untouched  it fills a database that has no Portal yet: then nothing is removed
// Each row is looked up once more right before its bytes go.
import { fileKey, ownerOfKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { listFileIds } from '../building-blocks/questionnaires/files/queries.ts'
import { note } from '../platform/audit/notes.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import { asDeployment } from '../platform/background/jobs.ts'
import { day, isoTime } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Connection } from '../platform/database/database.ts'
import { inTransaction } from '../platform/database/races.ts'
import { type ListedFile, StoreUnavailable } from '../platform/storage/file-store.ts'
import { counted } from '../platform/values/counted.ts'
import { groupBy } from '../platform/values/groups.ts'

interface UnknownFiles {
  /** The first of them. */
  unknown: { key: string; is_upload: boolean; modified_at: string }[]
  /** All of them; null when the store cannot be listed. */
  unknown_count: number | null
  /** Of these, how many were removed. */
  unknown_removed: number
  /** And how many were too young to be removed. */
  young: number
  /** Why not all was done, as sentences. */
  problem: string | undefined
}

export async function lookForUnknownFiles(context: Context, isRemoving: boolean): Promise<UnknownFiles> {
  const found: UnknownFiles = {
    unknown: [],
    unknown_count: null,
    unknown_removed: 0,
    young: 0,
    problem: undefined,
  }
  try {
    const { files, count, isOurs } = await findUnknown(context)
    found.unknown = files.map((file) => ({ ...file, modified_at: isoTime(file.modified_at) }))
    found.unknown_count = count
    if (!isRemoving || count === 0) return found
    if (isOurs) await removeUnknown(context, found)
    else
      found.problem =
        'No file was removed: none in the file store belongs to a Portal of this database. It may be the file store of a different deployment, or the database may not be restored yet. Check PORTICO_FILES_URL and the database. If both are right, delete the files yourself.'
  } catch (error) {
    // What was verified and removed up to here is still reported.
    if (!(error instanceof StoreUnavailable)) throw error
    found.problem = `Not every file without a record was ${found.unknown_count === null ? 'found' : 'removed'}. ${error.message}`
  }
  return found
}

/** What to tell of them, in at most one line. */
export function unknownSentence(
  { unknown_count: count, unknown_removed: removed, young }: UnknownFiles,
  isRemoving: boolean,
): string[] {
  if (!count) return []
  const all = counted(count, 'file')
  if (!isRemoving)
    return [
      `The file store has ${all} without a record, such as a file that was uploaded after the restored backup was written. --json lists them. To remove those older than one day, run: portico files verify --remove-unknown`,
    ]
  const later = young > 0 ? ` Less than one day old and not removed: ${young}. Run the command again tomorrow.` : ''
  return [`Removed ${removed} of ${all} without a record.${later}`]
}

const mostShown = 1000

async function findUnknown(context: Context): Promise<{ files: ListedFile[]; count: number; isOurs: boolean }> {
  const portals = new Set(await portalIds(context))
  const files: ListedFile[] = []
  let count = 0
  let isOurs = false
  for await (const batch of batchesOf(context.files.list())) {
    isOurs ||= batch.some(({ key }) => portals.has(ownerOfKey(key).portal_id))
    const unknown = await withoutRow(context.database.read, batch)
    count += unknown.length
    files.push(...unknown.slice(0, mostShown - files.length))
  }
  return { files, count, isOurs }
}

async function removeUnknown(context: Context, found: UnknownFiles): Promise<void> {
  const { clock, database, files } = context
  const portals = new Set(await portalIds(context))
  for await (const batch of batchesOf(files.list())) {
    for (const file of await withoutRow(database.read, batch)) {
      // The times of bytes come from the clocks of machines, so they are compared with one.
      if (clock.wall() - file.modified_at < day) {
        found.young++
        continue
      }
      const { portal_id, id } = ownerOfKey(file.key)
      const owner = portals.has(portal_id) ? { context, portal_id, request_id: null } : asDeployment(context)
      // Noted first: what is gone and not noted would be gone without a trace.
      const isNobodys = await inTransaction(database, async (tx) => {
        if ((await listFileIds(tx, portal_id, [id])).length > 0) return false
        await note(tx, owner, { action: 'file.removed_unknown', resource_id: id })
        return true
      })
      if (!isNobodys) continue
      await (file.is_upload ? files.direct?.removeUpload(file.key) : files.remove(file.key))
      found.unknown_removed++
    }
  }
}

/** Those of them that no record has, whatever its state. */
async function withoutRow(db: Connection, batch: readonly ListedFile[]): Promise<ListedFile[]> {
  const known = new Set<string>()
  const byPortal = groupBy(
    batch.map(({ key }) => ownerOfKey(key)),
    ({ portal_id }) => portal_id,
  )
  for (const [portal_id, owners] of byPortal) {
    const ids = owners.map(({ id }) => id)
    for (const id of await listFileIds(db, portal_id, ids)) known.add(fileKey(portal_id, id))
  }
  return batch.filter(({ key }) => !known.has(key))
}

const batchSize = 200

async function* batchesOf(listed: AsyncIterable<ListedFile>): AsyncGenerator<ListedFile[]> {
  let batch: ListedFile[] = []
  for await (const file of listed) {
    batch.push(file)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
