// Bytes in and out, through the door: what a client is told to send, it sends.
import { hash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { deployment, scheduleRepeating } from '../src/platform/background/jobs.ts'
import { day, minute, second } from '../src/platform/clock.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

let application: { id: string; url: string; files_url: string }
beforeEach(async () => {
  application = await newIntake(portal)
})

const csv = Buffer.from(`date,amount\n${'2026-03-01,12.50\n'.repeat(200)}`)
const etag = async () => (await portal.call('GET', application.url)).body.etag
const declare = async (more: Record<string, unknown> = {}, bytes = csv) =>
  portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv'), ...more },
    headers: { 'if-match': await etag() },
  })
const declared = async (bytes = csv, more: Record<string, unknown> = {}) => (await declare(more, bytes)).body
const read = async (file: { url: string }) => (await portal.call('GET', file.url)).body
const available = async (bytes = csv, more: Record<string, unknown> = {}) => {
  const file = await declared(bytes, more)
  const answer = await upload(file.upload, bytes)
  expect(answer.status, await answer.clone().text()).toBe(200)
  return file
}
const downloadOf = async (file: { url: string }) => (await portal.call('POST', `${file.url}download/`)).body
const fetchFile = async (file: { url: string }, headers: Record<string, string> = {}, method = 'GET') => {
  const { url, headers: own } = await downloadOf(file)
  return fetch(url, { method, headers: { ...own, ...headers } })
}
const codeOf = async (answer: Response) => [answer.status, JSON.parse(await answer.text()).code]
const incoming = () => {
  try {
    return readdirSync(join(server.context.config.data_dir, 'files', 'incoming'))
  } catch {
    return []
  }
}

describe('declaring a file', () => {
  test('201 with everything the upload needs, and a moved ETag', async () => {
    const before = await etag()
    const { status, body } = await declare()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      question_key: 'bank_statements',
      item_id: null,
      state: 'awaiting_upload',
      rejection: null,
      ...declarationOf(csv, 'statement.csv', 'text/csv'),
    })
    expect(body.upload).toMatchObject({ method: 'PUT', url: `${server.origin}/transfers/${body.id}` })
    expect(body.upload.headers.authorization).toMatch(/^Bearer ptt_/)
    expect(Date.parse(body.upload.expires_at) - Date.now()).toBeGreaterThan(59 * minute)
    expect([body.etag, await etag()]).toEqual([await etag(), body.etag])
    expect(body.etag).not.toBe(before)
  })

  test.each([
    ['a question that is not there', { question_key: 'nothing' }, '/question_key', 'unknown_question'],
    ['a question of another type', { question_key: 'legal_name' }, '/question_key', 'invalid_answer'],
    ['a question of an item without the item', { question_key: 'passport' }, '/item_id', 'required'],
    [
      'an item that is not there',
      { question_key: 'passport', item_id: `itm_${'0'.repeat(26)}` },
      '/item_id',
      'unknown_reference',
    ],
    ['a name with a path', { filename: '../../etc/passwd' }, '/filename', 'invalid_format'],
    ['a name that turns around', { filename: 'statement\u202efdp.exe' }, '/filename', 'invalid_format'],
    ['a digest that is none', { sha256: 'abc' }, '/sha256', 'invalid_format'],
    ['no bytes at all', { size_bytes: 0 }, '/size_bytes', 'out_of_range'],
  ])('422 for %s', async (_, more, pointer, code) => {
    const { status, body } = await declare(more)
    expect([status, body.details[0]]).toMatchObject([422, { pointer, code }])
  })

  test('415 for a type the question does not take, 413 for more bytes than it takes', async () => {
    const type = await declare({ content_type: 'image/png' })
    expect([type.status, type.body.code]).toEqual([415, 'unsupported_file_type'])
    expect(type.body.details[0].meta.accepted).toEqual(['application/pdf', 'text/csv'])
    const size = await declare({ size_bytes: 50 * 1024 * 1024 + 1 })
    expect([size.status, size.body.code]).toEqual([413, 'file_too_large'])
    expect((await declare({ content_type: 'text/html' })).status).toBe(415)
  })

  test('409 when the question is full, and room again after a file is deleted', async () => {
    for (let i = 0; i < 9; i++) await declared()
    const last = await declared()
    const full = await declare()
    expect([full.status, full.body.code, full.body.details[0].meta]).toEqual([409, 'limit_reached', { maximum: 10 }])
    await portal.call('DELETE', last.url, { headers: { 'if-match': await etag() } })
    expect((await declare()).status).toBe(201)
  })

  test('a file of an item goes with the item', async () => {
    const item = await portal.call('POST', `${application.url}answers/owners/items/`, {
      body: { values: { first_name: 'Ann' } },
      headers: { 'if-match': await etag() },
    })
    const file = await available(csv, { question_key: 'passport', item_id: item.body.id })
    const list = await portal.call('GET', `${application.files_url}?item_id=${item.body.id}`)
    expect(list.body.items.map(({ id }: { id: string }) => id)).toEqual([file.id])
    await portal.call('DELETE', item.body.url, { headers: { 'if-match': await etag() } })
    expect((await portal.call('GET', file.url)).status).toBe(404)
  })
})

