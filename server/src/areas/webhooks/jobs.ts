import { eventsKeptMs, portalIds } from '../../platform/background/housekeeping.ts'
import { deployment, enqueue, type JobDefinition } from '../../platform/background/jobs.ts'
import { attemptSeparately } from '../../platform/background/separate-attempts.ts'
import { hour, isoTime, minute, second } from '../../platform/clock.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { continueRecovery, failRecovery, recoverJob } from './deliveries/commands.ts'
import { endSomeDeliveries, hasWaiting } from './deliveries/queries.ts'
import { deleteOldRecoveries } from './deliveries/recovery-queries.ts'
import { deleteLeftDeliveries, deleteOldDeliveries } from './deliveries/upkeep-queries.ts'
import { forgetChallenges } from './endpoints/challenge-limits.ts'
import { completeVerification, endDeliveries, endDeliveriesJob, verifyJob } from './endpoints/commands.ts'
import { findWebhook } from './endpoints/queries.ts'
import { sendChallenge } from './endpoints/verification.ts'
import { outboundOf } from './outbound.ts'
import { leaseMs } from './sending/schedule.ts'

export const webhookJobs: readonly JobDefinition[] = [
  {
    kind: verifyJob,
    // The second is for a worker that was killed. Whoever does not answer asks for another challenge.
    maximum_attempts: 2,
    timeout_ms: 30 * second,
    // An endpoint may take 15 seconds to answer.
    most_at_once: 4,
    async run(context, { portal_id, payload, request_id, signal }) {
      const caller = { context, portal_id, request_id, is_job: true } as const
      const id = String(payload.webhook_id)
      const webhook = await findWebhook(context.database.read, portal_id, id)
      if (!webhook) return
      const handshake = await sendChallenge(caller, await outboundOf(context), webhook, signal)
      if (!handshake?.isEchoed) return
      try {
        await inTransaction(context.database, (tx) => completeVerification(tx, caller, id, handshake.challenge))
      } catch (error) {
        // Deleted, verified or given another URL meanwhile: there is nothing left to do.
        if (!(error instanceof ApiError)) throw error
      }
    },
  },
  {
    kind: recoverJob,
    timeout_ms: 4 * minute,
    async run(context, { portal_id, payload, request_id, signal }) {
      const caller = { context, portal_id, request_id, is_job: true } as const
      const id = String(payload.recovery_id)
      for (let piece = 0; piece < piecesAtOnce; piece++) {
        signal.throwIfAborted()
        if (await inTransaction(context.database, (tx) => continueRecovery(tx, caller, id))) return
      }
      // The rest is a job of its own: only what fails counts as an attempt.
      await inTransaction(context.database, (tx) =>
        enqueue(tx, context, { portal_id, kind: recoverJob, payload: { recovery_id: id }, request_id }),
      )
    },
    giveUp: (context, { portal_id, payload, request_id }) =>
      inTransaction(context.database, (tx) =>
        failRecovery(tx, { context, portal_id, request_id, is_job: true }, String(payload.recovery_id)),
      ),
  },
  {
    kind: endDeliveriesJob,
    timeout_ms: 4 * minute,
    async run(context, { portal_id, payload, request_id, signal }) {
      const { database, clock } = context
      const id = String(payload.webhook_id)
      let isDisabled = false
      const endSome = () =>
        inTransaction(database, async (tx) => {
          const webhook = await findWebhook(tx, portal_id, id)
          isDisabled = webhook?.state === 'disabled'
          const ending = { now: isoTime(clock.now()), limit: batchSize }
          if (!webhook) return endSomeDeliveries(tx, portal_id, id, { ...ending, state: 'cancelled' })
          // Active again: what waits is sent.
          if (!isDisabled) return 0
          const claimedBeyond = database.timeIn(clock, 0)
          return endSomeDeliveries(tx, portal_id, id, { ...ending, state: 'skipped', claimedBeyond })
        })
      while ((await endSome()) === batchSize) signal.throwIfAborted()
      // What was under way has come to its end by then, or its sender has.
      if (isDisabled && (await hasWaiting(database.read, portal_id, id)))
        await inTransaction(database, (tx) => endDeliveries(tx, { context, portal_id, request_id }, id, leaseMs))
    },
  },
  {
    kind: 'webhooks.old_deliveries',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      const before = isoTime(context.clock.expiry() - eventsKeptMs)
      const { clock, database } = context
      const each = attemptSeparately(context, signal)
      for (const portal_id of [deployment, ...(await portalIds(context))])
        await each.attempt({ portal_id }, async () => {
          await repeat(signal, () =>
            database.transaction((tx) => deleteOldDeliveries(tx, portal_id, before, batchSize)),
          )
          await repeat(signal, () => database.transaction((tx) => deleteLeftDeliveries(tx, portal_id, batchSize)))
          await database.transaction((tx) => deleteOldRecoveries(tx, portal_id, before))
          await database.transaction((tx) => forgetChallenges(tx, portal_id, clock.expiry()))
        })
      each.end()
    },
  },
]

async function repeat(signal: AbortSignal, deleteSome: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await deleteSome()) > 0);
}

const batchSize = 500
/** Far from the time limit of a job, however slow each is. */
const piecesAtOnce = 20
