import { recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import { dealPath, viewOf } from './kind.ts'
import { partiesOf, type Role, roleOf } from './parties.ts'
import { progressOf } from './progress.ts'
import type { DealRow } from './queries.ts'
import type { Deal, SharedBusiness } from './schema.ts'
import { dealObstacle, dealStates } from './states.ts'
import type { DisclosureRow, TimelineRow } from './timeline-queries.ts'
import type { Disclosure, TimelineEntry } from './timeline-schema.ts'

/** A deal as the caller's Portal sees it: what both parties share, and its own notes. */
export function toDeal({ context, portal_id }: Caller, deal: DealRow): Deal {
  const role = roleOf(deal, portal_id)
  const url = apiUrl(context.config, dealPath(deal.id))
  const { received } = deal
  const own = role === 'recipient' && received ? received : deal
  const view = viewOf(deal, role)
  const stage = { key: deal.stage_key, label: deal.stage_label, category: deal.stage_category }
  return {
    id: deal.id,
    url,
    etag: etagOf(view),
    created_at: deal.created_at,
    updated_at: view.updated_at,
    number: own.number,
    state: deal.state,
    state_changed_at: deal.state_changed_at,
    available_actions: [...dealStates.availableActions(deal.state, partiesOf[role], dealObstacle(deal))],
    direction: role === 'recipient' ? 'received' : 'sent',
    title: deal.title,
    // safe because only this form is ever stored
    business: { id: deal.business_id, ...(deal.shared_business as Omit<SharedBusiness, 'id'>) },
    recipient: { id: recipientIdOf(deal.recipient_portal_id), name: deal.recipient_name, kind: deal.recipient_kind },
    sender: { portal_id: deal.portal_id, name: deal.sender_name },
    business_id: deal.business_id,
    project_id: role === 'recipient' ? null : deal.project_id,
    match_id: role === 'recipient' ? null : deal.match_id,
    program_id: deal.program_id,
    amount_requested: deal.amount_requested,
    amount_approved: deal.amount_approved,
    amount_funded: deal.amount_funded,
    stage,
    progress: progressOf(deal),
    outcome: outcomeFor(role, deal),
    application_ids: own.application_ids,
    expected_close_on: deal.expected_close_on,
    external_reference: own.external_reference,
    assignee: role === 'sender' ? null : own.assignee,
    tags: own.tags,
    metadata: own.metadata,
    progress_url: `${url}progress/`,
  }
}

/** How it ended. That a draft expired is nobody's business but the sender's. */
function outcomeFor(role: Role, { outcome }: DealRow): Deal['outcome'] {
  // Only drafts expire, so the recipient never saw the one that did, whatever it had seen before.
  const isHidden = role === 'recipient' && outcome?.reason_code === 'application_expired'
  // safe because only these outcomes are ever stored
  const shown = outcome as Deal['outcome']
  return isHidden && shown ? { ...shown, reason_code: null } : shown
}

export function toTimelineEntry({ portal_id }: Caller, deal: DealRow, row: TimelineRow): TimelineEntry {
  const { actor_portal_id } = row
  const names = new Map([
    [deal.recipient_portal_id, deal.recipient_name],
    [deal.portal_id, deal.sender_name],
  ])
  return {
    id: row.id,
    at: row.at,
    kind: row.kind,
    actor: {
      portal_id: actor_portal_id,
      name: (actor_portal_id !== null && names.get(actor_portal_id)) || 'Portico',
      // A key is known to its own Portal, and to nobody else.
      key_id: actor_portal_id === portal_id ? row.actor_key_id : null,
    },
    from: row.from_value,
    to: row.to_value,
    note: row.note,
  }
}

export function toDisclosure(row: DisclosureRow): Disclosure {
  const { id, at, application_id, submission_number, facts, question_keys, file_ids } = row
  const recipient_id = recipientIdOf(row.recipient_portal_id)
  return { id, at, recipient_id, application_id, submission_number, facts, question_keys, file_ids }
}
