// Files in an S3-compatible store: clients exchange bytes with it directly, by presigned requests.
// The store here is a server of ours that checks every signature by its own reading of the standard.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { enqueue } from '../src/platform/background/jobs.ts'
import { startWorker } from '../src/platform/background/worker.ts'
import { day, hour, minute } from '../src/platform/clock.ts'
import { createScanner } from '../src/platform/storage/clamav.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { startS3Server } from './s3-server.ts'

const credentials = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
let store: Awaited<ReturnType<typeof startS3Server>>
let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  store = await startS3Server({ ...credentials, region: 'eu-central-1', bucket: 'portico-files' })
  const endpoint = encodeURIComponent(store.endpoint)
  server = await startTestServer({
    PORTICO_FILES_URL: `s3://portico-files?endpoint=${endpoint}&region=eu-central-1&path_style=true`,
    PORTICO_S3_ACCESS_KEY_ID: credentials.access_key_id,
    PORTICO_S3_SECRET_ACCESS_KEY: credentials.secret_access_key,
  })
  portal = await newPortal(server)
})
afterAll(async () => {
  await server.stop()
  await store.close()
})

afterEach(() => {
  for (const name of Object.keys(store.faults)) Reflect.deleteProperty(store.faults, name)
})

const csv = Buffer.from('date,amount\n2026-03-01,12.50\n')
async function declared(bytes = csv, more: Record<string, unknown> = {}) {
  const application = await newIntake(portal)
  const answer = await portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv'), ...more },
    headers: { 'if-match': application.etag },
  })
  return { application, file: answer.body, read: async () => (await portal.call('GET', answer.body.url)).body }
}
const keysOf = (file: { id: string }) => [...store.objects.keys()].filter((key) => key.includes(file.id)).sort()
/** The next look for uploads. */
async function look() {
  server.clock.advance(2 * minute)
  await runDueJobs(server.context, portal.id)
}

describe('files in an object store', () => {
  test('the upload goes to the store, and the file is available when we have seen it there', async () => {
    const { application, file, read } = await declared()
    expect(file.upload.url.startsWith(`${store.endpoint}/portico-files/incoming/${portal.id}/${file.id}?`)).toBe(true)
    expect(JSON.stringify(file.upload)).not.toContain(credentials.secret_access_key)
    await runDueJobs(server.context, portal.id)
    expect((await read()).state).toBe('awaiting_upload')
    expect((await upload(file.upload, csv)).status).toBe(200)
    await look()
    expect((await read()).state).toBe('available')
    const question = await portal.call('GET', `${application.answers_url}bank_statements/`)
    expect(question.body.value).toEqual([file.id])
    const events = (await portal.call('GET', `events/?resource_id=${file.id}`)).body.items
    expect(events).toMatchObject([{ type: 'file.available' }])
  })

  test('the audit log has what became of a file by the job that looked for it, with the request that declared it', async () => {
    const fine = await declared()
    const png = await declared(csv, { content_type: 'application/pdf' })
    for (const { file } of [fine, png]) await upload(file.upload, csv)
    await look()
    const toldOf = async ({ file }: typeof fine) => {
      const entries = async (query: string) => (await portal.call('GET', `audit-log/?${query}`)).body.items
      const [outcome, ...more] = await entries(`resource_id=${file.id}`)
      expect([more, await entries(`request_id=${outcome.request_id}&actor_id=${portal.key_id}`)]).toMatchObject([
        [],
        [{ action: 'client_intake_applications.files.create' }],
      ])
      return [outcome.action, outcome.actor]
    }
    const actor = { kind: 'job', id: 'files.check_upload' }
    expect(await toldOf(fine)).toEqual(['file.available', actor])
    expect(await toldOf(png)).toEqual(['file.rejected', actor])
  })

  test('the download comes from the store, as an attachment with its name, whole or in part', async () => {
    const { file } = await declared(csv, { filename: 'Auszug März.csv' })
    await upload(file.upload, csv)
    await look()
    const { url, headers, method } = (await portal.call('POST', `${file.url}download/`)).body
    expect([method, url.startsWith(store.endpoint)]).toEqual(['GET', true])
    const answer = await fetch(url, { headers })
    expect(Buffer.from(await answer.arrayBuffer()).equals(csv)).toBe(true)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment;.*M%C3%A4rz/)
    const part = await fetch(url, { headers: { ...headers, range: 'bytes=0-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'date'])
  })

  test('the store itself refuses other bytes, another length and another type than were declared', async () => {
    const { file, read } = await declared()
    const other = Buffer.from(csv)
    other[0] = 0x44
    expect((await upload(file.upload, other)).ok).toBe(false)
    const { 'content-length': _, ...headers } = file.upload.headers
    expect((await upload({ ...file.upload, headers }, csv.subarray(1))).ok).toBe(false)
    const retyped = { ...file.upload, headers: { ...file.upload.headers, 'content-type': 'text/html' } }
    expect((await upload(retyped, csv)).ok).toBe(false)
    await look()
    expect((await read()).state).toBe('awaiting_upload')
  })

  test('bytes that are not of the declared type are rejected and removed from the store', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(100)])
    const { file, read } = await declared(png, { content_type: 'application/pdf' })
    expect((await upload(file.upload, png)).status).toBe(200)
    await look()
    expect(await read()).toMatchObject({ state: 'rejected', rejection: { code: 'content_mismatch' } })
    expect([...store.objects.keys()].some((key) => key.includes(file.id))).toBe(false)
  })

  test('a deleted file is removed from the store; one whose upload never comes expires', async () => {
    const { application, file } = await declared()
    await upload(file.upload, csv)
    await look()
    const { etag } = (await portal.call('GET', application.url)).body
    await portal.call('DELETE', file.url, { headers: { 'if-match': etag } })
    await runDueJobs(server.context, portal.id)
    expect([...store.objects.keys()].some((key) => key.includes(file.id))).toBe(false)
  })

  test('what is sent after the file is available, or after it is deleted, is removed when no request is valid any more', async () => {
    const { application, file } = await declared()
    await upload(file.upload, csv)
    await look()
    expect(keysOf(file)).toEqual([`${portal.id}/${file.id}`])
    await upload(file.upload, csv)
    expect(keysOf(file)).toHaveLength(2)
    server.clock.advance(2 * hour + minute)
    await runDueJobs(server.context, portal.id)
    expect(keysOf(file)).toEqual([`${portal.id}/${file.id}`])
    const { etag } = (await portal.call('GET', application.url)).body
    await portal.call('DELETE', file.url, { headers: { 'if-match': etag } })
    await runDueJobs(server.context, portal.id)
    expect(keysOf(file)).toEqual([])
  })

  test('an upload into an application that was closed meanwhile expires, and its bytes are removed', async () => {
    const { application, file, read } = await declared()
    await upload(file.upload, csv)
    const { etag } = (await portal.call('GET', application.url)).body
    await portal.call('POST', `${application.url}withdraw/`, { headers: { 'if-match': etag } })
    for (let days = 0; days < 2; days++) {
      server.clock.advance(day + minute)
      await runRepeating(server.context, 'files.expire_uploads')
      await runDueJobs(server.context, portal.id)
    }
    expect((await read()).state).toBe('expired')
    server.clock.advance(2 * hour + minute)
    await runDueJobs(server.context, portal.id)
    expect(keysOf(file)).toEqual([])
  })

  test('401 here: bytes of such files do not pass through this server', async () => {
    const { file } = await declared()
    const answer = await fetch(`${server.origin}/transfers/${file.id}`, { method: 'PUT', body: new Uint8Array(csv) })
    expect(answer.status).toBe(401)
  })
})

