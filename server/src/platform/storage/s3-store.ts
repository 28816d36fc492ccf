// Files in a bucket that speaks S3. Clients send and fetch the bytes there, with addresses we presign: the length, the
// type and the SHA-256 are part of the signature, so the store itself refuses other bytes.
import { attachmentOf } from './content-disposition.ts'
import { type FileStore, NothingKept, requireKey, requireRange, StoreUnavailable } from './file-store.ts'
import { createS3Client, type S3Settings } from './s3-client.ts'

export function createS3Store(settings: S3Settings): FileStore {
  const client = createS3Client(settings)
  return {
    direct: {
      upload(key, { content_type, size_bytes, sha256 }, expiresInSeconds) {
        requireKey(key)
        const headers = {
          'content-type': content_type,
          'content-length': String(size_bytes),
          'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        }
        return { method: 'PUT', url: client.presign('PUT', key, { headers }, expiresInSeconds), headers }
      },
      download(key, { filename, content_type }, expiresInSeconds) {
        requireKey(key)
        const query = {
          'response-content-disposition': attachmentOf(filename),
          'response-content-type': content_type,
        }
        return { method: 'GET', url: client.presign('GET', key, { query }, expiresInSeconds), headers: {} }
      },
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
      if (answer.status === 416) throw new RangeError('The range starts behind the end of the file.')
      throw new StoreUnavailable(problem.sentence)
    },
    async stat(key) {
      requireKey(key)
      const answer = await client.send('HEAD', key, { 'x-amz-checksum-mode': 'ENABLED' })
      const problem = await answer.problem()
      if (answer.status === 404) return undefined
      const size_bytes = Number(answer.headers['content-length'])
      if (answer.status !== 200 || !Number.isSafeInteger(size_bytes)) throw new StoreUnavailable(problem.sentence)
      return { size_bytes, sha256: hexOf(answer.headers['x-amz-checksum-sha256']) }
    },
    async remove(key) {
      requireKey(key)
      const answer = await client.send('DELETE', key, {})
      const problem = await answer.problem()
      if (answer.status !== 204 && answer.status !== 200 && problem.code !== 'NoSuchKey')
        throw new StoreUnavailable(problem.sentence)
    },
    async check() {
      // Needs the right to list: without it S3 says 403 for a file that is not there, and stat could not tell.
      const answer = await client.send('HEAD', '', {})
      const problem = await answer.problem()
      if (answer.status !== 200) throw new StoreUnavailable(problem.sentence)
    },
    async close() {
      client.close()
    },
  }
}

/** Of the whole file; a checksum of checksums, as parts of an upload have it (`…-3`), says nothing about the bytes. */
function hexOf(checksum: string | string[] | undefined): string | undefined {
  if (typeof checksum !== 'string' || !/^[A-Za-z0-9+/]{43}=$/.test(checksum)) return undefined
  return Buffer.from(checksum, 'base64').toString('hex')
}
