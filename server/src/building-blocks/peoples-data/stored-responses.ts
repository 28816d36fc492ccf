// Responses that are kept to be replayed repeat the records they are about. Those of records that are gone are replaced by
// `gone`: a client that sends its request again must neither get the old response nor create the business anew.
import { type Context, docsUrl } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { ApiError, errorBody } from '../../platform/protocol/errors.ts'
import { storedResponseBinding } from '../../platform/protocol/stored-responses.ts'
import { findLiving } from './living-records.ts'

export async function forgetStoredResponses(context: Context, portalId: string, signal?: AbortSignal): Promise<number> {
  let after = ''
  let forgotten = 0
  for (;;) {
    signal?.throwIfAborted()
    const rows = await context.database.read
      .selectFrom('idempotency_keys')
      .select(['key', 'path', 'headers', 'request_id'])
      .where('portal_id', '=', portalId)
      .where('key', '>', after)
      .where('status', '<>', gone.status)
      .orderBy('key')
      .limit(pageSize)
      .execute()
    const named = rows.map((row) => ({
      ...row,
      ids: idsIn(lastingRecords, `${row.path} ${row.headers.location ?? ''}`),
    }))
    const living = await findLiving(context.database.read, portalId, [...new Set(named.flatMap(({ ids }) => ids))])
    const about = named.filter(({ ids }) => ids.some((id) => !living.has(id)))
    const forget = async (tx: Tx) => {
      for (const { key, request_id } of about) {
        const body = JSON.stringify(errorBody(gone, request_id, docsUrl(context.config, '')))
        await tx
          .updateTable('idempotency_keys')
          .set({
            status: gone.status,
            headers: JSON.stringify({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }),
            sealed_body: context.vault.seal('idempotent_response', body, storedResponseBinding(portalId, key)),
            // A short body could be guessed from its hash.
            body_hash: '',
          })
          .where('portal_id', '=', portalId)
          .where('key', '=', key)
          .execute()
      }
    }
    if (about.length > 0) await inTransaction(context.database, forget)
    forgotten += about.length
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return forgotten
    after = last.key
  }
}

/** Jobs for records that are gone would find nothing; what they failed with may repeat what they read. */
export async function forgetJobs(context: Context, portalId: string, keptKind: string): Promise<void> {
  let after = ''
  for (;;) {
    const rows = await context.database.read
      .selectFrom('jobs')
      .select(['id', 'payload'])
      .where('portal_id', '=', portalId)
      .where('kind', '<>', keptKind)
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    const named = rows.map(({ id, payload }) => ({ id, ids: idsIn(workedOnRecords, JSON.stringify(payload)) }))
    const living = await findLiving(context.database.read, portalId, [...new Set(named.flatMap(({ ids }) => ids))])
    const lost = named.filter(({ ids }) => ids.some((id) => !living.has(id))).map(({ id }) => id)
    if (lost.length > 0)
      await inTransaction(context.database, (tx) =>
        tx.deleteFrom('jobs').where('portal_id', '=', portalId).where('id', 'in', lost).execute(),
      )
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    after = last.id
  }
}

/** Records that nothing but an erasure removes. */
const lastingRecords = /\b(?:biz|cia|dap|prj|deal)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
/** Records that jobs are about. */
const workedOnRecords = /\b(?:cia|dap|prj|deal|fil|afr|cal)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

function idsIn(records: RegExp, text: string): string[] {
  return text.match(records) ?? []
}

const gone = new ApiError('gone', { message: 'The record was erased.' })

const pageSize = 500
