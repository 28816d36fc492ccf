// Where bytes come in and go out: PUT and GET of one address per file, opened by a credential of that very transfer.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../../platform/context.ts'
import { createQueryReader } from '../../platform/http/query-parameters.ts'
import { queryStringOf } from '../../platform/http/request-line.ts'
import { jsonHeaders } from '../../platform/http/respond.ts'
import { createCheckedDownloads } from './checked-downloads.ts'
import { openCredential, type TransferCredential } from './credentials.ts'
import { openDownload } from './download.ts'
import type { FileRecords } from './file-records.ts'
import { type AdmittedUpload, admitUpload, receiveUpload } from './upload.ts'

interface FileAddress {
  Params: { file_id: string }
}

/** More than any file may have: what a single one may is known from its credential. */
const bodyLimit = 1024 * 1024 * 1024

export function registerTransfers(app: FastifyInstance, context: Context, records: FileRecords): void {
  const uploads = new WeakMap<FastifyRequest<FileAddress>, AdmittedUpload>()
  const downloads = createCheckedDownloads()
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream: it goes to the store as it comes.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.put<FileAddress>('/transfers/:file_id', {
      bodyLimit,
      // Before Fastify reads the Content-Type: a value that is not a media type would be its error and not ours.
      async onRequest(request) {
        uploads.set(request, await admitUpload(records, credentialOf(context, request, 'PUT'), request.headers))
      },
      async handler(request, reply) {
        const upload = uploads.get(request)
        if (!upload) throw new Error('an upload reached its handler without admission')
        // It is expected and may take its time; whoever was refused is cut off like everybody who dawdles.
        request.takeTime()
        // safe because the parser of this scope leaves the body a stream
        const record = await receiveUpload(context, records, upload, request.body as Readable, request.id)
        return reply.headers({ ...jsonHeaders, etag: record.etag }).send(JSON.stringify(record))
      },
    })
    scope.route<FileAddress>({
      method: ['GET', 'HEAD'],
      url: '/transfers/:file_id',
      async handler(request, reply) {
        const credential = credentialOf(context, request, 'GET')
        const { status, headers, bytes } = await openDownload(context, records, downloads, credential, request)
        return reply.code(status).headers(headers).send(bytes)
      },
    })
  })
}

const readNoQuery = createQueryReader(Type.Object({}))

/** A credential of this very transfer, and nothing in the query. */
function credentialOf(
  { vault, clock }: Context,
  request: FastifyRequest<FileAddress>,
  method: 'PUT' | 'GET',
): TransferCredential {
  const wanted = { file_id: request.params.file_id, method, now: clock.now() }
  const credential = openCredential(vault, request.headers.authorization, wanted)
  request.admitted = { portal_id: credential.holder_portal_id }
  readNoQuery(queryStringOf(request.url))
  return credential
}
