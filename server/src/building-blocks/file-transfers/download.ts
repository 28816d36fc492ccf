// The bytes of one file go out. Never as a page: always an attachment, never sniffed, never run; and never other bytes
// than were declared (checked-downloads.ts).

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context } from '../../platform/context.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { isKnown } from '../../platform/protocol/etag.ts'
import { UnexpectedBytes } from '../../platform/storage/checked-stream.ts'
import { attachmentOf } from '../../platform/storage/content-disposition.ts'
import { NothingKept, StoreUnavailable } from '../../platform/storage/file-store.ts'
import { counted } from '../../platform/values/counted.ts'
import { readRange } from './byte-ranges.ts'
import type { CheckedDownloads } from './checked-downloads.ts'
import type { TransferCredential } from './credentials.ts'
import { type FileRecords, requireFile } from './file-records.ts'
import { fileKey } from './transfer-requests.ts'

interface Download {
  status: 200 | 206 | 304
  headers: Record<string, string | number>
  bytes?: Readable
}

export async function openDownload(
  context: Context,
  records: FileRecords,
  downloads: CheckedDownloads,
  credential: TransferCredential,
  request: { id: string; method: string; headers: IncomingHttpHeaders },
): Promise<Download> {
  const { portal_id, file_id } = credential
  const file = await requireFile(records, credential)
  if (file.state !== 'available') throw new ApiError('not_found')
  const { size_bytes: size, sha256 } = file
  const etag = `"${sha256}"`
  if (isKnown(request.headers['if-none-match'], etag)) return { status: 304, headers: { etag } }
  const ifRange = request.headers['if-range']
  const range = ifRange === undefined || ifRange === etag ? readRange(request.headers.range, size) : 'everything'
  if (range === 'unsatisfiable') throw unsatisfiable(size)
  const part = range === 'everything' ? undefined : range
  const key = fileKey(portal_id, file_id)
  const about = { request_id: request.id, portal_id, file_id }
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'content-type': file.content_type,
    'content-length': part ? part.end - part.start + 1 : size,
    'content-disposition': attachmentOf(file.filename, file.content_type),
    'content-security-policy': "sandbox; default-src 'none'",
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }),
  }
  const status = part ? 206 : 200
  try {
    if (request.method === 'HEAD') {
      await downloads.require(context.files, key, file)
      return { status, headers }
    }
    const bytes = await downloads.open(context.files, key, file, part)
    // The status has been sent by then: the connection is cut, so that nobody takes what came for the whole.
    bytes.on('error', (error) => context.log.error({ ...about, err: error }, 'a download was aborted'))
    return { status, headers, bytes }
  } catch (error) {
    throw explain(context, error, about)
  }
}

function unsatisfiable(size: number): ApiError {
  return new ApiError('range_not_satisfiable', {
    headers: { 'content-range': `bytes */${size}` },
    details: [
      {
        location: 'header',
        name: 'Range',
        code: 'range_not_satisfiable',
        message: `The range must be within the file, which has ${counted(size, 'byte')}.`,
        meta: { size_bytes: size },
      },
    ],
  })
}

/** The log tells the operator what is wrong with the stored bytes; the client learns only that they are not available. */
function explain({ log }: Context, error: unknown, about: Record<string, string>): unknown {
  if (error instanceof NothingKept || error instanceof UnexpectedBytes) {
    log.error({ ...about, err: error }, 'a stored file is missing or damaged; portico files verify lists all of them')
    const message = 'The stored file is missing or damaged. Contact support and quote the request_id.'
    return new ApiError('internal_error', { message, cause: error })
  }
  if (!(error instanceof StoreUnavailable)) return error
  return new ApiError('service_unavailable', {
    message: 'The file storage is temporarily unavailable. Try again after the number of seconds in Retry-After.',
    headers: { 'retry-after': '10' },
    cause: error,
  })
}
