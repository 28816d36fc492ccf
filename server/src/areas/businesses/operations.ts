import { mapPage } from '../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../platform/http/operation.ts'
import { idParameter } from '../../platform/http/path-parameter.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { exampleId } from '../../platform/values/fields.ts'
import { archiveBusiness, changeBusiness, createBusiness, restoreBusiness } from './commands.ts'
import { findLeadSource, listLeadSources } from './lead-source-queries.ts'
import { findBusiness, findMatchKeys, listDuplicates } from './queries.ts'
import { toBusiness, toLeadSource, toPossibleDuplicate } from './records.ts'
import {
  Business,
  BusinessChange,
  BusinessInput,
  businessFilters,
  LeadSource,
  leadSourceFilters,
  PossibleDuplicate,
} from './schema.ts'
import { listBusinesses } from './search-queries.ts'

const onBusiness = {
  business_id: idParameter('biz', 'The id of the business.', { found_in: '/businesses/?state=active' }),
}
const onLeadSource = {
  lead_source_id: idParameter('ldsrc', 'The id of the lead source.', {
    found_in: '/lead-sources/?kind=website&is_active=true',
  }),
}
const pageSize = { default: 25, maximum: 100 }

export const businessOperations: readonly Operation[] = [
  defineList({
    id: 'lead_sources.list',
    path: '/lead-sources/',
    resource: 'Lead sources',
    summary: 'List lead sources',
    description:
      'A lead source records where businesses come from. The Portal administrator manages the list. Every new business must name an active lead source.',
    grant: ['businesses:read', 'businesses:write'],
    query: leadSourceFilters,
    item: LeadSource,
    collection: { orders: ['name', 'created_at'], default_order: 'name', page_size: pageSize, backward: true },
    async list(db, { caller, query }, page) {
      return mapPage(await listLeadSources(db, caller.portal_id, query, page), (row) =>
        toLeadSource(caller.context, row),
      )
    },
  }),
  defineRead({
    id: 'lead_sources.read',
    path: '/lead-sources/{lead_source_id}/',
    resource: 'Lead sources',
    summary: 'Read a lead source',
    grant: ['businesses:read', 'businesses:write'],
    params: onLeadSource,
    response: LeadSource,
    async read(db, { caller, params }) {
      const row = await findLeadSource(db, caller.portal_id, params.lead_source_id)
      if (!row) throw new ApiError('not_found')
      return toLeadSource(caller.context, row)
    },
  }),
  defineWrite({
    id: 'businesses.create',
    method: 'POST',
    path: '/businesses/',
    resource: 'Businesses',
    summary: 'Create a business',
    description:
      'The lead source is chosen at creation and cannot be changed later. If another business has the same `external_reference`, the request fails with `already_exists`. This is a second safeguard against duplicates.',
    grant: ['businesses:write'],
    ifMatch: false,
    example_needs: onLeadSource,
    body: BusinessInput,
    example: {
      legal_name: 'Lee Bakery LLC',
      country: 'US',
      lead_source_id: exampleId('ldsrc'),
      region: 'US-CA',
      tax_id: '12-3456789',
      annual_revenue: { amount: '1250000.50', currency: 'USD' },
      owners: [{ first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 }],
    },
    status: 201,
    response: Business,
    errors: ['already_exists', 'lead_source_inactive'],
    write: async (tx, { caller, body }) => toBusiness(caller.context, await createBusiness(tx, caller, body)),
  }),
  defineList({
    id: 'businesses.list',
    path: '/businesses/',
    resource: 'Businesses',
    summary: 'List businesses',
    grant: ['businesses:read'],
    query: businessFilters,
    item: Business,
    collection: {
      orders: ['created_at', 'legal_name'],
      default_order: '-created_at',
      page_size: pageSize,
      backward: true,
    },
    async list(db, { caller, query }, page) {
      return mapPage(await listBusinesses(db, caller.portal_id, query, page), (row) => toBusiness(caller.context, row))
    },
  }),
  defineRead({
    id: 'businesses.read',
    path: '/businesses/{business_id}/',
    resource: 'Businesses',
    summary: 'Read a business',
    grant: ['businesses:read'],
    params: onBusiness,
    response: Business,
    async read(db, { caller, params }) {
      const row = await findBusiness(db, caller.portal_id, params.business_id)
      if (!row) throw new ApiError('not_found')
      return toBusiness(caller.context, row)
    },
  }),
  defineWrite({
    id: 'businesses.change',
    method: 'PATCH',
    path: '/businesses/{business_id}/',
    resource: 'Businesses',
    summary: 'Change a business',
    description:
      'Changes only the fields that are sent. A list or object that is sent replaces the stored one completely.',
    grant: ['businesses:write'],
    params: onBusiness,
    ifMatch: true,
    body: BusinessChange,
    example: { trading_name: 'Lee & Daughters', employee_count: 14 },
    status: 200,
    response: Business,
    errors: ['already_exists'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toBusiness(caller.context, await changeBusiness(tx, caller, { ...params, ifMatch, change: body })),
  }),
  defineWrite({
    id: 'businesses.archive',
    method: 'POST',
    path: '/businesses/{business_id}/archive/',
    resource: 'Businesses',
    summary: 'Archive a business',
    description:
      'Marks a business as archived. Nothing is deleted, and the business can still be read and changed. `restore` makes it active again.',
    grant: ['businesses:write'],
    params: onBusiness,
    ifMatch: true,
    status: 200,
    response: Business,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch }) =>
      toBusiness(caller.context, await archiveBusiness(tx, caller, { ...params, ifMatch })),
  }),
  defineWrite({
    id: 'businesses.restore',
    method: 'POST',
    path: '/businesses/{business_id}/restore/',
    resource: 'Businesses',
    summary: 'Restore an archived business',
    grant: ['businesses:write'],
    params: onBusiness,
    example_needs: { business_id: { found_in: '/businesses/?state=archived' } },
    ifMatch: true,
    status: 200,
    response: Business,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch }) =>
      toBusiness(caller.context, await restoreBusiness(tx, caller, { ...params, ifMatch })),
  }),
  defineList({
    id: 'businesses.possible_duplicates',
    path: '/businesses/{business_id}/possible-duplicates/',
    resource: 'Businesses',
    summary: 'List possible duplicates of a business',
    description:
      'Lists other businesses of the Portal with the same registration number, tax id or name. The list is a hint: Portico never merges or refuses a business because of it.',
    grant: ['businesses:read'],
    params: onBusiness,
    item: PossibleDuplicate,
    collection: { orders: [], default_order: 'id', page_size: pageSize, backward: true },
    async list(db, { caller, params }, page) {
      const keys = await findMatchKeys(db, caller.portal_id, params.business_id)
      if (!keys) throw new ApiError('not_found')
      return mapPage(await listDuplicates(db, caller.portal_id, keys, page), (row) =>
        toPossibleDuplicate(caller.context, keys, row),
      )
    },
  }),
]
