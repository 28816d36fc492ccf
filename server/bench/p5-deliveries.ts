import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createSend, type Send } from './applications.ts'
import { createLoad } from './business-loads.ts'
import { type DeliverySink, startDeliverySink } from './delivery-sink.ts'
import { type Deployment, type Engine, makeDeployment } from './deployments.ts'
import { runLoad } from './load.ts'
import { onServerCore, startServerProcess, startWorkerProcess } from './processes.ts'
import { bareSenderProgram, inheritedEnvironment, porticoProgram } from './programs.ts'
import { alternate, compare, type Line, median, say, showCount, showProgress, showRatio } from './report.ts'
import type { Settings } from './throughput.ts'

/** As many as one Portal may have under way: two endpoints of 16 each. */
const underWay = 32
const endpoints = ['one', 'two'] as const

/** Deliveries a second of whole workers, with database, signatures and log, against a bare loop that sends the same. */
export async function measureDeliveries(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`P5 on ${engine}`)
    lines.push(...(await measureOn(engine, settings)))
  }
  return lines
}

async function measureOn(engine: Engine, settings: Settings): Promise<Line[]> {
  const deployment = await makeDeployment(engine, settings.clusterUrl)
  const sink = await startDeliverySink()
  const environment = { ...deployment.environment, PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' }
  const api = await startServerProcess(porticoProgram, {
    args: () => ['serve', '--no-worker'],
    environment,
    readyPath: '/readyz',
  })
  const startWorker = () => startWorkerProcess(porticoProgram, ['worker'], environment)
  const workers = [startWorker()]
  try {
    const send = createSend(api.origin, deployment)
    const paths = await subscribe(send, sink)
    const count = await writeEvents(api.origin, deployment, sink)
    await untilFinished(send, paths)
    const deliver = () => deliverAgain(send, sink, paths, count * endpoints.length)
    const bare = () => sendBare(sink, count * endpoints.length)
    for (const warmUp of [deliver, bare]) await warmUp()
    const one = await alternate(settings.rounds, deliver, bare)
    workers.push(startWorker())
    // The second one needs a moment to start and to warm up.
    for (let round = 0; round < 2; round++) await deliver()
    const two: number[] = []
    for (let round = 0; round < settings.rounds; round++) {
      two.push(await deliver())
      showProgress('  two workers', round + 1, settings.rounds)
    }
    const pair = compare(two, Array(two.length).fill(one.ours))
    return [
      {
        figure: 'P5',
        measured: `deliveries of ${sink.lastBody().length} bytes to a loopback sink, one worker, ${underWay} under way`,
        engine,
        ours: showCount(one.ours, 'deliveries/s'),
        theirs: `bare undici loop: ${showCount(one.theirs, 'requests/s')}`,
        ratio: showRatio(one),
        hold: '≥ 0.50',
        holds: one.ratio >= 0.5,
      },
      {
        figure: 'P5',
        measured: 'the same with two workers on the core of one',
        engine,
        ours: showCount(median(two), 'deliveries/s'),
        theirs: `one worker: ${showCount(one.ours, 'deliveries/s')}`,
        ratio: showRatio(pair),
        hold: 'none set',
        holds: true,
      },
    ]
  } finally {
    for (const worker of workers) await worker.stop()
    await api.stop()
    sink.close()
    await deployment.remove()
  }
}

async function subscribe(send: Send, sink: DeliverySink): Promise<string[]> {
  const paths: string[] = []
  for (const name of endpoints) {
    const { body } = await send('POST', 'webhooks/', { url: sink.url(name), event_types: ['business.created'] })
    const path = `webhooks/${body.id}/`
    const deadline = Date.now() + 30_000
    while ((await send('GET', path)).body.state !== 'active') {
      if (Date.now() > deadline) throw new Error('the webhook did not become active')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    paths.push(path)
  }
  return paths
}

/** Events to deliver: those of a short load of writes. Returns how many there are once all of them have arrived. */
async function writeEvents(origin: string, deployment: Deployment, sink: DeliverySink) {
  await runLoad(origin, createLoad(deployment), 2)
  // Whatever the load left under way is written by now; nothing else makes events.
  let [seen, quiet] = [0, 0]
  while (quiet < 10) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    const now = sink.received()
    quiet = now === seen && seen > 0 ? quiet + 1 : 0
    seen = now
  }
  return sink.takeDelays().length
}

/** Everything once more: a recovery puts all deliveries back into the queue. */
async function deliverAgain(send: Send, sink: DeliverySink, paths: readonly string[], count: number): Promise<number> {
  const arrived = sink.next(count)
  const since = new Date(Date.now() - 3_600_000).toISOString()
  await Promise.all(paths.map((path) => send('POST', `${path}recover/`, { since, states: ['succeeded'] })))
  const rate = await arrived
  await untilFinished(send, paths)
  return rate
}

/** Until the last outcomes are written: a recovery takes only what has succeeded. */
async function untilFinished(send: Send, paths: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000
  for (const path of paths)
    while ((await unfinished(send, path)) > 0) {
      if (Date.now() > deadline) throw new Error('deliveries are left over')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
}

async function unfinished(send: Send, path: string): Promise<number> {
  const states = ['pending', 'retrying']
  const pages = await Promise.all(states.map((state) => send('GET', `${path}deliveries/?state=${state}&page_size=1`)))
  return pages.reduce((sum, { body }) => sum + body.items.length, 0)
}

async function sendBare(sink: DeliverySink, count: number): Promise<number> {
  const arrived = sink.next(count)
  const settings = JSON.stringify({ url: sink.url('bare'), count, underWay, body: sink.lastBody() })
  const [command = '', ...args] = onServerCore([process.execPath, bareSenderProgram, settings])
  await promisify(execFile)(command, args, { env: inheritedEnvironment() })
  return arrived
}
