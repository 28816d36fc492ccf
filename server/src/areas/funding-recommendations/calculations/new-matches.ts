// Looks for what a change of a catalogue has made newly eligible. Only the programmes that changed are evaluated. New is
// what the last calculation of the project did not know or did not find eligible, and what was not told since.
import type { Connection, Database } from '../../../platform/database/database.ts'
import { ranksOfPrograms } from '../matches/list-matches.ts'
import { countTold, findDismissedOf, findTold } from '../matches/queries.ts'
import { type Catalogue, collectCatalogue } from '../matching/catalogue.ts'
import { dayIn } from '../matching/days.ts'
import { evaluateAll } from '../matching/evaluation.ts'
import { factsOf } from '../matching/project-facts.ts'
import { changedPrograms } from '../programs/queries.ts'
import { matchedStates } from '../programs/states.ts'
import type {
  Calculated,
  ChangePosition,
  Checkpoint,
  EvaluatedRecipient,
  FindNewTask,
  FoundNew,
  TaskRecipient,
} from './matching-task.ts'
import { lastId } from './telling-place.ts'

const projectsAtOnce = 100
/** Of one change of a catalogue. More would not be read: the project is better calculated again. */
const mostOfProject = 20
/** Whoever waits for the thread waits no longer than that, and what was found is soon told. */
const stepMs = 250
const mostFound = 200

export function createNewMatchSearch(database: Database, checkpoint: Checkpoint) {
  let kept: { name: string; changes: Changes } | undefined
  return async ({ portal_id, after_project_id, recipient, after, until, now }: FindNewTask): Promise<FoundNew> => {
    const db = database.read
    const day = dayIn('UTC', now)
    // The same changes are asked for again and again, for some projects after the others.
    const name = JSON.stringify([recipient, after, until, day])
    if (kept?.name !== name)
      kept = { name, changes: await readChanges(db, recipient, { after, until }, day, checkpoint) }
    const { catalogue, versions } = kept.changes
    if (versions.size === 0) return { found: [], last_project_id: null, is_pointless: true }
    const own = { ...catalogue, recipient: { ...catalogue.recipient, today: dayIn(recipient.time_zone, now) } }
    const end = performance.now() + stepMs
    const found: FoundNew['found'] = []
    for (let last_project_id = after_project_id; ; ) {
      const projects = await listOpenProjects(db, portal_id, last_project_id)
      const fitting: Fitting[] = []
      for (const project of projects) {
        checkpoint()
        const known = project.recipients?.find((one) => one.id === recipient.id)?.catalog_version ?? 0
        // A later calculation has seen all of it.
        if (known < until.catalog_version) {
          const eligible = eligibleIn(own, factsOf(plain(project.criteria), day), project.id)
          const candidates = eligible.filter((programId) => (versions.get(programId) ?? 0) > known)
          if (candidates.length > 0) fitting.push({ project, candidates })
        }
        last_project_id = project.id
        if (performance.now() >= end) break
      }
      found.push(...(await onlyNew(db, { portal_id, recipient, after }, fitting, checkpoint)))
      const isLast = projects.length < projectsAtOnce && (projects.at(-1)?.id ?? last_project_id) === last_project_id
      if (isLast) return { found, last_project_id: null, is_pointless: false }
      if (found.length >= mostFound || performance.now() >= end) return { found, last_project_id, is_pointless: false }
    }
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
  places: { after: ChangePosition; until: ChangePosition },
  day: number,
  checkpoint: Checkpoint,
): Promise<Changes> {
  const { id, countries } = recipient
  const { add, finish } = collectCatalogue({ id, countries, today: day }, day)
  const versions = new Map<string, number>()
  for (let after = places.after; ; ) {
    checkpoint()
    const changed = await changedPrograms(db, recipient.portal_id, { after, until: places.until, limit: changesAtOnce })
    for (const { state, terms, catalog_version } of changed) {
      if (!matchedStates.includes(state)) continue
      add(terms)
      versions.set(terms.id, catalog_version)
    }
    const last = changed.at(-1)
    if (!last || changed.length < changesAtOnce) return { catalogue: finish(), versions }
    after = { catalog_version: last.catalog_version, program_id: last.terms.id }
  }
}
const changesAtOnce = 1000

/** The best first. */
function eligibleIn(catalogue: Catalogue, facts: ReturnType<typeof factsOf>, projectId: string): string[] {
  const { order, counts } = evaluateAll([catalogue], facts, projectId)
  return Array.from(order.subarray(0, counts.eligible), (program) => catalogue.ids.at(program))
}

/** A project, and the changed programmes that it is eligible for. */
interface Fitting {
  project: OpenProject
  candidates: readonly string[]
}

async function onlyNew(
  db: Connection,
  { portal_id, recipient, after }: Pick<FindNewTask, 'portal_id' | 'recipient' | 'after'>,
  fitting: readonly Fitting[],
  checkpoint: Checkpoint,
): Promise<FoundNew['found']> {
  if (fitting.length === 0) return []
  checkpoint()
  const ids = fitting.map(({ project }) => project.id)
  const told = await findTold(db, portal_id, {
    projectIds: ids,
    programIds: [...new Set(fitting.flatMap(({ candidates }) => candidates))],
    since: fitting.map(({ project }) => project.calculated_at).reduce((a, b) => (a < b ? a : b)),
  })
  const dismissed = await findDismissedOf(db, portal_id, ids)
  // Of an import that is told in parts, the earlier parts count.
  const earlier =
    after.program_id === lastId
      ? new Map<string, number>()
      : await countTold(db, portal_id, ids, { ...after, recipient_portal_id: recipient.portal_id })
  const found: FoundNew['found'] = []
  for (const { project, candidates } of fitting) {
    checkpoint()
    const isSettled = (programId: string) =>
      (told.get(project.id)?.get(programId) ?? '') >= project.calculated_at ||
      dismissed.get(project.id)?.has(programId) === true
    const open = candidates.filter((programId) => !isSettled(programId))
    const most = mostOfProject - (earlier.get(project.id) ?? 0)
    for (const program_id of await notEligibleBefore(db, portal_id, project, open, most))
      found.push({ project_id: project.id, program_id })
  }
  return found
}

/** The first of them that the last calculation did not know or did not find eligible. */
async function notEligibleBefore(
  db: Connection,
  portal_id: string,
  { result_id, counts }: OpenProject,
  candidates: readonly string[],
  most: number,
): Promise<string[]> {
  const fresh: string[] = []
  for (let first = 0; first < candidates.length && fresh.length < most; first += candidatesAtOnce) {
    const some = candidates.slice(first, first + candidatesAtOnce)
    const ranks = result_id === null ? undefined : await ranksOfPrograms(db, { portal_id, result_id }, some)
    for (const programId of some) {
      // The eligible have the first ranks.
      const wasEligible = (ranks?.get(programId) ?? Number.POSITIVE_INFINITY) <= (counts?.eligible ?? 0)
      if (!wasEligible) fresh.push(programId)
      if (fresh.length === most) return fresh
    }
  }
  return fresh
}
const candidatesAtOnce = 200

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
      'match_calculations.counts',
      'match_calculations.created_at as calculated_at',
    ])
    .$narrowType<{ recipients: EvaluatedRecipient[] | null; counts: Calculated['counts'] | null }>()
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
