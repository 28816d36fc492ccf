import { visibleRecipients } from '../../../building-blocks/recipients/queries.ts'
import { apiUrl, type Caller, type Context } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { etagOfText } from '../../../platform/protocol/etag.ts'
import { dateOfDay, dayIn } from '../matching/days.ts'
import type { ProjectRow } from '../projects/queries.ts'
import { projectPath } from '../projects/records.ts'
import type { CalculationRow } from './queries.ts'
import type { MatchCalculation } from './schema.ts'

export function calculationPath({ project_id, id }: Pick<CalculationRow, 'project_id' | 'id'>): string {
  return `${projectPath(project_id)}match-calculations/${id}/`
}

/** What a calculation is compared with, to tell whether it is stale. */
interface Present {
  /** The day it is in UTC. */
  today: string
  /** The catalogues a Portal sees, by recipient, each with the day it is at the recipient's. */
  catalogues: ReadonlyMap<string, { catalog_version: number; today: string }>
}

export async function readPresent(db: Connection, { portal_id, context }: Caller): Promise<Present> {
  const now = context.clock.now()
  const dateIn = (timeZone: string) => dateOfDay(dayIn(timeZone, now))
  const recipients = await visibleRecipients(db, portal_id)
  const catalogues = recipients.map(
    ({ id, catalog_version, time_zone }) => [id, { catalog_version, today: dateIn(time_zone) }] as const,
  )
  return { today: dateIn('UTC'), catalogues: new Map(catalogues) }
}

export function toCalculation(
  { config }: Context,
  project: ProjectRow,
  row: CalculationRow,
  present: Present,
): MatchCalculation {
  const url = apiUrl(config, calculationPath(row))
  const stale_reasons = staleReasons(project, row, present)
  return {
    id: row.id,
    url,
    // That it has become stale is part of what a reader sees.
    etag: etagOfText(`${row.id} ${row.version} ${row.updated_at} ${stale_reasons.join(' ')}`),
    created_at: row.created_at,
    updated_at: row.updated_at,
    project_id: row.project_id,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: [],
    calculated_on: row.calculated_on,
    counts: row.counts,
    most_useful_criteria: row.most_useful_criteria ?? [],
    is_stale: stale_reasons.length > 0,
    stale_reasons,
    error: row.error,
    matches_url: `${apiUrl(config, projectPath(row.project_id))}matches/?calculation_id=${row.id}`,
  }
}

function staleReasons(
  project: ProjectRow,
  { state, criteria_version, recipients, changes_on, counts }: CalculationRow,
  { today, catalogues }: Present,
): MatchCalculation['stale_reasons'] {
  if (state !== 'completed') return []
  const seen = recipients ?? []
  // A recipient without programmes has the version 0, whether or not it was there.
  const isMoved =
    seen.some(({ id, catalog_version }) => (catalogues.get(id)?.catalog_version ?? 0) !== catalog_version) ||
    [...catalogues].some(([id, { catalog_version }]) => catalog_version > 0 && !seen.some((one) => one.id === id))
  // Windows are those of the recipient's day, months and relative dates those of the day in UTC.
  const hasCome = (date: string | null, day: string) => date !== null && date <= day
  const isAnotherDay =
    hasCome(changes_on, today) ||
    seen.some((one) => hasCome(one.changes_on, catalogues.get(one.id)?.today ?? one.today))
  return [
    ...(criteria_version === project.criteria_version ? [] : (['criteria_changed'] as const)),
    ...(isMoved ? (['catalogue_changed'] as const) : []),
    ...(isAnotherDay && counts?.evaluated ? (['day_changed'] as const) : []),
  ]
}