describe('an upload', () => {
  test('200 with the file, available at once without a scanner, and the answer of its question', async () => {
    const file = await declared()
    const answer = await upload(file.upload, csv)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('request-id')).toMatch(/^req_/)
    const body = JSON.parse(await answer.text())
    expect(body).toMatchObject({ id: file.id, state: 'available' })
    expect(answer.headers.get('etag')).toBe(await etag())
    expect(body.etag).toBe(await etag())
    const question = await portal.call('GET', `${application.url}answers/bank_statements/`)
    expect(question.body).toMatchObject({ value: [file.id], state: 'answered' })
    const events = (await portal.call('GET', `events/?resource_id=${file.id}`)).body.items
    expect(events).toMatchObject([{ type: 'file.available', data: { resource: { url: file.url } } }])
    expect(incoming()).toEqual([])
  })

  test('422 for other bytes of the same length; nothing is kept and the credential stays good', async () => {
    const file = await declared()
    const other = Buffer.from(csv)
    other[0] = 0x44
    expect(await codeOf(await upload(file.upload, other))).toEqual([422, 'checksum_mismatch'])
    expect((await read(file)).state).toBe('awaiting_upload')
    expect(incoming()).toEqual([])
    expect((await upload(file.upload, csv)).status).toBe(200)
  })

  test('422 for another length, before a byte is read', async () => {
    const file = await declared()
    const answer = await upload(file.upload, csv.subarray(1))
    const body = JSON.parse(await answer.text())
    expect([answer.status, body.code, body.details[0].meta]).toEqual([
      422,
      'checksum_mismatch',
      { declared: csv.length, received: csv.length - 1 },
    ])
  })

  test('422 when the bytes are not of the declared type: rejected for good, with an event', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(100)])
    const file = await declared(png, { content_type: 'application/pdf', filename: 'statement.pdf' })
    expect(await codeOf(await upload(file.upload, png))).toEqual([422, 'file_rejected'])
    expect(await read(file)).toMatchObject({ state: 'rejected', rejection: { code: 'content_mismatch' } })
    const events = (await portal.call('GET', `events/?resource_id=${file.id}`)).body.items
    expect(events).toMatchObject([{ type: 'file.rejected' }])
    expect(await codeOf(await upload(file.upload, png))).toEqual([409, 'upload_already_completed'])
  })

  test('409 the second time, and of ten at once one succeeds', async () => {
    const file = await declared()
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(file.upload, csv)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    expect(await codeOf(await upload(file.upload, csv))).toEqual([409, 'upload_already_completed'])
    const bytes = Buffer.from(await (await fetchFile(file)).arrayBuffer())
    expect(bytes.equals(csv)).toBe(true)
  })

  test('411 without a length, 415 for a compressed body', async () => {
    const { upload: transfer } = await declared()
    const chunked = await new Promise<number | undefined>((resolve, reject) => {
      const put = request(transfer.url, {
        method: 'PUT',
        headers: { ...transfer.headers, 'transfer-encoding': 'chunked' },
      })
      put.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject)
      put.end(csv)
    })
    expect(chunked).toBe(411)
    const packed = { ...transfer, headers: { ...transfer.headers, 'content-encoding': 'gzip' } }
    expect((await upload(packed, csv)).status).toBe(415)
  })

  test('an upload that breaks off leaves nothing behind and can be sent again', async () => {
    const big = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(2 * 1024 * 1024, 'x')])
    const file = await declared(big)
    await new Promise<void>((resolve) => {
      const { url, headers } = file.upload
      const put = request(url, { method: 'PUT', headers: { ...headers, 'content-length': String(big.length) } })
      put.on('error', () => resolve()).on('close', () => resolve())
      put.write(big.subarray(0, 1024 * 1024), () => put.destroy())
    })
    await expect.poll(incoming).toEqual([])
    expect((await read(file)).state).toBe('awaiting_upload')
    expect((await upload(file.upload, big)).status).toBe(200)
  })

  test('409 once the application is withdrawn, 404 once the file is deleted', async () => {
    const file = await declared()
    const other = await declared()
    await portal.call('DELETE', other.url, { headers: { 'if-match': await etag() } })
    expect(await codeOf(await upload(other.upload, csv))).toEqual([404, 'not_found'])
    await portal.call('POST', `${application.url}withdraw/`, { headers: { 'if-match': await etag() } })
    expect(await codeOf(await upload(file.upload, csv))).toEqual([409, 'state_conflict'])
    expect((await portal.call('POST', `${file.url}upload/`)).body.code).toBe('state_conflict')
  })

  test('what is not uploaded within a day expires, and moves the ETag', async () => {
    const file = await declared()
    const before = await etag()
    server.clock.advance(day + second)
    await runRepeating(server.context, 'files.expire_uploads')
    expect((await read(file)).state).toBe('expired')
    expect(await etag()).not.toBe(before)
    const late = await portal.call('POST', `${file.url}upload/`)
    expect([late.status, late.body.code]).toEqual([410, 'gone'])
    expect((await portal.call('GET', `${application.url}validation/`)).body.problems).toEqual([])
  })
})

