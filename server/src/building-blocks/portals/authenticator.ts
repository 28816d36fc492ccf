// Who sends a request: the key of its Authorization header, as remembered (remembered-keys.ts) or looked up.
import { timingSafeEqual } from 'node:crypto'
import { isoTime, minute } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import {
  type Authenticator,
  authenticationRequired,
  invalidCredential,
  type Principal,
} from '../../platform/protocol/authentication.ts'
import { endOfKey } from './commands.ts'
import { environmentOfKey } from './key-text.ts'
import { findKeyByHash, setKeyLastUsed } from './queries.ts'
import { createRecognition } from './recognition.ts'
import { rememberKeys } from './remembered-keys.ts'

const lastUsedEveryMs = minute

/** What is known of a key: whose it is, or why it is refused. */
type Outcome = Principal | 'unknown' | 'revoked'

export function createAuthenticator(context: Context): Authenticator & { flush(): Promise<void> } {
  const lastUsed = new Map<string, number>()
  const updates = new Set<Promise<void>>()
  const recognition = createRecognition()
  const keys = rememberKeys<Outcome>({
    load: async (text) => {
      const outcome = await load(context, text)
      if (typeof outcome === 'object') recognition.remember(text, outcome.portal_id)
      else recognition.forget(text)
      return outcome
    },
    isKnown: (outcome) => outcome !== 'unknown',
  })

  const decide = (outcome: Outcome): Principal => {
    if (outcome === 'unknown') throw invalidCredential('invalid_api_key')
    if (outcome === 'revoked') throw invalidCredential('api_key_revoked')
    const { expires_at } = outcome.key
    if (expires_at !== null && Date.parse(expires_at) <= context.clock.now()) throw invalidCredential('api_key_expired')
    noteUse(outcome)
    return outcome
  }

  /** The last use is written at most once a minute per key, beside the request. */
  function noteUse({ portal_id, key }: Principal): void {
    const now = context.clock.now()
    if (now - (lastUsed.get(key.id) ?? 0) < lastUsedEveryMs) return
    lastUsed.set(key.id, now)
    const update: Promise<void> = context.database
      .transaction((tx) => setKeyLastUsed(tx, portal_id, key.id, isoTime(now)))
      .catch((error) => context.log.warn({ err: error }, 'the last use of a key could not be recorded'))
      .finally(() => updates.delete(update))
    updates.add(update)
  }

  return {
    recognise(authorization) {
      const text = keyTextOf(authorization)
      return text === undefined ? undefined : recognition.portalOf(text)
    },
    authenticate(authorization) {
      const text = keyTextOf(authorization)
      if (text === undefined) throw authenticationRequired()
      const remembered = keys.remembered(text)
      if (remembered !== undefined) return remembered instanceof Promise ? remembered.then(decide) : decide(remembered)
      const environment = environmentOfKey(text)
      if (environment === undefined) throw invalidCredential('invalid_api_key')
      if (environment !== context.config.environment) {
        const message = `Received a ${environment} key. This service accepts only ${context.config.environment} keys.`
        throw invalidCredential('invalid_api_key', [
          { location: 'header', name: 'Authorization', code: 'environment_mismatch', message },
        ])
      }
      return keys.look(text).then(decide)
    },
    async flush() {
      keys.close()
      await Promise.all(updates)
    },
  }
}

function keyTextOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

async function load(context: Context, text: string): Promise<Outcome> {
  const expected = context.vault.hash('api_key_hash', text)
  const row = await findKeyByHash(context.database.read, expected)
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(expected))) return 'unknown'
  if (row.revoked_at !== null) return 'revoked'
  const { config } = context
  return {
    portal_id: row.portal_id,
    portal_name: row.portal_name,
    is_portal_suspended: row.portal_state === 'suspended',
    key: { id: row.id, name: row.name, last4: row.last4, created_at: row.created_at, expires_at: endOfKey(row) },
    grants: new Set(row.grants),
    rate_limits: {
      read: config.rate_limit_read,
      write: config.rate_limit_write,
      heavy: config.rate_limit_heavy,
      ...row.rate_limits,
    },
  }
}
