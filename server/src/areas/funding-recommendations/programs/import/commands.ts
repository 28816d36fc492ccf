// An import makes the catalogue of a recipient say what a file says, all of it or nothing. Rows are checked and collected
// in many short transactions, while nobody sees them; one last transaction makes programmes of them. An import that
// begins removes what earlier ones have left; one that still runs then finds its rows gone, and changes nothing.
import { randomUUID } from 'node:crypto'
import { findOwnRecipient, moveCatalogue, recipientIdOf } from '../../../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../../../platform/clock.ts'
import type { Context } from '../../../../platform/context.ts'
import type { Connection, Database, Tx } from '../../../../platform/database/database.ts'
import { inTransaction } from '../../../../platform/database/races.ts'
import { newId } from '../../../../platform/values/ids.ts'
import { contentColumns } from '../content.ts'
import { BrokenFile, type FileRecord, type RecordPlace, type RecordProblem } from './file-records.ts'
import { type ImportedProgram, readProgram } from './program-rows.ts'
import {
  type CollectedRow,
  changesMatched,
  collectRows,
  compareRows,
  countRows,
  endOfBatch,
  findImports,
  findRowNumbers,
  type ImportKey,
  insertFromRows,
  keepReplaced,
  removeRows,
  updateFromRows,
} from './queries.ts'

export interface ImportResult {
  created: number
  updated: number
  unchanged: number
  /** The rows that were refused, the first of them where there are very many. */
  refused: (RecordPlace & { problems: RecordProblem[] })[]
  refused_count: number
  /** False when nothing was imported because something was refused. */
  isDone: boolean
}

/** Another import of the same recipient has taken over. */
export class ImportReplaced extends Error {}

interface ImportOptions {
  portal_id: string
  /** Import what can be imported, and leave out the rest. */
  isSkippingBad: boolean
}

export async function importPrograms(
  context: Context,
  records: AsyncIterable<FileRecord>,
  { portal_id, isSkippingBad }: ImportOptions,
): Promise<ImportResult> {
  const key: ImportKey = { portal_id, import_id: randomUUID() }
  await removeLeftRows(context, portal_id, isoTime(context.clock.now()))
  const result: ImportResult = {
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: [],
    refused_count: 0,
    isDone: false,
  }
  const { expected, isBroken } = await collectRecords(context, key, records, result)
  if (!isBroken && (result.refused_count === 0 || isSkippingBad)) {
    Object.assign(result, await applyRows(context, key, expected))
    result.isDone = true
  }
  await removeCollected(context.database, key)
  return result
}

