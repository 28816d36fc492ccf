// A catalogue as large as P4's largest, from the file to a page of matches, with a server that goes on meanwhile.
import { calculate, importPrograms, makeProject } from './catalogue-work.ts'
import { type Deployment, type Engine, makeDeployment, startPortico } from './deployments.ts'
import { createTimedCall, type TimedCall } from './latency.ts'
import { type Line, median, say, showCount } from './report.ts'
import { residentBytes } from './resident-memory.ts'
import { seedBusinesses } from './seed.ts'
import type { Settings } from './throughput.ts'

export async function measureLargeCatalogue(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`A catalogue of ${showCount(settings.largeTable, 'programmes')} on ${engine}`)
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    try {
      lines.push(...(await measureOn(engine, deployment, settings.largeTable)))
    } finally {
      await deployment.remove()
    }
  }
  return lines
}

async function measureOn(engine: Engine, deployment: Deployment, count: number): Promise<Line[]> {
  const [businessId = ''] = await seedBusinesses(deployment, 1000)
  const line = (measured: string, ours: string, theirs = ''): Line => {
    say(`  ${measured}: ${ours}${theirs && `, ${theirs}`}`)
    return { figure: 'Large catalogue', measured, engine, ours, theirs, ratio: '', hold: 'none set', holds: true }
  }
  const server = await startPortico(deployment, 'all')
  try {
    const call = createTimedCall(server.origin, deployment.key)
    const writer = startWriting(createTimedCall(server.origin, deployment.key), deployment.lead_source_id)
    const imported = await importPrograms(deployment, count)
    const { times, refused } = await writer.stop()
    const lines = [
      line(
        `import of ${showCount(count, 'programmes')} of one recipient, ${megabytes(imported.fileBytes)} of JSON lines`,
        `${seconds(imported.milliseconds)}, ${megabytes(imported.peakBytes)} at the peak`,
      ),
      line(
        'POST /v1/businesses/ while it runs, one after the other',
        `median ${Math.round(median(times))} ms, longest ${seconds(Math.max(...times))}`,
        `not answered: ${refused} of ${times.length}`,
      ),
    ]
    const project = await makeProject(server.origin, deployment, businessId)
    const before = residentBytes(server.pid)
    const first = await calculate(call, project)
    const again = await calculate(call, project)
    lines.push(
      line('the first calculation, which loads the catalogue', seconds(first), `the next: ${seconds(again)}`),
      line(
        'resident memory of the server after two calculations',
        `${megabytes(residentBytes(server.pid))}, ${megabytes(residentBytes(server.pid, 'VmHWM'))} at the peak`,
        `before: ${megabytes(before)}`,
      ),
    )
    const matches = `/v1/projects/${project}/matches/?page_size=25`
    const last = await timesOf(() => call(`${matches}&order=-rank`))
    lines.push(
      line(
        'the first page of matches',
        milliseconds(await timesOf(() => call(matches))),
        `the last: ${milliseconds(last)}`,
      ),
      line(
        'a what-if',
        milliseconds(await timesOf(() => call(`/v1/projects/${project}/what-if/`, { values: { credit_score: 700 } }))),
      ),
    )
    return lines
  } finally {
    await server.stop()
  }
}

/** Writes one business after the other until it is stopped; then how long each took. */
function startWriting(call: TimedCall, lead_source_id: string) {
  const times: number[] = []
  let refused = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      const body = { legal_name: `Business ${times.length}`, country: 'US', lead_source_id }
      const begin = performance.now()
      await call('/v1/businesses/', body).catch((error: Error) => {
        refused++
        say(`  ${error.message.slice(0, 200)}`)
      })
      times.push(performance.now() - begin)
    }
  })()
  return {
    async stop() {
      isOver = true
      await writing
      return { times, refused }
    },
  }
}

async function timesOf(work: () => Promise<{ milliseconds: number }>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 10; round++) times.push((await work()).milliseconds)
  return median(times)
}

const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`
const milliseconds = (value: number) => `${value.toFixed(1)} ms`
const megabytes = (bytes: number) => showCount(bytes / 1_000_000, 'MB')
