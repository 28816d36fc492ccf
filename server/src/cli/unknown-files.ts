// Bytes in the file store that no record has: what was uploaded after a backup that was restored, or left by a crash. They
// may be data of people whom nobody can find any more. A row is committed before a client can send the first byte, and no
// id is given twice, so bytes without a row are nobody's, unless somebody else uses the store:
//   the demo keeps bytes before it commits their row     what is younger than a day is left alone
//   so does a restore, whose bytes may be old            it commits its Portals with the rows, and what belongs to no Portal
//                                                        of this database is never removed
//   a different deployment has a Portal of its own       likewise
//   the deployment that this database was copied from    cannot be told from this one: a person confirms the number
//   the store is not the one of this database            known files are missing: then nothing is removed
// Each row is looked up once more right before its bytes go.
import { fileKey, ownerOfKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { listFileIds } from '../building-blocks/questionnaires/files/queries.ts'
import { note } from '../platform/audit/notes.ts'
import { portalIds } from '../platform/background/housekeeping.ts'
import type { TimedContext } from '../platform/background/kept-time.ts'
import { day, isoTime } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Connection } from '../platform/database/database.ts'
import { inTransaction } from '../platform/database/races.ts'
import { toleranceMs } from '../platform/own-time.ts'
import { type ListedFile, StoreUnavailable } from '../platform/storage/file-store.ts'
import { counted } from '../platform/values/counted.ts'
import { groupBy } from '../platform/values/groups.ts'
import { examineClock } from './clock.ts'
import { mostShown } from './kept-files.ts'

interface Counts {
  /** Of Portals of this database. Each of them is one of the next three. */
  unknown_count: number
  unknown_removable: number
  /** Less than one day old. */
  unknown_young: number
  /** With a time that has not come yet. */
  unknown_future: number
  /** Of Portals that this database does not have. */
  unknown_foreign: number
}

interface Files {
  /** The first of `unknown_count`. */
  unknown: { key: string; is_upload: boolean; modified_at: string }[]
  unknown_removed: number
}

type Listed = Files & Counts
/** Without counts, when the store could not be listed to its end. */
type Found = Files & { [name in keyof Counts]: number | null }

interface Search {
  found: Found
  /** Why nothing may be removed now, as sentences. */
  hindrance?: string | undefined
  /** Why not all was done, as sentences. */
  problem?: string
  /** What ended the search before its time and is no fault of the store; to be thrown when the rest is told. */
  failure?: unknown
}

/** Removes those that may be removed, if they are as many as an operator has confirmed. */
export async function lookForUnknownFiles(
  context: TimedContext,
  {
    damaged_count,
    unread_count,
    confirmed,
  }: { damaged_count: number; unread_count: number; confirmed: number | undefined },
): Promise<Search> {
  const search: Search = { found: notListed }
  // One moment for all: nothing comes of age between being counted and being removed.
  const moment = context.clock.wall()
  try {
    const found = await findUnknown(context, moment)
    search.found = found
    search.hindrance = await hindranceOf(context, damaged_count, unread_count)
    if (confirmed === undefined) return search
    if (search.hindrance !== undefined) search.problem = `No file without a record was removed. ${search.hindrance}`
    else if (confirmed !== found.unknown_removable)
      search.problem = `No file without a record was removed: ${counted(found.unknown_removable, 'file')} can be, and not ${confirmed}. Run portico files verify again, and use the command that it prints.`
    else await removeUnknown(context, found, { moment, confirmed })
  } catch (error) {
    // What was verified and removed up to here is still reported.
    if (error instanceof StoreUnavailable)
      search.problem = `Not every file without a record was ${search.found === notListed ? 'found' : 'removed'}. ${error.message}`
    else search.failure = error
  }
  return search
}

