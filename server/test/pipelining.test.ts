// Requests sent without waiting for the answers before them.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

test('every request of a long pipeline is answered, in order', async () => {
  const names = Array.from({ length: 2000 }, (_, n) => `parameter_${n}`)
  const answers = await exchange(names.map((name) => request('GET', `/v1/businesses/?${name}=1`)))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 400))
  expect(answers.map(({ body }) => JSON.parse(body).details[0].name)).toEqual(names)
})

test('a request sees what those before it in the pipeline have done', async () => {
  const writes = Array.from({ length: 5 }, (_, n) =>
    JSON.stringify(portal.business({ external_reference: `piped-${n}` })),
  )
  const look = request('GET', '/v1/businesses/?page_size=100')
  const answers = await exchange(
    writes.flatMap((body, n) => [request('POST', '/v1/businesses/', body, `pipelined-write-${n}`), look]),
  )
  const seen = answers.filter((_, index) => index % 2 === 1).map(({ body }) => JSON.parse(body).items.length)
  expect(answers.filter((_, index) => index % 2 === 0).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  expect(seen).toEqual([1, 2, 3, 4, 5])
})

test('requests behind one that ends the connection are not carried out', async () => {
  const body = JSON.stringify(portal.business({ external_reference: 'never' }))
  const answers = await exchange([
    request('GET', '/v1/').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    request('POST', '/v1/businesses/', body, 'behind-the-last-one'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200])
  expect((await portal.call('GET', 'businesses/?external_reference=never')).body.items).toEqual([])
})

function request(method: string, path: string, body = '', idempotencyKey = ''): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${portal.key}`]
  if (body !== '')
    lines.push(
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Idempotency-Key: ${idempotencyKey}`,
    )
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

interface PipedAnswer {
  status: number
  body: string
}

/** Sends everything at once and reads until every request is answered or the server ends the connection. */
function exchange(requests: readonly string[]): Promise<PipedAnswer[]> {
  return new Promise((resolve, reject) => {
    const answers: PipedAnswer[] = []
    let received = Buffer.alloc(0)
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1', () => socket.write(requests.join('')))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      for (let next = firstAnswer(received); next; next = firstAnswer(received)) {
        answers.push(next)
        received = received.subarray(next.length)
      }
      if (answers.length === requests.length) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answers))
  })
}

function firstAnswer(bytes: Buffer): (PipedAnswer & { length: number }) | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
  if (bytes.length < length) return undefined
  return { status: Number(head.slice(9, 12)), body: bytes.toString('utf8', end + 4, length), length }
}
