// A write and the memory of its response are one transaction:
//   begin; lock the key or answer 409; remembered? replay or 422; run the command; remember the response; commit; reply.
// What the command reads first is asked for together with the key: see `doAhead`.
// A crash before the commit leaves nothing, a crash after it leaves a replay. Nothing is ever half done or stuck.
// A definitive refusal (404, 409, 412, 422 of a rule) rolls the command back and is then remembered by itself.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { hour, isoTime } from '../clock.ts'
import type { Context } from '../context.ts'
import { compileInsert, compileOnce } from '../database/compiled-query.ts'
import type { Database, Tx } from '../database/database.ts'
import { retryRaces } from '../database/races.ts'
import { doAhead } from '../database/transactions.ts'
import { ApiError } from '../protocol/errors.ts'
import { storedResponseBinding } from '../protocol/stored-responses.ts'
import { counted } from '../values/counted.ts'
import type { Vault } from '../vault.ts'
import type { RenderedResponse } from './respond.ts'

/** What makes two requests the same. */
interface Fingerprint {
  method: string
  path: string
  query: string
  if_match: string
  body_hash: string
}

interface IdempotentRequest extends Fingerprint {
  portal_id: string
  key: string
  request_id: string
}

/** Kept at least this long. Until housekeeping removes a key it is replayed: a clock that jumps ahead runs nothing twice. */
const idempotencyLifetimeMs = 72 * hour

export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = header.length > 2 && header.startsWith('"') && header.endsWith('"') ? header.slice(1, -1) : header
  if (!/^[A-Za-z0-9._:-]{16,255}$/.test(key)) {
    const received = /[^A-Za-z0-9._:-]/.test(key) ? 'a character that is not allowed' : counted(key.length, 'character')
    throw new ApiError('invalid_idempotency_key', {
      details: [
        {
          location: 'header',
          name: 'Idempotency-Key',
          code: 'invalid_format',
          message: `Use 16–255 characters from A–Z a–z 0–9 . _ : -; received ${received}.`,
        },
      ],
    })
  }
  return key
}

export function hashBody(body: Buffer | undefined): string {
  return hash('sha256', body ?? '', 'base64url')
}

export function createIdempotency(context: Context) {
  const { look, recall } = createMemory(context)
  /** Runs `execute` once for this key, whatever happens, and gives every further identical request the first response. */
  return async (
    database: Database,
    request: IdempotentRequest,
    execute: (tx: Tx) => Promise<RenderedResponse>,
    renderRefusal: (error: ApiError) => RenderedResponse,
    /** Done before the transaction, unless the response is known already. */
    prepare?: () => Promise<void>,
  ): Promise<RenderedResponse> => {
    if (prepare) {
      const remembered = await database.transaction(async (tx) => recall(tx, request, await look(tx, request)))
      if (remembered) return remembered
      await prepare()
    }
    const attempt = (run: (tx: Tx) => Promise<RenderedResponse>) =>
      database.transaction(async (tx) => {
        const seen = look(tx, request)
        const isNew = seen.then(({ is_free, is_used }) => {
          if (is_used || !is_free) throw notNew
        })
        let response = await doAhead(tx, isNew, () => run(tx)).catch((error) => {
          if (error !== notNew) throw error
          return undefined
        })
        if (response === undefined) {
          const remembered = await recall(tx, request, await seen)
          if (remembered) return remembered
          response = await run(tx)
        }
        await remember(context, tx, request, response)
        return response
      })
    return retryRaces(database, async () => {
      try {
        return await attempt(execute)
      } catch (error) {
        if (!isDefinitiveRefusal(error)) throw error
        return attempt(async () => renderRefusal(error))
      }
    })
  }
}

/** A key that was used before, or is being used. */
const notNew = new Error('the key is not new')

interface Look {
  is_free: boolean | number
  is_used: number | null
}

