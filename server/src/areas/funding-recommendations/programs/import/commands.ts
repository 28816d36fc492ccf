// An import makes the catalogue of a recipient say what a file says, all of it or nothing. Rows are checked and prepared in
// many short transactions, while nobody sees them; then one number moves, and all of them are in force (in-force.ts). What
// they replace is removed afterwards, again in short transactions. An import that begins removes what earlier ones have
// left; one that still runs then has lost its claim, and changes nothing.
import { randomUUID } from 'node:crypto'
import { recipientIdOf } from '../../../../building-blocks/recipients/queries.ts'
import { note } from '../../../../platform/audit/notes.ts'
import { isoTime } from '../../../../platform/clock.ts'
import type { Context } from '../../../../platform/context.ts'
import type { Tx } from '../../../../platform/database/database.ts'
import { inTransaction } from '../../../../platform/database/races.ts'
import { contentColumns } from '../content.ts'
import {
  type Claim,
  claimAfter,
  claimImport,
  findClaim,
  holdClaim,
  type ImportKey,
  ImportReplaced,
  putInForce,
  releaseClaim,
} from './claims.ts'
import { BrokenFile, type FileRecord, type RecordPlace, type RecordProblem } from './file-records.ts'
import { preparePrograms, type SaidProgram } from './preparation.ts'
import { readProgram } from './program-rows.ts'
import {
  addReadRows,
  findReadRows,
  listReferences,
  nextImport,
  removePrepared,
  removeReadRows,
  removeReplaced,
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
  const { database, clock } = context
  const key: ImportKey = { portal_id, import_id: randomUUID() }
  const claim = await inTransaction(database, (tx) => claimImport(tx, key, isoTime(clock.now())))
  await removeLeft(context, claim)
  const result: ImportResult = {
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: [],
    refused_count: 0,
    isDone: false,
  }
  const { expected, isBroken } = await readRecords(context, claim, records, { isSkippingBad, result })
  if (isBroken || (result.refused_count > 0 && !isSkippingBad)) {
    await removeLeft(context, claim)
    await inTransaction(database, (tx) => releaseClaim(tx, claim))
    return result
  }
  const caller = { context, portal_id, request_id: null }
  const { created, updated } = await inTransaction(database, async (tx) => {
    await note(tx, caller, { action: 'funding_program.imported', resource_id: recipientIdOf(portal_id) })
    return putInForce(tx, claim)
  })
  await tidyUp(context, key)
  return { ...result, created, updated, unchanged: expected - created - updated, isDone: true }
}

/** Removes what the import has replaced. It is done whether that succeeds or not: what is left is removed by others. */
async function tidyUp(context: Context, key: ImportKey): Promise<void> {
  const { database, clock, log } = context
  try {
    await inBatches(context, key, (tx, references) =>
      removeReplaced(tx, database, key.portal_id, { references, now: isoTime(clock.now()) }),
    )
  } catch (error) {
    log.warn({ err: error }, 'programmes that an import has replaced could not be removed; a job will remove them')
  }
}

