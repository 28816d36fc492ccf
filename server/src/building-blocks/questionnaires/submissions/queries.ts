import type { Connection, Tx } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { Submission } from './schema.ts'

export type SubmissionContent = Submission['content']

export interface StoredSubmission {
  number: number
  sha256: string
  submitted_at: string
  content: SubmissionContent
}

export async function insertSubmission(
  tx: Tx,
  vault: Vault,
  portalId: string,
  applicationId: string,
  { number, sha256, submitted_at, content }: StoredSubmission,
): Promise<void> {
  await tx
    .insertInto('submissions')
    .values({
      portal_id: portalId,
      application_id: applicationId,
      number,
      sha256,
      sealed_content: vault.seal('submission', JSON.stringify(content), `${portalId} ${applicationId} ${number}`),
      submitted_at,
    })
    .execute()
}

export async function findSubmission(
  db: Connection,
  vault: Vault,
  portalId: string,
  applicationId: string,
  number: number,
): Promise<StoredSubmission | undefined> {
  const row = await submissionsOf(db, portalId, applicationId).where('number', '=', number).executeTakeFirst()
  return row && openSubmission(vault, portalId, applicationId, row)
}

export async function findLastSubmission(
  db: Connection,
  vault: Vault,
  portalId: string,
  applicationId: string,
): Promise<StoredSubmission | undefined> {
  const row = await submissionsOf(db, portalId, applicationId).orderBy('number', 'desc').limit(1).executeTakeFirst()
  return row && openSubmission(vault, portalId, applicationId, row)
}

/** The last submission of each of these applications, which may be of several Portals. */
export async function listLastSubmissions(
  db: Connection,
  vault: Vault,
  applications: readonly { portal_id: string; id: string }[],
): Promise<Map<string, StoredSubmission>> {
  if (applications.length === 0) return new Map()
  const rows = await db
    .selectFrom('submissions as one')
    .select(['portal_id', 'application_id', 'number', 'sha256', 'sealed_content', 'submitted_at'])
    .where(({ eb, or, and }) =>
      or(
        applications.map(({ portal_id, id }) => and([eb('portal_id', '=', portal_id), eb('application_id', '=', id)])),
      ),
    )
    .where('number', '=', ({ selectFrom }) =>
      selectFrom('submissions as all')
        .select(({ fn }) => fn.max('all.number').as('last'))
        .whereRef('all.portal_id', '=', 'one.portal_id')
        .whereRef('all.application_id', '=', 'one.application_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.application_id, openSubmission(vault, row.portal_id, row.application_id, row)]))
}

function submissionsOf(db: Connection, portalId: string, applicationId: string) {
  return db
    .selectFrom('submissions')
    .select(['number', 'sha256', 'sealed_content', 'submitted_at'])
    .where('portal_id', '=', portalId)
    .where('application_id', '=', applicationId)
}

export function openSubmission(
  vault: Vault,
  portalId: string,
  applicationId: string,
  row: { number: number; sha256: string; sealed_content: string; submitted_at: string },
): StoredSubmission {
  const text = vault.open('submission', row.sealed_content, `${portalId} ${applicationId} ${row.number}`)
  if (text === undefined) throw new Error('a submission cannot be decrypted: was PORTICO_SECRET_KEY changed?')
  return { number: row.number, sha256: row.sha256, submitted_at: row.submitted_at, content: JSON.parse(text) }
}
