// What happens at the edges of an application: many at once, too much, too late, twice.
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { setPortalState } from '../src/building-blocks/portals/commands.ts'
import { hour } from '../src/platform/clock.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

type Intake = { id: string; url: string; files_url: string; answers_url: string; etag: string }
const etagOf = async (application: Intake, by = portal) => (await by.call('GET', application.url)).body.etag
const csv = (n: number) => Buffer.from(`a,b\n${n},${n}\n`)

/** Uploads that are on their way. */
const incoming = () => readdirSync(join(server.context.config.data_dir, 'files', 'incoming'))

async function publish(questions: Record<string, unknown>[]): Promise<string> {
  const draft = {
    kind: 'client_intake',
    key: 'limits',
    title: 'Limits',
    locale: 'en',
    sections: [{ key: 'all', title: 'All' }],
    questions: questions.map((question) => ({ section: 'all', label: 'Question', ...question })),
  }
  return (await server.context.database.transaction((tx) => publishContract(tx, portal.caller, draft))).id
}

async function declare(application: Intake, bytes: Buffer, more: Record<string, unknown> = {}, by = portal) {
  return by.call('POST', application.files_url, {
    body: { question_key: 'files', ...declarationOf(bytes, 'a.csv', 'text/csv'), ...more },
    headers: { 'if-match': await etagOf(application, by) },
  })
}

describe('many at once', () => {
  test('60 uploads to one application at once all succeed', async () => {
    const contract_id = await publish([{ key: 'files', type: 'file' }])
    const application = await newIntake(portal, { contract_id })
    const declared = []
    for (let n = 0; n < 60; n++) declared.push((await declare(application, csv(n))).body)
    const answers = await Promise.all(declared.map((file, n) => upload(file.upload, csv(n))))
    expect(answers.map(({ status }) => status)).toEqual(declared.map(() => 200))
    const { items } = (await portal.call('GET', `${application.files_url}?state=available&page_size=200`)).body
    expect(items).toHaveLength(60)
  })

  test('of several Autofill requests at once one begins', async () => {
    const application = await newIntake(portal)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => portal.call('POST', `${application.url}autofill/`, { body: {} })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409])
  })
})

describe('too much', () => {
  test('409 when the answers of an application would have more than 2 MiB, and nothing of the write is kept', async () => {
    const texts = Array.from({ length: 50 }, (_, n) => ({ key: `t${n}`, type: 'long_text', label: 'Text' }))
    const repeat = { min: 0, max: 100, item_label: 'Item' }
    const contract_id = await publish([{ key: 'list', type: 'group', repeat, questions: texts }])
    const application = await newIntake(portal, { contract_id })
    const values = Object.fromEntries(texts.map(({ key }) => [key, 'x'.repeat(20_000)]))
    const add = async () =>
      portal.call('POST', `${application.answers_url}list/items/`, {
        body: { values },
        headers: { 'if-match': await etagOf(application) },
      })
    expect([(await add()).status, (await add()).status]).toEqual([201, 201])
    const refused = await add()
    expect([refused.status, refused.body.code, refused.body.details[0].meta.maximum_bytes]).toEqual([
      409,
      'limit_reached',
      2 * 1024 * 1024,
    ])
    expect((await portal.call('GET', `${application.answers_url}list/`)).body.item_count).toBe(2)
  })

  test('409 counts the bytes of answers and not their characters', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => ({ key: `t${n}`, type: 'long_text', label: 'Text' }))
    const contract_id = await publish(texts)
    const application = await newIntake(portal, { contract_id })
    const write = async (from: number, to: number) =>
      portal.call('PATCH', application.answers_url, {
        body: {
          answers: texts.slice(from, to).map(({ key }) => ({ question_key: key, value: '💶'.repeat(9_999) })),
        },
        headers: { 'if-match': await etagOf(application) },
      })
    expect((await write(0, 20)).status).toBe(200)
    expect((await write(20, 40)).status).toBe(200)
    const refused = await write(40, 60)
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    expect(refused.body.details[0].meta.bytes).toBe(60 * 4 * 9_999)
  })

  test('rejected files count among the 100, until they are deleted', async () => {
    const contract_id = await publish([{ key: 'files', type: 'file' }])
    const application = await newIntake(portal, { contract_id })
    const page = Buffer.from('<!doctype html><p>no')
    const first = (await declare(application, page)).body
    expect((await upload(first.upload, page)).status).toBe(422)
    for (let n = 1; n < 100; n++) expect((await declare(application, csv(n))).status).toBe(201)
    expect((await declare(application, csv(100))).body.code).toBe('limit_reached')
    await portal.call('DELETE', first.url, { headers: { 'if-match': await etagOf(application) } })
    expect((await declare(application, csv(100))).status).toBe(201)
  })
})

