// A client of clamd, the daemon of ClamAV, over a unix socket or TCP, one connection per question.
// INSTREAM: the command, then chunks, each after its length in 4 bytes, and a length of 0 at the end. A `z` before the
// command means that commands and replies end with a zero byte. clamd may reply before the end (a file above its limit)
// and then closes: what it has said counts more than the broken connection that follows.
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net'
import type { Readable } from 'node:stream'
import { reasonOf } from '../values/reason.ts'

export type ScannerAddress = { path: string } | { host: string; port: number }
type ScanResult = { verdict: 'clean' } | { verdict: 'infected'; signature: string }

export interface Scanner {
  /** Uses up the stream. Throws ScannerAway, TooLargeToScan, what broke the stream, or the reason of the signal. */
  scan(bytes: Readable, signal: AbortSignal): Promise<ScanResult>
  ping(): Promise<void>
}

/** The scanner gave no verdict: the file is neither clean nor infected, ask again later. */
export class ScannerAway extends Error {
  override name = 'ScannerAway'
}

/** The file is above the scanner's own limit: asking again does not help. */
export class TooLargeToScan extends Error {
  override name = 'TooLargeToScan'
}

export interface ScannerTimeouts {
  connect_ms: number
  /** Without a byte being taken. */
  idle_ms: number
  /** From the last byte to the verdict; clamd gives up on a file by itself after two minutes. */
  verdict_ms: number
}

export function createScanner(
  address: ScannerAddress,
  timeouts: ScannerTimeouts = { connect_ms: 5000, idle_ms: 30_000, verdict_ms: 180_000 },
): Scanner {
  return {
    async scan(bytes, signal) {
      // If the stream breaks while we wait for clamd, nobody else may be listening; the loop below is told as well.
      bytes.on('error', () => undefined)
      // And if clamd goes away while we wait for the stream, there is nothing left to wait for.
      const connection = openConnection(address, timeouts.connect_ms, (error) => bytes.destroy(error))
      const abort = () => connection.fail(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
      try {
        await connection.send([Buffer.from('zINSTREAM\0')], timeouts.connect_ms)
        for await (const chunk of bytes) {
          // A length of 0 would be the end.
          if (chunk.length === 0) continue
          if (!(await connection.send([lengthOf(chunk), chunk], timeouts.idle_ms))) break
        }
        const isWhole = connection.isListening()
        await connection.send([lengthOf('')], timeouts.idle_ms)
        const result = verdictOf(await connection.reply(timeouts.verdict_ms))
        if (result.verdict === 'clean' && !isWhole)
          throw new ScannerAway('The virus scanner reported a result before it had received the whole file.')
        return result
      } finally {
        signal.removeEventListener('abort', abort)
        connection.close()
        bytes.destroy()
      }
    },
    async ping() {
      const connection = openConnection(address, timeouts.connect_ms)
      try {
        await connection.send([Buffer.from('zPING\0')], timeouts.connect_ms)
        const reply = await connection.reply(timeouts.connect_ms)
        if (reply !== 'PONG')
          throw new ScannerAway(`The virus scanner answered a ping with ${JSON.stringify(reply)} instead of PONG.`)
      } finally {
        connection.close()
      }
    },
  }
}

/** `unix:/run/clamav/clamd.ctl` or `tcp://127.0.0.1:3310`. Throws the second part of a sentence that starts with the name of the setting. */
export function parseScannerAddress(text: string): ScannerAddress {
  const path = /^unix:(?:\/\/)?(\/.+)$/.exec(text)?.[1]
  if (path !== undefined) return { path }
  const url = /^tcp:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const isBare = url && !url.username && !url.password && url.pathname === '' && !url.search && !url.hash
  if (!url || !isBare || !url.hostname || !url.port)
    throw new Error(
      `must be the address of clamd, such as unix:/run/clamav/clamd.ctl or tcp://127.0.0.1:3310, not "${text}"`,
    )
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) }
}

function verdictOf(reply: string): ScanResult {
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1]
  if (signature !== undefined) return { verdict: 'infected', signature }
  if (reply === 'stream: OK') return { verdict: 'clean' }
  if (reply.includes('size limit exceeded'))
    throw new TooLargeToScan(
      'The file is larger than the virus scanner accepts. Increase StreamMaxLength in clamd.conf.',
    )
  throw new ScannerAway(`The virus scanner could not scan the file: ${reasonOf(reply)}.`)
}

