// Every stored value that is sealed, with what it is bound to: what a rotation of the secret key has to seal again.
// Cursors and transfer credentials are not stored; they are opened by the key they name until they expire.
import type { primaryKeys } from '../database/tables.ts'
import type { SealedPurpose } from '../vault.ts'

export interface SealedColumn {
  table: keyof typeof primaryKeys
  column: string
  purpose: SealedPurpose
  /** The columns whose values it is bound to, in this order. */
  boundTo: readonly string[]
  /** `list`: a JSON list of members with `sealed`. `json`: the text as JSON. */
  form: 'text' | 'json' | 'list'
  /** The only rows in which the column is sealed. */
  only?: { column: string; value: string | boolean }
}

const webhook = { table: 'webhooks', purpose: 'webhook_secret', boundTo: ['portal_id', 'id'] } as const
const answer = { purpose: 'answer', form: 'text', only: { column: 'is_sealed', value: true } } as const

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'businesses', column: 'tax_id_sealed', purpose: 'tax_id', boundTo: ['portal_id', 'id'], form: 'text' },
  { ...answer, table: 'answers', column: 'value', boundTo: ['portal_id', 'application_id', 'question_key'] },
  { ...answer, table: 'answer_items', column: 'content', boundTo: ['portal_id', 'application_id', 'id'] },
  {
    table: 'submissions',
    column: 'sealed_content',
    purpose: 'submission',
    boundTo: ['portal_id', 'application_id', 'number'],
    form: 'text',
  },
  { table: 'autofill_runs', column: 'sealed_outcome', purpose: 'autofill', boundTo: ['portal_id', 'id'], form: 'text' },
  {
    table: 'portal_settings',
    column: 'value',
    purpose: 'autofill',
    boundTo: ['portal_id'],
    form: 'json',
    only: { column: 'name', value: 'autofill_provider' },
  },
  { ...webhook, column: 'sealed_secret', form: 'text' },
  { ...webhook, column: 'sealed_previous_secret', form: 'text' },
  { ...webhook, column: 'older_secrets', form: 'list' },
  { ...webhook, column: 'sealed_challenge', purpose: 'webhook_challenge', form: 'text' },
  {
    table: 'idempotency_keys',
    column: 'sealed_body',
    purpose: 'idempotent_response',
    boundTo: ['portal_id', 'key'],
    form: 'text',
  },
]
