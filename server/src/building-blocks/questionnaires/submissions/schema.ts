import { type Static, Type } from 'typebox'
import { exampleId, Id, Nullable, Time, Words } from '../../../platform/values/fields.ts'
import { problemCodes } from '../completeness.ts'
import { declared, exampleDigest } from '../files/schema.ts'
import { position, Values } from '../items/schema.ts'
import { address, QuestionKey, Value } from '../schema.ts'

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
