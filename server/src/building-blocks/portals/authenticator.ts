// Keys are remembered for half a second: long enough that a busy key costs one query a thousand requests, short enough
// that a revoked key is refused everywhere within one second. Unknown keys are remembered too.
import { hash, timingSafeEqual } from 'node:crypto'
import { isoTime, minute } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import {
  type Authenticator,
  authenticationRequired,
  invalidCredential,
  type Principal,
} from '../../platform/http/authentication.ts'
import { environmentOfKey } from './key-text.ts'
import { findKeyByHash, setKeyLastUsed } from './queries.ts'

const rememberedMs = 500
const maximumRemembered = 10_000
const lastUsedEveryMs = minute

interface Remembered {
  until: number
  outcome: Principal | 'unknown' | 'revoked'
}

export function createAuthenticator(context: Context): Authenticator & { flush(): Promise<void> } {
  const remembered = new Map<string, Remembered>()
  const lastUsed = new Map<string, number>()
  const updates = new Set<Promise<void>>()

  const decide = ({ outcome }: Remembered): Principal => {
    if (outcome === 'unknown') throw invalidCredential('invalid_api_key')
    if (outcome === 'revoked') throw invalidCredential('api_key_revoked')
    const { expires_at } = outcome.key
    if (expires_at !== null && Date.parse(expires_at) <= context.clock.now()) throw invalidCredential('api_key_expired')
    noteUse(outcome)
    return outcome
  }

  const look = async (text: string, digest: string): Promise<Remembered> => {
    const entry: Remembered = { until: performance.now() + rememberedMs, outcome: await load(context, text) }
    if (remembered.size >= maximumRemembered) remembered.clear()
    remembered.set(digest, entry)
    return entry
  }

  /** The last use is written at most once a minute per key, beside the request. */
  function noteUse({ portal_id, key }: Principal): void {
    const now = context.clock.now()
    if (now - (lastUsed.get(key.id) ?? 0) < lastUsedEveryMs) return
    lastUsed.set(key.id, now)
    const update: Promise<void> = context.database
      .transaction((tx) => setKeyLastUsed(tx, portal_id, key.id, isoTime(now)))
      .catch((error) => context.log.warn({ err: error }, 'the last use of a key could not be noted'))
      .finally(() => updates.delete(update))
    updates.add(update)
  }

  return {
    authenticate(authorization) {
      if (authorization === undefined) throw authenticationRequired()
      const match = /^Bearer +(\S+) *$/i.exec(authorization)
      const text = match?.[1]
      if (text === undefined) throw authenticationRequired()
      // A digest of the text is the name it is remembered by, so that no key stays in memory.
      const digest = hash('sha256', text, 'base64url')
      const entry = remembered.get(digest)
      if (entry && entry.until > performance.now()) return decide(entry)
      const environment = environmentOfKey(text)
      if (environment === undefined) throw invalidCredential('invalid_api_key')
      if (environment !== context.config.environment) {
        const message = `This is a ${environment} key; this service is ${context.config.environment}.`
        throw invalidCredential('invalid_api_key', [
          { location: 'header', name: 'Authorization', code: 'environment_mismatch', message },
        ])
      }
      return look(text, digest).then(decide)
    },
    async flush() {
      await Promise.all(updates)
    },
  }
}

async function load(context: Context, text: string): Promise<Remembered['outcome']> {
  const expected = context.vault.hash('api_key_hash', text)
  const row = await findKeyByHash(context.database.read, expected)
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(expected))) return 'unknown'
  if (row.revoked_at !== null) return 'revoked'
  const { config } = context
  return {
    portal_id: row.portal_id,
    portal_name: row.portal_name,
    is_portal_suspended: row.portal_state === 'suspended',
    key: { id: row.id, name: row.name, last4: row.last4, created_at: row.created_at, expires_at: row.expires_at },
    grants: new Set(row.grants),
    rate_limits: {
      read: config.rate_limit_read,
      write: config.rate_limit_write,
      heavy: config.rate_limit_heavy,
      ...row.rate_limits,
    },
  }
}
