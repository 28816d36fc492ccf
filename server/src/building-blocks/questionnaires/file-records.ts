import type { Context } from '../../platform/context.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { FileRecords } from '../file-transfers/routes.ts'
import { type ApplicationKind, kindOf } from './application-kind.ts'
import { completeUpload, rejectFile } from './file-commands.ts'
import { findFile } from './file-queries.ts'
import { loadApplication } from './load-questionnaire.ts'
import { toFile } from './records.ts'
import { settled } from './settled.ts'

/** The records of files, for whoever moves their bytes. */
export function createFileRecords(context: Context, kinds: readonly ApplicationKind[]): FileRecords {
  const { database } = context
  return {
    find: (portalId, fileId) => findFile(database.read, portalId, fileId),
    complete: (portal_id, fileId, request_id) =>
      settled(database, async (tx) => {
        const caller = { context, portal_id, request_id }
        const file = await findFile(tx, portal_id, fileId)
        if (!file) throw new ApiError('not_found', { message: 'This file was deleted.' })
        if (file.state !== 'awaiting_upload') throw new ApiError('upload_already_completed')
        const kind = kindOf(kinds, file.application_id)
        const completed = await completeUpload(tx, caller, kind, file)
        const application = await loadApplication(tx, caller, kind, file.application_id)
        return toFile(context, { kind, application }, completed)
      }),
    reject: (portal_id, fileId, rejection, request_id) =>
      settled(database, async (tx) => {
        const file = await findFile(tx, portal_id, fileId)
        if (file?.state !== 'awaiting_upload') return
        const kind = kindOf(kinds, file.application_id)
        await rejectFile(tx, { context, portal_id, request_id }, kind, file, rejection)
      }),
  }
}
