// Between what callers send, what the table holds and what callers get: pure, so that a record looks the same
// in the response of a write and in every later read.
import type { Insertable } from 'kysely'
import { apiUrl, type Caller, type Context } from '../../platform/context.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import { newId } from '../../platform/values/ids.ts'
import { fromMinorUnits, toMinorUnits } from '../../platform/values/money.ts'
import { companyNameKey, numberKey, sortKey } from '../../platform/values/text-keys.ts'
import type { LeadSourceRow } from './lead-source-queries.ts'
import type { BusinessRow, MatchKeys } from './queries.ts'
import type { Business, BusinessChange, LeadSource, PossibleDuplicate } from './schema.ts'
import { searchText, searchWords } from './search-words.ts'
import { businessStates } from './states.ts'

export function businessPath(id: string): string {
  return `/businesses/${id}/`
}

export function toLeadSource({ config }: Context, row: LeadSourceRow): LeadSource {
  const { id, created_at, updated_at, name, kind, is_active, requires_detail } = row
  return {
    id,
    url: apiUrl(config, `/lead-sources/${id}/`),
    etag: etagOf(row),
    created_at,
    updated_at,
    name,
    // safe because only these kinds are ever inserted
    kind: kind as LeadSource['kind'],
    is_active,
    requires_detail,
  }
}

export function toBusiness({ config }: Context, row: BusinessRow): Business {
  const url = apiUrl(config, businessPath(row.id))
  const record = {
    id: row.id,
    url,
    etag: etagOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: businessStates.availableActions(row.state, 'owner'),
    legal_name: row.legal_name,
    country: row.country,
    lead_source_id: row.lead_source_id,
    lead_source_detail: row.lead_source_detail,
    trading_name: row.trading_name,
    legal_form: row.legal_form,
    region: row.region,
    registration_number: row.registration_number,
    industry: row.industry_system === null ? null : { system: row.industry_system, code: row.industry_code },
    founded_on: row.founded_on,
    employee_count: row.employee_count,
    website: row.website,
    email: row.email,
    phone: row.phone,
    annual_revenue:
      row.annual_revenue_minor === null
        ? null
        : fromMinorUnits(row.annual_revenue_minor, row.annual_revenue_currency ?? ''),
    external_reference: row.external_reference,
    tax_id_last4: row.tax_id_last4,
    owners: row.owners,
    addresses: row.addresses,
    consents: row.consents,
    do_not_contact: row.do_not_contact,
    tags: row.tags,
    metadata: row.metadata,
    possible_duplicates_url: `${url}possible-duplicates/`,
  }
  // safe because the columns hold only what has passed the schema of the input
  return record as unknown as Business
}

/** A business before anybody has said anything about it. */
export function blankBusiness(lead_source_id: string, now: string): BusinessRow {
  return {
    id: newId('biz'),
    version: 1,
    state: businessStates.initial,
    state_changed_at: now,
    legal_name: '',
    name_sort: '',
    country: '',
    lead_source_id,
    lead_source_detail: null,
    trading_name: null,
    legal_form: null,
    region: null,
    registration_number: null,
    tax_id_last4: null,
    industry_system: null,
    industry_code: null,
    founded_on: null,
    employee_count: null,
    website: null,
    email: null,
    phone: null,
    addresses: [],
    annual_revenue_minor: null,
    annual_revenue_currency: null,
    owners: [],
    consents: [],
    do_not_contact: false,
    tags: [],
    metadata: {},
    external_reference: null,
    created_at: now,
    updated_at: now,
  }
}

/** The record as it is after a change. Every field that was sent replaces what was there. */
export function applyChange(row: BusinessRow, change: BusinessChange, now: string): BusinessRow {
  const { industry, annual_revenue, owners, consents, addresses, lead_source_detail, tax_id, tags, ...plain } = change
  const changed: BusinessRow = { ...row, ...plain, updated_at: now }
  changed.name_sort = sortKey(changed.legal_name)
  if (tax_id !== undefined) changed.tax_id_last4 = tax_id && (numberKey(tax_id)?.slice(-4).toUpperCase() ?? null)
  if (tags !== undefined) changed.tags = [...new Set(tags)]
  if (industry !== undefined) {
    changed.industry_system = industry?.system ?? null
    changed.industry_code = industry?.code ?? null
  }
  if (annual_revenue !== undefined) {
    changed.annual_revenue_minor = annual_revenue && (toMinorUnits(annual_revenue) ?? null)
    changed.annual_revenue_currency = annual_revenue?.currency ?? null
  }
  if (lead_source_detail !== undefined) {
    changed.lead_source_detail = lead_source_detail && {
      campaign: null,
      referrer_name: null,
      referral_code: null,
      ...lead_source_detail,
    }
  }
  if (owners !== undefined) {
    changed.owners = owners.map(({ id = newId('own'), ...owner }) => ({
      id,
      ...{ first_name: '', last_name: '', email: null, phone: null, role: null, ownership_percent: null },
      ...owner,
    }))
  }
  if (addresses !== undefined) {
    changed.addresses = addresses.map((address) => ({
      kind: address.kind,
      line1: address.line1,
      line2: address.line2 ?? null,
      city: address.city,
      region: address.region ?? null,
      postal_code: address.postal_code ?? null,
      country: address.country,
    }))
  }
  if (consents !== undefined) {
    changed.consents = consents.map(({ kind, granted, granted_at, text_version }) => ({
      kind,
      granted,
      granted_at: granted_at ? new Date(granted_at).toISOString() : granted ? now : null,
      text_version: text_version ?? null,
    }))
  }
  return changed
}

