import { ApiError } from '../../platform/protocol/errors.ts'
import type { TransferCredential } from './credentials.ts'
import type { TransferableFile } from './transfer-requests.ts'

/** Whoever keeps the records of files. What a credential opens is read and written as its holder. */
export interface FileRecords {
  find(credential: TransferCredential): Promise<(TransferableFile & { state: string }) | undefined>
  isSuspended(portalId: string): Promise<boolean>
  /** Whether the bytes of this file belong to somebody: they are available, looked at, or part of a submission. */
  isKept(credential: TransferCredential): Promise<boolean>
  /** The bytes are there: the record of the file as it is now. Throws when another upload was first. */
  complete(credential: TransferCredential, requestId: string): Promise<{ etag: string }>
  reject(credential: TransferCredential, rejection: { code: string; message: string }, requestId: string): Promise<void>
}

/** The file a credential opens. */
export async function requireFile(
  records: FileRecords,
  credential: TransferCredential,
): Promise<TransferableFile & { state: string }> {
  const [file, isSuspended] = await Promise.all([
    records.find(credential),
    // What was submitted stays readable for the recipient, whatever becomes of the Portal that sent it.
    records.isSuspended(credential.holder_portal_id),
  ])
  if (isSuspended) throw new ApiError('portal_suspended')
  if (!file) throw new ApiError('not_found', { message: 'The file was deleted.' })
  return file
}
