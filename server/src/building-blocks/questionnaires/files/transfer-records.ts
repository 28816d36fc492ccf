import type { Caller, Context } from '../../../platform/context.ts'
import { ConnectionFailed, ConnectionsBusy, type Tx } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { createTurns } from '../../../platform/database/turns.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import type { TransferCredential } from '../../file-transfers/credentials.ts'
import type { FileRecords } from '../../file-transfers/file-records.ts'
import type { ApplicationKind } from '../application-kind.ts'
import { findApplication } from '../load-questionnaire.ts'
import { completeUpload, findHeldFile, rejectFile } from './commands.ts'
import { findFile, findTransferableFile, hasLivingFile, isPortalSuspended } from './queries.ts'
import { toFile } from './records.ts'

/** The records of files, for the routes that transfer their bytes. */
export function createFileRecords(context: Context, kinds: readonly ApplicationKind[]): FileRecords {
  /** The database shows what the holder of a credential may see, as for every other request. */
  const within = (portalId: string) => context.database.within(portalId)
  /** Whoever uploads acts for the Portal that the file belongs to, with the key that asked for the upload. */
  const ownerOf = ({ portal_id, key_id }: TransferCredential, request_id: string): Caller => ({
    context: { ...context, database: within(portal_id) },
    ...{ portal_id, request_id },
    ...(key_id !== null && { key_id }),
  })
  const takeTurn = createTurns({
    // A slow statement is one upload's bad luck; a database that cannot be reached is everybody's.
    concernsAll: (error) => error instanceof ConnectionFailed && !(error instanceof ConnectionsBusy),
    patience_ms: 30_000,
    late: () => new ApiError('service_unavailable', { headers: { 'retry-after': '5' } }),
  })
  /** Many files of one application may arrive at once, and each of them moves its version. */
  const inTurn = async <T>(
    { context: { database }, portal_id }: Caller,
    fileId: string,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> => {
    // SQLite has one writer, who lets them wait and commits many at once.
    if (database.engine === 'sqlite') return inTransaction(database, work)
    const file = await findFile(database.read, portal_id, fileId)
    return takeTurn(file?.application_id ?? fileId, () => inTransaction(database, work))
  }
  return {
    find: ({ portal_id, holder_portal_id, file_id }) =>
      findTransferableFile(within(holder_portal_id).read, portal_id, file_id),
    isSuspended: (portalId) => isPortalSuspended(within(portalId).read, portalId),
    isKept: ({ portal_id, file_id }) => hasLivingFile(within(portal_id).read, portal_id, file_id),
    complete(credential, requestId) {
      const owner = ownerOf(credential, requestId)
      return inTurn(owner, credential.file_id, async (tx) => {
        const found = await findHeldFile(tx, kinds, owner, credential.file_id)
        if (!found) throw new ApiError('not_found', { message: 'The file was deleted.' })
        const { file, kind } = found
        if (file.state !== 'awaiting_upload') throw new ApiError('upload_already_completed')
        const completed = await completeUpload(tx, owner, kind, file)
        const { application } = await findApplication(tx, owner, kind, file.application_id)
        return toFile(context, { kind, application }, completed)
      })
    },
    reject(credential, rejection, requestId) {
      const owner = ownerOf(credential, requestId)
      return inTurn(owner, credential.file_id, async (tx) => {
        const found = await findHeldFile(tx, kinds, owner, credential.file_id)
        if (found?.file.state !== 'awaiting_upload') return
        await rejectFile(tx, owner, found.kind, found.file, rejection)
      })
    },
  }
}
