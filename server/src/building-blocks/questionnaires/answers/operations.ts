import { pageOfList } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import type { ApplicationKind } from '../application-kind.ts'
import { loadQuestionnaire } from '../load-questionnaire.ts'
import { grantsOf, operationId, paramsOf, under } from '../operation-paths.ts'
import { reviewAsOfVersion, toStatus } from '../questionnaire.ts'
import { ApplicationStatus } from '../schema.ts'
import { clearAnswer, writeAnswer, writeAnswers } from './commands.ts'
import { noAnswer, toAnswer, toAnswers } from './records.ts'
import { Answer, AnswerInput, AnswersInput, AnswersWritten } from './schema.ts'

export function answerOperations(kind: ApplicationKind): Operation[] {
  const grants = grantsOf(kind)
  const params = paramsOf(kind)
  const shared = { resource: kind.resource }
  return [
    defineList({
      ...shared,
      id: operationId(kind, 'answers.list'),
      path: under(kind, 'answers/'),
      summary: 'List answers',
      description: 'Lists the answers in the order of the contract. Group and file questions are always listed.',
      grant: grants.read,
      params: params.application,
      item: Answer,
      collection: { orders: [], default_order: '', page_size: { default: 100, maximum: 500 }, backward: false },
      async list(db, { caller, params }, page) {
        const questionnaire = await loadQuestionnaire(db, caller, kind, params.application_id)
        const places = new Map([...questionnaire.contract.model.questions.keys()].map((key, index) => [key, index]))
        const answers = toAnswers(caller.context, questionnaire, reviewAsOfVersion(questionnaire))
        return pageOfList(answers, page, ({ question_key }) => [places.get(question_key) ?? 0])
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'answers.write'),
      method: 'PATCH',
      path: under(kind, 'answers/'),
      summary: 'Write many answers',
      description:
        'Writes up to 200 answers in one request. If one of them is invalid, nothing is written, and the error reports every problem. A value of null clears an answer. Answers to hidden questions are stored but not submitted while the question is hidden.',
      grant: grants.write,
      params: params.application,
      ifMatch: true,
      body: AnswersInput,
      example: {
        answers: [
          { question_key: 'legal_name', value: 'Lee Bakery LLC' },
          { question_key: 'annual_revenue', value: { amount: '1250000.50', currency: 'USD' } },
          { question_key: 'website', state: 'declined' },
        ],
      },
      status: 200,
      response: AnswersWritten,
      errors: ['state_conflict', 'limit_reached'],
      changes: ({ answers }) => answers.map(({ question_key }) => `answers/${question_key}`),
      async write(tx, { caller, params, ifMatch, body }) {
        const written = await writeAnswers(tx, caller, kind, { ...params, ifMatch }, body.answers)
        const review = reviewAsOfVersion(written)
        return {
          ...toStatus(caller.context, written, review),
          answers: body.answers.flatMap(
            ({ question_key }) => toAnswer(caller.context, written, review, question_key) ?? [],
          ),
        }
      },
    }),
    defineRead({
      ...shared,
      id: operationId(kind, 'answers.read'),
      path: under(kind, 'answers/{question_key}/'),
      summary: 'Read an answer',
      description: 'Returns 404 while the question has no answer. Group and file questions can always be read.',
      grant: grants.read,
      params: params.question,
      response: Answer,
      async read(db, { caller, params }) {
        const questionnaire = await loadQuestionnaire(db, caller, kind, params.application_id)
        const review = reviewAsOfVersion(questionnaire)
        const answer = toAnswer(caller.context, questionnaire, review, params.question_key)
        if (!answer) throw new ApiError('not_found')
        return answer
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'answers.put'),
      method: 'PUT',
      path: under(kind, 'answers/{question_key}/'),
      summary: 'Write an answer',
      description:
        'Writes, declines or confirms the answer to one question. A value of null clears the answer; the response then has a null `state`.',
      grant: grants.write,
      params: params.question,
      ifMatch: true,
      body: AnswerInput,
      example: { value: 'Lee Bakery LLC' },
      status: 200,
      response: Answer,
      errors: ['state_conflict', 'limit_reached'],
      async write(tx, { caller, params, ifMatch, body }) {
        const written = await writeAnswer(tx, caller, kind, { ...params, ifMatch }, body)
        const review = reviewAsOfVersion(written)
        const { question_key } = params
        return (
          toAnswer(caller.context, written, review, question_key) ??
          noAnswer(caller.context, written, review, question_key)
        )
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'answers.delete'),
      method: 'DELETE',
      path: under(kind, 'answers/{question_key}/'),
      summary: 'Clear an answer',
      description:
        'Clears the answer to one question. Also succeeds when the question has no answer. To clear a group or file question, delete its items or files.',
      grant: grants.write,
      params: params.question,
      ifMatch: true,
      status: 200,
      response: ApplicationStatus,
      errors: ['state_conflict'],
      async write(tx, { caller, params, ifMatch }) {
        const written = await clearAnswer(tx, caller, kind, { ...params, ifMatch })
        return toStatus(caller.context, written, reviewAsOfVersion(written))
      },
    }),
  ]
}
