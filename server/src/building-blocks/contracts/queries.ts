import type { Insertable, Selectable } from 'kysely'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, equalFilters, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'

const contractColumns = [
  'id',
  'kind',
  'key',
  'version',
  'title',
  'locale',
  'sections',
  'questions',
  'option_sets',
  'created_at',
] as const
export type ContractRow = Pick<Selectable<Tables['contracts']>, (typeof contractColumns)[number]>

export async function insertContract(
  tx: Tx,
  portalId: string,
  row: Omit<Insertable<Tables['contracts']>, 'portal_id'>,
): Promise<void> {
  await tx
    .insertInto('contracts')
    .values({ portal_id: portalId, ...row })
    .execute()
}

const contractById = compileOnce<{ portal_id: string; id: string }, ContractRow>((db, values) =>
  db
    .selectFrom('contracts')
    .select(contractColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

export async function findContract(db: Connection, portalId: string, id: string): Promise<ContractRow | undefined> {
  return (await contractById(db, { portal_id: portalId, id }))[0]
}

/** What is asked when nobody chooses: the latest version of the contract named after its kind, or else of any. */
export async function findDefaultContract(
  db: Connection,
  portalId: string,
  kind: string,
): Promise<ContractRow | undefined> {
  return (
    db
      .selectFrom('contracts')
      .select(contractColumns)
      .where('portal_id', '=', portalId)
      .where('kind', '=', kind)
      .orderBy((eb) => eb.case().when('key', '=', kind).then(0).else(1).end())
      // Versions of one contract count by themselves, whatever the clock said.
      .orderBy((eb) => eb.case().when('key', '=', kind).then(eb.ref('version')).else(0).end(), 'desc')
      .orderBy('created_at', 'desc')
      .orderBy('version', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )
}

/** The number of the version published last; 0 when there is none. */
export async function lastContractVersion(
  db: Connection,
  portalId: string,
  kind: string,
  key: string,
): Promise<number> {
  const row = await db
    .selectFrom('contracts')
    .select('version')
    .where('portal_id', '=', portalId)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.version ?? 0
}

const summaryColumns = ['id', 'kind', 'key', 'version', 'title', 'locale', 'created_at'] as const
export type ContractSummaryRow = Pick<ContractRow, (typeof summaryColumns)[number]>

const contractPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('contracts').select(summaryColumns).where('portal_id', '=', portal_id),
  filters: equalFilters('kind', 'key'),
  orders: { created_at: ['created_at', 'id'] },
})

export async function listContracts(
  db: Connection,
  portalId: string,
  filters: Record<string, unknown>,
  page: PageRequest,
) {
  return contractPages(db, { portal_id: portalId }, filters, page)
}

/** All of them, contract by contract and version by version. */
export async function allContracts(db: Connection, portalId: string) {
  return db
    .selectFrom('contracts')
    .select(['id', 'kind', 'key', 'version', 'title', 'created_at'])
    .where('portal_id', '=', portalId)
    .orderBy('kind')
    .orderBy('key')
    .orderBy('version')
    .execute()
}
