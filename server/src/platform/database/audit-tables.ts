import type { Json } from './json-column.ts'

/** What an entry says, chained or not. It holds ids, names of fields and versions, and never a value of a record. */
interface AuditedChange {
  portal_id: string
  id: string
  action: string
  resource_type: string
  resource_id: string
  resource_version: number | null
  /** Names of fields or parts of the record, never their values. */
  changes: Json<string[]>
  request_id: string | null
  created_at: string
}

/** Rows are only ever added: a trigger of the database refuses everything else. */
export interface AuditLogTable extends AuditedChange {
  sequence: number
  actor_kind: string
  actor_id: string | null
  previous_hash: string
  hash: string
}

/** The last entry of each Portal's chain. The row is the lock of whoever makes it longer. */
export interface AuditHeadsTable {
  portal_id: string
  sequence: number
  hash: string
  /** Up to which number the events of the Portal are in the chain. */
  event_sequence: number
  /** The latest time of an entry, and by how much a later entry had an earlier time, at most. */
  last_at: string | null
  disorder_ms: number
}

/** Changes without an event that wait to be chained. */
export interface AuditNotesTable extends AuditedChange {
  /** `<kind>:<id>` */
  actor: string
}
