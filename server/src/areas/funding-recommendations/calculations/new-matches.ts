// Looks for what a change of a catalogue has made newly eligible. Only the programmes that changed are evaluated. New is
// what the last calculation of the project did not know or did not find eligible, and what was not told since.
import type { Connection, Database } from '../../../platform/database/database.ts'
import { findEntry } from '../matches/list-matches.ts'
import { findDismissed, findToldSince } from '../matches/queries.ts'
import { type Catalogue, compileCatalogue } from '../matching/catalogue.ts'
import { dayIn } from '../matching/days.ts'
import { evaluateAll } from '../matching/evaluation.ts'
import { factsOf } from '../matching/project-facts.ts'
import { changedPrograms } from '../programs/queries.ts'
import { matchedStates } from '../programs/states.ts'
import type {
  ChangePosition,
  Checkpoint,
  EvaluatedRecipient,
  FindNewTask,
  FoundNew,
  TaskRecipient,
} from './matching-task.ts'

/** So many changes of programmes are looked at together, for so many projects. */
export const changesAtOnce = 200
const projectsAtOnce = 500
/** More would not be read: the project is better calculated again. */
const mostOfProject = 20

export function createNewMatchSearch(database: Database, checkpoint: Checkpoint) {
  let kept: { name: string; changes: Changes } | undefined
  return async ({ portal_id, after_project_id, recipient, after, until, now }: FindNewTask): Promise<FoundNew> => {
    const db = database.read
    const day = dayIn('UTC', now)
    // The same changes are asked for again and again, for one page of projects after the other.
    const name = JSON.stringify([recipient, after, until, day])
    if (kept?.name !== name) kept = { name, changes: await readChanges(db, recipient, { after, until }, day) }
    const { catalogue, versions } = kept.changes
    const own = { ...catalogue, recipient: { ...catalogue.recipient, today: dayIn(recipient.time_zone, now) } }
    const projects = await listOpenProjects(db, portal_id, after_project_id)
    const found: FoundNew['found'] = []
    for (const project of projects) {
      checkpoint()
      const known = project.recipients?.find((one) => one.id === recipient.id)?.catalog_version ?? 0
      const eligible = eligibleIn(own, factsOf(plain(project.criteria), day), project.id)
      const candidates = eligible.filter((programId) => (versions.get(programId) ?? 0) > known)
      for (const program_id of await onlyNew(db, portal_id, project, candidates))
        found.push({ project_id: project.id, program_id })
    }
    return { found, last_project_id: projects.length < projectsAtOnce ? null : (projects.at(-1)?.id ?? null) }
  }
}

interface Changes {
  catalogue: Catalogue
  /** With which version of the catalogue each came. */
  versions: Map<string, number>
}

async function readChanges(
  db: Connection,
  recipient: TaskRecipient,
  { after, until }: { after: ChangePosition; until: ChangePosition },
  day: number,
): Promise<Changes> {
  const isWithin = (version: number, id: string) =>
    version < until.catalog_version || (version === until.catalog_version && id <= until.program_id)
  const changed = await changedPrograms(db, recipient.portal_id, after, changesAtOnce)
  const open = changed.filter(
    ({ state, catalog_version, terms }) => matchedStates.includes(state) && isWithin(catalog_version, terms.id),
  )
  const { id, countries } = recipient
  return {
    catalogue: compileCatalogue(
      open.map(({ terms }) => terms),
      { id, countries, today: day },
      day,
    ),
    versions: new Map(open.map(({ terms, catalog_version }) => [terms.id, catalog_version])),
  }
}

/** The best first. */
function eligibleIn(catalogue: Catalogue, facts: ReturnType<typeof factsOf>, projectId: string): string[] {
  const { outcomes, order } = evaluateAll([catalogue], facts, projectId)
  return Array.from(order)
    .filter((program) => outcomes[program] === 0)
    .map((program) => catalogue.ids.at(program))
}

async function onlyNew(
  db: Connection,
  portal_id: string,
  { id, result_id, calculated_at }: OpenProject,
  candidates: readonly string[],
): Promise<string[]> {
  if (candidates.length === 0) return []
  const told = await findToldSince(db, portal_id, id, calculated_at)
  const dismissed = await findDismissed(db, portal_id, id)
  const fresh: string[] = []
  for (const programId of candidates) {
    if (told.has(programId) || dismissed.has(programId)) continue
    const before = result_id === null ? undefined : await findEntry(db, { portal_id, result_id }, programId)
    if (before?.outcome !== 'eligible') fresh.push(programId)
    if (fresh.length === mostOfProject) break
  }
  return fresh
}

type OpenProject = Awaited<ReturnType<typeof listOpenProjects>>[number]

/** Projects that were calculated, of businesses that are active. */
async function listOpenProjects(db: Connection, portalId: string, afterId: string) {
  return db
    .selectFrom('projects')
    .innerJoin('businesses', (join) =>
      join.onRef('businesses.portal_id', '=', 'projects.portal_id').onRef('businesses.id', '=', 'projects.business_id'),
    )
    .innerJoin('match_calculations', (join) =>
      join
        .onRef('match_calculations.portal_id', '=', 'projects.portal_id')
        .onRef('match_calculations.id', '=', 'projects.calculation_id'),
    )
    .select([
      'projects.id',
      'projects.criteria',
      'match_calculations.recipients',
      'match_calculations.result_id',
      'match_calculations.created_at as calculated_at',
    ])
    .$narrowType<{ recipients: EvaluatedRecipient[] | null }>()
    .where('projects.portal_id', '=', portalId)
    .where('projects.id', '>', afterId)
    .where('businesses.state', '=', 'active')
    .orderBy('projects.id')
    .limit(projectsAtOnce)
    .execute()
}

function plain(criteria: Record<string, unknown>): Record<string, unknown> {
  // safe because criteria are stored as values with their sources
  const held = criteria as Record<string, { value: unknown }>
  return Object.fromEntries(Object.entries(held).map(([key, { value }]) => [key, value]))
}
