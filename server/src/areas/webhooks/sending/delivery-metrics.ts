// What an operator can see of deliveries: what came of attempts in this process, and what waits in the whole deployment.
// The latter is read from the database whenever metrics are, which is cheap: a few looks into indexes for each webhook.
import { Counter, type Registry } from 'prom-client'
import { second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import { addReadGauge, readingOf } from '../../../platform/read-gauges.ts'
import { countedOfWebhook, countWaiting, oldestDue } from '../deliveries/depth-queries.ts'
import { eventLag } from './fan-out.ts'

export interface DeliveryMetrics {
  attempted(outcome: string): void
  /** Takes them out of the registry. */
  remove(): void
}

export function addDeliveryMetrics({ database, clock, log }: Context, registry: Registry): DeliveryMetrics {
  const attempts = new Counter({
    name: 'portico_webhook_attempts_total',
    help: 'Attempts of this process to deliver to webhooks, by outcome: succeeded, or the error code of the attempt.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const addGauge = (name: string, help: string, label: string, read: () => Promise<Record<string, number>>) =>
    addReadGauge(registry, log, {
      name,
      help,
      labels: [label],
      read: async () => readingOf(label, await read()),
    })
  const gauges = [
    addGauge(
      'portico_webhook_deliveries_waiting',
      `Deliveries that wait for an attempt, by state. At most ${countedOfWebhook} of each webhook are counted.`,
      'state',
      () => countWaiting(database.read),
    ),
    addGauge(
      'portico_webhook_oldest_due_seconds',
      'How long the oldest due delivery has waited for its attempt: of webhooks that work, and of those that fail.',
      'webhooks',
      async () => inSeconds(await oldestDue(database.read, database.timeIn(clock, 0))),
    ),
    addGauge(
      'portico_event_lag_seconds',
      'Age of the oldest event that has no sequence number yet, and of the oldest one without its deliveries.',
      'waits_for',
      async () => inSeconds(await eventLag(database.read, clock.now())),
    ),
  ]
  return {
    attempted: (outcome) => attempts.inc({ outcome }),
    remove() {
      for (const name of ['portico_webhook_attempts_total', ...gauges]) registry.removeSingleMetric(name)
    },
  }
}

function inSeconds(milliseconds: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(milliseconds).map(([name, value]) => [name, value / second]))
}
