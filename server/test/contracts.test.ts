import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import demoContract from '../src/cli/demo-contract.json' with { type: 'json' }
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

const publish = (draft: unknown = demoContract, to = portal) =>
  server.context.database.transaction((tx) => publishContract(tx, to.caller, draft))

describe('contracts', () => {
  test('200 with everything that was drafted, word for word', async () => {
    const { id, version } = await publish()
    const { status, body } = await portal.call('GET', `contracts/${id}/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, version, ...demoContract })
    expect(body.url).toBe(`${server.base}contracts/${id}/`)
  })

  test('200 that may be kept for good, and 304 for whoever has it', async () => {
    const { id } = await publish()
    const { headers } = await portal.call('GET', `contracts/${id}/`)
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    const again = await portal.call('GET', `contracts/${id}/`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, max-age=31536000, immutable'])
  })

  test('200 with the contracts of the Portal, newest first, by kind and by key, without their questions', async () => {
    const own = await newPortal(server)
    const first = await publish(demoContract, own)
    const second = await publish({ ...demoContract, key: 'short_intake', title: 'Short intake' }, own)
    const deal = await publish({ ...demoContract, key: 'bank', kind: 'deal_application' }, own)
    const list = async (query: string) => (await own.call('GET', `contracts/${query}`)).body.items
    const ids = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([deal.id, second.id, first.id])
    expect(await ids('?order=created_at&page_size=2')).toEqual([first.id, second.id])
    expect(await ids('?kind=client_intake')).toEqual([second.id, first.id])
    expect(await ids('?key=short_intake')).toEqual([second.id])
    const [item] = await list('?key=short_intake')
    const { sections, questions, option_sets, ...light } = (await own.call('GET', item.url)).body
    expect(item).toEqual(light)
    expect([sections, questions, option_sets].every(Boolean)).toBe(true)
    expect((await portal.call('GET', 'contracts/?key=short_intake')).body.items).toEqual([])
  })

  test('a second publication is the next version, and the first stays as it was', async () => {
    const fresh = await newPortal(server)
    const first = await publish(demoContract, fresh)
    const second = await publish({ ...demoContract, title: 'Another' }, fresh)
    expect([first.version, second.version]).toEqual([1, 2])
    expect((await fresh.call('GET', `contracts/${first.id}/`)).body.title).toBe(demoContract.title)
  })

  test('200 with a JSON Schema that a validator of its own understands, to be kept for good', async () => {
    const { id } = await publish()
    const { schema_url } = (await portal.call('GET', `contracts/${id}/`)).body
    const { status, headers, body } = await portal.call('GET', schema_url)
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, max-age=31536000, immutable'])
    expect(body.$id).toBe(schema_url)
    const ajv = new Ajv2020({ strictTypes: false, validateFormats: false })
    const validate = ajv.compile(body)
    expect(validate({ employee_count: 12, amount_requested: { amount: '25000.00', currency: 'USD' } })).toBe(true)
    expect(validate({ employee_count: -1 })).toBe(false)
    expect(validate({ amount_requested: { amount: '999.99', currency: 'USD' } })).toBe(false)
  })

  test('404 for a contract of another Portal', async () => {
    const other = await newPortal(server)
    const { id } = await publish(demoContract, other)
    expect((await portal.call('GET', `contracts/${id}/`)).status).toBe(404)
  })

  test.each(['client_intake_applications:read', 'client_intake_applications:review', 'deal_applications:write'])(
    '200 with nothing but the grant %s',
    async (grant) => {
      const { id } = await publish()
      const { key } = await newKey(server, portal.id, { grants: [grant] })
      expect((await server.call('GET', `contracts/${id}/`, { key })).status).toBe(200)
    },
  )
})
