// Where bytes come in and go out: PUT and GET of one address per file, opened by a credential of that very transfer.
// An upload streams to a temporary place; only when size, digest and content are what was declared does it become
// the file, all at once. A download is never a page: always an attachment, never sniffed, never run.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { headerOf } from '../../platform/http/request-line.ts'
import { jsonHeaders } from '../../platform/http/respond.ts'
import { ApiError, type ErrorDetail } from '../../platform/protocol/errors.ts'
import { isKnown } from '../../platform/protocol/etag.ts'
import { attachmentOf } from '../../platform/storage/content-disposition.ts'
import { contentProblem } from '../../platform/storage/content-sniffing.ts'
import { type Incoming, StoreUnavailable, TooManyBytes } from '../../platform/storage/file-store.ts'
import { readRange } from './byte-ranges.ts'
import { openCredential, type TransferCredential } from './credentials.ts'
import { fileKey, type TransferableFile } from './transfer-requests.ts'

/** Whoever keeps the records of files. */
export interface FileRecords {
  find(portalId: string, fileId: string): Promise<(TransferableFile & { state: string }) | undefined>
  /** Whether the bytes of this file belong to somebody: they are available, looked at, or part of a submission. */
  isKept(portalId: string, fileId: string): Promise<boolean>
  /** The bytes are there: the record of the file as it is now. Throws when another upload was first. */
  complete(portalId: string, fileId: string, requestId: string): Promise<{ etag: string }>
  reject(
    portalId: string,
    fileId: string,
    rejection: { code: string; message: string },
    requestId: string,
  ): Promise<void>
}

/** More than any file may have: what a single one may is known from its credential. */
const bodyLimit = 1024 * 1024 * 1024

export function registerTransfers(app: FastifyInstance, context: Context, records: FileRecords): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream: it goes to the store as it comes.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.put<{ Params: { file_id: string } }>('/transfers/:file_id', { bodyLimit }, (request, reply) =>
      receive(context, records, request, reply),
    )
    scope.route<{ Params: { file_id: string } }>({
      method: ['GET', 'HEAD'],
      url: '/transfers/:file_id',
      handler: (request, reply) => send(context, records, request, reply),
    })
  })
}

type TransferHttpRequest = FastifyRequest<{ Params: { file_id: string } }>

async function receive(
  context: Context,
  records: FileRecords,
  request: TransferHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const credential = credentialOf(context, request, 'PUT')
  requirePlainBody(request, credential)
  const { portal_id, file_id } = credential
  const file = await requireFile(records, credential)
  requireAwaited(file.state)
  const { receiver } = context.files
  if (!receiver) throw new ApiError('not_found')
  // It is expected and may take its time; whoever was refused is cut off like everybody who dawdles.
  request.takeTime()
  const incoming = await receiveBytes(receiver.receive.bind(receiver), request, credential)
  try {
    if (incoming.size_bytes !== file.size_bytes || incoming.sha256 !== file.sha256) throw mismatch(file, incoming)
    const problem = await contentProblem(file.content_type, file.size_bytes, (offset, length) =>
      incoming.read(offset, length),
    )
    if (problem !== undefined) {
      const rejection = { code: 'content_mismatch', message: problem }
      await records.reject(portal_id, file_id, rejection, request.id)
      throw new ApiError('file_rejected', {
        message: problem,
        details: [{ location: 'file', name: file.filename, code: rejection.code, message: problem }],
      })
    }
    await incoming.keep(fileKey(portal_id, file_id))
    const record = await completed(context, records, credential, request.id)
    return reply.headers({ ...jsonHeaders, etag: record.etag }).send(JSON.stringify(record))
  } catch (error) {
    throw explain(error)
  } finally {
    await incoming.discard()
  }
}

