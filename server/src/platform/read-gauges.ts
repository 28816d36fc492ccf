// Gauges whose values are read when somebody asks for the metrics. What they are read from may be slow or away: each has
// two seconds, the others are given meanwhile, and a reading that has not come back is not asked for again.
import { setTimeout as wait } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import { second } from './clock.ts'
import type { Logger } from './logging.ts'

type Labels = Record<string, string>
export type Reading = readonly { labels?: Labels; value: number }[]

interface ReadGauge {
  name: string
  help: string
  labels?: readonly string[]
  read(): Reading | Promise<Reading>
}

/** Without what it is read from, the gauge has no value: an old one would deceive. */
export function addReadGauge(registry: Registry, log: Logger, { name, help, labels = [], read }: ReadGauge): string {
  let reading: Promise<Reading> | undefined
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      // A gauge without labels would be 0 after reset().
      if (labels.length === 0) this.remove()
      else this.reset()
      try {
        reading ??= Promise.resolve(read()).finally(() => {
          reading = undefined
        })
        for (const { labels: own = {}, value } of await inTime(reading)) this.set(own, value)
      } catch (error) {
        log.debug({ err: error, name }, 'a metric could not be read')
      }
    },
  })
  return name
}

/** One value for each name of a label. */
export function readingOf(label: string, values: Readonly<Record<string, number>>): Reading {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}

function inTime<T>(read: Promise<T>): Promise<T> {
  const late = wait(2 * second, undefined, { ref: false }).then(() => {
    throw new Error('no answer in time')
  })
  return Promise.race([read, late])
}
