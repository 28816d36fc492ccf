// Judges: the worked examples of Amazon's documentation, and Amazon's own SDK, given the same request, key and time.
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attachmentOf } from './content-disposition.ts'
import { presign, signHeaders } from './sigv4.ts'

const credentials = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const at = Date.parse('2013-05-24T00:00:00Z')
const signing = { credentials, region: 'us-east-1', at }
const origin = 'https://examplebucket.s3.amazonaws.com'

describe('signature version 4', () => {
  test('gives the presigned address of the documentation', () => {
    const request = { method: 'GET', origin, path: '/test.txt', query: {}, headers: {} }
    expect(presign(request, { ...signing, expiresInSeconds: 86_400 })).toBe(
      `${origin}/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256` +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })

  test.each([
    [
      'a range of an object',
      { path: '/test.txt', query: {}, headers: { Range: 'bytes=0-9' } },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'a parameter without a value',
      { path: '/', query: { lifecycle: '' }, headers: {} },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'two parameters',
      { path: '/', query: { prefix: 'J', 'max-keys': '2' }, headers: {} },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('gives the Authorization of the documentation for %s', (_, request, signature) => {
    const { headers } = signHeaders({ method: 'GET', origin, ...request }, signing)
    expect(headers.authorization).toMatch(new RegExp(`Signature=${signature}$`))
  })

  test('presigns an upload exactly as the SDK does, whatever the key, the type and the time', async () => {
    const given = fc.record({
      path: fc.stringMatching(/^[a-z0-9_ ()*!'é+&=-]{1,20}$/),
      time: times,
      isLong: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        given,
        fc.base64String({ minLength: 44, maxLength: 44 }),
        async ({ path, time, isLong }, sum) => {
          const session_token = isLong ? 'a/session+token==' : undefined
          const size = isLong ? 123_456_789 : 1
          const command = new PutObjectCommand({
            Bucket: 'a-bucket',
            Key: `p/${path}`,
            ContentType: 'application/pdf',
            ContentLength: size,
            ChecksumSHA256: sum,
          })
          const theirs = await getSignedUrl(sdk(session_token), command, {
            expiresIn: 900,
            signingDate: new Date(time),
            signableHeaders: new Set(['host', 'content-type', 'content-length', 'x-amz-checksum-sha256']),
            unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
          })
          const ours = presign(
            {
              method: 'PUT',
              origin: 'https://a-bucket.s3.eu-central-1.amazonaws.com',
              path: `/p/${path}`,
              query: extrasOf(theirs),
              headers: {
                'content-type': 'application/pdf',
                'content-length': String(size),
                'x-amz-checksum-sha256': sum,
              },
            },
            { credentials: { ...credentials, session_token }, region: 'eu-central-1', at: time, expiresInSeconds: 900 },
          )
          expect(parametersOf(theirs)).toMatchObject({
            'X-Amz-SignedHeaders': 'content-length;content-type;host;x-amz-checksum-sha256',
          })
          expect(parametersOf(ours)).toEqual(parametersOf(theirs))
          expect(new URL(ours).pathname).toBe(new URL(theirs).pathname)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('presigns a download exactly as the SDK does, whatever the name of the file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), times, async (filename, time) => {
        const query = {
          'response-content-disposition': attachmentOf(filename, 'text/csv'),
          'response-content-type': 'text/csv',
        }
        const command = new GetObjectCommand({
          Bucket: 'a-bucket',
          Key: 'p/f',
          ResponseContentDisposition: query['response-content-disposition'],
          ResponseContentType: query['response-content-type'],
        })
        const theirs = await getSignedUrl(sdk(undefined), command, { expiresIn: 60, signingDate: new Date(time) })
        const ours = presign(
          {
            method: 'GET',
            origin: 'https://a-bucket.s3.eu-central-1.amazonaws.com',
            path: '/p/f',
            query: { ...query, ...extrasOf(theirs) },
            headers: {},
          },
          { credentials, region: 'eu-central-1', at: time, expiresInSeconds: 60 },
        )
        expect(parametersOf(ours)).toEqual(parametersOf(theirs))
      }),
      { numRuns: 50 },
    )
  })
})

const times = fc.integer({ min: Date.parse('2001-01-01'), max: Date.parse('2090-01-01') })

function sdk(sessionToken: string | undefined): S3Client {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = credentials
  return new S3Client({
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

/** What the SDK puts into the query of its own accord: a name for the operation and the word for an unsigned body. */
function extrasOf(url: string): Record<string, string> {
  const { 'x-id': id = '', 'X-Amz-Content-Sha256': sha = '' } = parametersOf(url)
  return { 'x-id': id, 'X-Amz-Content-Sha256': sha }
}

function parametersOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams)
}
