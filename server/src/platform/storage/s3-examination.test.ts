import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type S3Server, startS3Server } from '../../../test/s3-server.ts'
import type { Store } from './file-store.ts'
import { createS3Store } from './s3-store.ts'

const account = { access_key_id: 'AKIATEST', secret_access_key: 'se/cr+et', region: 'eu-central-1', bucket: 'files' }
let server: S3Server
let store: Store

beforeAll(async () => {
  server = await startS3Server(account)
  store = createS3Store({ ...account, endpoint: server.endpoint, path_style: true })
})
afterAll(async () => {
  await store.close()
  await server.close()
})
beforeEach(() => server.reset())

const wrong = async () => (await store.examine()).filter(({ outcome }) => outcome !== 'ok')

describe('the examination of an S3 store', () => {
  test.each([true, false])('goes from upload to removal; digests ignored: %s', async (ignoresDigests) => {
    server.faults.ignoresDigests = ignoresDigests
    const findings = await store.examine()
    expect(findings.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(findings[0]?.message).toMatch(
      ignoresDigests ? /does not check the SHA-256/ : /rejects uploads whose SHA-256/,
    )
    expect(server.objects.size).toBe(0)
  })

  test('says in a sentence what goes wrong, beside what it has found before, and leaves nothing there', async () => {
    server.faults.deniesPut = (key) => !key.startsWith('incoming/')
    const uploads = 'The store rejects uploads whose SHA-256 differs from the declared SHA-256.'
    expect(await store.examine()).toEqual([
      { outcome: 'ok', message: uploads },
      { outcome: 'problem', message: expect.stringMatching(/^The file store returned 500/) },
    ])
    delete server.faults.deniesPut
    server.faults.shown = (method, key, object) =>
      method === 'GET' && !key.startsWith('incoming/') && object ? { ...object, bytes: Buffer.from('x') } : object
    expect(await wrong()).toEqual([
      { outcome: 'problem', message: expect.stringContaining('returned bytes that differ') },
    ])
    expect(server.objects.size).toBe(0)
  })

  test('says why when a connection breaks off', async () => {
    server.faults.hangsUp = (_, isAnonymous) => isAnonymous
    const message = expect.stringMatching(/^A request to the file store failed: .*(closed|socket|ECONNRESET)/)
    expect(await wrong()).toEqual([{ outcome: 'problem', message }])
    expect(server.objects.size).toBe(0)
  })

  test('blames no credentials for an upload that the store fails to take', async () => {
    server.faults.deniesPut = () => true
    const message = 'A presigned upload failed: the store returned 500 InternalError. Try again later.'
    expect(await wrong()).toEqual([{ outcome: 'problem', message }])
  })

  test('a store that obeys headers nobody has signed is a problem, and nothing stays there', async () => {
    server.faults.unsignedHeaders = 'obeyed'
    const begin =
      'The store accepts headers that are not signed: whoever holds an upload request can read other objects'
    expect(await wrong()).toEqual([{ outcome: 'problem', message: expect.stringContaining(begin) }])
    expect(server.objects.size).toBe(0)
  })

  test('a store that accepts such headers and ignores them is a warning', async () => {
    server.faults.unsignedHeaders = 'ignored'
    expect(await wrong()).toEqual([
      { outcome: 'warning', message: expect.stringContaining('Here they had no effect.') },
    ])
  })

  test('a store that has no function for such headers is right', async () => {
    server.faults.unsignedHeaders = 'not implemented'
    expect(await wrong()).toEqual([])
  })

  test('a bucket that anybody can read is a problem', async () => {
    server.faults.isPublic = true
    const message = 'Anybody can read the bucket without credentials. Remove public access.'
    expect(await wrong()).toEqual([{ outcome: 'problem', message }])
  })

  test('a store that checks no signatures is a problem', async () => {
    server.faults.ignoresSignatures = true
    const message = expect.stringContaining('The store does not check signatures')
    expect(await wrong()).toEqual([{ outcome: 'problem', message }])
  })

  test.each([
    ['3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY', 1],
    ['null', 0],
  ])('versions of the bucket are a warning, as long as it keeps any: %s', async (version, count) => {
    server.faults.putHeaders = { 'x-amz-version-id': version }
    const warning = { outcome: 'warning', message: expect.stringContaining('erased files stay in old versions') }
    expect(await wrong()).toEqual(Array(count).fill(warning))
  })
})
