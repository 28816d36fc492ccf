// What a Portal no longer wants to keep goes by itself, a little at a time. Without a setting nothing goes.
import { note } from '../../platform/audit/notes.ts'
import { portalIds } from '../../platform/background/housekeeping.ts'
import { day, isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { lockRow } from '../../platform/database/versioned-rows.ts'
import { AdministrationError } from '../portals/commands.ts'
import { type PortalSetting, readSetting } from '../portals/settings.ts'
import { completeAll, type Eraser, removeErasedBytes, requestErasure } from './commands.ts'
import { eraseIntake } from './erase-records.ts'
import { requireLedger } from './ledger.ts'
import type { Erasure } from './queries.ts'
import {
  endedIntakeStates,
  forgetOldValues,
  hasOldValues,
  isIntakeDue,
  listArchived,
  listEndedIntake,
  type Place,
  stretchesOf,
} from './retention-queries.ts'
import { archivedBusinessDaysKept, attemptBodyDaysKept, autofillDaysKept, endedIntakeDaysKept } from './settings.ts'
import { forgetStoredResponses } from './stored-responses.ts'
import { forgetStatistics } from './traces.ts'

interface Kind {
  setting: PortalSetting<typeof endedIntakeDaysKept.schema>
  /** Removes what is older than `before`. */
  remove(context: Context, portalId: string, before: string, by: Eraser): Promise<void>
}

/** Whole records, which are found by their state. */
export const recordKinds: readonly Kind[] = [
  { setting: endedIntakeDaysKept, remove: eraseEndedIntake },
  { setting: archivedBusinessDaysKept, remove: eraseArchived },
]

/** Values in records that stay: all records of the kind are looked through for them, so this is done less often. */
export const valueKinds: readonly Kind[] = [
  { setting: autofillDaysKept, remove: forgetIn('autofill_runs') },
  { setting: attemptBodyDaysKept, remove: forgetIn('webhook_attempts') },
]

export async function applyRetention(context: Context, kinds: readonly Kind[], by: Eraser): Promise<void> {
  const failures: unknown[] = []
  for (const portalId of await portalIds(context)) {
    for (const { setting, remove } of kinds) {
      const days = await readSetting(context.database.read, portalId, setting)
      if (days === null || by.signal?.aborted) continue
      const before = isoTime(context.clock.expiry() - days * day)
      try {
        await remove(context, portalId, before, by)
      } catch (error) {
        // Other Portals and other kinds do not wait for this one.
        if (!by.signal?.aborted) failures.push(error)
      }
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function eraseEndedIntake(context: Context, portal_id: string, before: string, { signal }: Eraser) {
  const { database } = context
  const eraseOne = async ({ id, business_id }: { id: string; business_id: string }): Promise<boolean> => {
    const subject = { portal_id, business_id }
    const isErased = await inTransaction(database, async (tx) => {
      await lockRow(tx, 'client_intake_applications', portal_id, id)
      if (!(await isIntakeDue(tx, portal_id, id, before))) return false
      await eraseIntake(tx, context, subject, id)
      const caller = { context, portal_id, request_id: null }
      await note(tx, caller, { action: 'client_intake_application.erased', resource_id: id })
      return true
    })
    if (isErased) await removeErasedBytes(context, subject)
    return isErased
  }
  let erased = 0
  for (const state of endedIntakeStates) {
    for (let after: Place | undefined; !signal?.aborted; ) {
      const page = await listEndedIntake(database.read, portal_id, { state, before, after })
      const due = page.filter(({ is_due }) => is_due)
      try {
        for (const one of due) if (!signal?.aborted && (await eraseOne(one))) erased++
      } finally {
        // Once for a page, whatever became of it: this looks through every response that is stored.
        if (due.length > 0) await forgetStoredResponses(context, portal_id)
      }
      after = page.at(-1)
      // Whatever was created later cannot be due.
      if (!after || after.created_at > before) break
    }
  }
  if (erased > 0) await forgetStatistics(context)
}

async function eraseArchived(context: Context, portalId: string, before: string, by: Eraser): Promise<void> {
  for (let after: Place | undefined; !by.signal?.aborted; ) {
    const page = await listArchived(context.database.read, portalId, before, after)
    // Nothing can be erased without the list: that is no matter of one business.
    if (page.some(({ is_due }) => is_due)) requireLedger(context.config)
    const requested: Erasure[] = []
    for (const { id, is_due } of page) if (is_due) requested.push(...(await requestUnlessOpen(context, id)))
    await completeAll(context, requested, by)
    after = page.at(-1)
    if (!after) return
  }
}

async function requestUnlessOpen(context: Context, business_id: string): Promise<Erasure[]> {
  try {
    const scope = { recipients: false, funded: false }
    return [await requestErasure(context, { business_id, scope, reason: 'retention' })]
  } catch (error) {
    if (!(error instanceof AdministrationError)) throw error
    context.log.warn({ business_id, err: error }, 'an archived business could not be erased')
    return []
  }
}

function forgetIn(table: 'autofill_runs' | 'webhook_attempts'): Kind['remove'] {
  return async ({ database }, portalId, before, { signal }) => {
    for await (const stretch of stretchesOf(database.read, table, portalId)) {
      if (signal?.aborted) return
      if (await hasOldValues(database.read, table, stretch, before))
        await inTransaction(database, (tx) => forgetOldValues(tx, table, stretch, before))
    }
  }
}
