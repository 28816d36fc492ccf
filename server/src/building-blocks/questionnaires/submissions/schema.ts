import { type Static, Type } from 'typebox'
import { described, Id, Nullable, Time, Url, Words } from '../../../platform/values/fields.ts'
import { problemCodes } from '../completeness.ts'
import { declared, exampleDigest } from '../files/schema.ts'
import { position, Values } from '../items/schema.ts'
import { QuestionKey, Value } from '../schema.ts'

export const Validation = Type.Object(
  {
    is_submittable: Type.Boolean({ description: 'Whether the application can be submitted today.', examples: [false] }),
    problems: Type.Array(
      Type.Object({
        question_key: QuestionKey,
        group_key: Nullable(described(QuestionKey, 'The group the question belongs to; null outside a group.')),
        item_id: Nullable(Id('itm', 'The item the problem is in; null outside a group.')),
        code: Type.Enum([...problemCodes], { description: 'What is wrong. Stable; decide by this.' }),
        message: Type.String({ description: 'For people; may change.', examples: ['Legal name must be answered.'] }),
      }),
      { description: 'What is missing or wrong; empty when the application can be submitted.' },
    ),
  },
  {
    title: 'Validation',
    description: 'Everything that stands between an application and its submission, as of today.',
  },
)
export type Validation = Static<typeof Validation>

const frozenFile = Type.Object({
  id: Id('fil', 'The file.'),
  question_key: declared.question_key,
  item_id: Nullable(Id('itm', 'The item whose question the file answers; null outside a group.')),
  filename: declared.filename,
  content_type: declared.content_type,
  size_bytes: declared.size_bytes,
  sha256: declared.sha256,
})
export const Submission = Type.Object(
  {
    url: Url('The address of this submission.'),
    application_id: Type.String({ description: 'The application that was submitted.' }),
    number: Type.Integer({ minimum: 1, description: 'The number of the submission; the first is 1.', examples: [1] }),
    submitted_at: Time('When it was submitted.'),
    sha256: Type.String({
      description:
        'The SHA-256, in lowercase hex, of `content` as JSON with the members of every object sorted by name and no spaces.',
      examples: [exampleDigest],
    }),
    content: Type.Object(
      {
        contract_id: Id('ctr', 'The contract whose questions were answered.'),
        contract_version: Type.Integer({ description: 'The version of that contract.', examples: [1] }),
        answers: Type.Array(
          Type.Object({
            question_key: QuestionKey,
            state: Type.Enum(['answered', 'declined'], {
              description: 'Whether the question was answered or declined.',
            }),
            value: Value,
          }),
          { description: 'The answers to all visible questions.' },
        ),
        items: Type.Array(
          Type.Object({
            id: Id('itm', 'The item.'),
            group_key: described(QuestionKey, 'The group the item belongs to.'),
            position,
            values: Values,
            declined: Type.Optional(
              Type.Array(QuestionKey, { description: 'Questions of the item that were declined, if there are any.' }),
            ),
          }),
          { description: 'The items of all visible groups.' },
        ),
        files: Type.Array(frozenFile, { description: 'The files of all visible file questions.' }),
      },
      { description: 'What was submitted.' },
    ),
  },
  {
    title: 'Submission',
    description: 'What was submitted: the visible answers and the digests of the files. It never changes.',
  },
)
export type Submission = Static<typeof Submission>

export const ReturnInput = Type.Object(
  {
    message: Words(2000, 'Please upload the complete statement.', 'What the client must do.'),
    question_keys: Type.Array(QuestionKey, {
      maxItems: 100,
      description: 'The questions it is about.',
      examples: [['bank_statements']],
    }),
  },
  { title: 'ReturnInput', additionalProperties: false },
)
export type ReturnInput = Static<typeof ReturnInput>
