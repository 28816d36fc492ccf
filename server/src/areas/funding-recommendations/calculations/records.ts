import { visibleRecipients } from '../../../building-blocks/recipients/queries.ts'
import { apiUrl, type Caller, type Context } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { etagOfText } from '../../../platform/protocol/etag.ts'
import type { ProjectRow } from '../projects/queries.ts'
import { projectPath } from '../projects/records.ts'
import type { CalculationRow } from './queries.ts'
import type { MatchCalculation } from './schema.ts'

export function calculationPath({ project_id, id }: Pick<CalculationRow, 'project_id' | 'id'>): string {
  return `${projectPath(project_id)}match-calculations/${id}/`
}

/** The versions of the catalogues a Portal sees now, by recipient. */
export async function catalogVersions(db: Connection, { portal_id }: Caller): Promise<Map<string, number>> {
  const recipients = await visibleRecipients(db, portal_id)
  return new Map(recipients.map(({ id, catalog_version }) => [id, catalog_version]))
}

export function toCalculation(
  { config }: Context,
  project: ProjectRow,
  row: CalculationRow,
  versions: ReadonlyMap<string, number>,
): MatchCalculation {
  const url = apiUrl(config, calculationPath(row))
  const stale_reasons = staleReasons(project, row, versions)
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
  { state, criteria_version, recipients }: CalculationRow,
  versions: ReadonlyMap<string, number>,
): MatchCalculation['stale_reasons'] {
  if (state !== 'completed') return []
  const seen = recipients ?? []
  // A recipient without programmes has the version 0, whether or not it was there.
  const isMoved =
    seen.some(({ id, catalog_version }) => (versions.get(id) ?? 0) !== catalog_version) ||
    [...versions].some(([id, version]) => version > 0 && !seen.some((one) => one.id === id))
  return [
    ...(criteria_version === project.criteria_version ? [] : (['criteria_changed'] as const)),
    ...(isMoved ? (['catalogue_changed'] as const) : []),
  ]
}
