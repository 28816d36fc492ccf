// Changes that no event tells of are noted in their own transaction, and chained afterwards like events (chain.ts).
import { isoTime } from '../clock.ts'
import type { Caller } from '../context.ts'
import { compileInsert } from '../database/compiled-query.ts'
import type { Tx } from '../database/database.ts'
import { newId, recordTypeOf } from '../values/ids.ts'
import { actorText } from './actors.ts'

interface NewNote {
  /** The id of the operation, or `<type>.<past verb>` as events have it. */
  action: string
  /** The id of the record. What it is can be told from its prefix. */
  resource_id: string
  version?: number
  /** Names of fields or parts of the record that changed. Never their values: entries stay when records are erased. */
  changes?: readonly string[]
}

const insertNotes = compileInsert('audit_notes')

export async function note(tx: Tx, caller: Caller, { action, resource_id, version, changes }: NewNote): Promise<void> {
  await insertNotes(tx, [
    {
      portal_id: caller.portal_id,
      id: newId('aud'),
      created_at: isoTime(caller.context.clock.now()),
      actor: actorText(caller),
      action,
      resource_type: recordTypeOf(resource_id),
      resource_id,
      resource_version: version ?? null,
      changes: JSON.stringify(changes ?? []),
      request_id: caller.request_id,
    },
  ])
}

/** The records that events of a transaction tell of: about these nothing more is noted. */
const told = new WeakMap<Tx, string[]>()

export function rememberTold(tx: Tx, resourceId: string): void {
  const ids = told.get(tx)
  if (ids) ids.push(resourceId)
  else told.set(tx, [resourceId])
}

export function isTold(tx: Tx, resourceIds: readonly string[]): boolean {
  return told.get(tx)?.some((id) => resourceIds.includes(id)) ?? false
}
