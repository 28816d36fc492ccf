// Errors of a database that cannot be used, as a message for the operator: what is wrong and what to do.
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError } from './output.ts'

/** The sentence for an error of the database; any other error stays what it is. */
export function explainDatabaseError({ config, database }: Context, error: unknown): unknown {
  if (error instanceof CommandError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const isUnavailable = database.troubleOf(error)?.kind === 'unavailable'
  if (config.database_url === undefined) return isUnavailable ? sqliteProblem(config, error) : error
  const isMissingRight = code === '42501' || code === '3F000'
  if (!isUnavailable && !isMissingRight) return error
  return new CommandError(postgresProblem(new URL(config.database_url), code, reasonOf(error)), { cause: error })
}

export function sqliteProblem({ data_dir }: Pick<Config, 'data_dir'>, error: Error): CommandError {
  const reason = reasonOf(error)
  const isDamaged = /file is not a database|disk image is malformed/.test(reason)
  const advice = isDamaged
    ? 'Restore it from a backup, or set PORTICO_DATA_DIR to a different directory.'
    : 'Check PORTICO_DATA_DIR, the free disk space, and that this user can read and write the files there.'
  return new CommandError(`The database in ${data_dir} cannot be used: ${reason}. ${advice}`, { cause: error })
}

function postgresProblem({ hostname, port, pathname, username }: URL, code: string, message: string): string {
  const server = `${hostname}:${port || 5432}`
  const name = decodeURIComponent(pathname.slice(1))
  const role = decodeURIComponent(username)
  if (code === '28P01' || code === '28000' || message.includes('password must be a string'))
    return `PostgreSQL at ${server} rejected the role ${role}: ${message}. Check the role and the password in PORTICO_DATABASE_URL, and pg_hba.conf on the server.`
  if (code === '3D000')
    return `PostgreSQL at ${server} has no database named ${name}. Create it, or correct PORTICO_DATABASE_URL.`
  if (code === '42501' || code === '3F000')
    return `The role ${role} lacks permissions in the database ${name}: ${message}. Grant them, or use the role that owns the database.`
  if (code === '53300')
    return `PostgreSQL at ${server} has no free connections: ${message}. Close other connections, increase max_connections or decrease PORTICO_DATABASE_POOL_SIZE.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host name ${hostname} cannot be resolved. Check PORTICO_DATABASE_URL and the DNS settings of this machine.`
  if (isAboutTls(code, message))
    return `The encrypted connection to PostgreSQL at ${server} failed: ${message}. Check sslmode in PORTICO_DATABASE_URL and the certificate of the server.`
  return `PostgreSQL at ${server}/${name} cannot be reached: ${message}. Check PORTICO_DATABASE_URL and that the PostgreSQL server is running.`
}

function isAboutTls(code: string, message: string): boolean {
  return /^(ERR_(TLS|SSL)|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code) || /\bSSL\b/.test(message)
}
