// The answers of Redis, as its protocol (RESP2) writes them. Whatever does not fit is an error: nothing is guessed.

export type RedisReply = string | number | null | Error | RedisReply[]

class ProtocolError extends Error {}

/** A command as an array of texts. */
export function writeCommand(parts: readonly string[]): string {
  return `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`
}

/** Takes bytes as they come, and hands out whole answers. */
export function createReplyReader(receive: (reply: RedisReply) => void): (bytes: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  return (bytes) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
    for (;;) {
      const read = readReply(pending, 0, 0)
      if (!read) break
      pending = pending.subarray(read.end)
      receive(read.reply)
    }
    if (pending.length > mostPendingBytes) throw new ProtocolError('an answer is too long')
  }
}

interface Read {
  reply: RedisReply
  end: number
}

function readReply(bytes: Buffer, start: number, depth: number): Read | undefined {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd === -1) return undefined
  const line = bytes.toString('utf8', start + 1, lineEnd)
  const next = lineEnd + 2
  switch (bytes[start]) {
    case 0x2b: // +
      return { reply: line, end: next }
    case 0x2d: // -
      return { reply: new Error(line), end: next }
    case 0x3a: // :
      return { reply: readInteger(line), end: next }
    case 0x24: // $
      return readText(bytes, next, readInteger(line))
    case 0x2a: // *
      return readArray(bytes, next, readInteger(line), depth)
    default:
      throw new ProtocolError('an answer begins with an unknown sign')
  }
}

function readText(bytes: Buffer, start: number, length: number): Read | undefined {
  if (length === -1) return { reply: null, end: start }
  if (length < 0 || length > mostPendingBytes) throw new ProtocolError('a text has an impossible length')
  const end = start + length
  if (bytes.length < end + 2) return undefined
  if (bytes[end] !== 0x0d || bytes[end + 1] !== 0x0a) throw new ProtocolError('a text does not end where it should')
  return { reply: bytes.toString('utf8', start, end), end: end + 2 }
}

function readArray(bytes: Buffer, start: number, length: number, depth: number): Read | undefined {
  if (length === -1) return { reply: null, end: start }
  if (length < 0 || length > mostMembers || depth > mostDepth)
    throw new ProtocolError('an array has an impossible size')
  const reply: RedisReply[] = []
  let end = start
  while (reply.length < length) {
    const member = readReply(bytes, end, depth + 1)
    if (!member) return undefined
    reply.push(member.reply)
    end = member.end
  }
  return { reply, end }
}

function readInteger(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new ProtocolError('a number is none')
  return Number(text)
}

const mostPendingBytes = 64 * 1024
const mostMembers = 100
const mostDepth = 2
