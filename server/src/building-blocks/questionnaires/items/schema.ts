import { type Static, Type } from 'typebox'
import { described, recordFields } from '../../../platform/values/fields.ts'
import { provenance, QuestionKey } from '../schema.ts'

export const Values = Type.Record(QuestionKey, Type.Unsafe<unknown>({}), {
  maxProperties: 50,
  additionalProperties: false,
  description: 'The values by question key. In a change, null clears a value; values that are not sent are kept.',
  examples: [{ first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 }],
})
export const position = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'The position of the item in its group, starting at 1.',
  examples: [1],
})

export const Item = Type.Object(
  recordFields('itm', {
    group_key: described(QuestionKey, 'The `key` of the group the item belongs to.'),
    position,
    values: Values,
    value_sources: Type.Record(
      QuestionKey,
      Type.Object({
        state: Type.Enum(['answered', 'declined'], { description: 'Whether the question was answered or declined.' }),
        ...provenance,
        is_active: Type.Boolean({
          description: 'Whether the question is visible in this item. The value of a hidden question is kept.',
          examples: [true],
        }),
      }),
      {
        description: 'For each answered or declined question, by question key: its source and whether it is confirmed.',
        examples: [
          { first_name: { state: 'answered', source: 'api', source_detail: null, confirmed: true, is_active: true } },
        ],
      },
    ),
    is_active: Type.Boolean({
      description: 'Whether the group is visible, based on the other answers.',
      examples: [true],
    }),
  }),
  { title: 'AnswerItem', description: 'One item of a repeatable group. Its ETag is the ETag of the application.' },
)
export type Item = Static<typeof Item>

const written = {
  declined: Type.Optional(
    Type.Array(QuestionKey, {
      maxItems: 50,
      uniqueItems: true,
      description: 'The keys of the questions in this item that the client declines to answer.',
      examples: [['email']],
    }),
  ),
  confirmed: Type.Optional(
    Type.Record(QuestionKey, Type.Boolean(), {
      maxProperties: 50,
      additionalProperties: false,
      description:
        'Whether each value is confirmed, by question key. Default: true for every value that is sent. Send a key without a value to confirm the stored value, for example one that Autofill wrote. Autofill may overwrite a value that is not confirmed.',
      examples: [{ first_name: true }],
    }),
  ),
  position: Type.Optional(position),
}

export const ItemInput = Type.Object(
  { values: Values, ...written },
  { title: 'AnswerItemInput', additionalProperties: false },
)
export type ItemInput = Static<typeof ItemInput>
export const ItemChange = Type.Object(
  { values: Type.Optional(Values), ...written },
  { title: 'AnswerItemChange', additionalProperties: false, minProperties: 1 },
)
export type ItemChange = Static<typeof ItemChange>
