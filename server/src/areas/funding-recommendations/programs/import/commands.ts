// An import makes the catalogue of a recipient say what a file says, all of it or nothing. Rows are checked and collected
// in many short transactions, while nobody sees them; one last transaction makes programmes of them. An import that
// begins removes what earlier ones have left; one that still runs then finds its rows gone, and changes nothing.
import { randomUUID } from 'node:crypto'
import { moveCatalogue, recipientIdOf } from '../../../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../../../platform/clock.ts'
import type { Context } from '../../../../platform/context.ts'
import { inTransaction } from '../../../../platform/database/races.ts'
import { newId } from '../../../../platform/values/ids.ts'
import { contentColumns } from '../content.ts'
import { BrokenFile, type FileRecord, type RecordPlace, type RecordProblem } from './file-records.ts'
import { type ImportedProgram, readProgram } from './program-rows.ts'
import {
  type CollectedRow,
  collectRows,
  compareRows,
  findRowNumbers,
  type ImportKey,
  insertFromRows,
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
  await removeAllRows(context, portal_id, { created_before: isoTime(context.clock.now()) })
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
  await removeAllRows(context, portal_id, { import_id: key.import_id })
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
    const message = `external_reference must be unique in the file; ${rows} have the same.`
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
  { database, clock }: Context,
  key: ImportKey,
  expected: number,
): Promise<Pick<ImportResult, 'created' | 'updated' | 'unchanged'>> {
  const before = await compareRows(database.read, key)
  requireRows(before.collected === expected)
  if (before.created + before.updated === 0) return { created: 0, updated: 0, unchanged: expected }
  return inTransaction(database, async (tx) => {
    // First of all: from here on nobody else changes programmes of this Portal.
    const catalogVersion = await moveCatalogue(tx, key.portal_id)
    const { collected, created, updated } = await compareRows(tx, key)
    const version = { catalogVersion, now: isoTime(clock.now()) }
    const isWhole =
      collected === expected &&
      (await updateFromRows(tx, database, key, version)) === updated &&
      (await insertFromRows(tx, key, version)) === created
    requireRows(isWhole)
    return { created, updated, unchanged: expected - created - updated }
  })
}

function requireRows(isWhole: boolean): void {
  if (isWhole) return
  throw new ImportReplaced(
    'Another import for the same recipient was started, and this one changed nothing. Run one import at a time.',
  )
}

/** In short transactions, so that nobody waits for long. */
export async function removeAllRows(
  { database }: Context,
  portalId: string,
  which: Parameters<typeof removeRows>[2],
): Promise<void> {
  while ((await inTransaction(database, (tx) => removeRows(tx, portalId, which, batchSize))) === batchSize);
}

const batchSize = 500
/** Enough to mend a file by; the rest is only counted. */
const mostRefused = 10_000