async function send(
  context: Context,
  records: FileRecords,
  request: TransferHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const credential = credentialOf(context, request, 'GET')
  const file = await requireFile(records, credential)
  if (file.state !== 'available') throw new ApiError('not_found')
  const { size_bytes: size, sha256 } = file
  const etag = `"${sha256}"`
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).header('etag', etag).send()
  const ifRange = headerOf(request, 'if-range')
  const range = ifRange === undefined || ifRange === etag ? readRange(headerOf(request, 'range'), size) : 'everything'
  if (range === 'unsatisfiable') throw unsatisfiable(size)
  const part = range === 'everything' ? undefined : range
  const bytes =
    request.method === 'HEAD'
      ? undefined
      : await context.files.open(fileKey(credential.portal_id, credential.file_id), part).catch((error) => {
          throw explain(error)
        })
  if (part) reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`)
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'content-type': file.content_type,
    'content-length': part ? part.end - part.start + 1 : size,
    'content-disposition': attachmentOf(file.filename),
    'content-security-policy': "sandbox; default-src 'none'",
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  })
  return reply.send(bytes)
}

/** Tells the record of the file; what nobody keeps a record of is not kept either. */
async function completed(
  context: Context,
  records: FileRecords,
  { portal_id, file_id }: TransferCredential,
  requestId: string,
): Promise<{ etag: string }> {
  try {
    return await records.complete(portal_id, file_id, requestId)
  } catch (error) {
    // Another upload, or a submission, may have the same bytes under the same key.
    if (error instanceof ApiError && !(await records.isKept(portal_id, file_id)))
      await context.files.remove(fileKey(portal_id, file_id))
    throw error
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
        message: `The file has ${size} bytes.`,
        meta: { size_bytes: size },
      },
    ],
  })
}

function credentialOf({ vault, clock }: Context, request: TransferHttpRequest, method: 'PUT' | 'GET') {
  const wanted = { file_id: request.params.file_id, method, now: clock.now() }
  return openCredential(vault, request.headers.authorization, wanted)
}

async function requireFile(records: FileRecords, { portal_id, file_id }: TransferCredential) {
  const file = await records.find(portal_id, file_id)
  if (!file) throw new ApiError('not_found', { message: 'This file was deleted.' })
  return file
}

function requireAwaited(state: string): void {
  if (state === 'expired') throw new ApiError('gone', { message: 'This upload came too late. Declare the file again.' })
  if (state === 'rejected')
    throw new ApiError('upload_already_completed', { message: 'This file was rejected. Declare the right one anew.' })
  if (state !== 'awaiting_upload') throw new ApiError('upload_already_completed')
}

/** A body of the announced length, as it is: what can be told before any of it is read. */
function requirePlainBody(request: TransferHttpRequest, { size_bytes }: TransferCredential): void {
  const { headers } = request
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ApiError('unsupported_media_type', { message: 'Send the bytes of the file as they are, uncompressed.' })
  if (headers['content-length'] === undefined) throw new ApiError('length_required')
  const length = Number(headers['content-length'])
  if (length !== size_bytes) throw mismatch({ size_bytes }, { size_bytes: length })
}

async function receiveBytes(
  receiveStream: (bytes: Readable, expectedBytes: number) => Promise<Incoming>,
  request: TransferHttpRequest,
  { size_bytes }: TransferCredential,
): Promise<Incoming> {
  try {
    // safe because the parser of this scope leaves the body a stream
    return await receiveStream(request.body as Readable, size_bytes)
  } catch (error) {
    // What is still on its way is let in and dropped: the next request of the connection waits behind it.
    request.raw.resume()
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
    add('size_bytes', `${declared.size_bytes} bytes were declared, ${received.size_bytes} were sent.`)
  if (declared.sha256 !== received.sha256) add('sha256', 'The SHA-256 is not the declared one.')
  return new ApiError('checksum_mismatch', { details })
}

/** A store that is full or away is no fault of the request. */
function explain(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error
  return new ApiError('service_unavailable', {
    message: 'The file store cannot be used right now. Nothing was kept; send the file again after Retry-After.',
    headers: { 'retry-after': '10' },
    cause: error,
  })
}
