// Between what the table holds and what callers get. A programme looks the same to everybody, except for what is its
// owner's own: the external reference and the actions.
import { apiUrl, type Caller } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import type { ProgramRecord } from './queries.ts'
import type { FundingProgram } from './schema.ts'
import { programStates } from './states.ts'

export function programPath(id: string): string {
  return `/funding-programs/${id}/`
}

export function toProgram({ context, portal_id }: Caller, row: ProgramRecord): FundingProgram {
  const isOwn = row.portal_id === portal_id
  const record = {
    id: row.id,
    url: apiUrl(context.config, programPath(row.id)),
    etag: etagOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    recipient_id: row.recipient_id,
    status: row.state,
    status_changed_at: row.state_changed_at,
    available_actions: isOwn ? programStates.availableActions(row.state, 'owner') : [],
    name: row.name,
    funding_type: row.funding_type,
    summary: row.summary,
    opens_on: row.opens_on,
    closes_on: row.closes_on,
    amount: row.amount,
    term_months: row.term_months,
    rate: row.rate,
    time_to_fund_days: row.time_to_fund_days,
    fees: row.fees,
    required_documents: row.required_documents,
    eligibility: row.eligibility.map(({ id, criterion, operator, value, effect, weight, when, message, remedy }) => ({
      ...{ id, criterion, operator, value, effect, weight },
      ...{ when: when ?? null, message: message ?? null, remedy: remedy ?? null },
    })),
    external_reference: isOwn ? row.external_reference : null,
    version: row.version,
  }
  // safe because the columns hold only what has passed the schema of the input
  return record as unknown as FundingProgram
}
