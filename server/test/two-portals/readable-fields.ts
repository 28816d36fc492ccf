// All fields that the recipient of a deal can read. Whoever adds one here shows it to another Portal.
//   A value of an answer counts as one field. A field that can be null stands beside those inside it.

const fields = (text: string) => text.trim().split(/\s+/)
const listOf = (record: readonly string[]) => [
  ...record.map((field) => `items[].${field}`),
  'next_cursor',
  'previous_cursor',
]

const deal = fields(`
  amount_approved amount_approved.amount amount_approved.currency amount_funded amount_funded.amount
  amount_funded.currency amount_requested.amount amount_requested.currency application_ids[] assignee
  available_actions[] business.country business.facts business.id business.legal_name business_id created_at
  direction etag expected_close_on external_reference id match_id number outcome outcome.at outcome.kind
  outcome.note outcome.reason_code program_id progress.percent progress.steps[].at progress.steps[].key
  progress.steps[].label progress.steps[].state progress_url project_id recipient.id recipient.kind
  recipient.name sender.name sender.portal_id stage.category stage.key stage.label state state_changed_at title
  updated_at url
`)
const application = fields(`
  acknowledgement acknowledgement.at acknowledgement.reference active_offer_id answers_url attempt
  autofill_runs_url available_actions[] business_id contract_url contract_version created_at deal_id decision
  direction etag expires_at files_url funding funding.amount.amount funding.amount.currency funding.at
  funding.funded_on id information_request information_request.at information_request.due_on
  information_request.id information_request.message information_request.question_keys[] is_submittable
  offers_url open_question_keys open_question_keys[] override program_id progress.answered progress.percent
  progress.required progress.sections[].key progress.sections[].state recipient.id recipient.kind
  recipient.name returned sender.name sender.portal_id state state_changed_at submission.number
  submission.sha256 submission.submitted_at submission.url updated_at url validation_url
`)
const offer = fields(`
  amount.amount amount.currency application_id conditions[] created_at etag expires_at fees[].amount
  fees[].name fees[].percent id kind rate rate.apr rate.kind rate.value repayment repayment.amount
  repayment.frequency repayment.total state state_changed_at term_months updated_at url valid_until
`)
const answer = fields(`
  confirmed etag files_url is_active item_count items_url question_key source source_detail state updated_at
  url value
`)
const item = fields(`
  created_at etag group_key id is_active position updated_at url value_sources.*.confirmed
  value_sources.*.is_active value_sources.*.source value_sources.*.source_detail value_sources.*.state values
`)
const file = fields(`
  content_type created_at etag filename id item_id question_key rejection sha256 size_bytes state updated_at
  url
`)
const event = fields(`
  api_version data.previous_state data.request_id data.resource.id data.resource.type data.resource.url
  data.resource.version data.state environment id portal_id sequence timestamp type
`)
const timelineEntry = fields(`
  actor.key_id actor.name actor.portal_id at from id kind note to
`)
const submission = fields(`
  application_id content.answers[].question_key content.answers[].state content.answers[].value
  content.contract_id content.contract_version content.files[].content_type content.files[].filename
  content.files[].id content.files[].item_id content.files[].question_key content.files[].sha256
  content.files[].size_bytes content.items[].group_key content.items[].id content.items[].position
  content.items[].values number sha256 submitted_at url
`)
const validation = fields(`
  is_submittable
`)

/** By operation. */
export const readable: Readonly<Record<string, readonly string[]>> = {
  'deals.list': listOf(deal),
  'deals.read': deal,
  'deal_applications.list': listOf(application),
  'deal_applications.read': application,
  'offers.list': listOf(offer),
  'offers.read': offer,
  'deal_applications.answers.list': listOf(answer),
  'deal_applications.answers.read': answer,
  'deal_applications.items.list': listOf(item),
  'deal_applications.items.read': item,
  'deal_applications.files.list': listOf(file),
  'deal_applications.files.read': file,
  'events.list': listOf(event),
  'events.read': event,
  'deals.progress': listOf(timelineEntry),
  'deal_applications.submissions.read': submission,
  'deal_applications.validation.read': validation,
}
