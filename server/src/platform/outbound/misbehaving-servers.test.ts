// Servers that do what no server should, on real sockets. Whatever they do, a call ends by its deadline and leaves
// nothing open.
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, cleanups, listen, nameServer, serve } from '../../../test/real-servers.ts'
import { createOutbound, type OutboundOptions } from './calls.ts'
import { type Resolve, resolveThroughDns } from './connections.ts'
import { OutboundError } from './outbound-error.ts'

afterEach(cleanUp)

const deadlineMs = 300
const toHere: Resolve = async () => ['127.0.0.1']
const head = 'HTTP/1.1 200 OK\r\n'
const full = `${head}Content-Length: 2\r\n\r\nok`

/** What a socket does once a request, or a part of it, has come. */
type Behaviour = (socket: Socket) => void

/** Sends a text again and again, as fast as it is taken or every few milliseconds. */
const endlessly =
  (first: string, text: string, everyMs = 0): Behaviour =>
  (socket) => {
    socket.write(first)
    const pour = () => {
      while (!socket.destroyed && socket.write(text));
    }
    const timer = everyMs > 0 ? setInterval(() => socket.write(text), everyMs) : undefined
    socket.on('close', () => clearInterval(timer))
    if (timer) return
    socket.on('drain', pour)
    pour()
  }
const drip =
  (text: string): Behaviour =>
  (socket) => {
    const rest = [...text]
    const timer = setInterval(() => socket.write(rest.shift() ?? 'x'), 10)
    socket.on('close', () => clearInterval(timer))
  }
const reset =
  (text: string): Behaviour =>
  (socket) => {
    if (text === '') socket.resetAndDestroy()
    else socket.write(text, () => socket.resetAndDestroy())
  }

