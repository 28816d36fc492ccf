// A transfer credential opens one file for one method until a time. It is sealed, not stored: it says of itself what it
// opens, nobody else can make one, and it is worthless on the API, as an API key is here.
import { isoTime, minute } from '../../platform/clock.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import type { Vault } from '../../platform/vault.ts'

export interface TransferCredential {
  portal_id: string
  file_id: string
  method: 'PUT' | 'GET'
  size_bytes: number
  expires_at: number
}

export const uploadLifetimeMs = 60 * minute
export const downloadLifetimeMs = 15 * minute
/** A store checks a credential when an upload begins; how long the upload may then take. */
export const longestUploadMs = 60 * minute

export function sealCredential(vault: Vault, credential: TransferCredential): string {
  const { portal_id, file_id, method, size_bytes, expires_at } = credential
  return `${prefix}${vault.seal('transfer', JSON.stringify([portal_id, file_id, method, size_bytes, expires_at]), '')}`
}

/** What the credential of a request opens. Throws 401 for anything that is not a living credential of this very transfer. */
export function openCredential(
  vault: Vault,
  authorization: string | undefined,
  wanted: { file_id: string; method: 'PUT' | 'GET'; now: number },
): TransferCredential {
  if (authorization === undefined) throw refused('Send the headers the transfer was returned with.', false)
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  if (token.startsWith('ptk_'))
    throw refused('This is an API key. Send the credential of this transfer, and never the API key.')
  const text = token.startsWith(prefix) ? vault.open('transfer', token.slice(prefix.length), '') : undefined
  if (text === undefined) throw refused('This is not a transfer credential of this service.')
  const [portal_id, file_id, method, size_bytes, expires_at] = JSON.parse(text)
  if (file_id !== wanted.file_id) throw refused('This credential is for another file.')
  if (method !== wanted.method) throw refused(`This credential is for ${method}, not for ${wanted.method}.`)
  if (wanted.now >= expires_at) {
    throw new ApiError('transfer_credential_expired', {
      headers: challenge(true),
      details: [
        {
          location: 'header',
          name: 'Authorization',
          code: 'transfer_credential_expired',
          message: `POST to the file's ${method === 'PUT' ? 'upload/' : 'download/'} for a fresh one.`,
          meta: { expired_at: isoTime(expires_at) },
        },
      ],
    })
  }
  return { portal_id, file_id, method, size_bytes, expires_at }
}

function refused(message: string, wasSent = true): ApiError {
  return new ApiError('transfer_credential_invalid', {
    headers: challenge(wasSent),
    details: [{ location: 'header', name: 'Authorization', code: 'transfer_credential_invalid', message }],
  })
}

function challenge(wasSent: boolean): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="portico"${wasSent ? ', error="invalid_token"' : ''}` }
}

const prefix = 'ptt_'
