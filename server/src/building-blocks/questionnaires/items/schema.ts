import { type Static, Type } from 'typebox'
import { described, recordFields } from '../../../platform/values/fields.ts'
import { provenance, QuestionKey } from '../schema.ts'

export const Values = Type.Record(QuestionKey, Type.Unsafe<unknown>({}), {
  maxProperties: 50,
  additionalProperties: false,
  description: 'Values by question key. In a change, null clears a value, and values that are not sent stay.',
  examples: [{ first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 }],
})
export const position = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'The position of the item in its group; the first is 1.',
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
        state: Type.Enum(['answered', 'declined'], { description: 'Whether there is a value, or it was declined.' }),
        ...provenance,
        is_active: Type.Boolean({
          description: 'Whether the question is asked of this item. The value of a hidden one is kept.',
          examples: [true],
        }),
      }),
      {
        description: 'For each value, and each that was declined: where it comes from and whether it is confirmed.',
        examples: [
          { first_name: { state: 'answered', source: 'api', source_detail: null, confirmed: true, is_active: true } },
        ],
      },
    ),
    is_active: Type.Boolean({
      description: 'Whether its group is visible, given the other answers.',
      examples: [true],
    }),
  }),
  { title: 'AnswerItem', description: 'One entry of a repeatable group. Its ETag is that of the application.' },
)
export type Item = Static<typeof Item>

const written = {
  declined: Type.Optional(
    Type.Array(QuestionKey, {
      maxItems: 50,
      uniqueItems: true,
      description: 'Questions of the item that the client would rather not answer.',
      examples: [['email']],
    }),
  ),
  confirmed: Type.Optional(
    Type.Record(QuestionKey, Type.Boolean(), {
      maxProperties: 50,
      additionalProperties: false,
      description:
        'By question key; true for everything that is sent. Without a value it confirms the one that is there, such as one of Autofill; false leaves the value to Autofill.',
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
