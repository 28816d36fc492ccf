// Uploads to one application change the same row: they take turns before they take a connection.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockIntake } from '../src/areas/client-intake/queries.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let busy: TestPortal
let other: TestPortal
beforeAll(async () => {
  server = await startTestServer({ PORTICO_DATABASE_POOL_SIZE: '3' })
  busy = await newPortal(server)
  other = await newPortal(server)
})
afterAll(() => server.stop())

test('uploads that wait for their application leave connections to others, and succeed in the end', async () => {
  const application = await newIntake(busy)
  const files: { bytes: Buffer; request: Parameters<typeof upload>[0] }[] = []
  for (let n = 0; n < 5; n++) {
    const bytes = Buffer.from(`a,b\n${n},${n}\n`)
    const { etag } = (await busy.call('GET', application.url)).body
    const declared = await busy.call('POST', application.files_url, {
      body: { question_key: 'bank_statements', ...declarationOf(bytes, 'a.csv', 'text/csv') },
      headers: { 'if-match': etag },
    })
    files.push({ bytes, request: declared.body.upload })
  }
  const { config, database } = server.context
  const begun = await database.transaction(async (tx) => {
    await lockIntake(tx, busy.id, application.id)
    const uploads = files.map(({ bytes, request }) => upload(request, bytes))
    await expect.poll(() => readdirSync(join(config.data_dir, 'files', busy.id)).length, { timeout: 10_000 }).toBe(5)
    expect((await other.call('GET', 'businesses/')).status).toBe(200)
    return uploads
  })
  // On a slow machine the lock was held for longer than a statement may take.
  for (const [n, answer] of (await Promise.all(begun)).entries()) {
    const { request, bytes } = files[n] ?? files[0] ?? expect.fail()
    const { status } = answer.status === 503 ? await upload(request, bytes) : answer
    expect(status).toBe(200)
  }
})