describe('too late', () => {
  /** An upload whose last byte waits until it is asked for; the answer's status comes then. */
  function slowUpload({ url, headers }: { url: string; headers: Record<string, string> }, bytes: Buffer) {
    const put = request(url, { method: 'PUT', headers: { ...headers, 'content-length': String(bytes.length) } })
    const status = new Promise<number | undefined>((resolve, reject) => {
      put.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject)
    })
    put.write(bytes.subarray(0, -1))
    return async () => {
      put.end(bytes.subarray(-1))
      return status
    }
  }

  test('a late second upload never takes the bytes of a submission away', async () => {
    const application = await newIntake(portal)
    const bytes = csv(42)
    const { body: file } = await declare(application, bytes, { question_key: 'bank_statements' })
    const finish = slowUpload(file.upload, bytes)
    await expect.poll(async () => (await upload(file.upload, bytes)).status).toBeOneOf([200, 409])
    for (const [path, body] of [
      ['submit', undefined],
      ['return', { message: 'Again.', question_keys: [] }],
    ] as const)
      await portal.call('POST', `${application.url}${path}/`, {
        ...(body && { body }),
        headers: { 'if-match': await etagOf(application) },
      })
    await portal.call('DELETE', file.url, { headers: { 'if-match': await etagOf(application) } })
    expect(await finish()).toBe(404)
    expect(await server.context.files.stat(`${portal.id}/${file.id}`)).toMatchObject({ size_bytes: bytes.length })
  })

  test('bytes that come when their file has expired are not kept', async () => {
    const contract_id = await publish([{ key: 'files', type: 'file' }])
    const application = await newIntake(portal, { contract_id })
    const { body: file } = await declare(application, csv(43))
    server.clock.advance(23.5 * hour)
    const fresh = (await portal.call('POST', `${file.url}upload/`)).body
    const finish = slowUpload(fresh, csv(43))
    await expect.poll(() => incoming()).not.toEqual([])
    server.clock.advance(hour)
    await runRepeating(server.context, 'files.expire_uploads')
    await runDueJobs(server.context, portal.id)
    expect(await finish()).toBe(409)
    expect(await server.context.files.stat(`${portal.id}/${file.id}`)).toBeUndefined()
  })

  test('bytes of a file that is deleted during its upload are not kept', async () => {
    const contract_id = await publish([{ key: 'files', type: 'file' }])
    const application = await newIntake(portal, { contract_id })
    const bytes = Buffer.alloc(300_000, 'a,b\n')
    const { body: file } = await declare(application, bytes)
    const { url, headers } = file.upload
    const put = request(url, { method: 'PUT', headers: { ...headers, 'content-length': String(bytes.length) } })
    const status = new Promise<number | undefined>((resolve, reject) => {
      put.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject)
    })
    await new Promise<void>((resolve) => put.write(bytes.subarray(0, 150_000), () => resolve()))
    await portal.call('DELETE', file.url, { headers: { 'if-match': await etagOf(application) } })
    await runDueJobs(server.context, portal.id)
    put.end(bytes.subarray(150_000))
    expect(await status).toBe(404)
    expect(await server.context.files.stat(`${portal.id}/${file.id}`)).toBeUndefined()
  })

  test('403 for the transfers of a suspended Portal, both ways', async () => {
    const own = await newPortal(server)
    const application = await newIntake(own)
    const more = { question_key: 'bank_statements' }
    const kept = (await declare(application, csv(1), more, own)).body
    expect((await upload(kept.upload, csv(1))).status).toBe(200)
    const waiting = (await declare(application, csv(2), more, own)).body
    const download = (await own.call('POST', `${kept.url}download/`)).body
    const set = (state: 'active' | 'suspended') =>
      server.context.database.transaction((tx) => setPortalState(tx, server.context, own.id, state))
    await set('suspended')
    expect((await upload(waiting.upload, csv(2))).status).toBe(403)
    expect((await fetch(download.url, { headers: download.headers })).status).toBe(403)
    await set('active')
    expect((await upload(waiting.upload, csv(2))).status).toBe(200)
  })

  test('a file of an earlier submission can still be fetched when it was deleted since', async () => {
    const application = await newIntake(portal)
    const { body: file } = await declare(application, csv(7), { question_key: 'bank_statements' })
    await upload(file.upload, csv(7))
    const act = async (path: string, body?: unknown) =>
      portal.call('POST', `${application.url}${path}/`, {
        ...(body !== undefined && { body }),
        headers: { 'if-match': await etagOf(application) },
      })
    await act('submit')
    await act('return', { message: 'Again.', question_keys: [] })
    await portal.call('DELETE', file.url, { headers: { 'if-match': await etagOf(application) } })
    expect((await portal.call('GET', file.url)).status).toBe(404)
    const download = await portal.call('POST', `${file.url}download/`)
    expect(download.status, download.text).toBe(200)
    const bytes = Buffer.from(await (await fetch(download.body.url, { headers: download.body.headers })).arrayBuffer())
    expect(hash('sha256', bytes, 'hex')).toBe(file.sha256)
  })

  test('416 carries nothing of the file but its size', async () => {
    const application = await newIntake(portal)
    const { body: file } = await declare(application, csv(8), { question_key: 'bank_statements' })
    await upload(file.upload, csv(8))
    const { url, headers } = (await portal.call('POST', `${file.url}download/`)).body
    const answer = await fetch(url, { headers: { ...headers, range: 'bytes=1000-' } })
    expect([answer.status, answer.headers.get('repr-digest'), answer.headers.get('content-disposition')]).toEqual([
      416,
      null,
      null,
    ])
  })
})

