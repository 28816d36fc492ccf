import type { Insertable, Selectable } from 'kysely'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { updateVersion } from '../../../platform/database/versioned-rows.ts'
import type { OfferState } from '../states.ts'

export type OfferRow = Omit<Selectable<Tables['offers']>, 'state'> & { state: OfferState }

export async function findOffer(
  db: Connection,
  portalId: string,
  applicationId: string,
  id: string,
): Promise<OfferRow | undefined> {
  return db
    .selectFrom('offers')
    .selectAll()
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .where('application_id', '=', applicationId)
    .$castTo<OfferRow>()
    .executeTakeFirst()
}

const offerPages = definePagedQuery({
  rows: (db, { portal_id, application_id }: { portal_id: string; application_id: string }) =>
    db
      .selectFrom('offers')
      .selectAll()
      .where('portal_id', '=', portal_id)
      .where('application_id', '=', application_id)
      .$castTo<OfferRow>(),
  filters: {},
  orders: { created_at: ['id'] },
})

/** The offers of an application, in the order in which they were made. */
export async function listOffers(db: Connection, portalId: string, applicationId: string, page: PageRequest) {
  return offerPages(db, { portal_id: portalId, application_id: applicationId }, {}, page)
}

export async function insertOffer(tx: Tx, row: OfferRow): Promise<void> {
  await tx.insertInto('offers').values(toColumns(row)).execute()
}

export async function updateOffer(tx: Tx, row: OfferRow): Promise<boolean> {
  return updateVersion(tx, 'offers', toColumns(row))
}

function toColumns(row: OfferRow): Insertable<Tables['offers']> {
  return {
    ...row,
    amount: JSON.stringify(row.amount),
    rate: row.rate && JSON.stringify(row.rate),
    fees: JSON.stringify(row.fees),
    repayment: row.repayment && JSON.stringify(row.repayment),
    conditions: JSON.stringify(row.conditions),
  }
}
