import { createLoad } from './business-loads.ts'
import type { Line } from './report.ts'
import { compareWithBare, type Settings } from './throughput.ts'

/** Creating a business: idempotency, validation, search words and event against one row in one durable transaction. */
export async function measureCreate(settings: Settings): Promise<Line[]> {
  return compareWithBare(settings, {
    figure: 'P3',
    measured: 'POST /v1/businesses/',
    atLeast: 0.5,
    load: createLoad,
  })
}
