// R13: three times the load that a server can answer. What it answers then, against what it answers at its best; how
// long a refusal takes; whether fresh connections get an answer; how soon all is well again; and what a second Portal
// notices of it. Then clients that send again as soon as they are answered, whatever they are told. The load has a core
// to itself; PostgreSQL shares the other one with the server, because what sends three times as much must not take
// processor time from what answers.
import { existsSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { type OpenLoad, percentile, sendOpenLoop, type Tally, watchProbes } from '../test/faults/open-loop.ts'
import { createLoad, listLoad, readLoad } from './business-loads.ts'
import { type Deployment, makeDeployment, startPortico } from './deployments.ts'
import type { Load } from './load.ts'
import { moveProcesses, type ServerProcess } from './processes.ts'
import { runPortico } from './programs.ts'
import { type Line, say, showCount } from './report.ts'
import { processorMs, residentBytes } from './resident-memory.ts'
import { seedBusinesses } from './seed.ts'
import type { Settings } from './throughput.ts'

export async function measureOverload(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  const seconds = settings.rounds * settings.roundSeconds >= 20 ? 60 : 10
  for (const engine of settings.engines) {
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    const ids = await seedBusinesses(deployment, 1000)
    const quiet = await newQuietPortal(deployment)
    const postgres = engine === 'postgres' ? await postgresProcesses(settings.clusterUrl ?? '') : []
    moveProcesses(postgres, 'server')
    for (const mix of mixes) {
      say(`R13 on ${engine}: ${mix.name}`)
      const server = await startPortico(deployment)
      try {
        lines.push(...(await overload(server, deployment, { mix, ids, quiet, seconds, settings })))
      } finally {
        await server.stop()
      }
    }
    moveProcesses(postgres, 'driver')
    await deployment.remove()
  }
  return lines
}

const floodRounds = 3
/** As many as nobody needs, each with a client that takes no notice of Retry-After. */
const hastyClients = 1500

interface Mix {
  name: string
  /** Of each hundred requests: one record, a page of 25, a new one. */
  reads: number
  lists: number
}

const mixes: readonly Mix[] = [
  { name: '60 % read one, 15 % lists, 25 % creations', reads: 60, lists: 15 },
  { name: 'creations', reads: 0, lists: 0 },
  { name: 'reads of one record', reads: 100, lists: 0 },
]

interface Trial {
  mix: Mix
  ids: readonly string[]
  quiet: string
  seconds: number
  settings: Settings
}

async function overload(server: ServerProcess, deployment: Deployment, trial: Trial): Promise<Line[]> {
  const { mix, settings, seconds } = trial
  const port = Number(new URL(server.origin).port)
  const request = writerOf(deployment, trial)
  const load = (more: Pick<OpenLoad, 'perSecond' | 'seconds' | 'connections'>) => ({ port, request, ...more })
  const atBest = { perSecond: Infinity, connections: 64 }
  // By its processor time: on a busy machine, a server gets warm slowly.
  const warmMs = processorMs(server.pid) + Math.max(settings.warmUpSeconds, 10) * 1000
  while (processorMs(server.pid) < warmMs) await sendOpenLoop(load({ ...atBest, seconds: 2 }))
  const bestSeconds = Math.min(seconds, 5)
  const measureBest = async (): Promise<number> =>
    (await sendOpenLoop(load({ ...atBest, seconds: bestSeconds }))).servedInTime / bestSeconds
  const before = residentMegabytes(server.pid)
  const memory: number[] = []
  const probes = watchProbes(server.origin, 250, 10_000)
  const quietRequest = writeRequest(
    { ...readLoad({ ...deployment, key: trial.quiet }, []), paths: ['/v1/businesses/'] },
    0,
  )
  // Each flood between two measurements of what is possible: the speed of a machine changes within minutes.
  const floods: { over: Tally; best: number }[] = []
  const quiet: Tally[] = []
  let best = await measureBest()
  for (let round = 0; round < floodRounds; round++) {
    const sampling = setInterval(() => memory.push(residentMegabytes(server.pid)), 1000)
    const [over, other] = await Promise.all([
      sendOpenLoop(load({ perSecond: 3 * best, seconds, connections: 4000 })),
      sendOpenLoop({ ...{ port, perSecond: 10, seconds, connections: 100 }, request: () => quietRequest }),
    ])
    clearInterval(sampling)
    const next = await measureBest()
    floods.push({ over, best: (best + next) / 2 })
    quiet.push(other)
    best = next
    say(`  flood ${round + 1}: ${tell(over)}; at its best ${showCount(floods.at(-1)?.best ?? 0, 'requests/s')}`)
  }
  const { took, failures } = await probes.stop()
  const after = await sendOpenLoop(load({ perSecond: best / 2, seconds: 8, connections: 4000 }))
  const hasty = await sendOpenLoop(load({ perSecond: Infinity, seconds, connections: hastyClients }))
  const hastyBest = (best + (await measureBest())) / 2
  say(
    `  probes: longest ${Math.max(...took).toFixed(0)} ms, failed ${failures.slice(0, 3).join('; ') || 'none'}; memory ` +
      `${before.toFixed(0)} MB before, ${memory.map((one) => one.toFixed(0)).join(' ')}; afterwards ${tell(after)}; hasty ${tell(hasty)}`,
  )
  const line = (measured: string, ours: string, theirs: string, hold: string, holds: boolean): Line => ({
    ...{ figure: 'R13', engine: deployment.engine, measured: `${mix.name}: ${measured}`, ours, theirs, ratio: '' },
    ...{ hold, holds },
  })
  const shares = floods.map(({ over, best: atBest }) => over.servedInTime / over.seconds / atBest)
  const share = median(shares)
  const hastyShare = hasty.servedInTime / hasty.seconds / hastyBest
  const refused = floods.flatMap(({ over }) => over.refused)
  const served = floods.flatMap(({ over }) => over.served)
  const missing = floods.reduce((sum, { over }) => sum + over.unanswered + over.broken, 0)
  const unsent = floods.reduce((sum, { over }) => sum + over.unsent, 0)
  const quietSent = quiet.reduce((sum, { sent }) => sum + sent, 0)
  const quietServed = quiet.flatMap((one) => one.served)
  const settled = median(memory.slice(0, Math.ceil(memory.length / 3)))
  const last = median(memory.slice(-Math.ceil(memory.length / 3)))
  return [
    {
      ...line(
        `answered at three times the best for ${seconds} s`,
        showCount(median(floods.map(({ over }) => over.servedInTime / over.seconds)), 'requests/s'),
        `at its best: ${showCount(median(floods.map((one) => one.best)), 'requests/s')}; not sent for want of connections: ${unsent}`,
        '≥ 0.90',
        share >= 0.9,
      ),
      ratio: `${share.toFixed(2)} (${shares.map((one) => one.toFixed(2)).join(', ')})`,
    },
    {
      ...line(
        `answered to ${hastyClients} connections that send again at once, for ${seconds} s`,
        showCount(hasty.servedInTime / hasty.seconds, 'requests/s'),
        `at its best: ${showCount(hastyBest, 'requests/s')}; ${showCount(hasty.refused.length, 'refused')}, p99 ${ms(hasty.refused, 0.99)}; ${hasty.unanswered + hasty.broken} without an answer in 5 s`,
        '≥ 0.90',
        hastyShare >= 0.9,
      ),
      ratio: hastyShare.toFixed(2),
    },
    line(
      'time of a refusal',
      `median ${ms(refused, 0.5)}, p99 ${ms(refused, 0.99)}`,
      `${showCount(refused.length, 'refused')}, ${missing} without an answer in 5 s; served: p99 ${ms(served, 0.99)}`,
      'p99 ≤ 500 ms, every request answered',
      percentile(refused, 0.99) <= 500 && missing === 0,
    ),
    line(
      '/healthz and /readyz on fresh connections',
      `p99 ${ms(took, 0.99)}, longest ${ms(took, 1)}`,
      `${failures.length} of ${took.length + failures.length} failed`,
      'all answered within 1 s',
      failures.length === 0 && percentile(took, 1) <= 1000,
    ),
    line(
      'another Portal, 10 lists a second',
      `${quietServed.length} of ${quietSent} served, p99 ${ms(quietServed, 0.99)}`,
      '',
      'all served',
      quietServed.length === quietSent,
    ),
    line(
      'until every request is served again, at half the best',
      `${(after.lastTroubleMs / 1000).toFixed(1)} s`,
      '',
      '≤ 5 s',
      after.lastTroubleMs <= 5000,
    ),
    line(
      'memory in the last third',
      `${last.toFixed(0)} MB`,
      `first third: ${settled.toFixed(0)} MB; before: ${before.toFixed(0)} MB`,
      '≤ +20 MB',
      last - settled <= 20,
    ),
  ]
}

function tell(tally: Tally): string {
  const others = [...tally.others].map(([status, count]) => `${count} × ${status}`)
  return `sent ${tally.sent}, served ${tally.served.length} (p99 ${ms(tally.served, 0.99)}), refused ${tally.refused.length} (p99 ${ms(tally.refused, 0.99)}), not sent ${tally.unsent}, unanswered ${tally.unanswered}, broken ${tally.broken}, others ${others.join(', ') || 'none'}, last trouble ${tally.lastTroubleMs.toFixed(0)} ms`
}

/** The bytes of each request of a mix, in a fixed order. */
function writerOf(deployment: Deployment, { mix, ids }: Trial): (number: number) => string {
  const [reads, lists, creations] = [readLoad(deployment, ids), listLoad(deployment), createLoad(deployment)]
  const run = `overload-${Date.now().toString(36)}-`
  // Numbers begin again with each load; a key that comes again is answered with what was created before.
  let created = 0
  const fixed = new Map<string, string>()
  const known = (load: Load, number: number) => {
    const path = load.paths[number % load.paths.length] ?? '/'
    const text = fixed.get(path) ?? writeRequest(load, number)
    fixed.set(path, text)
    return text
  }
  return (number) => {
    const place = (number * 37) % 100
    if (place < mix.reads) return known(reads, number)
    if (place < mix.reads + mix.lists) return known(lists, number)
    return writeRequest(creations, number, `${run}${created++}`)
  }
}

function writeRequest({ method, paths, headers, body }: Load, number: number, unique = ''): string {
  const fill = (text: string) => text.replaceAll('{unique}', unique)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${fill(value)}\r\n`)
  const text = body === undefined ? '' : fill(body)
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`
  return `${method} ${paths[number % paths.length]} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${text}`
}

async function newQuietPortal({ environment }: Deployment): Promise<string> {
  const { id } = await runPortico(['portal', 'create', '--name', 'Quiet'], environment)
  return (await runPortico(['key', 'create', '--portal', id, '--name', 'quiet', '--grant', 'all'], environment)).key
}

/** Every process of a PostgreSQL on this machine, those of its connections apart: they are begun by the first of these. */
async function postgresProcesses(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  const parents = rows.flatMap(({ pid }) => parentOf(pid))
  await client.end()
  return [...new Set([...parents, ...rows.map(({ pid }) => pid)])].filter((pid) => existsSync(`/proc/${pid}`))
}

function parentOf(pid: number): number[] {
  try {
    return [Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])]
  } catch {
    return [] // it has ended meanwhile
  }
}

function residentMegabytes(pid: number): number {
  return residentBytes(pid) / 1e6
}

function ms(values: readonly number[], share: number): string {
  return `${percentile(values, share).toFixed(0)} ms`
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
