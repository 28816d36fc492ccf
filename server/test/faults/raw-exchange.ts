// Requests as bytes, over bare sockets: nothing between the test and the server tidies them up.
import { connect, type Socket } from 'node:net'

export interface RawRequest {
  /** What is wrong with it, for whoever reads a failure. */
  fault: string
  bytes: Buffer
  /**
   * kept: has a beginning and an end, so it shares a connection with others and must be answered;
   * alone: spoils the connection or has an end only the server can tell;
   * truncated: stops in the middle, and the sender hangs up.
   */
  framing: 'kept' | 'alone' | 'truncated'
  /** An answer to HEAD has no body, whatever its headers say. */
  isHead?: boolean
}

export interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: string
}

interface RawLane {
  /** The answer; undefined when the server hung up without one. */
  exchange(request: RawRequest): Promise<RawAnswer | undefined>
  close(): void
}

/** Sends one request after another, on one connection as long as that is possible. */
export function openRawLane(port: number): RawLane {
  let kept: Socket | undefined
  return {
    async exchange(request) {
      if (request.framing !== 'kept') return converse(await dial(port), request)
      kept ??= await dial(port)
      const answer = await converse(kept, request)
      if (kept.destroyed) kept = undefined
      return answer
    },
    close: () => kept?.destroy(),
  }
}

function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Half open: the server's answer to a request that hung up is still wanted.
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true }, () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

function converse(
  socket: Socket,
  { bytes, framing, isHead = false, fault }: RawRequest,
): Promise<RawAnswer | undefined> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const finish = (answer: RawAnswer | undefined) => {
      clearTimeout(timer)
      for (const event of ['data', 'end', 'close', 'error']) socket.removeAllListeners(event)
      // A reset that comes late is of no interest, but must not go unheard.
      socket.on('error', () => socket.destroy())
      const isLast = framing !== 'kept' || answer === undefined || answer.headers.get('connection') === 'close'
      if (isLast) socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`neither answered nor cut off in ${patienceMs} ms: ${fault}`))
    }, patienceMs)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const answer = parseAnswer(received, isHead)
      if (answer) finish(answer)
    })
    const hungUp = () => finish(undefined)
    socket.once('end', hungUp)
    socket.once('close', hungUp)
    socket.once('error', hungUp)
    if (framing === 'truncated') socket.end(bytes)
    else socket.write(bytes)
  })
}

/** The first whole answer in these bytes; an interim one (100 Continue) does not count. */
function parseAnswer(bytes: Buffer, isHead: boolean): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  const rest = bytes.subarray(end + 4)
  if (status >= 100 && status < 200) return parseAnswer(rest, isHead)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const hasNoBody = isHead || status === 204 || status === 304
  if (!hasNoBody && !headers.has('content-length')) throw new Error(`an answer without Content-Length: ${statusLine}`)
  const length = hasNoBody ? 0 : Number(headers.get('content-length'))
  if (rest.length < length) return undefined
  return { status, headers, body: rest.toString('utf8', 0, length) }
}

/** Slow senders are cut off after ten seconds, checked every two. */
const patienceMs = 20_000
