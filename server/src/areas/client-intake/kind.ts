import type { Application, ApplicationKind } from '../../building-blocks/questionnaires/application-kind.ts'
import { day, isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { stateConflict } from '../../platform/protocol/errors.ts'
import { preconditionFailed } from '../../platform/protocol/etag.ts'
import { findIntake, type IntakeRow, lockIntake, updateIntake } from './queries.ts'
import { intakeActions, isAllowed } from './states.ts'

/** Client intake applications, as the machinery of questionnaires sees them. */
export const clientIntake: ApplicationKind = {
  type: 'client_intake_application',
  resource: 'Client intake applications',
  path: '/client-intake-applications/',
  id_prefix: 'cia',
  grant: 'client_intake_applications',
  example_found_in: '/client-intake-applications/?state=in_progress&order=created_at',
  find: findIntake,
  lock: lockIntake,
  isEditable: (application) => isAllowed(asIntake(application).state, 'answer'),
  requireEditable(application) {
    const { state } = asIntake(application)
    if (!isAllowed(state, 'answer'))
      throw stateConflict('An application', 'answer', { state, available_actions: intakeActions[state] })
  },
  async saveEdited(tx, caller, application) {
    const row = asIntake(application)
    const now = isoTime(caller.context.clock.now())
    // The first edit takes a returned application up again, and every edit keeps it alive.
    const reopened = row.state === 'returned' ? { state: 'in_progress' as const, state_changed_at: now } : {}
    return saveIntake(tx, caller, { ...row, ...reopened, expires_at: expiryOf(caller, row) })
  },
  saveTouched: (tx, caller, application) => saveIntake(tx, caller, asIntake(application)),
}

/** Writes the application as its next version, if nobody else has meanwhile. */
export async function saveIntake(tx: Tx, caller: Caller, row: IntakeRow): Promise<IntakeRow> {
  const changed = { ...row, updated_at: isoTime(caller.context.clock.now()) }
  if (!(await updateIntake(tx, caller.portal_id, changed))) throw preconditionFailed()
  return { ...changed, version: row.version + 1 }
}

export function expiryOf({ context }: Caller, { expiry_days }: Pick<IntakeRow, 'expiry_days'>): string {
  return isoTime(context.clock.now() + expiry_days * day)
}

export function asIntake(application: Application): IntakeRow {
  // safe because every application of this kind was found by `findIntake`
  return application as IntakeRow
}
