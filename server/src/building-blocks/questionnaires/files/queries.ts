import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { compileOnce } from '../../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { definePagedQuery, equalFilters, type PageRequest } from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'

const fileColumns = [
  'id',
  'application_id',
  'question_key',
  'item_id',
  'filename',
  'content_type',
  'size_bytes',
  'sha256',
  'state',
  'rejection',
  'is_submitted',
  'created_at',
  'updated_at',
] as const
export type FileRow = Pick<Selectable<Tables['files']>, (typeof fileColumns)[number]>

const filesOfApplication = compileOnce<{ portal_id: string; application_id: string }, FileRow>((db, values) =>
  db
    .selectFrom('files')
    .select(fileColumns)
    .where('portal_id', '=', values.portal_id)
    .where('application_id', '=', values.application_id)
    .where('state', '!=', 'removed')
    .orderBy('id'),
)

/** All files of an application, whatever has become of them, but for those that were taken out. */
export async function listFilesOf(db: Connection, portalId: string, applicationId: string): Promise<FileRow[]> {
  return filesOfApplication(db, { portal_id: portalId, application_id: applicationId })
}

export async function listFilesOfAll(
  db: Connection,
  portalId: string,
  applicationIds: readonly string[],
): Promise<FileRow[]> {
  return db
    .selectFrom('files')
    .select(fileColumns)
    .where('portal_id', '=', portalId)
    .where('application_id', 'in', applicationIds)
    .where('state', '!=', 'removed')
    .orderBy('id')
    .execute()
}

const filePages = definePagedQuery({
  rows: (db, { portal_id, application_id }: { portal_id: string; application_id: string }) =>
    db
      .selectFrom('files')
      .select(fileColumns)
      .where('portal_id', '=', portal_id)
      .where('application_id', '=', application_id)
      .where('state', '!=', 'removed'),
  filters: equalFilters('question_key', 'item_id', 'state'),
  orders: { id: ['id'] },
})

export async function listFiles(
  db: Connection,
  portalId: string,
  applicationId: string,
  filters: Record<string, unknown>,
  page: PageRequest,
) {
  return filePages(db, { portal_id: portalId, application_id: applicationId }, filters, { ...page, order: 'id' })
}

const fileById = compileOnce<{ portal_id: string; id: string }, FileRow>((db, values) =>
  db
    .selectFrom('files')
    .select(fileColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id)
    .where('state', '!=', 'removed'),
)

export async function findFile(db: Connection, portalId: string, id: string): Promise<FileRow | undefined> {
  return (await fileById(db, { portal_id: portalId, id }))[0]
}

/** A file whose bytes may move: also one that was taken out after it had been submitted, which can still be fetched. */
export async function findTransferableFile(db: Connection, portalId: string, id: string): Promise<FileRow | undefined> {
  const row = await db
    .selectFrom('files')
    .select(fileColumns)
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.state === 'removed' && row.is_submitted ? { ...row, state: 'available' } : row
}

/** Files of submissions, also those that were taken out since: their bytes are kept for them. */
export async function listSubmittedFiles(
  db: Connection,
  wanted: readonly { portal_id: string; file_ids: readonly string[] }[],
): Promise<FileRow[]> {
  const some = wanted.filter(({ file_ids }) => file_ids.length > 0)
  if (some.length === 0) return []
  const rows = await db
    .selectFrom('files')
    .select(fileColumns)
    .where(({ eb, or, and }) =>
      or(some.map(({ portal_id, file_ids }) => and([eb('portal_id', '=', portal_id), eb('id', 'in', file_ids)]))),
    )
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, state: 'available' }))
}

/** Whether the bytes of this id belong to a file, or to a submission. */
export async function hasLivingFile(db: Connection, portalId: string, id: string): Promise<boolean> {
  const file = await findTransferableFile(db, portalId, id)
  return file?.state === 'available' || file?.state === 'scanning'
}

export async function isPortalSuspended(db: Connection, portalId: string): Promise<boolean> {
  const portal = await db.selectFrom('portals').select('state').where('portal_id', '=', portalId).executeTakeFirst()
  return portal?.state !== 'active'
}

export async function insertFile(
  tx: Tx,
  portalId: string,
  row: Omit<Insertable<Tables['files']>, 'portal_id'>,
): Promise<void> {
  await tx
    .insertInto('files')
    .values({ portal_id: portalId, ...row })
    .execute()
}

/** False when the file is not in the state it is meant to leave. */
export async function updateFile(
  tx: Tx,
  portalId: string,
  { id, state }: Pick<FileRow, 'id' | 'state'>,
  change: Updateable<Tables['files']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set(change)
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function markSubmitted(tx: Tx, portalId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('files')
    .set({ is_submitted: true })
    .where('portal_id', '=', portalId)
    .where('id', 'in', ids)
    .execute()
}

export async function deleteFileRow(tx: Tx, portalId: string, id: string): Promise<void> {
  await tx.deleteFrom('files').where('portal_id', '=', portalId).where('id', '=', id).execute()
}

/** Files whose bytes must be in the store, those kept for submissions included: a page of them, behind an id. */
export async function listKeptFiles(db: Connection, portalId: string, after: string, limit: number) {
  return db
    .selectFrom('files')
    .select(['id', 'content_type', 'size_bytes', 'sha256'])
    .where('portal_id', '=', portalId)
    .where('id', '>', after)
    .where('state', 'in', keptStates)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function countKeptFiles(db: Connection, portalId: string): Promise<number> {
  const { count } = await db
    .selectFrom('files')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('portal_id', '=', portalId)
    .where('state', 'in', keptStates)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether the bytes of a file are still to be there. */
export async function isFileKept(db: Connection, portalId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('files')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .where('state', 'in', keptStates)
    .executeTakeFirst()
  return row !== undefined
}

/** Which of these ids have a row, in whatever state. */
export async function listFileIds(db: Connection, portalId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('files')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

const keptStates = ['available', 'scanning', 'removed'] as const

/** Uploads of a Portal that were declared before a time and never arrived, the oldest first; those behind `after`. */
export async function listForgottenUploads(
  db: Connection,
  portalId: string,
  { before, after, limit }: { before: string; after: Pick<FileRow, 'id' | 'created_at'> | undefined; limit: number },
): Promise<FileRow[]> {
  return db
    .selectFrom('files')
    .select(fileColumns)
    .where('portal_id', '=', portalId)
    .where('state', '=', 'awaiting_upload')
    .where('created_at', '<=', before)
    .where(after ? sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})` : sql<boolean>`1 = 1`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Some of the latest files that are stored, of the newest Portals that have any. */
export async function latestFiles(db: Connection): Promise<{ portal_id: string; id: string }[]> {
  return db
    .selectFrom('files')
    .select(['portal_id', 'id'])
    .where('state', '=', 'available')
    .orderBy('portal_id', 'desc')
    .orderBy('id', 'desc')
    .limit(10)
    .execute()
}
