// What happened to a file behind our back: a download is the declared bytes, or an error that is logged.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { environmentOf } from './built-program.ts'
import { runHere } from './command-here.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())
beforeEach(() => {
  server.logLines.length = 0
})

const small = Buffer.from(`date,amount\n${'2026-03-01,12.50\n'.repeat(200)}`)
const large = Buffer.alloc(20_000_000, 'date,amount\n2026-03-01,12.50\n')

interface Stored {
  business_id: string
  path: string
  url: string
  headers: Record<string, string>
  id: string
}

async function stored(bytes = small): Promise<Stored> {
  const application = await newIntake(portal)
  const { body: file } = await portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') },
    headers: { 'if-match': application.etag },
  })
  expect((await upload(file.upload, bytes)).status).toBe(200)
  const { url, headers } = (await portal.call('POST', `${file.url}download/`)).body
  const path = join(server.context.config.data_dir, 'files', portal.id, file.id)
  return { business_id: application.business_id, path, url, headers, id: file.id }
}

const whole: Record<string, string> = {}

/** Other bytes of the same length, changed at their end. */
function alter(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length - 2] = 0x39
  writeFileSync(path, bytes)
}

function begin({ url, headers }: Stored, more: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { ...headers, ...more } })
      .on('response', resolve)
      .on('error', reject)
      .end()
  })
}

/** What arrives, and whether the transfer ended as one that is whole. */
async function receive(answer: IncomingMessage): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  await new Promise((resolve) =>
    answer
      .on('data', (chunk) => chunks.push(chunk))
      .on('error', () => undefined)
      .on('close', resolve),
  )
  return { bytes: Buffer.concat(chunks), isWhole: answer.complete }
}

const logged = (text: string) =>
  server.logLines.map((line) => JSON.parse(line)).filter(({ level, msg }) => level === 'error' && msg.includes(text))

describe('a stored file that was changed', () => {
  test.each<[string, (path: string) => void]>([
    ['became shorter', (path) => truncateSync(path, 100)],
    ['became empty', (path) => truncateSync(path, 0)],
    ['became longer', (path) => appendFileSync(path, 'x')],
    ['has other bytes of the same length', alter],
    ['is missing', (path) => rmSync(path)],
  ])('500 before the first byte, logged, when it %s: whole and in part', async (_, change) => {
    const file = await stored()
    expect((await fetch(file.url, { headers: { ...file.headers, range: 'bytes=0-9' } })).status).toBe(206)
    change(file.path)
    for (const more of [whole, { range: 'bytes=0-9' }, { range: 'bytes=-5' }]) {
      const answer = await fetch(file.url, { headers: { ...file.headers, ...more } })
      const body = JSON.parse(await answer.text())
      expect([answer.status, body.code]).toEqual([500, 'internal_error'])
      expect(body.message).toContain('missing or damaged')
      expect(answer.headers.get('content-disposition')).toBeNull()
      const line = logged('missing or damaged').at(-1)
      expect(line).toMatchObject({ request_id: body.request_id, file_id: file.id, portal_id: portal.id })
    }
  })

  test.each<[string, string, (path: string) => void]>([
    ['is missing', 'missing from the file store', (path) => rmSync(path)],
    ['became longer', 'different from what was uploaded', (path) => appendFileSync(path, 'x')],
    ['has other bytes of the same length', 'different from what was uploaded', alter],
  ])(
    'an export of its business names it and fails, with everything else in the archive, when it %s',
    async (_, problem, change) => {
      const file = await stored()
      change(file.path)
      const { data_dir } = server.context.config
      const environment = environmentOf(server.context.config)
      const archive = join(data_dir, `${file.id}.tar.gz`)
      const { code, stderr } = await runHere(['business', 'export', file.business_id, '--output', archive], environment)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`complete but for 1 file: ${problem}: ${file.id}.`)])
      const { files, missing_files, damaged_files } = JSON.parse(
        execFileSync('tar', ['-xzOf', archive, 'manifest.json'], { encoding: 'utf8' }),
      )
      expect(files.map(({ id }: { id: string }) => id)).toEqual([file.id])
      expect([...missing_files, ...damaged_files]).toEqual([file.id])
    },
  )

  test('a file store that is not mounted is a problem for doctor, and not one that is still empty', async () => {
    const file = await stored()
    const directory = join(server.context.config.data_dir, 'files')
    const look = async () => {
      const { stdout } = await runHere(['doctor', '--json'], environmentOf(server.context.config))
      const { findings } = JSON.parse(stdout)
      return findings.find(({ check }: { check: string }) => check === 'stored files')
    }
    expect(await look()).toMatchObject({ outcome: 'ok' })
    renameSync(directory, `${directory}.elsewhere`)
    const found = await look()
    renameSync(`${directory}.elsewhere`, directory)
    expect(found).toMatchObject({ outcome: 'problem', message: expect.stringContaining('Is its volume mounted?') })
    expect(existsSync(file.path)).toBe(true)
  })

  test('500 for HEAD of a file that became shorter or is missing', async () => {
    const file = await stored()
    const head = async () => (await fetch(file.url, { method: 'HEAD', headers: file.headers })).status
    expect(await head()).toBe(200)
    truncateSync(file.path, 1)
    expect(await head()).toBe(500)
    rmSync(file.path)
    expect(await head()).toBe(500)
  })

  test('503 with Retry-After for a file that cannot be read, logged', async () => {
    const file = await stored()
    rmSync(file.path)
    symlinkSync(file.path, file.path)
    for (const range of ['bytes=0-9', '']) {
      const answer = await fetch(file.url, { headers: { ...file.headers, ...(range && { range }) } })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10'])
      expect(JSON.parse(await answer.text())).toMatchObject({ code: 'service_unavailable', retryable: true })
    }
    const reasons = server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ level, code }) => level === 'warn' && code === 'service_unavailable')
      .map(({ err }) => err.message)
    expect(reasons).toEqual([1, 2].map(() => expect.stringContaining('The file directory cannot be used')))
  })

  test('a large file with other bytes breaks off before its end, and is logged', async () => {
    const file = await stored(large)
    alter(file.path)
    const { bytes, isWhole } = await receive(await begin(file))
    expect([isWhole, bytes.length < large.length]).toEqual([false, true])
    expect(logged('a download was aborted')).toMatchObject([{ file_id: file.id }])
  })

  test.each([
    ['became shorter', (path: string) => truncateSync(path, 1_000_000)],
    ['is written again', alter],
  ])('a file that %s during its download breaks off, whole and in part', async (_, change) => {
    for (const more of [whole, { range: `bytes=1-${large.length - 1}` }]) {
      const file = await stored(large)
      const answer = await begin(file, more)
      await once(answer, 'readable')
      change(file.path)
      const { bytes, isWhole } = await receive(answer)
      expect([isWhole, bytes.length < large.length - 1]).toEqual([false, true])
      expect(logged('a download was aborted').at(-1)).toMatchObject({ file_id: file.id })
    }
  })

  test('a download that its reader breaks off is no error of ours', async () => {
    const file = await stored(large)
    const answer = await begin(file)
    await once(answer, 'readable')
    answer.destroy()
    await expect.poll(() => server.logLines.some((line) => line.includes('/transfers/'))).toBe(true)
    expect(logged('')).toEqual([])
  })

  test('files that are as declared come whole and in any part', async () => {
    const file = await stored(large)
    const all = await receive(await begin(file))
    expect([all.isWhole, hash('sha256', all.bytes, 'hex')]).toEqual([true, hash('sha256', large, 'hex')])
    for (const [start, end] of [
      [0, 0],
      [0, large.length - 1],
      [262_143, 262_144],
      [12_345, 9_876_543],
      [large.length - 1, large.length - 1],
    ] as const) {
      const part = await receive(await begin(file, { range: `bytes=${start}-${end}` }))
      expect(part.isWhole && part.bytes.equals(large.subarray(start, end + 1))).toBe(true)
    }
  })
})

