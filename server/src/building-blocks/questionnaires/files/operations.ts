import { mapPage } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import type { TransferredFiles } from '../../file-transfers/operations.ts'
import { requestDownload, requestUpload } from '../../file-transfers/transfer-requests.ts'
import type { ApplicationKind } from '../application-kind.ts'
import { requireEditable, requireOpen, topLevelKeyOf } from '../editing.ts'
import { atOneVersion, findApplication, loadQuestionnaire } from '../load-questionnaire.ts'
import { grantsOf, operationId, paramsOf, under } from '../operation-paths.ts'
import { reviewAsOfVersion, toStatus } from '../questionnaire.ts'
import { ApplicationStatus } from '../schema.ts'
import { declareFile, deleteFile } from './commands.ts'
import type { FileRow } from './queries.ts'
import { pageOfFiles, requireFile, requireTransferableFile } from './reading.ts'
import { toFile } from './records.ts'
import { DeclaredFile, exampleDigest, File, FileInput, fileFilters, Transfer } from './schema.ts'
import { lookForFurtherUpload } from './upload-checks.ts'

/** What the transfers of bytes have to know about files; their examples are about those of the first kind. */
export function filesToTransfer(kinds: readonly ApplicationKind[]): TransferredFiles {
  const [kind] = kinds
  if (!kind) throw new Error('there are no applications that files could belong to')
  return {
    grant: kinds.flatMap((one) => [...grantsOf(one).read, ...grantsOf(one).write]),
    record: File,
    upload_credential_from: operationId(kind, 'files.upload'),
    download_credential_from: operationId(kind, 'files.download'),
    params: paramsOf(kind).file,
  }
}

