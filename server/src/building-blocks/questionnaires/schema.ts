// Answers, items, files and what is missing, as integrators write and read them.
import { type Static, Type } from 'typebox'
import { exampleId, Nullable, Time } from '../../platform/values/fields.ts'
import { contractKey } from '../contracts/contract-schema.ts'
import { sectionStates } from './completeness.ts'

export const anApplication = `http://127.0.0.1:8080/v1/client-intake-applications/${exampleId('cia')}/`
export const address = (path: string, description: string) =>
  Type.String({ format: 'uri', description, examples: [`${anApplication}${path}`] })

/** The form of a key. */
export const questionKeyPattern = contractKey

export const QuestionKey = Type.String({
  pattern: questionKeyPattern,
  description: 'The `key` of a question of the contract.',
  examples: ['legal_name'],
})

export const Etag = Type.String({
  description: 'The ETag of the application: it and everything under it have one.',
  examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
})

export const Value = Type.Unsafe<unknown>({
  description: 'Of the form the question asks for; `schema.json` of the contract says it exactly.',
  examples: ['Lee Bakery LLC'],
})

export const SourceDetail = Type.Object(
  {
    kind: Type.String({ description: 'The source of Autofill it came from.', examples: ['business'] }),
    reference: Nullable(
      Type.String({ description: 'The record or the place in a document.', examples: [exampleId('biz')] }),
    ),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How sure we are, 0 to 1.', examples: [0.95] }),
  },
  { title: 'SourceDetail' },
)

export const provenance = {
  source: Type.Enum(['api', 'console', 'autofill']),
  source_detail: Nullable(SourceDetail),
  confirmed: Type.Boolean({
    description: 'Whether somebody stands by it. Autofill never overwrites what is confirmed.',
    examples: [true],
  }),
}

export const Progress = Type.Object(
  {
    required: Type.Integer({ description: 'Questions that must be answered.', examples: [24] }),
    answered: Type.Integer({ description: 'Those of them that are.', examples: [12] }),
    percent: Type.Integer({ minimum: 0, maximum: 100, examples: [50] }),
    sections: Type.Array(
      Type.Object({
        key: Type.String({ examples: ['about_the_business'] }),
        state: Type.Enum([...sectionStates]),
      }),
    ),
  },
  { title: 'Progress' },
)

export const afterWrite = {
  application_id: Type.String({ examples: [exampleId('cia')] }),
  application_url: address('', 'The application that was changed.'),
  etag: Etag,
  state: Type.String({ description: 'The state of the application.', examples: ['in_progress'] }),
  updated_at: Time,
  progress: Progress,
  is_submittable: Type.Boolean({ description: 'Whether nothing is missing.', examples: [false] }),
}
export const ApplicationStatus = Type.Object(afterWrite, {
  title: 'ApplicationStatus',
  description: 'Where an application stands after a write.',
})
export type ApplicationStatus = Static<typeof ApplicationStatus>
