// A transfer credential is valid for one file, one method and a limited time. It is not stored: it contains what it is
// valid for, encrypted with the secret key of the service. The API does not accept it, and transfers accept no API key.
import { isoTime, minute } from '../../platform/clock.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import type { Vault } from '../../platform/vault.ts'

export interface TransferCredential {
  /** The Portal that the file belongs to. */
  portal_id: string
  /** The Portal that was given the credential: the recipient of an application, for example. */
  holder_portal_id: string
  /** The API key that asked for it: what becomes of the file is its doing. Null when a release before this one sealed it. */
  key_id: string | null
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
  const { portal_id, file_id, method, size_bytes, expires_at, holder_portal_id, key_id } = credential
  const text = JSON.stringify([portal_id, file_id, method, size_bytes, expires_at, holder_portal_id, key_id])
  return `${prefix}${vault.seal('transfer', text, '')}`
}

/** What the credential of a request is valid for. Throws 401 unless it is a valid credential for this transfer. */
export function openCredential(
  vault: Vault,
  authorization: string | undefined,
  wanted: { file_id: string; method: 'PUT' | 'GET'; now: number },
): TransferCredential {
  if (authorization === undefined)
    throw refused('The Authorization header is missing. Send the headers that upload/ or download/ returned.', false)
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  if (token.startsWith('ptk_'))
    throw refused('Received an API key. Send the transfer credential instead; never send the API key here.')
  const text = token.startsWith(prefix) ? vault.open('transfer', token.slice(prefix.length), '') : undefined
  if (text === undefined)
    throw refused(
      'The transfer credential is not valid. Send the Authorization header that upload/ or download/ returned, unchanged.',
    )
  // Releases before this one named no key, and earlier ones no holder; what they gave out is valid for an hour at most.
  const [portal_id, file_id, method, size_bytes, expires_at, holder_portal_id = portal_id, key_id = null] =
    JSON.parse(text)
  if (file_id !== wanted.file_id) throw refused('The transfer credential belongs to a different file.')
  if (method !== wanted.method)
    throw refused(`The transfer credential is for ${method}; the request method is ${wanted.method}.`)
  if (wanted.now >= expires_at) {
    throw new ApiError('transfer_credential_expired', {
      headers: challenge(true),
      details: [
        {
          location: 'header',
          name: 'Authorization',
          code: 'transfer_credential_expired',
          message: `Request a new credential: POST to ${method === 'PUT' ? 'upload/' : 'download/'} of the file.`,
          meta: { expired_at: isoTime(expires_at) },
        },
      ],
    })
  }
  return { portal_id, file_id, method, size_bytes, expires_at, holder_portal_id, key_id }
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
