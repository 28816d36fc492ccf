import { isSubmittable } from '../../building-blocks/questionnaires/editing.ts'
import type { Questionnaire } from '../../building-blocks/questionnaires/questionnaire.ts'
import { reviewAsOfVersion } from '../../building-blocks/questionnaires/questionnaire.ts'
import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import type { IntakeRow } from './queries.ts'
import type { ClientIntakeApplication } from './schema.ts'
import { intakeStates } from './states.ts'

export function intakePath(id: string): string {
  return `/client-intake-applications/${id}/`
}

export function toIntake({ config }: Context, questionnaire: Questionnaire<IntakeRow>): ClientIntakeApplication {
  const { application: row } = questionnaire
  const url = apiUrl(config, intakePath(row.id))
  const review = reviewAsOfVersion(questionnaire)
  return {
    id: row.id,
    url,
    etag: etagOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: [...intakeStates.availableActions(row.state, 'owner')],
    business_id: row.business_id,
    project_ids: row.project_ids,
    title: row.title,
    external_reference: row.external_reference,
    metadata: row.metadata,
    contract_url: apiUrl(config, `/contracts/${row.contract_id}/`),
    contract_version: row.contract_version,
    progress: review.progress,
    is_submittable: isSubmittable(questionnaire, review),
    attempt: row.attempt,
    submission: row.submission && { ...row.submission, url: `${url}submissions/${row.submission.number}/` },
    returned: row.returned,
    decision: row.decision,
    expires_at: row.expires_at,
    answers_url: `${url}answers/`,
    files_url: `${url}files/`,
    validation_url: `${url}validation/`,
    autofill_runs_url: `${url}autofill-runs/`,
  }
}
