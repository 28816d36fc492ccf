// The only file that reads environment variables. Each setting is data: name, description, example, how to read it.
// An invalid value stops the start with its name, the problem and an example; all problems are reported together.
import { resolve } from 'node:path'
import { readDatabaseUrl } from './database-url.ts'
import { parseRedisUrl, type RedisAddress } from './redis/redis-url.ts'
import {
  readChoice,
  readInteger,
  readNonEmpty,
  readPort,
  readPublicUrl,
  readSecretKey,
  readTesseract,
} from './setting-readers.ts'
import { parseScannerAddress, type ScannerAddress } from './storage/clamav.ts'
import { type FilesSettings, parseFilesUrl } from './storage/files-url.ts'
import { readTraceSettings, type TraceSettings } from './tracing/trace-settings.ts'
import { ownName } from './values/as-called.ts'
import { type IpRange, parseIpRange } from './values/ip-addresses.ts'

export interface RateLimit {
  quota: number
  window_seconds: number
}

export type RateClass = 'read' | 'write' | 'heavy'
export type RateLimits = Record<RateClass, RateLimit>

export interface Config {
  public_url: string
  host: string
  port: number
  metrics_port: number | 'auto' | 'off'
  metrics_host: string
  program: string
  trusted_proxies: readonly IpRange[]
  data_dir: string
  database_url: string | undefined
  database_pool_size: number
  /** What stands between Portico and PostgreSQL. */
  database_pooler: 'none' | 'transaction'
  /** Past the pooler. */
  database_direct_url: string | undefined
  environment: 'staging' | 'production'
  secret_key: Buffer | undefined
  /** Keys that open besides it. */
  previous_secret_keys: Buffer[]
  rate_limits: boolean
  rate_limit_read: RateLimit
  rate_limit_write: RateLimit
  rate_limit_heavy: RateLimit
  /** Where processes count rates together. */
  redis: RedisAddress | undefined
  files: FilesSettings
  clamav: ScannerAddress | undefined
  /** The program that reads scans. */
  tesseract: string | undefined
  allow_private_addresses: boolean
  log_level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  drain_delay_ms: number
  /** Set when traces are sent. */
  traces: TraceSettings | undefined
}

interface Setting<T> {
  variable: string
  /** Another variable that is as good. */
  or?: string
  prose: string
  example: string
  fallback: string | undefined
  read(text: string, environment: Readonly<Record<string, string | undefined>>): T
}