describe('twice', () => {
  test('suggested people that are accepted twice are added once', async () => {
    const owners = [{ first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 }]
    const business = await portal.call('POST', 'businesses/', { body: portal.business({ owners }) })
    const application = await newIntake(portal, { business_id: business.body.id })
    const body = { mode: 'suggest_only', sources: ['business'] }
    const run = (await portal.call('POST', `${application.url}autofill/`, { body })).body
    await runDueJobs(server.context, portal.id)
    for (let round = 0; round < 2; round++) {
      const applied = await portal.call('POST', `${run.url}apply/`, {
        body: { question_keys: ['owners'] },
        headers: { 'if-match': await etagOf(application) },
      })
      expect([applied.status, applied.body.answers?.[0].item_count], applied.text).toEqual([200, 1])
    }
  })

  test('404 for an item, a file and a run that are not there comes before 412 and 409', async () => {
    const application = await newIntake(portal)
    await portal.call('POST', `${application.url}withdraw/`, { headers: { 'if-match': application.etag } })
    const nowhere = (prefix: string) => `${prefix}_${'0'.repeat(26)}`
    const headers = { 'if-match': '"stale"' }
    for (const [method, path, body] of [
      ['PATCH', `answers/owners/items/${nowhere('itm')}/`, { position: 1 }],
      ['DELETE', `answers/owners/items/${nowhere('itm')}/`, undefined],
      ['DELETE', `files/${nowhere('fil')}/`, undefined],
      ['PUT', 'answers/nothing/', { value: 1 }],
      ['POST', `autofill-runs/${nowhere('afr')}/apply/`, { question_keys: ['legal_name'] }],
    ] as const) {
      const answer = await portal.call(method, `${application.url}${path}`, { headers, ...(body && { body }) })
      expect([path, answer.status]).toEqual([path, 404])
    }
  })
})
