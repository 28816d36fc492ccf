// A bucket is listed to its end, or the listing is refused with a sentence: it never just ends too early, nor never.
import { paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type S3Server, startS3Server } from '../../../test/s3-server.ts'
import { newId } from '../values/ids.ts'
import { type ListedFile, type Store, StoreUnavailable } from './file-store.ts'
import { createS3Store } from './s3-store.ts'
import { timed } from './timed-store.ts'

const account = { access_key_id: 'AKIATEST', secret_access_key: 'se/cr+et', region: 'eu-central-1', bucket: 'files' }
const writtenAt = Date.parse('2030-01-02T03:04:05Z')
let server: S3Server
let store: Store

beforeAll(async () => {
  server = await startS3Server(account)
  store = timed(createS3Store({ ...account, endpoint: server.endpoint, path_style: true }))
})
afterAll(async () => {
  await store.close()
  await server.close()
})
beforeEach(() => server.reset())

const newKey = () => `${newId('ptl')}/${newId('fil')}`
function put(name: string): string {
  server.objects.set(name, { bytes: Buffer.from('x'), content_type: 'x/y', sha256: undefined, modified_at: writtenAt })
  return name
}
async function listed(): Promise<ListedFile[]> {
  const all: ListedFile[] = []
  for await (const file of store.list()) all.push(file)
  return all
}
const refusal = async () => {
  const error = await listed().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StoreUnavailable)
  return error instanceof Error ? error.message : ''
}

describe('the listing of an S3 store', () => {
  test('has every file once with its time, over any number of pages, and uploads in their own place', async () => {
    const keys = Array.from({ length: 7 }, () => put(newKey())).sort()
    const uploads = Array.from({ length: 3 }, newKey).sort()
    for (const key of uploads) put(`incoming/${key}`)
    const expected = [
      ...keys.map((key) => ({ key, is_upload: false, modified_at: writtenAt })),
      ...uploads.map((key) => ({ key, is_upload: true, modified_at: writtenAt })),
    ]
    for (const pageSize of [1, 2, 7, 1000]) {
      server.faults.pageSize = pageSize
      expect(await listed()).toEqual(expected)
    }
  })

  test('is empty for an empty bucket, and passes over what is not ours', async () => {
    expect(await listed()).toEqual([])
    const key = newKey()
    for (const name of [
      'readme.txt',
      'ptl_x/fil_y',
      `${key}.tmp`,
      `${key}/more`,
      `copy/${key}`,
      'ptl_<&">',
      'incoming/x',
    ])
      put(name)
    put(`incoming/incoming/${key}`)
    server.faults.pageSize = 2
    expect(await listed()).toEqual([])
    put(key)
    expect((await listed()).map((file) => file.key)).toEqual([key])
  })

  test('is what the SDK of Amazon reads in the same answers', async () => {
    const keys = Array.from({ length: 5 }, () => put(newKey())).sort()
    server.faults.pageSize = 2
    const client = new S3Client({
      endpoint: server.endpoint,
      region: account.region,
      forcePathStyle: true,
      credentials: { accessKeyId: account.access_key_id, secretAccessKey: account.secret_access_key },
    })
    const seen: unknown[] = []
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: account.bucket, Prefix: 'ptl_' }))
      for (const { Key, LastModified } of Contents) seen.push([Key, LastModified?.getTime()])
    client.destroy()
    expect(seen).toEqual(keys.map((key) => [key, writtenAt]))
  })
})

describe('a store that lies ends with a sentence', () => {
  const token = (text: string) => (page: string) =>
    page
      .replace(/<IsTruncated>false/, '<IsTruncated>true')
      .replace(/<NextContinuationToken>.*<\/NextContinuationToken>/, '')
      .replace('</ListBucketResult>', `${text}</ListBucketResult>`)
  const next = (value: string) => `<NextContinuationToken>${value}</NextContinuationToken>`

  test('when its continuation token repeats, with files and without', async () => {
    // The mark of the test server's own tokens, so that it accepts them.
    const same = next('1&amp;+&quot;&lt;&#xe9;/=')
    server.faults.listed = token(same)
    expect(await refusal()).toBe('The file store cannot be listed: it repeats its continuation token.')
    expect(server.objects.size).toBe(0)
    put(newKey())
    const before = server.requestCount()
    expect(await refusal()).toMatch(/cannot be listed: it listed ptl_.* after ptl_.*, so it repeats files/)
    expect(server.requestCount() - before).toBe(2)
  })

  test('when it goes on and on without a file', async () => {
    let count = 0
    server.faults.listed = (page) => token(next(`1&amp;+&quot;&lt;é/=${count++ % 3}`))(page)
    expect(await refusal()).toBe('The file store cannot be listed: it has not come to an end after 100 pages.')
  })

  test.each([
    ['has more, but says not where', token(''), 'it has more files, but returned no valid continuation token'],
    ['has a token without an end', token(next('x'.repeat(5000))), 'it has more files, but returned no valid'],
    ['is cut off', (page: string) => page.slice(0, -10), 'its response is not a listing of the bucket'],
    ['sends something else', () => '<html></html>', 'its response is not a listing of the bucket'],
    ['sends nothing', () => ' ', 'its response is not a listing of the bucket'],
    ['has no times', (page: string) => page.replace(/2030-01-02T/, 'soon'), 'without a valid time'],
    ['sends too much', (page: string) => page + ' '.repeat(17_000_000), 'has more than 16777216 bytes'],
    [
      'opens tags and closes none',
      (page: string) => page.replace('</ListBucketResult>', '<Contents><Key>'.repeat(500_000)),
      'its response is not a listing of the bucket',
    ],
  ])('when a page %s', async (_, listing, words) => {
    put(newKey())
    server.faults.listed = listing
    expect(await refusal()).toContain(words)
  })

  test.each([
    ...['', '2030', '2030-01-02', '2030-01-02T03:04:05', '2030-01-02T03:04:05+02:00', '2030-13-02T03:04:05Z', '0'],
    ...['2 Jan 2030', 'Wed, 02 Jan 2030 03:04:05 GMT', '1970-01-01T00:00:00Z', '1999-12-31T23:59:59.999Z'],
  ])('when the time of a file is %j', async (time) => {
    put(newKey())
    server.faults.listed = (page) => page.replace(/(?<=<LastModified>)[^<]*/, time)
    expect(await refusal()).toContain('without a valid time')
  })

  test('when it may not be listed, or does not answer', async () => {
    const other = createS3Store({ ...account, secret_access_key: 'x', endpoint: server.endpoint, path_style: true })
    const first = other.list()[Symbol.asyncIterator]().next()
    await expect(first).rejects.toThrow(/403 .*Check the secret key/)
    await other.close()
    server.failNext(2)
    expect(await refusal()).toContain('503')
  })
})
