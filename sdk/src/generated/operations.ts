// Written by npm run generate from the operations of the server.

export type ApiRoot = { portal: { id: string; name: string }; environment: "staging" | "production"; api_version: "v1"; key: { id: string; name: string; last4: string; created_at: string; expires_at: string | null }; resources: Array<{ name: string; url: string; actions: Array<string> }>; rate_limits: Array<{ name: string; quota: number; window_seconds: number }>; links: { openapi: string; docs: string; llms: string } }

export type OpenApiDocument = { openapi: string }

export type LeadSource = { id: string; url: string; etag: string; created_at: string; updated_at: string; name: string; kind: "referral_partner" | "website" | "event" | "campaign" | "import" | "api" | "manual" | "other"; is_active: boolean; requires_detail: boolean }

export type BusinessInput = { legal_name: string; country: string; lead_source_detail?: LeadSourceDetail | null; trading_name?: string | null; legal_form?: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; region?: string | null; registration_number?: string | null; industry?: Industry | null; founded_on?: string | null; employee_count?: number | null; website?: string | null; email?: string | null; phone?: string | null; annual_revenue?: Money | null; external_reference?: string | null; tax_id?: string | null; owners?: Array<OwnerInput>; addresses?: Array<Address>; consents?: Array<Consent>; do_not_contact?: boolean; tags?: Array<string>; metadata?: Record<string, string>; lead_source_id: string }

export type LeadSourceDetail = { campaign?: string | null; referrer_name?: string | null; referral_code?: string | null }

export type Industry = { system: "naics_2022" | "sic_2007" | "nace_2"; code: string }

export type Money = { amount: string; currency: string }

export type OwnerInput = { id?: string; first_name: string; last_name: string; email?: string | null; phone?: string | null; role?: string | null; ownership_percent?: number | null }

export type Address = { kind: "registered" | "trading" | "mailing" | "other"; line1: string; line2?: string | null; city: string; region?: string | null; postal_code?: string | null; country: string }

export type Consent = { kind: "data_processing" | "data_sharing" | "credit_check" | "marketing_email" | "marketing_phone" | "electronic_records" | "other"; granted: boolean; granted_at?: string | null; text_version?: string | null }

export type Business = { id: string; url: string; etag: string; created_at: string; updated_at: string; state: "active" | "archived"; state_changed_at: string; available_actions: Array<"update" | "archive" | "restore">; legal_name: string; country: string; lead_source_id: string; lead_source_detail: LeadSourceDetail | null; trading_name: string | null; legal_form: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; region: string | null; registration_number: string | null; industry: Industry | null; founded_on: string | null; employee_count: number | null; website: string | null; email: string | null; phone: string | null; annual_revenue: Money | null; external_reference: string | null; tax_id_last4: string | null; owners: Array<Owner>; addresses: Array<Address>; consents: Array<Consent>; do_not_contact: boolean; tags: Array<string>; metadata: Record<string, string>; possible_duplicates_url: string }

export type Owner = { id: string; first_name: string; last_name: string; email?: string | null; phone?: string | null; role?: string | null; ownership_percent?: number | null }

export type BusinessChange = { legal_name?: string; country?: string; lead_source_detail?: LeadSourceDetail | null; trading_name?: string | null; legal_form?: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; region?: string | null; registration_number?: string | null; industry?: Industry | null; founded_on?: string | null; employee_count?: number | null; website?: string | null; email?: string | null; phone?: string | null; annual_revenue?: Money | null; external_reference?: string | null; tax_id?: string | null; owners?: Array<OwnerInput>; addresses?: Array<Address>; consents?: Array<Consent>; do_not_contact?: boolean; tags?: Array<string>; metadata?: Record<string, string> }

export type PossibleDuplicate = { business_id: string; url: string; reasons: Array<"same_registration_number" | "same_tax_id" | "same_name"> }

