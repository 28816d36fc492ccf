import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type S3Server, startS3Server } from '../../../test/s3-server.ts'
import { newId } from '../values/ids.ts'
import { type DirectTransfers, NothingKept, type Store, StoreUnavailable } from './file-store.ts'
import { createS3Store } from './s3-store.ts'

const account = { access_key_id: 'AKIATEST', secret_access_key: 'se/cr+et', region: 'eu-central-1', bucket: 'files' }
let now = Date.parse('2030-01-02T03:04:05Z')
const clock = { now: () => now }
let server: S3Server
let store: Store
let direct: DirectTransfers

beforeAll(async () => {
  server = await startS3Server({ ...account, now: clock.now })
  store = storeWith({})
  if (!store.direct) throw new Error('S3 exchanges bytes with clients itself.')
  direct = store.direct
})
afterAll(async () => {
  await store.close()
  await server.close()
})
beforeEach(() => server.reset())

describe('an S3 store', () => {
  test('has clients upload and download themselves, and settles what arrived under its key', async () => {
    const [key, bytes] = [newKey(), randomBytes(100_000)]
    expect(await store.stat(key)).toBeUndefined()
    const upload = direct.upload(key, fileOf(bytes), 900)
    expect(upload.method).toBe('PUT')
    expect(upload.headers).toEqual({
      'content-type': 'application/pdf',
      'content-length': '100000',
      'x-amz-checksum-sha256': createHash('sha256').update(bytes).digest('base64'),
    })
    expect((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes })).status).toBe(200)
    expect(await store.stat(key)).toBeUndefined()
    expect(await direct.hasArrived(key)).toBe(true)
    expect(await settle(key, bytes)).toBe('settled')
    expect(await store.stat(key)).toMatchObject({ size_bytes: 100_000 })
    await direct.removeUpload(key)
    expect([...server.objects.keys()]).toEqual([key])
    const download = direct.download(key, { filename: 'Bericht "März" 2030.txt', content_type: 'text/plain' }, 60)
    const response = await fetch(download.url, { method: download.method, headers: download.headers })
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Bericht _M_rz_ 2030.txt"; filename*=UTF-8''Bericht%20%22M%C3%A4rz%22%202030.txt`,
    )
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('lets nothing else be uploaded: not other bytes, more, fewer, another type, place, method or time', async () => {
    const [key, bytes] = [newKey(), Buffer.from('the announced bytes')]
    const { url, headers } = direct.upload(key, fileOf(bytes), 900)
    const other = Buffer.from('some other b@d byte')
    const put = async (change: { url?: string; headers?: Record<string, string>; body?: Buffer; method?: string }) => {
      const response = await fetch(change.url ?? url, {
        method: change.method ?? 'PUT',
        headers: { ...headers, ...change.headers },
        body: change.method === 'DELETE' ? undefined : (change.body ?? bytes),
      })
      return `${response.status} ${/<Code>(.*)<\/Code>/.exec(await response.text())?.[1]}`
    }
    expect(other.length).toBe(bytes.length)
    expect(await put({ body: other })).toBe('400 BadDigest')
    const checksum = { 'x-amz-checksum-sha256': createHash('sha256').update(other).digest('base64') }
    expect(await put({ body: other, headers: checksum })).toBe('403 SignatureDoesNotMatch')
    for (const body of [Buffer.concat([bytes, bytes]), bytes.subarray(1)])
      expect(await put({ body, headers: { 'content-length': String(body.length) } })).toBe('403 SignatureDoesNotMatch')
    expect(await put({ headers: { 'content-type': 'text/html' } })).toBe('403 SignatureDoesNotMatch')
    expect(await put({ headers: { 'x-amz-acl': 'public-read' } })).toBe('403 AccessDenied')
    expect(await put({ url: url.replace(key, newKey()) })).toBe('403 SignatureDoesNotMatch')
    expect(await put({ url: url.replace('Expires=900', 'Expires=9000') })).toBe('403 SignatureDoesNotMatch')
    expect(await put({ method: 'DELETE' })).toBe('403 SignatureDoesNotMatch')
    now += 901_000
    expect(await put({})).toBe('403 AccessDenied')
    expect(server.objects.size).toBe(0)
    now -= 2000
    expect(await put({})).toBe('200 undefined')
  })

  test('opens a file whole or in a range with both ends, and says when there is none', async () => {
    const key = putNew('0123456789')
    const text = async (range?: { start: number; end: number }) => String(await buffer(await store.open(key, range)))
    expect(await text()).toBe('0123456789')
    expect(await text({ start: 3, end: 6 })).toBe('3456')
    expect(await text({ start: 8, end: 99 })).toBe('89')
    await expect(store.open(key, { start: 10, end: 12 })).rejects.toThrow(RangeError)
    await expect(store.open(key, { start: 2, end: 1 })).rejects.toThrow(RangeError)
    await expect(store.open(newKey())).rejects.toThrow(NothingKept)
  })

  test('removes a file, and removing it again is no error', async () => {
    const key = putNew('x')
    await store.remove(key)
    expect(server.objects.size).toBe(0)
    await store.remove(key)
  })

  test('takes no key but ours', async () => {
    for (const key of ['', 'x', '../other/file', `${newKey()}/..`, `${newKey()}?acl`]) {
      await expect(store.open(key)).rejects.toThrow('is not a file key')
      await expect(store.stat(key)).rejects.toThrow('is not a file key')
      await expect(store.remove(key)).rejects.toThrow('is not a file key')
      await expect(settle(key, Buffer.from('x'))).rejects.toThrow('is not a file key')
      expect(() => direct.upload(key, fileOf(Buffer.from('x')), 1)).toThrow('is not a file key')
      expect(() => direct.download(key, { filename: 'x', content_type: 'x/y' }, 1)).toThrow('is not a file key')
    }
  })

  test('tries a second time after a bad moment of the store, and never a third', async () => {
    const key = putNew('still here')
    server.failNext(1)
    expect(await store.stat(key)).toMatchObject({ size_bytes: 10 })
    server.failNext(9)
    const before = server.requestCount()
    await expect(store.open(key)).rejects.toThrow(/^The file store returned 503 SlowDown .*Try again later\.$/)
    expect(server.requestCount() - before).toBe(2)
  })

  test('says in a sentence what is wrong: bucket, key, secret, region, clock, room or nobody there', async () => {
    await store.check()
    const checking = (change: Parameters<typeof storeWith>[0]) => storeWith(change).check()
    await expect(checking({ bucket: 'other' })).rejects.toThrow(/404 NoSuchBucket.*Check the bucket name/)
    await expect(checking({ secret_access_key: 'wrong' })).rejects.toThrow(
      /403 SignatureDoesNotMatch.*Check the secret key; a proxy before the store must pass the Host header on unchanged\.$/,
    )
    await expect(checking({ access_key_id: 'AKIAOTHER' })).rejects.toThrow(
      /InvalidAccessKeyId.*Check PORTICO_S3_ACCESS_KEY_ID\.$/,
    )
    await expect(checking({ access_key_id: 'AKIAOTHER' })).rejects.toThrow(StoreUnavailable)
    await expect(checking({ region: 'us-east-1' })).rejects.toThrow(
      /400 Auth.*Check the region in PORTICO_FILES_URL\.$/,
    )
    for (const minutes of [-16, 16])
      await expect(checking({ clock: { now: () => now + minutes * 60_000 } })).rejects.toThrow(
        /RequestTimeTooSkewed.* differ by more than 15 minutes\. Correct the wrong one\.$/,
      )
    await expect(checking({ endpoint: 'http://127.0.0.1:1' })).rejects.toThrow(/cannot be reached .*ECONNREFUSED/)
    const secure = server.endpoint.replace('http:', 'https:')
    await expect(checking({ endpoint: secure })).rejects.toThrow(/cannot be reached .*Does the endpoint speak TLS\?$/)
  })

  test.each([
    [403, 'QuotaExceeded', 'The bucket is full.'],
    [403, 'AccessDenied', 'Check the credentials and their permissions'],
    [503, 'ServiceUnavailable', 'Try again later.'],
  ])('says what to do about %s %s', async (status, code, advice) => {
    server.faults.refuses = { status, code }
    await expect(store.open(newKey())).rejects.toThrow(advice)
    await expect(store.check()).rejects.toThrow(advice)
    if (status >= 500) await expect(store.check()).rejects.not.toThrow('credentials')
  })

  test('does not take files for lost when the bucket is gone', async () => {
    expect(await store.stat(newKey())).toBeUndefined()
    const elsewhere = storeWith({ bucket: 'other' })
    await expect(elsewhere.stat(newKey())).rejects.toThrow(/404 NoSuchBucket.*Check the bucket name/)
    await expect(elsewhere.direct?.hasArrived(newKey())).rejects.toThrow(StoreUnavailable)
  })

  describe('settling an upload', () => {
    const bytes = randomBytes(300_000)
    const other = randomBytes(300_000)
    const arrived = (content = bytes) => {
      const key = newKey()
      server.objects.set(`incoming/${key}`, { bytes: content, content_type: 'x/y', sha256: undefined })
      return key
    }
    const keptAt = (key: string) => server.objects.get(key)?.bytes
    beforeEach(() => {
      server.faults.ignoresDigests = true
    })

    test('never writes other bytes to the key, whatever the store checks: not others, more or fewer', async () => {
      for (const content of [other, Buffer.concat([bytes, bytes]), bytes.subarray(1), Buffer.alloc(0)]) {
        const key = arrived(content)
        expect(await settle(key, bytes)).toBe('different')
        expect(keptAt(key)).toBeUndefined()
      }
      expect(await settle(newKey(), bytes)).toBe('absent')
    })

    test('keeps the bytes that were checked when the upload is replaced during the copy or after it', async () => {
      const key = arrived()
      server.faults.before = (method, at) => {
        if (method === 'PUT' && at === key)
          server.objects.set(`incoming/${key}`, { bytes: other, content_type: 'x/y', sha256: undefined })
      }
      expect(await settle(key, bytes)).toBe('settled')
      expect(keptAt(key)?.equals(bytes)).toBe(true)
      // A second worker finds the other bytes; the file stays what it is.
      expect(await settle(key, bytes)).toBe('different')
      expect(keptAt(key)?.equals(bytes)).toBe(true)
    })

    test('is safe to run twice at once', async () => {
      const key = arrived()
      expect(await Promise.all([settle(key, bytes), settle(key, bytes)])).toEqual(['settled', 'settled'])
      expect(keptAt(key)?.equals(bytes)).toBe(true)
    })

    test('does not believe a store that lies about size and checksum, or returns the bytes of another object', async () => {
      const key = arrived(other)
      const sha256 = createHash('sha256').update(bytes).digest('base64')
      server.faults.shown = (method, _, object) => (method === 'HEAD' ? { bytes, content_type: 'x/y', sha256 } : object)
      expect(await settle(key, bytes)).toBe('different')
      server.faults.shown = (method, at, object) =>
        method === 'GET' && at === key ? { bytes: other, content_type: 'x/y', sha256 } : object
      await expect(settle(arrivedAt(key), bytes)).rejects.toThrow('returned bytes that differ from the bytes written')
    })

    test('fails and can be run again when the store answers 500 after writing', async () => {
      const key = arrived()
      server.faults.deniesPut = () => true
      await expect(settle(key, bytes)).rejects.toThrow(/returned 500 InternalError.*Try again later/)
      server.faults.deniesPut = () => false
      expect(await settle(key, bytes)).toBe('settled')
    })

    test('ends when the store stalls: by its own time or by that of the job', async () => {
      const [slow, ended] = [arrived(), arrived()]
      const releases: (() => void)[] = []
      let endedIsHeld: () => void = () => undefined
      server.faults.before = (method, key) => {
        if (method !== 'PUT') return
        if (key === ended) endedIsHeld()
        return new Promise<void>((resolve) => {
          releases.push(resolve)
        })
      }
      const impatient = storeWith({ timeout_ms: 50 })
      const signal = new AbortController().signal
      await expect(impatient.direct?.settle(slow, fileOf(bytes), signal)).rejects.toThrow(/no response for 50 ms/)
      const job = new AbortController()
      const isHeld = new Promise<void>((resolve) => {
        endedIsHeld = resolve
      })
      const ending = expect(settle(ended, bytes, job.signal)).rejects.toThrow(/cannot be copied .*aborted/)
      await isHeld
      job.abort()
      await ending
      for (const release of releases) release()
      await impatient.close()
    })

    function arrivedAt(key: string): string {
      server.objects.set(`incoming/${key}`, { bytes, content_type: 'x/y', sha256: undefined })
      return key
    }
  })

  test('waits for no store that is silent', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const waiting = storeWith({ endpoint, timeout_ms: 50 })
    await expect(waiting.stat(newKey())).rejects.toThrow(/cannot be reached .*no response for 50 ms/)
    await waiting.close()
    silent.close()
  })

  test('waits for no answer that never ends: its status is enough', async () => {
    const endless = createServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      const dripping = setInterval(() => socket.bytesWritten > 0 && socket.write(' '), 10)
      socket.on('close', () => clearInterval(dripping)).on('error', () => undefined)
    }).listen(0, '127.0.0.1')
    await once(endless, 'listening')
    const address = endless.address()
    const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const waiting = storeWith({ endpoint, timeout_ms: 1000 })
    await waiting.check()
    await waiting.close()
    endless.close()
  })

  test('puts the bucket into the host where it is not in the path', () => {
    const elsewhere = storeWith({ endpoint: 'https://s3.example.com:9000', path_style: false })
    const key = newKey()
    const { url } = elsewhere.direct?.download(key, { filename: 'x', content_type: 'x/y' }, 1) ?? { url: '' }
    expect(url).toMatch(new RegExp(`^https://files\\.s3\\.example\\.com:9000/${key}\\?`))
  })
})

