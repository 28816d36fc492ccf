// The time of single requests, one after the other on a kept connection: what one caller sees.
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { type Comparison, compare, median, showProgress } from './report.ts'

interface Timed {
  milliseconds: number
  text: string
}

export type TimedCall = (path: string, body?: unknown) => Promise<Timed>

/** Reads a path, or posts a body to it; throws unless the answer is a success. */
export function createTimedCall(origin: string, key: string): TimedCall {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (path, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      }
      const method = body === undefined ? 'GET' : 'POST'
      const begin = performance.now()
      const sent = request(origin + path, { agent, method, headers, timeout: 30_000 }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.once('end', () => {
          const milliseconds = performance.now() - begin
          if ((response.statusCode ?? 500) < 300) resolve({ milliseconds, text })
          else reject(new Error(`${path} was answered with ${response.statusCode}: ${text}`))
        })
      })
      sent.once('error', reject)
      sent.once('timeout', () => sent.destroy(new Error(`${path} took longer than 30 s`)))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
}

/** Calls both sides in turn, request by request, and compares the medians of each round. */
export async function compareLatency(
  rounds: number,
  callOurs: () => Promise<Timed>,
  callTheirs: () => Promise<Timed>,
): Promise<Comparison> {
  const ours: number[] = []
  const theirs: number[] = []
  // As many as fit into two seconds, so that a slow request does not take the whole day.
  const once = (await callOurs()).milliseconds + (await callTheirs()).milliseconds
  const samples = Math.max(3, Math.min(200, Math.floor(2000 / once)))
  // The first round only warms both sides up.
  for (let round = 0; round <= rounds; round++) {
    const times: [number[], number[]] = [[], []]
    for (let sample = 0; sample < samples; sample++) {
      times[0].push((await callOurs()).milliseconds)
      times[1].push((await callTheirs()).milliseconds)
    }
    if (round === 0) continue
    ours.push(median(times[0]))
    theirs.push(median(times[1]))
    showProgress('  rounds', round, rounds)
  }
  return compare(ours, theirs)
}