/** What to tell of them, in lines. */
export function unknownLines({ found, hindrance }: Search, isRemoving: boolean): string[] {
  const { unknown_count: count, unknown_young: young, unknown_future: future, unknown_foreign: foreign } = found
  const lines: string[] = []
  if (count && isRemoving) lines.push(`Removed ${found.unknown_removed} of ${counted(count, 'file')} without a record.`)
  else if (count) lines.push(`${reportOf(count)} ${adviceOf(found, hindrance)}`.trimEnd())
  if (young) lines.push(`Less than one day old and not removed: ${young}. Run portico files verify again tomorrow.`)
  if (future)
    lines.push(
      `With a time in the future and not removed: ${future}. Check the clocks of this machine and of the file store.`,
    )
  if (foreign)
    lines.push(
      `The file store has ${counted(foreign, 'file')} of Portals that are not in this database. Such files belong to a different deployment or to a deleted database, and Portico never removes them. If nobody needs them, delete them with the tools of the file store.`,
    )
  return lines
}

function reportOf(count: number): string {
  const listed = count > mostShown ? `the first ${mostShown}` : 'them'
  return `The file store has ${counted(count, 'file')} without a record, such as a file that was uploaded after the restored backup was written. --json lists ${listed}.`
}

function adviceOf({ unknown_removable: removable }: Found, hindrance: string | undefined): string {
  if (!removable) return ''
  if (hindrance !== undefined) return `None can be removed now. ${hindrance}`
  return `Caution: a different deployment that uses the same file store, such as the one whose backup was restored here, may need these files. If none does, remove those that are at least one day old: portico files verify --remove-unknown ${removable}`
}

/** Why nothing may be removed now, and what to do. */
async function hindranceOf(
  context: TimedContext,
  damagedCount: number,
  unreadCount: number,
): Promise<string | undefined> {
  if (damagedCount > 0) return 'Files with a record are missing or damaged.'
  if (unreadCount > 0) return 'Files with a record could not be read.'
  const clock = await examineClock(context)
  return clock.outcome === 'problem' ? clock.message : undefined
}

const notListed: Found = {
  unknown: [],
  unknown_count: null,
  unknown_removable: null,
  unknown_young: null,
  unknown_future: null,
  unknown_foreign: null,
  unknown_removed: 0,
}

async function findUnknown(context: Context, moment: number): Promise<Listed> {
  const portals = new Set(await portalIds(context))
  const found: Listed = {
    unknown: [],
    unknown_count: 0,
    unknown_removable: 0,
    unknown_young: 0,
    unknown_future: 0,
    unknown_foreign: 0,
    unknown_removed: 0,
  }
  for await (const batch of batchesOf(context.files.list())) {
    for (const file of await withoutRow(context.database.read, batch)) {
      if (!portals.has(ownerOfKey(file.key).portal_id)) {
        found.unknown_foreign++
        continue
      }
      found.unknown_count++
      found[ageOf(file, moment)]++
      if (found.unknown_count <= mostShown) found.unknown.push({ ...file, modified_at: isoTime(file.modified_at) })
    }
  }
  return found
}

/** The times of bytes come from the clocks of machines, so they are compared with one. */
function ageOf({ modified_at }: ListedFile, moment: number) {
  if (moment - modified_at >= day) return 'unknown_removable'
  return modified_at - moment > toleranceMs ? 'unknown_future' : 'unknown_young'
}

/** The store is listed anew: it may have more files than fit into memory. Never more are removed than were confirmed. */
async function removeUnknown(
  context: Context,
  found: Found,
  { moment, confirmed }: { moment: number; confirmed: number },
): Promise<void> {
  const { database, files } = context
  const portals = new Set(await portalIds(context))
  for await (const batch of batchesOf(files.list())) {
    for (const file of await withoutRow(database.read, batch)) {
      if (found.unknown_removed >= confirmed) return
      const { portal_id, id } = ownerOfKey(file.key)
      if (!portals.has(portal_id) || ageOf(file, moment) !== 'unknown_removable') continue
      // Noted first: what is gone and not noted would be gone without a trace.
      const isNobodys = await inTransaction(database, async (tx) => {
        if ((await listFileIds(tx, portal_id, [id])).length > 0) return false
        const owner = { context, portal_id, request_id: null }
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
