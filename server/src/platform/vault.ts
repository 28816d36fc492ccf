// Everything secret goes through here. One master key, one derived key per purpose:
// sealed text is AES-256-GCM (nonce ‖ ciphertext ‖ tag, base64url), bound to its purpose and to the caller's `boundTo`.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'

type Purpose =
  | 'answer'
  | 'api_key_hash'
  | 'autofill'
  | 'cursor'
  | 'idempotent_response'
  | 'key_check'
  | 'submission'
  | 'tax_id'
  | 'tax_id_hash'
  | 'transfer'
  | 'webhook_challenge'
  | 'webhook_secret'

export interface Vault {
  seal(purpose: Purpose, plaintext: string, boundTo: string): string
  /** The plaintext, or undefined when the text was altered, sealed for something else or sealed with another key. */
  open(purpose: Purpose, sealed: string, boundTo: string): string | undefined
  /** A keyed hash: equal texts give equal hashes, and nobody without the key can try texts out. */
  hash(purpose: Purpose, text: string): string
}

export function createVault(masterKey: Buffer): Vault {
  const takeNonce = createNonces()
  const keys = new Map<Purpose, KeyObject>()
  const keyFor = (purpose: Purpose): KeyObject => {
    let key = keys.get(purpose)
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, 'portico', purpose, 32)))
      keys.set(purpose, key)
    }
    return key
  }
  return {
    seal(purpose, plaintext, boundTo) {
      const nonce = takeNonce()
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce)
      cipher.setAAD(Buffer.from(boundTo))
      const body = cipher.update(plaintext, 'utf8')
      cipher.final()
      return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
    },
    open(purpose, sealed, boundTo) {
      const bytes = Buffer.from(sealed, 'base64url')
      // A canonical re-encoding refuses the spare bits base64url leaves open, so that one text has one form.
      if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined
      const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(boundTo))
      decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
      const body = decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes))
      try {
        decipher.final()
      } catch {
        return undefined // the tag does not fit: not ours, or altered
      }
      return body.toString('utf8')
    },
    hash(purpose, text) {
      return createHmac('sha256', keyFor(purpose)).update(text).digest('base64url')
    },
  }
}

const nonceBytes = 12
const tagBytes = 16

/** Random bytes are drawn in batches: one draw per nonce costs more than the encryption. */
function createNonces(): () => Buffer {
  const pool = Buffer.alloc(nonceBytes * 256)
  let offset = pool.length
  return () => {
    if (offset === pool.length) {
      randomFillSync(pool)
      offset = 0
    }
    offset += nonceBytes
    return Buffer.from(pool.subarray(offset - nonceBytes, offset))
  }
}
