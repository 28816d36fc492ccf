// Errors of PostgreSQL, and of a pooler before it, as a sentence for the operator: what is wrong and what to do.
import { oldServerCode, tlsFilesCode } from '../platform/database/database.ts'
import { reasonOf } from '../platform/values/reason.ts'

interface PostgresAddress {
  url: string
  /** The setting that the URL comes from. */
  variable: string
  /** Whether a pooler in transaction mode is there. */
  isPooled: boolean
}

export function postgresProblem({ url, variable, isPooled }: PostgresAddress, error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  const message = reasonOf(error)
  const { hostname, port, pathname, username, searchParams } = new URL(url)
  // The driver prefers the parameter: it names the directory of a socket.
  const server = `${searchParams.get('host') || hostname || 'localhost'}:${port || 5432}`
  const name = decodeURIComponent(pathname.slice(1))
  const role = decodeURIComponent(username)
  if (code === '28000' && message.includes('no encryption'))
    return `PostgreSQL at ${server} rejected the role ${role}: ${message}. If the server requires TLS, add sslmode=verify-full to ${variable}; otherwise add an entry to pg_hba.conf on the server.`
  if (code === '28P01' || code === '28000' || message.includes('password must be a string'))
    return `PostgreSQL at ${server} rejected the role ${role}: ${message}. Check the role and the password in ${variable}, and pg_hba.conf on the server.`
  if (code === '3D000')
    return `PostgreSQL at ${server} has no database named ${name}. Create it, or correct ${variable}.`
  if (code === '42501' && message.includes('for database'))
    return `The role ${role} cannot connect to the database ${name}: ${message}. Run as its owner: grant connect on database ${name} to ${role}`
  if (code === '42501' || code === '3F000')
    return `The role ${role} lacks permissions in the database ${name}: ${message}. Grant them, or use the role that owns the database.`
  if (code === '25006')
    return `PostgreSQL at ${server} is read-only: ${message}. Set ${variable} to the primary server, and check default_transaction_read_only for the role ${role}.`
  if (code === '53300')
    return `PostgreSQL at ${server} has no free connections: ${message}. Close other connections, increase max_connections or decrease PORTICO_DATABASE_POOL_SIZE.`
  if (code === '55P03')
    return `A table in the database ${name} is locked by another session: ${message}. End long transactions (see pg_stat_activity), then run the command again.`
  if (code === '42P01')
    return `A table is missing in the database ${name}: ${message}. Finish the restore that is under way, or restore a backup.`
  if (code === oldServerCode)
    return `PostgreSQL at ${server} cannot be used: ${message}. Upgrade the server, or correct ${variable}.`
  if (code === tlsFilesCode)
    return `Cannot connect to PostgreSQL at ${server}: ${message}. Check the files that ${variable} names for TLS, and that this user can read them.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host name ${hostname} cannot be resolved. Check ${variable} and the DNS settings of this machine.`
  return (
    poolerProblem({ server, name, role, variable, isPooled }, code, message) ??
    tlsProblem(server, variable, code, message) ??
    `PostgreSQL at ${server}/${name} cannot be reached: ${message}. Check ${variable} and that the PostgreSQL server is running.`
  )
}

interface Pooler {
  server: string
  name: string
  role: string
  variable: string
  isPooled: boolean
}

/** PgBouncer gives one code to nearly all that it refuses: its own words tell them apart. */
function poolerProblem(
  { server, name, role, variable, isPooled }: Pooler,
  code: string,
  message: string,
): string | undefined {
  const pooler = `The connection pooler at ${server}`
  if (code === '08P01') {
    if (message.includes('startup parameter'))
      return `${pooler} rejected the connection: ${message}. Set PORTICO_DATABASE_POOLER=transaction.`
    if (/authentication failed|no such user/.test(message))
      return `${pooler} rejected the role ${role}: ${message}. Check the role and the password in ${variable}, and those that the pooler uses (auth_file and [databases] of PgBouncer).`
    if (/no such database|database .* does not exist/.test(message))
      return `${pooler} has no database named ${name}: ${message}. Create it, add it to the settings of the pooler, or correct ${variable}.`
  }
  if (code === '08P01' && message.includes('no more connections'))
    return `${pooler} has no free connections: ${message}. Increase max_client_conn of the pooler or decrease PORTICO_DATABASE_POOL_SIZE.`
  if (isPooled && /connection timeout|timeout expired/i.test(message))
    return `${pooler} does not answer: ${message}. Check that the pooler runs, is not stopped or blocked by a firewall, and that it reaches PostgreSQL.`
  if (
    (code === '08P01' && withoutServer.test(message)) ||
    (isPooled && !/^(?:57014|25P0\d)$/.test(code) && endedBehind.test(`${code} ${message}`))
  )
    return `${pooler} has no connection to PostgreSQL: ${message}. Check that the PostgreSQL server is running, and the log of the pooler, which has the reason. PgBouncer tries again only after server_login_retry (15 seconds by default).`
  return isPooled && code === 'ECONNREFUSED'
    ? `${pooler} cannot be reached: ${message}. Check ${variable} and that the pooler is running.`
    : undefined
}

const withoutServer = /server login|server_login_retry|query_wait_timeout|client_login_timeout|server conn/
/** The pooler took the connection and then ended it, or kept it waiting. */
const endedBehind = /^(EPIPE|ECONNRESET) |Connection terminated|timeout/

function tlsProblem(server: string, variable: string, code: string, message: string): string | undefined {
  if (message.includes('does not support SSL'))
    return `PostgreSQL at ${server} does not accept TLS. Set ssl = on in its postgresql.conf, or set sslmode=disable in ${variable} if the network is trusted.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of PostgreSQL at ${server} is for a different host: ${message}. Use a host name of the certificate in ${variable}.`
  if (code === 'CERT_HAS_EXPIRED')
    return `The certificate of PostgreSQL at ${server} has expired. Renew it on the server.`
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_)/.test(code))
    return `The certificate of PostgreSQL at ${server} is not trusted: ${message}. Add sslrootcert=FILE to ${variable}, with the certificate of its CA.`
  if (/^(ERR_(TLS|SSL)|EPROTO)/.test(code) || /\bSSL\b/.test(message))
    return `The encrypted connection to PostgreSQL at ${server} failed: ${message}. Check sslmode in ${variable} and the TLS settings of the server.`
  return undefined
}
