// R10. Whatever is sent, the answer is a 4xx of the catalogue or a success, never a 5xx, and the process goes on in
// the memory it had. A failure names seed and number: `malformedRequest(seed, number, …)` makes the request again.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCatalogue } from '../../src/platform/protocol/error-catalogue.ts'
import type { RunningServer } from '../built-program.ts'
import { type Deployment, median, newDeployment, report, residentBytes } from './deployment.ts'
import { malformedRequest } from './malformed-requests.ts'
import { openRawLane, type RawAnswer, type RawRequest } from './raw-exchange.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'
import type { Truth } from './wellformed-requests.ts'

let deployment: Deployment
let server: RunningServer
/** A business for each lane: they do not wait for each other's changes, which nothing here is about. */
let truths: Truth[]

beforeAll(async () => {
  deployment = await newDeployment()
  server = await deployment.start()
  truths = await Promise.all(Array.from({ length: lanes }, establishTruth))
})
afterAll(() => deployment.remove())

test('4xx in the one error shape for malformed requests; no 5xx, no crash, no growth', {
  timeout: faultTimeoutMs,
}, async () => {
  const failures: string[] = []
  const statuses = new Map<number, number>()
  const memory: number[] = []
  let unanswered = 0
  // A process that has just started still takes what it will need: the same traffic goes before that which counts.
  let next = -scale.malformedBefore
  const work = async (truth: Truth) => {
    const lane = openRawLane(server.port)
    while (next < scale.malformedRequests && failures.length < enoughFailures) {
      const n = next++
      if (n >= 0 && n % Math.ceil(scale.malformedRequests / 100) === 0) memory.push(residentBytes(server.pid))
      const request = malformedRequest(seed, n, truth)
      const answer = await lane.exchange(request)
      if (answer) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      else unanswered++
      if (answer?.status === 200 && answer.body.startsWith(`{"id":"${truth.business_id}"`))
        truth.etag = answer.headers.get('etag') ?? truth.etag
      const problem = problemOf(request, answer)
      if (problem) failures.push(`${problem} (seed ${seed}, number ${n}) ${request.fault}`)
    }
    lane.close()
  }
  await Promise.all(truths.map(work))
  const reasons = server
    .output()
    .split('\n')
    .filter((line) => /answered 503|unexpected error/.test(line))
  expect({ failures, reasons }).toEqual({ failures: [], reasons: [] })

  // It still serves, and ends in its own time: the process is the one that began.
  expect((await server.call('GET', 'businesses/?page_size=1', { key: deployment.key })).status).toBe(200)
  // The least of many samples is what stays after collecting; whatever lies above it is garbage that waits.
  const growth = Math.min(...memory.slice(-windowSize)) / Math.min(...memory.slice(0, windowSize))
  report('R10 malformed requests', {
    requests: scale.malformedBefore + scale.malformedRequests,
    unanswered,
    statuses: [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}×${count}`)
      .join(' '),
    'memory ratio': growth.toFixed(3),
    'MiB in the middle': Math.round(median(memory) / 2 ** 20),
    'MiB at the most': Math.round(Math.max(...memory) / 2 ** 20),
  })
  expect(unanswered).toBeLessThan((scale.malformedBefore + scale.malformedRequests) / 100)
  if (isFull) {
    expect(growth).toBeGreaterThan(0.9)
    expect(growth).toBeLessThan(1.1)
  }
  expect(await server.kill('SIGTERM')).toBe(0)
  expect(
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"error"')),
  ).toEqual([])
})

function problemOf({ framing, isHead }: RawRequest, answer: RawAnswer | undefined): string | undefined {
  // Who hung up in the middle, or said what no request can say, need not be answered.
  if (!answer) return framing === 'kept' ? 'no answer' : undefined
  const { status, headers, body } = answer
  const requestId = headers.get('request-id') ?? ''
  if (!(status >= 200 && status < 500)) return `status ${status} ${body}`
  if (!/^req_[0-9a-z]{26}$/.test(requestId)) return `${status} without Request-Id`
  if (status < 400 || isHead) return undefined
  if (!/^application\/(problem\+)?json/.test(headers.get('content-type') ?? '')) return `${status} is not JSON`
  const error = JSON.parse(body)
  if (Object.keys(error).join() !== errorKeys) return `${status} has the keys ${Object.keys(error)}`
  if (error.status !== status || error.request_id !== requestId) return `${status} with another status or request_id`
  if (!(error.code in errorCatalogue) || !Array.isArray(error.details)) return `${status} ${body}`
  return undefined
}

async function establishTruth(): Promise<Truth> {
  const business = deployment.business()
  const made = await server.call('POST', 'businesses/', { key: deployment.key, body: business })
  await server.call('POST', 'businesses/', { key: deployment.key, body: deployment.business() })
  const page = await server.call('GET', 'businesses/?page_size=1', { key: deployment.key })
  return {
    key: deployment.key,
    business,
    business_id: made.body.id,
    etag: made.body.etag,
    cursor: page.body.next_cursor,
  }
}

const errorKeys = 'type,title,status,code,message,details,request_id,retryable,docs_url'
const seed = 20260101
/** Many, because a request without an end waits for the server to give it up. */
const lanes = 64
const windowSize = 33
const enoughFailures = 20
