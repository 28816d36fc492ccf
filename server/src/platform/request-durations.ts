// The one histogram that every request passes. It counts in plain numbers and puts them into the form of a metric only
// when somebody reads the metrics: finding the counters of a label the library's way takes longer than the counting.
import { Histogram, type Registry } from 'prom-client'

type Label = 'method' | 'route' | 'status'

interface Series {
  labels: Record<Label, string | number>
  /** How many requests fell into each bucket; the last one has no upper end. */
  counts: number[]
  sumSeconds: number
}

export class RequestDurations extends Histogram<Label> {
  /** By route: a text that is there already, while a name made of all labels would have to be made each time. */
  readonly #series = new Map<string, Series[]>()

  constructor(registry: Registry) {
    super({ name: metricName, help, labelNames: ['method', 'route', 'status'], registers: [registry] })
  }

  count(method: string, route: string, status: number, durationMs: number): void {
    let ofRoute = this.#series.get(route)
    if (!ofRoute) {
      ofRoute = []
      this.#series.set(route, ofRoute)
    }
    let series = ofRoute.find(({ labels }) => labels.status === status && labels.method === method)
    if (!series) {
      const labels = { method, route, status }
      series = { labels, counts: Array.from({ length: upperEnds.length }, () => 0), sumSeconds: 0 }
      ofRoute.push(series)
    }
    const seconds = durationMs / 1000
    let bucket = 0
    while (seconds > (upperEnds[bucket] ?? 0)) bucket++
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sumSeconds += seconds
  }

  /** Asked for by the registry, which takes its lines from here. */
  async getForPromString() {
    const values = [...this.#series.values()].flat().flatMap(toValues)
    return { name: metricName, help, type: 'histogram', aggregator: 'sum', values }
  }
}

/** The lines of one series: requests up to each bucket's end, then their sum and their number. */
function toValues({ labels, counts, sumSeconds }: Series) {
  let total = 0
  const buckets = upperEnds.map((end, index) => {
    total += counts[index] ?? 0
    return {
      metricName: `${metricName}_bucket`,
      labels: { ...labels, le: end === Infinity ? '+Inf' : end },
      value: total,
    }
  })
  return [
    ...buckets,
    { metricName: `${metricName}_sum`, labels, value: sumSeconds },
    { metricName: `${metricName}_count`, labels, value: total },
  ]
}

const metricName = 'portico_http_request_duration_seconds'
const help = 'Time from receiving a request to the end of its response.'
const upperEnds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, Infinity]