describe('an object store that is away', () => {
  const away = { status: 503, code: 'ServiceUnavailable' }

  test('an upload is seen within two minutes after the store is back, however long it was away', async () => {
    const { file, read } = await declared()
    await upload(file.upload, csv)
    store.faults.refuses = away
    for (let looks = 0; looks < 12; looks++) await look()
    expect((await read()).state).toBe('awaiting_upload')
    delete store.faults.refuses
    await look()
    expect((await read()).state).toBe('available')
  })

  test('is not called the virus scanner in the log, when a file that is to be scanned cannot be read', async () => {
    const { file, read } = await declared()
    await upload(file.upload, csv)
    server.context.scanner = createScanner({ host: '127.0.0.1', port: 9 })
    try {
      await look()
      store.faults.refuses = away
      server.logLines.length = 0
      await look()
    } finally {
      server.context.scanner = undefined
    }
    const warnings = server.logLines.map((line) => JSON.parse(line)).filter(({ file_id }) => file_id === file.id)
    expect(warnings.map(({ msg }) => msg)).toEqual([
      'the file store is not available; the file cannot be downloaded until it is scanned',
    ])
    delete store.faults.refuses
    await look()
    expect((await read()).state).toBe('available')
  })

  test('other jobs of the Portal run while the store hangs', async () => {
    for (let i = 0; i < 10; i++) await upload((await declared()).file.upload, csv)
    let release: () => void = () => undefined
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    store.faults.before = () => hanging
    const finished: string[] = []
    const ofFiles = jobs.filter(({ kind, every_ms }) => kind.startsWith('files.') && every_ms === undefined)
    const other = { kind: 'test.other', run: async () => undefined }
    server.clock.advance(2 * minute)
    const worker = startWorker(server.context, [...ofFiles, other], { jobFinished: (kind) => void finished.push(kind) })
    await expect.poll(() => store.requestsUnderWay()).toBe(2)
    await server.context.database.transaction((tx) =>
      enqueue(tx, server.context, { portal_id: portal.id, kind: other.kind }),
    )
    await expect.poll(() => finished).toEqual([other.kind])
    release()
    // Earlier tests have left looks of their own.
    await expect.poll(() => finished.filter((kind) => kind === 'files.check_upload').length).toBeGreaterThanOrEqual(10)
    await worker.stop()
  })
})

