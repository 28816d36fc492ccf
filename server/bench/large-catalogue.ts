// A catalogue as large as P4's largest, from the file to a page of matches, with a server that goes on meanwhile. The same
// is done with a tenth of it, so that one run shows how the costs grow.
import { calculate, importPrograms, makeProject } from './catalogue-work.ts'
import { type Engine, makeDeployment, startPortico } from './deployments.ts'
import { createTimedCall, type TimedCall } from './latency.ts'
import { type Line, median, say, showCount } from './report.ts'
import { processorMs, residentBytes } from './resident-memory.ts'
import { seedBusinesses } from './seed.ts'
import type { Settings } from './throughput.ts'

/** Ten times the programmes may take so many times ten times as long. Between two runs the machine is not the same. */
const steepest = 1.3

export async function measureLargeCatalogue(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    const small = await measureWith(engine, settings, settings.largeTable / 10)
    const large = await measureWith(engine, settings, settings.largeTable)
    lines.push(...linesOf(engine, small, large))
  }
  return lines
}

type Measured = Awaited<ReturnType<typeof measureWith>>

async function measureWith(engine: Engine, { clusterUrl }: Settings, count: number) {
  say(`A catalogue of ${showCount(count, 'programmes')} on ${engine}`)
  const deployment = await makeDeployment(engine, clusterUrl)
  try {
    const [businessId = ''] = await seedBusinesses(deployment, 1000)
    const server = await startPortico(deployment, 'all')
    try {
      const call = createTimedCall(server.origin, deployment.key)
      const timed = async (work: () => Promise<number>) => {
        const before = processorMs(server.pid)
        return { milliseconds: await work(), processorMs: processorMs(server.pid) - before }
      }
      const writer = startWriting(createTimedCall(server.origin, deployment.key), deployment.lead_source_id)
      const imported = await importPrograms(deployment, count)
      const written = await writer.stop()
      say(`  import: ${showTimes(imported)}, ${megabytes(imported.peakBytes)}; writes: ${showWrites(written)}`)
      const project = await makeProject(server.origin, deployment, businessId)
      const before = residentBytes(server.pid)
      const first = await timed(() => calculate(call, project))
      const again = await timed(() => calculate(call, project))
      say(`  calculations: ${showTimes(first)}; ${showTimes(again)}`)
      const memory = { before, after: residentBytes(server.pid), peak: residentBytes(server.pid, 'VmHWM') }
      const matches = `/v1/projects/${project}/matches/?page_size=25`
      const values = { credit_score: 700 }
      return {
        ...{ count, imported, written, first, again, memory },
        firstPage: await medianOf(() => call(matches)),
        lastPage: await medianOf(() => call(`${matches}&order=-rank`)),
        whatIf: await medianOf(() => untilAnswered(() => call(`/v1/projects/${project}/what-if/`, { values }))),
      }
    } finally {
      await server.stop()
    }
  } finally {
    await deployment.remove()
  }
}

function linesOf(engine: Engine, small: Measured, large: Measured): Line[] {
  const figure = 'Large catalogue'
  const tenth = showCount(small.count, 'programmes')
  /** Judged by processor time, which others on the machine do not take. */
  const grown = (measured: string, timesOf: (one: Measured) => { milliseconds: number; processorMs: number }): Line => {
    const show = (one: Measured) => showTimes(timesOf(one))
    const factor = large.count / small.count
    const growth = timesOf(large).processorMs / timesOf(small).processorMs / factor
    return {
      ...{ figure, measured, engine, ours: show(large), theirs: `${tenth}: ${show(small)}` },
      ratio: `${growth.toFixed(2)} of linear`,
      hold: `≤ ${steepest} of linear`,
      holds: growth <= steepest,
    }
  }
  const both = (measured: string, show: (one: Measured) => string): Line => ({
    ...{ figure, measured, engine, ours: show(large), theirs: `${tenth}: ${show(small)}` },
    ...{ ratio: '', hold: 'none set', holds: true },
  })
  const { fileBytes } = large.imported
  return [
    grown(
      `import of ${showCount(large.count, 'programmes')} of one recipient, ${megabytes(fileBytes)} of JSON lines`,
      ({ imported }) => imported,
    ),
    both('memory of the import at the peak', ({ imported }) => megabytes(imported.peakBytes)),
    both('POST /v1/businesses/ while it runs, one after the other', ({ written }) => showWrites(written)),
    grown('the first calculation, which loads the catalogue', ({ first }) => first),
    grown('the next calculation', ({ again }) => again),
    both(
      'resident memory of the server after two calculations',
      ({ memory }) =>
        `${megabytes(memory.after)}, ${megabytes(memory.peak)} at the peak, ${megabytes(memory.before)} before`,
    ),
    both('the first page of matches', ({ firstPage }) => milliseconds(firstPage)),
    both('the last page of matches', ({ lastPage }) => milliseconds(lastPage)),
    both('a what-if', ({ whatIf }) => milliseconds(whatIf)),
  ]
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

/** On a busy machine a question may take longer than anybody is kept waiting: then it is asked again, and that counts. */
async function untilAnswered(ask: () => Promise<unknown>): Promise<{ milliseconds: number }> {
  const begin = performance.now()
  for (let round = 1; ; round++) {
    try {
      await ask()
      return { milliseconds: performance.now() - begin }
    } catch (error) {
      if (round === 5) throw error
      say(`  ${String(error).slice(0, 120)}`)
    }
  }
}

async function medianOf(work: () => Promise<{ milliseconds: number }>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 10; round++) times.push((await work()).milliseconds)
  return median(times)
}

const showTimes = (one: { milliseconds: number; processorMs: number }) =>
  `${seconds(one.milliseconds)}, ${seconds(one.processorMs)} of the processor`
const showWrites = ({ times, refused }: { times: readonly number[]; refused: number }) =>
  `median ${Math.round(median(times))} ms, longest ${seconds(longestOf(times))}, not answered ${refused} of ${times.length}`
/** Too many to be arguments. */
const longestOf = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), 0)
const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`
const milliseconds = (value: number) => `${value.toFixed(1)} ms`
const megabytes = (bytes: number) => showCount(bytes / 1_000_000, 'MB')