/**
 * The columns of a record: JSON as text, and the keys it is sorted and compared by. Written out, because copies of
 * rows with something added are slow to make.
 */
export function toColumns(
  row: BusinessRow,
  words: readonly string[] = searchWords(row),
): Omit<Insertable<Tables['businesses']>, 'portal_id' | 'tax_id_sealed' | 'tax_id_hash'> {
  const { lead_source_detail, addresses, owners, consents, tags, metadata } = row
  return {
    id: row.id,
    version: row.version,
    state: row.state,
    state_changed_at: row.state_changed_at,
    legal_name: row.legal_name,
    name_sort: row.name_sort,
    country: row.country,
    lead_source_id: row.lead_source_id,
    trading_name: row.trading_name,
    legal_form: row.legal_form,
    region: row.region,
    registration_number: row.registration_number,
    tax_id_last4: row.tax_id_last4,
    industry_system: row.industry_system,
    industry_code: row.industry_code,
    founded_on: row.founded_on,
    employee_count: row.employee_count,
    website: row.website,
    email: row.email,
    phone: row.phone,
    annual_revenue_minor: row.annual_revenue_minor,
    annual_revenue_currency: row.annual_revenue_currency,
    do_not_contact: row.do_not_contact,
    external_reference: row.external_reference,
    created_at: row.created_at,
    updated_at: row.updated_at,
    lead_source_detail: lead_source_detail && JSON.stringify(lead_source_detail),
    addresses: JSON.stringify(addresses),
    owners: JSON.stringify(owners),
    consents: JSON.stringify(consents),
    tags: JSON.stringify(tags),
    metadata: JSON.stringify(metadata),
    name_match: companyNameKey(row.legal_name),
    registration_match: row.registration_number && numberKey(row.registration_number),
    search_text: searchText(words),
  }
}

/** What an action changes: the state, and nothing of what the record says. */
export function stateColumns({ state, state_changed_at, updated_at }: BusinessRow) {
  return { state, state_changed_at, updated_at }
}

/** The tax id as it is kept: sealed to this record, and as a keyed hash that finds the same id elsewhere in the Portal. */
export function taxIdColumns(caller: Caller, businessId: string, tax_id: string | null | undefined) {
  if (tax_id === undefined) return {}
  if (tax_id === null) return { tax_id_sealed: null, tax_id_hash: null }
  const { vault } = caller.context
  return {
    tax_id_sealed: vault.seal('tax_id', tax_id, `${caller.portal_id} ${businessId}`),
    tax_id_hash: vault.hash('tax_id_hash', `${caller.portal_id} ${numberKey(tax_id)}`),
  }
}

/** The tax id a business has; null when it has none. */
export function openTaxId(caller: Caller, businessId: string, sealed: string | null): string | null {
  if (sealed === null) return null
  return caller.context.vault.open('tax_id', sealed, `${caller.portal_id} ${businessId}`) ?? null
}

export function toPossibleDuplicate({ config }: Context, own: MatchKeys, other: MatchKeys): PossibleDuplicate {
  const isSameCountry = other.country === own.country
  const reasons: PossibleDuplicate['reasons'] = []
  if (own.registration_match !== null && other.registration_match === own.registration_match && isSameCountry)
    reasons.push('same_registration_number')
  if (own.tax_id_hash !== null && other.tax_id_hash === own.tax_id_hash) reasons.push('same_tax_id')
  if (own.name_match !== null && other.name_match === own.name_match && isSameCountry) reasons.push('same_name')
  return { business_id: other.id, url: apiUrl(config, businessPath(other.id)), reasons }
}
