// The two transfer operations for the reference. They are outside the API and have their own credential.
import type { TSchema } from 'typebox'
import type { OtherOperation } from '../../platform/http/operation.ts'
import type { PathParameters } from '../../platform/http/path-parameter.ts'
import { downloadLifetimeMs, uploadLifetimeMs } from './credentials.ts'

/** What the transfers are about, from the room that keeps the records of files. */
export interface TransferredFiles {
  /** Keys with any of these can get a credential. */
  grant: readonly string[]
  record: TSchema
  /** Ids of the operations that answer with a credential. */
  upload_credential_from: string
  download_credential_from: string
  /** What the paths of those operations name, the file last. */
  params: PathParameters
}

const minutes = (milliseconds: number) => Math.round(milliseconds / 60_000)
const digest = { schema: { type: 'string' }, description: 'The SHA-256 of the file (RFC 9530).' }
const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } }
const etag = {
  schema: { type: 'string' },
  description: 'Identifies the bytes of the file. Send it in If-None-Match or If-Range.',
}
const credential = 'ptt_[0-9A-Za-z_-]*'

export function transferOperations(files: TransferredFiles): OtherOperation[] {
  const { grant, params } = files
  const shared = { path: '/transfers/{file_id}', resource: 'File transfers', grant, params }
  return [
    {
      ...shared,
      id: 'transfers.upload',
      method: 'PUT',
      summary: 'Upload a file',
      description: `Send the bytes of a declared file with exactly the headers in its \`upload\`, within ${minutes(uploadLifetimeMs)} minutes. Type, size and SHA-256 must match the declaration; otherwise nothing is stored, and you can use the credential again. A file whose content does not match its declared type is rejected. An upload can succeed only once. If the deployment keeps files in an object store, \`upload.url\` is an address of that store, and this operation is not used.`,
      example_needs: {
        upload_credential: { made_by: files.upload_credential_from, form: credential },
      },
      shell_before: [`printf 'date,amount\\n2026-03-01,12.50\\n' > statement.csv`],
      shell: [
        '-X PUT',
        '-H "Authorization: Bearer $UPLOAD_CREDENTIAL"',
        '-H "Content-Type: text/csv"',
        '--data-binary @statement.csv',
      ],
      status: 200,
      response: files.record,
      request_body: { required: true, description: 'The bytes of the file.', content: bytes },
      responses: {
        200: {
          description:
            'The record of the file. Its state is `available`, or `scanning` until the virus scanner has checked it.',
          headers: { ETag: { schema: { type: 'string' }, description: 'The ETag of the application.' } },
        },
      },
      errors: [
        'unsupported_query_parameter',
        'transfer_credential_invalid',
        'transfer_credential_expired',
        'not_found',
        'state_conflict',
        'upload_already_completed',
        'gone',
        'length_required',
        'unsupported_media_type',
        'checksum_mismatch',
        'file_rejected',
        'service_unavailable',
      ],
    },
    {
      ...shared,
      id: 'transfers.download',
      method: 'GET',
      summary: 'Download a file',
      description: `Download the bytes of a file with exactly the headers that \`download/\` returned, within ${minutes(downloadLifetimeMs)} minutes. \`Range\` (one range), \`If-Range\` and \`If-None-Match\` are supported. The response is always an attachment, and its filename ends in an extension that fits its type. If the stored bytes do not match the declared SHA-256, the server refuses the download or closes the connection before the last byte. Compare what you received with \`Repr-Digest\` or \`Content-Length\`.`,
      example_needs: {
        upload_credential: { made_by: files.upload_credential_from, form: credential },
        upload: { made_by: 'transfers.upload' },
        download_credential: { made_by: files.download_credential_from, form: credential },
      },
      shell_before: [],
      shell: ['', '-H "Authorization: Bearer $DOWNLOAD_CREDENTIAL"'],
      status: 200,
      response: undefined,
      request_body: undefined,
      responses: {
        200: { description: 'The bytes of the file.', headers: { 'Repr-Digest': digest, ETag: etag }, content: bytes },
        206: { description: 'The requested range.', headers: { 'Repr-Digest': digest, ETag: etag }, content: bytes },
        304: { description: 'The bytes have not changed (If-None-Match).', headers: { ETag: etag } },
      },
      errors: [
        'unsupported_query_parameter',
        'transfer_credential_invalid',
        'transfer_credential_expired',
        'not_found',
        'range_not_satisfiable',
        'internal_error',
        'service_unavailable',
      ],
    },
  ]
}
