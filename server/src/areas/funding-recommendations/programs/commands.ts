import { moveCatalogue, recipientIdOf } from '../../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../../platform/clock.ts'
import { apiUrl, type Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError, bodyDetail, referenceTaken, validationFailed } from '../../../platform/protocol/errors.ts'
import type { IfMatch } from '../../../platform/protocol/etag.ts'
import type { Problem } from '../../../platform/protocol/validation.ts'
import { type RecordKind, requireRow, saveRecord, takeAction } from '../../../platform/records/stateful-records.ts'
import { newId } from '../../../platform/values/ids.ts'
import { blankContent, changedContent, isSameContent } from './content.ts'
import { followChange } from './import/preparation.ts'
import { isInForce } from './in-force.ts'
import { findProgramByReference, insertProgram, keepVersions, type ProgramRecord, updateProgram } from './queries.ts'
import { programPath } from './records.ts'
import { programProblems } from './rules-check.ts'
import type { ProgramChange, ProgramInput } from './schema.ts'
import { matchedStates, type ProgramAction, type ProgramState, programStates } from './states.ts'
import { findVisibleProgram } from './visible-queries.ts'

export async function createProgram(
  tx: Tx,
  caller: Caller,
  { status, external_reference = null, ...said }: ProgramInput,
): Promise<ProgramRecord> {
  const { opens_on = null, closes_on = null } = said
  refuse(programProblems(said, { opens_on, closes_on }))
  const { portal_id, context } = caller
  // First of all: whoever moves the catalogue is the only one that changes programmes until the transaction ends.
  const state = status ?? programStates.initial
  const catalogVersion = await moveCatalogue(tx, portal_id, matchedStates.includes(state))
  await requireFreeReference(tx, caller, external_reference)
  const now = isoTime(context.clock.now())
  const row: ProgramRecord = {
    portal_id,
    id: newId('prg'),
    version: 1,
    recipient_id: recipientIdOf(portal_id),
    state,
    state_changed_at: now,
    external_reference,
    ...changedContent(blankContent, said),
    created_at: now,
    updated_at: now,
  }
  await insertProgram(tx, row, catalogVersion)
  await followChange(tx, context, undefined, row)
  return row
}

interface Target {
  program_id: string
  ifMatch: IfMatch | null
}

/** Writes the fields that were sent. A change without effect makes no new version and leaves the catalogue as it is. */
export async function changeProgram(
  tx: Tx,
  caller: Caller,
  { change, ...target }: Target & { change: ProgramChange },
): Promise<ProgramRecord> {
  const current = await load(tx, caller, target, 'update')
  const { external_reference = current.external_reference, ...said } = change
  const { opens_on = current.opens_on, closes_on = current.closes_on } = said
  refuse(programProblems(said, { opens_on, closes_on }))
  const changed = { ...current, ...changedContent(current, said), external_reference }
  const isMoved = external_reference !== current.external_reference
  if (!isMoved && isSameContent(changed, current)) return current
  if (isMoved) {
    // Whoever holds the catalogue is the only one that gives a reference.
    await moveCatalogue(tx, caller.portal_id, false)
    await requireFreeReference(tx, caller, external_reference)
  }
  return saveRecord(tx, caller, programRecord(current), changed)
}

export async function moveProgram(
  tx: Tx,
  caller: Caller,
  target: Target,
  action: Exclude<ProgramAction, 'update'>,
): Promise<ProgramRecord> {
  const current = await load(tx, caller, target, action)
  return takeAction(tx, caller, programRecord(current), current, { action, by: 'owner' })
}

type ProgramKind = RecordKind<ProgramState, ProgramAction, 'owner', ProgramRecord>

/**
 * A programme as a record with states. A change keeps the version before, and moves the catalogue if the programme was or
 * becomes one that projects are matched with.
 */
const programRecord = (before: ProgramRecord): ProgramKind => ({
  states: programStates,
  path: programPath,
  async update(tx, { portal_id, context }, row) {
    const isMatched = [before, row].some(({ state }) => matchedStates.includes(state))
    const catalogVersion = await moveCatalogue(tx, portal_id, isMatched)
    const keptVersions = await keepVersions(tx, context.database, portal_id, row.updated_at, (programs) =>
      programs.where('id', '=', row.id).where('version', '=', row.version).where(isInForce(portal_id)),
    )
    if (keptVersions === 0 || !(await updateProgram(tx, row, catalogVersion))) return false
    await followChange(tx, context, before, { ...row, version: row.version + 1 })
    return true
  },
  audience: () => [],
})

/** The programme an address names, at the version the caller has seen, if it is the caller's and allows the action. */
async function load(
  tx: Tx,
  caller: Caller,
  { program_id, ifMatch }: Target,
  action: ProgramAction,
): Promise<ProgramRecord> {
  const row = await findVisibleProgram(tx, caller.portal_id, program_id)
  if (!row) throw new ApiError('not_found')
  // Whoever only sees it is no party of it.
  if (row.portal_id !== caller.portal_id) programStates.requireStep(row.state, action, [])
  const current = requireRow(row, ifMatch)
  programStates.requireStep(current.state, action, 'owner')
  return current
}

async function requireFreeReference(tx: Tx, caller: Caller, reference: string | null): Promise<void> {
  const holder = reference === null ? undefined : await findProgramByReference(tx, caller.portal_id, reference)
  if (holder) throw referenceTaken('programme', apiUrl(caller.context.config, programPath(holder.id)))
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  throw validationFailed(problems.map(({ pointer, code, message, meta }) => bodyDetail(pointer, code, message, meta)))
}
