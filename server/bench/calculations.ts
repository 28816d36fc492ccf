// Calculations as a Portal sees them, on a catalogue of 100,000 programmes: what requests beside them notice, and whether
// a page of matches costs the same wherever it is.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { dayNumber } from '../src/areas/funding-recommendations/matching/days.ts'
import { believableRecipients, knownProject } from './believable-programs.ts'
import { type Deployment, type Engine, makeDeployment, startPortico } from './deployments.ts'
import { compareLatency, createTimedCall, type TimedCall } from './latency.ts'
import { measureNewMatches } from './new-matches.ts'
import { runPortico } from './programs.ts'
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
      say(`  imported in ${((await importPrograms(deployment, programCount)) / 1000).toFixed(1)} s`)
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

/** From the request to the completed calculation, in milliseconds. */
async function calculate(call: TimedCall, project: string): Promise<number> {
  const begin = performance.now()
  const { id } = JSON.parse((await call(`/v1/projects/${project}/match-calculations/`, {})).text)
  for (;;) {
    const { state } = JSON.parse((await call(`/v1/projects/${project}/match-calculations/${id}/`)).text)
    if (state === 'completed') return performance.now() - begin
    if (state === 'failed') throw new Error('a calculation failed')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function makeProject(origin: string, { key }: Deployment, businessId: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  const made = await fetch(`${origin}/v1/projects/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ business_id: businessId }),
  })
  const { id } = JSON.parse(await made.text())
  const url = `${origin}/v1/projects/${id}/criteria/`
  const { etag } = JSON.parse(await (await fetch(url, { headers })).text())
  // Some are left out, so that all outcomes occur.
  const { credit_score: _, collateral: __, ...values } = knownProject
  const changed = await fetch(url, {
    method: 'PATCH',
    headers: { ...headers, 'if-match': etag, 'idempotency-key': randomUUID() },
    body: JSON.stringify({ values }),
  })
  if (!changed.ok) throw new Error(await changed.text())
  return id
}

/** Brings the programmes in as an administrator would; returns the milliseconds. */
async function importPrograms({ environment, portal_id }: Deployment, programCount: number): Promise<number> {
  const publish = [
    'recipient',
    'publish',
    '--portal',
    portal_id,
    '--name',
    'Bench',
    '--kind',
    'lender',
    '--country',
    'US',
  ]
  const { id } = await runPortico(publish, environment)
  const file = join(tmpdir(), `portico-bench-${process.pid}.jsonl`)
  const out = createWriteStream(file)
  let number = 0
  for (const { programs } of believableRecipients(programCount, dayNumber('2026-06-15')))
    for (const { id: _, version: __, ...terms } of programs) {
      const row = { external_reference: `p-${number}`, name: `Programme ${number++}`, status: 'open', ...terms }
      if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, 'drain')
    }
  await finished(out.end())
  const begin = performance.now()
  await runPortico(['program', 'import', file, '--recipient', id], environment, { timeoutMs: 20 * 60_000 })
  rmSync(file)
  return performance.now() - begin
}
