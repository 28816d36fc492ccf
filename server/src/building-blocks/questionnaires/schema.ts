// Answers, items, files and what is missing, as integrators write and read them.
import { type Static, Type } from 'typebox'
import { inWords } from '../../platform/http/validation.ts'
import { exampleId, Id, Nullable, recordFields, Time, Words } from '../../platform/values.ts'
import { contractKey, mediaType } from '../contracts/contract-schema.ts'
import { problemCodes, sectionStates } from './completeness.ts'

const anApplication = `http://127.0.0.1:8080/v1/client-intake-applications/${exampleId('cia')}/`
const address = (path: string, description: string) =>
  Type.String({ format: 'uri', description, examples: [`${anApplication}${path}`] })

/** The form of a key. */
export const questionKeyPattern = contractKey

export const QuestionKey = Type.String({
  pattern: questionKeyPattern,
  description: 'The `key` of a question of the contract.',
  examples: ['legal_name'],
})

const Etag = Type.String({
  description: 'The ETag of the application: it and everything under it have one.',
  examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
})

const Value = Type.Unsafe<unknown>({
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

const provenance = {
  source: Type.Enum(['api', 'console', 'autofill']),
  source_detail: Nullable(SourceDetail),
  confirmed: Type.Boolean({
    description: 'Whether somebody stands by it. Autofill never overwrites what is confirmed.',
    examples: [true],
  }),
}

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

const afterWrite = {
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

export const AnswersWritten = Type.Object(
  { ...afterWrite, answers: Type.Array(Answer, { description: 'The answers that were written, as they are now.' }) },
  { title: 'AnswersWritten' },
)
export type AnswersWritten = Static<typeof AnswersWritten>

const Values = Type.Record(QuestionKey, Type.Unsafe<unknown>({}), {
  maxProperties: 50,
  additionalProperties: false,
  description: 'Values by question key. In a change, null clears a value and keys that are not sent stay.',
  examples: [{ first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 }],
})
const position = Type.Integer({ minimum: 1, maximum: 100, description: 'Its place among the items.', examples: [1] })

export const Item = Type.Object(
  recordFields('itm', `/client-intake-applications/${exampleId('cia')}/answers/owners/items/`, {
    group_key: QuestionKey,
    position,
    values: Values,
    value_sources: Type.Record(QuestionKey, Type.Object(provenance), {
      description: 'For each value, where it comes from and whether it is confirmed.',
      examples: [{ first_name: { source: 'api', source_detail: null, confirmed: true } }],
    }),
    is_active: Type.Boolean({ description: 'Whether its group is asked.', examples: [true] }),
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

export const maximumFileBytes = 50 * 1024 * 1024
export const maximumFilesOfApplication = 100
const exampleDigest = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'
const declared = {
  question_key: QuestionKey,
  filename: Type.String({
    minLength: 1,
    maxLength: 200,
    // A letter or digit at least; no path, no control characters, nothing that turns the text around.
    pattern: inWords(
      '^(?=.*[\\p{L}\\p{N}])[^\\p{Cc}\\p{Zl}\\p{Zp}/\\\\\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]+$',
      'must be a plain file name: no path, no control characters, a letter or digit at least',
    ),
    examples: ['bank-statement-march.pdf'],
  }),
  content_type: Type.String({
    pattern: mediaType,
    maxLength: 100,
    description: 'What the file is. The bytes are checked against it.',
    examples: ['application/pdf'],
  }),
  size_bytes: Type.Integer({ minimum: 1, examples: [48_213] }),
  sha256: Type.String({
    pattern: inWords('^[0-9a-f]{64}$', 'must be 64 hexadecimal digits in small letters'),
    description: 'The SHA-256 of the bytes, in lowercase hex.',
    examples: [exampleDigest],
  }),
}

export const FileInput = Type.Object(
  { ...declared, item_id: Type.Optional(Nullable(Id('itm', 'The item whose question this answers.'))) },
  { title: 'FileInput', additionalProperties: false },
)
export type FileInput = Static<typeof FileInput>

export const fileStates = ['awaiting_upload', 'scanning', 'available', 'rejected', 'expired'] as const
const fileFields = recordFields('fil', `/client-intake-applications/${exampleId('cia')}/files/`, {
  ...declared,
  item_id: Nullable(Id('itm')),
  state: Type.Enum([...fileStates]),
  rejection: Nullable(
    Type.Object({
      code: Type.String({ examples: ['content_mismatch'] }),
      message: Type.String({ examples: ['The bytes are not those of a PDF.'] }),
    }),
  ),
})
export const File = Type.Object(fileFields, {
  title: 'File',
  description: 'A document that answers a question. Its ETag is that of the application.',
})
export type File = Static<typeof File>

export const Transfer = Type.Object(
  {
    method: Type.Enum(['PUT', 'GET']),
    url: Type.String({
      format: 'uri',
      description: 'Where the bytes go, or come from.',
      examples: [`http://127.0.0.1:8080/transfers/${exampleId('fil')}`],
    }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'Send exactly these. They hold the credential of this one transfer; never send the API key there.',
      examples: [{ authorization: 'Bearer ptt_…', 'content-type': 'application/pdf' }],
    }),
    expires_at: Time,
  },
  { title: 'Transfer' },
)
export type Transfer = Static<typeof Transfer>

export const DeclaredFile = Type.Object({ ...fileFields, upload: Transfer }, { title: 'DeclaredFile' })
export type DeclaredFile = Static<typeof DeclaredFile>

export const fileFilters = {
  question_key: Type.Optional(QuestionKey),
  item_id: Type.Optional(Id('itm')),
  state: Type.Optional(Type.Enum([...fileStates])),
}

export const Validation = Type.Object(
  {
    is_submittable: Type.Boolean({ examples: [false] }),
    problems: Type.Array(
      Type.Object({
        question_key: QuestionKey,
        group_key: Nullable(QuestionKey),
        item_id: Nullable(Id('itm')),
        code: Type.Enum([...problemCodes]),
        message: Type.String({ examples: ['Legal name must be answered.'] }),
      }),
    ),
  },
  {
    title: 'Validation',
    description: 'Everything that stands between an application and its submission, as of today.',
  },
)
export type Validation = Static<typeof Validation>

const frozenFile = Type.Object({
  id: Id('fil'),
  question_key: declared.question_key,
  item_id: Nullable(Id('itm')),
  filename: declared.filename,
  content_type: declared.content_type,
  size_bytes: declared.size_bytes,
  sha256: declared.sha256,
})
export const Submission = Type.Object(
  {
    url: address('submissions/1/', 'The address of this submission.'),
    application_id: Type.String({ examples: [exampleId('cia')] }),
    number: Type.Integer({ minimum: 1, examples: [1] }),
    submitted_at: Time,
    sha256: Type.String({
      description:
        'The SHA-256, in lowercase hex, of `content` as JSON with the members of every object sorted by name and no spaces.',
      examples: [exampleDigest],
    }),
    content: Type.Object({
      contract_id: Id('ctr'),
      contract_version: Type.Integer({ examples: [1] }),
      answers: Type.Array(
        Type.Object({
          question_key: QuestionKey,
          state: Type.Enum(['answered', 'declined']),
          value: Value,
        }),
      ),
      items: Type.Array(Type.Object({ id: Id('itm'), group_key: QuestionKey, position, values: Values })),
      files: Type.Array(frozenFile),
    }),
  },
  {
    title: 'Submission',
    description: 'What was submitted: the visible answers and the digests of the files. It never changes.',
  },
)
export type Submission = Static<typeof Submission>

export const ReturnInput = Type.Object(
  {
    message: Words(2000, 'Please upload the complete statement.', 'What has to be done, for the client.'),
    question_keys: Type.Array(QuestionKey, {
      maxItems: 100,
      description: 'The questions it is about.',
      examples: [['bank_statements']],
    }),
  },
  { title: 'ReturnInput', additionalProperties: false },
)
export type ReturnInput = Static<typeof ReturnInput>
