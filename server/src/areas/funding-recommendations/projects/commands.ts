import { publish } from '../../../platform/background/outbox.ts'
import { isoTime } from '../../../platform/clock.ts'
import { apiUrl, type Caller } from '../../../platform/context.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import {
  ApiError,
  bodyDetail,
  type ErrorDetail,
  referenceTaken,
  stateConflict,
  validationFailed,
} from '../../../platform/protocol/errors.ts'
import { etagOf, type IfMatch, preconditionFailed, requireVersion } from '../../../platform/protocol/etag.ts'
import { canonicalJson } from '../../../platform/values/canonical-json.ts'
import { newId } from '../../../platform/values/ids.ts'
import { cut } from '../../../platform/values/text-keys.ts'
import { lockBusiness } from '../../businesses/queries.ts'
import { requireActive } from '../../businesses/states.ts'
import { linkProject } from '../../client-intake/commands.ts'
import { lockIntake } from '../../client-intake/queries.ts'
import { intakeStates } from '../../client-intake/states.ts'
import { type CriteriaValues, findOrigins, gatherFacts, suggestionsFor, valuesFrom } from '../criteria/known-facts.ts'
import type { CriteriaChange, Suggestion } from '../criteria/schema.ts'
import { valueProblems } from '../criteria/value-problems.ts'
import { findProject, findProjectByReference, insertProject, type ProjectRow, updateProject } from './queries.ts'
import { missingCriteria, projectPath } from './records.ts'
import type { ProjectChange, ProjectInput } from './schema.ts'

