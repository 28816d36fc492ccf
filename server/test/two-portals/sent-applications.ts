// A kind of application that exists in the tests alone: a sender owns it, a recipient asks the questions and reads what
// was submitted, and a request for information opens some questions again. Everything under it is the building blocks'.
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { ApplicationArea } from '../../src/app.ts'
import type { Knowledge } from '../../src/building-blocks/autofill/knowledge.ts'
import type { Application, ApplicationKind } from '../../src/building-blocks/questionnaires/application-kind.ts'
import { completeQuestionnaire, findApplication } from '../../src/building-blocks/questionnaires/load-questionnaire.ts'
import { paramsOf } from '../../src/building-blocks/questionnaires/operation-paths.ts'
import { reviewAsOfVersion, toStatus } from '../../src/building-blocks/questionnaires/questionnaire.ts'
import { ApplicationStatus } from '../../src/building-blocks/questionnaires/schema.ts'
import { freezeSubmission } from '../../src/building-blocks/questionnaires/submissions/commands.ts'
import { isoTime } from '../../src/platform/clock.ts'
import type { Caller } from '../../src/platform/context.ts'
import type { Connection, Database, Tx } from '../../src/platform/database/database.ts'
import { defineRead, defineWrite } from '../../src/platform/http/operation.ts'
import { etagOf, requireVersion } from '../../src/platform/protocol/etag.ts'
import { defineStates } from '../../src/platform/protocol/states.ts'
import { type RecordKind, saveRecord, takeAction } from '../../src/platform/records/stateful-records.ts'
import { newId } from '../../src/platform/values/ids.ts'

const states = defineStates({
  type: 'sent_application',
  noun: 'application',
  initial: 'draft',
  table: {
    draft: {
      answer: { by: 'sender' },
      submit: { by: 'sender', to: 'submitted', event: 'submitted' },
    },
    submitted: {
      request_information: { by: 'recipient', to: 'information_requested', event: 'information_requested' },
    },
    information_requested: {
      answer: { by: 'sender' },
      submit: { by: 'sender', to: 'submitted', event: 'submitted' },
    },
  },
})
type State = (typeof states.states)[number]

interface SentRow extends Application {
  state: State
  state_changed_at: string
  recipient_portal_id: string
  submissions: number
  /** Separated by commas; empty while there is no request. */
  requested: string
}

const record: RecordKind<State, 'answer' | 'submit' | 'request_information', 'sender' | 'recipient', SentRow> = {
  states,
  path: (id) => `/deal-applications/${id}/`,
  async update(tx, _caller, row) {
    const { numAffectedRows } = await sql`
      update sent_applications set version = ${row.version + 1}, state = ${row.state}, updated_at = ${row.updated_at},
        state_changed_at = ${row.state_changed_at}, submissions = ${row.submissions}, requested = ${row.requested}
      where portal_id = ${row.portal_id} and id = ${row.id} and version = ${row.version}
    `.execute(tx)
    return numAffectedRows === 1n
  },
  // A draft is nobody's business but the sender's.
  audience: (_caller, { portal_id, recipient_portal_id, submissions }) =>
    submissions === 0 ? [portal_id] : [portal_id, recipient_portal_id],
}

const kind: ApplicationKind<SentRow> = {
  resource: 'Sent applications',
  path: '/deal-applications/',
  id_prefix: 'dap',
  grant: 'deal_applications',
  states,
  roles: {
    sender: { reads: 'working_copy', acts_as: ['sender'] },
    recipient: { reads: 'last_submission', acts_as: ['recipient'] },
    both: { reads: 'working_copy', acts_as: ['sender', 'recipient'] },
  },
  async find(db, { portal_id }, id) {
    const { rows } = await sql<SentRow>`
      select * from sent_applications where id = ${id}
        and (portal_id = ${portal_id} or (recipient_portal_id = ${portal_id} and submissions > 0))
    `.execute(db)
    const [application] = rows
    if (!application) return undefined
    const isOwn = application.portal_id === application.recipient_portal_id
    return { application, role: isOwn ? 'both' : application.portal_id === portal_id ? 'sender' : 'recipient' }
  },
  async lock(tx, { portal_id }, id) {
    await sql`
      update sent_applications set version = version
      where id = ${id} and (portal_id = ${portal_id} or recipient_portal_id = ${portal_id})
    `.execute(tx)
  },
  openQuestions: ({ state, requested }) => (state === 'information_requested' ? new Set(requested.split(',')) : 'all'),
  saveEdited: (tx, caller, { application }) => saveRecord(tx, caller, record, application),
  saveTouched: (tx, caller, application) => saveRecord(tx, caller, record, application),
}

