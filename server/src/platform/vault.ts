// Everything secret goes through here. A master key gives one derived key per purpose. Sealed text is AES-256-GCM
// (nonce ‖ ciphertext ‖ tag, base64url), bound to its purpose and to the caller's `boundTo`, and begins with the name of its
// key; without a name, it was sealed with the first key of the deployment. Several master keys may open, one seals. Hashes
// keep the keys they began with, because what was hashed is not there to be hashed again: see decision 0031.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type Hmac,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'

export type SealedPurpose =
  | 'answer'
  | 'autofill'
  | 'cursor'
  | 'hash_keys'
  | 'idempotent_response'
  | 'submission'
  | 'tax_id'
  | 'transfer'
  | 'webhook_challenge'
  | 'webhook_secret'
type HashPurpose = 'api_key_hash' | 'tax_id_hash'

export interface Vault {
  seal(purpose: SealedPurpose, plaintext: string, boundTo: string): string
  /** The plaintext, or undefined when the text was altered, sealed for something else or sealed with another key. */
  open(purpose: SealedPurpose, sealed: string, boundTo: string): string | undefined
  /** A keyed hash: equal texts give equal hashes, and nobody without the key can try texts out. */
  hash(purpose: HashPurpose, text: string): string
  /** Begins a code that only whoever has this key can make; undefined when this process has not got the key. */
  startCode(purpose: 'backup', check: string): Hmac | undefined
  readonly keys: VaultKeys
}

/** A key is known by its check: enough to tell keys apart, and nothing of the key. */
interface VaultKeys {
  /** The checks of all keys that can open. */
  known(): string[]
  /** The check of the key that seals. */
  sealing(): string
  /** What a text begins with when the sealing key has sealed it. */
  mark(): string
  /** The same of every key that can open. */
  marks(): string[]
  /** Whether the first key of the deployment is known, whose values have no mark. */
  knowsFirst(): boolean
  learn(masterKeys: readonly Buffer[]): void
  /**
   * Seals with this key from now on, and hashes with these keys: null are those of a deployment that had one key only.
   * False when it has not got what it takes; nothing is changed then.
   */
  use(check: string, sealedHashKeys: string | null): boolean
  /** The keys of the hashes, sealed with this key, for the day when it is the sealing one. */
  sealHashKeys(check: string): string
}

interface MasterKey {
  check: string
  keyFor(purpose: string): KeyObject
}

/** The first of the keys seals, until it is told otherwise. */
export function createVault(...masterKeys: [Buffer, ...Buffer[]]): Vault {
  const takeNonce = createNonces()
  const known = new Map<string, MasterKey>()
  const learn = (more: readonly Buffer[]) => {
    for (const key of more.map(toMasterKey)) if (!known.has(nameOf(key.check))) known.set(nameOf(key.check), key)
  }
  learn(masterKeys)
  let sealing = toMasterKey(masterKeys[0])
  let isNamed = false
  let hashKeyFor: (purpose: HashPurpose) => KeyObject = sealing.keyFor

  const sealWith = (key: MasterKey, purpose: SealedPurpose, plaintext: string, boundTo: string): string => {
    const nonce = takeNonce()
    const cipher = createCipheriv('aes-256-gcm', key.keyFor(purpose), nonce)
    cipher.setAAD(Buffer.from(boundTo))
    const body = cipher.update(plaintext, 'utf8')
    cipher.final()
    return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
  }
  const open: Vault['open'] = (purpose, sealed, boundTo) => {
    const named = known.get(sealed.slice(0, nameLength))
    const text = named && openWith(named.keyFor(purpose), sealed.slice(nameLength), boundTo)
    if (text !== undefined) return text
    for (const key of known.values()) {
      const unnamed = openWith(key.keyFor(purpose), sealed, boundTo)
      if (unnamed !== undefined) return unnamed
    }
    return undefined
  }
  return {
    open,
    seal: (purpose, plaintext, boundTo) =>
      (isNamed ? nameOf(sealing.check) : '') + sealWith(sealing, purpose, plaintext, boundTo),
    startCode(purpose, check) {
      const key = known.get(nameOf(check))
      return key?.check === check ? createHmac('sha256', key.keyFor(`${purpose}_code`)) : undefined
    },
    hash: (purpose, text) => createHmac('sha256', hashKeyFor(purpose)).update(text).digest('base64url'),
    keys: {
      known: () => [...known.values()].map(({ check }) => check),
      sealing: () => sealing.check,
      mark: () => nameOf(sealing.check),
      marks: () => [...known.keys()],
      knowsFirst() {
        const isFirst = ({ keyFor }: MasterKey) => hashPurposes.every((one) => keyFor(one).equals(hashKeyFor(one)))
        return [...known.values()].some(isFirst)
      },
      learn,
      use(check, sealedHashKeys) {
        const key = known.get(nameOf(check))
        if (key?.check !== check) return false
        if (sealedHashKeys === null) hashKeyFor = key.keyFor
        else {
          const text = open('hash_keys', sealedHashKeys, '')
          if (text === undefined) return false
          hashKeyFor = toHashKeys(text)
        }
        sealing = key
        // Until the first rotation nothing has a name, so that the release before this one can read what this one writes.
        isNamed = sealedHashKeys !== null
        return true
      },
      sealHashKeys(check) {
        const key = known.get(nameOf(check))
        if (key?.check !== check) throw new Error('only a key that is known can seal')
        const keys = hashPurposes.map((purpose) => [purpose, hashKeyFor(purpose).export().toString('base64')])
        return nameOf(check) + sealWith(key, 'hash_keys', JSON.stringify(Object.fromEntries(keys)), '')
      },
    },
  }
}

function openWith(key: KeyObject, sealed: string, boundTo: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // A canonical re-encoding refuses the spare bits base64url leaves open, so that one text has one form.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(boundTo))
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
  const body = decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes))
  try {
    decipher.final()
  } catch {
    return undefined // the tag does not fit: not ours, or altered
  }
  return body.toString('utf8')
}

function toMasterKey(bytes: Buffer): MasterKey {
  const keys = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    let key = keys.get(purpose)
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', bytes, 'portico', purpose, 32)))
      keys.set(purpose, key)
    }
    return key
  }
  const check = createHmac('sha256', keyFor('key_check')).update('portico').digest('base64url').slice(0, 16)
  return { check, keyFor }
}

function toHashKeys(text: string): (purpose: HashPurpose) => KeyObject {
  const bytes: Record<HashPurpose, string> = JSON.parse(text)
  const keys = new Map(
    hashPurposes.map((purpose) => [purpose, createSecretKey(Buffer.from(bytes[purpose], 'base64'))] as const),
  )
  return (purpose) => {
    const key = keys.get(purpose)
    if (!key) throw new Error(`there is no key for ${purpose}`)
    return key
  }
}

function nameOf(check: string): string {
  return check.slice(0, nameLength)
}

const hashPurposes = ['api_key_hash', 'tax_id_hash'] as const satisfies readonly HashPurpose[]
const nameLength = 8
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
