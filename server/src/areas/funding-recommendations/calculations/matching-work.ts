// What the matching thread does: evaluates projects against the catalogues it keeps.
import type { Database } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { dateOfDay, dayIn } from '../matching/days.ts'
import { type Evaluation, evaluateAll, outcomes } from '../matching/evaluation.ts'
import { explain, type Reason } from '../matching/explanation.ts'
import { nextChange } from '../matching/next-change.ts'
import { type CriteriaValues, factsOf } from '../matching/project-facts.ts'
import { findProgramVersions } from '../programs/queries.ts'
import { keepCatalogues } from './kept-catalogues.ts'
import { type MatchPage, pagesOf } from './match-pages.ts'
import type { Calculated, CalculateTask, Checkpoint, MatchingTasks, Supposed, WhatIfTask } from './matching-task.ts'
import { createNewMatchSearch } from './new-matches.ts'
import { insertPages } from './queries.ts'

type Work = {
  [Kind in keyof MatchingTasks]: (task: MatchingTasks[Kind]['task']) => Promise<MatchingTasks[Kind]['answer']>
}

export function createMatchingWork(database: Database, checkpoint: Checkpoint): Work {
  const kept = keepCatalogues(checkpoint)

  /** The catalogues of a task, each with the day it is at its recipient's. */
  const prepare = async (seen: Database, { recipients, now, project_id }: CalculateTask | WhatIfTask) => {
    const day = dayIn('UTC', now)
    const found = []
    for (const recipient of recipients) {
      const { id, name, countries } = recipient
      const { catalogue, catalog_version } = await kept.find(seen, recipient, day)
      const today = dayIn(recipient.time_zone, now)
      found.push({
        catalogue: { ...catalogue, recipient: { id, countries, today } },
        evaluated: {
          ...{ id, name, countries, today: dateOfDay(today) },
          // The older of both, so that a change in between makes the calculation stale.
          catalog_version: Math.min(catalog_version, recipient.catalog_version),
        },
      })
    }
    kept.forgetOldest()
    const catalogues = found.map(({ catalogue }) => catalogue)
    return {
      day,
      recipients: found.map(({ evaluated }) => evaluated),
      evaluate: (values: CriteriaValues) => evaluateAll(catalogues, factsOf(values, day), project_id),
    }
  }

  return {
    async calculate(task): Promise<Calculated> {
      const { day, recipients, evaluate } = await prepare(database, task)
      const evaluation = evaluate(task.values)
      const { counts, most_useful_criteria } = evaluation
      const next = nextChange(evaluation, task.values, day, { checkpoint })
      await writePages(database, task, pagesOf(evaluation), checkpoint)
      return {
        counts,
        most_useful_criteria,
        recipients: recipients.map((one, index) => ({ ...one, changes_on: dateOrNull(next.recipients[index]) })),
        calculated_on: dateOfDay(day),
        changes_on: dateOrNull(next.day),
      }
    },
    async what_if(task): Promise<Supposed> {
      // A request waits for it: the database shows what its Portal may see, and nothing else.
      const seen = database.within(task.portal_id)
      const { day, evaluate } = await prepare(seen, task)
      return compare(seen, evaluate(task.values), evaluate(task.instead), { ...task, day })
    },
    find_new: createNewMatchSearch(database, checkpoint),
  }
}

function dateOrNull(day: number | null | undefined): string | null {
  return day == null ? null : dateOfDay(day)
}

/** A few rows at a time, so that nobody waits long for the one who writes. */
async function writePages(
  database: Database,
  { portal_id, result_id }: CalculateTask,
  pages: Iterable<MatchPage>,
  checkpoint: Checkpoint,
): Promise<void> {
  let batch: MatchPage[] = []
  const write = async () => {
    checkpoint()
    const rows = batch
    batch = []
    if (rows.length > 0) await inTransaction(database, (tx) => insertPages(tx, portal_id, result_id, rows))
  }
  for (const page of pages) {
    batch.push(page)
    if (batch.length === pagesAtOnce) await write()
  }
  await write()
}

const pagesAtOnce = 8

/** What becomes of the programmes with other values, the best first. */
async function compare(
  database: Database,
  before: Evaluation,
  after: Evaluation,
  { values, instead, recipients, day }: WhatIfTask & { day: number },
): Promise<Supposed> {
  const programs = Array.from(after.order).filter((program) => before.outcomes[program] !== after.outcomes[program])
  const portals = new Map(recipients.map(({ id, portal_id }) => [id, portal_id]))
  const listed = programs.slice(0, mostChanges).flatMap((program) => {
    const place = after.catalogues.findLast(({ offset }) => offset <= program)
    if (!place) return []
    const { recipient, ids, versions } = place.catalogue
    const [program_id, version = 0] = [ids.at(program - place.offset), versions[program - place.offset]]
    return { program, recipient, key: { portal_id: portals.get(recipient.id) ?? '', program_id, version } }
  })
  const found = await findProgramVersions(
    database.read,
    listed.map(({ key }) => key),
  )
  const changed = listed.flatMap(({ program, recipient, key }): Supposed['changed'] => {
    const terms = found.get(key.program_id)
    if (!terms) return []
    const told = ({ result, gap }: Reason) => JSON.stringify([result, gap])
    const earlier = new Map(explain(terms, recipient, { values, day }).reasons.map((one) => [one.rule_id, told(one)]))
    const { reasons } = explain(terms, recipient, { values: instead, day })
    return [
      {
        program_id: key.program_id,
        program_name: terms.name,
        from: outcomes[before.outcomes[program] ?? 0] ?? 'ineligible',
        to: outcomes[after.outcomes[program] ?? 0] ?? 'ineligible',
        reasons: reasons.filter((one) => earlier.get(one.rule_id) !== told(one)),
      },
    ]
  })
  return { counts: after.counts, changed_count: programs.length, changed }
}

const mostChanges = 200
