import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { Logger } from './logging.ts'
import type { Scanner } from './storage/clamav.ts'
import type { FileStore } from './storage/file-store.ts'
import type { Tracer } from './tracing/tracer.ts'
import type { Vault } from './vault.ts'

/** What the whole process shares, made once at the start and handed down as an argument. */
export interface Context {
  config: Config
  clock: Clock
  vault: Vault
  database: Database
  /** Where the bytes of files are. */
  files: FileStore
  /** Looks at every uploaded file, when one is set up. */
  scanner: Scanner | undefined
  log: Logger
  /** Set when traces are sent. */
  trace?: Tracer
  /** Who acts where no API key does: whoever runs a command or, inside a job, that job. In a server nobody else does. */
  actor: Actor
}

/**
 * Who is behind a change: an API key by its id, a job by its kind, the command line by the user of the operating system.
 * `unknown`, without an id, where nothing says who it was.
 */
interface Actor {
  kind: 'api_key' | 'command_line' | 'job' | 'unknown'
  id: string
}

/** Who asks. The same for a request, a command line and a job, so that all of them call the same verbs. */
export interface Caller {
  context: Context
  portal_id: string
  request_id: string | null
  /** The API key of a request; absent for the command line and jobs. */
  key_id?: string
  /** Set for what nobody asks for: a job that acts because time has passed. */
  is_job?: true
}

export function apiUrl(config: Config, path: string): string {
  return `${config.public_url}/v1${path}`
}

export function docsUrl(config: Config, path: string): string {
  return `${config.public_url}/docs${path}`
}