/** Checks every record of the file and collects the good ones. How many those are, and whether the file ends as it should. */
async function collectRecords(
  context: Context,
  key: ImportKey,
  records: AsyncIterable<FileRecord>,
  result: ImportResult,
): Promise<{ expected: number; isBroken: boolean }> {
  let expected = 0
  let batch: Batch = []
  const refuse = (place: RecordPlace, problems: RecordProblem[]) => {
    result.refused_count++
    if (result.refused.length < mostRefused) result.refused.push({ ...place, problems })
  }
  const flush = async () => {
    const refused = await collectBatch(context, key, batch)
    expected += batch.length - refused.length
    for (const { place, problem } of refused) refuse(place, [problem])
    batch = []
  }
  let isBroken = false
  try {
    for await (const record of records) {
      const { row, line } = record
      const place = line === undefined ? { row } : { row, line }
      const program = 'value' in record ? readProgram(record.value) : record
      if ('problems' in program) refuse(place, program.problems)
      else batch.push({ place, row: collectedRow(context, key, row, program) })
      if (batch.length >= batchSize) await flush()
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    isBroken = true
    refuse(error.place, [error.problem])
  }
  await flush()
  result.refused.sort((a, b) => a.row - b.row)
  return { expected, isBroken }
}

type Batch = { place: RecordPlace; row: CollectedRow }[]

/** Collects rows in one short transaction. Those whose reference an earlier row has are refused. */
async function collectBatch(
  { database }: Context,
  key: ImportKey,
  batch: Batch,
): Promise<{ place: RecordPlace; problem: RecordProblem }[]> {
  if (batch.length === 0) return []
  const added = await inTransaction(database, (tx) =>
    collectRows(
      tx,
      batch.map(({ row }) => row),
    ),
  )
  const twice = batch.filter(({ row }) => !added.has(row.id))
  if (twice.length === 0) return []
  const references = twice.flatMap(({ row }) => row.external_reference ?? [])
  const numbers = await findRowNumbers(database.read, key, references)
  return twice.map(({ place, row }) => {
    const rows = `rows ${numbers.get(row.external_reference ?? '')} and ${place.row}`
    const message = `external_reference must be unique in the file; ${rows} have the same value.`
    return { place, problem: { pointer: '/external_reference', code: 'already_exists', message } }
  })
}

function collectedRow(
  { clock }: Context,
  { portal_id, import_id }: ImportKey,
  row: number,
  { external_reference, status, content }: ImportedProgram,
): CollectedRow {
  const now = isoTime(clock.now())
  return {
    portal_id,
    import_id,
    id: newId('prg'),
    version: row,
    recipient_id: recipientIdOf(portal_id),
    state: status ?? '',
    state_changed_at: now,
    external_reference,
    ...contentColumns(content),
    catalog_version: 0,
    created_at: now,
    updated_at: now,
  }
}

/** Makes programmes of the collected rows. Rows that change nothing are left alone, and so is the catalogue then. */
async function applyRows(
  context: Context,
  key: ImportKey,
  expected: number,
): Promise<Pick<ImportResult, 'created' | 'updated' | 'unchanged'>> {
  const { database, clock } = context
  await database.refreshStatistics(['funding_programs', 'funding_program_imports'])
  const keptUpTo = (await findOwnRecipient(database.read, key.portal_id))?.catalog_version ?? 0
  const before = await compareRows(database.read, key)
  if (before.updated > 0) await keepReplacedVersions(context, key)
  if (before.created + before.updated === 0) {
    await requireRows(database.read, key, expected)
    return { created: 0, updated: 0, unchanged: expected }
  }
  return inTransaction(database, async (tx) => {
    // First of all: from here on nobody else changes programmes of this Portal.
    await moveCatalogue(tx, key.portal_id, false)
    const catalogVersion = await moveCatalogue(tx, key.portal_id, await changesMatched(tx, key))
    const next = { catalogVersion, keptUpTo, now: isoTime(clock.now()) }
    const updated = await updateFromRows(tx, database, key, next)
    const created = await insertFromRows(tx, key, next)
    await requireRows(tx, key, expected)
    return { created, updated, unchanged: expected - created - updated }
  })
}

/** Rows are removed only by an import that begins, and those of this one would then be gone. */
async function requireRows(db: Connection, key: ImportKey, expected: number): Promise<void> {
  if ((await countRows(db, key)) === expected) return
  throw new ImportReplaced(
    'Another import for the same recipient was started, and this one changed nothing. Run one import at a time.',
  )
}

/** Ahead of the last transaction, so that it is short: a version that is kept and still current does no harm. */
async function keepReplacedVersions({ database, clock }: Context, key: ImportKey): Promise<void> {
  await inBatches(database, key, batchSize, (tx, after, upTo) =>
    keepReplaced(tx, database, key, { after, upTo, now: isoTime(clock.now()) }),
  )
}

/** Removes what imports have left that collected rows before this time. */
export async function removeLeftRows({ database }: Context, portalId: string, collectedBefore: string): Promise<void> {
  for (const key of await findImports(database.read, portalId, collectedBefore)) await removeCollected(database, key)
}

async function removeCollected(database: Database, key: ImportKey): Promise<void> {
  await inBatches(database, key, removedAtOnce, (tx, _after, upTo) => removeRows(tx, key, upTo))
}

/** Goes through the collected rows by their references, in short transactions: nobody has to wait for long. */
async function inBatches(
  database: Database,
  key: ImportKey,
  size: number,
  work: (tx: Tx, after: string, upTo: string) => Promise<void>,
): Promise<void> {
  let after = ''
  for (;;) {
    const upTo = await endOfBatch(database.read, key, after, size)
    if (upTo === undefined) return
    const begin = after
    await inTransaction(database, (tx) => work(tx, begin, upTo))
    after = upTo
  }
}

const batchSize = 500
/** Removing takes much less time than collecting. */
const removedAtOnce = 4000
/** Enough to mend a file by; the rest is only counted. */
const mostRefused = 10_000