export function fileOperations(kind: ApplicationKind): Operation[] {
  const grants = grantsOf(kind)
  const params = paramsOf(kind)
  const shared = { resource: kind.resource }
  return [
    defineWrite({
      ...shared,
      id: operationId(kind, 'files.create'),
      method: 'POST',
      path: under(kind, 'files/'),
      summary: 'Declare a file',
      description:
        'Declares the name, type, size and SHA-256 of a file that answers a question. The `upload` object of the response contains the URL and the headers for sending the bytes within 60 minutes. A file that is not uploaded within 24 hours expires.',
      grant: grants.write,
      params: params.application,
      ifMatch: true,
      body: FileInput,
      example: {
        question_key: 'bank_statements',
        filename: 'statement.csv',
        content_type: 'text/csv',
        size_bytes: 29,
        sha256: exampleDigest,
      },
      status: 201,
      response: DeclaredFile,
      errors: ['state_conflict', 'limit_reached', 'file_too_large', 'unsupported_file_type'],
      async write(tx, { caller, params, ifMatch, body }) {
        const { questionnaire, file } = await declareFile(tx, caller, kind, { ...params, ifMatch }, body)
        const upload = requestUpload(caller, questionnaire.application.portal_id, file)
        return { ...toFile(caller.context, questionnaire, file), upload }
      },
    }),
    defineList({
      ...shared,
      id: operationId(kind, 'files.list'),
      path: under(kind, 'files/'),
      summary: 'List files',
      description: 'Lists the files in the order they were declared.',
      grant: grants.read,
      params: params.application,
      query: fileFilters,
      item: File,
      collection: { orders: [], default_order: '', page_size: { default: 50, maximum: 200 }, backward: false },
      async list(db, { caller, params, query }, page) {
        return atOneVersion(db, caller, kind, params.application_id, async (db, access) => {
          const found = await pageOfFiles(db, caller, kind, access, query, page)
          return mapPage(found, (row) => toFile(caller.context, { kind, ...access }, row))
        })
      },
    }),
    defineRead({
      ...shared,
      id: operationId(kind, 'files.read'),
      path: under(kind, 'files/{file_id}/'),
      summary: 'Read a file',
      description: 'Returns the record of a file. To get the bytes, use `download/`.',
      grant: grants.read,
      params: params.file,
      response: File,
      async read(db, { caller, params }) {
        return atOneVersion(db, caller, kind, params.application_id, async (db, access) =>
          toFile(caller.context, { kind, ...access }, await requireFile(db, caller, kind, access, params.file_id)),
        )
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'files.delete'),
      method: 'DELETE',
      path: under(kind, 'files/{file_id}/'),
      summary: 'Delete a file',
      description: 'Deletes a file from the application. Submissions keep their files.',
      grant: grants.write,
      params: params.file,
      ifMatch: true,
      status: 200,
      response: ApplicationStatus,
      errors: ['state_conflict'],
      async write(tx, { caller, params, ifMatch }) {
        const questionnaire = await deleteFile(tx, caller, kind, { ...params, ifMatch })
        return toStatus(caller.context, questionnaire, reviewAsOfVersion(questionnaire))
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'files.upload'),
      method: 'POST',
      path: under(kind, 'files/{file_id}/upload/'),
      summary: 'Request a new upload credential',
      description:
        'Use this when the previous credential has expired or was lost. The ETag of the application does not change.',
      grant: grants.write,
      params: params.file,
      ifMatch: false,
      status: 200,
      response: Transfer,
      errors: ['upload_already_completed', 'gone', 'state_conflict'],
      async write(tx, { caller, params }) {
        const questionnaire = await loadQuestionnaire(tx, caller, kind, params.application_id)
        const file = await requireFile(tx, caller, kind, questionnaire, params.file_id)
        if (file.state === 'expired')
          throw new ApiError('gone', {
            message: 'This file expired because it was not uploaded in time. Declare it again.',
          })
        if (file.state === 'rejected') throw rejected(file)
        if (file.state !== 'awaiting_upload') throw new ApiError('upload_already_completed')
        requireEditable(questionnaire)
        const question = topLevelKeyOf(questionnaire.sheet, file)
        requireOpen(questionnaire, question, { location: 'path', name: 'file_id' })
        const { context, request_id } = caller
        const { portal_id } = questionnaire.application
        if (context.files.direct) await lookForFurtherUpload(tx, { context, portal_id, request_id }, file.id)
        return requestUpload(caller, portal_id, file)
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'files.download'),
      method: 'POST',
      path: under(kind, 'files/{file_id}/download/'),
      summary: 'Request a download credential',
      description:
        'Returns a URL and headers that are valid for 15 minutes. The file must be `available`. Files of a submission can be downloaded even after they were deleted from the application.',
      grant: grants.read,
      params: params.file,
      example_needs: {
        upload_credential: { made_by: operationId(kind, 'files.upload'), form: 'ptt_[0-9A-Za-z_-]*' },
        upload: { made_by: 'transfers.upload' },
      },
      ifMatch: false,
      status: 200,
      response: Transfer,
      errors: ['upload_not_completed', 'gone', 'state_conflict'],
      async write(tx, { caller, params }) {
        const access = await findApplication(tx, caller, kind, params.application_id)
        const file = await requireTransferableFile(tx, kind, access, params.file_id)
        requireAvailable(file)
        return requestDownload(caller, access.application.portal_id, file)
      },
    }),
  ]
}

function requireAvailable({ state, rejection }: FileRow): void {
  if (state === 'available') return
  if (state === 'awaiting_upload') throw new ApiError('upload_not_completed')
  if (state === 'scanning')
    throw new ApiError('upload_not_completed', {
      message: 'This file is being scanned. Try again when its state is available.',
    })
  if (state === 'expired')
    throw new ApiError('gone', { message: 'This file expired because it was not uploaded in time.' })
  throw rejected({ rejection })
}

function rejected({ rejection }: Pick<FileRow, 'rejection'>): ApiError {
  const message = `This file was rejected: ${rejection?.message ?? ''} Declare a new file.`
  return new ApiError('state_conflict', { message })
}
