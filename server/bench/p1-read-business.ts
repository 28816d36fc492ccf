import type { Line } from './report.ts'
import { compareWithBare, type Settings } from './throughput.ts'

/** Reading one business: key, rate, grant, ETag, log and metrics against nothing but the query. */
export async function measureRead(settings: Settings): Promise<Line[]> {
  return compareWithBare(settings, {
    figure: 'P1',
    measured: 'GET /v1/businesses/{id}/',
    atLeast: 0.7,
    load: ({ key }, ids) => ({
      method: 'GET',
      // Spread over the table, so that no single row stays in every cache.
      paths: ids.filter((_, index) => index % 20 === 0).map((id) => `/v1/businesses/${id}/`),
      headers: { authorization: `Bearer ${key}` },
    }),
    comparable: (text) => text,
  })
}
