import { type Logger as PinoLogger, pino } from 'pino'
import type { Config } from './config.ts'

export type Logger = PinoLogger

/** Lines are redacted twice: fields by name, and anything in the line that has the form of one of our secrets. */
export function createLogger(config: Pick<Config, 'log_level'>, write: (line: string) => void): Logger {
  return pino(
    {
      level: config.log_level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields, censor: '[redacted]' },
    },
    { write: (line) => write(redactSecrets(line)) },
  )
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
