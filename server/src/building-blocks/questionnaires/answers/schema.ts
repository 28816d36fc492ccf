import { type Static, Type } from 'typebox'
import { Nullable, Time, Url } from '../../../platform/values/fields.ts'
import { afterWrite, Etag, provenance, QuestionKey, Value } from '../schema.ts'

export const Answer = Type.Object(
  {
    question_key: QuestionKey,
    url: Url('The address of this answer.'),
    etag: Etag,
    value: Value,
    state: Nullable(
      Type.Enum(['answered', 'declined'], {
        description: 'Whether the question was answered or declined. Null while it has no answer.',
      }),
    ),
    source: Nullable(provenance.source),
    source_detail: provenance.source_detail,
    confirmed: provenance.confirmed,
    is_active: Type.Boolean({
      description:
        'Whether the question is visible, based on the other answers. The answer to a hidden question is kept.',
      examples: [true],
    }),
    updated_at: Nullable(Time('When the answer last changed.')),
    item_count: Nullable(
      Type.Integer({ description: 'The number of items in a group. Null for other question types.', examples: [2] }),
    ),
    items_url: Nullable(Url('The address of the items of a group. Null for other question types.')),
    files_url: Nullable(Url('The address of the files of a file question. Null for other question types.')),
  },
  {
    title: 'Answer',
    description:
      'The answer to one question. A group is answered with items and a file question with files. Both are always listed; their `state` is null while they have no items or files.',
  },
)
export type Answer = Static<typeof Answer>

const written = {
  value: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The value of the answer. Its form depends on the question type. Null clears the answer.',
      examples: ['Lee Bakery LLC'],
    }),
  ),
  state: Type.Optional(
    Type.Enum(['declined'], { description: 'Send `declined` instead of a value when the client declines to answer.' }),
  ),
  confirmed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the value is confirmed. Default: true. Send it without a value to confirm the stored value, for example one that Autofill wrote. Autofill may overwrite a value that is not confirmed.',
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
      {
        minItems: 1,
        maxItems: maximumAnswersAtOnce,
        description: 'The answers to write. Either all of them are written or none.',
      },
    ),
  },
  { title: 'AnswersInput', additionalProperties: false },
)
export type AnswersInput = Static<typeof AnswersInput>

export const AnswersWritten = Type.Object(
  {
    ...afterWrite,
    answers: Type.Array(Answer, { description: 'The current answers to the questions that were written.' }),
  },
  { title: 'AnswersWritten' },
)
export type AnswersWritten = Static<typeof AnswersWritten>