describe.each([
  ['one connection per call', 0],
  ['kept connections', 5000],
])('a server that never comes to an end, %s', (_, keepAliveMs) => {
  const cases: [string, Behaviour, string][] = [
    ['says nothing', () => undefined, 'timed_out'],
    ['sends its status byte by byte', drip('HTTP/1.1 200 OK'), 'timed_out'],
    ['sends its headers byte by byte', drip(`${head}X-Slow: `), 'timed_out'],
    ['sends its body byte by byte', drip(`${head}\r\n`), 'timed_out'],
    ['sends the size of a chunk byte by byte', drip(`${head}Transfer-Encoding: chunked\r\n\r\n0`), 'timed_out'],
    ['stops in the middle of its body', (socket) => socket.write(`${head}Content-Length: 9\r\n\r\nabc`), 'timed_out'],
    ['stops before its last chunk', (s) => s.write(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`), 'timed_out'],
    ['sends an interim response every few milliseconds', endlessly('', earlyHints(), 20), 'timed_out'],
    ['floods interim responses', endlessly('', earlyHints().repeat(500)), 'response_broken'],
    ['floods headers', endlessly(head, 'X-More: 1\r\n'.repeat(500)), 'response_broken'],
    ['floods one header', endlessly(`${head}X-Long: `, 'x'.repeat(1000)), 'response_broken'],
    ['floods a status line', endlessly('HTTP/1.1 200 ', 'x'.repeat(10_000)), 'response_broken'],
    [
      'floods chunk extensions',
      endlessly(`${head}Transfer-Encoding: chunked\r\n\r\n1;`, 'x=y;'.repeat(5000)),
      'response_broken',
    ],
    [
      'floods trailers',
      endlessly(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X-More: 1\r\n'.repeat(100)),
      'response_broken',
    ],
    ['floods nonsense', endlessly('', 'nonsense '.repeat(100)), 'response_broken'],
  ]
  test.each(cases)('one that %s is left by its deadline', async (_name, behave, code) => {
    const { port, closed } = await behaving(behave)
    // What floods is left long before its deadline.
    const timeout_ms = code === 'timed_out' ? deadlineMs : 10_000
    expect(await outcome(port, { keepAliveMs }, timeout_ms)).toBe(code)
    await closed()
  })
})

describe('a server that breaks off', () => {
  const cases: [string, string][] = [
    ['at once', ''],
    ['in the status line', 'HTTP/1.1 2'],
    ['in the headers', `${head}Content-`],
    ['after the headers', `${head}Content-Length: 2\r\n\r\n`],
    ['in the body', `${head}Content-Length: 2\r\n\r\no`],
    ['between two chunks', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`],
  ]
  test.each(cases)('%s is response_broken, and a first request is not sent again', async (_name, text) => {
    const { port, closed, connections } = await behaving(reset(text))
    expect(await outcome(port, { keepAliveMs: 5000 })).toBe('response_broken')
    expect(connections()).toBe(1)
    await closed()
  })

  test('while the connection is made is a failure, not a crash', async () => {
    const { port } = await listen(createServer((socket) => socket.resetAndDestroy()))
    expect(['connection_failed', 'response_broken']).toContain(await outcome(port))
  })
})

describe('a response that is odd, but whole', () => {
  test.each<[string, Behaviour, string]>([
    ['is followed by garbage', (socket) => socket.write(`${full}HTTP/9 garbage\0\r\n`), 'ok'],
    ['is followed by a second response', (socket) => socket.write(full.repeat(2)), 'ok'],
    ['comes with a few early hints', (socket) => socket.write(earlyHints().repeat(3) + full), 'ok'],
    ['ends with the connection', (socket) => socket.end(`${head}\r\nok`), 'ok'],
    ['has no body', (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), ''],
    [
      'has bytes that are not UTF-8',
      (s) => s.write(Buffer.concat([Buffer.from(`${head}Content-Length: 2\r\n\r\n`), Buffer.from([0xff, 0xfe])])),
      '\xff\xfe',
    ],
  ])('one that %s is taken, and the next call is not confused by it', async (_name, behave, body) => {
    const { port } = await behaving(behave)
    const client = outbound({ keepAliveMs: 5000 })
    for (let call = 0; call < 3; call++) {
      const response = await client.send(post(port))
      expect([Math.floor(response.status / 100), response.body.toString('latin1')]).toEqual([2, body])
    }
  })

  test('one that comes before the request was read is taken', async () => {
    const { port } = await listen(
      createServer((socket) => {
        socket.pause()
        socket.write(full)
      }),
    )
    const response = await outbound({ keepAliveMs: 5000 }).send({ ...post(port), body: 'x'.repeat(5_000_000) })
    expect([response.status, response.body.toString()]).toEqual([200, 'ok'])
  })

  test('a compressed body is never unpacked: what is kept are its first bytes as they came', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const { port } = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const response = await outbound().send(post(port))
    expect(response.body).toEqual(bomb.subarray(0, 4096))
    expect(response.is_truncated).toBe(true)
  })
})

describe('kept connections', () => {
  test('calls one after the other share a connection; one that was cut off is not kept', async () => {
    const { port, connections, closed } = await serve((request, response) => {
      response.end('x'.repeat(request.url === '/long' ? 5000 : 10))
    })
    const client = outbound({ keepAliveMs: 5000 })
    for (let call = 0; call < 5; call++) expect((await client.send(post(port))).status).toBe(200)
    expect(connections()).toBe(1)
    expect((await client.send({ ...post(port), url: new URL(`http://127.0.0.1:${port}/long`) })).is_truncated).toBe(
      true,
    )
    await closed()
    expect((await client.send(post(port))).status).toBe(200)
    expect(connections()).toBe(2)
  })

  test('a request whose used connection is closed under it is sent again, once and on a new connection', async () => {
    let requests = 0
    const { port, connections } = await listen(
      createServer((socket) => {
        let isUsed = false
        socket.on('data', () => {
          requests += 1
          if (isUsed) return socket.resetAndDestroy()
          isUsed = true
          socket.write(full)
        })
      }),
    )
    const client = outbound({ keepAliveMs: 5000 })
    for (let call = 0; call < 3; call++) expect((await client.send(post(port))).status).toBe(200)
    expect([requests, connections()]).toEqual([5, 3])
  })

  test('a request that is answered by a hang-up on the new connection, too, has failed', async () => {
    let requests = 0
    const { port } = await listen(
      createServer((socket) => socket.on('data', () => (++requests === 1 ? socket.write(full) : socket.destroy()))),
    )
    const client = outbound({ keepAliveMs: 5000 })
    expect((await client.send(post(port))).status).toBe(200)
    await expect(client.send(post(port))).rejects.toMatchObject({ code: 'response_broken' })
    expect(requests).toBe(3)
  })

  test('a connection is not used beyond its time: a name that leads to our own network by then is refused', async () => {
    const { port, connections } = await serve((_, response) => response.end('ok'))
    const answers: Record<number, number[]> = { 1: [127, 0, 0, 1] }
    const resolve = resolveThroughDns([await nameServer(answers)])
    const url = new URL(`http://rebinding.example.com:${port}/`)
    const young = outbound({ keepAliveMs: 5000, resolve })
    const old = outbound({ keepAliveMs: 5000, resolve, oldestConnectionMs: 0 })
    for (const client of [young, old]) expect((await client.send({ ...post(port), url })).status).toBe(200)
    delete answers[1]
    expect((await young.send({ ...post(port), url })).status).toBe(200)
    await expect(old.send({ ...post(port), url })).rejects.toMatchObject({ code: 'dns_failed' })
    expect(connections()).toBe(2)
  })

  test('of six hundred hosts only the last ones keep a connection', async () => {
    let open = 0
    const { port } = await listen(
      createServer((socket) => {
        open++
        socket.on('data', () => socket.write(full))
        socket.on('close', () => open--)
      }),
    )
    const client = outbound({ keepAliveMs: 60_000, resolve: toHere })
    for (let host = 0; host < 600; host++) {
      const url = new URL(`http://h${host}.example.com:${port}/`)
      expect((await client.send({ ...post(port), url })).status).toBe(200)
    }
    await expect.poll(() => open).toBe(512)
  })
})

