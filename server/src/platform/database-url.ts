// The connection URL of PostgreSQL, checked before anybody connects: what is wrong with it is said at the start.
import { readFileSync } from 'node:fs'
import { reasonOf } from './values/reason.ts'

/** The driver would ignore what it does not know, and a failover would fail. */
const oneHost =
  '; it must name one host that always leads to the primary server: a virtual address, a DNS name that moves, or a pooler'

const modes = ['disable', 'verify-full', 'verify-ca', 'no-verify']
/** Here they mean more than elsewhere: encrypted, and checked as well. */
const checkedModes = ['prefer', 'require']
const files = ['sslrootcert', 'sslcert', 'sslkey']

/** The URL as the driver understands it. */
export function readDatabaseUrl(text: string): string {
  // Before it is read as a URL: one with several ports is none. A password may have a comma.
  const hosts = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text)?.[1]?.replace(/^.*@/, '') ?? ''
  if (hosts.includes(',')) throw new Error(`names several hosts${oneHost}`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    throw new Error('must start with postgres:// or postgresql:// (leave it unset for SQLite)')
  }
  const { searchParams } = url
  if (/,/.test(`${searchParams.get('host')}${searchParams.get('port')}`))
    throw new Error(`names several hosts${oneHost}`)
  if (searchParams.has('target_session_attrs')) throw new Error(`has target_session_attrs${oneHost}`)
  for (const name of files) requireReadable(name, searchParams.get(name))
  const mode = searchParams.get('sslmode')
  if (mode === null) return text
  if (!modes.includes(mode) && !checkedModes.includes(mode))
    throw new Error(`has the sslmode "${mode}"; it must be one of ${modes.join(', ')}`)
  if (mode === 'verify-ca' && searchParams.get('sslrootcert') === null)
    throw new Error('has the sslmode verify-ca, which needs sslrootcert: the file with the certificate of the CA')
  if (checkedModes.includes(mode)) searchParams.set('sslmode', 'verify-full')
  // Otherwise the driver would compare the name of the host as well.
  if (mode === 'verify-ca') searchParams.set('uselibpqcompat', 'true')
  return url.href
}

function requireReadable(name: string, file: string | null): void {
  if (file === null) return
  try {
    readFileSync(file)
  } catch (error) {
    throw new Error(`names a file for ${name} that cannot be read: ${reasonOf(error)}`)
  }
}
