// The tables of businesses, where they come from and the words they are found by.
import type { Generated } from 'kysely'
import type { Json } from './json-column.ts'

export interface LeadSourcesTable {
  portal_id: string
  id: string
  version: number
  name: string
  name_sort: string
  kind: string
  is_active: boolean
  requires_detail: boolean
  created_at: string
  updated_at: string
}

export interface BusinessesTable {
  portal_id: string
  id: string
  version: number
  /** The states of a record are the table of its room. */
  state: string
  state_changed_at: string
  legal_name: string
  name_sort: string
  name_match: string | null
  country: string
  lead_source_id: string
  lead_source_detail: Json<{
    campaign: string | null
    referrer_name: string | null
    referral_code: string | null
  } | null> | null
  trading_name: string | null
  legal_form: string | null
  region: string | null
  registration_number: string | null
  search_text: Generated<string>
  registration_match: string | null
  tax_id_sealed: string | null
  tax_id_hash: string | null
  tax_id_last4: string | null
  industry_system: string | null
  industry_code: string | null
  founded_on: string | null
  employee_count: number | null
  website: string | null
  email: string | null
  phone: string | null
  addresses: Json<unknown[]>
  annual_revenue_minor: number | null
  annual_revenue_currency: string | null
  owners: Json<unknown[]>
  consents: Json<unknown[]>
  do_not_contact: boolean
  tags: Json<string[]>
  metadata: Json<Record<string, string>>
  external_reference: string | null
  created_at: string
  updated_at: string
}

export interface BusinessWordsTable {
  portal_id: string
  word: string
  business_id: string
}
