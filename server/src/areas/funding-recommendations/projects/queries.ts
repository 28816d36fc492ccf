import type { Insertable, Selectable } from 'kysely'
import { compileOnce } from '../../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../../platform/database/versioned-rows.ts'
import { type CreatedFilters, createdBounds } from '../../../platform/values/fields.ts'
import type { CriteriaValues } from '../criteria/known-facts.ts'

const projectColumns = [
  'portal_id',
  'id',
  'version',
  'business_id',
  'intake_application_id',
  'title',
  'description',
  'external_reference',
  'metadata',
  'criteria',
  'criteria_version',
  'criteria_updated_at',
  'calculation_id',
  'created_at',
  'updated_at',
] as const
export type ProjectRow = Selectable<Tables['projects']> & { criteria: CriteriaValues }

const projectById = compileOnce<{ portal_id: string; id: string }, ProjectRow>((db, values) =>
  db
    .selectFrom('projects')
    .select(projectColumns)
    .$narrowType<{ criteria: CriteriaValues }>()
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

export async function findProject(db: Connection, portalId: string, id: string): Promise<ProjectRow | undefined> {
  return (await projectById(db, { portal_id: portalId, id }))[0]
}

export async function findProjectByReference(db: Connection, portalId: string, externalReference: string) {
  return db
    .selectFrom('projects')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('external_reference', '=', externalReference)
    .executeTakeFirst()
}

export async function lockProject(tx: Tx, portalId: string, id: string): Promise<void> {
  await lockRow(tx, 'projects', portalId, id)
}

const projectPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db
      .selectFrom('projects')
      .select(projectColumns)
      .$narrowType<{ criteria: CriteriaValues }>()
      .where('portal_id', '=', portal_id),
  filters: {
    ...equalFilters('business_id', 'intake_application_id', 'external_reference'),
    ...createdConditions,
  },
  orders: { created_at: ['created_at', 'id'] },
})

export async function listProjects(
  db: Connection,
  portalId: string,
  filters: CreatedFilters & Record<string, unknown>,
  page: PageRequest,
) {
  return projectPages(db, { portal_id: portalId }, { ...filters, ...createdBounds(filters) }, page)
}

export async function insertProject(tx: Tx, row: ProjectRow): Promise<void> {
  await tx.insertInto('projects').values(toColumns(row)).execute()
}

/** False when the record is no longer at this version. */
export async function updateProject(tx: Tx, row: ProjectRow): Promise<boolean> {
  return updateVersion(tx, 'projects', toColumns(row))
}

/** Not a change of the record: which calculation its matches are taken from. */
export async function setCalculation(tx: Tx, portalId: string, id: string, calculationId: string): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ calculation_id: calculationId })
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .execute()
}

function toColumns(row: ProjectRow): Insertable<Tables['projects']> {
  return { ...row, metadata: JSON.stringify(row.metadata), criteria: JSON.stringify(row.criteria) }
}
