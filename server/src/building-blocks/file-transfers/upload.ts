// The bytes of one file come in. They stream to a temporary place; only when size, digest and content are what was
// declared do they become the file, all at once.

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context } from '../../platform/context.ts'
import { ApiError, type ErrorDetail } from '../../platform/protocol/errors.ts'
import { contentProblem } from '../../platform/storage/content-sniffing.ts'
import { type Incoming, StoreUnavailable, TooManyBytes } from '../../platform/storage/file-store.ts'
import { counted } from '../../platform/values/counted.ts'
import type { TransferCredential } from './credentials.ts'
import { type FileRecords, requireFile } from './file-records.ts'
import { fileKey, type TransferableFile } from './transfer-requests.ts'

export interface AdmittedUpload {
  credential: TransferCredential
  file: TransferableFile
}

/** Everything that can be decided before a byte of the body is read. */
export async function admitUpload(
  records: FileRecords,
  credential: TransferCredential,
  headers: IncomingHttpHeaders,
): Promise<AdmittedUpload> {
  const file = await requireFile(records, credential)
  requirePlainBody(headers, file)
  requireAwaited(file.state)
  return { credential, file }
}

/** The record of the file as it is afterwards. */
export async function receiveUpload(
  context: Context,
  records: FileRecords,
  { credential, file }: AdmittedUpload,
  body: Readable,
  requestId: string,
): Promise<{ etag: string }> {
  const { portal_id, file_id } = credential
  const { receiver } = context.files
  if (!receiver) throw new ApiError('not_found')
  const incoming = await receiveBytes(receiver.receive.bind(receiver), body, file)
  try {
    if (incoming.size_bytes !== file.size_bytes || incoming.sha256 !== file.sha256) throw mismatch(file, incoming)
    const problem = await contentProblem(file.content_type, file.size_bytes, (offset, length) =>
      incoming.read(offset, length),
    )
    if (problem !== undefined) {
      const rejection = { code: 'content_mismatch', message: problem }
      await records.reject(credential, rejection, requestId)
      throw new ApiError('file_rejected', {
        message: problem,
        details: [{ location: 'file', name: file.filename, code: rejection.code, message: problem }],
      })
    }
    await incoming.keep(fileKey(portal_id, file_id))
    return await completed(context, records, credential, requestId)
  } catch (error) {
    throw explain(error)
  } finally {
    await incoming.discard()
  }
}

/** Tells the record of the file; what nobody keeps a record of is not kept either. */
async function completed(
  context: Context,
  records: FileRecords,
  credential: TransferCredential,
  requestId: string,
): Promise<{ etag: string }> {
  const { portal_id, file_id } = credential
  try {
    return await records.complete(credential, requestId)
  } catch (error) {
    // Another upload, or a submission, may have the same bytes under the same key.
    if (error instanceof ApiError && !(await records.isKept(credential)))
      await context.files.remove(fileKey(portal_id, file_id))
    throw error
  }
}

function requireAwaited(state: string): void {
  if (state === 'expired')
    throw new ApiError('gone', { message: 'This file expired because it was not uploaded in time. Declare it again.' })
  if (state === 'rejected')
    throw new ApiError('upload_already_completed', { message: 'This file was rejected. Declare a new file.' })
  if (state !== 'awaiting_upload') throw new ApiError('upload_already_completed')
}

/** Requires an uncompressed body of the declared type and length. */
function requirePlainBody(headers: IncomingHttpHeaders, { content_type, size_bytes }: TransferableFile): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw unsupported(
      'Content-Encoding',
      'Content-Encoding is not supported. Send the bytes of the file without compression.',
    )
  // Exactly as returned with the upload: an object store, where the type is signed, accepts no other either.
  if (headers['content-type']?.trim().toLowerCase() !== content_type)
    throw unsupported('Content-Type', `Content-Type must be ${content_type}, the declared type of this file.`, {
      supported: [content_type],
    })
  if (headers['content-length'] === undefined) throw new ApiError('length_required')
  const length = Number(headers['content-length'])
  if (length !== size_bytes) throw mismatch({ size_bytes }, { size_bytes: length })
}

function unsupported(name: string, message: string, meta?: Record<string, unknown>): ApiError {
  return new ApiError('unsupported_media_type', {
    message,
    details: [{ location: 'header', name, code: 'unsupported_media_type', message, ...(meta && { meta }) }],
  })
}

async function receiveBytes(
  receive: (bytes: Readable, expectedBytes: number) => Promise<Incoming>,
  body: Readable,
  { size_bytes }: TransferableFile,
): Promise<Incoming> {
  try {
    return await receive(body, size_bytes)
  } catch (error) {
    // What is still on its way is let in and dropped: the next request of the connection waits behind it.
    body.resume()
    if (error instanceof TooManyBytes) throw mismatch({ size_bytes }, { size_bytes: size_bytes + 1 })
    throw explain(error)
  }
}

function mismatch(
  declared: { size_bytes: number; sha256?: string },
  received: { size_bytes: number; sha256?: string },
): ApiError {
  const details: ErrorDetail[] = []
  const add = (name: 'size_bytes' | 'sha256', message: string) =>
    details.push({
      location: 'file',
      name,
      code: 'checksum_mismatch',
      message,
      meta: { declared: declared[name], received: received[name] },
    })
  if (declared.size_bytes !== received.size_bytes)
    add(
      'size_bytes',
      `The file must have ${counted(declared.size_bytes, 'byte')}, as declared; received ${received.size_bytes}.`,
    )
  if (declared.sha256 !== received.sha256)
    add('sha256', 'The SHA-256 of the received bytes does not match the declared SHA-256.')
  return new ApiError('checksum_mismatch', { details })
}

/** A file store that is full or unavailable is not an error of the client. */
function explain(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error
  return new ApiError('service_unavailable', {
    message:
      'The file storage is temporarily unavailable, and the file was not stored. Send it again after the number of seconds in Retry-After.',
    headers: { 'retry-after': '10' },
    cause: error,
  })
}
