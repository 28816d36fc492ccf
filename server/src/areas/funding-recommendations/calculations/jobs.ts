import { readSetting } from '../../../building-blocks/portals/settings.ts'
import { portalIds } from '../../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../../platform/background/jobs.ts'
import { attemptSeparately } from '../../../platform/background/separate-attempts.ts'
import { day, hour, isoTime, minute, second } from '../../../platform/clock.ts'
import type { Caller, Context } from '../../../platform/context.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { newId, timeOfId } from '../../../platform/values/ids.ts'
import { deleteTold, listOldTold } from '../matches/queries.ts'
import { deleteVersions, listVersionsBefore } from '../programs/queries.ts'
import {
  beginCalculation,
  calculationJob,
  completeCalculation,
  failCalculation,
  recipientsToEvaluate,
} from './commands.ts'
import { match } from './matcher.ts'
import {
  deleteCalculations,
  deletePages,
  findCalculation,
  findOldestCalculation,
  listLostResults,
  listOldCalculations,
} from './queries.ts'
import { calculationDaysKept, calculationsKept } from './settings.ts'
import { tellNewMatches } from './tell-new-matches.ts'

export const calculationJobs: readonly JobDefinition[] = [
  tellNewMatches,
  {
    kind: calculationJob,
    // Reading a catalogue of a million programmes takes minutes; what is stuck is noticed long before (matcher.ts).
    timeout_ms: 30 * minute,
    maximum_attempts: 3,
    // One thread does the work, and the others wait for it.
    most_at_once: 4,
    // Somebody waits for it.
    waits_ms: [2 * second, 15 * second],
    async run(context, { portal_id, payload, request_id, signal }) {
      const caller: Caller = { context, portal_id, request_id }
      const { database, clock } = context
      const found = await findCalculation(database.read, portal_id, String(payload.calculation_id))
      if (!found || found.active_project_id === null) return
      const row = await inTransaction(database, (tx) => beginCalculation(tx, caller, found))
      // Another attempt may have written matches, too: each has its own, and the one that is complete counts.
      const result_id = newId('cal')
      const task = {
        portal_id,
        result_id,
        project_id: row.project_id,
        values: row.criteria,
        recipients: await recipientsToEvaluate(database.read, portal_id),
        now: clock.now(),
      }
      const result = await match(context, 'calculate', task, signal)
      await inTransaction(database, (tx) => completeCalculation(tx, caller, row, result_id, result))
    },
    async giveUp(context, { portal_id, payload, request_id }) {
      const row = await findCalculation(context.database.read, portal_id, String(payload.calculation_id))
      if (!row || row.active_project_id === null) return
      await inTransaction(context.database, (tx) => failCalculation(tx, { context, portal_id, request_id }, row))
    },
  },
  {
    kind: 'funding_recommendations.forget_calculations',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      const each = attemptSeparately(context, signal)
      for (const portal_id of await portalIds(context)) {
        await each.attempt({ portal_id }, () => forget(context, portal_id, signal))
        await each.attempt({ portal_id }, () => forgetTold(context, portal_id, signal))
      }
      await each.attempt({}, () => forgetVersions(context, signal))
      each.end()
    },
  },
]

async function forget(context: Context, portalId: string, signal: AbortSignal): Promise<void> {
  const { database, clock } = context
  const keep = await readSetting(database.read, portalId, calculationsKept)
  const days = await readSetting(database.read, portalId, calculationDaysKept)
  const before = isoTime(clock.expiry() - days * day)
  for (;;) {
    const old = await listOldCalculations(database.read, portalId, { keep, before, limit: batchSize })
    for (const { id, result_id } of old)
      await inTransaction(database, async (tx) => {
        await deleteCalculations(tx, portalId, [id])
        if (result_id !== null) await deletePages(tx, portalId, result_id)
      })
    if (old.length < batchSize || signal.aborted) break
  }
  // What belongs to nobody may still be on its way to somebody; ids tell when they were made.
  for (const resultId of await listLostResults(database.read, portalId, batchSize)) {
    if (timeOfId(resultId) > clock.expiry() - hour) continue
    await inTransaction(database, (tx) => deletePages(tx, portalId, resultId))
  }
}

async function forgetTold({ database }: Context, portalId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const old = await listOldTold(database.read, portalId, batchSize)
    if (old.length > 0) await inTransaction(database, (tx) => deleteTold(tx, portalId, old))
    if (old.length < batchSize || signal.aborted) return
  }
}

/** A version of a programme is kept as long as a calculation of any Portal may need it for its reasons. */
async function forgetVersions(context: Context, signal: AbortSignal): Promise<void> {
  const { database } = context
  const portals = await portalIds(context)
  let oldest: string | undefined
  for (const portalId of portals) {
    const own = await findOldestCalculation(database.read, portalId)
    if (own !== undefined && (oldest === undefined || own < oldest)) oldest = own
  }
  // Where nobody has calculated anything, whoever begins now needs none of those of yesterday.
  const time = oldest ?? isoTime(context.clock.expiry() - day)
  for (const portalId of portals) {
    for (;;) {
      const old = await listVersionsBefore(database.read, portalId, time, batchSize)
      if (old.length > 0) await inTransaction(database, (tx) => deleteVersions(tx, portalId, old))
      if (signal.aborted) return
      if (old.length < batchSize) break
    }
  }
}

const batchSize = 200
