import { createSend } from './applications.ts'
import { createLoad } from './business-loads.ts'
import { startDeliverySink } from './delivery-sink.ts'
import { makeDeployment, startProgram } from './deployments.ts'
import { runLoad, runPacedLoad } from './load.ts'
import { porticoProgram } from './programs.ts'
import { type Line, median, say, showCount } from './report.ts'
import type { Settings } from './throughput.ts'

const maximumMedianMs = 100
const maximumP99Ms = 1000
/** On a machine so busy that hardly anything is written, there must still be something to measure. */
const leastRate = 40
/** After about eight seconds of this load the delays no longer fall. */
const warmUpSeconds = 12

/**
 * From the time of an event to its first byte at a sink, while businesses are created at half the rate that the server
 * can bear. The time of an event is taken just before its transaction commits, so the commit is in the figure.
 */
export async function measureCommitToSink(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`P10 on ${engine}`)
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    const sink = await startDeliverySink()
    const environment = { ...deployment.environment, PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' }
    const server = await startProgram(porticoProgram, { ...deployment, environment })
    try {
      const load = createLoad(deployment)
      await runLoad(server.origin, load, settings.warmUpSeconds)
      const most = Math.max(leastRate, await runLoad(server.origin, load, Math.max(3, settings.roundSeconds)))
      const send = createSend(server.origin, deployment)
      await send('POST', 'webhooks/', { url: sink.url('one'), event_types: ['*'] })
      const settled = () => new Promise((resolve) => setTimeout(resolve, 5000))
      // Time for the handshake, and for what the load before has left.
      await settled()
      // What sends and what receives must be as warm as what writes is by now.
      await runPacedLoad(server.origin, load, { perSecond: most / 2, seconds: warmUpSeconds })
      await settled()
      sink.takeDelays()
      const seconds = Math.max(5, settings.rounds * settings.roundSeconds)
      const written = await runPacedLoad(server.origin, load, { perSecond: most / 2, seconds })
      await settled()
      const delays = sink.takeDelays().toSorted((a, b) => a - b)
      const [middle, p99] = [median(delays), delays[Math.floor(delays.length * 0.99)] ?? Number.NaN]
      lines.push({
        figure: 'P10',
        measured: `from commit to the first byte at a sink, ${written} changes at ${showCount(most / 2, 'a second')}`,
        engine,
        ours: `median ${showCount(middle, 'ms')}, p99 ${showCount(p99, 'ms')}, longest ${showCount(delays.at(-1) ?? 0, 'ms')}`,
        theirs: `${showCount(written - delays.length, 'of them')} not arrived within 5 s`,
        ratio: '',
        hold: `median ≤ ${maximumMedianMs} ms, p99 ≤ ${maximumP99Ms} ms`,
        holds: delays.length === written && middle <= maximumMedianMs && p99 <= maximumP99Ms,
      })
    } finally {
      await server.stop()
      sink.close()
      await deployment.remove()
    }
  }
  return lines
}
