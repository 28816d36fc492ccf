// Uploads that a real ClamAV daemon looks at before anybody gets them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { minute } from '../src/platform/clock.ts'
import { describeWithClamd, eicar, eicarSignature, startClamd } from './clamd.ts'
import { runDueJobs } from './due-jobs.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let clamd: Awaited<ReturnType<typeof startClamd>>
let server: TestServer
let portal: TestPortal
async function uploaded(bytes: Buffer) {
  const application = await newIntake(portal)
  const { body: file } = await portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') },
    headers: { 'if-match': application.etag },
  })
  const answer = await upload(file.upload, bytes)
  expect([answer.status, JSON.parse(await answer.text()).state]).toEqual([200, 'scanning'])
  return { application, file, read: async () => (await portal.call('GET', file.url)).body }
}

describeWithClamd('with a virus scanner', () => {
  beforeAll(async () => {
    clamd = await startClamd()
    server = await startTestServer({ PORTICO_CLAMAV: clamd.address })
    portal = await newPortal(server)
  })
  afterAll(async () => {
    await server?.stop()
    await clamd?.close()
  })

  test('a clean file is available once it was looked at, and cannot be had or submitted before', async () => {
    const { application, file, read } = await uploaded(Buffer.from('date,amount\n2026-03-01,12.50\n'))
    const early = await portal.call('POST', `${file.url}download/`)
    expect([early.status, early.body.code]).toEqual([409, 'upload_not_completed'])
    const missing = (await portal.call('GET', application.validation_url)).body
    expect(missing.problems).toMatchObject([{ code: 'upload_not_completed' }])
    await runDueJobs(server.context, portal.id)
    expect((await read()).state).toBe('available')
    const { url, headers } = (await portal.call('POST', `${file.url}download/`)).body
    expect((await fetch(url, { headers })).status).toBe(200)
  })

  test('an infected file is rejected with what was found, its bytes are gone, and the Portal hears of it', async () => {
    const { file, read } = await uploaded(Buffer.from(eicar))
    await runDueJobs(server.context, portal.id)
    const { state, rejection } = await read()
    expect([state, rejection.code]).toEqual(['rejected', 'infected'])
    expect(rejection.message).toContain(eicarSignature)
    const download = await portal.call('POST', `${file.url}download/`)
    expect([download.status, download.body.code]).toEqual([409, 'state_conflict'])
    expect(await server.context.files.stat(`${portal.id}/${file.id}`)).toBeUndefined()
    const events = (await portal.call('GET', `events/?resource_id=${file.id}`)).body.items
    expect(events).toMatchObject([{ type: 'file.rejected', data: { previous_state: 'scanning' } }])
  })

  test('while the scanner is away a file stays unserved, and is looked at when it is back', async () => {
    const { file, read } = await uploaded(Buffer.from('date,amount\n2026-04-01,99.00\n'))
    const { scanner } = server.context
    const away = await startTestServer({ PORTICO_CLAMAV: 'tcp://127.0.0.1:9' })
    try {
      server.context.scanner = away.context.scanner
      await runDueJobs(server.context, portal.id)
      expect((await read()).state).toBe('scanning')
      expect((await portal.call('POST', `${file.url}download/`)).status).toBe(409)
    } finally {
      server.context.scanner = scanner
      await away.stop()
    }
    server.clock.advance(minute)
    await runDueJobs(server.context, portal.id)
    expect((await read()).state).toBe('available')
  })
})
