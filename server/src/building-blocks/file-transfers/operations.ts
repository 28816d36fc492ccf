// The two transfers as the OpenAPI document shows them: they are beside the API, with a credential of their own.
import type { OtherOperation } from '../../platform/http/operation.ts'
import { idParameter } from '../../platform/http/path-parameter.ts'
import { downloadLifetimeMs, uploadLifetimeMs } from './credentials.ts'

const grant = [
  'client_intake_applications:read',
  'client_intake_applications:write',
  'deal_applications:read',
  'deal_applications:write',
]
const minutes = (milliseconds: number) => Math.round(milliseconds / 60_000)
const digest = { schema: { type: 'string' }, description: 'The SHA-256 of the file (RFC 9530).' }

export const transferOperations: readonly OtherOperation[] = [
  {
    id: 'transfers.upload',
    method: 'PUT',
    path: '/transfers/{file_id}',
    resource: 'File transfers',
    params: { file_id: idParameter('fil', 'The file; its address is returned with the credential.', {}) },
    summary: 'Upload a file',
    description: `Send the bytes with exactly the headers that \`upload\` of the declared file has, within ${minutes(uploadLifetimeMs)} minutes. Type, size and SHA-256 must be the declared ones, or nothing is kept and the credential stays good; the content is checked against its type. It succeeds once. Where files live in an object store, \`upload.url\` leads there instead.`,
    grant,
    requestBody: {
      required: true,
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    responses: {
      200: { description: 'The record of the file: `available`, or `scanning` while a virus scanner looks at it.' },
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
    id: 'transfers.download',
    method: 'GET',
    path: '/transfers/{file_id}',
    resource: 'File transfers',
    params: { file_id: idParameter('fil', 'The file; its address is returned with the credential.', {}) },
    summary: 'Download a file',
    description: `Fetch the bytes with exactly the headers that \`download/\` returned, within ${minutes(downloadLifetimeMs)} minutes. One \`Range\`, \`If-Range\` and \`If-None-Match\` are understood. The answer is always an attachment, and its name ends in an extension of its type. Bytes whose SHA-256 is not the declared one are never sent whole: the transfer is refused or broken off. Compare what you received with \`Repr-Digest\` or the length.`,
    grant,
    responses: {
      200: {
        description: 'The bytes.',
        headers: { 'Repr-Digest': digest },
        content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
      206: {
        description: 'The part that was asked for.',
        headers: { 'Repr-Digest': digest },
        content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
      304: { description: 'You have this file already (If-None-Match).' },
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
