import type { Connection } from '../../../platform/database/database.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import type { Vault } from '../../../platform/vault.ts'
import { listSubmittedFiles } from '../files/queries.ts'
import { type GivenValue, groupItems, type Sheet } from '../sheet.ts'
import { findLastSubmission } from './queries.ts'

/** What was submitted last, as a sheet: this is all that a recipient ever reads of an application. */
export async function loadSubmittedSheet(
  db: Connection,
  vault: Vault,
  portalId: string,
  applicationId: string,
): Promise<Sheet> {
  const found = await findLastSubmission(db, vault, portalId, applicationId)
  if (!found) throw new ApiError('not_found')
  const { submitted_at, content } = found
  const given = (value: unknown, state: GivenValue['state']): GivenValue => ({
    value,
    state,
    source: 'api',
    source_detail: null,
    confirmed: true,
    updated_at: submitted_at,
  })
  const files = await listSubmittedFiles(
    db,
    portalId,
    content.files.map(({ id }) => id),
  )
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
