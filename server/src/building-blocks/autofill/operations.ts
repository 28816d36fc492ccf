import { mapPage } from '../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../platform/http/operation.ts'
import { idParameter } from '../../platform/http/path-parameter.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { toAnswer } from '../questionnaires/answers/records.ts'
import { AnswersWritten } from '../questionnaires/answers/schema.ts'
import type { ApplicationKind } from '../questionnaires/application-kind.ts'
import { findWorkingCopy } from '../questionnaires/load-questionnaire.ts'
import { grantsOf, operationId, paramsOf, under } from '../questionnaires/operation-paths.ts'
import { reviewAsOfVersion, toStatus } from '../questionnaires/questionnaire.ts'
import { applySuggestions, startRun } from './commands.ts'
import { findRun, listRuns } from './queries.ts'
import { toRun } from './records.ts'
import { ApplyInput, AutofillInput, AutofillRun } from './schema.ts'

export function autofillOperations(kind: ApplicationKind): Operation[] {
  const grants = grantsOf(kind)
  const { application } = paramsOf(kind)
  const finished = (body?: AutofillInput) => ({
    application_id: { made_by: operationId(kind, 'create') },
    run_id: {
      id_prefix: 'afr' as const,
      made_by: operationId(kind, 'autofill.start'),
      ...(body && { body }),
      wait: { path: under(kind, 'autofill-runs/{run_id}/'), states: ['completed', 'failed'] },
    },
  })
  const onRun = { ...application, run_id: idParameter('afr', 'The id of the Autofill run.', finished().run_id) }
  const shared = { resource: kind.resource }
  return [
    defineWrite({
      ...shared,
      id: operationId(kind, 'autofill.start'),
      method: 'POST',
      path: under(kind, 'autofill/'),
      summary: 'Start Autofill',
      description:
        'Starts an Autofill run. Autofill searches for answers in the business record, earlier applications, the project, uploaded documents and the provider of the Portal. The run continues in the background: read it until its state is `completed` or `failed`, or wait for the event. An application can have one run at a time.',
      grant: grants.write,
      rate: 'heavy',
      params: application,
      ifMatch: false,
      body: AutofillInput,
      example: { mode: 'fill_empty', sources: ['business', 'previous_applications'] },
      status: 202,
      response: AutofillRun,
      errors: ['state_conflict', 'operation_in_progress'],
      write: async (tx, { caller, params, body }) =>
        toRun(caller.context, kind, await startRun(tx, caller, kind, params.application_id, body)),
    }),
    defineList({
      ...shared,
      id: operationId(kind, 'autofill.list'),
      path: under(kind, 'autofill-runs/'),
      summary: 'List Autofill runs',
      grant: grants.read,
      params: application,
      example_needs: finished(),
      item: AutofillRun,
      collection: {
        orders: ['created_at'],
        default_order: '-created_at',
        page_size: { default: 25, maximum: 100 },
        backward: true,
      },
      async list(db, { caller, params }, page) {
        const { application } = await findWorkingCopy(db, caller, kind, params.application_id)
        const runs = await listRuns(db, application.portal_id, application.id, page)
        return mapPage(runs, (row) => toRun(caller.context, kind, row))
      },
    }),
    defineRead({
      ...shared,
      id: operationId(kind, 'autofill.read'),
      path: under(kind, 'autofill-runs/{run_id}/'),
      summary: 'Read an Autofill run',
      description: 'Returns the answers the run wrote, its suggestions, and the skipped questions with the reason.',
      grant: grants.read,
      params: onRun,
      example_needs: finished(),
      response: AutofillRun,
      async read(db, { caller, params }) {
        const { application } = await findWorkingCopy(db, caller, kind, params.application_id)
        const run = await findRun(db, application.portal_id, params.run_id)
        if (run?.application_id !== application.id) throw new ApiError('not_found')
        return toRun(caller.context, kind, run)
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'autofill.apply'),
      method: 'POST',
      path: under(kind, 'autofill-runs/{run_id}/apply/'),
      summary: 'Accept Autofill suggestions',
      description:
        'Writes the suggested values of the given questions as confirmed answers. If one of these questions was answered or confirmed after the run, nothing is written: the request fails with `state_conflict`, and `details` names the questions. `If-Match` is the ETag of the application.',
      grant: grants.write,
      params: onRun,
      example_needs: finished({ mode: 'suggest_only' }),
      ifMatch: true,
      body: ApplyInput,
      example: { question_keys: ['annual_revenue'] },
      status: 200,
      response: AnswersWritten,
      errors: ['state_conflict', 'limit_reached'],
      async write(tx, { caller, params, ifMatch, body }) {
        const questionnaire = await applySuggestions(tx, caller, kind, { ...params, ifMatch }, body)
        const review = reviewAsOfVersion(questionnaire)
        return {
          ...toStatus(caller.context, questionnaire, review),
          answers: [...new Set(body.question_keys)].flatMap(
            (key) => toAnswer(caller.context, questionnaire, review, key) ?? [],
          ),
        }
      },
    }),
  ]
}
