// AWS Signature Version 4 for S3: a pure function of request, credentials and time.
// canonical request = method, path, sorted query, headers, names of the headers, hash of the body
// string to sign    = algorithm, time, scope, sha256(canonical request)
// signature         = HMAC with a key derived from secret, day, region and service
// In a header-signed request the signature is in Authorization; in a presigned one everything is in the query.
import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  access_key_id: string
  secret_access_key: string
  session_token?: string | undefined
}

export interface UnsignedRequest {
  method: string
  /** Scheme, host and port. */
  origin: string
  /** Decoded, from the first slash. */
  path: string
  query: Record<string, string>
  /** All of them are signed, and `host` as well. */
  headers: Record<string, string>
}

interface Signing {
  credentials: Credentials
  region: string
  /** Milliseconds since 1970. */
  at: number
}

/** The address that is the permission: whoever has it may send this one request until it expires. */
export function presign(request: UnsignedRequest, signing: Signing & { expiresInSeconds: number }): string {
  const { credentials, expiresInSeconds } = signing
  const headers = lowerCased({ ...request.headers, host: new URL(request.origin).host })
  const query: Record<string, string> = {
    ...request.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${credentials.access_key_id}/${scopeOf(signing)}`,
    'X-Amz-Date': timeOf(signing.at),
    'X-Amz-Expires': String(expiresInSeconds),
    'X-Amz-SignedHeaders': namesOf(headers),
  }
  if (credentials.session_token) query['X-Amz-Security-Token'] = credentials.session_token
  const signature = sign({ ...request, query, headers }, unsignedPayload, signing)
  return `${urlOf({ ...request, query })}&X-Amz-Signature=${signature}`
}

/** The request with its Authorization, for a body with this SHA-256 in hex; an empty body by default. */
export function signHeaders(
  request: UnsignedRequest,
  signing: Signing,
  payload: string = emptyPayload,
): { url: string; headers: Record<string, string> } {
  const { credentials } = signing
  const headers = lowerCased({
    ...request.headers,
    host: new URL(request.origin).host,
    'x-amz-content-sha256': payload,
    'x-amz-date': timeOf(signing.at),
    ...(credentials.session_token && { 'x-amz-security-token': credentials.session_token }),
  })
  const signature = sign({ ...request, headers }, payload, signing)
  const credential = `${credentials.access_key_id}/${scopeOf(signing)}`
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${namesOf(headers)}, Signature=${signature}`
  return { url: urlOf(request), headers: { ...headers, authorization } }
}

function sign(request: UnsignedRequest, payload: string, signing: Signing): string {
  const canonical = [
    request.method,
    encodePath(request.path),
    queryOf(request.query),
    ...namesOf(request.headers)
      .split(';')
      .map((name) => `${name}:${request.headers[name]?.trim().replace(/ +/g, ' ')}`),
    '',
    namesOf(request.headers),
    payload,
  ].join('\n')
  const hash = createHash('sha256').update(canonical).digest('hex')
  const text = [algorithm, timeOf(signing.at), scopeOf(signing), hash].join('\n')
  const day = hmac(`AWS4${signing.credentials.secret_access_key}`, dayOf(signing.at))
  const key = hmac(hmac(hmac(day, signing.region), service), terminator)
  return hmac(key, text).toString('hex')
}

const algorithm = 'AWS4-HMAC-SHA256'
const service = 's3'
const terminator = 'aws4_request'
const unsignedPayload = 'UNSIGNED-PAYLOAD'
const emptyPayload = createHash('sha256').digest('hex')

/** 20130524T000000Z */
function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')
}

function dayOf(at: number): string {
  return timeOf(at).slice(0, 8)
}

function scopeOf({ at, region }: Signing): string {
  return [dayOf(at), region, service, terminator].join('/')
}

function namesOf(headers: Record<string, string>): string {
  return Object.keys(headers).sort().join(';')
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The same text is signed and sent, so that the two cannot differ. */
function urlOf(request: Pick<UnsignedRequest, 'origin' | 'path' | 'query'>): string {
  const query = queryOf(request.query)
  return request.origin + encodePath(request.path) + (query && `?${query}`)
}

function encodePath(path: string): string {
  return path.split('/').map(encode).join('/')
}

/** Sorted by the encoded names, as bytes. */
function queryOf(query: Record<string, string>): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')
}

/** RFC 3986: everything but letters, digits and -._~ */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
