import { type Static, Type } from 'typebox'
import { inWords } from '../../../platform/protocol/validation.ts'
import { exampleId, Id, Nullable, recordFields, Time } from '../../../platform/values/fields.ts'
import { mediaType } from '../../contracts/contract-schema.ts'
import { QuestionKey } from '../schema.ts'

export const maximumFileBytes = 50 * 1024 * 1024
export const maximumFilesOfApplication = 100
export const exampleDigest = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'
export const declared = {
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
