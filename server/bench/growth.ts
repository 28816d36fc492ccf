// Growth: a deep page against the first one, and a large table against a small one. Latency of single requests.
import { type Deployment, type Engine, makeDeployment, startPortico } from './deployments.ts'
import { compareLatency, createTimedCall, type TimedCall } from './latency.ts'
import type { ServerProcess } from './processes.ts'
import { type Comparison, type Line, say, showProgress, showRatio } from './report.ts'
import { type Settings, smallTable } from './throughput.ts'

/** A table of so many records, and a server on it. */
interface Grown {
  count: number
  deployment: Deployment
  call: TimedCall
}

/** Works with a small and a large table, each filled past the API. */
export async function withTables<Filled>(
  settings: Settings,
  engine: Engine,
  fill: (deployment: Deployment, count: number) => Promise<Filled>,
  work: (large: Grown & Filled, small: Grown & Filled) => Promise<Line[]>,
): Promise<Line[]> {
  const deployments: Deployment[] = []
  const servers: ServerProcess[] = []
  const settle = async (count: number): Promise<Grown & Filled> => {
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    deployments.push(deployment)
    const filled = await fill(deployment, count)
    const server = await startPortico(deployment)
    servers.push(server)
    return { count, deployment, call: createTimedCall(server.origin, deployment.key), ...filled }
  }
  try {
    const small = await settle(smallTable)
    return await work(await settle(settings.largeTable), small)
  } finally {
    for (const server of servers) await server.stop()
    for (const deployment of deployments) await deployment.remove()
  }
}

/** A deep page of a list against its first and second page. */
export async function comparePages(
  settings: Settings,
  engine: Engine,
  { count, call, first, noun }: { count: number; call: TimedCall; first: string; noun: string },
): Promise<Line[]> {
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
    const measured = `page ${depth.toLocaleString('en')} against page ${other}, of ${count.toLocaleString('en')} ${noun}`
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

/** Each request on a large table against the same on a small one. */
export async function compareTables<Table extends { count: number }>(
  settings: Settings,
  engine: Engine,
  { large, small, noun }: { large: Table; small: Table; noun: string },
  requests: Readonly<Record<string, (table: Table) => ReturnType<TimedCall>>>,
): Promise<Line[]> {
  const lines: Line[] = []
  for (const [name, send] of Object.entries(requests)) {
    say(`  ${name}`)
    const comparison = await compareLatency(
      settings.rounds,
      () => send(large),
      () => send(small),
    )
    const measured = `${name}, ${large.count.toLocaleString('en')} ${noun} against ${small.count.toLocaleString('en')}`
    lines.push(toLine(engine, measured, 'small table', comparison))
  }
  return lines
}

function toLine(engine: Engine, measured: string, other: string, comparison: Comparison): Line {
  const show = (milliseconds: number) => `${milliseconds.toFixed(3)} ms`
  // It takes long: what was measured is not lost when somebody ends it.
  say(`  ${measured}: ${showRatio(comparison)}`)
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