describe('what leads elsewhere', () => {
  test('a name is checked as often as it is connected to: rebinding between two calls reaches nothing', async () => {
    const { port, connections } = await serve((_, response) => response.end('secret'))
    const answers: Record<number, number[]> = { 28: [0x2d, 0, ...Array(13).fill(0), 1] }
    const resolve = resolveThroughDns([await nameServer(answers)])
    const client = outbound({ allowPrivate: false, allowHttp: true, keepAliveMs: 5000, resolve })
    const url = new URL(`http://rebinding.example.com:${port}/`)
    // The first answer is public, and nobody is there.
    await expect(client.send({ ...post(port), url, timeout_ms: deadlineMs })).rejects.toBeInstanceOf(OutboundError)
    answers[1] = [127, 0, 0, 1]
    await expect(client.send({ ...post(port), url })).rejects.toMatchObject({ code: 'address_not_allowed' })
    expect(connections()).toBe(0)
  })

  test('proxies in the environment are not used', async () => {
    const { port } = await serve((_, response) => response.end('direct'))
    const trap = await serve((_, response) => response.end('trapped'))
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    for (const name of [...names, 'NODE_USE_ENV_PROXY', 'NO_PROXY']) {
      const before = process.env[name]
      process.env[name] =
        name === 'NODE_USE_ENV_PROXY' ? '1' : name === 'NO_PROXY' ? '' : `http://127.0.0.1:${trap.port}`
      cleanups.push(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
    }
    for (const keepAliveMs of [0, 5000])
      expect((await outbound({ keepAliveMs }).send(post(port))).body.toString()).toBe('direct')
    expect(trap.connections()).toBe(0)
  })
})

function earlyHints(): string {
  return 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
}

/** A server that does this on the first bytes of each request. */
function behaving(behave: Behaviour) {
  return listen(createServer((socket) => socket.on('data', () => behave(socket))))
}

async function outcome(port: number, options: Partial<OutboundOptions> = {}, timeout_ms = deadlineMs): Promise<string> {
  try {
    return `answered ${(await outbound(options).send({ ...post(port), timeout_ms })).status}`
  } catch (error) {
    if (error instanceof OutboundError) return error.code
    throw error
  }
}

function post(port: number) {
  return {
    method: 'POST' as const,
    url: new URL(`http://127.0.0.1:${port}/`),
    body: '{"id":"evt_1"}',
    timeout_ms: 10_000,
    maximum_response_bytes: 4096,
  }
}

function outbound(options: Partial<OutboundOptions> = {}) {
  const client = createOutbound({ allowPrivate: true, ...options })
  cleanups.push(() => client.close())
  return client
}
