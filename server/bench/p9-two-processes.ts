// P9: two API processes on one PostgreSQL against one. PostgreSQL and the load need processors of their own, so the
// wall clock shows the gain only on a machine with four cores or more. What every machine shows is how much work of the
// API processes a request costs: if two of them got in each other's way, it would rise.
import { cpus } from 'node:os'
import { createLoad, readLoad } from './business-loads.ts'
import { type Deployment, makeDeployment, startPortico } from './deployments.ts'
import { type Load, runLoad } from './load.ts'
import type { ServerProcess } from './processes.ts'
import { type Line, median, say, showCount, showProgress } from './report.ts'
import { processorMs } from './resident-memory.ts'
import { seedBusinesses } from './seed.ts'
import type { Settings } from './throughput.ts'

export async function measureTwoProcesses(settings: Settings): Promise<Line[]> {
  if (!settings.engines.includes('postgres')) return []
  const deployment = await makeDeployment('postgres', settings.clusterUrl)
  const ids = await seedBusinesses(deployment, 10_000)
  const servers: ServerProcess[] = []
  try {
    for (let i = 0; i < 2; i++) servers.push(await startPortico(deployment, 'all'))
    const lines: Line[] = []
    for (const [name, load] of loadsOn(deployment, ids)) {
      say(`P9: ${name}`)
      lines.push(await compareOneWithTwo(servers, name, load, settings))
    }
    return lines
  } finally {
    for (const server of servers) await server.stop()
    await deployment.remove()
  }
}

function loadsOn(deployment: Deployment, ids: readonly string[]): [string, Load][] {
  return [
    ['GET /v1/businesses/{id}/', readLoad(deployment, ids)],
    ['POST /v1/businesses/', createLoad(deployment)],
  ]
}

interface Round {
  perSecond: number
  /** Of all API processes together. */
  microseconds: number
}

async function compareOneWithTwo(
  servers: readonly ServerProcess[],
  name: string,
  load: Load,
  settings: Settings,
): Promise<Line> {
  await runOn(servers, load, settings.warmUpSeconds)
  const [one, two]: [Round[], Round[]] = [[], []]
  for (let round = 0; round < settings.rounds; round++) {
    one.push(await runOn(servers.slice(round % 2, (round % 2) + 1), load, settings.roundSeconds))
    two.push(await runOn(servers, load, settings.roundSeconds))
    showProgress('  rounds', round + 1, settings.rounds)
  }
  const rate = (rounds: readonly Round[]) => median(rounds.map(({ perSecond }) => perSecond))
  const cost = (rounds: readonly Round[]) => median(rounds.map(({ microseconds }) => microseconds))
  const ratio = median(two.map(({ perSecond }, index) => perSecond / (one[index]?.perSecond ?? Number.NaN)))
  const show = (rounds: readonly Round[]) =>
    `${showCount(rate(rounds), 'requests/s')}, ${showCount(cost(rounds), 'µs of the API processes each')}`
  const hasCores = cpus().length >= 4
  return {
    figure: 'P9',
    measured: `${name}, two API processes on one database, ${cpus().length} cores for them, PostgreSQL and the load`,
    engine: 'postgres',
    ours: show(two),
    theirs: `one process: ${show(one)}`,
    ratio: ratio.toFixed(2),
    hold: hasCores ? '≥ 1.60' : 'cost of a request ≤ 1.15 × that of one process (too few cores for ≥ 1.60)',
    holds: hasCores ? ratio >= 1.6 : cost(two) <= 1.15 * cost(one),
  }
}

/** The same load on each of them, at the same time. */
async function runOn(servers: readonly ServerProcess[], load: Load, seconds: number): Promise<Round> {
  const used = () => servers.reduce((sum, { pid }) => sum + processorMs(pid), 0)
  const before = used()
  const rates = await Promise.all(servers.map(({ origin }) => runLoad(origin, load, seconds)))
  const perSecond = rates.reduce((sum, rate) => sum + rate, 0)
  return { perSecond, microseconds: ((used() - before) * 1000) / (perSecond * seconds) }
}
