// How a row of a file becomes the next row of a programme, which is there but not in force before the whole import is.
import { recipientIdOf } from '../../../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../../../platform/clock.ts'
import type { Context } from '../../../../platform/context.ts'
import type { Tx } from '../../../../platform/database/database.ts'
import { newId } from '../../../../platform/values/ids.ts'
import { contentColumns } from '../content.ts'
import { forever } from '../in-force.ts'
import type { ProgramRecord } from '../queries.ts'
import { matchedStates, type ProgramState, programStates } from '../states.ts'
import { type Claim, findClaim, holdClaim, type ImportCounts, versionsBetween } from './claims.ts'
import {
  endInForce,
  findHolders,
  findReadRows,
  type Holder,
  insertPrepared,
  type PreparedRow,
  takePrepared,
} from './queries.ts'

/** What a file says about a programme. */
export interface SaidProgram {
  external_reference: string
  /** Empty: the one it has, or draft for a new programme. */
  state: ProgramState | ''
  columns: ReturnType<typeof contentColumns>
}

/** Prepares what differs from the programmes in force. Their rows end with the import. */
export async function preparePrograms(
  tx: Tx,
  claim: Claim,
  said: readonly SaidProgram[],
  now: string,
): Promise<ImportCounts> {
  const references = said.map(({ external_reference }) => external_reference)
  const holders = await findHolders(tx, claim.portal_id, references)
  const rows = said.flatMap((one) => nextRow(claim, one, holders.get(one.external_reference), now) ?? [])
  await insertPrepared(tx, rows)
  const replaced = rows.filter(({ version }) => version > 1)
  await endInForce(
    tx,
    claim.portal_id,
    replaced.map(({ id }) => id),
    claim.number,
  )
  return { created: rows.length - replaced.length, updated: replaced.length }
}

/** The next row of a programme, or the first one of a new programme; undefined when nothing would change. */
function nextRow(
  { portal_id, number, catalog_version }: Claim,
  { external_reference, state: said, columns }: SaidProgram,
  holder: Holder | undefined,
  now: string,
): PreparedRow | undefined {
  const state = said || (holder?.state ?? programStates.initial)
  const isMoved = state !== holder?.state
  if (holder && !isMoved && holder.content_hash === columns.content_hash) return undefined
  const isMatched = [state, holder?.state].some((one) => one !== undefined && matchedStates.includes(one))
  return {
    portal_id,
    id: holder?.id ?? newId('prg'),
    version: (holder?.version ?? 0) + 1,
    recipient_id: recipientIdOf(portal_id),
    state,
    state_changed_at: holder && !isMoved ? holder.state_changed_at : now,
    external_reference,
    ...columns,
    catalog_version: isMatched ? catalog_version : catalog_version - versionsBetween,
    created_at: holder?.created_at ?? now,
    updated_at: now,
    from_import: number,
    until_import: forever,
  }
}

/**
 * Keeps what an import under way has prepared true to a programme that somebody else adds or changes meanwhile: the
 * import is to replace what is there when it comes into force.
 */
export async function followChange(
  tx: Tx,
  { clock }: Context,
  before: ProgramRecord | undefined,
  after: ProgramRecord,
): Promise<void> {
  const claim = await findClaim(tx, after.portal_id)
  if (!claim) return
  const named = [before?.external_reference, after.external_reference].flatMap((reference) => reference ?? [])
  const references = [...new Set(named)]
  const read = references.length > 0 ? await findReadRows(tx, claim, references) : new Map()
  const counts: ImportCounts = { created: 0, updated: 0 }
  let isReplaced = false
  for (const reference of references) {
    const row = read.get(reference)
    if (!row) continue
    const prepared = await takePrepared(tx, claim, reference)
    if (prepared) counts[prepared.version === 1 ? 'created' : 'updated']--
    // Where nothing was prepared, the file has said what the programme was before.
    const content = prepared ?? before ?? after
    const isHeld = after.external_reference === reference
    const holder = isHeld ? { ...after, content_hash: contentColumns(after).content_hash } : undefined
    const said = { external_reference: reference, state: row.state, columns: contentColumns(content) }
    const next = nextRow(claim, said, holder, isoTime(clock.now()))
    if (!next) continue
    await insertPrepared(tx, [next])
    counts[next.version === 1 ? 'created' : 'updated']++
    isReplaced ||= isHeld
  }
  await endInForce(tx, after.portal_id, [after.id], isReplaced ? claim.number : forever)
  await holdClaim(tx, claim, counts)
}