interface Connection {
  /** False once clamd has replied or hung up. */
  isListening(): boolean
  /** Whether clamd is still listening afterwards; when it is not, its reply says more. */
  send(parts: readonly Buffer[], timeoutMs: number): Promise<boolean>
  /** The reply without the zero byte at its end. */
  reply(timeoutMs: number): Promise<string>
  /** Ends it for a reason of the caller's. */
  fail(reason: unknown): void
  close(): void
}

function openConnection(
  address: ScannerAddress,
  connectMs: number,
  onFailure: (error: Error) => void = () => undefined,
): Connection {
  let received = ''
  let failure: Error | undefined
  const hasReply = () => received.includes('\0')
  const fail = (error: Error) => {
    if (failure || hasReply()) return
    failure = error
    socket.destroy()
    onFailure(error)
  }
  const connecting = setTimeout(() => fail(away(`the connection timed out after ${connectMs} ms`)), connectMs)
  const take = (length: number, buffer: Uint8Array): boolean => {
    received += Buffer.from(buffer.buffer, buffer.byteOffset, length).toString('latin1')
    if (received.length > maximumReplyLength) fail(away('its reply is too long'))
    socket.emit('news')
    return true
  }
  const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer: Buffer.alloc(1024), callback: take } }
  const socket = new PatientSocket(options)
  socket
    .on('connect', () => clearTimeout(connecting))
    .on('error', (error) => fail(away(error.message, error)))
    .on('end', () => fail(away('it closed the connection')))
    .connect(address)

  /** Waits until it is done, there is a reply or the connection is gone, and looks again whenever an event comes. */
  const until = async (isDone: () => boolean, timeoutMs: number): Promise<void> => {
    const timer = setTimeout(() => fail(away(`no response for ${timeoutMs} ms`)), timeoutMs)
    try {
      while (!hasReply() && !failure && !isDone()) await nextNews(socket)
    } finally {
      clearTimeout(timer)
    }
    if (failure) throw failure
  }

  const isListening = () => !hasReply() && !failure && !socket.writeError
  return {
    isListening,
    async send(parts, timeoutMs) {
      if (!isListening()) return false
      socket.cork()
      for (const part of parts) socket.write(part)
      socket.uncork()
      await until(() => !isListening() || !socket.writableNeedDrain, timeoutMs)
      return isListening()
    },
    async reply(timeoutMs) {
      await until(() => socket.writeError !== undefined, timeoutMs)
      // What was said before hanging up is already here, so it does not take long to read.
      await until(() => false, socket.writeError ? Math.min(timeoutMs, lastWordsMs) : timeoutMs)
      return received.slice(0, received.indexOf('\0'))
    },
    fail: (reason) => fail(reason instanceof Error ? reason : new Error('The scan was cancelled.')),
    close() {
      clearTimeout(connecting)
      socket.destroy()
    },
  }
}

/**
 * A socket gives up reading when a write fails. But who hung up has said why, and that is still to be read: this one
 * stays open after such a failure, and hands over what it reads past the stream (`onread`), which takes no more.
 */
class PatientSocket extends Socket {
  writeError: Error | undefined

  override destroy(error?: Error): this {
    if (this.writeError || !error || !('syscall' in error) || error.syscall !== 'write') return super.destroy(error)
    this.writeError = error
    this.emit('news')
    return this
  }
}

const lastWordsMs = 1000
const maximumReplyLength = 4096

function away(reason: string, cause?: Error): ScannerAway {
  return new ScannerAway(
    `The virus scanner cannot be reached: ${reason}. Check that clamd is running and that PORTICO_CLAMAV is correct.`,
    {
      cause,
    },
  )
}

function nextNews(socket: Socket): Promise<void> {
  const events = ['news', 'drain', 'close']
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) socket.off(event, done)
      resolve()
    }
    for (const event of events) socket.on(event, done)
  })
}

function lengthOf(chunk: { length: number }): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(chunk.length)
  return bytes
}