function createMemory({ database, vault }: Context) {
  const ask = compileOnce<{ portal_id: string; key: string; lock: string }, Look>((db, { portal_id, key, lock }) => ({
    compile: () =>
      sql<Look>`
        select ${database.tryLock(lock)} as is_free,
          (select 1 from idempotency_keys where portal_id = ${portal_id} and key = ${key}) as is_used
      `.compile(db),
  }))
  /** Whether the key is free for this transaction, and whether it has been used, in one look. */
  const look = async (tx: Tx, { portal_id, key }: IdempotentRequest): Promise<Look> => {
    const [seen] = await ask(tx, { portal_id, key, lock: `idempotency ${portal_id} ${key}` })
    return seen ?? { is_free: false, is_used: null }
  }
  /** The remembered response to this very request; throws when the key is busy or was used for another request. */
  const recall = async (tx: Tx, request: IdempotentRequest, seen: Look): Promise<RenderedResponse | undefined> => {
    // A remembered response is final: it is given even while another replay of it holds the lock.
    const remembered = seen.is_used ? await findRemembered(tx, request.portal_id, request.key) : undefined
    if (remembered) return replay(vault, remembered, request)
    if (!seen.is_free) throw new ApiError('idempotency_key_in_use', { headers: { 'retry-after': '1' } })
    return undefined
  }
  return { look, recall }
}

async function findRemembered(tx: Tx, portalId: string, key: string) {
  return tx
    .selectFrom('idempotency_keys')
    .select(['method', 'path', 'query', 'if_match', 'body_hash', 'request_id', 'status', 'headers', 'sealed_body'])
    .where('portal_id', '=', portalId)
    .where('key', '=', key)
    .executeTakeFirst()
}
type RememberedRow = NonNullable<Awaited<ReturnType<typeof findRemembered>>>

function replay(vault: Vault, row: RememberedRow, request: IdempotentRequest): RenderedResponse {
  const { portal_id, key } = request
  const differs = differences(row, request)
  if (differs.length > 0) {
    throw new ApiError('idempotency_key_reused', {
      details: [
        {
          location: 'header',
          name: 'Idempotency-Key',
          code: 'idempotency_key_reused',
          message: `The first request with this key had a different ${differs.join(', ')}.`,
          meta: { differs },
        },
      ],
    })
  }
  const body = vault.open('idempotent_response', row.sealed_body, storedResponseBinding(portal_id, key))
  if (body === undefined)
    throw new Error(
      'the stored response of an idempotency key cannot be decrypted; check that PORTICO_SECRET_KEY was not changed',
    )
  return {
    status: row.status,
    headers: { ...row.headers, 'idempotent-replayed': 'true', 'original-request-id': row.request_id },
    // An error names the request it answers, and that is this one.
    body: row.status >= 400 ? body.replaceAll(row.request_id, request.request_id) : body,
  }
}

const insertKey = compileInsert('idempotency_keys')

async function remember(
  { vault, clock }: Context,
  tx: Tx,
  request: IdempotentRequest,
  response: RenderedResponse,
): Promise<void> {
  const { portal_id, key, request_id, method, path, query, if_match, body_hash } = request
  const now = clock.now()
  await insertKey(tx, [
    {
      portal_id,
      key,
      method,
      path,
      query,
      if_match,
      body_hash,
      request_id,
      status: response.status,
      headers: JSON.stringify(response.headers),
      sealed_body: vault.seal('idempotent_response', response.body, storedResponseBinding(portal_id, key)),
      created_at: isoTime(now),
      expires_at: isoTime(now + idempotencyLifetimeMs),
    },
  ])
}

function differences(stored: Fingerprint, sent: Fingerprint): string[] {
  const parts = { method: 'method', path: 'path', query: 'query', if_match: 'If-Match', body_hash: 'body' } as const
  // safe because the keys of parts are those of a fingerprint
  return (
    (Object.keys(parts) as (keyof Fingerprint)[])
      // Of what was erased not even the hash of the body is kept.
      .filter((part) => stored[part] !== sent[part] && !(part === 'body_hash' && stored.body_hash === ''))
      .map((part) => parts[part])
  )
}

/** Answers of the command itself, which the same request would get again. Validation is not: a corrected body may use the same key. */
function isDefinitiveRefusal(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    error.status >= 404 &&
    error.status < 429 &&
    error.code !== 'validation_failed' &&
    !notRemembered.has(error.code)
  )
}

const notRemembered = new Set(['idempotency_key_in_use', 'idempotency_key_reused', 'operation_in_progress'])
