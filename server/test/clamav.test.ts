// The scanner's client against a real clamd, and against servers that behave as a broken one does.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createScanner,
  parseScannerAddress,
  ScannerAway,
  type ScannerTimeouts,
  TooLargeToScan,
} from '../src/platform/storage/clamav.ts'
import { type Clamd, describeWithClamd, eicar, eicarSignature, startClamd } from './clamd.ts'
import { startTcpProxy } from './tcp-proxy.ts'

let clamd: Clamd

describeWithClamd('the virus scanner', () => {
  beforeAll(async () => {
    clamd = await startClamd({ stream_max_length: '2M' })
  })
  afterAll(() => clamd?.close())

  const scan = (chunks: Iterable<Buffer>, signal = never()) =>
    createScanner(parseScannerAddress(clamd.address)).scan(Readable.from(chunks), signal)

  test('answers a ping', async () => {
    await createScanner(parseScannerAddress(clamd.address)).ping()
  })

  test('finds a file clean, also an empty one, one with empty pieces and one of many pieces', async () => {
    expect(await scan([Buffer.from('nothing to see')])).toEqual({ verdict: 'clean' })
    expect(await scan([])).toEqual({ verdict: 'clean' })
    expect(await scan([Buffer.from('a'), Buffer.alloc(0), Buffer.from('b')])).toEqual({ verdict: 'clean' })
    expect(await scan(Array.from({ length: 30 }, () => Buffer.alloc(64 * 1024, 'x')))).toEqual({ verdict: 'clean' })
  })

  test('finds an infected file and names the signature, wherever the pieces are cut', async () => {
    const bytes = Buffer.from(`${'clean text\n'.repeat(1000)}${eicar}`)
    for (const size of [1, 7, 4096, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )
      expect(await scan(pieces)).toEqual({ verdict: 'infected', signature: eicarSignature })
    }
    // Behind an empty piece, which must not end the file.
    expect(await scan([Buffer.from('a\n'), Buffer.alloc(0), Buffer.from(eicar)])).toMatchObject({ verdict: 'infected' })
  })

  test('says of a file above its limit that it is too large, not that the scanner is away', async () => {
    for (let round = 0; round < 10; round++) await expect(scan(endless(100))).rejects.toThrow(TooLargeToScan)
  })

  test('scans many files at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => scan([Buffer.from(i % 2 ? eicar : `clean ${i}`)])),
    )
    expect(results.map(({ verdict }) => verdict)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? 'infected' : 'clean')),
    )
  })

  test('gives no verdict on a stream that breaks, and says what broke it', async () => {
    const broken = new PassThrough()
    broken.write('half')
    setImmediate(() => broken.destroy(new Error('the store went away')))
    const scanning = createScanner(parseScannerAddress(clamd.address)).scan(broken, never())
    await expect(scanning).rejects.toThrow('the store went away')
  })

  test('stops when it is called off, with the reason it was given', async () => {
    const controller = new AbortController()
    const source = new PassThrough()
    source.write('half')
    const scanning = createScanner(parseScannerAddress(clamd.address)).scan(source, controller.signal)
    setImmediate(() => controller.abort(new Error('the server stops')))
    await expect(scanning).rejects.toThrow('the server stops')
    expect(source.destroyed).toBe(true)
    await expect(scan([Buffer.from('x')], AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  })
})

