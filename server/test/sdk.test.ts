import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Portico, PorticoError } from '../../sdk/src/client.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let client: Portico
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  client = new Portico({ apiKey: portal.key, baseUrl: server.base })
})
afterAll(() => server.stop())

const input = (legal_name: string) => ({ legal_name, country: 'US', lead_source_id: portal.lead_source_id })

test('creates, reads, changes and archives a business', async () => {
  const made = await client.request('businesses.create', { body: input('One') })
  const params = { business_id: made.id }
  expect(await client.request('businesses.read', { params })).toEqual(made)
  const changed = await client.request('businesses.change', {
    params,
    ifMatch: made.etag,
    body: { trading_name: 'Uno' },
  })
  expect(changed.trading_name).toBe('Uno')
  expect((await client.request('businesses.archive', { params, ifMatch: changed.etag })).state).toBe('archived')
})

test('walks a collection page after page', async () => {
  for (let i = 0; i < 5; i++) await client.request('businesses.create', { body: input(`Walk ${i}`) })
  const names: string[] = []
  for await (const business of client.list('businesses.list', {
    query: { search: 'walk', page_size: 2, order: 'legal_name' },
  }))
    names.push(business.legal_name)
  expect(names).toEqual(['Walk 0', 'Walk 1', 'Walk 2', 'Walk 3', 'Walk 4'])
})

test('a refusal is an error with its code, its details and the request id', async () => {
  const refused = client.request('businesses.create', { body: { ...input('x'), country: 'Atlantis' } })
  await expect(refused).rejects.toMatchObject({
    status: 422,
    code: 'validation_failed',
    requestId: expect.stringMatching(/^req_/),
  })
  await expect(refused).rejects.toBeInstanceOf(PorticoError)
  await expect(refused).rejects.toMatchObject({ details: [{ pointer: '/country' }] })
})

test('a lost answer is asked for again with the same key: the command is carried out once', async () => {
  let losses = 2
  const flaky = new Portico({
    apiKey: portal.key,
    baseUrl: server.base,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (losses-- > 0) throw new TypeError('the answer was lost')
      return response
    },
  })
  const made = await flaky.request('businesses.create', {
    body: { ...input('Lost answer'), external_reference: 'lost-1' },
  })
  expect(made.external_reference).toBe('lost-1')
  expect((await portal.call('GET', 'businesses/?search=lost%20answer')).body.items).toHaveLength(1)
})

test('the built client is plain JavaScript that Node runs', async () => {
  const code = `import { Portico } from '@portico/sdk'
    const portico = new Portico({ apiKey: process.env.KEY, baseUrl: process.env.URL })
    console.log((await portico.request('root.read', {})).portal.id)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env: { KEY: portal.key, URL: server.base },
  })
  expect(stdout.trim()).toBe(portal.id)
})
