import { isoTime } from '../../../platform/clock.ts'
import { apiUrl } from '../../../platform/context.ts'
import { defineRead, type Operation } from '../../../platform/http/operation.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { type ApplicationKind, applicationPath, rightsOf } from '../application-kind.ts'
import { reviewSheet } from '../completeness.ts'
import { blockingProblems, isSubmittable } from '../editing.ts'
import { findApplication, loadQuestionnaire } from '../load-questionnaire.ts'
import { grantsOf, operationId, paramsOf, under } from '../operation-paths.ts'
import { findSubmission } from './queries.ts'
import { Submission, Validation } from './schema.ts'

/** What is missing, and what was submitted. */
export function submissionOperations(kind: ApplicationKind): Operation[] {
  const grants = grantsOf(kind)
  const params = paramsOf(kind)
  const shared = { resource: kind.resource }
  return [
    defineRead({
      ...shared,
      id: operationId(kind, 'validation.read'),
      path: under(kind, 'validation/'),
      summary: 'Read the validation of an application',
      description:
        'Lists every problem that prevents the submission, as of today. `submit/` fails with the same problems. `notices` lists the answers that Autofill wrote and nobody has confirmed; they do not prevent the submission. The recipient of a deal application gets all problems of the last submission, as of today, and no notices.',
      grant: grants.read,
      params: params.application,
      response: Validation,
      async read(db, { caller, params }) {
        const questionnaire = await loadQuestionnaire(db, caller, kind, params.application_id)
        const { contract, sheet } = questionnaire
        const today = isoTime(caller.context.clock.now()).slice(0, 10)
        const review = reviewSheet(contract.model, sheet, today)
        const readsSubmission = rightsOf(kind, questionnaire.role).reads === 'last_submission'
        return {
          is_submittable: isSubmittable(questionnaire, review),
          // Whoever reads a submission alone does not learn which questions are being changed.
          problems: [...(readsSubmission ? review.problems : blockingProblems(questionnaire, review.problems))],
          // Where an answer came from is for those who give it.
          notices: readsSubmission ? [] : review.notices,
        }
      },
    }),
    defineRead({
      ...shared,
      id: operationId(kind, 'submissions.read'),
      path: under(kind, 'submissions/{number}/'),
      summary: 'Read a submission',
      description:
        'Returns the submitted answers and files. Later changes of the application do not change a submission.',
      grant: grants.read,
      params: params.submission,
      example_needs: { application_id: { found_in: kind.examples?.submitted ?? kind.path } },
      response: Submission,
      async read(db, { caller, params }) {
        const { context } = caller
        const { application } = await findApplication(db, caller, kind, params.application_id)
        const { portal_id, id } = application
        const found = await findSubmission(db, context.vault, portal_id, id, Number(params.number))
        if (!found) throw new ApiError('not_found')
        const { number, submitted_at, sha256, content } = found
        const path = `${applicationPath(kind, id)}submissions/${number}/`
        return {
          url: apiUrl(context.config, path),
          application_id: id,
          number,
          submitted_at,
          sha256,
          content,
        }
      },
    }),
  ]
}
