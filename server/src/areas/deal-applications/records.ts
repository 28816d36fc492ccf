import { withDependents } from '../../building-blocks/contracts/contract-model.ts'
import { isSubmittable } from '../../building-blocks/questionnaires/editing.ts'
import { type Questionnaire, reviewAsOfVersion } from '../../building-blocks/questionnaires/questionnaire.ts'
import { recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import { partiesOf, roleOf } from '../deals/parties.ts'
import { applicationRecord, asSeenBy } from './kind.ts'
import type { ApplicationRow } from './queries.ts'
import type { DealApplication } from './schema.ts'
import { applicationObstacle, applicationStates } from './states.ts'

/** An application as the caller's Portal sees it. The questionnaire is the one its role may read. */
export function toApplication(
  { context, portal_id }: Caller,
  questionnaire: Questionnaire<ApplicationRow>,
): DealApplication {
  const { application: row } = questionnaire
  const role = roleOf(row, portal_id)
  const isRecipient = role === 'recipient'
  const seen = asSeenBy(context, row, role)
  const url = apiUrl(context.config, applicationRecord.path(row.id))
  const review = reviewAsOfVersion(questionnaire)
  return {
    id: row.id,
    url,
    etag: etagOf(seen),
    created_at: isRecipient ? (row.first_submitted_at ?? row.created_at) : row.created_at,
    updated_at: seen.updated_at,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: [...applicationStates.availableActions(row.state, partiesOf[role], applicationObstacle(seen))],
    direction: isRecipient ? 'received' : 'sent',
    deal_id: row.deal_id,
    business_id: row.business_id,
    recipient: { id: recipientIdOf(row.recipient_portal_id), name: row.recipient_name, kind: row.recipient_kind },
    sender: { portal_id: row.portal_id, name: row.sender_name },
    program_id: row.program_id,
    contract_url: apiUrl(context.config, `/contracts/${row.contract_id}/`),
    contract_version: row.contract_version,
    progress: review.progress,
    is_submittable: isSubmittable(questionnaire, review),
    attempt: row.attempt,
    submission: row.submission && { ...row.submission, url: `${url}submissions/${row.submission.number}/` },
    acknowledgement: row.acknowledgement,
    information_request: row.information_request,
    returned: row.returned,
    open_question_keys: isRecipient ? openedByRecipient(questionnaire) : row.open_question_keys,
    active_offer_id: row.active_offer?.id ?? null,
    // safe because only these reasons are ever stored
    decision: row.decision as DealApplication['decision'],
    funding: row.funding,
    override:
      isRecipient || !row.override ? null : { application_ids: row.override.application_ids, at: row.override.at },
    // Every edit of the sender moves the end of what was returned, and the recipient does not see edits.
    expires_at: isRecipient && row.state === 'returned' ? null : row.expires_at,
    answers_url: `${url}answers/`,
    files_url: `${url}files/`,
    validation_url: `${url}validation/`,
    autofill_runs_url: isRecipient ? null : `${url}autofill-runs/`,
    offers_url: `${url}offers/`,
  }
}

/** What the recipient asked for. What else is open tells which answers the sender is changing, and it does not see edits. */
function openedByRecipient({ application, contract }: Questionnaire<ApplicationRow>): string[] | null {
  const { open_question_keys, information_request, returned } = application
  if (open_question_keys === null) return null
  return withDependents(contract.model, (information_request ?? returned)?.question_keys ?? [])
}
