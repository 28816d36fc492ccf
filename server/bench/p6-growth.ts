// Growth of the table of businesses.
import type { Deployment, Engine } from './deployments.ts'
import { comparePages, compareTables, withTables } from './growth.ts'
import type { TimedCall } from './latency.ts'
import { type Line, say } from './report.ts'
import { seedBusinesses, seededNumber, typicalBusiness } from './seed.ts'
import type { Settings } from './throughput.ts'

export async function measureGrowth(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) lines.push(...(await measureEngine(settings, engine)))
  return lines
}

async function measureEngine(settings: Settings, engine: Engine): Promise<Line[]> {
  say(`P6 on ${engine}`)
  const fill = async (deployment: Deployment, count: number) => ({
    ids: await seedBusinesses(deployment, count),
    lead_source_id: deployment.lead_source_id,
  })
  return withTables(settings, engine, fill, async (large, small) => {
    const first = '/v1/businesses/?page_size=25'
    return [
      ...(await comparePages(settings, engine, { ...large, first, noun: 'businesses' })),
      ...(await compareTables(settings, engine, { large, small, noun: 'businesses' }, businessRequests())),
    ]
  })
}

interface Table {
  count: number
  ids: readonly string[]
  lead_source_id: string
  call: TimedCall
}

function businessRequests(): Record<string, (table: Table) => ReturnType<TimedCall>> {
  let unique = 0
  // Another record each time, all over the table.
  const anyIndex = ({ count }: Table) => (++unique * 7919) % count
  const anyNumber = (table: Table) => seededNumber(anyIndex(table))
  return {
    'read one business': (table) => table.call(`/v1/businesses/${table.ids[anyIndex(table)]}/`),
    'first page of 25': ({ call }) => call('/v1/businesses/?page_size=25'),
    'first page by name': ({ call }) => call('/v1/businesses/?page_size=25&order=legal_name'),
    'first page of one country': ({ call }) => call('/v1/businesses/?page_size=25&country=DE'),
    'find by external reference': (table) => table.call(`/v1/businesses/?external_reference=crm-${anyNumber(table)}`),
    'search for a word of one business': (table) => table.call(`/v1/businesses/?search=${anyNumber(table)}`),
    'search for a word of every ninth business': ({ call }) => call('/v1/businesses/?search=dental'),
    'create a business': ({ call, lead_source_id }) =>
      call('/v1/businesses/', typicalBusiness(`new${++unique}`, lead_source_id)),
  }
}
