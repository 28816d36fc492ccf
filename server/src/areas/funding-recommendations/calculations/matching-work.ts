// What the matching thread does: keeps the catalogues it has read, brings them up to date, and evaluates projects.
import type { Database } from '../../../platform/database/database.ts'
import { type Catalogue, compileCatalogue } from '../matching/catalogue.ts'
import { dateOfDay, dayIn } from '../matching/days.ts'
import { type Evaluation, evaluateAll, outcomes } from '../matching/evaluation.ts'
import { explain } from '../matching/explanation.ts'
import { type CriteriaValues, factsOf } from '../matching/project-facts.ts'
import type { ProgramTerms, RecipientTerms } from '../matching/rules.ts'
import { findProgramVersion, programsForMatching } from '../programs/queries.ts'
import { pagesOf } from './match-pages.ts'
import type { Calculated, EvaluatedRecipient, MatchingTask, Supposed, TaskRecipient } from './matching-task.ts'

export function createMatchingWork(database: Database) {
  const kept = new Map<string, Kept>()

  /** The catalogue of a recipient as it is now: read anew when it, the day or the recipient's countries have changed. */
  const catalogueOf = async (recipient: TaskRecipient, day: number): Promise<Kept> => {
    const version = await findCatalogVersion(database, recipient.portal_id)
    const name = `${day} ${recipient.countries.join(' ')}`
    let found = kept.get(recipient.portal_id)
    kept.delete(recipient.portal_id)
    if (found?.version !== version || found.name !== name) found = await readCatalogue(database, recipient, day, name)
    kept.set(recipient.portal_id, found)
    return found
  }

  const cataloguesFor = async ({ recipients, now }: MatchingTask, day: number) => {
    const found: { catalogue: Catalogue; evaluated: EvaluatedRecipient }[] = []
    for (const recipient of recipients) {
      const { catalogue, version } = await catalogueOf(recipient, day)
      const today = dayIn(recipient.time_zone, now)
      const { id, countries } = recipient
      found.push({
        catalogue: { ...catalogue, recipient: { id, countries, today } },
        evaluated: { id, catalog_version: version, countries, today: dateOfDay(today) },
      })
    }
    forgetOldest(kept)
    return found
  }

  return async (task: MatchingTask): Promise<Calculated | Supposed> => {
    const day = dayIn('UTC', task.now)
    const found = await cataloguesFor(task, day)
    const catalogues = found.map(({ catalogue }) => catalogue)
    const evaluate = (values: CriteriaValues) => evaluateAll(catalogues, factsOf(values, day), task.project_id)
    const evaluation = evaluate(task.values)
    if (task.kind === 'calculate') {
      return {
        counts: evaluation.counts,
        most_useful_criteria: evaluation.most_useful_criteria,
        recipients: found.map(({ evaluated }) => evaluated),
        calculated_on: dateOfDay(day),
        pages: [...pagesOf(evaluation)],
      }
    }
    return compare(database, evaluation, evaluate(task.instead), { ...task, day })
  }
}

interface Kept {
  version: number
  name: string
  catalogue: Catalogue
}

async function readCatalogue(database: Database, recipient: TaskRecipient, day: number, name: string): Promise<Kept> {
  const { portal_id, id, countries } = recipient
  // One unchanging view: its version is that of every programme in it.
  return database.snapshot(async (tx) => {
    const row = await tx
      .selectFrom('recipients')
      .select('catalog_version')
      .where('portal_id', '=', portal_id)
      .executeTakeFirst()
    const programs: ProgramTerms[] = []
    for (let afterId = ''; ; ) {
      const page = await programsForMatching(tx, portal_id, { afterId, limit: pageSize })
      programs.push(...page)
      if (page.length < pageSize) break
      afterId = page.at(-1)?.id ?? ''
    }
    const terms: RecipientTerms = { id, countries, today: day }
    return { version: row?.catalog_version ?? 0, name, catalogue: compileCatalogue(programs, terms, day) }
  })
}

async function findCatalogVersion(database: Database, portalId: string): Promise<number> {
  const row = await database.read
    .selectFrom('recipients')
    .select('catalog_version')
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
  return row?.catalog_version ?? 0
}

/** Those that were not asked for longest go first; what was asked for just now stays, whatever its size. */
function forgetOldest(kept: Map<string, Kept>): void {
  let programs = 0
  for (const { catalogue } of kept.values()) programs += catalogue.ids.length
  for (const [portalId, { catalogue }] of kept) {
    if (programs <= mostPrograms || kept.size === 1) return
    kept.delete(portalId)
    programs -= catalogue.ids.length
  }
}

/** What becomes of the programmes with other values, the best first. */
async function compare(
  database: Database,
  before: Evaluation,
  after: Evaluation,
  { values, instead, recipients, day }: Extract<MatchingTask, { kind: 'what_if' }> & { day: number },
): Promise<Supposed> {
  const isChanged = (program: number) => before.outcomes[program] !== after.outcomes[program]
  const changedPrograms = Array.from(after.order).filter(isChanged)
  const changed: Supposed['changed'] = []
  for (const program of changedPrograms.slice(0, mostChanges)) {
    const place = after.catalogues.findLast(({ offset }) => offset <= program)
    const id = place?.catalogue.ids[program - place.offset]
    const portalId = recipients.find((one) => one.id === place?.catalogue.recipient.id)?.portal_id
    const version = place?.catalogue.versions[program - place.offset] ?? 0
    if (!place || id === undefined || portalId === undefined) continue
    const terms = await findProgramVersion(database.read, portalId, id, version)
    if (!terms) continue
    const known = explain(terms, place.catalogue.recipient, { values, day }).reasons
    const results = new Map(known.map(({ rule_id, result }) => [rule_id, result]))
    const reasons = explain(terms, place.catalogue.recipient, { values: instead, day }).reasons
    changed.push({
      program_id: id,
      program_name: terms.name,
      from: outcomes[before.outcomes[program] ?? 0] ?? 'ineligible',
      to: outcomes[after.outcomes[program] ?? 0] ?? 'ineligible',
      reasons: reasons.filter(({ rule_id, result }) => results.get(rule_id) !== result),
    })
  }
  return { counts: after.counts, changed_count: changedPrograms.length, changed }
}

const pageSize = 1000
const mostPrograms = 2_000_000
const mostChanges = 200
