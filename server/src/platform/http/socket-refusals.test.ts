import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Logger } from '../logging.ts'
import { answerParserErrors } from './parser-errors.ts'
import { answerInTurn } from './pipelining.ts'
import { refuseOnSocket, type SocketRefusals } from './socket-refusals.ts'

/** What took the usual way, in order, and how to answer the one that waits. */
const usual: string[] = []
let answerSlow = (): void => undefined
interface Place {
  server: Server
  port: number
  refusals: SocketRefusals
}
/** Refusals are held back until they are asked for, and bodies are waited for as long as a test takes or hardly at all. */
let patient: Place
let hasty: Place

async function start(delayMs: number, bodyMs: number): Promise<Place> {
  const server = createServer(({ method, url = '' }, response) => {
    usual.push(`${method} ${url}`)
    if (url === '/slow') answerSlow = () => response.end('slow')
    else response.end(`usual ${url}`)
  })
  const refusal = () => 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 7\r\n\r\nrefused'
  const turns = answerInTurn(server)
  const refusals = refuseOnSocket(server, turns, {
    mayRefuse: () => true,
    refuse: ({ url }) => (url.startsWith('/refused') ? refusal : undefined),
    ...{ bodyMs, delayMs },
  })
  // safe because nothing else of the log is used
  const log = { info: () => undefined } as unknown as Logger
  answerParserErrors(server, { turns, refusals }, () => ({ status: 400, headers: {}, body: 'malformed' }), log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // safe because the server listens on a port
  return { server, refusals, port: (server.address() as AddressInfo).port }
}

beforeAll(async () => {
  patient = await start(60_000, 60_000)
  hasty = await start(50, 100)
})
afterAll(() => {
  for (const { server } of [patient, hasty]) server.close()
})

/** A connection, and what has come back on it. */
function speak(text: string, { port } = patient) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  socket.write(text)
  return {
    socket,
    received: () => received,
    /** The bodies of all answers so far, once there are so many. */
    bodies: (count: number) =>
      expect
        .poll(() => [...received.matchAll(/\r\n\r\n(refused|slow|usual \/\w+)/g)].map(([, body]) => body))
        .toHaveLength(count)
        .then(() => [...received.matchAll(/\r\n\r\n(refused|slow|usual \/\w+)/g)].map(([, body]) => body)),
  }
}

const head = (line: string, ...headers: string[]) =>
  `${line} HTTP/1.1\r\nHost: x\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`

test('after a refusal the connection is kept: the body of the refused request is dropped, and the next one is answered', async () => {
  const { socket, bodies } = speak(`${head('POST /refused', 'Content-Length: 4')}GET `)
  expect(await bodies(1)).toEqual(['refused'])
  socket.write(head('GET /next'))
  expect(await bodies(2)).toEqual(['refused', 'usual /next'])
  expect(usual).toEqual(['GET /next'])
  socket.destroy()
})

test('a refusal never overtakes the answer before it', async () => {
  const { socket, bodies } = speak(head('GET /slow') + head('GET /refused/1') + head('GET /refused/2'))
  await expect.poll(() => usual.at(-1)).toBe('GET /slow')
  answerSlow()
  // Those behind it took the usual way, which here refuses nobody.
  expect(await bodies(3)).toEqual(['slow', 'usual /refused', 'usual /refused'])
  socket.destroy()
})

test('HEAD, chunked bodies, expectations and connections that end take the usual way', async () => {
  const heads = [
    head('HEAD /refused'),
    `${head('POST /refused', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    `${head('POST /refused', 'Expect: 100-continue', 'Content-Length: 1')}x`,
    head('GET /refused', 'Connection: close'),
  ]
  for (const text of heads) {
    const before = usual.length
    const { socket } = speak(text)
    await expect.poll(() => usual.length).toBe(before + 1)
    socket.destroy()
  }
})

test('a refused request whose body does not come is cut off, one whose body has come is not', async () => {
  const [waiting, complete] = [
    speak(`${head('POST /refused', 'Content-Length: 10')}12345`, hasty),
    speak(`${head('POST /refused', 'Content-Length: 5')}12345`, hasty),
  ]
  await Promise.all([waiting.bodies(1), complete.bodies(1)])
  await once(waiting.socket, 'close')
  complete.socket.write(head('GET /still'))
  expect(await complete.bodies(2)).toEqual(['refused', 'usual /still'])
  complete.socket.destroy()
})

test('a refused sender that ends before its body gets one answer, one that goes on with nonsense a second one', async () => {
  const [short, malformed] = [
    speak(`${head('POST /refused', 'Content-Length: 10')}12345`),
    speak(`${head('POST /refused', 'Content-Length: 5')}12345 nonsense\r\n\r\n`),
  ]
  const closed = Promise.all([once(short.socket, 'close'), once(malformed.socket, 'close')])
  await short.bodies(1)
  short.socket.end()
  await closed
  expect(short.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503'])
  expect(malformed.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 400'])
})

test('whoever sends again at once waits for the next refusal, and gets it before anything that is asked behind it', async () => {
  const { socket, bodies } = speak(head('GET /refused'))
  expect(await bodies(1)).toEqual(['refused'])
  socket.write(head('GET /refused'))
  const other = speak(head('GET /refused'))
  expect(await other.bodies(1)).toEqual(['refused'])
  expect(await bodies(1)).toEqual(['refused'])
  // In the order of a connection, this comes after what is held back.
  socket.write(head('GET /behind'))
  expect(await bodies(3)).toEqual(['refused', 'refused', 'usual /behind'])
  socket.destroy()
  other.socket.destroy()
})

test('a refusal that is held back is sent by itself after a while, also to whoever has said all', async () => {
  const { socket, bodies } = speak(head('GET /refused'), hasty)
  await bodies(1)
  socket.write(head('GET /refused'))
  expect(await bodies(2)).toEqual(['refused', 'refused'])
  socket.destroy()

  const last = speak(head('GET /refused'))
  await last.bodies(1)
  last.socket.end(head('GET /refused'))
  expect(await last.bodies(2)).toEqual(['refused', 'refused'])
})

test('many refusals on one connection are looked after by one timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { socket, bodies } = speak(head('GET /refused').repeat(500))
  await bodies(499)
  expect(timers() - before).toBeLessThan(20)
  patient.refusals.settleAll()
  await bodies(500)
  socket.destroy()
})

test('those who wait for a refusal get it when the server ends', async () => {
  const { socket, bodies } = speak(head('GET /refused'))
  await bodies(1)
  // In one piece with the beginning of another request: when that has been read, so has this one.
  socket.write(`${head('GET /refused')}GET /unfinished`)
  const other = speak(head('GET /refused'))
  await other.bodies(1)
  expect(await bodies(1)).toEqual(['refused'])
  patient.refusals.settleAll()
  expect(await bodies(2)).toEqual(['refused', 'refused'])
  socket.destroy()
  other.socket.destroy()
})

test('a client in the same process that gets the parser of an old connection reads its answers', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    get({ port: patient.port, host: '127.0.0.1', path: '/own', agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve)
    }).once('error', reject)
  })
  expect(answer).toBe('usual /own')
})
