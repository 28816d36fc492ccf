import { findAccepting } from '../../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { type IfMatch, requireVersion } from '../../../platform/protocol/etag.ts'
import type { MatchEntry } from '../calculations/match-pages.ts'
import { findCalculation } from '../calculations/queries.ts'
import { requireProject } from '../projects/commands.ts'
import { lockProject, type ProjectRow } from '../projects/queries.ts'
import { type FinishedCalculation, findEntry } from './list-matches.ts'
import { programIdOf } from './match-ids.ts'
import { deleteDismissed, findDismissed, findMatchedDeals, insertDismissed } from './queries.ts'
import { matchEtag } from './records.ts'

/** One match, with what its record is made of. */
export interface FoundMatch {
  calculation: FinishedCalculation
  entry: MatchEntry
  dismissed: Map<string, string>
}

/** The calculation a project's matches are taken from; undefined while there is none. */
export async function findFinished(
  db: Connection,
  caller: Caller,
  project: ProjectRow,
  calculationId = project.calculation_id,
): Promise<FinishedCalculation | undefined> {
  if (calculationId === null) return undefined
  const found = await findCalculation(db, caller.portal_id, calculationId)
  if (found?.project_id !== project.id) throw new ApiError('not_found')
  return found.result_id === null ? undefined : { ...found, result_id: found.result_id }
}

export async function requireMatch(
  db: Connection,
  caller: Caller,
  projectId: string,
  matchId: string,
): Promise<FoundMatch> {
  const project = await requireProject(db, caller, projectId)
  const calculation = await findFinished(db, caller, project)
  const entry = calculation && (await findEntry(db, calculation, programIdOf(projectId, matchId)))
  if (!entry) throw new ApiError('not_found')
  return { calculation, entry, dismissed: await findDismissed(db, caller.portal_id, projectId) }
}

/** Dismisses a match, or brings it back. It stays so in later calculations. */
export async function setDismissed(
  tx: Tx,
  caller: Caller,
  { project_id, match_id, ifMatch }: { project_id: string; match_id: string; ifMatch: IfMatch | null },
  isDismissed: boolean,
): Promise<FoundMatch> {
  const { portal_id, context } = caller
  await requireProject(tx, caller, project_id)
  await lockProject(tx, portal_id, project_id)
  const found = await requireMatch(tx, caller, project_id, match_id)
  const { calculation, entry, dismissed } = found
  const { program_id } = entry
  const isAccepting = (await findAccepting(tx, portal_id, [entry.recipient_id])).has(entry.recipient_id)
  const deals = await findMatchedDeals(tx, portal_id, project_id, [program_id])
  const seen = {
    id: match_id,
    calculation_id: calculation.id,
    dismissed_at: dismissed.get(program_id),
    deal_id: deals.get(program_id),
    isAccepting,
  }
  requireVersion(ifMatch, matchEtag(seen))
  if (dismissed.has(program_id) === isDismissed) return found
  if (isDismissed) {
    const dismissed_at = isoTime(context.clock.now())
    await insertDismissed(tx, { portal_id, project_id, program_id, dismissed_at })
    dismissed.set(program_id, dismissed_at)
  } else {
    await deleteDismissed(tx, portal_id, project_id, program_id)
    dismissed.delete(program_id)
  }
  return found
}
