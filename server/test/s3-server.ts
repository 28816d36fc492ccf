// An S3 of our own for tests: one bucket in memory, addressed by path. It verifies signatures from the raw request with
// code that shares nothing with the signing side, and refuses what S3 refuses, with its error codes.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Call, isAnonymous, parse, type S3Account, S3Refusal, verify } from './s3-signatures.ts'

export type { S3Account } from './s3-signatures.ts'

interface S3Object {
  bytes: Buffer
  content_type: string
  /** In base64; undefined when the upload declared none. */
  sha256: string | undefined
  /** Milliseconds since 1970; now by default. */
  modified_at?: number
  /** Everybody may read it. */
  is_public?: boolean
}

export interface S3Server {
  endpoint: string
  /** By key. */
  objects: Map<string, S3Object>
  /** How many requests came, refused ones too. */
  requestCount(): number
  requestsUnderWay(): number
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
  /**
   * Obeys x-amz-copy-source, x-amz-acl and x-amz-grant-read that nobody has signed, as Ceph RGW 16 does; or ignores them;
   * or refuses them as what it has no function for.
   */
  unsignedHeaders?: 'obeyed' | 'ignored' | 'not implemented'
  /** Everybody may get and list. */
  isPublic?: boolean
  /** Takes every signature for a good one. */
  ignoresSignatures?: boolean
  /** What an upload is answered besides. */
  putHeaders?: Record<string, string>
  /** Whether the connection is closed without an answer. */
  hangsUp?(method: string, isAnonymous: boolean): boolean
  /** Refuses every authorized request in this way. */
  refuses?: { status: number; code: string }
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
    requestsUnderWay: () => underWay.size,
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

async function handle(
  account: S3Account,
  objects: Map<string, S3Object>,
  faults: S3Faults,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const call = parse(req)
  const [bucket, ...rest] = call.path.slice(1).split('/')
  const key = rest.join('/')
  if (faults.hangsUp?.(call.method, isAnonymous(call))) {
    req.socket.destroy()
    return
  }
  const isOpen = isReading(call) && isAnonymous(call) && (faults.isPublic || objects.get(key)?.is_public)
  const leniency = {
    unsignedHeaders: faults.unsignedHeaders !== undefined,
    signatures: faults.ignoresSignatures ?? false,
  }
  const payload = isOpen ? 'UNSIGNED-PAYLOAD' : verify(account, call, leniency)
  if (faults.refuses) throw new S3Refusal(faults.refuses.status, faults.refuses.code, 'A test refuses this request.')
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
    if (faults.unsignedHeaders === 'not implemented' && [...call.headers.keys()].some((name) => functions.test(name)))
      throw new S3Refusal(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented.')
    const headers = await put(objects, key, call, req, faults.ignoresDigests ? 'UNSIGNED-PAYLOAD' : payload, faults)
    if (faults.deniesPut?.(key)) throw new S3Refusal(500, 'InternalError', 'We encountered an internal error.')
    if (faults.unsignedHeaders === 'obeyed') obey(objects, key, call)
    res.writeHead(200, { ...headers, ...faults.putHeaders }).end()
  } else if (call.method === 'GET' || call.method === 'HEAD') {
    const object = objects.get(key)
    get(faults.shown ? faults.shown(call.method, key, object) : object, call, res)
  } else if (call.method === 'DELETE') {
    objects.delete(key)
    res.writeHead(204).end()
  } else throw new S3Refusal(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.')
}

const functions = /^x-amz-(acl|copy-source|grant-)/

const isReading = ({ method }: Call) => method === 'GET' || method === 'HEAD'

/** What a careless store does on account of a header, whoever has sent it. */
function obey(objects: Map<string, S3Object>, key: string, { headers }: Call): void {
  const [, ...source] = decodeURIComponent(headers.get('x-amz-copy-source') ?? '')
    .replace(/^\//, '')
    .split('/')
  const object = objects.get(source.length > 0 ? source.join('/') : key)
  if (!object) throw new S3Refusal(404, 'NoSuchKey', 'The specified key does not exist.')
  const is_public =
    headers.get('x-amz-acl') === 'public-read' || (headers.get('x-amz-grant-read')?.includes('AllUsers') ?? false)
  objects.set(key, { ...object, is_public })
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
