import { type Static, Type } from 'typebox'
import { Nullable, Time } from '../../../platform/values/fields.ts'
import { address, afterWrite, Etag, provenance, QuestionKey, Value } from '../schema.ts'

export const Answer = Type.Object(
  {
    question_key: QuestionKey,
    url: address('answers/legal_name/', 'The address of this answer; use it as given.'),
    etag: Etag,
    value: Value,
    state: Nullable(Type.Enum(['answered', 'declined'])),
    source: Nullable(provenance.source),
    source_detail: provenance.source_detail,
    confirmed: provenance.confirmed,
    is_active: Type.Boolean({
      description: 'Whether the question is asked, given the other answers. The answer to a hidden one is kept.',
      examples: [true],
    }),
    updated_at: Nullable(Time),
    item_count: Nullable(Type.Integer({ description: 'Of a group: how many items it has.', examples: [2] })),
    items_url: Nullable(address('answers/owners/items/', 'Of a group: where its items are.')),
    files_url: Nullable(address('files/?question_key=bank_statements', 'Of a file question: where its files are.')),
  },
  {
    title: 'Answer',
    description:
      'What was said to one question. A group is answered by its items and a file question by its files: their answers are always listed, with a null `state` while there is nothing.',
  },
)
export type Answer = Static<typeof Answer>

const written = {
  value: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The answer, of the form the question asks for. Null clears it.',
      examples: ['Lee Bakery LLC'],
    }),
  ),
  state: Type.Optional(
    Type.Enum(['declined'], { description: 'Instead of a value: the client would rather not answer.' }),
  ),
  confirmed: Type.Optional(
    Type.Boolean({
      description:
        'Default true. Alone, it confirms what is there, such as a value of Autofill; false leaves the value to Autofill.',
    }),
  ),
}

export const AnswerInput = Type.Object(written, { title: 'AnswerInput', additionalProperties: false, minProperties: 1 })
export type AnswerInput = Static<typeof AnswerInput>

export const maximumAnswersAtOnce = 200
export const AnswersInput = Type.Object(
  {
    answers: Type.Array(
      Type.Object({ question_key: QuestionKey, ...written }, { title: 'AnswerWrite', additionalProperties: false }),
      { minItems: 1, maxItems: maximumAnswersAtOnce },
    ),
  },
  { title: 'AnswersInput', additionalProperties: false },
)
export type AnswersInput = Static<typeof AnswersInput>

export const AnswersWritten = Type.Object(
  { ...afterWrite, answers: Type.Array(Answer, { description: 'The answers that were written, as they are now.' }) },
  { title: 'AnswersWritten' },
)
export type AnswersWritten = Static<typeof AnswersWritten>
