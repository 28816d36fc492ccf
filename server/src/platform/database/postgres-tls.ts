// The files that a URL of PostgreSQL names for TLS. The driver would read them while it makes a client, and the pool makes
// clients where nobody catches what that throws: a file that is gone would end a process that has run for days. They are read
// for each connection, so that a renewed certificate needs no restart.
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { type ConnectionOptions, createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type pg from 'pg'
import { reasonOf } from '../values/reason.ts'
import { tlsFilesCode } from './database.ts'

const files = ['sslrootcert', 'sslcert', 'sslkey'] as const
/** What the driver would understand by these names it is told in `ssl` instead. */
const replaced = [...files, 'ssl', 'sslmode', 'sslnegotiation', 'uselibpqcompat']

/** The settings of a client that can be made at any time: where a file cannot be used, connecting fails. */
export function withTlsFiles(config: pg.ClientConfig): pg.ClientConfig {
  const { connectionString = '' } = config
  const url = URL.canParse(connectionString) ? new URL(connectionString) : undefined
  if (!url || !files.some((name) => url.searchParams.get(name))) return config
  const parameters = new URLSearchParams(url.searchParams)
  for (const name of replaced) url.searchParams.delete(name)
  const others = { ...config, connectionString: url.href }
  try {
    return {
      ...others,
      ssl: parameters.get('sslmode') === 'disable' ? false : tlsOptions(parameters),
      ...(parameters.get('sslnegotiation') === 'direct' && { sslnegotiation: 'direct' }),
    }
  } catch (error) {
    const refusal = new Error(`the TLS files cannot be used: ${reasonOf(error)}`, { cause: error })
    return { ...others, ssl: false, stream: () => new RefusedSocket(Object.assign(refusal, { code: tlsFilesCode })) }
  }
}

function tlsOptions(parameters: URLSearchParams): ConnectionOptions {
  const [ca, cert, key] = files.map((name) => {
    const file = parameters.get(name)
    if (!file) return undefined
    const text = readFileSync(file, 'utf8')
    // As if it had not been named, without a word: every public certificate authority would be trusted.
    if (text.trim() === '') throw new Error(`${file} is empty`)
    return text
  })
  const mode = parameters.get('sslmode')
  return {
    secureContext: contextOf({ ca, cert, key }),
    ...(mode === 'no-verify' && { rejectUnauthorized: false }),
    // By whoever the certificate was issued, it may be for another name.
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
}

function contextOf(texts: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>): SecureContext {
  try {
    return createSecureContext(texts)
  } catch (error) {
    throw new Error(`sslcert or sslkey is damaged, or they do not belong together (${reasonOf(error)})`)
  }
}

/** Fails when it is to connect, as one does that nobody answers. */
class RefusedSocket extends Socket {
  readonly #error: Error

  constructor(error: Error) {
    super()
    this.#error = error
  }

  override connect(): this {
    return this.destroy(this.#error)
  }
}