describe('an object store that accepts whatever is sent to it', () => {
  const other = Buffer.from(csv.toString().replace('12.50', '99.99'))
  const downloaded = async (file: { url: string }) => {
    const { url, headers } = (await portal.call('POST', `${file.url}download/`)).body
    return String(Buffer.from(await (await fetch(url, { headers })).arrayBuffer()))
  }
  beforeEach(() => {
    store.faults.ignoresDigests = true
  })

  test('other bytes of the same length are rejected and removed, whatever the store says of them', async () => {
    const { file, read } = await declared()
    store.faults.shown = (method, _, object) => (method === 'HEAD' && object ? { ...object, bytes: csv } : object)
    expect((await upload(file.upload, other)).status).toBe(200)
    await look()
    expect(await read()).toMatchObject({ state: 'rejected', rejection: { code: 'checksum_mismatch' } })
    expect(keysOf(file)).toEqual([])
  })

  test('an available file stays what it is when its upload is sent again with other bytes', async () => {
    const { file, read } = await declared()
    await upload(file.upload, csv)
    await look()
    expect((await upload(file.upload, other)).status).toBe(200)
    expect(await downloaded(file)).toBe(String(csv))
    await look()
    expect([(await read()).state, await downloaded(file)]).toEqual(['available', String(csv)])
  })

  test('a file that is being scanned stays what it is when its upload is sent again with other bytes', async () => {
    const { file, read } = await declared()
    await upload(file.upload, csv)
    server.context.scanner = createScanner({ host: '127.0.0.1', port: 9 })
    try {
      await look()
      expect((await read()).state).toBe('scanning')
      expect((await upload(file.upload, other)).status).toBe(200)
    } finally {
      server.context.scanner = undefined
    }
    await look()
    expect([(await read()).state, await downloaded(file)]).toEqual(['available', String(csv)])
  })

  test.each([
    ['GET', 'incoming/'],
    ['PUT', ''],
    ['GET', ''],
  ])('bytes that are replaced just before our %s of %sthe key are never served', async (method, folder) => {
    const { file, read } = await declared()
    await upload(file.upload, csv)
    const key = `${portal.id}/${file.id}`
    let isReplaced = false
    store.faults.before = async (seen, at) => {
      if (isReplaced || seen !== method || at !== `${folder}${key}`) return
      isReplaced = true
      expect((await upload(file.upload, other)).status).toBe(200)
    }
    await look()
    expect(isReplaced).toBe(true)
    const { state } = await read()
    expect(state).toBe(folder === '' ? 'available' : 'rejected')
    if (state === 'available') expect(await downloaded(file)).toBe(String(csv))
  })

  test('content is judged by the bytes that are kept, not by what is uploaded meanwhile', async () => {
    const page = Buffer.from('<html><script>alert(1)</script>')
    const harmless = Buffer.from('a,b\n'.padEnd(page.length, '1'))
    const { file, read } = await declared(page)
    await upload(file.upload, page)
    store.faults.before = (method, at) => {
      if (method !== 'PUT' || at.startsWith('incoming/')) return
      store.objects.set(`incoming/${at}`, { bytes: harmless, content_type: 'text/csv', sha256: undefined })
    }
    await look()
    expect(await read()).toMatchObject({ state: 'rejected', rejection: { code: 'content_mismatch' } })
    expect(keysOf(file)).toEqual([])
  })

  test('a store that fails after it has written is asked again, and the file becomes available once', async () => {
    const { file, read } = await declared()
    await upload(file.upload, csv)
    let failures = 2
    store.faults.deniesPut = (key) => !key.startsWith('incoming/') && failures-- > 0
    for (let looks = 0; looks < 4; looks++) await look()
    expect((await read()).state).toBe('available')
    const events = (await portal.call('GET', `events/?resource_id=${file.id}`)).body.items
    expect(events).toMatchObject([{ type: 'file.available' }])
  })

  test('two workers that see the same upload at once finish it once', async () => {
    const { file, read } = await declared()
    await portal.call('POST', `${file.url}upload/`)
    await upload(file.upload, csv)
    server.clock.advance(2 * minute)
    await Promise.all([1, 2, 3].map(() => runDueJobs(server.context, portal.id)))
    expect([(await read()).state, await downloaded(file)]).toEqual(['available', String(csv)])
    const events = (await portal.call('GET', `events/?resource_id=${file.id}`)).body.items
    expect(events).toMatchObject([{ type: 'file.available' }])
  })
})
