// The right to import into the catalogue of a recipient. One import at a time has it; the next one that begins takes it
// away. Every transaction of an import begins with its claim, which also keeps everybody else from changing programmes of
// the recipient until the transaction ends.
import { sql } from 'kysely'
import { ensureRecipient } from '../../../../building-blocks/recipients/queries.ts'
import type { Connection, Tx } from '../../../../platform/database/database.ts'

/** One import of one Portal. */
export interface ImportKey {
  portal_id: string
  import_id: string
}

export interface Claim extends ImportKey {
  /** From this import on, its rows are in force. */
  number: number
  /** The version of the catalogue that comes with it. Changes of others meanwhile stay below it. */
  catalog_version: number
}

export interface ImportCounts {
  created: number
  updated: number
}

/** Another import of the same recipient has taken over. */
export class ImportReplaced extends Error {
  constructor() {
    super('Another import for the same recipient was started, and this one changed nothing. Run one import at a time.')
  }
}

/** So many changes of others have their versions while an import is under way. */
export const versionsBetween = 1_000_000_000

export async function claimImport(tx: Tx, key: ImportKey, startedAt: string): Promise<Claim> {
  await ensureRecipient(tx, key.portal_id)
  const claim = await takeClaim(tx, key, startedAt)
  if (!claim) throw new Error('a Portal that imports has no recipient')
  return claim
}

/** Takes the claim from the import that was seen to have it (empty: nobody); undefined when another one has it now. */
export async function claimAfter(
  tx: Tx,
  key: ImportKey,
  startedAt: string,
  lastImportId: string,
): Promise<Claim | undefined> {
  return takeClaim(tx, key, startedAt, lastImportId)
}

async function takeClaim(
  tx: Tx,
  { portal_id, import_id }: ImportKey,
  startedAt: string,
  lastImportId?: string,
): Promise<Claim | undefined> {
  const recipient = tx.updateTable('recipients').where('portal_id', '=', portal_id)
  const row = await (lastImportId === undefined ? recipient : recipient.where('import_id', '=', lastImportId))
    .set((eb) => ({
      import_id,
      import_started_at: startedAt,
      import_version: eb('catalog_version', '+', versionsBetween),
      import_created: 0,
      import_updated: 0,
    }))
    .returning(['import_number', 'import_version'])
    .executeTakeFirst()
  return row && { portal_id, import_id, number: row.import_number + 1, catalog_version: row.import_version }
}

/** The import that is under way, or was killed. */
export async function findClaim(
  db: Connection,
  portalId: string,
): Promise<(Claim & { started_at: string | null }) | undefined> {
  const row = await db
    .selectFrom('recipients')
    .select(['import_id', 'import_number', 'import_version', 'import_started_at'])
    .where('portal_id', '=', portalId)
    .where('import_id', '<>', '')
    .executeTakeFirst()
  if (!row) return undefined
  const { import_id, import_number, import_version, import_started_at } = row
  const claim = { portal_id: portalId, import_id, number: import_number + 1, catalog_version: import_version }
  return { ...claim, started_at: import_started_at }
}

/** Makes sure that the claim holds until the transaction ends, and counts what was prepared. */
export async function holdClaim(
  tx: Tx,
  claim: ImportKey,
  prepared: ImportCounts = { created: 0, updated: 0 },
): Promise<void> {
  const { numUpdatedRows } = await claimed(tx, claim)
    .set((eb) => ({
      import_created: eb('import_created', '+', prepared.created),
      import_updated: eb('import_updated', '+', prepared.updated),
    }))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new ImportReplaced()
}

/** Puts everything that was prepared in force. What that was. */
export async function putInForce(tx: Tx, claim: Claim): Promise<ImportCounts> {
  const row = await claimed(tx, claim)
    .set({
      import_id: '',
      import_number: claim.number,
      // Programmes that nobody is matched with do not move the catalogue.
      catalog_version: sql<number>`case when exists (
        select 1 from funding_programs
        where funding_programs.portal_id = ${claim.portal_id} and funding_programs.catalog_version = ${claim.catalog_version}
      ) then ${claim.catalog_version} else recipients.catalog_version end`,
    })
    .returning(['import_created', 'import_updated'])
    .executeTakeFirst()
  if (!row) throw new ImportReplaced()
  return { created: row.import_created, updated: row.import_updated }
}

export async function releaseClaim(tx: Tx, claim: ImportKey): Promise<void> {
  await claimed(tx, claim).set({ import_id: '' }).execute()
}

function claimed(tx: Tx, { portal_id, import_id }: ImportKey) {
  return tx.updateTable('recipients').where('portal_id', '=', portal_id).where('import_id', '=', import_id)
}