export type Contract = { id: string; url: string; etag: string; created_at: string; updated_at: string; kind: "client_intake" | "deal_application"; key: string; version: number; title: string; locale: string; sections: Array<{ key: string; title: string; visible_when?: Record<string, unknown> }>; questions: Array<{ key: string; label: string; help?: string; required?: boolean; required_when?: Record<string, unknown>; visible_when?: Record<string, unknown>; sensitivity?: "normal" | "personal" | "restricted"; validation?: { min_length?: number; max_length?: number; pattern?: string; min?: number | string; max?: number | string; multiple_of?: number; min_date?: string; max_date?: string; min_items?: number; max_items?: number; accept?: Array<string>; max_bytes?: number; min_files?: number; max_files?: number; unique_in_group?: boolean }; options?: Array<{ value: string; label: string }>; option_set?: string; allow_other?: boolean; maps_to?: string; autofill?: { sources: Array<"business" | "previous_applications" | "project" | "documents" | "provider"> }; section: string; type: "text" | "long_text" | "boolean" | "integer" | "decimal" | "money" | "percent" | "date" | "year_month" | "email" | "phone" | "url" | "single_choice" | "multi_choice" | "address" | "country" | "region" | "industry" | "identifier" | "file" | "declaration" | "group" | "display"; repeat?: { min: number; max: number; item_label: string }; questions?: Array<{ key: string; label: string; help?: string; required?: boolean; required_when?: Record<string, unknown>; visible_when?: Record<string, unknown>; sensitivity?: "normal" | "personal" | "restricted"; validation?: { min_length?: number; max_length?: number; pattern?: string; min?: number | string; max?: number | string; multiple_of?: number; min_date?: string; max_date?: string; min_items?: number; max_items?: number; accept?: Array<string>; max_bytes?: number; min_files?: number; max_files?: number; unique_in_group?: boolean }; options?: Array<{ value: string; label: string }>; option_set?: string; allow_other?: boolean; maps_to?: string; autofill?: { sources: Array<"business" | "previous_applications" | "project" | "documents" | "provider"> }; type: "text" | "long_text" | "boolean" | "integer" | "decimal" | "money" | "percent" | "date" | "year_month" | "email" | "phone" | "url" | "single_choice" | "multi_choice" | "address" | "country" | "region" | "industry" | "identifier" | "file" | "declaration" | "display" }> }>; option_sets: Record<string, Array<{ value: string; label: string }>>; schema_url: string }

export type AnswerSchema = { $schema: string; $id: string; title: string; type: "object"; additionalProperties: false; properties: Record<string, unknown>; $defs: Record<string, unknown> }

export type Event = { id: string; type: string; timestamp: string; api_version: "v1"; portal_id: string; environment: "staging" | "production"; sequence: number; data: { resource: { type: string; id: string; url: string; version: number }; state?: string; previous_state?: string; changes?: Array<string>; request_id?: string } }

/** What each operation takes and gives. */
export interface Operations {
  'root.read': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: undefined
    response: ApiRoot
  }
  'root.openapi': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: undefined
    response: OpenApiDocument
  }
  'lead_sources.list': {
    params: Record<never, string>
    query: { kind?: "referral_partner" | "website" | "event" | "campaign" | "import" | "api" | "manual" | "other"; is_active?: boolean; cursor?: string; page_size?: number; order?: "name" | "-name" | "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<LeadSource>; next_cursor: string | null; previous_cursor: string | null }
  }
  'lead_sources.read': {
    params: { lead_source_id: string }
    query: Record<never, unknown>
    body: undefined
    response: LeadSource
  }
  'businesses.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: BusinessInput
    response: Business
  }
  'businesses.list': {
    params: Record<never, string>
    query: { state?: "active" | "archived"; lead_source_id?: string; external_reference?: string; country?: string; search?: string; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" | "legal_name" | "-legal_name" }
    body: undefined
    response: { items: Array<Business>; next_cursor: string | null; previous_cursor: string | null }
  }
  'businesses.read': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Business
  }
  'businesses.change': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: BusinessChange
    response: Business
  }
  'businesses.archive': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Business
  }
  'businesses.restore': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Business
  }
  'businesses.possible_duplicates': {
    params: { business_id: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<PossibleDuplicate>; next_cursor: string | null; previous_cursor: string | null }
  }
  'contracts.read': {
    params: { contract_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Contract
  }
  'contracts.schema': {
    params: { contract_id: string }
    query: Record<never, unknown>
    body: undefined
    response: AnswerSchema
  }
  'events.list': {
    params: Record<never, string>
    query: { type?: string; resource_id?: string; sequence_after?: number; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "sequence" | "-sequence" }
    body: undefined
    response: { items: Array<Event>; next_cursor: string | null; previous_cursor: string | null }
  }
  'events.read': {
    params: { event_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Event
  }
}

export const routes = {
  'root.read': { method: 'GET', path: '/' },
  'root.openapi': { method: 'GET', path: '/openapi.json' },
  'lead_sources.list': { method: 'GET', path: '/lead-sources/' },
  'lead_sources.read': { method: 'GET', path: '/lead-sources/{lead_source_id}/' },
  'businesses.create': { method: 'POST', path: '/businesses/' },
  'businesses.list': { method: 'GET', path: '/businesses/' },
  'businesses.read': { method: 'GET', path: '/businesses/{business_id}/' },
  'businesses.change': { method: 'PATCH', path: '/businesses/{business_id}/' },
  'businesses.archive': { method: 'POST', path: '/businesses/{business_id}/archive/' },
  'businesses.restore': { method: 'POST', path: '/businesses/{business_id}/restore/' },
  'businesses.possible_duplicates': { method: 'GET', path: '/businesses/{business_id}/possible-duplicates/' },
  'contracts.read': { method: 'GET', path: '/contracts/{contract_id}/' },
  'contracts.schema': { method: 'GET', path: '/contracts/{contract_id}/schema.json' },
  'events.list': { method: 'GET', path: '/events/' },
  'events.read': { method: 'GET', path: '/events/{event_id}/' },
} as const
