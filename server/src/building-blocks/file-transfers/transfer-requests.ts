// How a client is told to send or fetch the bytes of a file: through this server, or at the store's own address.
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import { downloadLifetimeMs, sealCredential, uploadLifetimeMs } from './credentials.ts'

interface TransferRequest {
  method: 'PUT' | 'GET'
  url: string
  headers: Record<string, string>
  expires_at: string
}

/** The part of a file that a transfer is about. */
export interface TransferableFile {
  id: string
  filename: string
  content_type: string
  size_bytes: number
  sha256: string
}

/** A Portal uploads only files of its own. */
export function requestUpload(caller: Caller, portalId: string, file: TransferableFile): TransferRequest {
  const { context } = caller
  const expires_at = isoTime(context.clock.now() + uploadLifetimeMs)
  const { direct } = context.files
  if (direct) return { ...direct.upload(fileKey(portalId, file.id), file, uploadLifetimeMs / 1000), expires_at }
  return { ...throughUs(caller, portalId, file, 'PUT', uploadLifetimeMs), expires_at }
}

export function requestDownload(caller: Caller, portalId: string, file: TransferableFile): TransferRequest {
  const { context } = caller
  const expires_at = isoTime(context.clock.now() + downloadLifetimeMs)
  const { direct } = context.files
  if (direct) return { ...direct.download(fileKey(portalId, file.id), file, downloadLifetimeMs / 1000), expires_at }
  return { ...throughUs(caller, portalId, file, 'GET', downloadLifetimeMs), expires_at }
}

/** Where a store keeps a file. */
export function fileKey(portalId: string, fileId: string): string {
  return `${portalId}/${fileId}`
}

/** Whose file is kept under a key. */
export function ownerOfKey(key: string): { portal_id: string; id: string } {
  const [portal_id = '', id = ''] = key.split('/')
  return { portal_id, id }
}

function throughUs(
  { context: { config, vault, clock }, portal_id: holder_portal_id, key_id }: Caller,
  portal_id: string,
  file: TransferableFile,
  method: 'PUT' | 'GET',
  lifetimeMs: number,
) {
  const credential = sealCredential(vault, {
    ...{ portal_id, holder_portal_id, key_id: key_id ?? null },
    file_id: file.id,
    method,
    size_bytes: file.size_bytes,
    expires_at: clock.now() + lifetimeMs,
  })
  const headers: Record<string, string> = { authorization: `Bearer ${credential}` }
  if (method === 'PUT') headers['content-type'] = file.content_type
  return {
    method,
    url: `${config.public_url}/transfers/${file.id}`,
    headers,
  }
}
