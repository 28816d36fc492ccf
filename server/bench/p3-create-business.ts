import type { Line } from './report.ts'
import { typicalBusiness } from './seed.ts'
import { compareWithBare, type Settings } from './throughput.ts'

/** Creating a business: idempotency, validation, search words and event against one row in one durable transaction. */
export async function measureCreate(settings: Settings): Promise<Line[]> {
  return compareWithBare(settings, {
    figure: 'P3',
    measured: 'POST /v1/businesses/',
    atLeast: 0.5,
    load: ({ key, lead_source_id }) => ({
      method: 'POST',
      paths: ['/v1/businesses/'],
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': 'bench-{unique}',
      },
      body: JSON.stringify(typicalBusiness('{unique}', lead_source_id)),
    }),
  })
}
