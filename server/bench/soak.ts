// Mixed traffic over the whole chain for a long time, at a moderate pace. What must not grow is looked at every few
// seconds: memory, open files, requests and deliveries that wait, the delays of events and of the event loop. A line
// through the second half of the samples shows whether it does.
import { readdirSync } from 'node:fs'
import { freePort } from '../test/postgres-cluster.ts'
import { createSend } from './applications.ts'
import { startDeliverySink } from './delivery-sink.ts'
import { makeDeployment } from './deployments.ts'
import { startServerProcess } from './processes.ts'
import { porticoProgram } from './programs.ts'
import { type Line, median, say } from './report.ts'
import { residentBytes } from './resident-memory.ts'
import { pause, prepareChains, runChain } from './soak-chain.ts'
import type { Settings } from './throughput.ts'

export async function measureSoak(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`soak on ${engine}, ${settings.soakMinutes} minutes`)
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    await prepareChains(deployment)
    const sink = await startDeliverySink()
    const metricsPort = await freePort()
    const server = await startServerProcess(porticoProgram, {
      args: () => ['serve'],
      environment: {
        ...deployment.environment,
        PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true',
        PORTICO_METRICS_PORT: String(metricsPort),
      },
      readyPath: '/readyz',
      cores: 'all',
    })
    try {
      const send = createSend(server.origin, deployment)
      await send('POST', 'webhooks/', { url: sink.url('soak'), event_types: ['*'] })
      const end = performance.now() + settings.soakMinutes * 60_000
      const traffic = runTraffic({ send, origin: server.origin, deployment }, end)
      const samples = await sampleUntil(end, () => takeSample(server.pid, metricsPort))
      const { done, failures } = await traffic
      say(`  ${done} chains, ${sink.received()} deliveries; failures: ${failures.slice(0, 3).join('; ') || 'none'}`)
      lines.push(...judge(engine, settings.soakMinutes, samples), {
        ...{ figure: 'Soak', measured: 'chains without a failure', engine, ratio: '', hold: 'all' },
        ours: `${done - failures.length} of ${done}`,
        theirs: `${sink.received()} deliveries arrived`,
        holds: failures.length === 0 && done > 0,
      })
    } finally {
      await server.stop()
      sink.close()
      await deployment.remove()
    }
  }
  return lines
}

/** A few clients, each with one chain after the other and a pause between them. */
async function runTraffic(place: Omit<Parameters<typeof runChain>[0], 'name'>, end: number) {
  let done = 0
  const failures: string[] = []
  const work = async (client: number) => {
    for (let n = 0; performance.now() < end; n++) {
      try {
        await runChain({ ...place, name: `soak-${client}-${n}` }, n)
      } catch (error) {
        failures.push(String(error).slice(0, 300))
      }
      done++
      await pause(chainPauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return { done, failures }
}

const watched = {
  'memory, MB': 20,
  'heap in use, MB': 15,
  'open files': 10,
  'requests waiting': 2,
  'deliveries waiting': 20,
  'event lag, s': 1,
  'event loop lag p99, ms': 100,
}
type Sample = Record<keyof typeof watched, number>

async function takeSample(pid: number, metricsPort: number): Promise<Sample> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (all, [, one]) => all + Number(one),
      0,
    )
  return {
    'memory, MB': residentBytes(pid) / 1e6,
    'heap in use, MB': sum('portico_nodejs_heap_size_used_bytes') / 1e6,
    'open files': readdirSync(`/proc/${pid}/fd`).length,
    'requests waiting': sum('portico_requests_waiting'),
    'deliveries waiting': sum('portico_webhook_deliveries_waiting'),
    'event lag, s': sum('portico_event_lag_seconds'),
    'event loop lag p99, ms': sum('portico_nodejs_eventloop_lag_p99_seconds') * 1000,
  }
}

async function sampleUntil(end: number, take: () => Promise<Sample>): Promise<{ at: number; sample: Sample }[]> {
  const samples: { at: number; sample: Sample }[] = []
  while (performance.now() < end) {
    samples.push({ at: performance.now() / 60_000, sample: await take() })
    if (samples.length % 60 === 0) say(`  ${JSON.stringify(samples.at(-1)?.sample)}`)
    await pause(Math.min(sampleEveryMs, Math.max(0, end - performance.now())))
  }
  return samples
}

/** Each figure in the second half: where a line through it begins and ends. The first half is for warming up. */
function judge(engine: string, minutes: number, samples: readonly { at: number; sample: Sample }[]): Line[] {
  const half = samples.slice(Math.floor(samples.length / 2))
  // safe because these are the keys of the object above
  return (Object.keys(watched) as (keyof Sample)[]).map((name) => {
    const points = half.map(({ at, sample }) => [at, sample[name]] as const)
    const slope = slopeOf(points)
    const grown = (slope * minutes) / 2
    return {
      figure: 'Soak',
      measured: `${name}, ${minutes} minutes of mixed traffic, ${samples.length} samples`,
      engine,
      ours: `median ${median(points.map(([, value]) => value)).toFixed(1)}, highest ${Math.max(...points.map(([, value]) => value)).toFixed(1)}`,
      theirs: `slope ${(slope * 60).toFixed(2)} an hour`,
      ratio: '',
      hold: `≤ +${watched[name]} in the second half`,
      holds: grown <= watched[name],
    }
  })
}

/** Of the line with the least squares, a minute. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const above = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0)
  const below = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  return below === 0 ? 0 : above / below
}

/** Moderate: some 90 requests a second where each chain takes no time. */
const clients = 4
const chainPauseMs = 1000
const sampleEveryMs = 5000
