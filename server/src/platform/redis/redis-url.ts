export interface RedisAddress {
  host: string
  port: number
  isTls: boolean
  username: string | undefined
  password: string | undefined
  database: number
}

/** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'redis:' && url.protocol !== 'rediss:') || url.hostname === '')
    throw new Error('must start with redis:// or rediss:// and name a host')
  const database = /^\/?(\d{0,4})\/?$/.exec(url.pathname)?.[1]
  if (database === undefined || url.search || url.hash)
    throw new Error('must have no path other than the number of a database, no query and no fragment')
  return {
    // An IPv6 address stands in brackets in a URL, and nowhere else.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    isTls: url.protocol === 'rediss:',
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    database: Number(database),
  }
}
