// A connection that hears what other processes announce. It may be lost at any time: it comes back by itself, and nobody
// depends on it.
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from '../logging.ts'
import type { Connection } from './database.ts'
import { VersionedClient } from './postgres-version.ts'

export const channel = 'portico_events'
const retryMs = 5000
const longestRetryMs = 60_000
/** Long against the way of a notification. */
const patienceMs = 3000

interface Listening {
  connectionString: string
  /** The setting that it comes from. */
  variable: string
  /** Announces on a channel by the connections that everybody else uses; undefined where these have the same address. */
  announce: ((channel: string) => Promise<unknown>) | undefined
}

/** Past a pooler, to the database that everybody else reaches through it. */
export function pastPooler(connectionString: string | undefined, db: Connection): Listening | undefined {
  if (connectionString === undefined) return undefined
  const announce = (name: string) => sql.raw(`notify ${name}`).execute(db)
  return { connectionString, variable: 'PORTICO_DATABASE_DIRECT_URL', announce }
}

/** What is announced in the one database is not heard in the other. */
export class OtherDatabase extends Error {
  override name = 'OtherDatabase'
}

export function listenOnConnection(listening: Listening, heard: () => void, log: Logger): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let client: pg.Client | undefined
  let isFailing = false
  let refusals = 0
  const { variable } = listening
  const well = () => {
    if (isFailing) log.info({ variable }, 'new events are heard of at once again')
    isFailing = false
    refusals = 0
  }
  /** How long to wait before the next attempt. */
  const failed = (error: unknown): number => {
    if (!isFailing)
      log.warn(
        { err: error, variable },
        `${variable} cannot be used to hear of new events: workers notice them up to one second later; run portico doctor`,
      )
    isFailing = true
    // Many attempts with a wrong password can lock an account.
    return isRefusal(error) ? Math.min(longestRetryMs, retryMs * 2 ** refusals++) : retryMs
  }
  const listen = async () => {
    while (!signal.aborted) {
      let pauseMs = retryMs
      try {
        const next = clientOf(listening)
        client = next
        const lost = new Promise<void>((resolve) => next.once('end', resolve).once('error', () => resolve()))
        await next.connect()
        next.on('notification', (notification) => notification.channel === channel && heard())
        await next.query(`listen ${channel}`)
        await requireSameDatabase(next, listening, lost)
        well()
        await lost
      } catch (error) {
        // Away for now; the look from time to time goes on without it.
        if (!signal.aborted) pauseMs = failed(error)
      }
      client?.end().catch(() => undefined)
      await wait(pauseMs, undefined, { ref: false, signal }).catch(() => undefined)
    }
  }
  void listen()
  return async () => {
    stopping.abort()
    await client?.end().catch(() => undefined)
  }
}

/** Throws what is in the way of hearing. */
export async function tryToListen(listening: Listening): Promise<void> {
  const client = clientOf(listening)
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
    await client.query(`listen ${channel}`)
    await requireSameDatabase(client, listening, lost)
  } finally {
    client.end().catch(() => undefined)
  }
}

function clientOf({ connectionString }: Listening): pg.Client {
  const client = new VersionedClient({
    connectionString,
    application_name: 'portico events',
    connectionTimeoutMillis: 3000,
    // Nothing is ever sent on it: only this tells that the other side is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  return client.on('error', () => undefined)
}

/** Two copies of a database have the same rows, and only what is announced tells them apart. */
async function requireSameDatabase(client: pg.Client, { announce }: Listening, lost: Promise<void>): Promise<void> {
  if (!announce) return
  const own = `portico_check_${randomBytes(8).toString('hex')}`
  const isHeard = new Promise<boolean>((resolve) =>
    client.on('notification', (notification) => notification.channel === own && resolve(true)),
  )
  await client.query(`listen ${own}`)
  const isSaid = await announce(own).then(
    () => true,
    () => false,
  )
  // While the others are away, nothing is known.
  if (isSaid && !(await Promise.race([isHeard, lost.then(() => true), wait(patienceMs, false, { ref: false })])))
    throw new OtherDatabase('it leads to a different database')
  await client.query(`unlisten ${own}`)
}

function isRefusal(error: unknown): boolean {
  if (error instanceof OtherDatabase) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // Role or password, database, rights; a pooler has one code for all of them.
  return /^(28...|3D000|42501|08P01)$/.test(code)
}
