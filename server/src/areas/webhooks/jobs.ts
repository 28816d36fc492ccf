import { eventsKeptMs, portalIds } from '../../platform/background/housekeeping.ts'
import { deployment, type JobDefinition } from '../../platform/background/jobs.ts'
import { hour, isoTime, minute, second } from '../../platform/clock.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { continueRecovery, recoverJob } from './deliveries/commands.ts'
import { deleteOldDeliveries, endSomeDeliveries } from './deliveries/queries.ts'
import { forgetChallenges } from './endpoints/challenge-limits.ts'
import { completeVerification, endDeliveriesJob, verifyJob } from './endpoints/commands.ts'
import { findWebhook } from './endpoints/queries.ts'
import { sendChallenge } from './endpoints/verification.ts'
import { outboundOf } from './outbound.ts'

export const webhookJobs: readonly JobDefinition[] = [
  {
    kind: verifyJob,
    // Whoever does not answer the first time asks for another challenge.
    maximum_attempts: 1,
    timeout_ms: 30 * second,
    // An endpoint may take 15 seconds to answer.
    most_at_once: 4,
    async run(context, { portal_id, payload, signal }) {
      const caller = { context, portal_id, request_id: null, is_job: true } as const
      const id = String(payload.webhook_id)
      const webhook = await findWebhook(context.database.read, portal_id, id)
      if (!webhook) return
      const handshake = await sendChallenge(caller, await outboundOf(context), webhook, signal)
      if (handshake?.isEchoed)
        await inTransaction(context.database, (tx) => completeVerification(tx, caller, id, handshake.challenge))
    },
  },
  {
    kind: recoverJob,
    timeout_ms: 4 * minute,
    async run(context, { portal_id, payload, signal }) {
      const caller = { context, portal_id, request_id: null, is_job: true } as const
      let isDone = false
      while (!isDone && !signal.aborted)
        isDone = await inTransaction(context.database, (tx) =>
          continueRecovery(tx, caller, String(payload.recovery_id)),
        )
      if (!isDone) throw new Error('the recovery goes on with the next attempt')
      context.database.announce()
    },
  },
  {
    kind: endDeliveriesJob,
    timeout_ms: 4 * minute,
    async run(context, { portal_id, payload, signal }) {
      const id = String(payload.webhook_id)
      const endSome = () =>
        inTransaction(context.database, async (tx) => {
          const webhook = await findWebhook(tx, portal_id, id)
          // Active again: what waits is sent.
          if (webhook && webhook.state !== 'disabled') return 0
          const state = webhook ? 'skipped' : 'cancelled'
          const now = isoTime(context.clock.now())
          return endSomeDeliveries(tx, portal_id, id, { state, now, limit: batchSize })
        })
      while ((await endSome()) === batchSize) signal.throwIfAborted()
    },
  },
  {
    kind: 'webhooks.old_deliveries',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      const before = isoTime(context.clock.expiry() - eventsKeptMs)
      for (const portalId of [deployment, ...(await portalIds(context))]) {
        let deleted: number
        do deleted = await context.database.transaction((tx) => deleteOldDeliveries(tx, portalId, before, batchSize))
        while (deleted === batchSize && !signal.aborted)
        await context.database.transaction((tx) => forgetChallenges(tx, portalId, context.clock.expiry()))
      }
    },
  },
]

const batchSize = 500
