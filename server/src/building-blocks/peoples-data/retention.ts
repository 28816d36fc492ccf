// What a Portal no longer wants to keep goes by itself, a little at a time. Without a setting nothing goes.
import { portalIds } from '../../platform/background/housekeeping.ts'
import { day, isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { AdministrationError } from '../portals/commands.ts'
import { type PortalSetting, readSetting } from '../portals/settings.ts'
import { completeErasure, type Eraser, removeErasedBytes, requestErasure } from './commands.ts'
import { eraseIntake } from './erase-records.ts'
import {
  forgetOldAttemptBodies,
  forgetOldOutcomes,
  listArchivedBefore,
  listEndedIntakeBefore,
} from './retention-queries.ts'
import { archivedBusinessDaysKept, attemptBodyDaysKept, autofillDaysKept, endedIntakeDaysKept } from './settings.ts'
import { forgetStoredResponses } from './stored-responses.ts'

/** Removes some of what is older than `before`; false when there is no more. */
type Remove = (context: Context, portalId: string, before: string, by: Eraser) => Promise<boolean>

export async function applyRetention(context: Context, by: Eraser): Promise<void> {
  const failures: unknown[] = []
  for (const portalId of await portalIds(context)) {
    for (const { setting, remove } of kinds) {
      const days = await readSetting(context.database.read, portalId, setting)
      if (days === null) continue
      const before = isoTime(context.clock.expiry() - days * day)
      try {
        while (!by.signal?.aborted && (await remove(context, portalId, before, by)));
      } catch (error) {
        // Other Portals and other kinds do not wait for this one.
        failures.push(error)
      }
    }
  }
  if (failures.length > 0) throw failures[0]
}

const kinds: readonly { setting: PortalSetting<typeof endedIntakeDaysKept.schema>; remove: Remove }[] = [
  {
    setting: endedIntakeDaysKept,
    async remove(context, portal_id, before) {
      const rows = await listEndedIntakeBefore(context.database.read, portal_id, before, batchSize)
      for (const { id, business_id } of rows) {
        const subject = { portal_id, business_id }
        await inTransaction(context.database, (tx) => eraseIntake(tx, context, subject, id))
        await removeErasedBytes(context, subject)
      }
      if (rows.length > 0) await forgetStoredResponses(context, portal_id)
      return rows.length === batchSize
    },
  },
  {
    setting: autofillDaysKept,
    remove: async ({ database }, portalId, before) =>
      (await inTransaction(database, (tx) => forgetOldOutcomes(tx, portalId, before, batchSize))) === batchSize,
  },
  {
    setting: attemptBodyDaysKept,
    remove: async ({ database }, portalId, before) =>
      (await inTransaction(database, (tx) => forgetOldAttemptBodies(tx, portalId, before, batchSize))) === batchSize,
  },
  {
    setting: archivedBusinessDaysKept,
    async remove(context, portalId, before, by) {
      const ids = await listArchivedBefore(context.database.read, portalId, before, batchSize)
      let erased = 0
      for (const business_id of ids) if (await eraseUnlessOpen(context, business_id, by)) erased++
      return erased > 0 && ids.length === batchSize
    },
  },
]

async function eraseUnlessOpen(context: Context, business_id: string, by: Eraser): Promise<boolean> {
  try {
    const scope = { recipients: false, funded: false }
    const request = { business_id, scope, reason: 'retention', is_archived_only: true }
    await completeErasure(context, await requestErasure(context, request), by)
    return true
  } catch (error) {
    if (!(error instanceof AdministrationError)) throw error
    context.log.warn({ business_id, err: error }, 'an archived business could not be erased')
    return false
  }
}

const batchSize = 100