test("the server of these tests is S3 to Amazon's own client", async () => {
  const now = Date.now()
  const real = await startS3Server({ ...account, now: () => now })
  const client = new S3Client({
    endpoint: real.endpoint,
    region: account.region,
    forcePathStyle: true,
    credentials: { accessKeyId: account.access_key_id, secretAccessKey: account.secret_access_key },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: 1,
  })
  const where = { Bucket: account.bucket, Key: "a key/with (odd) *characters*!'é" }
  const bytes = randomBytes(70_000)
  const ChecksumSHA256 = createHash('sha256').update(bytes).digest('base64')
  await client.send(new HeadBucketCommand({ Bucket: account.bucket }))
  await client.send(new PutObjectCommand({ ...where, Body: bytes, ContentType: 'image/png', ChecksumSHA256 }))
  const head = await client.send(new HeadObjectCommand({ ...where, ChecksumMode: 'ENABLED' }))
  expect(head).toMatchObject({ ContentLength: 70_000, ContentType: 'image/png', ChecksumSHA256 })
  const whole = await client.send(new GetObjectCommand({ ...where, ChecksumMode: 'ENABLED' }))
  expect(Buffer.from((await whole.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true)
  const part = await client.send(new GetObjectCommand({ ...where, Range: 'bytes=10-19' }))
  expect(Buffer.from((await part.Body?.transformToByteArray()) ?? []).equals(bytes.subarray(10, 20))).toBe(true)
  const wrong = new PutObjectCommand({ ...where, Body: Buffer.from('other'), ChecksumSHA256 })
  await expect(client.send(wrong)).rejects.toMatchObject({ name: 'BadDigest' })
  await client.send(new DeleteObjectCommand(where))
  await expect(client.send(new GetObjectCommand(where))).rejects.toMatchObject({ name: 'NoSuchKey' })
  client.destroy()
  await real.close()
})

function storeWith(change: Partial<Parameters<typeof createS3Store>[0]>): Store {
  return createS3Store({ ...account, endpoint: server.endpoint, path_style: true, clock, ...change })
}

function settle(key: string, bytes: Buffer, signal = new AbortController().signal) {
  return direct.settle(key, fileOf(bytes), signal)
}

function putNew(text: string): string {
  const key = newKey()
  server.objects.set(key, { bytes: Buffer.from(text), content_type: 'text/plain', sha256: undefined })
  return key
}

function fileOf(bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { content_type: 'application/pdf', size_bytes: bytes.length, sha256 }
}

const newKey = () => `${newId('ptl')}/${newId('fil')}`
