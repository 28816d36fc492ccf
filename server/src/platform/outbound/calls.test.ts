// Real servers on this machine. `provider.example.com` is a name that only the resolver of a test knows.
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, cleanups, listen, nameServer, serve, serveTls } from '../../../test/real-servers.ts'
import { createOutbound, type OutboundOptions, type OutboundRequest } from './calls.ts'
import { type Resolve, resolveThroughDns } from './connections.ts'
import { OutboundError } from './outbound-error.ts'

afterEach(cleanUp)

const toHere: Resolve = async () => ['127.0.0.1']
const never = () => new Promise<never>(() => undefined)

describe('a call', () => {
  test('carries the caller’s headers and body, and brings back status, headers and body', async () => {
    const seen: unknown[] = []
    const { port } = await serve(async (request, response) => {
      const { method, url, headers } = request
      seen.push({ method, url, headers, body: await textOf(request) })
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.writeHead(201, { 'X-Kind': 'test' }).end('made')
    })
    const response = await outbound().send({
      ...post(`http://127.0.0.1:${port}/hook?x=1`),
      headers: { 'Content-Type': 'text/plain', 'X-Signature': 's1' },
      body: 'héllo',
    })
    expect(response).toMatchObject({ status: 201, is_truncated: false })
    expect(response.body.toString()).toBe('made')
    expect(response.headers).toMatchObject({ 'x-kind': 'test', 'set-cookie': 'a=1, b=2' })
    expect(response.duration_ms).toBeGreaterThanOrEqual(0)
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hook?x=1',
        body: 'héllo',
        // Nothing else: no user agent, no origin of ours.
        headers: {
          host: `127.0.0.1:${port}`,
          connection: 'close',
          'content-type': 'text/plain',
          'x-signature': 's1',
          'accept-encoding': 'identity',
          'content-length': '6',
        },
      },
    ])
  })

  test('hands a redirect back and does not follow it', async () => {
    const paths: unknown[] = []
    const { port } = await serve((request, response) => {
      paths.push(request.url)
      response.writeHead(302, { location: '/secret' }).end()
    })
    const response = await outbound().send(get(`http://127.0.0.1:${port}/start`))
    expect([response.status, response.headers.location, paths]).toEqual([302, '/secret', ['/start']])
  })

  test('reaches localhost where the own network is allowed', async () => {
    const { port } = await serve((_, response) => response.end('here'))
    const response = await outbound().send(get(`http://localhost:${port}/`))
    expect(response.body.toString()).toBe('here')
  })

  test('goes on to the next address of the name when one does not answer', async () => {
    const { port } = await serve((_, response) => response.end('here'))
    const client = outbound({ resolve: async () => ['127.0.0.2', '127.0.0.1'] })
    expect((await client.send(get(`http://provider.example.com:${port}/`))).status).toBe(200)
  })

  test.each(['host', 'Content-Length', 'accept-encoding', 'Transfer-Encoding'])(
    'does not let the caller set the header %s',
    async (name) => {
      const { port, connections } = await serve((_, response) => response.end())
      const sent = outbound().send({ ...get(`http://127.0.0.1:${port}/`), headers: { [name]: '1' } })
      await expect(sent).rejects.toThrow(`The header ${name} is set automatically`)
      expect(connections()).toBe(0)
    },
  )

  test('does not let a header value begin another header, and does not repeat the value', async () => {
    const { port, connections } = await serve((_, response) => response.end())
    const sent = outbound().send({ ...get(`http://127.0.0.1:${port}/`), headers: { a: 'word\r\nhost: b' } })
    const error = await sent.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain('word')
    expect(connections()).toBe(0)
  })
})

describe('the bound of the response', () => {
  test('an endless body is cut at the bound and its connection ended', async () => {
    const { port, closed } = await serve((_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', pour)
      pour()
    })
    const response = await outbound().send({ ...get(`http://127.0.0.1:${port}/`), maximum_response_bytes: 12_345 })
    expect([response.status, response.body.length, response.is_truncated]).toEqual([200, 12_345, true])
    await closed()
  })

  test.each([
    [10, 10, false],
    [11, 10, true],
    [1, 0, true],
    [0, 0, false],
  ])('of %i bytes and a bound of %i, is_truncated is %s', async (size, bound, isTruncated) => {
    const { port } = await serve((_, response) => response.end('x'.repeat(size)))
    const response = await outbound().send({ ...get(`http://127.0.0.1:${port}/`), maximum_response_bytes: bound })
    expect([response.body.length, response.is_truncated]).toEqual([Math.min(size, bound), isTruncated])
  })
})