describe('the audit log', () => {
  /** What became of a file, and who did it. */
  const toldOf = async (file: { id: string }) => {
    const { body } = await portal.call('GET', `audit-log/?resource_id=${file.id}&order=sequence&page_size=250`)
    return body.items
      .filter(({ action }: { action: string }) => action.startsWith('file.'))
      .map(({ actor, action, request_id }: Record<string, unknown>) => [action, actor, request_id])
  }
  const requestOf = (answer: Response) => answer.headers.get('request-id')

  test('names the key that asked for the upload, for a file that became available and for one that was rejected', async () => {
    const first = await declared()
    const { id, key } = await newKey(server, portal.id)
    const again = await portal.call('POST', `${first.url}upload/`, { key })
    const sent = await upload(again.body, csv)
    expect(await toldOf(first)).toEqual([['file.available', { kind: 'api_key', id }, requestOf(sent)]])
    const second = await declared(csv, { content_type: 'application/pdf', filename: 'statement.pdf' })
    const refused = await upload(second.upload, csv)
    expect(await toldOf(second)).toEqual([
      ['file.rejected', { kind: 'api_key', id: portal.key_id }, requestOf(refused)],
    ])
  })

  test('says that nobody knows who it was, for a credential of a release that sealed no key into it', async () => {
    const file = await declared()
    const earlier = [portal.id, file.id, 'PUT', csv.length, server.clock.now() + minute, portal.id]
    for (const parts of [earlier.slice(0, -1), earlier]) {
      const credential = server.context.vault.seal('transfer', JSON.stringify(parts), '')
      const headers = { ...file.upload.headers, authorization: `Bearer ptt_${credential}` }
      const answer = await upload({ ...file.upload, headers }, csv)
      expect(answer.status).toBe(parts === earlier ? 409 : 200)
    }
    expect(await toldOf(file)).toEqual([['file.available', { kind: 'unknown', id: null }, expect.any(String)]])
  })

  test('has nothing by the command line from an upload that expires', async () => {
    const file = await declared()
    const entries = async () => (await portal.call('GET', 'audit-log/?page_size=1')).body.items
    const [{ sequence }] = await entries()
    server.clock.advance(day + second)
    const expiry = jobs.filter(({ kind }) => kind === 'files.expire_uploads')
    await scheduleRepeating(server.context, expiry)
    expect(await runDueJobs(server.context, deployment, expiry)).toEqual(['files.expire_uploads done'])
    expect((await read(file)).state).toBe('expired')
    const { body } = await portal.call('GET', 'audit-log/?actor_id=tester&page_size=250')
    expect(body.items.filter((entry: { sequence: number }) => entry.sequence > sequence)).toEqual([])
  })
})

