import { compileInsert } from '../../../platform/database/compiled-query.ts'
import type { Tx } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { GivenAnswer } from '../sheet.ts'

const writeAnswerRows = compileInsert('answers', ['portal_id', 'application_id', 'question_key'])

/** Writes answers over what was there. `restricted` names the questions whose values are sealed. */
export async function upsertAnswers(
  tx: Tx,
  vault: Vault,
  portalId: string,
  applicationId: string,
  answers: readonly GivenAnswer[],
  restricted: ReadonlySet<string>,
): Promise<void> {
  if (answers.length === 0) return
  const rows = answers.map(({ question_key, value, state, source, source_detail, confirmed, updated_at }) => {
    const is_sealed = restricted.has(question_key)
    const text = JSON.stringify(value ?? null)
    const boundTo = `${portalId} ${applicationId} ${question_key}`
    return {
      portal_id: portalId,
      application_id: applicationId,
      question_key,
      value: is_sealed ? vault.seal('answer', text, boundTo) : text,
      is_sealed,
      state,
      source,
      source_detail: source_detail && JSON.stringify(source_detail),
      confirmed,
      updated_at,
    }
  })
  await writeAnswerRows(tx, rows)
}

export async function deleteAnswers(
  tx: Tx,
  portalId: string,
  applicationId: string,
  questionKeys: readonly string[],
): Promise<void> {
  if (questionKeys.length === 0) return
  await tx
    .deleteFrom('answers')
    .where('portal_id', '=', portalId)
    .where('application_id', '=', applicationId)
    .where('question_key', 'in', questionKeys)
    .execute()
}
