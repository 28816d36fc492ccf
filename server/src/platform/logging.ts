import { type Logger as PinoLogger, pino } from 'pino'
import type { Config } from './config.ts'

export interface Logger extends PinoLogger {
  /** The line every request leaves. */
  request(line: RequestLine): void
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
}

/** Lines are redacted twice: fields by name, and anything in the line that has the form of one of our secrets. */
export function createLogger(config: Pick<Config, 'log_level'>, write: (line: string) => void): Logger {
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
    { write: (line) => write(redactSecrets(line)) },
  )
  // Written out by hand: there is one for every request, and of its fields only the path is not a text of our own.
  const request = (line: RequestLine) => {
    if (!log.isLevelEnabled('info')) return
    const { request_id, method, route, path, status, duration_ms, portal_id, key_id } = line
    const caller = portal_id === undefined ? '' : `,"portal_id":"${portal_id}","key_id":"${key_id}"`
    const shown = redactSecrets(JSON.stringify(path))
    const asked = `"request_id":"${request_id}","method":"${method}","route":"${route}","path":${shown}`
    write(`{"level":"info"${timestamp()},${asked},"status":${status},"duration_ms":${duration_ms}${caller}}\n`)
  }
  return Object.assign(log, { request })
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
  return text.includes('ptk_') ||
    text.includes('ptt_') ||
    text.includes('pts_') ||
    text.includes('whsec_') ||
    text.includes('postgres')
    ? text.replace(secretForms, '$1[redacted]').replace(databasePassword, '$1[redacted]@')
    : text
}

const secretFields = ['authorization', 'headers.authorization', 'tax_id', 'key', 'secret', 'password'].flatMap(
  (field) => [field, `*.${field}`],
)
const secretForms = /((?:ptk_(?:live|stg)|ptt|pts|whsec)_)[A-Za-z0-9+/=_-]+/g
const databasePassword = /(postgres(?:ql)?:\/\/[^:@/\s]+:)[^@/\s]+@/g

/** Writes the lines of a moment together: a system call per line would cost more than the line. */
export function batchLines(write: (text: string) => void): (line: string) => void {
  let pending = ''
  const flush = () => {
    const text = pending
    pending = ''
    if (text !== '') write(text)
  }
  process.once('exit', flush)
  return (line) => {
    if (pending === '') setTimeout(flush, momentMs)
    pending += line
    if (pending.length >= enoughCharacters) flush()
  }
}

const momentMs = 20
const enoughCharacters = 16_384
