// Answers, items, files and what is missing, as integrators write and read them.
import { type Static, Type } from 'typebox'
import { described, exampleId, Nullable, Time, Url } from '../../platform/values/fields.ts'
import { contractKey } from '../contracts/contract-schema.ts'
import { sectionStates } from './completeness.ts'

/** The form of a key. */
export const questionKeyPattern = contractKey

export const QuestionKey = Type.String({
  pattern: questionKeyPattern,
  description: 'The `key` of a question in the contract.',
  examples: ['legal_name'],
})

export const Etag = Type.String({
  description: 'The ETag of the application. The application shares one ETag with its answers, items and files.',
  examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
})

export const Value = Type.Unsafe<unknown>({
  description: 'The value. Its form depends on the question type; the `schema_url` of the contract defines it exactly.',
  examples: ['Lee Bakery LLC'],
})

export const SourceDetail = Type.Object(
  {
    kind: Type.String({ description: 'The Autofill source of the value.', examples: ['business'] }),
    reference: Nullable(
      Type.String({
        description: 'The record that contained the value, or the file and the position in it.',
        examples: [exampleId('biz')],
      }),
    ),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The confidence of Autofill in the value, from 0 to 1. Of values from documents at 0.9, about nine in ten are right.',
      examples: [0.95],
    }),
    page: Type.Optional(Type.Integer({ description: 'Documents only: the page or sheet, from 1.', examples: [2] })),
    line: Type.Optional(
      Type.Integer({ description: 'Documents only: the line or row of the page, from 1.', examples: [14] }),
    ),
    words: Type.Optional(
      Type.String({
        description: 'Documents only: the line that contains the value.',
        examples: ['Closing balance  $84,310.27'],
      }),
    ),
    period: Type.Optional(
      Nullable(
        Type.String({
          description: 'Documents only: the period of the value, as the document names it.',
          examples: ['Year ended 31 December 2025'],
        }),
      ),
    ),
  },
  { title: 'SourceDetail' },
)

export const provenance = {
  source: Type.Enum(['api', 'console', 'autofill'], {
    description: 'What wrote the value: the API, the console or Autofill.',
  }),
  source_detail: described(
    Nullable(SourceDetail),
    'Where Autofill found the value. Null when Autofill did not write it.',
  ),
  confirmed: Type.Boolean({
    description: 'Whether a person has confirmed the value. Autofill never overwrites a confirmed value.',
    examples: [true],
  }),
}

export const Progress = Type.Object(
  {
    required: Type.Integer({
      description: 'How many questions must be answered, including questions in items.',
      examples: [24],
    }),
    answered: Type.Integer({ description: 'How many of these are answered.', examples: [12] }),
    percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'The share of required questions that are answered, in percent, rounded down.',
      examples: [50],
    }),
    sections: Type.Array(
      Type.Object({
        key: Type.String({ description: 'The `key` of the section.', examples: ['about_the_business'] }),
        state: Type.Enum([...sectionStates], { description: 'The progress of the section.' }),
      }),
      { description: 'The sections of the contract, in order.' },
    ),
  },
  { title: 'Progress' },
)

export const afterWrite = {
  application_id: Type.String({ description: 'The id of the application.' }),
  application_url: Url('The address of the application.'),
  etag: Etag,
  state: Type.String({ description: 'The state of the application.', examples: ['in_progress'] }),
  updated_at: Time('When the application last changed.'),
  progress: described(Progress, 'How many of the required questions are answered.'),
  is_submittable: Type.Boolean({ description: 'Whether the application can be submitted.', examples: [false] }),
}
export const ApplicationStatus = Type.Object(afterWrite, {
  title: 'ApplicationStatus',
  description: 'The state and progress of an application after a change.',
})
export type ApplicationStatus = Static<typeof ApplicationStatus>