describe('the timeout', () => {
  test('ends a body that drips, and its connection', async () => {
    const { port, closed } = await serve((_, response) => {
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    })
    expect(await failure({ ...get(`http://127.0.0.1:${port}/`), timeout_ms: 150 })).toBe('timed_out')
    await closed()
  })

  test('ends the wait for headers', async () => {
    const { port, closed } = await serve(() => undefined)
    expect(await failure({ ...get(`http://127.0.0.1:${port}/`), timeout_ms: 100 })).toBe('timed_out')
    await closed()
  })

  test('ends the wait for TLS', async () => {
    const { port, closed } = await listen(createTcpServer((socket) => socket.resume()))
    expect(await failure({ ...get(`https://127.0.0.1:${port}/`), timeout_ms: 100 })).toBe('timed_out')
    await closed()
  })

  test('ends the wait for the resolver', async () => {
    const wanted = { ...get('http://provider.example.com/'), timeout_ms: 100 }
    expect(await failure(wanted, { resolve: never })).toBe('timed_out')
  })

  test('ends the wait for a place, and the place is not lost', async () => {
    let release: (() => void) | undefined
    const { port, connections } = await serve((request, response) => {
      if (request.url === '/slow') release = () => response.end()
      else response.end()
    })
    const client = outbound({ maximumConnections: 1 })
    const slow = client.send(get(`http://127.0.0.1:${port}/slow`))
    await expect.poll(() => release).toBeDefined()
    const waiting = client.send({ ...get(`http://127.0.0.1:${port}/`), timeout_ms: 50 })
    await expect(waiting).rejects.toMatchObject({ code: 'timed_out' })
    expect(connections()).toBe(1)
    release?.()
    await slow
    expect((await client.send(get(`http://127.0.0.1:${port}/`))).status).toBe(200)
  })

  test('a signal ends the call sooner, with its own reason', async () => {
    const stopping = new AbortController()
    const { port, closed } = await serve(() => stopping.abort(new Error('stopped')))
    const sent = outbound().send({ ...get(`http://127.0.0.1:${port}/`), signal: stopping.signal })
    await expect(sent).rejects.toThrow('stopped')
    await closed()
    const again = outbound().send({ ...get(`http://127.0.0.1:${port}/`), signal: stopping.signal })
    await expect(again).rejects.toThrow('stopped')
  })
})

