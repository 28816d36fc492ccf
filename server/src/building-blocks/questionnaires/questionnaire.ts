import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import type { KnownContract } from '../contracts/known-contracts.ts'
import { type Access, type Application, type ApplicationKind, applicationPath } from './application-kind.ts'
import { type Review, reviewSheet } from './completeness.ts'
import { isSubmittable } from './editing.ts'
import type { ApplicationStatus } from './schema.ts'
import type { Sheet } from './sheet.ts'

/** An application with everything that was said in it, as a caller's role may read it. */
export interface Questionnaire<Row extends Application = Application> extends Access<Row> {
  kind: ApplicationKind<Row>
  contract: KnownContract
  sheet: Sheet
}

/**
 * The review a record shows is that of the day the application last changed, so that one version always looks the same;
 * `validation` and submission go by today.
 */
export function reviewAsOfVersion({ contract, sheet, application }: Questionnaire): Review {
  return reviewSheet(contract.model, sheet, application.updated_at.slice(0, 10))
}

/** The address of something under an application. */
export function urlOf(context: Context, { kind, application }: Questionnaire, path: string): string {
  return apiUrl(context.config, `${applicationPath(kind, application.id)}${path}`)
}

export function toStatus(context: Context, questionnaire: Questionnaire, review: Review): ApplicationStatus {
  const { application } = questionnaire
  return {
    application_id: application.id,
    application_url: urlOf(context, questionnaire, ''),
    etag: etagOf(application),
    state: application.state,
    updated_at: application.updated_at,
    progress: review.progress,
    is_submittable: isSubmittable(questionnaire, review),
  }
}
