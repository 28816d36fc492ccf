// An S3 of our own for tests: one bucket in memory, addressed by path. It verifies signatures from the raw request with
// code that shares nothing with the signing side, and refuses what S3 refuses, with its error codes.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface S3Object {
  bytes: Buffer
  content_type: string
  /** In base64; undefined when the upload declared none. */
  sha256: string | undefined
  /** Milliseconds since 1970; now by default. */
  modified_at?: number
}

export interface S3Server {
  endpoint: string
  /** By key. */
  objects: Map<string, S3Object>
  /** How many requests came, refused ones too. */
  requestCount(): number
  /** The next requests are answered 503 SlowDown. */
  failNext(times: number): void
  /** Waits for the requests under way, then forgets objects and faults: what one test sent reaches no other test. */
  reset(): Promise<void>
  /** What the store does wrong from now on. */
  faults: S3Faults
  close(): Promise<void>
}

/** Stores that are not what they should be: careless, slow, lying. */
interface S3Faults {
  /** Takes whatever bytes come, as Ceph RGW 16 does with x-amz-checksum-sha256; here no digest is checked at all. */
  ignoresDigests?: boolean
  /** Awaited before an authorized request is carried out. */
  before?(method: string, key: string): void | Promise<void>
  /** What is shown instead of the stored object. */
  shown?(method: string, key: string, object: S3Object | undefined): S3Object | undefined
  /** How many objects a page of a listing has; 1000 by default. */
  pageSize?: number
  /** What is sent instead of a page of a listing. */
  listed?(page: string): string
  /** Whether a PUT is answered 500 although it was carried out. */
  deniesPut?(key: string): boolean
}

export interface S3Account {
  access_key_id: string
  secret_access_key: string
  region: string
  bucket: string
  /** Milliseconds since 1970; the machine's clock by default. */
  now?: () => number
}

