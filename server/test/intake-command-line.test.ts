// What an administrator does for client intake, with the built program.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { day } from '../src/platform/clock.ts'
import { newSecretKey, type RunningServer, startServer } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { accountsPdf } from './documents/business-pdfs.ts'
import { sampleBusiness } from './documents/sample-business.ts'
import { declarationOf, upload } from './fixtures.ts'
import { describeOnce, makeDatabase, type TestDatabase } from './harness.ts'

const contract = fileURLToPath(new URL('intake-contract.json', import.meta.url))
let database: TestDatabase
let environment: Record<string, string>
let server: RunningServer
let portal: string
let key: string
let leadSource: string

beforeAll(async () => {
  database = await makeDatabase({ hasSchema: true })
  environment = { ...database.environment, PORTICO_SECRET_KEY: newSecretKey() }
  portal = (await jsonHere(['portal', 'create', '--name', 'Harbour'], environment)).id
  const made = ['key', 'create', '--portal', portal, '--name', 'test', '--grant', 'all']
  key = (await jsonHere(made, environment)).key
  const source = ['lead-source', 'create', '--portal', portal, '--name', 'Web', '--kind', 'website']
  leadSource = (await jsonHere(source, environment)).id
  await jsonHere(['contract', 'publish', contract, '--portal', portal], environment)
  server = await startServer({ environment })
})
afterAll(async () => {
  await server.kill('SIGKILL')
  await database.remove()
})

async function begin() {
  const business = await server.call('POST', 'businesses/', {
    key,
    body: { legal_name: sampleBusiness.legal_name, country: 'US', lead_source_id: leadSource },
  })
  const body = { business_id: business.body.id }
  return (await server.call('POST', 'client-intake-applications/', { key, body })).body
}

describe('portal set', () => {
  test('applications begun from then on expire after as many days, those begun before keep their time', async () => {
    const before = await begin()
    const set = await jsonHere(['portal', 'set', portal, '--intake-expiry-days', '30'], environment)
    expect(set).toEqual({ id: portal, intake_expiry_days: 30 })
    const after = await begin()
    const daysOf = (one: { created_at: string; expires_at: string }) =>
      Math.round((Date.parse(one.expires_at) - Date.parse(one.created_at)) / day)
    expect([daysOf(before), daysOf(after)]).toEqual([90, 30])
  })
})

describeOnce('portal set', () => {
  test.each([
    ['0', 'intake_expiry_days must be at least 1.'],
    ['1.5', 'intake_expiry_days must be of type integer.'],
    ['never', 'intake_expiry_days must be of type integer.'],
    ['100000', 'intake_expiry_days must be at most 3650.'],
  ])('%s days are refused with the rule', async (days, rule) => {
    const refused = await runHere(['portal', 'set', portal, '--intake-expiry-days', days], environment)
    expect([refused.code, refused.stderr]).toEqual([1, `portico: ${rule}\n`])
  })

  test('--help lists every setting with its default; no setting, and an unknown Portal, are refused', async () => {
    const { stdout } = await runHere(['portal', 'set', '--help'], environment)
    expect(stdout).toMatch(/--intake-expiry-days <value> .*client intake\s+application expires.*\(default: 90\)/s)
    expect(stdout).not.toContain('autofill-provider')
    expect((await runHere(['portal', 'set', portal], environment)).stderr).toContain('--intake-expiry-days')
    const unknown = await runHere(['portal', 'set', 'ptl_x', '--intake-expiry-days', '30'], environment)
    expect(unknown.stderr).toContain('Portal ptl_x does not exist')
  })
})

describe('autofill-provider', () => {
  test('set prints the secret once, remove takes the provider away', async () => {
    const args = ['--portal', portal, '--url', 'https://facts.example.com/portico']
    const set = await jsonHere(['autofill-provider', 'set', ...args], environment)
    expect(set).toMatchObject({ portal_id: portal, secret: expect.stringMatching(/^pts_[A-Za-z0-9_-]{32}$/) })
    expect(await jsonHere(['autofill-provider', 'remove', '--portal', portal], environment)).toMatchObject({
      url: null,
    })
  })
})

describeOnce('autofill-provider', () => {
  test.each([
    ['http://facts.example.com/', 'https'],
    ['https://127.0.0.1/', 'public'],
    ['https://localhost/', ''],
    ['facts', 'The URL is not valid'],
  ])('%s is refused with a sentence', async (url, word) => {
    const refused = await runHere(['autofill-provider', 'set', '--portal', portal, '--url', url], environment)
    expect([refused.code, refused.stderr.includes(word)]).toEqual([1, true])
    expect(refused.stderr).not.toContain('at ')
  })
})

describe('the built server', () => {
  test('reads documents in its reading process, by its own background work', async () => {
    const application = await begin()
    const bytes = accountsPdf()
    const declared = await server.call('POST', application.files_url, {
      key,
      body: { question_key: 'bank_statements', ...declarationOf(bytes, 'accounts.pdf', 'application/pdf') },
      headers: { 'if-match': application.etag },
    })
    expect((await upload(declared.body.upload, bytes)).status).toBe(200)
    const body = { sources: ['documents'] }
    const run = (await server.call('POST', `${application.url}autofill/`, { key, body })).body
    const read = async () => (await server.call('GET', run.url, { key })).body
    await expect.poll(async () => (await read()).state, { timeout: 30_000, interval: 200 }).toBe('completed')
    const { filled, problems } = await read()
    expect(problems).toEqual([])
    expect(filled).toContainEqual(
      expect.objectContaining({ question_key: 'legal_name', value: sampleBusiness.legal_name }),
    )
    const removed = await server.call('DELETE', declared.body.url, {
      key,
      headers: { 'if-match': (await server.call('GET', application.url, { key })).body.etag },
    })
    expect(removed.status).toBe(200)
  })
})

describe('files verify', () => {
  test('names the files that are missing or damaged, and only those', async () => {
    const application = await begin()
    let { etag } = application
    const ids: string[] = []
    for (const text of ['a,b\n1,2\n', 'a,b\n3,4\n', 'a,b\n5,6\n']) {
      const bytes = Buffer.from(text)
      const declared = await server.call('POST', application.files_url, {
        key,
        body: { question_key: 'bank_statements', ...declarationOf(bytes, 'a.csv', 'text/csv') },
        headers: { 'if-match': etag },
      })
      const sent = await upload(declared.body.upload, bytes)
      etag = sent.headers.get('etag') ?? ''
      ids.push(declared.body.id)
    }
    expect(await jsonHere(['files', 'verify'], environment)).toMatchObject({
      checked: 3,
      damaged: [],
      removed: 0,
      unknown_removed: 0,
    })
    const fileOf = (id = '') => join(environment.PORTICO_DATA_DIR ?? '', 'files', portal, id)
    writeFileSync(fileOf(ids[0]), 'a,b\n1,9\n')
    rmSync(fileOf(ids[2]))
    const { code, stdout } = await runHere(['files', 'verify', '--json'], environment)
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        checked: 3,
        damaged: [
          { id: ids[0], portal_id: portal, problem: 'the SHA-256 differs from the uploaded file' },
          { id: ids[2], portal_id: portal, problem: 'missing from the file store' },
        ],
        removed: 0,
      },
    ])
  })
})
