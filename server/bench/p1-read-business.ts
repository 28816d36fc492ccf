import { readLoad } from './business-loads.ts'
import type { Line } from './report.ts'
import { compareWithBare, type Settings } from './throughput.ts'

/** Reading one business: key, rate, grant, ETag, log and metrics against nothing but the query. */
export async function measureRead(settings: Settings): Promise<Line[]> {
  return compareWithBare(settings, {
    figure: 'P1',
    measured: 'GET /v1/businesses/{id}/',
    atLeast: 0.7,
    load: readLoad,
    comparable: (text) => text,
  })
}
