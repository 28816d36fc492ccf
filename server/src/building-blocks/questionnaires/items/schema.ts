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
    value_sources: Type.Record(QuestionKey, Type.Object(provenance), {
      description: 'For each value, where it comes from and whether it is confirmed.',
      examples: [{ first_name: { source: 'api', source_detail: null, confirmed: true } }],
    }),
    is_active: Type.Boolean({
      description: 'Whether its group is visible, given the other answers.',
      examples: [true],
    }),
  }),
  { title: 'AnswerItem', description: 'One entry of a repeatable group. Its ETag is that of the application.' },
)
export type Item = Static<typeof Item>

export const ItemInput = Type.Object(
  { values: Values, position: Type.Optional(position) },
  { title: 'AnswerItemInput', additionalProperties: false },
)
export type ItemInput = Static<typeof ItemInput>
export const ItemChange = Type.Object(
  { values: Type.Optional(Values), position: Type.Optional(position) },
  { title: 'AnswerItemChange', additionalProperties: false, minProperties: 1 },
)
export type ItemChange = Static<typeof ItemChange>
