import { ApiError } from '../../platform/protocol/errors.ts'
import type { TransferCredential } from './credentials.ts'
import type { TransferableFile } from './transfer-requests.ts'

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

/** The file a credential opens. */
export async function requireFile(
  records: FileRecords,
  { portal_id, file_id }: TransferCredential,
): Promise<TransferableFile & { state: string }> {
  const file = await records.find(portal_id, file_id)
  if (!file) throw new ApiError('not_found', { message: 'The file was deleted.' })
  return file
}
