// What a Portal no longer wants to keep goes by itself, a little at a time. Without a setting nothing goes.
import { note } from '../../platform/audit/notes.ts'
import { portalIds } from '../../platform/background/housekeeping.ts'
import { enqueue } from '../../platform/background/jobs.ts'
import { attemptSeparately } from '../../platform/background/separate-attempts.ts'
import { day, isoTime, minute } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { lockRow } from '../../platform/database/versioned-rows.ts'
import { newId } from '../../platform/values/ids.ts'
import { AdministrationError } from '../portals/commands.ts'
import { type PortalSetting, readSetting } from '../portals/settings.ts'
import { completeAll, type Eraser, removeErasedBytes, requestErasure, together } from './commands.ts'
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

export const forgetCopiesJob = 'peoples_data.forget_copies'
/** The job that applies retention is stopped after it. */
export const longestRunMs = 4 * minute

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
  const each = attemptSeparately(context, by.signal ?? new AbortController().signal)
  const portals = await portalIds(context)
  // Whoever has much to remove must not keep the others from their turn for ever.
  const first = Math.floor(Math.random() * portals.length)
  for (const portalId of [...portals.slice(first), ...portals.slice(0, first)]) {
    for (const { setting, remove } of kinds) {
      const days = await readSetting(context.database.read, portalId, setting)
      if (days === null || by.signal?.aborted) continue
      const before = isoTime(context.clock.expiry() - days * day)
      await each.attempt({ portal_id: portalId, setting: setting.name }, () => remove(context, portalId, before, by))
    }
  }
  each.end()
}

async function eraseEndedIntake(context: Context, portal_id: string, before: string, { signal }: Eraser) {
  const { database } = context
  const each = attemptSeparately(context, signal ?? new AbortController().signal)
  /** One job for all that this run erases, as soon as there is anything: it is done also if this process is not there. */
  const forgetting = {
    ...{ portal_id, kind: forgetCopiesJob, unique_key: `forget copies ${newId('job')}` },
    after_ms: longestRunMs,
  }
  const eraseOne = async ({ id, business_id }: { id: string; business_id: string }): Promise<void> => {
    const subject = { portal_id, business_id }
    await inTransaction(database, async (tx) => {
      await lockRow(tx, 'client_intake_applications', portal_id, id)
      if (!(await isIntakeDue(tx, portal_id, id, before))) return
      await eraseIntake(tx, context, subject, id)
      const caller = { context, portal_id, request_id: null }
      await note(tx, caller, { action: 'client_intake_application.erased', resource_id: id })
      await enqueue(tx, context, forgetting)
    })
    await removeErasedBytes(context, subject)
  }
  for (const state of endedIntakeStates) {
    for (let after: Place | undefined; !signal?.aborted; ) {
      const page = await listEndedIntake(database.read, portal_id, { state, before, after })
      for (const one of page)
        if (one.is_due) await each.attempt({ portal_id, application_id: one.id }, () => eraseOne(one))
      after = page.at(-1)
      // Whatever was created later cannot be due.
      if (!after || after.created_at > before) break
    }
  }
  each.end()
}

async function eraseArchived(context: Context, portalId: string, before: string, by: Eraser): Promise<void> {
  let requested: Erasure[] = []
  for (let after: Place | undefined; !by.signal?.aborted; ) {
    const page = await listArchived(context.database.read, portalId, before, after)
    // Nothing can be erased without the list: that is no matter of one business.
    if (page.some(({ is_due }) => is_due)) requireLedger(context.config)
    for (const { id, is_due } of page) if (is_due) requested.push(...(await requestUnlessOpen(context, id)))
    after = page.at(-1)
    if (after && requested.length < together) continue
    await completeAll(context, requested, by)
    requested = []
    if (!after) return
  }
}

async function requestUnlessOpen(context: Context, business_id: string): Promise<Erasure[]> {
  try {
    const scope = { recipients: false, funded: false }
    const erasure = await requestErasure(context, { business_id, scope, reason: 'retention' })
    // Somebody else was faster.
    return erasure.state === 'completed' ? [] : [erasure]
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
