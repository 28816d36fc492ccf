import { type Static, Type } from 'typebox'
import { inWords } from '../../../platform/protocol/validation.ts'
import { described, Id, Nullable, recordFields, Time, Url } from '../../../platform/values/fields.ts'
import { mediaType } from '../../contracts/contract-schema.ts'
import { QuestionKey } from '../schema.ts'

export const maximumFileBytes = 50 * 1024 * 1024
export const maximumFilesOfApplication = 100
export const exampleDigest = '1c8e5517d88b4f5b4b9a8b864b722ed68286c9af74e47b1c0f834f1e7a7b7b76'
export const declared = {
  question_key: QuestionKey,
  filename: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'filename',
    description:
      'The name of the file. It must not contain a path or control characters, and must not consist of punctuation only.',
    examples: ['statement.csv'],
  }),
  content_type: Type.String({
    pattern: mediaType,
    maxLength: 100,
    description: 'The media type of the file. The uploaded bytes are checked against it.',
    examples: ['text/csv'],
  }),
  size_bytes: Type.Integer({ minimum: 1, description: 'The size of the file in bytes.', examples: [29] }),
  sha256: Type.String({
    pattern: inWords('^[0-9a-f]{64}$', 'must be 64 hexadecimal digits in lowercase'),
    description: 'The SHA-256 of the bytes, in lowercase hex.',
    examples: [exampleDigest],
  }),
}

export const FileInput = Type.Object(
  {
    ...declared,
    item_id: Type.Optional(
      Nullable(Id('itm', 'The id of the item the file belongs to. Null for a question outside a group.')),
    ),
  },
  { title: 'FileInput', additionalProperties: false },
)
export type FileInput = Static<typeof FileInput>

const fileStates = ['awaiting_upload', 'scanning', 'available', 'rejected', 'expired'] as const
const fileFields = recordFields('fil', {
  ...declared,
  item_id: Nullable(Id('itm', 'The id of the item the file belongs to. Null for a question outside a group.')),
  state: Type.Enum([...fileStates], {
    description: 'The state of the file. Only `available` files count as an answer.',
  }),
  rejection: Nullable(
    Type.Object(
      {
        code: Type.String({
          description: 'Why the file was rejected, as a stable code for programs.',
          examples: ['content_mismatch'],
        }),
        message: Type.String({
          description: 'A message for people. The text may change.',
          examples: ['The file is not a PDF.'],
        }),
      },
      { description: 'Why the file was rejected. Null unless it was rejected.' },
    ),
  ),
})
export const File = Type.Object(fileFields, {
  title: 'File',
  description: 'A file that answers a question. Its ETag is the ETag of the application.',
})
export type File = Static<typeof File>

export const Transfer = Type.Object(
  {
    method: Type.Enum(['PUT', 'GET'], { description: 'The HTTP method: PUT for an upload, GET for a download.' }),
    url: Url('The address to upload the bytes to or download them from. Use it unchanged.'),
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        'The headers to send, unchanged. They contain a credential for this transfer only. Never send the API key to this address.',
      examples: [{ authorization: 'Bearer ptt_…', 'content-type': 'application/pdf' }],
    }),
    expires_at: Time('When the credential expires.'),
  },
  { title: 'Transfer' },
)
export type Transfer = Static<typeof Transfer>

export const DeclaredFile = Type.Object(
  { ...fileFields, upload: described(Transfer, 'How to upload the bytes.') },
  { title: 'DeclaredFile' },
)
export type DeclaredFile = Static<typeof DeclaredFile>

export const fileFilters = {
  question_key: Type.Optional(described(QuestionKey, 'Only files that answer this question.')),
  item_id: Type.Optional(Id('itm', 'Only files of this item.')),
  state: Type.Optional(Type.Enum([...fileStates], { description: 'Only files in this state.' })),
}
