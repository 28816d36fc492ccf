import { type Static, Type } from 'typebox'
import { described, Id, Nullable, Time, Url, Words } from '../../../platform/values/fields.ts'
import { noticeCodes, problemCodes } from '../completeness.ts'
import { declared, exampleDigest } from '../files/schema.ts'
import { position, Values } from '../items/schema.ts'
import { QuestionKey, Value } from '../schema.ts'

export const Validation = Type.Object(
  {
    is_submittable: Type.Boolean({ description: 'Whether the application can be submitted today.', examples: [false] }),
    problems: Type.Array(
      Type.Object({
        question_key: QuestionKey,
        group_key: Nullable(
          described(QuestionKey, 'The `key` of the group that contains the question. Null outside a group.'),
        ),
        item_id: Nullable(Id('itm', 'The id of the item with the problem. Null when the problem is not in an item.')),
        code: Type.Enum([...problemCodes], { description: 'A stable code for programs.' }),
        message: Type.String({
          description: 'A message for people. The text may change.',
          examples: ['Legal name must be answered.'],
        }),
      }),
      { description: 'The problems. Empty when the application is complete.' },
    ),
    notices: Type.Array(
      Type.Object({
        question_key: QuestionKey,
        group_key: Nullable(
          described(QuestionKey, 'The `key` of the group that contains the question. Null outside a group.'),
        ),
        item_id: Nullable(Id('itm', 'The id of the item with the answer. Null outside a group.')),
        code: Type.Enum([...noticeCodes], { description: 'A stable code for programs.' }),
        message: Type.String({
          description: 'A message for people. The text may change.',
          examples: ['“Annual revenue” was filled in by Autofill and is not confirmed.'],
        }),
      }),
      {
        description:
          'Answers that Autofill wrote and nobody has confirmed. They do not prevent the submission. If the contract sets `autofill.must_confirm` for the question, the answer is a problem instead.',
      },
    ),
  },
  {
    title: 'Validation',
    description: 'The problems that prevent the submission of an application, as of today.',
  },
)
export type Validation = Static<typeof Validation>

/** The latest submission, as the record of an application shows it. */
export const LatestSubmission = Nullable(
  Type.Object(
    {
      number: Type.Integer({ minimum: 1, description: 'The number of the submission.', examples: [1] }),
      submitted_at: Time('When the application was submitted.'),
      sha256: Type.String({ description: 'The SHA-256 of the submitted content, in lowercase hex.' }),
      url: Url('The address of the submission.'),
    },
    { description: 'The latest submission. Null before the first one.' },
  ),
)

const frozenFile = Type.Object({
  id: Id('fil', 'The id of the file.'),
  question_key: declared.question_key,
  item_id: Nullable(Id('itm', 'The id of the item the file belongs to. Null outside a group.')),
  filename: declared.filename,
  content_type: declared.content_type,
  size_bytes: declared.size_bytes,
  sha256: declared.sha256,
})
export const Submission = Type.Object(
  {
    url: Url('The address of this submission.'),
    application_id: Type.String({ description: 'The id of the application.' }),
    number: Type.Integer({ minimum: 1, description: 'The number of the submission, starting at 1.', examples: [1] }),
    submitted_at: Time('When the application was submitted.'),
    sha256: Type.String({
      description:
        'The SHA-256 of `content`, in lowercase hex. It is computed over the JSON text without whitespace, with the members of every object sorted by name.',
      examples: [exampleDigest],
    }),
    content: Type.Object(
      {
        contract_id: Id('ctr', 'The id of the contract version.'),
        contract_version: Type.Integer({ description: 'The version number of the contract.', examples: [1] }),
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
            id: Id('itm', 'The id of the item.'),
            group_key: described(QuestionKey, 'The `key` of the group the item belongs to.'),
            position,
            values: Values,
            declined: Type.Optional(
              Type.Array(QuestionKey, {
                description: 'The keys of the declined questions. Absent when no question was declined.',
              }),
            ),
          }),
          { description: 'The items of all visible groups.' },
        ),
        files: Type.Array(frozenFile, { description: 'The files of all visible file questions.' }),
      },
      { description: 'The submitted answers, items and files.' },
    ),
  },
  {
    title: 'Submission',
    description:
      'The visible answers, items and files of an application at the time it was submitted. A submission never changes.',
  },
)
export type Submission = Static<typeof Submission>

export const ReturnInput = Type.Object(
  {
    message: Words(2000, 'Please upload the complete statement.', 'What the client must do.'),
    question_keys: Type.Array(QuestionKey, {
      maxItems: 100,
      description: 'The keys of the questions that the message concerns.',
      examples: [['bank_statements']],
    }),
  },
  { title: 'ReturnInput', additionalProperties: false },
)
export type ReturnInput = Static<typeof ReturnInput>