describe('our own network', () => {
  test.each([
    ['127.0.0.1', []],
    ['2130706433', []],
    ['[::ffff:127.0.0.1]', []],
    ['localhost', ['127.0.0.1']],
    ['provider.example.com', ['127.0.0.1']],
    ['provider.example.com', ['::ffff:127.0.0.1']],
    ['provider.example.com', ['::1']],
    ['provider.example.com', ['2d00::1', '127.0.0.1']],
    ['provider.example.com', ['0.0.0.0']],
  ])('%s leading to %j is refused before a connection is made', async (host, addresses) => {
    const { port, connections } = await serve((_, response) => response.end())
    const options = { allowPrivate: false, allowHttp: true, resolve: async () => addresses }
    expect(await failure(get(`http://${host}:${port}/`), options)).toBe('address_not_allowed')
    expect(connections()).toBe(0)
  })

  test.each([
    'http://provider.example.com/',
    'https://provider.example.com:6379/',
    'https://user@provider.example.com/',
    'https://localhost/',
    'https://provider.internal/',
  ])('%s is refused before its name is resolved', async (address) => {
    let asked = 0
    const resolve: Resolve = async () => {
      asked += 1
      return []
    }
    expect(await failure(get(address), { allowPrivate: false, resolve })).toBe('address_not_allowed')
    expect(asked).toBe(0)
  })

  test('a name is resolved once for each call: an answer that changes afterwards is never used', async () => {
    const { port, connections } = await serve((_, response) => response.end())
    // The first belongs to nobody; after it comes the trap.
    const answers = ['2d00::1']
    let asked = 0
    const resolve: Resolve = async () => {
      asked += 1
      return [answers.shift() ?? '127.0.0.1']
    }
    const client = outbound({ allowPrivate: false, allowHttp: true, resolve })
    const wanted = { ...get(`http://provider.example.com:${port}/`), timeout_ms: 500 }
    const first = await client.send(wanted).catch((error: OutboundError) => error.code)
    expect(['connection_failed', 'timed_out']).toContain(first)
    expect(asked).toBe(1)
    await expect(client.send(wanted)).rejects.toMatchObject({ code: 'address_not_allowed' })
    expect([asked, connections()]).toEqual([2, 0])
  })

  test('every call resolves anew and no connection is kept for the next one', async () => {
    const { port, connections } = await serve((_, response) => response.end())
    let asked = 0
    const resolve: Resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : [])
    const client = outbound({ resolve })
    const wanted = get(`http://provider.example.com:${port}/`)
    expect((await client.send(wanted)).status).toBe(200)
    await expect(client.send(wanted)).rejects.toMatchObject({ code: 'dns_failed' })
    expect(connections()).toBe(1)
  })

  test('an answer that is no address is not resolved a second time', async () => {
    const { port, connections } = await serve((_, response) => response.end())
    const options = { resolve: async () => ['localhost'] }
    expect(await failure(get(`http://provider.example.com:${port}/`), options)).toBe('dns_failed')
    expect(connections()).toBe(0)
  })

  test('a connection that ends at another address than the checked one carries no request', async () => {
    let requests = 0
    const { port } = await serve((_, response) => {
      requests += 1
      response.end()
    })
    // The system leads 0.0.0.0 to 127.0.0.1.
    const options = { resolve: async () => ['0.0.0.0'] }
    expect(await failure(get(`http://provider.example.com:${port}/`), options)).toBe('address_not_allowed')
    expect(requests).toBe(0)
  })

  test('a URL changed after the call began changes nothing', async () => {
    const { port } = await serve((request, response) => response.end(request.url))
    const url = new URL(`http://provider.example.com:${port}/checked`)
    const sent = outbound({ resolve: toHere }).send({ ...get(url.href), url })
    url.pathname = '/other'
    expect((await sent).body.toString()).toBe('/checked')
  })
})

describe('what breaks', () => {
  test('nobody listening is connection_failed', async () => {
    const { port, close } = await serve(() => undefined)
    await close()
    expect(await failure(get(`http://127.0.0.1:${port}/`))).toBe('connection_failed')
  })

  test('a resolver that fails is dns_failed', async () => {
    const resolve: Resolve = () => Promise.reject(new Error('SERVFAIL'))
    expect(await failure(get('http://provider.example.com/'), { resolve })).toBe('dns_failed')
  })

  test('a reset is response_broken, and the request is not sent again', async () => {
    const { port, connections } = await listen(
      createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    )
    expect(await failure(get(`http://127.0.0.1:${port}/`))).toBe('response_broken')
    expect(connections()).toBe(1)
  })

  test.each([
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nprivate words',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nprivate words\r\n',
    'private words\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'private words '.repeat(5000)}\r\n\r\n`,
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: private words\r\nConnection: upgrade\r\n\r\n',
    '',
  ])('the response %j is response_broken, and none of it is told', async (answer) => {
    const { port } = await listen(createTcpServer((socket) => socket.once('data', () => socket.end(answer))))
    const error = await outbound()
      .send(get(`http://127.0.0.1:${port}/`))
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'response_broken' })
    expect(String(error)).not.toContain('private')
  })
})

