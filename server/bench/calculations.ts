// Calculations as a Portal sees them, on a catalogue of 100,000 programmes: what requests beside them notice, and whether
// a page of matches costs the same wherever it is.
import { calculate, importPrograms, makeProject } from './catalogue-work.ts'
import { type Deployment, type Engine, makeDeployment, startPortico } from './deployments.ts'
import { compareLatency, createTimedCall, type TimedCall } from './latency.ts'
import { measureNewMatches } from './new-matches.ts'
import { alternate, type Line, say, showCount, showRatio } from './report.ts'
import { residentBytes } from './resident-memory.ts'
import { seedBusinesses } from './seed.ts'
import type { Settings } from './throughput.ts'

export async function measureCalculations(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`Calculations on ${engine}`)
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    try {
      const [businessId = ''] = await seedBusinesses(deployment, 1000)
      // A tenth of the largest table: 100,000, or 10,000 in a quick run.
      const programCount = settings.largeTable / 10
      say(`  imported in ${((await importPrograms(deployment, programCount)).milliseconds / 1000).toFixed(1)} s`)
      const server = await startPortico(deployment, 'all')
      let project: string
      try {
        const call = createTimedCall(server.origin, deployment.key)
        project = await makeProject(server.origin, deployment, businessId)
        const before = residentBytes(server.pid)
        const first = await calculate(call, project)
        const again = await calculate(call, project)
        say(
          `  first calculation ${first.toFixed(0)} ms, the next ${again.toFixed(0)} ms, each with up to 1 s in the queue`,
        )
        lines.push(
          memoryLine(engine, programCount, before, residentBytes(server.pid), residentBytes(server.pid, 'VmHWM')),
        )
        lines.push(await measureBeside(settings, engine, server.origin, deployment, businessId, project))
        lines.push(await measurePages(settings, engine, call, project))
      } finally {
        await server.stop()
      }
      lines.push(await measureNewMatches(engine, deployment, project))
    } finally {
      await deployment.remove()
    }
  }
  return lines
}

/** The slowest of a hundred reads, with calculations one after the other and without. */
async function measureBeside(
  settings: Settings,
  engine: Engine,
  origin: string,
  { key }: Deployment,
  businessId: string,
  project: string,
): Promise<Line> {
  // A connection each: a read must not wait for an answer about a calculation.
  const [call, calculator] = [createTimedCall(origin, key), createTimedCall(origin, key)]
  const p99 = async () => {
    const times: number[] = []
    const end = performance.now() + settings.roundSeconds * 1000
    while (performance.now() < end) times.push((await call(`/v1/businesses/${businessId}/`)).milliseconds)
    return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
  }
  const beside = async () => {
    let isOver = false
    const calculating = (async () => {
      while (!isOver) await calculate(calculator, project)
    })()
    const measured = await p99()
    isOver = true
    await calculating
    return measured
  }
  await p99()
  const comparison = await alternate(settings.rounds, beside, p99)
  return {
    figure: 'Calculations',
    measured: 'p99 of GET /v1/businesses/{id}/ while matches are calculated',
    engine,
    ours: `${comparison.ours.toFixed(1)} ms`,
    theirs: `without calculations: ${comparison.theirs.toFixed(1)} ms`,
    ratio: showRatio(comparison),
    hold: '≤ 20 ms more',
    holds: comparison.ours - comparison.theirs <= 20,
  }
}

function memoryLine(engine: Engine, programCount: number, before: number, after: number, most: number): Line {
  const show = (bytes: number) => showCount(bytes / 1_000_000, 'MB')
  return {
    figure: 'Calculations',
    measured: `resident memory of the server after two calculations over ${showCount(programCount, 'programmes')}`,
    engine,
    ours: `${show(after)}, ${show(most)} at the peak`,
    theirs: `before: ${show(before)}`,
    ratio: '',
    hold: 'none set',
    holds: true,
  }
}

async function measurePages(settings: Settings, engine: Engine, call: TimedCall, project: string): Promise<Line> {
  const matches = `/v1/projects/${project}/matches/?page_size=25`
  const comparison = await compareLatency(
    settings.rounds,
    () => call(`${matches}&outcome=ineligible`),
    () => call(matches),
  )
  return {
    figure: 'Calculations',
    measured: 'a page of matches behind tens of thousands of others',
    engine,
    ours: `${comparison.ours.toFixed(1)} ms`,
    theirs: `the first page: ${comparison.theirs.toFixed(1)} ms`,
    ratio: showRatio(comparison),
    hold: '≤ 1.30',
    holds: comparison.ratio <= 1.3,
  }
}
