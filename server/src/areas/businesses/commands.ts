import { isBeingErased } from '../../building-blocks/peoples-data/queries.ts'
import { AdministrationError } from '../../building-blocks/portals/commands.ts'
import { note } from '../../platform/audit/notes.ts'
import { isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  ApiError,
  bodyDetail,
  type ErrorDetail,
  referenceTaken,
  stateConflict,
  validationFailed,
} from '../../platform/protocol/errors.ts'
import { type IfMatch, preconditionFailed } from '../../platform/protocol/etag.ts'
import { publishOf, requireRow, takeAction } from '../../platform/records/stateful-records.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { newId } from '../../platform/values/ids.ts'
import { sortKey } from '../../platform/values/text-keys.ts'
import { findLeadSource, insertLeadSource, type LeadSourceRow, updateLeadSource } from './lead-source-queries.ts'
import {
  type BusinessRow,
  findBusiness,
  findBusinessByReference,
  findOrigin,
  findSealedTaxId,
  insertBusiness,
  lockBusiness,
  updateBusiness,
} from './queries.ts'
import {
  applyChange,
  blankBusiness,
  businessPath,
  openTaxId,
  stateColumns,
  taxIdColumns,
  toBusiness,
  toColumns,
} from './records.ts'
import { businessProblems } from './rules.ts'
import type { BusinessChange, BusinessInput, leadSourceKinds } from './schema.ts'
import { addBusinessWords, replaceBusinessWords } from './search-queries.ts'
import { indexWords, searchWords, storedWords } from './search-words.ts'
import { businessStates } from './states.ts'

export interface NewLeadSource {
  name: string
  kind: (typeof leadSourceKinds)[number]
  requires_detail: boolean
}

export async function createLeadSource(tx: Tx, caller: Caller, input: NewLeadSource): Promise<string> {
  if (input.name.trim() === '' || input.name.length > 200)
    throw new AdministrationError('The name of a lead source must have 1 to 200 characters.')
  const id = newId('ldsrc')
  const now = isoTime(caller.context.clock.now())
  const row = {
    id,
    version: 1,
    ...input,
    name_sort: sortKey(input.name),
    is_active: true,
    created_at: now,
    updated_at: now,
  }
  await insertLeadSource(tx, caller.portal_id, row)
  await note(tx, caller, { action: 'lead_source.created', resource_id: id })
  return id
}

export async function setLeadSourceActive(tx: Tx, caller: Caller, id: string, is_active: boolean): Promise<void> {
  const isFound = await updateLeadSource(tx, caller.portal_id, id, is_active, isoTime(caller.context.clock.now()))
  if (!isFound)
    throw new AdministrationError(
      `Portal ${caller.portal_id} has no lead source ${id}. To list its lead sources: portico lead-source list --portal ${caller.portal_id}`,
    )
  await note(tx, caller, { action: `lead_source.${is_active ? 'activated' : 'deactivated'}`, resource_id: id })
}

export async function createBusiness(
  tx: Tx,
  caller: Caller,
  { lead_source_id, ...input }: BusinessInput,
): Promise<BusinessRow> {
  const now = isoTime(caller.context.clock.now())
  const problems = businessProblems(input, {
    country: input.country,
    region: input.region ?? null,
    owner_ids: new Set(),
    today: now.slice(0, 10),
  })
  const { external_reference = null } = input
  const origin = await findOrigin(tx, caller.portal_id, lead_source_id, external_reference)
  if (!origin)
    problems.push(
      bodyDetail(
        '/lead_source_id',
        'unknown_reference',
        'This Portal has no lead source with this id. GET /lead-sources/ lists the lead sources.',
      ),
    )
  else problems.push(...detailProblems(origin, input))
  if (problems.length > 0) throw validationFailed(problems)
  if (origin && !origin.is_active) {
    throw new ApiError('lead_source_inactive', {
      details: [
        {
          location: 'body',
          pointer: '/lead_source_id',
          code: 'lead_source_inactive',
          message: 'The lead source must be active. GET /lead-sources/?is_active=true lists the active lead sources.',
        },
      ],
    })
  }
  // A concurrent request with the same reference breaks the unique index; the retry then finds the reference here.
  if (origin?.reference_taken_by) throw taken(caller, origin.reference_taken_by)
  const business = applyChange(blankBusiness(lead_source_id, now), input, now)
  const found = searchWords(business)
  const owned = { portal_id: caller.portal_id, ...taxIdColumns(caller, business.id, input.tax_id ?? null) }
  await insertBusiness(tx, Object.assign(toColumns(business, found), owned))
  await addBusinessWords(tx, caller.portal_id, business.id, indexWords(found))
  await publishOf(tx, caller, businesses, business, 'created')
  return business
}