export async function startS3Server(account: S3Account): Promise<S3Server> {
  const objects = new Map<string, S3Object>()
  const faults: S3Faults = {}
  const underWay = new Set<Promise<void>>()
  let failures = 0
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    const isFailing = failures > 0
    if (isFailing) failures--
    const answer = isFailing
      ? Promise.reject(new S3Refusal(503, 'SlowDown', 'Please reduce your request rate.'))
      : handle(account, objects, faults, req, res)
    const work = answer.catch((error) => refuse(req, res, error)).finally(() => underWay.delete(work))
    underWay.add(work)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    objects,
    faults,
    requestCount: () => requests,
    failNext(times) {
      failures = times
    },
    async reset() {
      await Promise.all(underWay)
      for (const name of Object.keys(faults)) Reflect.deleteProperty(faults, name)
      objects.clear()
      failures = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

class S3Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

async function handle(
  account: S3Account,
  objects: Map<string, S3Object>,
  faults: S3Faults,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const call = parse(req)
  const payload = verify(account, call)
  const [bucket, ...rest] = call.path.slice(1).split('/')
  const key = rest.join('/')
  if (bucket !== account.bucket) throw new S3Refusal(404, 'NoSuchBucket', 'The specified bucket does not exist')
  await faults.before?.(call.method, key)
  if (key === '' && call.method === 'HEAD') {
    res.writeHead(200, { 'x-amz-bucket-region': account.region }).end()
  } else if (key === '' && call.method === 'GET') {
    const page = pageOf(account, objects, call, faults.pageSize ?? 1000)
    res.writeHead(200, { 'content-type': 'application/xml' }).end(faults.listed?.(page) ?? page)
  } else if (key === '') {
    throw new S3Refusal(501, 'NotImplemented', 'This server does nothing with buckets but HEAD and listing.')
  } else if (call.method === 'PUT') {
    const headers = await put(objects, key, call, req, faults.ignoresDigests ? 'UNSIGNED-PAYLOAD' : payload, faults)
    if (faults.deniesPut?.(key)) throw new S3Refusal(500, 'InternalError', 'We encountered an internal error.')
    res.writeHead(200, headers).end()
  } else if (call.method === 'GET' || call.method === 'HEAD') {
    const object = objects.get(key)
    get(faults.shown ? faults.shown(call.method, key, object) : object, call, res)
  } else if (call.method === 'DELETE') {
    objects.delete(key)
    res.writeHead(204).end()
  } else throw new S3Refusal(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.')
}

interface Call {
  method: string
  /** Decoded. */
  path: string
  query: [string, string][]
  headers: Map<string, string>
}

function parse(req: IncomingMessage): Call {
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

/** Refuses what is not signed with the account's key; returns what was said of the body's hash. */
function verify(account: S3Account, call: Call): string {
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
  if (!claim.signed.includes('host') || unsigned.length > 0)
    throw new S3Refusal(
      403,
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned}`,
    )
  const expected = signatureOf(account, call, claim)
  const isSame =
    expected.length === claim.signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(claim.signature))
  if (!isSame)
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

async function put(
  objects: Map<string, S3Object>,
  key: string,
  call: Call,
  req: IncomingMessage,
  payload: string,
  { ignoresDigests = false }: S3Faults,
): Promise<Record<string, string>> {
  const length = call.headers.get('content-length')
  if (length === undefined)
    throw new S3Refusal(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (Number(length) > maximumObjectBytes)
    throw new S3Refusal(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed object size.')
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length !== Number(length))
    throw new S3Refusal(400, 'IncompleteBody', 'You did not provide the number of bytes specified by Content-Length.')
  const digest = createHash('sha256').update(bytes).digest()
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== digest.toString('hex'))
    throw new S3Refusal(
      400,
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    )
  const declared = call.headers.get('x-amz-checksum-sha256')
  if (declared !== undefined && Buffer.from(declared, 'base64').length !== 32)
    throw new S3Refusal(400, 'InvalidRequest', 'Value for x-amz-checksum-sha256 header is invalid.')
  if (declared !== undefined && declared !== digest.toString('base64') && !ignoresDigests)
    throw new S3Refusal(400, 'BadDigest', 'The SHA256 you specified did not match the calculated checksum.')
  const content_type = call.headers.get('content-type') ?? 'binary/octet-stream'
  objects.set(key, { bytes, content_type, sha256: declared })
  return { etag: etagOf(bytes), ...(declared !== undefined && { 'x-amz-checksum-sha256': declared }) }
}

const maximumObjectBytes = 256 * 1024 * 1024

function get(object: S3Object | undefined, call: Call, res: ServerResponse): void {
  if (!object) throw new S3Refusal(404, 'NoSuchKey', 'The specified key does not exist.')
  const { bytes, content_type, sha256 } = object
  const overrides = call.query
    .filter(([name]) => name.startsWith('response-'))
    .map(([name, value]) => [name.slice('response-'.length), value])
  const headers: Record<string, string | number> = {
    'content-type': content_type,
    'accept-ranges': 'bytes',
    etag: etagOf(bytes),
    ...Object.fromEntries(overrides),
  }
  const range = rangeOf(call.headers.get('range'), bytes.length)
  if (sha256 !== undefined && !range && call.headers.get('x-amz-checksum-mode') === 'ENABLED') {
    headers['x-amz-checksum-sha256'] = sha256
    headers['x-amz-checksum-type'] = 'FULL_OBJECT'
  }
  const body = range ? bytes.subarray(range.start, range.end + 1) : bytes
  headers['content-length'] = body.length
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${bytes.length}`
  res.writeHead(range ? 206 : 200, headers).end(call.method === 'HEAD' ? undefined : body)
}

/** The objects after those of the page before, whose last key its token has. */
function pageOf(account: S3Account, objects: Map<string, S3Object>, call: Call, pageSize: number): string {
  const parameter = (name: string) => call.query.find(([candidate]) => candidate === name)?.[1]
  if (parameter('list-type') !== '2') throw new S3Refusal(501, 'NotImplemented', 'This server lists by version 2 only.')
  const [prefix, token] = [parameter('prefix') ?? '', parameter('continuation-token')]
  if (token !== undefined && !token.startsWith(tokenMark))
    throw new S3Refusal(400, 'InvalidArgument', 'The continuation token provided is incorrect')
  const after = token?.slice(tokenMark.length) ?? ''
  const left = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const page = left.slice(0, pageSize)
  const isTruncated = left.length > page.length
  const contents = page.map(([key, { bytes, modified_at = (account.now ?? Date.now)() }]) => {
    const time = new Date(modified_at).toISOString()
    return `<Contents><Key>${escapeXml(key)}</Key><LastModified>${time}</LastModified><ETag>${escapeXml(etagOf(bytes))}</ETag><Size>${bytes.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
  })
  const next = isTruncated
    ? `<NextContinuationToken>${escapeXml(tokenMark + page.at(-1)?.[0])}</NextContinuationToken>`
    : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${account.bucket}</Name><Prefix>${escapeXml(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${pageSize}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`
}

/** What must be escaped in XML, and again in a query. */
const tokenMark = '1&+"<é/='

function escapeXml(text: string): string {
  return text.replace(/[<&"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A range S3 does not understand it ignores. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (!match || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start >= size) throw new S3Refusal(416, 'InvalidRange', 'The requested range is not satisfiable')
  return end < start ? undefined : { start, end }
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const { status, code, message } =
    error instanceof S3Refusal ? error : new S3Refusal(500, 'InternalError', `A fault of the test server: ${error}`)
  const text = message.replace(/[<&]/g, (c) => (c === '<' ? '&lt;' : '&amp;'))
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message><RequestId>0</RequestId></Error>`
  req.resume()
  res.writeHead(status, { 'content-type': 'application/xml' }).end(req.method === 'HEAD' ? undefined : body)
}