export const settings: { [K in keyof Config]: Setting<Config[K]> } = {
  public_url: {
    variable: 'PORTICO_PUBLIC_URL',
    prose:
      'The base URL that clients use, without a path. Every `url` in a response starts with it. Default: the host and port the server listens on.',
    example: 'https://portal.example.com',
    fallback: undefined,
    read: readPublicUrl,
  },
  host: {
    variable: 'PORTICO_HOST',
    prose:
      'The address the server listens on. Keep the default behind a proxy on the same machine; use 0.0.0.0 in a container.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    read: readNonEmpty,
  },
  port: {
    variable: 'PORTICO_PORT',
    prose: 'The port the server listens on.',
    example: '8080',
    fallback: '8080',
    read: readPort,
  },
  metrics_port: {
    variable: 'PORTICO_METRICS_PORT',
    prose:
      'The port for Prometheus metrics, `/healthz` and `/readyz` of this process. `auto` uses PORTICO_PORT + 1 and disables the listener if that port is in use. `off` disables it.',
    example: '9464',
    fallback: 'auto',
    read: (text) => (text === 'auto' || text === 'off' ? text : readPort(text)),
  },
  metrics_host: {
    variable: 'PORTICO_METRICS_HOST',
    prose:
      'The address that metrics and probes are served on. Metrics need no API key: keep the default, or use an address that only your monitoring reaches.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    read: readNonEmpty,
  },
  program: {
    variable: 'PORTICO_PROGRAM',
    prose: 'The name of this program in messages that say which command to run next. The systemd units set it.',
    example: 'portico-admin',
    fallback: ownName,
    read: readNonEmpty,
  },
  trusted_proxies: {
    variable: 'PORTICO_TRUSTED_PROXIES',
    prose:
      'The addresses of your proxies, as IP addresses and ranges separated by commas. The address of the client is then read from the X-Forwarded-For header of their requests. Without this setting, the header is ignored.',
    example: '127.0.0.1,10.0.0.0/8,fd00::/8',
    fallback: undefined,
    read: (text) => text.split(',').map((part) => parseIpRange(part.trim())),
  },
  data_dir: {
    variable: 'PORTICO_DATA_DIR',
    prose:
      'The directory for the SQLite database, the files, the generated secret key, the demo key and, with every database, the list of erasures. It is created if it does not exist.',
    example: '/var/lib/portico',
    fallback: './data',
    read: (text) => resolve(readNonEmpty(text)),
  },
  database_url: {
    variable: 'PORTICO_DATABASE_URL',
    prose: 'The connection URL of a PostgreSQL database, version 15 or later. Default: SQLite in the data directory.',
    example: 'postgres://portico:secret@db.example.com:5432/portico',
    fallback: undefined,
    read: readDatabaseUrl,
  },
  database_pool_size: {
    variable: 'PORTICO_DATABASE_POOL_SIZE',
    prose: 'Maximum number of PostgreSQL connections per process, from 2 to 200.',
    example: '16',
    fallback: '16',
    read: (text) => readInteger(text, 2, 200),
  },
  database_pooler: {
    variable: 'PORTICO_DATABASE_POOLER',
    prose:
      'Set to `transaction` if PORTICO_DATABASE_URL leads to a connection pooler in transaction mode, such as PgBouncer with `pool_mode = transaction`. Portico then uses no prepared statements and no session settings.',
    example: 'transaction',
    fallback: 'none',
    read: (text) => readChoice(text, ['none', 'transaction']),
  },
  database_direct_url: {
    variable: 'PORTICO_DATABASE_DIRECT_URL',
    prose:
      'With a pooler: a connection URL that leads to PostgreSQL itself. Portico uses one connection of it per process with background jobs, to learn of new events at once instead of within one second.',
    example: 'postgres://portico:secret@db.example.com:5432/portico',
    fallback: undefined,
    read: readDatabaseUrl,
  },
  environment: {
    variable: 'PORTICO_ENVIRONMENT',
    prose:
      'The environment of this deployment: `staging` or `production`. An API key works only in the environment it was created in.',
    example: 'production',
    fallback: 'staging',
    read: (text) => readChoice(text, ['staging', 'production']),
  },
  secret_key: {
    variable: 'PORTICO_SECRET_KEY',
    prose:
      'The key that hashes API keys and encrypts stored secrets, such as tax ids: 32 bytes in base64. Required with PostgreSQL. With SQLite, the server generates `secret.key` in the data directory if no key is set. Without this key, no API key works and encrypted data cannot be read.',
    example: 'the output of: openssl rand -base64 32',
    fallback: undefined,
    read: readSecretKey,
  },
  previous_secret_keys: {
    variable: 'PORTICO_SECRET_KEY_PREVIOUS',
    prose:
      'Other secret keys that this process can decrypt with, separated by commas. Needed while the secret key is rotated: see "Rotate the secret key" in the operating handbook.',
    example: 'the key that PORTICO_SECRET_KEY had before',
    fallback: undefined,
    read: (text) => text.split(',').map((key) => readSecretKey(key.trim())),
  },
  rate_limits: {
    variable: 'PORTICO_RATE_LIMITS',
    prose: 'Whether the rate limits below are enforced: `on` or `off`.',
    example: 'on',
    fallback: 'on',
    read: (text) => readChoice(text, ['on', 'off']) === 'on',
  },
  rate_limit_read: {
    variable: 'PORTICO_RATE_LIMIT_READ',
    prose:
      'Rate limit for read requests per API key, as requests/seconds: `1000/10` allows 1000 requests in 10 seconds.',
    example: '1000/10',
    fallback: '1000/10',
    read: readRateLimit,
  },
  rate_limit_write: {
    variable: 'PORTICO_RATE_LIMIT_WRITE',
    prose: 'Rate limit for write requests per API key, as requests/seconds.',
    example: '300/10',
    fallback: '300/10',
    read: readRateLimit,
  },
  rate_limit_heavy: {
    variable: 'PORTICO_RATE_LIMIT_HEAVY',
    prose: 'Rate limit per API key for requests that start long-running work, as requests/seconds.',
    example: '60/60',
    fallback: '60/60',
    read: readRateLimit,
  },
  redis: {
    variable: 'PORTICO_REDIS_URL',
    prose:
      'A Redis server through which several processes share rate limits: `redis://` or, with TLS, `rediss://`, with an optional user, password and database number. Without it, and while Redis cannot be reached, each process counts separately.',
    example: 'redis://:password@redis.example.com:6379/0',
    fallback: undefined,
    read: parseRedisUrl,
  },
  files: {
    variable: 'PORTICO_FILES_URL',
    prose:
      'Where uploaded files are stored: a directory or an S3-compatible bucket. For a bucket, set PORTICO_S3_ACCESS_KEY_ID and PORTICO_S3_SECRET_ACCESS_KEY as well. Default: `files` in the data directory.',
    example: 's3://bucket?region=eu-central-1',
    fallback: undefined,
    read: (text, environment) => parseFilesUrl(text, environment, '.'),
  },
  clamav: {
    variable: 'PORTICO_CLAMAV',
    prose: 'The socket of a ClamAV daemon that scans every upload. A file can be downloaded only after it was scanned.',
    example: 'unix:/run/clamav/clamd.ctl',
    fallback: undefined,
    read: parseScannerAddress,
  },
  tesseract: {
    variable: 'PORTICO_TESSERACT',
    prose:
      'The Tesseract program that reads scans for Autofill. `auto` uses the one on the PATH; without it, scans are not read. `off` disables it.',
    example: '/usr/bin/tesseract',
    fallback: 'auto',
    read: readTesseract,
  },
  allow_private_addresses: {
    variable: 'PORTICO_WEBHOOK_ALLOW_PRIVATE',
    prose:
      'Whether URLs that Portals configure (Autofill providers, webhooks) can be private addresses and use http. For development only: it lets a Portal send requests to your internal network.',
    example: 'true',
    fallback: 'false',
    read: (text) => readChoice(text, ['true', 'false']) === 'true',
  },
  log_level: {
    variable: 'PORTICO_LOG_LEVEL',
    prose: 'Minimum log level: `trace`, `debug`, `info`, `warn`, `error` or `silent`.',
    example: 'info',
    fallback: 'info',
    read: (text) => readChoice(text, ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  },
  drain_delay_ms: {
    variable: 'PORTICO_DRAIN_DELAY_MS',
    prose:
      'How long, in milliseconds, a stopping server continues to accept requests while `/readyz` returns 503. This gives a load balancer time to stop sending requests.',
    example: '5000',
    fallback: '0',
    read: (text) => readInteger(text, 0, 60_000),
  },
  traces: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    or: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    prose:
      'The OpenTelemetry collector that traces are sent to, by OTLP over HTTP as JSON. Also read: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_TRACES_EXPORTER, OTEL_SDK_DISABLED. Default: no traces.',
    example: 'http://127.0.0.1:4318',
    fallback: undefined,
    read: (_, environment) => readTraceSettings(environment),
  },
}

