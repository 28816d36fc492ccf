import type { Access } from '../../building-blocks/questionnaires/application-kind.ts'
import {
  completeQuestionnaire,
  loadQuestionnaire,
  mapQuestionnaires,
} from '../../building-blocks/questionnaires/load-questionnaire.ts'
import { paramsOf } from '../../building-blocks/questionnaires/operation-paths.ts'
import type { Questionnaire } from '../../building-blocks/questionnaires/questionnaire.ts'
import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../platform/http/operation.ts'
import { exampleId } from '../../platform/values/fields.ts'
import { roleOf } from '../deals/parties.ts'
import { NoteInput } from '../deals/schema.ts'
import { createApplication, respond, submitApplication, withdrawApplication } from './commands.ts'
import { asSeenBy, dealApplications } from './kind.ts'
import { type ApplicationRow, findVersions, listApplications } from './queries.ts'
import {
  acknowledge,
  cancelApplication,
  declineApplication,
  fund,
  requestInformation,
  returnApplication,
} from './recipient-commands.ts'
import { toApplication } from './records.ts'
import {
  AcknowledgeInput,
  ApplicationInput,
  applicationFilters,
  DealApplication,
  DeclineInput,
  FundInput,
  InformationRequestInput,
  ReturnApplicationInput,
} from './schema.ts'

const { resource } = dealApplications
const read = ['deal_applications:read']
const write = ['deal_applications:write']
const params = paramsOf(dealApplications).application
/** Where the examples find an application that the demo's own Portal sent, or one that it received. */
const inState = (direction: 'sent' | 'received', state: string) => ({
  application_id: { found_in: `${dealApplications.path}?direction=${direction}&state=${state}` },
})
/** What every action on an application has in common. */
const action = {
  method: 'POST',
  resource,
  grant: write,
  params,
  ifMatch: true,
  status: 200,
  response: DealApplication,
} as const

