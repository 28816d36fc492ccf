// Requests at a pace of their own, however slow the answers are, as a crowd of clients sends them. On bare sockets, one
// request under way on each: what sends must cost far less than what answers.
import { connect, type Socket } from 'node:net'

export interface OpenLoad {
  port: number
  /** The bytes of a request, by its number. */
  request(number: number): string
  /** Infinity: the next one is sent as soon as one is answered. */
  perSecond: number
  seconds: number
  /** So many are under way at the most; those due beyond are counted as not sent. */
  connections: number
}

export interface Tally {
  sent: number
  /** Due while every connection was waiting for its answer. */
  unsent: number
  /** Answered with 2xx, and in how many milliseconds. */
  served: number[]
  /** How many of them before the last request was due: what is answered of a queue afterwards is no throughput. */
  servedInTime: number
  /** Answered with 503, and the first of these answers as it came. */
  refused: number[]
  firstRefusal: string
  /** Whatever else was answered, by its status. */
  others: Map<number, number>
  /** Not answered within `answerMs`. */
  unanswered: number
  /** Connections that broke under a request. */
  broken: number
  seconds: number
  /** When the last one was sent that was refused, unanswered or served late, in milliseconds from the beginning. */
  lastTroubleMs: number
}

interface Line {
  socket: Socket
  sentAt: number
  received: string
}

export async function sendOpenLoop({ port, request, perSecond, seconds, connections }: OpenLoad): Promise<Tally> {
  const tally: Tally = {
    ...{
      sent: 0,
      unsent: 0,
      served: [],
      servedInTime: 0,
      refused: [],
      firstRefusal: '',
      others: new Map(),
      unanswered: 0,
      broken: 0,
      lastTroubleMs: 0,
    },
    seconds,
  }
  const free: Line[] = []
  const lines = new Set<Line>()
  const begin = performance.now()
  const deadline = begin + seconds * 1000

  const trouble = (sentAt: number) => {
    tally.lastTroubleMs = Math.max(tally.lastTroubleMs, sentAt - begin)
  }
  const drop = (line: Line) => {
    lines.delete(line)
    line.socket.destroy()
  }
  const answered = (line: Line, status: number, isLast: boolean) => {
    const now = performance.now()
    const tookMs = now - line.sentAt
    const isServed = status >= 200 && status < 300
    if (isServed && now < deadline) tally.servedInTime++
    if (isServed) tally.served.push(tookMs)
    else if (status === 503) tally.refused.push(tookMs)
    else tally.others.set(status, (tally.others.get(status) ?? 0) + 1)
    if (status === 503 || tookMs > lateMs) trouble(line.sentAt)
    line.sentAt = 0
    if (isLast) drop(line)
    else if (perSecond === Infinity && performance.now() < deadline) send(line)
    else free.push(line)
  }
  const open = (): Line => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const line: Line = { socket, sentAt: 0, received: '' }
    lines.add(line)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      line.received += text
      const end = line.received.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = line.received.slice(0, end)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (line.received.length < end + 4 + length) return
      const status = Number(head.slice(9, 12))
      if (status === 503) tally.firstRefusal ||= line.received
      line.received = ''
      answered(line, status, /\r\nconnection: close/i.test(head))
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (!lines.delete(line) || line.sentAt === 0) return
      tally.broken++
      trouble(line.sentAt)
    })
    return line
  }
  const send = (line: Line) => {
    line.sentAt = performance.now()
    line.socket.write(request(tally.sent++))
  }
  const giveUpOld = (now: number) => {
    for (const line of lines) {
      if (line.sentAt === 0 || now - line.sentAt < answerMs) continue
      tally.unanswered++
      trouble(line.sentAt)
      drop(line)
    }
  }

  let nextCheck = begin
  for (let now = begin; now < deadline; now = performance.now()) {
    const due = perSecond === Infinity ? Infinity : ((now - begin) / 1000) * perSecond
    while (tally.sent + tally.unsent < due) {
      let line = free.pop()
      while (line?.socket.destroyed) line = free.pop()
      if (!line && lines.size < connections) line = open()
      if (line) send(line)
      else if (perSecond === Infinity) break
      else tally.unsent++
    }
    if (now >= nextCheck) {
      giveUpOld(now)
      nextCheck = now + 250
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  while (performance.now() < deadline + answerMs && [...lines].some(({ sentAt }) => sentAt > 0))
    await new Promise((resolve) => setTimeout(resolve, 20))
  giveUpOld(Infinity)
  for (const line of lines) drop(line)
  return tally
}

/** How long one of `/healthz` and `/readyz` takes on a connection of its own, again and again until stopped. */
export function watchProbes(origin: string, everyMs: number, patienceMs: number) {
  const took: number[] = []
  const failures: string[] = []
  const asked = new Set<Promise<void>>()
  let count = 0
  const ask = async () => {
    const path = count++ % 2 === 0 ? '/healthz' : '/readyz'
    const begin = performance.now()
    try {
      const { status } = await fetch(origin + path, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(patienceMs),
      })
      took.push(performance.now() - begin)
      if (status !== 200) failures.push(`${path} ${status}`)
    } catch (error) {
      failures.push(`${path} ${error}`)
    }
  }
  const timer = setInterval(() => {
    const one = ask().finally(() => asked.delete(one))
    asked.add(one)
  }, everyMs)
  return {
    async stop(): Promise<{ took: number[]; failures: string[] }> {
      clearInterval(timer)
      await Promise.all(asked)
      return { took, failures }
    },
  }
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

/** As long as R13 waits for an answer. */
const answerMs = 5000
/** Slower than anybody is served by a server with room. */
const lateMs = 1000
