// Answers, items, files and what is missing, as integrators write and read them.
import { type Static, Type } from 'typebox'
import { described, exampleId, Nullable, Time, Url } from '../../platform/values/fields.ts'
import { contractKey } from '../contracts/contract-schema.ts'
import { sectionStates } from './completeness.ts'

/** The form of a key. */
export const questionKeyPattern = contractKey

export const QuestionKey = Type.String({
  pattern: questionKeyPattern,
  description: 'The `key` of a question of the contract.',
  examples: ['legal_name'],
})

export const Etag = Type.String({
  description: 'The ETag of the application. The application and everything under it share one ETag.',
  examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
})

export const Value = Type.Unsafe<unknown>({
  description: 'The value, in the form of its question type; `schema.json` of the contract defines it exactly.',
  examples: ['Lee Bakery LLC'],
})

export const SourceDetail = Type.Object(
  {
    kind: Type.String({ description: 'The Autofill source it came from.', examples: ['business'] }),
    reference: Nullable(
      Type.String({
        description: 'The record it was found in, or the place in a document.',
        examples: [exampleId('biz')],
      }),
    ),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How certain Autofill is, from 0 to 1.',
      examples: [0.95],
    }),
  },
  { title: 'SourceDetail' },
)

export const provenance = {
  source: Type.Enum(['api', 'console', 'autofill'], { description: 'Who wrote the value.' }),
  source_detail: described(
    Nullable(SourceDetail),
    'Where Autofill found the value; null when Autofill did not write it.',
  ),
  confirmed: Type.Boolean({
    description: 'Whether a person has confirmed the value. Autofill never overwrites a confirmed value.',
    examples: [true],
  }),
}

export const Progress = Type.Object(
  {
    required: Type.Integer({ description: 'How many questions must be answered.', examples: [24] }),
    answered: Type.Integer({ description: 'How many of these are answered.', examples: [12] }),
    percent: Type.Integer({ minimum: 0, maximum: 100, description: 'The same in percent.', examples: [50] }),
    sections: Type.Array(
      Type.Object({
        key: Type.String({ description: 'The `key` of the section.', examples: ['about_the_business'] }),
        state: Type.Enum([...sectionStates], { description: 'How much of the section is answered.' }),
      }),
      { description: 'Each section of the contract, in its order.' },
    ),
  },
  { title: 'Progress' },
)

export const afterWrite = {
  application_id: Type.String({ description: 'The application that was changed.' }),
  application_url: Url('The address of that application.'),
  etag: Etag,
  state: Type.String({ description: 'The state of the application.', examples: ['in_progress'] }),
  updated_at: Time('When the application last changed.'),
  progress: described(Progress, 'How much of the application is answered.'),
  is_submittable: Type.Boolean({ description: 'Whether the application can be submitted.', examples: [false] }),
}
export const ApplicationStatus = Type.Object(afterWrite, {
  title: 'ApplicationStatus',
  description: 'Where an application stands after a write.',
})
export type ApplicationStatus = Static<typeof ApplicationStatus>
