import { type Logger as PinoLogger, pino } from 'pino'
import type { Config } from './config.ts'

export type Logger = PinoLogger

/** Lines are redacted twice: fields by name, and anything in the line that has the form of one of our secrets. */
export function createLogger(config: Pick<Config, 'log_level'>, write: (line: string) => void): Logger {
  return pino(
    {
      level: config.log_level,
      base: null,
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: secretFields, censor: '[redacted]' },
    },
    { write: (line) => write(redactSecrets(line)) },
  )
}

/** What helps to find a fault. Never what a database quotes from rows: that may be anybody's personal data. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown } // safe because absent ones stay undefined
  return { name, message, code, constraint, table, stack, ...(cause instanceof Error && { cause: cause.message }) }
}

/** Many lines fall into one millisecond, and its text takes longer to make than to keep. */
function createTimestamp(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

export function redactSecrets(text: string): string {
  return text.includes('ptk_') || text.includes('ptt_') || text.includes('whsec_') || text.includes('postgres')
    ? text.replace(secretForms, '$1[redacted]').replace(databasePassword, '$1[redacted]@')
    : text
}

const secretFields = ['authorization', 'headers.authorization', 'tax_id', 'key', 'secret', 'password'].flatMap(
  (field) => [field, `*.${field}`],
)
const secretForms = /((?:ptk_(?:live|stg)|ptt|whsec)_)[A-Za-z0-9+/=_-]+/g
const databasePassword = /(postgres(?:ql)?:\/\/[^:@/\s]+:)[^@/\s]+@/g

/** Writes the lines of one turn of the event loop together: a system call per line would cost more than the line. */
export function batchLines(write: (text: string) => void): (line: string) => void {
  let pending = ''
  const flush = () => {
    const text = pending
    pending = ''
    if (text !== '') write(text)
  }
  process.once('exit', flush)
  return (line) => {
    if (pending === '') setImmediate(flush)
    pending += line
  }
}
