// The tables of what was erased: ids, and nothing of the businesses themselves.
import type { Json } from './json-column.ts'

export interface ErasuresTable {
  portal_id: string
  id: string
  business_id: string
  state: 'pending' | 'completed'
  scope: Json<{ recipients: boolean; funded: boolean }>
  reason: string | null
  /** How many rows and files went, and how many deals were kept. */
  counts: Json<Record<string, number>>
  requested_at: string
  completed_at: string | null
}

/** Files of erased businesses: a copy of the file directory that is restored later may bring them back. */
export interface ErasedFilesTable {
  portal_id: string
  business_id: string
  id: string
}