interface ProjectTarget {
  project_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

export async function createProject(tx: Tx, caller: Caller, input: ProjectInput): Promise<ProjectRow> {
  const { portal_id, context } = caller
  const { business_id, intake_application_id = null, external_reference = null, metadata = {} } = input
  // It will name the project: of several at once each waits for the one before.
  if (intake_application_id !== null) await lockIntake(tx, portal_id, intake_application_id)
  // Held, so that it is not archived or erased at the same moment.
  await lockBusiness(tx, portal_id, business_id)
  const origins = await findOrigins(tx, portal_id, { business_id, intake_application_id })
  const { business, intake } = origins
  const problems: ErrorDetail[] = []
  if (!business)
    problems.push(bodyDetail('/business_id', 'unknown_reference', 'This Portal has no business with this id.'))
  if (intake_application_id !== null && intake?.business_id !== business_id)
    problems.push(
      bodyDetail(
        '/intake_application_id',
        'unknown_reference',
        'This business has no client intake application with this id.',
      ),
    )
  if (problems.length > 0 || !business) throw validationFailed(problems)
  requireActive(business, 'begin a project')
  if (intake && intake.state !== 'submitted' && intake.state !== 'accepted') {
    const available_actions = intakeStates.availableActions(intake.state, 'owner')
    throw stateConflict('application', 'begin a project', { state: intake.state, available_actions })
  }
  await requireFreeReference(tx, caller, external_reference)
  const now = isoTime(context.clock.now())
  const facts = await gatherFacts(tx, context, origins)
  const told = facts.find(({ fact, value }) => fact === 'project.description' && typeof value === 'string')
  const row: ProjectRow = {
    portal_id,
    id: newId('prj'),
    version: 1,
    business_id,
    intake_application_id,
    title: input.title ?? intake?.title ?? cut(`Funding for ${business.legal_name}`, 200),
    description: input.description ?? (told ? cut(String(told.value), 5000) : null),
    external_reference,
    metadata,
    criteria: toValues(valuesFrom(facts, now.slice(0, 10)).values(), now),
    criteria_version: 1,
    criteria_updated_at: now,
    calculation_id: null,
    created_at: now,
    updated_at: now,
  }
  await insertProject(tx, row)
  if (intake) await linkProject(tx, caller, intake, row.id)
  await tell(tx, caller, row, 'created')
  if (missingCriteria(row).length === 0) await tell(tx, caller, row, 'criteria_completed')
  return row
}

/** Writes the fields that were sent. A change without effect makes no new version. */
export async function changeProject(
  tx: Tx,
  caller: Caller,
  { project_id, ifMatch }: ProjectTarget,
  change: ProjectChange,
): Promise<ProjectRow> {
  const current = await requireProject(tx, caller, project_id)
  requireVersion(ifMatch, etagOf(current))
  const next = { ...current, ...change }
  if (canonicalJson(next) === canonicalJson(current)) return current
  if (next.external_reference !== current.external_reference)
    await requireFreeReference(tx, caller, next.external_reference)
  return save(tx, caller, next)
}

/** Sets and clears criteria, all or nothing. */
export async function changeCriteria(
  tx: Tx,
  caller: Caller,
  { project_id, ifMatch }: ProjectTarget,
  { values }: CriteriaChange,
): Promise<ProjectRow> {
  const current = await requireProject(tx, caller, project_id)
  requireVersion(ifMatch, etagOf(current))
  const now = isoTime(caller.context.clock.now())
  const facts = await gatherFacts(tx, caller.context, await findOrigins(tx, caller.portal_id, current))
  const known = valuesFrom(facts, now.slice(0, 10))
  const criteria: CriteriaValues = { ...current.criteria }
  for (const [key, value] of Object.entries(values)) {
    const held = criteria[key]
    if (value === null) delete criteria[key]
    else if (held?.source !== 'api' || canonicalJson(held.value) !== canonicalJson(value))
      criteria[key] = { value, source: 'api', source_detail: null, updated_at: now, instead_of: known.get(key)?.value }
  }
  const problems = valueProblems(values, plainValues(criteria), now.slice(0, 10))
  if (problems.length > 0) throw validationFailed(problems)
  if (canonicalJson(criteria) === canonicalJson(current.criteria)) return current
  const wasIncomplete = missingCriteria(current).length > 0
  const saved = await save(tx, caller, {
    ...current,
    criteria,
    criteria_version: current.criteria_version + 1,
    criteria_updated_at: now,
  })
  if (wasIncomplete && missingCriteria(saved).length === 0) await tell(tx, caller, saved, 'criteria_completed')
  return saved
}

export async function requireProject(db: Connection, caller: Caller, id: string): Promise<ProjectRow> {
  const row = await findProject(db, caller.portal_id, id)
  if (!row) throw new ApiError('not_found')
  return row
}

/** What the business and the application say now and the criteria do not. */
export async function findSuggestions(
  db: Connection,
  { context, portal_id }: Caller,
  project: ProjectRow,
): Promise<Suggestion[]> {
  const facts = await gatherFacts(db, context, await findOrigins(db, portal_id, project))
  return suggestionsFor(project.criteria, facts, isoTime(context.clock.now()).slice(0, 10))
}

/** The values alone, as matching takes them. */
export function plainValues(criteria: CriteriaValues): Record<string, unknown> {
  return Object.fromEntries(Object.entries(criteria).map(([key, { value }]) => [key, value]))
}

function toValues(found: Iterable<Suggestion>, now: string): CriteriaValues {
  return Object.fromEntries(
    [...found].map(({ key, value, source, source_detail }) => [key, { value, source, source_detail, updated_at: now }]),
  )
}

async function requireFreeReference(tx: Tx, { portal_id, context }: Caller, reference: string | null): Promise<void> {
  const holder = reference === null ? undefined : await findProjectByReference(tx, portal_id, reference)
  if (holder) throw referenceTaken('project', apiUrl(context.config, projectPath(holder.id)))
}

async function save(tx: Tx, caller: Caller, row: ProjectRow): Promise<ProjectRow> {
  const changed = { ...row, updated_at: isoTime(caller.context.clock.now()) }
  if (!(await updateProject(tx, changed))) throw preconditionFailed()
  return { ...changed, version: row.version + 1 }
}

async function tell(tx: Tx, caller: Caller, { id, version }: ProjectRow, verb: 'created' | 'criteria_completed') {
  const resource = { type: 'project', id, path: projectPath(id), version }
  await publish(tx, caller, { type: `project.${verb}`, resource })
}
