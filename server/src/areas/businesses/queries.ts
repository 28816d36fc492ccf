import type { Insertable, Selectable, Updateable } from 'kysely'
import { compileInsert, compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../platform/database/versioned-rows.ts'
import type { BusinessState } from './states.ts'

// Everything a response shows; never the sealed tax id.
export const businessColumns = [
  'id',
  'version',
  'state',
  'state_changed_at',
  'legal_name',
  'name_sort',
  'country',
  'lead_source_id',
  'lead_source_detail',
  'trading_name',
  'legal_form',
  'region',
  'registration_number',
  'tax_id_last4',
  'industry_system',
  'industry_code',
  'founded_on',
  'employee_count',
  'website',
  'email',
  'phone',
  'addresses',
  'annual_revenue_minor',
  'annual_revenue_currency',
  'owners',
  'consents',
  'do_not_contact',
  'tags',
  'metadata',
  'external_reference',
  'created_at',
  'updated_at',
] as const
type StoredBusiness = Pick<Selectable<Tables['businesses']>, (typeof businessColumns)[number]>
export type BusinessRow = StoredBusiness & { state: BusinessState }

interface Origin extends Pick<Selectable<Tables['lead_sources']>, 'is_active' | 'requires_detail'> {
  /** The business that has the external reference already. */
  reference_taken_by: string | null
}

const originOfBusiness = compileOnce<{ portal_id: string; id: string; external_reference: string | null }, Origin>(
  (db, values) =>
    db
      .selectFrom('lead_sources')
      .select((eb) => [
        'is_active',
        'requires_detail',
        eb
          .selectFrom('businesses')
          .select('businesses.id')
          .where('businesses.portal_id', '=', values.portal_id)
          .where('businesses.external_reference', '=', values.external_reference)
          .as('reference_taken_by'),
      ])
      .where('portal_id', '=', values.portal_id)
      .where('id', '=', values.id),
)

/** What a new business has to get along with, in one look: its lead source, and whoever has its reference. */
export async function findOrigin(
  db: Connection,
  portalId: string,
  leadSourceId: string,
  externalReference: string | null,
): Promise<Origin | undefined> {
  const values = { portal_id: portalId, id: leadSourceId, external_reference: externalReference }
  return (await originOfBusiness(db, values))[0]
}

const businessById = compileOnce<{ portal_id: string; id: string }, BusinessRow>((db, values) =>
  db
    .selectFrom('businesses')
    .select(businessColumns)
    .$narrowType<{ state: BusinessState }>()
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

export async function findBusiness(db: Connection, portalId: string, id: string): Promise<BusinessRow | undefined> {
  return (await businessById(db, { portal_id: portalId, id }))[0]
}

export async function findBusinessByReference(db: Connection, portalId: string, externalReference: string) {
  return db
    .selectFrom('businesses')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('external_reference', '=', externalReference)
    .executeTakeFirst()
}

const insertBusinessRow = compileInsert('businesses')

/** Always with the same columns, so that the query stays compiled. */
export async function insertBusiness(tx: Tx, row: Insertable<Tables['businesses']>): Promise<void> {
  await insertBusinessRow(tx, [row])
}

/** Lets nobody else write the business until the transaction ends. */
export async function lockBusiness(tx: Tx, portalId: string, id: string): Promise<void> {
  await lockRow(tx, 'businesses', portalId, id)
}

/** False when the record is no longer at this version. */
export async function updateBusiness(
  tx: Tx,
  portalId: string,
  id: string,
  version: number,
  change: Updateable<Tables['businesses']>,
): Promise<boolean> {
  return updateVersion(tx, 'businesses', { ...change, portal_id: portalId, id, version })
}

/** The tax id as it is kept, which no response shows. */
export async function findSealedTaxId(db: Connection, portalId: string, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('businesses')
    .select('tax_id_sealed')
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.tax_id_sealed ?? null
}

/** What duplicates are told by. */
export async function findMatchKeys(db: Connection, portalId: string, id: string) {
  return db
    .selectFrom('businesses')
    .select(['id', 'country', 'name_match', 'registration_match', 'tax_id_hash'])
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
}
export type MatchKeys = NonNullable<Awaited<ReturnType<typeof findMatchKeys>>>

const duplicatePages = definePagedQuery({
  rows: (db, keys: { portal_id: string } & MatchKeys) =>
    db
      .selectFrom('businesses')
      .select(['id', 'country', 'name_match', 'registration_match', 'tax_id_hash'])
      .where('portal_id', '=', keys.portal_id)
      .where('id', '!=', keys.id)
      .where((eb) =>
        eb.or([
          eb('registration_match', '=', keys.registration_match).and('country', '=', keys.country),
          eb('tax_id_hash', '=', keys.tax_id_hash),
          eb('name_match', '=', keys.name_match).and('country', '=', keys.country),
        ]),
      ),
  filters: {},
  orders: { id: ['id'] },
})

export async function listDuplicates(db: Connection, portalId: string, keys: MatchKeys, page: PageRequest) {
  return duplicatePages(db, { portal_id: portalId, ...keys }, {}, page)
}