const knowledge: Knowledge<SentRow> = {
  kind,
  async businessFacts(db, { portal_id, business_id }) {
    const row = await db
      .selectFrom('businesses')
      .select('legal_name')
      .where('portal_id', '=', portal_id)
      .where('id', '=', business_id)
      .executeTakeFirst()
    const found = { source: 'business', reference: business_id, confidence: 0.95 } as const
    return row ? [{ fact: 'business.legal_name', value: row.legal_name, ...found }] : []
  },
  otherApplications: async () => [],
  projectFacts: async () => [],
}

const { application: params } = paramsOf(kind)
const shared = { resource: kind.resource, grant: ['deal_applications:write'], response: ApplicationStatus, params }

async function statusOf(db: Connection, caller: Caller, application: SentRow, role: string) {
  const questionnaire = await completeQuestionnaire(db, caller, kind, { application, role })
  return toStatus(caller.context, questionnaire, reviewAsOfVersion(questionnaire))
}

export const sentApplications: ApplicationArea = {
  kind,
  operations: [
    defineRead({
      ...shared,
      id: 'deal_applications.read',
      path: '/deal-applications/{application_id}/',
      summary: 'Read an application',
      async read(db, { caller, params }) {
        const { application, role } = await findApplication(db, caller, kind, params.application_id)
        return statusOf(db, caller, application, role)
      },
    }),
    defineWrite({
      ...shared,
      id: 'deal_applications.submit',
      method: 'POST',
      path: '/deal-applications/{application_id}/submit/',
      summary: 'Submit an application',
      ifMatch: true,
      status: 200,
      async write(tx, { caller, params, ifMatch }) {
        const access = await findApplication(tx, caller, kind, params.application_id)
        requireVersion(ifMatch, etagOf(access.application))
        const { state, submissions } = access.application
        states.requireStep(state, 'submit', partiesOf(access.role))
        await freezeSubmission(tx, caller, await completeQuestionnaire(tx, caller, kind, access), submissions + 1)
        const change = { submissions: submissions + 1, requested: '' }
        const saved = await takeAction(tx, caller, record, access.application, {
          action: 'submit',
          by: 'sender',
          change,
        })
        return statusOf(tx, caller, saved, access.role)
      },
    }),
    defineWrite({
      ...shared,
      id: 'deal_applications.request_information',
      method: 'POST',
      path: '/deal-applications/{application_id}/request-information/',
      summary: 'Ask for more',
      ifMatch: true,
      body: Type.Object({ question_keys: Type.Array(Type.String()) }),
      example: { question_keys: ['website'] },
      status: 200,
      async write(tx, { caller, params, ifMatch, body }) {
        const { application, role } = await findApplication(tx, caller, kind, params.application_id)
        requireVersion(ifMatch, etagOf(application))
        const change = { requested: body.question_keys.join(',') }
        const by = partiesOf(role)
        const saved = await takeAction(tx, caller, record, application, { action: 'request_information', by, change })
        return statusOf(tx, caller, saved, role)
      },
    }),
  ],
  events: [],
  jobs: [],
  knowledge,
  contractVisibility: [
    async (db, { portal_id }, contractId) => {
      const { rows } = await sql<{ contract_portal_id: string }>`
        select contract_portal_id from sent_applications where portal_id = ${portal_id} and contract_id = ${contractId}
      `.execute(db)
      return rows[0]?.contract_portal_id
    },
  ],
}

const parties = { sender: ['sender'], recipient: ['recipient'], both: ['sender', 'recipient'] } as const
function partiesOf(role: string): readonly ('sender' | 'recipient')[] {
  return role === 'both' ? parties.both : role === 'sender' ? parties.sender : parties.recipient
}

export async function createSentApplicationsTable(database: Database): Promise<void> {
  await database.transaction((tx) =>
    sql`
      create table sent_applications (
        portal_id text not null, id text not null, version integer not null, state text not null,
        state_changed_at text not null, updated_at text not null, business_id text not null, contract_id text not null,
        contract_portal_id text not null, recipient_portal_id text not null, submissions integer not null,
        requested text not null, primary key (portal_id, id)
      )
    `.execute(tx),
  )
}

/** Begins an application of the caller's business for another Portal, with that Portal's contract. */
export async function beginSentApplication(
  tx: Tx,
  { context, portal_id }: Caller,
  {
    business_id,
    recipient_portal_id,
    contract_id,
  }: Record<'business_id' | 'recipient_portal_id' | 'contract_id', string>,
): Promise<string> {
  const id = newId('dap')
  const now = isoTime(context.clock.now())
  await sql`
    insert into sent_applications (portal_id, id, version, state, state_changed_at, updated_at, business_id, contract_id,
      contract_portal_id, recipient_portal_id, submissions, requested)
    values (${portal_id}, ${id}, 1, ${states.initial}, ${now}, ${now}, ${business_id}, ${contract_id},
      ${recipient_portal_id}, ${recipient_portal_id}, 0, '')
  `.execute(tx)
  return id
}
