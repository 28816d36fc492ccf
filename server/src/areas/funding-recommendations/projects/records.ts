import { apiUrl, type Context } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import type { Criteria } from '../criteria/schema.ts'
import { criteria } from '../criteria/vocabulary.ts'
import type { ProjectRow } from './queries.ts'
import type { Project } from './schema.ts'

export function projectPath(id: string): string {
  return `/projects/${id}/`
}

/** The required criteria that have no value. */
export function missingCriteria({ criteria: values }: Pick<ProjectRow, 'criteria'>): string[] {
  return criteria.filter(({ key, required }) => required && !(key in values)).map(({ key }) => key)
}

export function toProject({ config }: Context, row: ProjectRow): Project {
  const url = apiUrl(config, projectPath(row.id))
  const missing = missingCriteria(row)
  return {
    id: row.id,
    url,
    etag: etagOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    business_id: row.business_id,
    intake_application_id: row.intake_application_id,
    title: row.title,
    description: row.description,
    external_reference: row.external_reference,
    metadata: row.metadata,
    criteria: { state: missing.length > 0 ? 'incomplete' : 'complete', url: `${url}criteria/`, missing },
    calculations_url: `${url}match-calculations/`,
    matches_url: `${url}matches/`,
  }
}

/** A project and its criteria have one version. */
export function toCriteria({ config }: Context, row: ProjectRow): Criteria {
  const url = apiUrl(config, `${projectPath(row.id)}criteria/`)
  const missing = missingCriteria(row)
  return {
    project_id: row.id,
    url,
    etag: etagOf(row),
    state: missing.length > 0 ? 'incomplete' : 'complete',
    missing,
    values: Object.fromEntries(Object.entries(row.criteria).map(([key, { instead_of: _, ...value }]) => [key, value])),
    suggestions_url: `${url}suggestions/`,
  }
}
