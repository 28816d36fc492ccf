// The profiles of recipients. A Portal has one, under an id that follows from its own; until it is published, only the
// Portal itself knows of it, and there may be no row.
import { type Selectable, sql, type Updateable } from 'kysely'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { sortKey } from '../../platform/values/text-keys.ts'

/** Without how far its changes were told and imports have come, which is not part of the profile. */
export type RecipientRow = Omit<
  Selectable<Tables['recipients']>,
  `told_${string}` | `telling_${string}` | `import_${string}`
>

export const recipientColumns = [
  'portal_id',
  'id',
  'version',
  'is_published',
  'name',
  'name_sort',
  'kind',
  'description',
  'website',
  'countries',
  'time_zone',
  'accepting_applications',
  'visibility',
  'application_contract_id',
  'catalog_version',
  'created_at',
  'updated_at',
] as const
const qualifiedColumns = recipientColumns.map((column) => `recipients.${column}` as const)

export function recipientIdOf(portalId: string): string {
  return portalId.replace(/^ptl_/, 'rcp_')
}

export function portalIdOf(recipientId: string): string {
  return recipientId.replace(/^rcp_/, 'ptl_')
}

/** Every recipient that a Portal can see: itself, and the published ones that are open or have invited it. */
export async function visibleRecipients(db: Connection, portalId: string): Promise<RecipientRow[]> {
  const [own, others] = await Promise.all([
    findOwnRecipient(db, portalId),
    publishedFor(db, portalId).select(qualifiedColumns).where('recipients.portal_id', '!=', portalId).execute(),
  ])
  return [...(own ? [own] : []), ...others].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Undefined when there is no such recipient, or this Portal cannot see it. */
export async function findVisibleRecipient(
  db: Connection,
  portalId: string,
  recipientId: string,
): Promise<RecipientRow | undefined> {
  if (recipientId === recipientIdOf(portalId)) return findOwnRecipient(db, portalId)
  return publishedFor(db, portalId)
    .select(qualifiedColumns)
    .where('recipients.portal_id', '=', portalIdOf(recipientId))
    .executeTakeFirst()
}

/** Those of these recipients that this Portal can see and that accept new applications. */
export async function findAccepting(
  db: Connection,
  portalId: string,
  recipientIds: readonly string[],
): Promise<Set<string>> {
  const portalIds = [...new Set(recipientIds.map(portalIdOf))].filter((one) => one !== portalId)
  const [own, others] = await Promise.all([
    recipientIds.includes(recipientIdOf(portalId)) ? findOwnRecipient(db, portalId) : undefined,
    portalIds.length === 0
      ? []
      : publishedFor(db, portalId)
          .select('recipients.id')
          .where('recipients.portal_id', 'in', portalIds)
          .where('recipients.accepting_applications', '=', true)
          .execute(),
  ])
  return new Set([...(own?.accepting_applications ? [own] : []), ...others].map(({ id }) => id))
}

/** The Portal of a recipient that this Portal can see and whose applications have this contract. */
export async function findContractOwner(
  db: Connection,
  portalId: string,
  contractId: string,
): Promise<string | undefined> {
  const row = await publishedFor(db, portalId)
    .select('recipients.portal_id')
    .where('recipients.application_contract_id', '=', contractId)
    .executeTakeFirst()
  return row?.portal_id
}

/** The profile of a Portal as it sees itself, published or not. Undefined only for a Portal that does not exist. */
export async function findOwnRecipient(db: Connection, portalId: string): Promise<RecipientRow | undefined> {
  const row = await db
    .selectFrom('recipients')
    .select(recipientColumns)
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
  if (row) return row
  const portal = await db
    .selectFrom('portals')
    .select(['name', 'created_at'])
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
  return portal && unpublished(portalId, portal)
}

/**
 * The next version of a Portal's catalogue, or the present one for a change that nobody is matched by, such as one of a
 * draft. Either way, whoever changes a programme has the catalogue for itself until the transaction ends. The profile
 * stays as it is, and so do its `updated_at` and its ETag.
 */
export async function moveCatalogue(tx: Tx, portalId: string, isMatched = true): Promise<number> {
  await ensureRecipient(tx, portalId)
  const { catalog_version } = await tx
    .updateTable('recipients')
    .set((eb) => ({ catalog_version: eb('catalog_version', '+', isMatched ? 1 : 0) }))
    .where('portal_id', '=', portalId)
    .returning('catalog_version')
    .executeTakeFirstOrThrow()
  return catalog_version
}

/** Makes sure that a Portal has a row, which says no more than what was true without it. */
export async function ensureRecipient(tx: Tx, portalId: string): Promise<void> {
  const own = await findOwnRecipient(tx, portalId)
  if (!own) return
  await tx
    .insertInto('recipients')
    .values({ ...own, countries: JSON.stringify(own.countries) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Holds the row until the transaction ends. An update that changes nothing does it on both engines alike. */
export async function lockRecipient(tx: Tx, portalId: string): Promise<void> {
  await tx
    .updateTable('recipients')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('portal_id', '=', portalId)
    .execute()
}

export async function updateRecipient(
  tx: Tx,
  portalId: string,
  change: Omit<Updateable<Tables['recipients']>, 'portal_id' | 'id' | 'catalog_version'>,
): Promise<void> {
  await tx.updateTable('recipients').set(change).where('portal_id', '=', portalId).execute()
}

export async function replaceInvitations(
  tx: Tx,
  portalId: string,
  invitedPortalIds: readonly string[],
  now: string,
): Promise<void> {
  await tx.deleteFrom('recipient_invitations').where('portal_id', '=', portalId).execute()
  if (invitedPortalIds.length === 0) return
  const rows = invitedPortalIds.map((invited_portal_id) => ({
    portal_id: portalId,
    invited_portal_id,
    created_at: now,
  }))
  await tx.insertInto('recipient_invitations').values(rows).execute()
}

/** What is published and may be seen by this Portal. The one place that decides about it. */
export function publishedFor(db: Connection, portalId: string) {
  return db
    .selectFrom('recipients')
    .innerJoin('portals', 'portals.portal_id', 'recipients.portal_id')
    .where('recipients.is_published', '=', true)
    .where('portals.state', '=', 'active')
    .where((eb) =>
      eb.or([
        eb('recipients.visibility', '=', 'open'),
        eb.exists(
          eb
            .selectFrom('recipient_invitations')
            .select(sql`1`.as('one'))
            .whereRef('recipient_invitations.portal_id', '=', 'recipients.portal_id')
            .where('recipient_invitations.invited_portal_id', '=', portalId),
        ),
      ]),
    )
}

function unpublished(portalId: string, { name, created_at }: { name: string; created_at: string }): RecipientRow {
  return {
    portal_id: portalId,
    id: recipientIdOf(portalId),
    version: 1,
    is_published: false,
    name,
    name_sort: sortKey(name),
    kind: 'own_portal',
    description: null,
    website: null,
    countries: [],
    time_zone: 'UTC',
    accepting_applications: true,
    visibility: 'invited',
    application_contract_id: null,
    catalog_version: 0,
    created_at,
    updated_at: created_at,
  }
}
