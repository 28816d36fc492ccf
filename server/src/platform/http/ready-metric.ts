import type { Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { addReadGauge } from '../read-gauges.ts'
import type { Probes } from './probes.ts'

/** For whoever watches metrics and asks no probe. */
export function addReadyMetric({ log }: Context, registry: Registry, { isReady, hasGoneBack }: Probes): void {
  addReadGauge(registry, log, {
    name: 'portico_ready',
    help: '1 while /readyz of this process answers 200, otherwise 0.',
    read: async () => {
      const ready = await isReady()
      return ready === undefined ? [] : [{ value: ready ? 1 : 0 }]
    },
  })
  addReadGauge(registry, log, {
    name: 'portico_database_went_back',
    help: '1 once the database was put back to an earlier state while this process ran, otherwise 0.',
    read: async () => {
      const wentBack = await hasGoneBack()
      return wentBack === undefined ? [] : [{ value: wentBack ? 1 : 0 }]
    },
  })
}