describe('a virus scanner that is away', () => {
  const patient: ScannerTimeouts = { connect_ms: 20_000, idle_ms: 20_000, verdict_ms: 20_000 }
  /** For what is never answered. */
  const impatient: ScannerTimeouts = { ...patient, idle_ms: 100, verdict_ms: 100 }
  const [clean, infected] = ['stream: OK\0', 'stream: X FOUND\0']

  test('is named as away, with what to look at', async () => {
    for (const address of ['unix:/nowhere/clamd.ctl', 'tcp://127.0.0.1:1']) {
      const scanner = createScanner(parseScannerAddress(address))
      await expect(scanner.ping()).rejects.toThrow(ScannerAway)
      await expect(scanner.ping()).rejects.toThrow('Check that clamd is running and that PORTICO_CLAMAV is correct.')
      await expect(scanner.scan(Readable.from(endless(10)), never())).rejects.toThrow(ScannerAway)
    }
  })

  test('is not waited for when it is silent, before or after the file', async () => {
    const { address, stop } = await startListener((socket) => socket.resume())
    const scanner = createScanner(parseScannerAddress(address), impatient)
    await expect(scanner.scan(Readable.from([Buffer.from('x')]), never())).rejects.toThrow('no response for 100 ms')
    await stop()
    const deaf = await startListener((socket) => socket.pause())
    const other = createScanner(parseScannerAddress(deaf.address), impatient)
    await expect(other.scan(Readable.from(endless(500)), never())).rejects.toThrow('no response for 100 ms')
    await deaf.stop()
  })

  test('has given no verdict when it goes away in the middle or says something else', async () => {
    const says = ['', 'stream: OK', `stream: OK and more\0`, 'Internal fault. ERROR\0', 'x'.repeat(5000)]
    for (const text of says) {
      const { address, stop } = await startListener((socket) => socket.resume().end(text))
      const scanner = createScanner(parseScannerAddress(address), patient)
      await expect(scanner.scan(Readable.from([Buffer.from('x')]), never())).rejects.toThrow(ScannerAway)
      await expect(scanner.ping()).rejects.toThrow(ScannerAway)
      await stop()
    }
    const source = new PassThrough()
    const proxied = await startListener((socket) =>
      socket.once('data', () => {
        proxy.set('refuse')
        source.end('the rest')
      }),
    )
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(proxied.address).port) })
    source.write('half')
    const scanner = createScanner({ host: '127.0.0.1', port: proxy.port }, patient)
    await expect(scanner.scan(source, never())).rejects.toThrow(ScannerAway)
    await proxy.stop()
    await proxied.stop()
  })

  test('is believed in what it said before it hung up on us', async () => {
    const { address, stop } = await startListener((socket) => {
      socket.once('data', () => {
        socket.pause()
        socket.write('INSTREAM size limit exceeded. ERROR\0', () => socket.resetAndDestroy())
      })
    })
    for (let round = 0; round < 50; round++) {
      const scanning = createScanner(parseScannerAddress(address), patient).scan(Readable.from(endless(100)), never())
      await expect(scanning).rejects.toThrow(TooLargeToScan)
    }
    await stop()
  })

  test('is not believed that a file is clean before it has all of it', async () => {
    const { address, stop } = await startListener((socket) => socket.once('data', () => socket.write(clean)).resume())
    const scanner = createScanner(parseScannerAddress(address), patient)
    await expect(scanner.scan(Readable.from(endless(100)), never())).rejects.toThrow(
      'before it had received the whole file',
    )
    await stop()
  })

  test('speaks TCP as well, and its reply may come in pieces', async () => {
    for (const [reply, verdict] of [
      [clean, 'clean'],
      [infected, 'infected'],
    ] as const) {
      const { address, stop } = await startListener((socket) => {
        const sent: Buffer[] = []
        socket.on('data', (bytes) => {
          sent.push(bytes)
          if (!Buffer.concat(sent).equals(Buffer.from('zINSTREAM\0\0\0\0\x02hi\0\0\0\0', 'latin1'))) return
          socket.write(reply.slice(0, 5))
          setImmediate(() => socket.end(reply.slice(5)))
        })
      })
      const scanner = createScanner(parseScannerAddress(address), patient)
      expect(await scanner.scan(Readable.from([Buffer.from('hi')]), never())).toMatchObject({ verdict })
      await stop()
    }
  })
})

test.each([
  ['unix:/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
  ['unix:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
  ['tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
  ['tcp://clamav.internal:3310', { host: 'clamav.internal', port: 3310 }],
  ['tcp://[::1]:3310', { host: '::1', port: 3310 }],
])('%s is the address of a scanner', (text, address) => {
  expect(parseScannerAddress(text)).toEqual(address)
})

test.each([
  '',
  'clamd',
  'unix:',
  'unix:clamd.ctl',
  'tcp://127.0.0.1',
  'tcp://h:99999',
  'tcp://u:p@h:1',
  'tcp://h:1/x',
  'http://h:1',
])('%j is refused as the address of a scanner, with an example', (text) => {
  expect(() => parseScannerAddress(text)).toThrow(
    'must be the address of clamd, such as unix:/run/clamav/clamd.ctl or tcp://127.0.0.1:3310',
  )
})

const never = () => new AbortController().signal

/** Pieces of 64 KiB, made as they are read. */
function* endless(count: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(64 * 1024, 'x')
}

async function startListener(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    address: `tcp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
