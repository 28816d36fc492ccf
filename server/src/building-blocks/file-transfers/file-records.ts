import { ApiError } from '../../platform/protocol/errors.ts'
import type { TransferCredential } from './credentials.ts'
import type { TransferableFile } from './transfer-requests.ts'

/** Whoever keeps the records of files. */
export interface FileRecords {
  find(portalId: string, fileId: string): Promise<(TransferableFile & { state: string }) | undefined>
  isSuspended(portalId: string): Promise<boolean>
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

/** The file a credential opens. */
export async function requireFile(
  records: FileRecords,
  { portal_id, holder_portal_id, file_id }: TransferCredential,
): Promise<TransferableFile & { state: string }> {
  const [file, isSuspended] = await Promise.all([
    records.find(portal_id, file_id),
    // What was submitted stays readable for the recipient, whatever becomes of the Portal that sent it.
    records.isSuspended(holder_portal_id),
  ])
  if (isSuspended) throw new ApiError('portal_suspended')
  if (!file) throw new ApiError('not_found', { message: 'The file was deleted.' })
  return file
}