interface Target {
  business_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/** Writes the fields that were sent. A change without effect makes no new version and no event. */
export async function changeBusiness(
  tx: Tx,
  caller: Caller,
  { change, ...target }: Target & { change: BusinessChange },
): Promise<BusinessRow> {
  const current = await load(tx, caller, target)
  const { event = '' } = businessStates.requireStep(current.state, 'update', 'owner')
  const now = isoTime(caller.context.clock.now())
  const business = applyChange(current, change, now)
  // safe because only owners of the schema's form are ever stored
  const owner_ids = new Set((current.owners as { id: string }[]).map(({ id }) => id))
  const problems = businessProblems(change, {
    country: business.country,
    region: business.region,
    owner_ids,
    today: now.slice(0, 10),
  })
  if (change.lead_source_detail !== undefined) {
    const leadSource = await findLeadSource(tx, caller.portal_id, current.lead_source_id)
    if (leadSource) problems.push(...detailProblems(leadSource, change))
  }
  if (problems.length > 0) throw validationFailed(problems)
  const changes = await changedFields(tx, caller, current, business, change)
  if (changes.length === 0) return current
  if (changes.includes('external_reference')) await requireFreeReference(tx, caller, business.external_reference)
  const found = searchWords(business)
  const columns = { ...toColumns(business, found), ...taxIdColumns(caller, business.id, change.tax_id) }
  if (!(await updateBusiness(tx, caller.portal_id, business.id, business.version, columns))) throw preconditionFailed()
  const words = { ...storedWords(current), after: indexWords(found) }
  await replaceBusinessWords(tx, caller.portal_id, business.id, words)
  const saved = { ...business, version: business.version + 1 }
  await publishOf(tx, caller, businesses, saved, event, { changes })
  return saved
}

export async function archiveBusiness(tx: Tx, caller: Caller, target: Target): Promise<BusinessRow> {
  return takeAction(tx, caller, businesses, await load(tx, caller, target), { action: 'archive', by: 'owner' })
}

export async function restoreBusiness(tx: Tx, caller: Caller, target: Target): Promise<BusinessRow> {
  // Held, so that nobody asks for its erasure at the same moment.
  await lockBusiness(tx, caller.portal_id, target.business_id)
  const business = await load(tx, caller, target)
  if (await isBeingErased(tx, { portal_id: caller.portal_id, business_id: business.id }))
    throw stateConflict(
      'business',
      'restore',
      { state: business.state, available_actions: ['update'] },
      'the business is being erased.',
    )
  return takeAction(tx, caller, businesses, business, { action: 'restore', by: 'owner' })
}

async function load(tx: Tx, caller: Caller, { business_id, ifMatch }: Target): Promise<BusinessRow> {
  return requireRow(await findBusiness(tx, caller.portal_id, business_id), ifMatch)
}

/** A reference that is taken after this check breaks the unique index; the transaction then runs again. */
async function requireFreeReference(tx: Tx, caller: Caller, reference: string | null): Promise<void> {
  const holder = reference === null ? undefined : await findBusinessByReference(tx, caller.portal_id, reference)
  if (holder) throw taken(caller, holder.id)
}

/** The problem with a missing detail, for a lead source that requires one. */
function detailProblems(
  { requires_detail }: Pick<LeadSourceRow, 'requires_detail'>,
  { lead_source_detail }: Pick<BusinessChange, 'lead_source_detail'>,
): ErrorDetail[] {
  if (!requires_detail || Object.values(lead_source_detail ?? {}).some((value) => value !== null)) return []
  const message =
    'lead_source_detail must have at least one of campaign, referrer_name and referral_code: this lead source requires it.'
  return [bodyDetail('/lead_source_detail', 'required', message)]
}

function taken(caller: Caller, holderId: string): ApiError {
  return referenceTaken('business', apiUrl(caller.context.config, businessPath(holderId)))
}

/** The fields that were sent and are different now. */
async function changedFields(
  tx: Tx,
  caller: Caller,
  before: BusinessRow,
  after: BusinessRow,
  change: BusinessChange,
): Promise<string[]> {
  const [was, is] = [before, after].map(
    (row) => new Map<string, unknown>(Object.entries(toBusiness(caller.context, row))),
  )
  const isDifferent = (field: string) => canonicalJson(was?.get(field)) !== canonicalJson(is?.get(field))
  const changed = Object.keys(change).filter((field) => field !== 'tax_id' && isDifferent(field))
  if (change.tax_id === undefined) return changed
  const sealed = await findSealedTaxId(tx, caller.portal_id, before.id)
  return openTaxId(caller, before.id, sealed) === change.tax_id ? changed : [...changed, 'tax_id']
}

const businesses = {
  states: businessStates,
  path: businessPath,
  update: (tx: Tx, { portal_id }: Caller, row: BusinessRow) =>
    updateBusiness(tx, portal_id, row.id, row.version, stateColumns(row)),
  audience: ({ portal_id }: Caller) => [portal_id],
}
