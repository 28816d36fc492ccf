// Growth: a deep page against the first one, and a large table against a small one. Latency of single requests.

import { type Deployment, type Engine, makeDeployment, startPortico } from './deployments.ts'
import { compareLatency, createTimedCall, type TimedCall } from './latency.ts'
import type { ServerProcess } from './processes.ts'
import { type Comparison, type Line, say, showProgress, showRatio } from './report.ts'
import { seedBusinesses, seededNumber, typicalBusiness } from './seed.ts'
import { type Settings, smallTable } from './throughput.ts'

export async function measureGrowth(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) lines.push(...(await measureEngine(settings, engine)))
  return lines
}

async function measureEngine(settings: Settings, engine: Engine): Promise<Line[]> {
  say(`P6 on ${engine}`)
  const deployments: Deployment[] = []
  const servers: ServerProcess[] = []
  const settle = async (count: number): Promise<Table> => {
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    deployments.push(deployment)
    const ids = await seedBusinesses(deployment, count)
    const server = await startPortico(deployment)
    servers.push(server)
    return {
      count,
      ids,
      lead_source_id: deployment.lead_source_id,
      call: createTimedCall(server.origin, deployment.key),
    }
  }
  try {
    const small = await settle(smallTable)
    const large = await settle(settings.largeTable)
    return [...(await comparePages(settings, engine, large)), ...(await compareTables(settings, engine, large, small))]
  } finally {
    for (const server of servers) await server.stop()
    for (const deployment of deployments) await deployment.remove()
  }
}

interface Table {
  count: number
  ids: readonly string[]
  lead_source_id: string
  call: TimedCall
}

async function comparePages(settings: Settings, engine: Engine, { count, call }: Table): Promise<Line[]> {
  const first = '/v1/businesses/?page_size=25'
  const depth = Math.min(10_000, Math.floor(count / 25))
  const cursors = await walk(call, first, depth)
  const page = (number: number) => (number === 1 ? first : `${first}&cursor=${cursors.get(number)}`)
  const lines: Line[] = []
  for (const other of [1, 2]) {
    const comparison = await compareLatency(
      settings.rounds,
      () => call(page(depth)),
      () => call(page(other)),
    )
    const measured = `page ${depth.toLocaleString('en')} against page ${other}, of ${count.toLocaleString('en')} businesses`
    lines.push(toLine(engine, measured, `page ${other}`, comparison))
  }
  return lines
}

/** Follows next_cursor page by page; the cursors of page 2 and of the page at `depth`. */
async function walk(call: TimedCall, first: string, depth: number): Promise<Map<number, string>> {
  const kept = new Map<number, string>()
  let path = first
  for (let page = 2; page <= depth; page++) {
    const { next_cursor } = JSON.parse((await call(path)).text)
    if (page === 2 || page === depth) kept.set(page, next_cursor)
    path = `${first}&cursor=${next_cursor}`
    if (page % 500 === 0 || page === depth) showProgress('  walking', page, depth)
  }
  return kept
}

async function compareTables(settings: Settings, engine: Engine, large: Table, small: Table): Promise<Line[]> {
  let unique = 0
  // Another record each time, all over the table.
  const anyIndex = ({ count }: Table) => (++unique * 7919) % count
  const anyNumber = (table: Table) => seededNumber(anyIndex(table))
  const requests: Record<string, (table: Table) => ReturnType<TimedCall>> = {
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
  const lines: Line[] = []
  for (const [name, send] of Object.entries(requests)) {
    say(`  ${name}`)
    const comparison = await compareLatency(
      settings.rounds,
      () => send(large),
      () => send(small),
    )
    const measured = `${name}, ${large.count.toLocaleString('en')} businesses against ${small.count.toLocaleString('en')}`
    lines.push(toLine(engine, measured, 'small table', comparison))
  }
  return lines
}

function toLine(engine: Engine, measured: string, other: string, comparison: Comparison): Line {
  const show = (milliseconds: number) => `${milliseconds.toFixed(3)} ms`
  return {
    figure: 'P6',
    measured,
    engine,
    ours: show(comparison.ours),
    theirs: `${other}: ${show(comparison.theirs)}`,
    ratio: showRatio(comparison),
    hold: `≤ ${atMost}`,
    holds: comparison.ratio <= atMost,
  }
}

const atMost = 1.3