describe('a transfer credential', () => {
  test('401 once it has expired, and a fresh one works', async () => {
    const file = await declared()
    server.clock.advance(61 * minute)
    expect(await codeOf(await upload(file.upload, csv))).toEqual([401, 'transfer_credential_expired'])
    const fresh = await portal.call('POST', `${file.url}upload/`)
    expect(fresh.status).toBe(200)
    expect((await upload(fresh.body, csv)).status).toBe(200)
  })

  test('401 for an API key, for none, for an altered one and for one of another file or method', async () => {
    const file = await declared()
    const other = await available()
    const { headers } = await downloadOf(other)
    const put = (authorization?: string) =>
      upload(
        { ...file.upload, headers: authorization === undefined ? {} : { ...file.upload.headers, authorization } },
        csv,
      )
    const own: string = file.upload.headers.authorization
    for (const wrong of [
      `Bearer ${portal.key}`,
      undefined,
      `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`,
      'Bearer ptt_',
      'Basic abc',
      other.upload.headers.authorization,
      headers.authorization,
    ]) {
      const answer = await put(wrong)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="portico"/)
      expect(await codeOf(answer)).toEqual([401, 'transfer_credential_invalid'])
    }
    const get = await fetch(file.upload.url, { headers: { authorization: own } })
    expect(get.status).toBe(401)
    expect((await read(file)).state).toBe('awaiting_upload')
  })

  test('401 for a transfer credential on the API', async () => {
    const file = await declared()
    const answer = await server.call('GET', application.url, { headers: file.upload.headers })
    expect([answer.status, answer.body.code]).toEqual([401, 'invalid_api_key'])
  })

  test("404 for another Portal's file, whatever is asked of it", async () => {
    const file = await available()
    const other = await newPortal(server)
    for (const path of ['', 'download/', 'upload/']) {
      const answer = await other.call(path === '' ? 'GET' : 'POST', `${file.url}${path}`)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
  })
})

