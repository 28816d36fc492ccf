// Deal applications as an application kind and as a record with states: the sender owns it, the recipient asks the
// questions and reads what was submitted.
import type { ApplicationKind } from '../../building-blocks/questionnaires/application-kind.ts'
import { day, isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { RecordKind } from '../../platform/records/stateful-records.ts'
import { saveRecord } from '../../platform/records/stateful-records.ts'
import { audienceOf, type Role, receivedView, roleOf } from '../deals/parties.ts'
import type { Party } from '../deals/states.ts'
import {
  type ApplicationRow,
  findApplicationRow,
  findHome,
  insertReceived,
  lockApplication,
  updateApplication,
  updateReceived,
} from './queries.ts'
import {
  type ApplicationAction,
  type ApplicationState,
  applicationObstacle,
  applicationStates,
  passedDeadlines,
} from './states.ts'

export const applicationRecord: RecordKind<ApplicationState, ApplicationAction, Party | 'job', ApplicationRow> = {
  states: applicationStates,
  path: (id) => `${dealApplications.path}${id}/`,
  withCopies(row) {
    const { received, state, updated_at } = row
    return { ...row, received: received && { ...received, version: received.version + 1, state, updated_at } }
  },
  async update(tx, _caller, row) {
    if (!(await updateApplication(tx, row))) return false
    const { received } = row
    if (!received) return true
    // The first submission makes the recipient's row.
    if (received.version === 1) {
      await insertReceived(tx, received)
      return true
    }
    return updateReceived(tx, { ...received, version: received.version - 1 })
  },
  audience: (_caller, row) => audienceOf(row, row.first_submitted_at !== null),
  versionFor: (row, portalId) => versionSeenBy(row, roleOf(row, portalId)).version,
}

/** What the sender alone changes moves nothing that the recipient sees. */
const senderOnly: typeof applicationRecord = { ...applicationRecord, withCopies: (row) => ({ ...row, received: null }) }

export const dealApplications: ApplicationKind<ApplicationRow> = {
  resource: 'Deal applications',
  path: '/deal-applications/',
  id_prefix: 'dap',
  grant: 'deal_applications',
  examples: {
    editable: '/deal-applications/?direction=sent&state=draft',
    submitted: '/deal-applications/?direction=sent&state=submitted',
  },
  states: applicationStates,
  roles: {
    sender: { reads: 'working_copy', acts_as: ['sender'] },
    recipient: { reads: 'last_submission', acts_as: ['recipient'] },
    both: { reads: 'working_copy', acts_as: ['sender', 'recipient'] },
  },
  async find(db, { portal_id, context }, id) {
    const row = await findApplicationRow(db, portal_id, id)
    if (!row) return undefined
    const role = roleOf(row, portal_id)
    return { application: asSeenBy(context, row, role), role }
  },
  async lock(tx, { portal_id }, id) {
    const home = await findHome(tx, portal_id, id)
    if (home) await lockApplication(tx, home)
  },
  obstacle: applicationObstacle,
  openQuestions: ({ open_question_keys }) => (open_question_keys === null ? 'all' : new Set(open_question_keys)),
  async saveEdited(tx, caller, { application }) {
    const now = isoTime(caller.context.clock.now())
    // Every edit postpones the end of what is waiting for the sender, unless the recipient has set a day.
    const isWaiting = application.state === 'draft' || application.state === 'returned'
    const expires_at = isWaiting ? expiryOf(now, application) : application.expires_at
    const saved = await saveRecord(tx, caller, senderOnly, { ...application, expires_at }, now)
    return { ...saved, received: application.received }
  },
  async saveTouched(tx, caller, application) {
    const saved = await saveRecord(tx, caller, senderOnly, application)
    return { ...saved, received: application.received }
  },
}

/** The row with the version that a role sees, and the deadlines that have passed since it was written. */
export function asSeenBy({ clock }: Context, row: ApplicationRow, role: Role): ApplicationRow {
  // The deadline of the sender is nothing that the recipient sees.
  const seen = role === 'recipient' ? { ...row, expires_at: null } : row
  return { ...row, ...versionSeenBy(row, role), aspect: passedDeadlines(seen, isoTime(clock.now())) }
}

function versionSeenBy({ version, updated_at, received }: ApplicationRow, role: Role) {
  if (role !== 'recipient' || !received) return { version, updated_at }
  return { view: receivedView, version: received.version, updated_at: received.updated_at }
}

/** When an application that was last edited at this time ends by itself. */
export function expiryOf(now: string, { expiry_days }: Pick<ApplicationRow, 'expiry_days'>): string {
  return isoTime(Date.parse(now) + expiry_days * day)
}
