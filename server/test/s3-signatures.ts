// How the S3 of our tests reads a request and verifies its signature: from the raw request, with code that shares nothing
// with the signing side.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface S3Account {
  access_key_id: string
  secret_access_key: string
  region: string
  bucket: string
  /** Milliseconds since 1970; the machine's clock by default. */
  now?: () => number
}

export class S3Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export interface Call {
  method: string
  /** Decoded. */
  path: string
  query: [string, string][]
  headers: Map<string, string>
}

export function parse(req: IncomingMessage): Call {
  const url = req.url ?? '/'
  const at = url.indexOf('?')
  const rawQuery = at === -1 ? '' : url.slice(at + 1)
  const headers = new Map<string, string>()
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] ?? '').toLowerCase()
    const value = (req.rawHeaders[i + 1] ?? '').trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before},${value}`)
  }
  const query = rawQuery
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const equals = pair.indexOf('=')
      return equals === -1
        ? [decodeURIComponent(pair), '']
        : [decodeURIComponent(pair.slice(0, equals)), decodeURIComponent(pair.slice(equals + 1))]
    })
  return { method: req.method ?? '', path: decodeURIComponent(at === -1 ? url : url.slice(0, at)), query, headers }
}

export function isAnonymous({ headers, query }: Call): boolean {
  return !headers.has('authorization') && !query.some(([name]) => name === 'X-Amz-Algorithm')
}

/** Refuses what is not signed with the account's key; returns what was said of the body's hash. */
export function verify(
  account: S3Account,
  call: Call,
  isLenient: { unsignedHeaders: boolean; signatures: boolean },
): string {
  const parameter = (name: string) => call.query.find(([candidate]) => candidate === name)?.[1]
  const now = (account.now ?? Date.now)()
  const isPresigned = parameter('X-Amz-Algorithm') !== undefined
  const claim = isPresigned ? claimInQuery(parameter) : claimInHeaders(call)
  const [id = '', day = '', region = '', service = '', end = ''] = claim.credential.split('/')
  if (id !== account.access_key_id)
    throw new S3Refusal(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  if (region !== account.region || service !== 's3' || end !== 'aws4_request' || day !== claim.time.slice(0, 8))
    throw new S3Refusal(400, 'AuthorizationHeaderMalformed', `The scope is wrong; expecting '${account.region}'`)
  const madeAt = Date.parse(claim.time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(madeAt)) throw new S3Refusal(403, 'AccessDenied', 'X-Amz-Date is not a time.')
  if (claim.expires !== undefined) {
    const seconds = Number(claim.expires)
    if (!(seconds >= 1 && seconds <= 604_800))
      throw new S3Refusal(400, 'AuthorizationQueryParametersError', 'X-Amz-Expires must be 1 to 604800 seconds')
    if (now > madeAt + seconds * 1000) throw new S3Refusal(403, 'AccessDenied', 'Request has expired')
    if (madeAt > now + skewMs) throw new S3Refusal(403, 'AccessDenied', 'Request is not valid yet')
  } else if (Math.abs(now - madeAt) > skewMs)
    throw new S3Refusal(403, 'RequestTimeTooSkewed', 'The difference between the request time and ours is too large.')
  const unsigned = [...call.headers.keys()].filter((name) => name.startsWith('x-amz-') && !claim.signed.includes(name))
  if (!claim.signed.includes('host') || (unsigned.length > 0 && !isLenient.unsignedHeaders))
    throw new S3Refusal(
      403,
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned}`,
    )
  const expected = signatureOf(account, call, claim)
  const isSame =
    expected.length === claim.signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(claim.signature))
  if (!isSame && !isLenient.signatures)
    throw new S3Refusal(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    )
  return claim.payload
}

const skewMs = 15 * 60_000

interface Claim {
  credential: string
  time: string
  /** Only of presigned requests. */
  expires: string | undefined
  signed: string[]
  signature: string
  payload: string
}

function claimInQuery(parameter: (name: string) => string | undefined): Claim {
  const required = (name: string): string => {
    const value = parameter(name)
    if (value === undefined) throw new S3Refusal(400, 'AuthorizationQueryParametersError', `The query needs ${name}`)
    return value
  }
  if (required('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256')
    throw new S3Refusal(400, 'AuthorizationQueryParametersError', 'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"')
  return {
    credential: required('X-Amz-Credential'),
    time: required('X-Amz-Date'),
    expires: required('X-Amz-Expires'),
    signed: required('X-Amz-SignedHeaders').split(';'),
    signature: required('X-Amz-Signature'),
    payload: 'UNSIGNED-PAYLOAD',
  }
}

function claimInHeaders(call: Call): Claim {
  const authorization = call.headers.get('authorization')
  if (authorization === undefined) throw new S3Refusal(403, 'AccessDenied', 'Access Denied')
  const match = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    authorization,
  )
  const [, credential = '', signed = '', signature = ''] = match ?? []
  if (!match) throw new S3Refusal(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.')
  const payload = call.headers.get('x-amz-content-sha256')
  if (payload === undefined)
    throw new S3Refusal(400, 'InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  if (payload.startsWith('STREAMING-'))
    throw new S3Refusal(501, 'NotImplemented', 'This server takes no streamed signatures.')
  const time = call.headers.get('x-amz-date') ?? ''
  return { credential, time, expires: undefined, signed: signed.split(';'), signature, payload }
}

function signatureOf(account: S3Account, call: Call, claim: Claim): string {
  const query = call.query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .sort()
  const headers = claim.signed.map((name) => {
    const value = call.headers.get(name)
    if (value === undefined)
      throw new S3Refusal(403, 'SignatureDoesNotMatch', `The signed header ${name} was not sent.`)
    return `${name}:${value.replace(/ {2,}/g, ' ')}\n`
  })
  const path = call.path.split('/').map(percentEncode).join('/')
  const canonical = `${call.method}\n${path}\n${query.join('&')}\n${headers.join('')}\n${claim.signed.join(';')}\n${claim.payload}`
  const scope = claim.credential.slice(claim.credential.indexOf('/') + 1)
  const digest = createHash('sha256').update(canonical, 'utf8').digest('hex')
  let key: Buffer = Buffer.from(`AWS4${account.secret_access_key}`)
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  return createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${claim.time}\n${scope}\n${digest}`).digest('hex')
}

/** Byte by byte, as the rules of the signature are written. */
function percentEncode(text: string): string {
  let encoded = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCharCode(byte)
    encoded += /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}