describe('a download', () => {
  test('200 with the bytes, as an attachment that nobody takes for a page', async () => {
    const file = await available(csv, { filename: 'Kontoauszug März "1".csv' })
    const answer = await fetchFile(file)
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(csv)).toBe(true)
    const sha256 = hash('sha256', csv, 'hex')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'content-length': String(csv.length),
      'content-type': 'text/csv',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
      'content-disposition': expect.stringMatching(
        /^attachment; filename=".*filename\*=UTF-8''Kontoauszug%20M%C3%A4rz/,
      ),
    })
    expect(answer.headers.get('request-id')).toMatch(/^req_/)
  })

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=100-', 100, csv.length - 1],
    ['bytes=-7', csv.length - 7, csv.length - 1],
  ])('206 for %s, byte for byte', async (range, start, end) => {
    const answer = await fetchFile(await available(), { range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${csv.length}`])
    expect(Buffer.from(await answer.arrayBuffer()).equals(csv.subarray(start, end + 1))).toBe(true)
  })

  test('416 beyond the end; 200 for several ranges and for an If-Range that is not current', async () => {
    const file = await available()
    const beyond = await fetchFile(file, { range: `bytes=${csv.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${csv.length}`])
    expect((await fetchFile(file, { range: 'bytes=0-1,3-4' })).status).toBe(200)
    expect((await fetchFile(file, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
    const current = `"${hash('sha256', csv, 'hex')}"`
    expect((await fetchFile(file, { range: 'bytes=0-1', 'if-range': current })).status).toBe(206)
    expect((await fetchFile(file, { 'if-none-match': current })).status).toBe(304)
  })

  test('HEAD answers like GET, without the bytes', async () => {
    const answer = await fetchFile(await available(), {}, 'HEAD')
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
      200,
      String(csv.length),
      '',
    ])
  })

  test('409 before the upload, and 401 when its 15 minutes are over', async () => {
    const early = await portal.call('POST', `${(await declared()).url}download/`)
    expect([early.status, early.body.code]).toEqual([409, 'upload_not_completed'])
    const { url, headers } = await downloadOf(await available())
    server.clock.advance(16 * minute)
    expect(await codeOf(await fetch(url, { headers }))).toEqual([401, 'transfer_credential_expired'])
  })

  test('404 once the file is deleted, and its bytes are gone from the disk', async () => {
    const file = await available()
    const { url, headers } = await downloadOf(file)
    await portal.call('DELETE', file.url, { headers: { 'if-match': await etag() } })
    expect((await fetch(url, { headers })).status).toBe(404)
    const key = `${portal.id}/${file.id}`
    expect(await server.context.files.stat(key)).toBeDefined()
    await runDueJobs(server.context, portal.id)
    expect(await server.context.files.stat(key)).toBeUndefined()
  })

  test('what was submitted keeps its bytes when the file is taken out later', async () => {
    const file = await available()
    const submitted = await portal.call('POST', `${application.url}submit/`, { headers: { 'if-match': await etag() } })
    await portal.call('POST', `${application.url}return/`, {
      body: { message: 'Again, please.', question_keys: ['bank_statements'] },
      headers: { 'if-match': submitted.body.etag },
    })
    await portal.call('DELETE', file.url, { headers: { 'if-match': await etag() } })
    await runDueJobs(server.context, portal.id)
    expect(await server.context.files.stat(`${portal.id}/${file.id}`)).toMatchObject({ size_bytes: csv.length })
    const { content } = (await portal.call('GET', `${application.url}submissions/1/`)).body
    expect(content.files).toMatchObject([{ id: file.id, sha256: file.sha256 }])
  })
})

describe('files of an application', () => {
  test('page forward only, filtered by question and state', async () => {
    const first = await available()
    const second = await declared()
    const page = await portal.call('GET', `${application.files_url}?page_size=1`)
    expect(page.body.items.map(({ id }: { id: string }) => id)).toEqual([first.id])
    expect(page.body.previous_cursor).toBeNull()
    const cursor = encodeURIComponent(page.body.next_cursor)
    const next = await portal.call('GET', `${application.files_url}?page_size=1&cursor=${cursor}`)
    expect(next.body.items.map(({ id }: { id: string }) => id)).toEqual([second.id])
    expect([next.body.next_cursor, next.body.previous_cursor]).toEqual([null, null])
    const awaiting = await portal.call('GET', `${application.files_url}?state=awaiting_upload`)
    expect(awaiting.body.items.map(({ id }: { id: string }) => id)).toEqual([second.id])
  })

  test('an unfinished upload stands in the way of submission, and deleting it clears the way', async () => {
    const file = await declared()
    const refused = await portal.call('POST', `${application.url}submit/`, { headers: { 'if-match': await etag() } })
    expect([refused.status, refused.body.details[0]]).toMatchObject([422, { code: 'upload_not_completed' }])
    await portal.call('DELETE', file.url, { headers: { 'if-match': await etag() } })
    const done = await portal.call('POST', `${application.url}submit/`, { headers: { 'if-match': await etag() } })
    expect(done.status, done.text).toBe(200)
  })
})