/** Read together with PORTICO_FILES_URL. */
const variablesOfOthers = ['PORTICO_S3_ACCESS_KEY_ID', 'PORTICO_S3_SECRET_ACCESS_KEY']
/** Used by the guides on the client's side. */
const variablesOfClients = ['PORTICO_API_KEY', 'PORTICO_URL', 'PORTICO_WEBHOOK_SECRET']

export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings)) {
    const text = environment[setting.variable] || environment[setting.or ?? ''] || setting.fallback
    if (text === undefined) continue
    try {
      values[key] = setting.read(text, environment)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      problems.push(`${setting.variable} ${problem}. Example: ${setting.variable}=${setting.example}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  values.files ??= parseFilesUrl(undefined, environment, String(values.data_dir))
  values.public_url ??= `http://${reachableHost(String(values.host))}:${values.port}`
  const absent = {
    database_url: undefined,
    database_direct_url: undefined,
    secret_key: undefined,
    previous_secret_keys: [],
    redis: undefined,
    clamav: undefined,
    trusted_proxies: [],
    traces: undefined,
  }
  // safe because every key of Config has a setting and each reader returns that key's type
  return { ...absent, ...values } as unknown as Config
}

/** Names that look like settings but are not: most likely misspelled. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(
    Object.values(settings)
      .map((setting) => setting.variable)
      .concat(variablesOfOthers, variablesOfClients),
  )
  return Object.keys(environment).filter((name) => name.startsWith('PORTICO_') && !known.has(name))
}

/** What is allowed in development and a risk in production, as sentences. */
export function riskySettings({ environment, allow_private_addresses }: Config): string[] {
  if (environment !== 'production' || !allow_private_addresses) return []
  return [
    'PORTICO_WEBHOOK_ALLOW_PRIVATE=true lets every Portal send requests to your internal network. It is for development only: remove it in production.',
  ]
}

/** Where a server that listens on this host can be found from this machine. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

export function readRateLimit(text: string): RateLimit {
  const match = /^([0-9]{1,7})\/([0-9]{1,5})$/.exec(text)
  const quota = Number(match?.[1])
  const window_seconds = Number(match?.[2])
  if (!match || quota < 1 || window_seconds < 1)
    throw new Error(`must be requests/seconds, two whole numbers of at least 1, not "${text}"`)
  return { quota, window_seconds }
}
