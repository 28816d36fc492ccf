import { type RecipientRow, visibleRecipients } from '../../../building-blocks/recipients/queries.ts'
import { enqueue } from '../../../platform/background/jobs.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { type RecordKind, takeAction } from '../../../platform/records/stateful-records.ts'
import { counted } from '../../../platform/values/counted.ts'
import { newId } from '../../../platform/values/ids.ts'
import { findBusiness } from '../../businesses/queries.ts'
import { requireActive } from '../../businesses/states.ts'
import { criteriaByKey } from '../criteria/vocabulary.ts'
import { plainValues, requireProject } from '../projects/commands.ts'
import { lockProject, type ProjectRow, setCalculation } from '../projects/queries.ts'
import { missingCriteria } from '../projects/records.ts'
import type { Calculated, TaskRecipient } from './matching-task.ts'
import { type CalculationRow, findActiveCalculation, insertCalculation, updateCalculation } from './queries.ts'
import { calculationPath } from './records.ts'
import { type CalculationAction, type CalculationState, calculationStates } from './states.ts'

export const calculationJob = 'funding_recommendations.calculate'

type CalculationKind = RecordKind<CalculationState, CalculationAction, 'job', CalculationRow>

const calculationRecord = (row: CalculationRow): CalculationKind => ({
  states: calculationStates,
  path: () => calculationPath(row),
  update: (tx, _caller, changed) => updateCalculation(tx, changed),
  audience: (_caller, { portal_id }) => [portal_id],
})

/** Asks for a calculation; a job does the work. While one is under way, that is the one. */
export async function startCalculation(tx: Tx, caller: Caller, projectId: string): Promise<CalculationRow> {
  const { portal_id, context, request_id } = caller
  await requireProject(tx, caller, projectId)
  // Of several concurrent requests one starts a calculation; the others find it.
  await lockProject(tx, portal_id, projectId)
  const project = await requireProject(tx, caller, projectId)
  const active = await findActiveCalculation(tx, portal_id, projectId)
  if (active) return active
  const business = await findBusiness(tx, portal_id, project.business_id)
  if (business) requireActive(business, 'calculate matches')
  requireComplete(project)
  const now = isoTime(context.clock.now())
  const row: CalculationRow = {
    portal_id,
    id: newId('cal'),
    version: 1,
    state: calculationStates.initial,
    state_changed_at: now,
    project_id: projectId,
    active_project_id: projectId,
    criteria: plainValues(project.criteria),
    criteria_version: project.criteria_version,
    recipients: null,
    calculated_on: null,
    changes_on: null,
    counts: null,
    most_useful_criteria: null,
    error: null,
    result_id: null,
    created_at: now,
    updated_at: now,
  }
  await insertCalculation(tx, row)
  await enqueue(tx, context, { portal_id, kind: calculationJob, payload: { calculation_id: row.id }, request_id })
  return row
}

/** Throws with everything that is missing. */
export function requireComplete(project: ProjectRow): void {
  const missing = missingCriteria(project)
  if (missing.length === 0) return
  throw new ApiError('criteria_incomplete', {
    message: `Matches cannot be calculated: ${counted(missing.length, 'required criterion', 'required criteria')} missing. Set what details lists with PATCH …/criteria/.`,
    details: missing.map((key) => ({
      location: 'state',
      name: key,
      code: 'required',
      message: `${key} is required. ${criteriaByKey.get(key)?.help ?? ''}`.trim(),
      meta: { criterion: key },
    })),
  })
}

export async function beginCalculation(tx: Tx, caller: Caller, row: CalculationRow): Promise<CalculationRow> {
  return takeAction(tx, caller, calculationRecord(row), row, { action: 'start', by: 'job' })
}

/** Makes the matches that were written under `resultId` those of the project. */
export async function completeCalculation(
  tx: Tx,
  caller: Caller,
  row: CalculationRow,
  resultId: string,
  { counts, most_useful_criteria, recipients, calculated_on, changes_on }: Calculated,
): Promise<void> {
  const change = {
    counts,
    most_useful_criteria,
    recipients,
    calculated_on,
    changes_on,
    result_id: resultId,
    active_project_id: null,
  }
  await takeAction(tx, caller, calculationRecord(row), row, { action: 'complete', by: 'job', change })
  await setCalculation(tx, row.portal_id, row.project_id, row.id)
}

export async function failCalculation(tx: Tx, caller: Caller, row: CalculationRow): Promise<void> {
  const error = { code: 'internal_error', message: 'An internal error occurred. Calculate again.' }
  const change = { error, active_project_id: null }
  await takeAction(tx, caller, calculationRecord(row), row, { action: 'fail', by: 'job', change })
}

/** The recipients whose programmes a Portal can be matched with. */
export async function recipientsToEvaluate(db: Connection, portalId: string): Promise<TaskRecipient[]> {
  return (await visibleRecipients(db, portalId)).map(taskRecipientOf)
}

/** What the matching thread has to know of a recipient. */
export function taskRecipientOf(row: RecipientRow): TaskRecipient {
  const { portal_id, id, name, countries, time_zone, catalog_version } = row
  return { portal_id, id, name, countries, time_zone, catalog_version }
}
