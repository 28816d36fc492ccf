import { type Engine, makeDeployment, startBare, startPortico } from './deployments.ts'
import type { ServerProcess } from './processes.ts'
import { runPortico } from './programs.ts'
import { type Line, median, say, showCount, showProgress } from './report.ts'
import { residentBytes } from './resident-memory.ts'
import type { Settings } from './throughput.ts'

/** From starting the process to the first ready answer, and what it holds in memory when nobody calls. */
export async function measureStartAndMemory(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`P7 on ${engine}`)
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    try {
      await runPortico(['demo'], deployment.environment)
      // What the demo leaves to the worker is done before anything is measured.
      const first = await startPortico(deployment, 'all')
      await new Promise((resolve) => setTimeout(resolve, idleMs))
      await first.stop()
      const ours = await measureServer(() => startPortico(deployment, 'all'))
      const theirs = await measureServer(() => startBare(deployment, 'all'))
      lines.push(...toLines(engine, ours, theirs))
    } finally {
      await deployment.remove()
    }
  }
  return lines
}

interface Measured {
  readyMs: number
  idleBytes: number
}

async function measureServer(start: () => Promise<ServerProcess>): Promise<Measured> {
  const times: number[] = []
  for (let round = 1; round <= starts; round++) {
    const server = await start()
    times.push(server.readyMs)
    if (round === starts) await new Promise((resolve) => setTimeout(resolve, idleMs))
    const idleBytes = residentBytes(server.pid)
    await server.stop()
    showProgress('  starts', round, starts)
    if (round === starts) return { readyMs: median(times), idleBytes }
  }
  throw new Error('nothing was started')
}

function toLines(engine: Engine, ours: Measured, theirs: Measured): Line[] {
  const showMs = (value: number) => showCount(value, 'ms')
  const showMegabytes = (value: number) => showCount(value / 1_000_000, 'MB')
  const show = (value: number, other: number) => (value / other).toFixed(2)
  return [
    {
      figure: 'P7',
      measured: `cold start to readyz, median of ${starts}`,
      engine,
      ours: showMs(ours.readyMs),
      theirs: `bare route: ${showMs(theirs.readyMs)}`,
      ratio: show(ours.readyMs, theirs.readyMs),
      hold: `≤ ${showMs(maximumReadyMs)}`,
      holds: ours.readyMs <= maximumReadyMs,
    },
    {
      figure: 'P7',
      measured: `resident memory after ${idleMs / 1000} s without requests`,
      engine,
      ours: showMegabytes(ours.idleBytes),
      theirs: `bare route: ${showMegabytes(theirs.idleBytes)}`,
      ratio: show(ours.idleBytes, theirs.idleBytes),
      hold: `≤ ${showMegabytes(maximumIdleBytes)}`,
      holds: ours.idleBytes <= maximumIdleBytes,
    },
  ]
}

const starts = 10
const idleMs = 5000
const maximumReadyMs = 1000
const maximumIdleBytes = 150_000_000
