// The one histogram that every request passes. The library is told of many requests at once: finding the counters of
// one by its labels, in the midst of all else that a request does, takes several times as long as in a row.
import { Histogram, type Registry } from 'prom-client'

interface Observation {
  method: string
  route: string
  status: number
  seconds: number
}

type Observe = (method: string, route: string, status: number, durationMs: number) => void

export function createRequestDurations(registry: Registry): Observe {
  let waiting: Observation[] = []
  const tell = () => {
    for (const { seconds, ...labels } of waiting) histogram.observe(labels, seconds)
    waiting = []
  }
  const histogram = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Time from receiving a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
    // Whoever reads the metrics reads of every request.
    collect: tell,
  })
  return (method, route, status, durationMs) => {
    waiting.push({ method, route, status, seconds: durationMs / 1000 })
    if (waiting.length === toldAtOnce) tell()
  }
}

const toldAtOnce = 256
