// Looks for what a change of a catalogue has made newly eligible. Only the programmes that changed are evaluated, as they
// are and as they were before; a project whose last calculation already knew the change is not told again.
import type { Connection, Database } from '../../../platform/database/database.ts'
import { type Catalogue, compileCatalogue } from '../matching/catalogue.ts'
import { dayIn } from '../matching/days.ts'
import { evaluateAll } from '../matching/evaluation.ts'
import { factsOf } from '../matching/project-facts.ts'
import type { ProgramTerms } from '../matching/rules.ts'
import { changedPrograms, findProgramVersion } from '../programs/queries.ts'
import type { ChangePosition, EvaluatedRecipient, FindNewTask, FoundNew, TaskRecipient } from './matching-task.ts'

/** So many changes of programmes are looked at together, for so many projects. */
export const changesAtOnce = 200
const projectsAtOnce = 500
/** More would not be read: the project is better calculated again. */
const mostOfProject = 20

export function createNewMatchSearch(database: Database) {
  let kept: { name: string; changes: Changes } | undefined
  return async ({ portal_id, after_project_id, recipient, after, now }: FindNewTask): Promise<FoundNew> => {
    const day = dayIn('UTC', now)
    const today = dayIn(recipient.time_zone, now)
    // The same changes are asked for again and again, for one page of projects after the other.
    const name = JSON.stringify([recipient, after, day])
    if (kept?.name !== name) kept = { name, changes: await readChanges(database.read, recipient, after, day) }
    const { before, current, versions } = kept.changes
    const projects = await listOpenProjects(database.read, portal_id, after_project_id)
    const found: FoundNew['found'] = []
    for (const { id, criteria, recipients } of projects) {
      const known = recipients?.find((one) => one.id === recipient.id)?.catalog_version ?? 0
      const facts = factsOf(plain(criteria), day)
      const eligible = (catalogue: Catalogue) =>
        eligibleIn({ ...catalogue, recipient: { ...catalogue.recipient, today } }, facts, id)
      const earlier = eligible(before)
      const isNew = (programId: string) => !earlier.has(programId) && (versions.get(programId) ?? 0) > known
      for (const program_id of [...eligible(current)].filter(isNew).slice(0, mostOfProject))
        found.push({ project_id: id, program_id })
    }
    return { found, last_project_id: projects.length < projectsAtOnce ? null : (projects.at(-1)?.id ?? null) }
  }
}

interface Changes {
  before: Catalogue
  current: Catalogue
  /** With which version of the catalogue each came. */
  versions: Map<string, number>
}

async function readChanges(
  db: Connection,
  recipient: TaskRecipient,
  after: ChangePosition,
  day: number,
): Promise<Changes> {
  const changed = await changedPrograms(db, recipient.portal_id, after, changesAtOnce)
  const open = changed.filter(({ state }) => isEvaluated(state))
  const earlier: ProgramTerms[] = []
  for (const { terms } of open) {
    const version =
      terms.version > 1 && (await findProgramVersion(db, recipient.portal_id, terms.id, terms.version - 1))
    if (version && isEvaluated(version.status)) earlier.push(version)
  }
  const terms = { id: recipient.id, countries: recipient.countries, today: day }
  return {
    before: compileCatalogue(earlier, terms, day),
    current: compileCatalogue(
      open.map((one) => one.terms),
      terms,
      day,
    ),
    versions: new Map(open.map((one) => [one.terms.id, one.catalog_version])),
  }
}

function eligibleIn(catalogue: Catalogue, facts: ReturnType<typeof factsOf>, projectId: string): Set<string> {
  const { outcomes, order } = evaluateAll([catalogue], facts, projectId)
  const eligible = Array.from(order).filter((program) => outcomes[program] === 0)
  return new Set(eligible.map((program) => catalogue.ids[program] ?? ''))
}

function isEvaluated(state: string): boolean {
  return state === 'open' || state === 'scheduled'
}

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
    .select(['projects.id', 'projects.criteria', 'match_calculations.recipients'])
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
