// P1 to P3: requests a second of the whole server against those of a bare route, on the same database.

import { type Deployment, type Engine, withBothServers } from './deployments.ts'
import { type Load, runLoad } from './load.ts'
import { alternate, type Line, say, showCount, showRatio } from './report.ts'
import { seedBusinesses } from './seed.ts'

export interface Settings {
  engines: readonly Engine[]
  clusterUrl: string | undefined
  rounds: number
  roundSeconds: number
  /** Until most of the code is compiled: a server that has run for a minute is the one that matters. */
  warmUpSeconds: number
  /** How many businesses a large table has. */
  largeTable: number
  /** How long the soak lasts on each engine. */
  soakMinutes: number
}

interface Contest {
  figure: string
  measured: string
  atLeast: number
  load(deployment: Deployment, ids: readonly string[]): Load
  /** The part of a response in which the sides must not differ; absent where no two responses are alike. */
  comparable?(text: string): string
}

export async function compareWithBare(settings: Settings, contest: Contest): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`${contest.figure} on ${engine}`)
    let ids: string[] = []
    const prepare = async (deployment: Deployment) => {
      ids = await seedBusinesses(deployment, smallTable)
    }
    const comparison = await withBothServers(
      engine,
      settings.clusterUrl,
      prepare,
      async (deployment, portico, bare) => {
        const load = contest.load(deployment, ids)
        if (contest.comparable) await requireEqual(load, portico.origin, bare.origin, contest.comparable)
        const measure = (origin: string) => () => runLoad(origin, load, settings.roundSeconds)
        for (const { origin } of [portico, bare]) await runLoad(origin, load, settings.warmUpSeconds)
        return alternate(settings.rounds, measure(portico.origin), measure(bare.origin))
      },
    )
    lines.push({
      figure: contest.figure,
      measured: contest.measured,
      engine,
      ours: showCount(comparison.ours, 'requests/s'),
      theirs: `bare route: ${showCount(comparison.theirs, 'requests/s')}`,
      ratio: showRatio(comparison),
      hold: `≥ ${contest.atLeast.toFixed(2)}`,
      holds: comparison.ratio >= contest.atLeast,
    })
  }
  return lines
}

/** A contest is fair only between servers that do the same. */
async function requireEqual(load: Load, ours: string, theirs: string, comparable: (text: string) => string) {
  for (const path of load.paths.slice(0, 20)) {
    const [a, b] = [comparable(await read(ours, path, load)), comparable(await read(theirs, path, load))]
    if (a === b) continue
    const start = Math.max(0, [...a].findIndex((character, index) => character !== b[index]) - 40)
    throw new Error(`the two sides differ at ${path}:\n${a.slice(start, start + 120)}\n${b.slice(start, start + 120)}`)
  }
}

async function read(origin: string, path: string, { headers }: Load): Promise<string> {
  const response = await fetch(origin + path, { headers })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  return response.text()
}

export const smallTable = 10_000
