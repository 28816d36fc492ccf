import { writeSync } from 'node:fs'
import { type Logger as PinoLogger, pino } from 'pino'
import type { Config } from './config.ts'
import { asCalled, ownName } from './values/as-called.ts'

export interface Logger extends PinoLogger {
  /** The line every request leaves. */
  request(line: RequestLine): void
  /** A logger whose every line says these, too. */
  about(subject: Record<string, string>): Logger
}

interface RequestLine {
  request_id: string
  method: string
  route: string
  path: string
  status: number
  duration_ms: number
  portal_id: string | undefined
  key_id: string | undefined
  client_address: string
  /** The code of a refusal. */
  code: string | undefined
  trace_id: string | undefined
}

/** Lines are redacted twice: fields by name, and anything in the line that has the form of one of our secrets. */
export function createLogger(
  config: Pick<Config, 'log_level'> & Partial<Pick<Config, 'program'>>,
  write: (line: string) => void,
): Logger {
  // As it stands within a text of JSON.
  const program = JSON.stringify(config.program ?? ownName).slice(1, -1)
  const timestamp = createTimestamp()
  const log = pino(
    {
      level: config.log_level,
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: secretFields, censor: '[redacted]' },
    },
    { write: (line) => write(redactSecrets(asCalled(line, program))) },
  )
  // Written out by hand: there is one for every request, and of its fields only the path is not a text of our own.
  const isWanted = log.isLevelEnabled('info')
  const request = (line: RequestLine) => {
    if (!isWanted) return
    const { request_id, method, route, path, status, duration_ms, portal_id, key_id, client_address, code, trace_id } =
      line
    const key = key_id === undefined ? '' : `,"key_id":"${key_id}"`
    const caller = portal_id === undefined ? '' : `,"portal_id":"${portal_id}"${key}`
    const refusal = code === undefined ? '' : `,"code":"${code}"`
    const shown = redactSecrets(plainPath.test(path) ? `"${path}"` : JSON.stringify(path))
    const asked = `"request_id":"${request_id}","method":"${method}","route":"${route}","path":${shown}`
    const trace = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`
    const answered = `"status":${status}${refusal},"duration_ms":${duration_ms}${caller}`
    write(`{"level":"info"${timestamp()},${asked},${answered},"client_address":"${client_address}"${trace}}\n`)
  }
  const withOwn = (logger: PinoLogger): Logger =>
    Object.assign(logger, { request, about: (subject: Record<string, string>) => withOwn(logger.child(subject)) })
  return withOwn(log)
}

/** What helps to find a fault. Never what a database quotes from rows: that may be anybody's personal data. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown } // safe because absent ones stay undefined
  return { name, message, code, constraint, table, stack, ...(cause instanceof Error && { cause: cause.message }) }
}

/** Most of a time's text stays the same for a second, and takes longer to make than to keep. */
function createTimestamp(): () => string {
  let second = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now - (now % 1000) !== second) {
      second = now - (now % 1000)
      text = `,"time":"${new Date(now).toISOString().slice(0, -4)}`
    }
    return `${text}${String(now % 1000).padStart(3, '0')}Z"`
  }
}

export function redactSecrets(text: string): string {
  const shown = text.includes('%') ? redactEncoded(text) : text
  return secretSign.test(shown)
    ? shown.replace(secretForms, '$1[redacted]').replace(databasePassword, '$1[redacted]@')
    : shown
}

/** Any of the characters of a secret may be written as %5F or, encoded again, as %255F: each piece is read as plain text. */
function redactEncoded(text: string): string {
  return text.replace(encodedPiece, (piece) => {
    if (!piece.includes('%')) return piece
    const plain = decodeSafely(piece)
    return secretBeginning.test(plain) ? plain.replace(secretBeginning, '$1[redacted]') : piece
  })
}

/** Decodes what stands for a visible ASCII character, however often it was encoded; the rest stays as it is. */
function decodeSafely(text: string): string {
  let plain = text
  for (let round = 0; round < mostEncodings; round++) {
    // A percent sign that was encoded again and again is one percent sign.
    const next = plain.replace(/%(?:25)+/g, '%').replace(/%([2-7][0-9a-f])/gi, (whole, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16))
      return character === '"' || character === '\\' || character === '\u007f' ? whole : character
    })
    if (next === plain) return plain
    plain = next
  }
  return plain
}

/** Nothing in it that JSON writes differently. */
const plainPath = /^[\w/.~-]*$/
/** In every text with a secret, and in hardly any other: looking for it is cheaper than looking for the secret. */
const secretSign = /pt[kts]_|whsec_|postgres|redis/
const encodedPiece = /[A-Za-z0-9+/=_%-]+/g
/** With everything behind it: what is left encoded there may be the rest of the secret. */
const secretBeginning = /((?:ptk_(?:live|stg)|ptt|pts|whsec)_).*/
const mostEncodings = 8
const secretFields = ['authorization', 'headers.authorization', 'tax_id', 'key', 'secret', 'password'].flatMap(
  (field) => [field, `*.${field}`],
)
const secretForms = /((?:ptk_(?:live|stg)|ptt|pts|whsec)_)[A-Za-z0-9+/=_-]+/g
const databasePassword = /((?:postgres(?:ql)?|rediss?):\/\/[^:@/\s]*:)[^@/\s]+@/g

interface LogSink {
  write(line: string): void
  /** How many lines could not be written so far. */
  lostLines(): number
}

/**
 * Writes the lines of a moment together: a system call per line would cost more than the line. What cannot be written
 * (a full disk, a reader that went away) is lost and counted; a log must never end the process that it tells of.
 */
export function openLogSink(file: number): LogSink {
  let pending = ''
  /** What a reader that is slow has not taken yet, to the byte. */
  let rest = Buffer.alloc(0)
  let lost = 0
  let isWaiting = false
  let isMidLine = false
  const flush = () => {
    const begin = isMidLine && rest.length === 0 ? '\n' : ''
    const bytes = Buffer.concat([rest, Buffer.from(begin + pending)])
    pending = ''
    rest = Buffer.alloc(0)
    let done = 0
    try {
      while (done < bytes.length) done += writeSync(file, bytes, done)
    } catch (error) {
      const isSlow = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      if (isSlow) rest = bytes.subarray(done)
      else lost += linesIn(bytes, done)
    }
    if (done > 0) isMidLine = bytes[done - 1] !== newline
  }
  const flushLater = () => {
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      flush()
      if (rest.length > 0 || pending !== '') flushLater()
    }, momentMs).unref()
  }
  process.once('exit', flush)
  return {
    write(line) {
      const isBlocked = rest.length > 0
      // A slow reader gets the rest a moment later, as long as it is not too much: trying at every line would cost
      // more than the requests that the lines are about.
      if (isBlocked && rest.length + pending.length >= mostPendingBytes) {
        lost++
        return
      }
      pending += line
      if (!isBlocked && pending.length >= enoughCharacters) flush()
      if (!isWaiting && (pending !== '' || rest.length > 0)) flushLater()
    },
    lostLines: () => lost,
  }
}

function linesIn(bytes: Buffer, start: number): number {
  let count = 0
  for (let at = bytes.indexOf(newline, start); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

const momentMs = 20
const enoughCharacters = 16_384
const mostPendingBytes = 1024 * 1024
const newline = 10