describe('TLS', () => {
  test('a certificate that is trusted and bears the name or the address is accepted', async () => {
    const { port, certificate } = await serveTls('DNS:provider.example.com,IP:127.0.0.1')
    const client = outbound({ resolve: toHere, certificateAuthorities: certificate })
    for (const host of ['provider.example.com', 'provider.example.com.', '127.0.0.1'])
      expect((await client.send(get(`https://${host}:${port}/`))).body.toString()).toBe('secured')
  })

  test('a self-signed certificate is tls_failed, and no request is sent', async () => {
    const { port, requests } = await serveTls('DNS:provider.example.com,IP:127.0.0.1')
    expect(await failure(get(`https://provider.example.com:${port}/`), { resolve: toHere })).toBe('tls_failed')
    expect(requests()).toBe(0)
  })

  test('a trusted certificate of another name is tls_failed, and no request is sent', async () => {
    const { port, certificate, requests } = await serveTls('DNS:other.example.com')
    const options = { resolve: toHere, certificateAuthorities: certificate }
    for (const host of ['provider.example.com', '127.0.0.1'])
      expect(await failure(get(`https://${host}:${port}/`), options)).toBe('tls_failed')
    expect(requests()).toBe(0)
  })

  test('a server that hangs up during the handshake is tls_failed', async () => {
    const { port } = await listen(createTcpServer((socket) => socket.once('data', () => socket.end())))
    expect(await failure(get(`https://127.0.0.1:${port}/`))).toBe('tls_failed')
  })

  test('a server without TLS is tls_failed', async () => {
    const { port } = await serve((_, response) => response.end())
    expect(await failure(get(`https://127.0.0.1:${port}/`))).toBe('tls_failed')
  })
})

describe('many calls', () => {
  test('there are never more connections than allowed, and every call has its turn', async () => {
    const held: (() => void)[] = []
    let most = 0
    const { port } = await serve(async (request, response) => {
      if (request.url === '/meanwhile') return response.end()
      held.push(() => response.end())
      most = Math.max(most, held.length)
      if (held.length !== 3) return
      // Time enough for a fourth to come, were it let through.
      await outbound().send(get(`http://127.0.0.1:${port}/meanwhile`))
      for (const release of held.splice(0)) release()
    })
    const client = outbound({ maximumConnections: 3 })
    const sent = Array.from({ length: 21 }, () => client.send(get(`http://127.0.0.1:${port}/`)))
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(21).fill(200))
    expect(most).toBe(3)
  })

  test('closing waits for the calls under way and takes no more', async () => {
    let release: (() => void) | undefined
    const { port, connections } = await serve((_, response) => {
      release = () => response.end()
    })
    const client = createOutbound({ allowPrivate: true })
    const order: string[] = []
    const sent = client.send(get(`http://127.0.0.1:${port}/`)).then(() => order.push('answered'))
    await expect.poll(() => release).toBeDefined()
    const closing = client.close().then(() => order.push('closed'))
    await expect(client.send(get(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({ code: 'connection_failed' })
    release?.()
    await Promise.all([sent, closing])
    expect([order, connections()]).toEqual([['answered', 'closed'], 1])
  })
})

describe('asking name servers', () => {
  const signal = new AbortController().signal

  test('the answers of both families come together, so that both are checked', async () => {
    const resolve = resolveThroughDns([await nameServer({ 1: [10, 0, 0, 1], 28: [...Array(15).fill(0), 1] })])
    expect([...(await resolve('provider.example.com', signal))].sort()).toEqual(['10.0.0.1', '::1'])
  })

  test('a name with one family is enough, one with none has no addresses', async () => {
    expect(await resolveThroughDns([await nameServer({ 1: [10, 0, 0, 1] })])('a.example.com', signal)).toHaveLength(1)
    expect(await resolveThroughDns([await nameServer({})])('a.example.com', signal)).toEqual([])
  })

  test('a name server that stays silent holds a call no longer than its timeout', async () => {
    const questions: Buffer[] = []
    const resolve = resolveThroughDns([await nameServer('silent', questions)])
    const wanted = { ...get('http://provider.example.com/'), timeout_ms: 1000 }
    expect(await failure(wanted, { allowPrivate: false, allowHttp: true, resolve })).toBe('timed_out')
    // The resolver had not even begun its second try: one question for each family.
    expect(questions).toHaveLength(2)
  })
})

function outbound(options: Partial<OutboundOptions> = {}) {
  const client = createOutbound({ allowPrivate: true, ...options })
  cleanups.push(() => client.close())
  return client
}

function get(address: string): OutboundRequest {
  return { method: 'GET', url: new URL(address), timeout_ms: 10_000, maximum_response_bytes: 100_000 }
}

function post(address: string): OutboundRequest {
  return { ...get(address), method: 'POST' }
}

/** The code of the error that a call must end with. */
async function failure(wanted: OutboundRequest, options: Partial<OutboundOptions> = {}): Promise<string> {
  try {
    return `answered ${(await outbound(options).send(wanted)).status}`
  } catch (error) {
    if (error instanceof OutboundError) return error.code
    throw error
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
