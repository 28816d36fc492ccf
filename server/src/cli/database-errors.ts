// Errors of a database that cannot be used, as a message for the operator: what is wrong and what to do.
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { oldServerCode } from '../platform/database/database.ts'
import { isDamage } from '../platform/database/sqlite-damage.ts'
import { isFullDisk } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError } from './output.ts'

/** The sentence for an error of the database; any other error stays what it is. */
export function explainDatabaseError(
  { config, database }: Pick<Context, 'config' | 'database'>,
  error: unknown,
): unknown {
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
  if (isDamage(error)) return damagedFile({ data_dir }, reason, error)
  const otherwise = isFullDisk(error)
    ? 'Free some space on its disk, or enlarge the disk.'
    : 'Check PORTICO_DATA_DIR, the free disk space, and that this user can read and write the files there.'
  const advice = /readonly database/.test(reason)
    ? 'Make portico.db, portico.db-wal and the directory writable for this user.'
    : otherwise
  return new CommandError(`The database in ${data_dir} cannot be used: ${reason}. ${advice}`, { cause: error })
}

export function damagedFile({ data_dir }: Pick<Config, 'data_dir'>, damage: string, cause?: unknown): CommandError {
  return new CommandError(
    `The database file in ${data_dir} is damaged: ${damage}. Keep a copy of the directory, then restore the last backup into a new directory: see "Back up and restore" in the operating handbook.`,
    { cause },
  )
}

function postgresProblem(url: URL, code: string, message: string): string {
  const { hostname, port, pathname, username, searchParams } = url
  // The driver prefers the parameter: it names the directory of a socket.
  const server = `${searchParams.get('host') || hostname || 'localhost'}:${port || 5432}`
  const name = decodeURIComponent(pathname.slice(1))
  const role = decodeURIComponent(username)
  if (code === '28000' && message.includes('no encryption'))
    return `PostgreSQL at ${server} rejected the role ${role}: ${message}. If the server requires TLS, add sslmode=verify-full to PORTICO_DATABASE_URL; otherwise add an entry to pg_hba.conf on the server.`
  if (code === '28P01' || code === '28000' || message.includes('password must be a string'))
    return `PostgreSQL at ${server} rejected the role ${role}: ${message}. Check the role and the password in PORTICO_DATABASE_URL, and pg_hba.conf on the server.`
  if (code === '3D000')
    return `PostgreSQL at ${server} has no database named ${name}. Create it, or correct PORTICO_DATABASE_URL.`
  if (code === '42501' && message.includes('for database'))
    return `The role ${role} cannot connect to the database ${name}: ${message}. Run as its owner: grant connect on database ${name} to ${role}`
  if (code === '42501' || code === '3F000')
    return `The role ${role} lacks permissions in the database ${name}: ${message}. Grant them, or use the role that owns the database.`
  if (code === '25006')
    return `PostgreSQL at ${server} is read-only: ${message}. Set PORTICO_DATABASE_URL to the primary server, and check default_transaction_read_only for the role ${role}.`
  if (code === '53300')
    return `PostgreSQL at ${server} has no free connections: ${message}. Close other connections, increase max_connections or decrease PORTICO_DATABASE_POOL_SIZE.`
  if (code === '55P03')
    return `A table in the database ${name} is locked by another session: ${message}. End long transactions (see pg_stat_activity), then run the command again.`
  if (code === '08P01' && message.includes('startup parameter'))
    return `The connection pooler at ${server} rejected the connection: ${message}. Set PORTICO_DATABASE_POOLER=transaction.`
  if (code === oldServerCode)
    return `PostgreSQL at ${server} cannot be used: ${message}. Upgrade the server, or correct PORTICO_DATABASE_URL.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host name ${hostname} cannot be resolved. Check PORTICO_DATABASE_URL and the DNS settings of this machine.`
  return (
    tlsProblem(server, code, message) ??
    `PostgreSQL at ${server}/${name} cannot be reached: ${message}. Check PORTICO_DATABASE_URL and that the PostgreSQL server is running.`
  )
}

function tlsProblem(server: string, code: string, message: string): string | undefined {
  if (message.includes('does not support SSL'))
    return `PostgreSQL at ${server} does not accept TLS. Set ssl = on in its postgresql.conf, or set sslmode=disable in PORTICO_DATABASE_URL if the network is trusted.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of PostgreSQL at ${server} is for a different host: ${message}. Use a host name of the certificate in PORTICO_DATABASE_URL.`
  if (code === 'CERT_HAS_EXPIRED')
    return `The certificate of PostgreSQL at ${server} has expired. Renew it on the server.`
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_)/.test(code))
    return `The certificate of PostgreSQL at ${server} is not trusted: ${message}. Add sslrootcert=FILE to PORTICO_DATABASE_URL, with the certificate of its CA.`
  if (/^(ERR_(TLS|SSL)|EPROTO)/.test(code) || /\bSSL\b/.test(message))
    return `The encrypted connection to PostgreSQL at ${server} failed: ${message}. Check sslmode in PORTICO_DATABASE_URL and the TLS settings of the server.`
  return undefined
}