describe('a transfer is what was declared', () => {
  const declared = async (bytes = small, more: Record<string, unknown> = {}) => {
    const application = await newIntake(portal)
    const declaration = { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') }
    const answer = await portal.call('POST', application.files_url, {
      body: { ...declaration, ...more },
      headers: { 'if-match': application.etag },
    })
    return answer.body
  }

  test('400 for a query parameter, on PUT, GET and HEAD alike; 401 before that without a credential', async () => {
    const { upload: put } = await declared()
    const get = await stored()
    const sent = await upload({ ...put, url: `${put.url}?overwrite=1` }, small)
    const body = JSON.parse(await sent.text())
    expect([sent.status, body.code]).toEqual([400, 'unsupported_query_parameter'])
    expect(body.details).toMatchObject([{ location: 'query', name: 'overwrite' }])
    for (const method of ['GET', 'HEAD'])
      expect((await fetch(`${get.url}?download=1`, { method, headers: get.headers })).status).toBe(400)
    expect((await fetch(`${get.url}?download=1`)).status).toBe(401)
    expect((await upload(put, small)).status).toBe(200)
  })

  test.each(['text/html', 'nonsense', 'text/csv; charset=utf-8', '', 'application/pdf', '/', undefined])(
    '415 for the Content-Type %j where text/csv was declared, and the credential stays usable',
    async (type) => {
      const { upload: put, ...file } = await declared()
      const { 'content-type': _, ...rest } = put.headers
      const answer = await upload(
        { ...put, headers: type === undefined ? rest : { ...rest, 'content-type': type } },
        small,
      )
      const body = JSON.parse(await answer.text())
      expect([answer.status, body.code]).toEqual([415, 'unsupported_media_type'])
      expect(body.details).toMatchObject([{ name: 'Content-Type', meta: { supported: ['text/csv'] } }])
      expect((await portal.call('GET', file.url)).body.state).toBe('awaiting_upload')
      expect((await upload(put, small)).status).toBe(200)
    },
  )

  test('401 without a credential, whatever the Content-Type', async () => {
    const { upload: put } = await declared()
    for (const type of ['nonsense', 'text/csv', '/'])
      expect((await upload({ ...put, headers: { 'content-type': type } }, small)).status).toBe(401)
  })

  test('a PDF that is named like a page is saved as a PDF', async () => {
    const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n')
    const file = await declared(pdf, { filename: 'statement.html', content_type: 'application/pdf' })
    expect((await upload(file.upload, pdf)).status).toBe(200)
    const { url, headers } = (await portal.call('POST', `${file.url}download/`)).body
    const answer = await fetch(url, { headers })
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="statement.html.pdf"')
    expect((await portal.call('GET', file.url)).body.filename).toBe('statement.html')
  })
})
