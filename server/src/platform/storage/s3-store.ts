// Files in a bucket that speaks S3. Clients send and fetch the bytes there, with addresses we presign.
// An upload is presigned for `incoming/<key>` only. When it is seen, its bytes are read, hashed by us and written to
// `<key>` with our own credentials; then what was written is read once more. The store's word is not enough: some ignore
// the checksum of an upload, and an ETag is an MD5, which an attacker can forge. Nobody else can write to `<key>`.
import type { Readable } from 'node:stream'
import { hour } from '../clock.ts'
import { reasonOf } from '../values/reason.ts'
import { checkedStream, UnexpectedBytes } from './checked-stream.ts'
import { attachmentOf } from './content-disposition.ts'
import { digestOf } from './digest.ts'
import {
  type DirectTransfers,
  NothingKept,
  requireKey,
  requireRange,
  type Store,
  StoreUnavailable,
} from './file-store.ts'
import { createS3Client, type S3Client, type S3Settings } from './s3-client.ts'
import { examineS3 } from './s3-examination.ts'
import { listObjects } from './s3-listing.ts'

export function createS3Store(settings: S3Settings): Store {
  const client = createS3Client(settings)
  const store: Store & { direct: DirectTransfers } = {
    direct: {
      upload(key, { content_type, size_bytes, sha256 }, expiresInSeconds) {
        const headers = {
          'content-type': content_type,
          'content-length': String(size_bytes),
          'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        }
        return { method: 'PUT', url: client.presign('PUT', uploadOf(key), { headers }, expiresInSeconds), headers }
      },
      download(key, { filename, content_type }, expiresInSeconds) {
        requireKey(key)
        const query = {
          'response-content-disposition': attachmentOf(filename, content_type),
          'response-content-type': content_type,
        }
        return { method: 'GET', url: client.presign('GET', key, { query }, expiresInSeconds), headers: {} }
      },
      async hasArrived(key) {
        return (await stat(client, uploadOf(key))) !== undefined
      },
      async settle(key, file, signal) {
        requireKey(key)
        const outcome = await copyUpload(client, key, file, signal)
        if (outcome !== 'settled' || (await digestOf(store, key, signal)) === file.sha256) return outcome
        throw new StoreUnavailable(`The file store returned bytes that differ from the bytes written to ${key}.`)
      },
      removeUpload: (key) => remove(client, uploadOf(key)),
    },
    receiver: undefined,
    async open(key, range) {
      requireKey(key)
      requireRange(range)
      const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
      const answer = await client.send('GET', key, headers)
      if (answer.status === (range ? 206 : 200)) return answer.body
      const problem = await answer.problem()
      if (answer.status === 404 && problem.code === 'NoSuchKey') throw new NothingKept(key)
      if (answer.status === 416) throw new RangeError('The range must start before the end of the file.')
      throw new StoreUnavailable(problem.sentence)
    },
    async stat(key) {
      requireKey(key)
      return stat(client, key)
    },
    async put(key, file, bytes) {
      requireKey(key)
      await write(client, key, file, bytes, AbortSignal.timeout(longestWriteMs))
      if ((await digestOf(store, key)) !== file.sha256)
        throw new StoreUnavailable(`The file store returned bytes that differ from the bytes written to ${key}.`)
    },
    async remove(key) {
      requireKey(key)
      return remove(client, key)
    },
    async *list() {
      for (const is_upload of [false, true])
        for await (const object of listObjects(client, is_upload ? uploads : '')) yield { ...object, is_upload }
    },
    check: () => checkBucket(client),
    examine: () => examineS3(store, settings.bucket),
    async close() {
      client.close()
    },
  }
  return store
}

/** Where an upload for a key arrives. */
function uploadOf(key: string): string {
  requireKey(key)
  return uploads + key
}

const uploads = 'incoming/'

/** Reads the upload and writes it to the key in one go; the write ends whole only if the bytes are the declared ones. */
async function copyUpload(
  client: S3Client,
  key: string,
  { content_type, size_bytes, sha256 }: { content_type: string; size_bytes: number; sha256: string },
  signal: AbortSignal,
): Promise<'settled' | 'absent' | 'different'> {
  const uploaded = await client.send('GET', uploadOf(key), {})
  if (uploaded.status !== 200) {
    const { code, sentence } = await uploaded.problem()
    if (uploaded.status === 404 && code === 'NoSuchKey') return 'absent'
    throw new StoreUnavailable(sentence)
  }
  try {
    await write(client, key, { content_type, size_bytes, sha256 }, uploaded.body, signal)
    return 'settled'
  } catch (error) {
    if (error instanceof UnexpectedBytes) return 'different'
    if (error instanceof StoreUnavailable) throw error
    throw new StoreUnavailable(
      `The uploaded file ${key} cannot be copied to its final key in the file store: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    )
  } finally {
    uploaded.body.destroy()
  }
}

/** Ends whole only if the bytes are the declared ones. */
async function write(
  client: S3Client,
  key: string,
  { content_type, size_bytes, sha256 }: { content_type: string; size_bytes: number; sha256: string },
  source: Readable,
  signal: AbortSignal,
): Promise<void> {
  const headers = {
    'content-type': content_type,
    'content-length': String(size_bytes),
    'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
  }
  const bytes = checkedStream(source, { size_bytes, sha256 })
  const answer = await client.put(key, headers, { bytes, sha256, signal })
  const { sentence } = await answer.problem()
  if (answer.status !== 200) throw new StoreUnavailable(sentence)
}

async function stat(client: S3Client, key: string) {
  const answer = await client.send('HEAD', key, {})
  const problem = await answer.problem()
  if (answer.status === 404) {
    // An answer to HEAD has no code, and a bucket that is gone must not look like many lost files.
    await checkBucket(client)
    return undefined
  }
  const size_bytes = Number(answer.headers['content-length'])
  if (answer.status !== 200 || !Number.isSafeInteger(size_bytes)) throw new StoreUnavailable(problem.sentence)
  return { size_bytes, version: answer.headers.etag ?? '' }
}

/**
 * Needs the right to list: without it S3 says 403 for a file that is not there, and `stat` could not tell. Not a HEAD: its
 * answer has no body, and so no code that says what is wrong.
 */
async function checkBucket(client: S3Client): Promise<void> {
  const answer = await client.send('GET', '', {}, { 'list-type': '2', 'max-keys': '1' })
  const problem = await answer.problem()
  if (answer.status !== 200) throw new StoreUnavailable(problem.sentence)
}

async function remove(client: S3Client, key: string): Promise<void> {
  const answer = await client.send('DELETE', key, {})
  const problem = await answer.problem()
  if (answer.status !== 204 && answer.status !== 200 && problem.code !== 'NoSuchKey')
    throw new StoreUnavailable(problem.sentence)
}

const longestWriteMs = hour
