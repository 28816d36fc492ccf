import type { Insertable, Selectable } from 'kysely'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  mapPage,
  type PageRequest,
} from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../platform/database/versioned-rows.ts'
import { type CreatedFilters, createdBounds } from '../../platform/values/fields.ts'
import type { IntakeState } from './states.ts'

const intakeColumns = [
  'portal_id',
  'id',
  'version',
  'state',
  'state_changed_at',
  'business_id',
  'contract_id',
  'contract_version',
  'title',
  'external_reference',
  'metadata',
  'attempt',
  'submission',
  'returned',
  'decision',
  'project_ids',
  'expiry_days',
  'expires_at',
  'created_at',
  'updated_at',
] as const
type StoredIntake = Pick<Selectable<Tables['client_intake_applications']>, (typeof intakeColumns)[number]>
type FoundIntake = StoredIntake & { state: IntakeState }
/** The questions of an intake are those of its own Portal. */
export type IntakeRow = FoundIntake & { contract_portal_id: string }

const intakeById = compileOnce<{ portal_id: string; id: string }, FoundIntake>((db, values) =>
  db
    .selectFrom('client_intake_applications')
    .select(intakeColumns)
    .$narrowType<{ state: IntakeState }>()
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

export async function findIntake(db: Connection, portalId: string, id: string): Promise<IntakeRow | undefined> {
  const [row] = await intakeById(db, { portal_id: portalId, id })
  return row && withContract(row)
}

function withContract(row: FoundIntake): IntakeRow {
  return { ...row, contract_portal_id: row.portal_id }
}

export async function findIntakeByReference(db: Connection, portalId: string, externalReference: string) {
  return db
    .selectFrom('client_intake_applications')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('external_reference', '=', externalReference)
    .executeTakeFirst()
}

export async function lockIntake(tx: Tx, portalId: string, id: string): Promise<void> {
  await lockRow(tx, 'client_intake_applications', portalId, id)
}

/** The versions applications are at now, by id. */
export async function findVersions(
  db: Connection,
  portalId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('client_intake_applications')
    .select(['id', 'version'])
    .where('portal_id', '=', portalId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, version }) => [id, version]))
}

const intakePages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db
      .selectFrom('client_intake_applications')
      .select(intakeColumns)
      .$narrowType<{ state: IntakeState }>()
      .where('portal_id', '=', portal_id),
  filters: {
    ...equalFilters('state', 'business_id', 'external_reference'),
    ...createdConditions,
  },
  orders: { created_at: ['created_at', 'id'] },
})

export async function listIntakes(
  db: Connection,
  portalId: string,
  filters: CreatedFilters & Record<string, unknown>,
  page: PageRequest,
) {
  const bounds = { ...filters, ...createdBounds(filters) }
  return mapPage(await intakePages(db, { portal_id: portalId }, bounds, page), withContract)
}

/** The applications of a business, the latest first. */
export async function listIntakesOfBusiness(
  db: Connection,
  portalId: string,
  businessId: string,
  limit: number,
): Promise<IntakeRow[]> {
  const rows = await db
    .selectFrom('client_intake_applications')
    .select(intakeColumns)
    .$narrowType<{ state: IntakeState }>()
    .where('portal_id', '=', portalId)
    .where('business_id', '=', businessId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(withContract)
}

export async function listExpiredIntakes(
  db: Connection,
  portalId: string,
  now: string,
  limit: number,
): Promise<{ id: string }[]> {
  return db
    .selectFrom('client_intake_applications')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
}

export async function insertIntake(tx: Tx, row: IntakeRow): Promise<void> {
  await tx.insertInto('client_intake_applications').values(toColumns(row)).execute()
}

/** False when the record is no longer at this version. */
export async function updateIntake(tx: Tx, row: IntakeRow): Promise<boolean> {
  return updateVersion(tx, 'client_intake_applications', toColumns(row))
}

function toColumns({ contract_portal_id: _, ...row }: IntakeRow): Insertable<Tables['client_intake_applications']> {
  const { metadata, submission, returned, decision, project_ids } = row
  return {
    ...row,
    metadata: JSON.stringify(metadata),
    project_ids: JSON.stringify(project_ids),
    submission: submission && JSON.stringify(submission),
    returned: returned && JSON.stringify(returned),
    decision: decision && JSON.stringify(decision),
  }
}
