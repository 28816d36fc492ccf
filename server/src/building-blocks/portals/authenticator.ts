// Keys are remembered for half a second: long enough that a busy key costs two queries a second, short enough that a
// revoked key is refused everywhere within one second. Unknown keys are remembered apart, so that a flood of invented
// ones cannot push out the real ones. Whatever is outdated is forgotten every second: a key that is not in use does not
// stay in memory.
import { timingSafeEqual } from 'node:crypto'
import { isoTime, minute, second } from '../../platform/clock.ts'
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

const rememberedMs = 500
const maximumRemembered = 10_000
const forgetEveryMs = second
const lastUsedEveryMs = minute

type Outcome = Principal | 'unknown' | 'revoked'

interface Remembered {
  until: number
  outcome: Outcome | Promise<Outcome>
}

export function createAuthenticator(context: Context): Authenticator & { flush(): Promise<void> } {
  const known = new Map<string, Remembered>()
  const unknown = new Map<string, Remembered>()
  const lastUsed = new Map<string, number>()
  const updates = new Set<Promise<void>>()
  const recognition = createRecognition()

  const decide = (outcome: Outcome): Principal => {
    if (outcome === 'unknown') throw invalidCredential('invalid_api_key')
    if (outcome === 'revoked') throw invalidCredential('api_key_revoked')
    const { expires_at } = outcome.key
    if (expires_at !== null && Date.parse(expires_at) <= context.clock.now()) throw invalidCredential('api_key_expired')
    noteUse(outcome)
    return outcome
  }

  const forgetting = setInterval(() => {
    const now = performance.now()
    for (const entries of [known, unknown]) {
      for (const [text, { until }] of entries) if (until <= now) entries.delete(text)
    }
  }, forgetEveryMs)
  forgetting.unref()

  /** One query for all requests that ask at once. */
  const look = (text: string): Promise<Outcome> => {
    const entry: Remembered = { until: performance.now() + rememberedMs, outcome: 'unknown' }
    const loading = load(context, text).then(
      (outcome) => {
        entry.outcome = outcome
        if (typeof outcome === 'object') recognition.remember(text, outcome.portal_id)
        else recognition.forget(text)
        if (outcome === 'unknown') {
          known.delete(text)
          keep(unknown, text, entry)
        }
        return outcome
      },
      (error) => {
        known.delete(text)
        throw error
      },
    )
    entry.outcome = loading
    keep(known, text, entry)
    return loading
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
      const entry = known.get(text) ?? unknown.get(text)
      if (entry && entry.until > performance.now()) {
        return entry.outcome instanceof Promise ? entry.outcome.then(decide) : decide(entry.outcome)
      }
      const environment = environmentOfKey(text)
      if (environment === undefined) throw invalidCredential('invalid_api_key')
      if (environment !== context.config.environment) {
        const message = `Received a ${environment} key. This service accepts only ${context.config.environment} keys.`
        throw invalidCredential('invalid_api_key', [
          { location: 'header', name: 'Authorization', code: 'environment_mismatch', message },
        ])
      }
      return look(text).then(decide)
    },
    async flush() {
      clearInterval(forgetting)
      await Promise.all(updates)
    },
  }
}

function keyTextOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/** The oldest makes room for the newest. */
function keep(entries: Map<string, Remembered>, text: string, entry: Remembered): void {
  entries.delete(text)
  const [oldest] = entries.keys()
  if (entries.size >= maximumRemembered && oldest !== undefined) entries.delete(oldest)
  entries.set(text, entry)
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
