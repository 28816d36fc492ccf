import type { Access, ApplicationKind } from '../../building-blocks/questionnaires/application-kind.ts'
import { day, isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type RecordKind, saveRecord } from '../../platform/records/stateful-records.ts'
import { findIntake, type IntakeRow, lockIntake, updateIntake } from './queries.ts'
import { intakePath } from './records.ts'
import { type IntakeAction, type IntakeState, intakeStates } from './states.ts'

/** Client intake applications as a record with states. */
export const intakeRecord: RecordKind<IntakeState, IntakeAction, 'owner' | 'job', IntakeRow> = {
  states: intakeStates,
  path: intakePath,
  update: (tx, _caller, row) => updateIntake(tx, row),
  audience: (_caller, { portal_id }) => [portal_id],
}

/** Client intake applications as an application kind: one Portal owns both the application and its contract. */
export const clientIntake: ApplicationKind<IntakeRow> = {
  resource: 'Client intake applications',
  path: '/client-intake-applications/',
  id_prefix: 'cia',
  grant: 'client_intake_applications',
  examples: {
    editable: '/client-intake-applications/?state=in_progress&order=created_at',
    submitted: '/client-intake-applications/?state=accepted',
  },
  states: intakeStates,
  roles: { owner: { reads: 'working_copy', acts_as: ['owner'] } },
  async find(db, { portal_id }, id) {
    const application = await findIntake(db, portal_id, id)
    return application && ownedBy(application)
  },
  lock: (tx, { portal_id }, id) => lockIntake(tx, portal_id, id),
  openQuestions: () => 'all',
  async saveEdited(tx, caller, { application: row }) {
    // The first edit sets a returned application back to in_progress, and every edit postpones its expiry.
    const { to = row.state } = intakeStates.requireStep(row.state, 'answer', 'owner')
    const now = isoTime(caller.context.clock.now())
    const moved = to === row.state ? {} : { state: to, state_changed_at: now }
    return saveIntake(tx, caller, { ...row, ...moved, expires_at: expiryOf(now, row) })
  },
  saveTouched: (tx, caller, application) => saveIntake(tx, caller, application),
}

/** An application as its own Portal accesses it. */
export function ownedBy(application: IntakeRow): Access<IntakeRow> {
  return { application, role: 'owner' }
}

export function saveIntake(tx: Tx, caller: Caller, row: IntakeRow): Promise<IntakeRow> {
  return saveRecord(tx, caller, intakeRecord, row)
}

/** When an application that was last edited at this time expires. */
export function expiryOf(now: string, { expiry_days }: Pick<IntakeRow, 'expiry_days'>): string {
  return isoTime(Date.parse(now) + expiry_days * day)
}
