import type { Registry } from 'prom-client'
import type { Context } from '../../platform/context.ts'
import { addReadGauge } from '../../platform/read-gauges.ts'
import { countUnfinished } from './queries.ts'

/** In the whole deployment, read by every process. */
export function addErasureMetrics({ database, log }: Context, registry: Registry): void {
  addReadGauge(registry, log, {
    name: 'portico_erasures_unfinished',
    help: 'Erasures of businesses that were requested and are not finished.',
    read: async () => [{ value: await countUnfinished(database.read) }],
  })
}
