import { type Static, Type } from 'typebox'
import { Nullable, Time, Url } from '../../../platform/values/fields.ts'
import { afterWrite, Etag, provenance, QuestionKey, Value } from '../schema.ts'

export const Answer = Type.Object(
  {
    question_key: QuestionKey,
    url: Url('The address of this answer; use it as given.'),
    etag: Etag,
    value: Value,
    state: Nullable(
      Type.Enum(['answered', 'declined'], {
        description:
          'Whether the question was answered or declined; null for a group or file question with nothing yet.',
      }),
    ),
    source: Nullable(provenance.source),
    source_detail: provenance.source_detail,
    confirmed: provenance.confirmed,
    is_active: Type.Boolean({
      description: 'Whether the question is visible, given the other answers. The answer to a hidden question is kept.',
      examples: [true],
    }),
    updated_at: Nullable(Time('When the answer last changed.')),
    item_count: Nullable(
      Type.Integer({ description: 'How many items a group has; null for other questions.', examples: [2] }),
    ),
    items_url: Nullable(Url('The items of a group; null for other questions.')),
    files_url: Nullable(Url('The files of a file question; null for other questions.')),
  },
  {
    title: 'Answer',
    description:
      'The answer to one question. A group is answered by its items and a file question by its files: both are always listed, with a null `state` while they have none.',
  },
)
export type Answer = Static<typeof Answer>

const written = {
  value: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The answer, in the form of its question type. Null clears it.',
      examples: ['Lee Bakery LLC'],
    }),
  ),
  state: Type.Optional(Type.Enum(['declined'], { description: 'Instead of a value: the client declines to answer.' })),
  confirmed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the value is confirmed. Default: true. Sent without a value, it confirms the present value, such as one that Autofill wrote; with false, Autofill may overwrite the value.',
    }),
  ),
}

export const AnswerInput = Type.Object(written, { title: 'AnswerInput', additionalProperties: false, minProperties: 1 })
export type AnswerInput = Static<typeof AnswerInput>

const maximumAnswersAtOnce = 200
export const AnswersInput = Type.Object(
  {
    answers: Type.Array(
      Type.Object({ question_key: QuestionKey, ...written }, { title: 'AnswerWrite', additionalProperties: false }),
      { minItems: 1, maxItems: maximumAnswersAtOnce, description: 'The answers to write: all of them, or none.' },
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
