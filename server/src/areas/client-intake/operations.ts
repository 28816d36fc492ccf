import {
  completeQuestionnaire,
  loadQuestionnaire,
  mapQuestionnaires,
} from '../../building-blocks/questionnaires/load-questionnaire.ts'
import { paramsOf } from '../../building-blocks/questionnaires/operation-paths.ts'
import { ReturnInput } from '../../building-blocks/questionnaires/submissions/schema.ts'
import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../platform/http/operation.ts'
import type { ExampleSource } from '../../platform/http/path-parameter.ts'
import { exampleId } from '../../platform/values/fields.ts'
import { changeIntake, createIntake, decideIntake, returnIntake, submitIntake, withdrawIntake } from './commands.ts'
import { clientIntake, ownedBy } from './kind.ts'
import { findVersions, type IntakeRow, listIntakes } from './queries.ts'
import { toIntake } from './records.ts'
import {
  ClientIntakeApplication,
  ClientIntakeApplicationChange,
  ClientIntakeApplicationInput,
  DecisionInput,
  intakeFilters,
} from './schema.ts'

const { resource } = clientIntake
const read = ['client_intake_applications:read']
const write = ['client_intake_applications:write']
const review = ['client_intake_applications:review']
const params = paramsOf(clientIntake).application
const inState = (state: string): Record<'application_id', ExampleSource> => ({
  application_id: { found_in: `${clientIntake.path}?state=${state}` },
})

export const clientIntakeOperations: readonly Operation[] = [
  defineWrite({
    id: 'client_intake_applications.create',
    method: 'POST',
    path: '/client-intake-applications/',
    resource,
    summary: 'Create a client intake application',
    description:
      'Creates an application for a business. The application keeps the contract version it was created with; read its questions at `contract_url`.',
    grant: write,
    ifMatch: false,
    example_needs: { business_id: { id_prefix: 'biz', found_in: '/businesses/?state=active' } },
    body: ClientIntakeApplicationInput,
    example: { business_id: exampleId('biz'), title: 'Loan for a second oven' },
    status: 201,
    response: ClientIntakeApplication,
    errors: ['already_exists', 'state_conflict'],
    write: async (tx, { caller, body }) => toRecord(tx, caller, await createIntake(tx, caller, body)),
  }),
  defineList({
    id: 'client_intake_applications.list',
    path: '/client-intake-applications/',
    resource,
    summary: 'List client intake applications',
    grant: read,
    query: intakeFilters,
    item: ClientIntakeApplication,
    collection: {
      orders: ['created_at'],
      default_order: '-created_at',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, query }, page) {
      const found = await listIntakes(db, caller.portal_id, query, page)
      const access = found.items.map(ownedBy)
      const items = await mapQuestionnaires(db, caller, clientIntake, access, findVersions, (one) =>
        toIntake(caller.context, one),
      )
      return { ...found, items }
    },
  }),
  defineRead({
    id: 'client_intake_applications.read',
    path: '/client-intake-applications/{application_id}/',
    resource,
    summary: 'Read a client intake application',
    description:
      'Returns the state and progress of an application, and the addresses of its answers, files, validation and Autofill runs.',
    grant: read,
    params,
    response: ClientIntakeApplication,
    async read(db, { caller, params }) {
      return toIntake(caller.context, await loadQuestionnaire(db, caller, clientIntake, params.application_id))
    },
  }),
  defineWrite({
    id: 'client_intake_applications.change',
    method: 'PATCH',
    path: '/client-intake-applications/{application_id}/',
    resource,
    summary: 'Change a client intake application',
    description: 'Changes the title and metadata. This is allowed in every state. Write answers at `answers_url`.',
    grant: write,
    params,
    ifMatch: true,
    body: ClientIntakeApplicationChange,
    example: { title: 'Loan for a second oven and a van' },
    status: 200,
    response: ClientIntakeApplication,
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await changeIntake(tx, caller, { ...params, ifMatch }, body)),
  }),
  defineWrite({
    id: 'client_intake_applications.submit',
    method: 'POST',
    path: '/client-intake-applications/{application_id}/submit/',
    resource,
    summary: 'Submit a client intake application',
    description:
      'Submits the current answers and files. The submission never changes afterwards. When answers are missing or invalid, the request fails with `application_incomplete`, and `details` lists the problems.',
    grant: write,
    params,
    example_needs: inState('returned'),
    ifMatch: true,
    status: 200,
    response: ClientIntakeApplication,
    errors: ['state_conflict', 'application_incomplete'],
    write: async (tx, { caller, params, ifMatch }) =>
      toRecord(tx, caller, await submitIntake(tx, caller, { ...params, ifMatch })),
  }),
  defineWrite({
    id: 'client_intake_applications.withdraw',
    method: 'POST',
    path: '/client-intake-applications/{application_id}/withdraw/',
    resource,
    summary: 'Withdraw a client intake application',
    description: 'Withdraws an application that is in progress, returned or submitted. This cannot be undone.',
    grant: write,
    params,
    example_needs: { application_id: { made_by: 'client_intake_applications.create' } },
    ifMatch: true,
    status: 200,
    response: ClientIntakeApplication,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch }) =>
      toRecord(tx, caller, await withdrawIntake(tx, caller, { ...params, ifMatch })),
  }),
  decision('accept', 'Accept a submitted application', 'Complete and plausible.'),
  decision('reject', 'Reject a submitted application', 'The business is outside our area.'),
  defineWrite({
    id: 'client_intake_applications.return',
    method: 'POST',
    path: '/client-intake-applications/{application_id}/return/',
    resource,
    summary: 'Return a submitted application',
    description:
      'Returns an application to the client with a message and the questions it concerns. The first edit sets the state back to `in_progress`. The application can then be submitted again.',
    grant: review,
    params,
    example_needs: inState('submitted'),
    ifMatch: true,
    body: ReturnInput,
    example: { message: 'Please enter the legal name as registered.', question_keys: ['legal_name'] },
    status: 200,
    response: ClientIntakeApplication,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await returnIntake(tx, caller, { ...params, ifMatch }, body)),
  }),
]

function decision(action: 'accept' | 'reject', summary: string, message: string): Operation {
  return defineWrite({
    id: `client_intake_applications.${action}`,
    method: 'POST',
    path: `/client-intake-applications/{application_id}/${action}/`,
    resource,
    summary,
    description: 'Records the decision of a reviewer. The application must be `submitted`. This cannot be undone.',
    grant: review,
    params,
    example_needs: inState('submitted'),
    ifMatch: true,
    body: DecisionInput,
    example: { message },
    status: 200,
    response: ClientIntakeApplication,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toRecord(tx, caller, await decideIntake(tx, caller, { ...params, ifMatch }, action, body)),
  })
}

async function toRecord(db: Connection, caller: Caller, row: IntakeRow): Promise<ClientIntakeApplication> {
  return toIntake(caller.context, await completeQuestionnaire(db, caller, clientIntake, ownedBy(row)))
}
