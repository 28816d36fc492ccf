import type { Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { addReadGauge } from '../read-gauges.ts'
import type { Probes } from './probes.ts'

/** For whoever watches metrics and asks no probe. */
export function addReadyMetric({ log }: Context, registry: Registry, { isReady }: Probes): void {
  addReadGauge(registry, log, {
    name: 'portico_ready',
    help: '1 while /readyz of this process answers 200, otherwise 0.',
    read: async () => {
      const ready = await isReady()
      return ready === undefined ? [] : [{ value: ready ? 1 : 0 }]
    },
  })
}
