import { listLoad } from './business-loads.ts'
import type { Line } from './report.ts'
import { compareWithBare, type Settings } from './throughput.ts'

/** Listing a page of 25: the same bytes apart from the cursor, which the bare route does not seal. */
export async function measureList(settings: Settings): Promise<Line[]> {
  return compareWithBare(settings, {
    figure: 'P2',
    measured: 'GET /v1/businesses/?page_size=25',
    atLeast: 0.7,
    load: listLoad,
    /** The bare route does not seal its cursor. */
    comparable: (text) => text.replace(/"next_cursor":"[^"]*"/, ''),
  })
}