export const dealApplicationOperations: readonly Operation[] = [
  defineWrite({
    id: 'deal_applications.create',
    method: 'POST',
    path: '/deal-applications/',
    resource,
    summary: 'Create a deal application',
    description:
      'Creates an application for the recipient of a deal, with the questions of that recipient. A deal has one open application at a time, and at most 100 in total. When the business has another open application with the same recipient, the request fails with `already_with_recipient` unless `override` is true.',
    grant: write,
    ifMatch: false,
    example_needs: {
      deal_id: { id_prefix: 'deal', found_in: '/deals/?direction=sent&state=open&stage=qualifying&order=updated_at' },
    },
    body: ApplicationInput,
    example: { deal_id: exampleId('deal') },
    status: 201,
    response: DealApplication,
    errors: [
      'already_exists',
      'already_with_recipient',
      'state_conflict',
      'recipient_not_eligible',
      'action_not_granted',
      'limit_reached',
    ],
    write: async (tx, { caller, body }) =>
      toRecord(tx, caller, { application: await createApplication(tx, caller, body) }),
  }),
  defineList({
    id: 'deal_applications.list',
    path: '/deal-applications/',
    resource,
    summary: 'List deal applications',
    description:
      'The applications your Portal prepares and those that were submitted to it, the latest activity first. `direction=received` is the inbox of a recipient. A record that changes during a walk moves to its beginning: to read all of them, send `order=updated_at`, so that it moves to the end and is not missed.',
    grant: read,
    query: applicationFilters,
    item: DealApplication,
    collection: {
      orders: ['updated_at'],
      default_order: '-updated_at',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, query }, page) {
      const found = await listApplications(db, caller.portal_id, query, page)
      const access = found.items.map((row) => accessOf(caller, row))
      const items = await mapQuestionnaires(db, caller, dealApplications, access, findVersions, (one) =>
        toApplication(caller, one),
      )
      return { ...found, items }
    },
  }),
  defineRead({
    id: 'deal_applications.read',
    path: '/deal-applications/{application_id}/',
    resource,
    summary: 'Read a deal application',
    description:
      'Both parties read the application at the same address. The recipient sees it from its first submission on, and its answers as they were last submitted.',
    grant: read,
    params,
    response: DealApplication,
    async read(db, { caller, params }) {
      return toApplication(caller, await loadQuestionnaire(db, caller, dealApplications, params.application_id))
    },
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.submit',
    path: '/deal-applications/{application_id}/submit/',
    summary: 'Submit a deal application',
    description:
      'Submits the current answers and files to the recipient. Only the sender can. From then on the recipient can read them. When answers are missing or invalid, the request fails with `application_incomplete`, and `details` lists the problems.',
    example_needs: inState('sent', 'returned'),
    errors: ['state_conflict', 'application_incomplete', 'recipient_not_eligible', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch }) =>
      toRecord(tx, caller, await submitApplication(tx, caller, { ...params, ifMatch })),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.respond',
    path: '/deal-applications/{application_id}/respond/',
    summary: 'Respond to a request for information',
    description:
      'Submits what was changed since the recipient asked for information. Only the sender can. The answers become the next submission.',
    example_needs: inState('sent', 'information_requested'),
    body: NoteInput,
    example: { note: 'The new statement is attached.' },
    errors: ['state_conflict', 'application_incomplete', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await respond(tx, caller, { ...params, ifMatch }, body?.note)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.withdraw',
    path: '/deal-applications/{application_id}/withdraw/',
    summary: 'Withdraw a deal application',
    description:
      'Withdraws an application that is not decided yet. Only the sender can. The deal stays open and can have a new application. This cannot be undone.',
    example_needs: inState('sent', 'submitted'),
    body: NoteInput,
    example: { note: 'The business chose another recipient.' },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await withdrawApplication(tx, caller, { ...params, ifMatch }, body?.note)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.acknowledge',
    path: '/deal-applications/{application_id}/acknowledge/',
    summary: 'Acknowledge an application',
    description: 'Begins the review of a submitted application. Only the recipient can.',
    example_needs: inState('received', 'submitted'),
    body: AcknowledgeInput,
    example: { reference: 'HL-2026-0017' },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await acknowledge(tx, caller, { ...params, ifMatch }, body?.reference)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.request_information',
    path: '/deal-applications/{application_id}/request-information/',
    summary: 'Request information',
    description:
      'Asks the sender for information. Only the recipient can. The sender can then change the named questions with their items and files, and the questions that their answers can show or make required. Without `question_keys`, the sender can change nothing and only responds. A second request replaces the first.',
    example_needs: inState('received', 'in_review'),
    body: InformationRequestInput,
    example: { message: 'Please explain how you will use the money.' },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await requestInformation(tx, caller, { ...params, ifMatch }, body)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.return',
    path: '/deal-applications/{application_id}/return/',
    summary: 'Return an application',
    description:
      'Returns an application to the sender, who can change the named questions, with their items and files, and submit it again. Only the recipient can.',
    example_needs: inState('received', 'in_review'),
    body: ReturnApplicationInput,
    example: { message: 'Please enter the legal name as registered.', question_keys: ['legal_name'] },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await returnApplication(tx, caller, { ...params, ifMatch }, body)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.decline',
    path: '/deal-applications/{application_id}/decline/',
    summary: 'Decline an application',
    description: 'Declines an application with one to four reasons. Only the recipient can. The deal is lost.',
    example_needs: inState('received', 'in_review'),
    body: DeclineInput,
    example: { reason_codes: ['time_in_business'], note: 'We require 24 months in business.' },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await declineApplication(tx, caller, { ...params, ifMatch }, body)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.cancel',
    path: '/deal-applications/{application_id}/cancel/',
    summary: 'Cancel an application',
    description:
      'Ends an application that will not be decided, such as one received by mistake. Only the recipient can. The deal is lost.',
    example_needs: inState('received', 'in_review'),
    body: NoteInput,
    example: { note: 'Sent twice.' },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await cancelApplication(tx, caller, { ...params, ifMatch }, body?.note)),
  }),
  defineWrite({
    ...action,
    id: 'deal_applications.fund',
    path: '/deal-applications/{application_id}/fund/',
    summary: 'Report the funding of an application',
    description: 'Reports that the money was paid out. Only the recipient can. The deal is won.',
    example_needs: inState('received', 'accepted'),
    body: FundInput,
    example: { amount: { amount: '75000.00', currency: 'USD' }, funded_on: '2026-01-31' },
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await fund(tx, caller, { ...params, ifMatch }, body)),
  }),
]

async function toRecord(
  db: Connection,
  caller: Caller,
  { application, questionnaire }: { application: ApplicationRow; questionnaire?: Questionnaire<ApplicationRow> },
): Promise<DealApplication> {
  const access = accessOf(caller, application)
  const complete = questionnaire ?? (await completeQuestionnaire(db, caller, dealApplications, access))
  return toApplication(caller, { ...complete, ...access })
}

function accessOf({ portal_id, context }: Caller, row: ApplicationRow): Access<ApplicationRow> {
  const role = roleOf(row, portal_id)
  return { application: asSeenBy(context, row, role), role }
}