/** Checks every record of the file and prepares the good ones. How many those are, and whether the file ends as it should. */
async function readRecords(
  context: Context,
  claim: Claim,
  records: AsyncIterable<FileRecord>,
  { isSkippingBad, result }: { isSkippingBad: boolean; result: ImportResult },
): Promise<{ expected: number; isBroken: boolean }> {
  let expected = 0
  let batch: Batch = []
  let known = firstAnalysis
  const refuse = (place: RecordPlace, problems: RecordProblem[]) => {
    result.refused_count++
    if (result.refused.length < mostRefused) result.refused.push({ ...place, problems })
  }
  const flush = async () => {
    // What is refused anyway needs no programmes; its references are still compared.
    const isWanted = isSkippingBad || result.refused_count === 0
    const refused = await prepareBatch(context, claim, batch, isWanted)
    expected += batch.length - refused.length
    for (const { place, problem } of refused) refuse(place, [problem])
    batch = []
    if (expected < known) return
    known *= 4
    await context.database.refreshStatistics(['funding_programs', 'funding_program_imports'])
  }
  let isBroken = false
  let rows = 0
  try {
    for await (const record of records) {
      const { row, line } = record
      rows = row
      const place = line === undefined ? { row } : { row, line }
      const program = 'value' in record ? readProgram(record.value) : record
      if ('problems' in program) refuse(place, program.problems)
      else {
        const { external_reference, status, content } = program
        batch.push({ place, said: { external_reference, state: status ?? '', columns: contentColumns(content) } })
      }
      if (batch.length >= batchSize) await flush()
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    isBroken = true
    refuse(error.place ?? { row: rows + 1 }, [error.problem])
  }
  await flush()
  result.refused.sort((a, b) => a.row - b.row)
  return { expected, isBroken }
}

type Batch = { place: RecordPlace; said: SaidProgram }[]

/** Prepares programmes in one short transaction. Rows whose reference an earlier row has are refused. */
async function prepareBatch(
  { database, clock }: Context,
  claim: Claim,
  batch: Batch,
  isWanted: boolean,
): Promise<{ place: RecordPlace; problem: RecordProblem }[]> {
  if (batch.length === 0) return []
  const { portal_id, import_id } = claim
  const rows = batch.map(({ place, said: { external_reference, state } }) => ({
    ...{ portal_id, import_id, external_reference, file_row: place.row, state },
  }))
  const added = await inTransaction(database, async (tx) => {
    // First of all: until the transaction ends, nobody else changes programmes of this Portal.
    await holdClaim(tx, claim)
    const added = await addReadRows(tx, rows)
    if (!isWanted) return added
    const said = batch.filter(({ place }) => added.has(place.row)).map((one) => one.said)
    await holdClaim(tx, claim, await preparePrograms(tx, claim, said, isoTime(clock.now())))
    return added
  })
  const twice = batch.filter(({ place }) => !added.has(place.row))
  if (twice.length === 0) return []
  const references = twice.map(({ said }) => said.external_reference)
  const first = await findReadRows(database.read, claim, references)
  return twice.map(({ place, said }) => {
    const numbers = `rows ${first.get(said.external_reference)?.file_row} and ${place.row}`
    const message = `external_reference must be unique in the file; ${numbers} have the same value.`
    return { place, problem: { pointer: '/external_reference', code: 'already_exists', message } }
  })
}

/** Removes what imports of a Portal have left that were killed or began before this time. */
export async function removeDeadImports(
  context: Context,
  portal_id: string,
  startedBefore: string,
  signal: AbortSignal,
): Promise<void> {
  const { database } = context
  const running = await findClaim(database.read, portal_id)
  if (running && (running.started_at ?? '') > startedBefore) return
  if (!running && (await nextImport(database.read, portal_id, '')) === undefined) return
  // Begun so long ago that whoever comes next may take it away, if this one is killed.
  const key = { portal_id, import_id: randomUUID() }
  const claim = await inTransaction(database, (tx) => claimAfter(tx, key, startedBefore, running?.import_id ?? ''))
  if (!claim) return
  try {
    await removeLeft(context, claim, signal)
    // Whoever changes programmes must know of what is left, as long as there is any.
    if (signal.aborted) return
    await inTransaction(database, (tx) => releaseClaim(tx, claim))
  } catch (error) {
    // The import that has begun meanwhile does the same.
    if (!(error instanceof ImportReplaced)) throw error
  }
}

/** Removes everything that imports have left, for the one that has the claim now. */
async function removeLeft(context: Context, claim: Claim, signal?: AbortSignal): Promise<void> {
  const { database, clock } = context
  const { portal_id } = claim
  for (let last = ''; ; ) {
    const import_id = await nextImport(database.read, portal_id, last)
    if (import_id === undefined) return
    const key = { portal_id, import_id }
    await inBatches(
      context,
      key,
      async (tx, references) => {
        await holdClaim(tx, claim)
        await removeReplaced(tx, database, portal_id, { references, now: isoTime(clock.now()) })
        await removePrepared(tx, portal_id, references)
      },
      signal,
    )
    if (signal?.aborted) return
    last = import_id
  }
}

/** Goes through the rows that an import has read, by their references, and removes them. Nobody has to wait for long. */
async function inBatches(
  { database }: Context,
  key: ImportKey,
  work: (tx: Tx, references: readonly string[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal?.aborted; ) {
    const references = await listReferences(database.read, key, { after, limit: batchSize })
    const last = references.at(-1)
    if (last === undefined) return
    await inTransaction(database, async (tx) => {
      await work(tx, references)
      await removeReadRows(tx, key, references)
    })
    after = last
    // Between batches of a file there is its next part to read; here nothing else would let another process write.
    await new Promise((resolve) => setTimeout(resolve, turnOfOthersMs))
  }
}

const batchSize = 500
/** Longer than a process that wants to write waits before it tries again. */
const turnOfOthersMs = 30
/** Plans are good once so many rows are known, and again after four times as many. */
const firstAnalysis = 2000
/** Enough to mend a file by; the rest is only counted. */
const mostRefused = 10_000
