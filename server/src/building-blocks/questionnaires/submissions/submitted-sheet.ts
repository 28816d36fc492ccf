import type { Connection } from '../../../platform/database/database.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import type { Vault } from '../../../platform/vault.ts'
import { type FileRow, listSubmittedFiles } from '../files/queries.ts'
import { type GivenValue, groupItems, type Sheet } from '../sheet.ts'
import { listLastSubmissions, type StoredSubmission } from './queries.ts'

/** What was submitted last, as a sheet: this is all that a recipient ever reads of an application. */
export async function loadSubmittedSheet(
  db: Connection,
  vault: Vault,
  portalId: string,
  applicationId: string,
): Promise<Sheet> {
  const sheets = await loadSubmittedSheets(db, vault, [{ portal_id: portalId, id: applicationId }])
  const sheet = sheets.get(applicationId)
  if (!sheet) throw new ApiError('not_found')
  return sheet
}

/** The same for several applications at once, by their ids. */
export async function loadSubmittedSheets(
  db: Connection,
  vault: Vault,
  applications: readonly { portal_id: string; id: string }[],
): Promise<Map<string, Sheet>> {
  const submissions = await listLastSubmissions(db, vault, applications)
  const fileIdsOf = (id: string) => submissions.get(id)?.content.files.map((file) => file.id) ?? []
  const files = await listSubmittedFiles(
    db,
    applications.map(({ portal_id, id }) => ({ portal_id, file_ids: fileIdsOf(id) })),
  )
  return new Map(
    [...submissions].map(([id, submission]) => {
      const ids = new Set(fileIdsOf(id))
      return [
        id,
        sheetOf(
          submission,
          files.filter((file) => ids.has(file.id)),
        ),
      ]
    }),
  )
}

function sheetOf({ submitted_at, content }: StoredSubmission, files: readonly FileRow[]): Sheet {
  const given = (value: unknown, state: GivenValue['state']): GivenValue => ({
    value,
    state,
    source: 'api',
    source_detail: null,
    confirmed: true,
    updated_at: submitted_at,
  })
  return {
    answers: new Map(
      content.answers.map(({ question_key, state, value }) => [question_key, { question_key, ...given(value, state) }]),
    ),
    items: groupItems(
      content.items.map(({ id, group_key, position, values, declined = [] }) => ({
        id,
        group_key,
        position,
        values: new Map([
          ...Object.entries(values).map(([key, value]) => [key, given(value, 'answered')] as const),
          ...declined.map((key) => [key, given(null, 'declined')] as const),
        ]),
        created_at: submitted_at,
        updated_at: submitted_at,
      })),
    ),
    // As everything else of a submission, a file is as old as that: what the sender does with it since is not seen.
    files: files.map((file) => ({ ...file, created_at: submitted_at, updated_at: submitted_at })),
  }
}
