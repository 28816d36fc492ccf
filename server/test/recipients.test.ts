import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { AdministrationError, setPortalState } from '../src/building-blocks/portals/commands.ts'
import { publishRecipient } from '../src/building-blocks/recipients/commands.ts'
import { findOwnRecipient, moveCatalogue, recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import type { RecipientProfile } from '../src/building-blocks/recipients/schema.ts'
import type { Tx } from '../src/platform/database/database.ts'
import { newId } from '../src/platform/values/ids.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const write = <T>(work: (tx: Tx) => Promise<T>) => server.context.database.transaction(work)
const bank: RecipientProfile = { name: 'Harbour Bank', kind: 'lender', countries: ['US'] }
const publish = (portal: TestPortal, more: Partial<RecipientProfile> = {}) =>
  write((tx) => publishRecipient(tx, portal.caller, { ...bank, ...more }))
const read = (by: TestPortal, of: TestPortal) => by.call('GET', `recipients/${recipientIdOf(of.id)}/`)
const storedOf = async ({ id }: TestPortal) => findOwnRecipient(server.context.database.read, id)
const contractOf = async (portal: TestPortal, kind = 'deal_application') =>
  (await write((tx) => publishContract(tx, portal.caller, { ...shortContract, kind, key: kind }))).id

/** Whether a Portal finds another one in its list; every other open recipient of these tests is in it, too. */
async function lists(by: TestPortal, of: TestPortal): Promise<boolean> {
  const { body } = await by.call('GET', 'recipients/?page_size=100')
  expect(body.next_cursor).toBeNull()
  return body.items.some(({ id }: { id: string }) => id === recipientIdOf(of.id))
}

describe('who sees a recipient', () => {
  const profiles: Record<string, (portal: TestPortal, invited: TestPortal) => Promise<unknown>> = {
    'never published': async () => undefined,
    'with programmes, never published': ({ id }) => write((tx) => moveCatalogue(tx, id)),
    open: (portal) => publish(portal),
    invited: (portal, invited) => publish(portal, { visibility: 'invited', invitations: [invited.id] }),
    'invited, with nobody on the list': (portal) => publish(portal, { visibility: 'invited' }),
    'open, then invited': async (portal, invited) => {
      await publish(portal)
      await publish(portal, { visibility: 'invited', invitations: [invited.id] })
    },
    'invited, then open': async (portal, invited) => {
      await publish(portal, { visibility: 'invited', invitations: [invited.id] })
      await publish(portal, { visibility: 'open' })
    },
    suspended: async (portal) => {
      await publish(portal)
      await write((tx) => setPortalState(tx, server.context, portal.id, 'suspended'))
    },
    'suspended and resumed': async (portal) => {
      await publish(portal)
      await write((tx) => setPortalState(tx, server.context, portal.id, 'suspended'))
      await write((tx) => setPortalState(tx, server.context, portal.id, 'active'))
    },
  }
  test.each([
    ['never published', { own: 200, invited: 404, others: 404 }],
    ['with programmes, never published', { own: 200, invited: 404, others: 404 }],
    ['open', { own: 200, invited: 200, others: 200 }],
    ['invited', { own: 200, invited: 200, others: 404 }],
    ['invited, with nobody on the list', { own: 200, invited: 404, others: 404 }],
    ['open, then invited', { own: 200, invited: 200, others: 404 }],
    ['invited, then open', { own: 200, invited: 200, others: 200 }],
    ['suspended', { own: 403, invited: 404, others: 404 }],
    ['suspended and resumed', { own: 200, invited: 200, others: 200 }],
  ])('%s: %j, in the list and by itself', async (name, expected) => {
    const [own, invited, others] = [await newPortal(server), await newPortal(server), await newPortal(server)]
    await profiles[name]?.(own, invited)
    for (const [reader, status] of [
      [own, expected.own],
      [invited, expected.invited],
      [others, expected.others],
    ] as const) {
      expect((await read(reader, own)).status).toBe(status)
      if (status !== 403) expect(await lists(reader, own)).toBe(status === 200)
    }
  })

  test('404 for a recipient that is not visible, byte for byte as for one that never was', async () => {
    const [portal, hidden] = [await newPortal(server), await newPortal(server)]
    await publish(hidden, { visibility: 'invited' })
    const answers = [await read(portal, hidden), await portal.call('GET', `recipients/${newId('rcp')}/`)]
    const [foreign, unknown] = answers.map(({ text, headers }) => text.replaceAll(headers.get('request-id') ?? '', ''))
    expect(answers[0]?.status).toBe(404)
    expect(foreign).toBe(unknown)
  })

  test('a list of invitations replaces the one before; without one it stays, and so does the visibility', async () => {
    const own = await newPortal(server)
    const [first, second] = [await newPortal(server), await newPortal(server)]
    const statuses = async () => [(await read(first, own)).status, (await read(second, own)).status]
    await publish(own, { visibility: 'invited', invitations: [first.id, first.id] })
    expect(await statuses()).toEqual([200, 404])
    await publish(own, { name: 'Harbour Bank plc' })
    expect(await statuses()).toEqual([200, 404])
    await publish(own, { invitations: [second.id] })
    expect(await statuses()).toEqual([404, 200])
    await publish(own, { invitations: [] })
    expect(await statuses()).toEqual([404, 404])
    await publish(own, { visibility: 'open' })
    await publish(own, { visibility: 'invited' })
    expect(await statuses()).toEqual([404, 404])
  })

  test.each(['projects:read', 'projects:write', 'deals:read', 'deals:write', 'deal_applications:read'])(
    '200 with nothing but the grant %s',
    async (grant) => {
      const portal = await newPortal(server)
      const { key } = await newKey(server, portal.id, { grants: [grant] })
      expect((await server.call('GET', `recipients/${recipientIdOf(portal.id)}/`, { key })).status).toBe(200)
      expect((await server.call('GET', 'recipients/', { key })).status).toBe(200)
    },
  )
})

describe('a profile', () => {
  test('200 with everything that was published; its own Portal sees the same as own_portal, with another ETag', async () => {
    const [own, other] = [await newPortal(server), await newPortal(server)]
    const contract = await contractOf(own)
    const profile = {
      name: 'Fond für Gründer',
      kind: 'grant_maker',
      description: 'Grants.\nUp to EUR 50,000.',
      website: 'https://fund.example.com',
      countries: ['DE', 'AT'],
      accepting_applications: false,
      time_zone: 'Europe/Berlin',
    } as const
    await publish(own, { ...profile, countries: ['DE', 'AT', 'DE'], application_contract_id: contract })
    const [seen, itself] = [(await read(other, own)).body, (await read(own, own)).body]
    const id = recipientIdOf(own.id)
    expect(seen).toEqual({
      id,
      url: `${server.base}recipients/${id}/`,
      etag: expect.stringMatching(/^".{22}"$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      ...profile,
      programs_url: `${server.base}funding-programs/?recipient_id=${id}`,
      application_contract_url: `${server.base}contracts/${contract}/`,
    })
    expect(itself).toEqual({ ...seen, kind: 'own_portal', etag: expect.any(String) })
    expect(itself.etag).not.toBe(seen.etag)
  })

  test('200 with the name of the Portal and no countries before anything is published, the same once it has a row', async () => {
    const own = await newPortal(server)
    const before = (await read(own, own)).body
    expect(before).toMatchObject({
      name: expect.stringMatching(/^Portal \d+$/),
      kind: 'own_portal',
      countries: [],
      accepting_applications: true,
      time_zone: 'UTC',
      application_contract_url: null,
    })
    expect((await own.call('GET', 'recipients/?kind=own_portal')).body.items).toEqual([before])
    await write((tx) => moveCatalogue(tx, own.id))
    expect((await read(own, own)).body).toEqual(before)
    expect((await own.call('GET', 'recipients/?kind=own_portal')).body.items).toEqual([before])
  })

  test('published again: a new ETag when something changed, the same when nothing did or only the catalogue moved', async () => {
    const [own, other] = [await newPortal(server), await newPortal(server)]
    await publish(own, { website: 'https://a.example.com' })
    const first = (await read(other, own)).body
    server.clock.advance(1000)
    await publish(own, { website: 'https://a.example.com' })
    await write((tx) => moveCatalogue(tx, own.id))
    expect((await read(other, own)).body).toEqual(first)
    await publish(own, { name: 'Other Bank' })
    const second = (await read(other, own)).body
    expect(second).toMatchObject({ name: 'Other Bank', website: null, created_at: first.created_at })
    expect(second.etag).not.toBe(first.etag)
    expect(second.updated_at > first.updated_at).toBe(true)
    expect((await storedOf(own))?.version).toBe(3)
  })

  test('the catalogue moves when its countries, its time zone or its visibility change, and with nothing else', async () => {
    const own = await newPortal(server)
    const moves: number[] = []
    let known = 0
    for (const more of [
      {},
      {},
      { name: 'Other', accepting_applications: false },
      { countries: ['US', 'CA'] },
      { countries: ['US', 'CA'], time_zone: 'America/Toronto' },
      { countries: ['US', 'CA'], time_zone: 'America/Toronto', visibility: 'invited' as const },
      { countries: ['US', 'CA'], time_zone: 'America/Toronto', invitations: [own.id] },
    ]) {
      await publish(own, more)
      const moved = (await storedOf(own))?.catalog_version ?? 0
      moves.push(moved - known)
      known = moved
    }
    expect(moves).toEqual([1, 0, 0, 1, 1, 1, 0])
  })

  test('two publications at once: one after the other, each a version', async () => {
    const own = await newPortal(server)
    const names = ['A', 'B', 'C', 'D']
    await Promise.all(names.map((name) => publish(own, { name })))
    expect(await storedOf(own)).toMatchObject({ version: 5, catalog_version: 1 })
  })
})

describe('the list', () => {
  test('by kind, country and whether they accept applications; the own Portal is own_portal, whatever it is for others', async () => {
    const [viewer, lender, fund] = [await newPortal(server), await newPortal(server), await newPortal(server)]
    const invitations = [viewer.id]
    const visibility = 'invited'
    await publish(viewer, { kind: 'broker', countries: ['FI'], accepting_applications: false, visibility })
    await publish(lender, { kind: 'lender', countries: ['FI', 'SE'], visibility, invitations })
    await publish(fund, { kind: 'investor', countries: ['SE'], accepting_applications: false, visibility, invitations })
    const known = [viewer, lender, fund].map(({ id }) => recipientIdOf(id))
    const found = async (query: string, by = viewer) => {
      const { body } = await by.call('GET', `recipients/?page_size=100&${query}`)
      return known.map((id) => body.items.some((item: { id: string }) => item.id === id))
    }
    expect(await found('')).toEqual([true, true, true])
    expect(await found('kind=own_portal')).toEqual([true, false, false])
    expect(await found('kind=broker')).toEqual([false, false, false])
    expect(await found('kind=lender')).toEqual([false, true, false])
    expect(await found('country=FI')).toEqual([true, true, false])
    expect(await found('country=SE')).toEqual([false, true, true])
    expect(await found('country=NO')).toEqual([false, false, false])
    expect(await found('accepting=true')).toEqual([false, true, false])
    expect(await found('accepting=false')).toEqual([true, false, true])
    expect(await found('accepting=false&country=SE&kind=investor')).toEqual([false, false, true])
    for (const query of ['kind=bank', 'country=se', 'accepting=maybe'])
      expect((await viewer.call('GET', `recipients/?${query}`)).body.code).toBe('invalid_query_parameter')
  })

  test('page by page by name, forward and back, downward too, its own unpublished profile in its place', async () => {
    const viewer = await newPortal(server)
    const names = ['Årsta', 'bank', 'Bank', 'Zebra', 'aardvark', 'Portal']
    for (const name of names)
      await publish(await newPortal(server), {
        name,
        countries: ['IS'],
        visibility: 'invited',
        invitations: [viewer.id],
      })
    const whole = (await viewer.call('GET', 'recipients/?page_size=100')).body.items
    const nameOf = ({ name }: { name: string }) => name
    const invited = whole.filter(({ countries }: { countries: string[] }) => countries[0] === 'IS').map(nameOf)
    expect(invited.map((name: string) => name.toLowerCase())).toEqual([
      'aardvark',
      'årsta',
      'bank',
      'bank',
      'portal',
      'zebra',
    ])
    for (const order of ['name', '-name']) {
      const expected = order === 'name' ? whole : [...whole].reverse()
      const pages: unknown[][] = []
      let page = (await viewer.call('GET', `recipients/?page_size=2&order=${order}`)).body
      expect(page.previous_cursor).toBeNull()
      pages.push(page.items)
      while (page.next_cursor) {
        page = (await viewer.call('GET', `recipients/?order=${order}&cursor=${page.next_cursor}`)).body
        pages.push(page.items)
      }
      expect(pages.flat()).toEqual(expected)
      const back: unknown[][] = [page.items]
      while (page.previous_cursor) {
        page = (await viewer.call('GET', `recipients/?order=${order}&cursor=${page.previous_cursor}`)).body
        back.unshift(page.items)
      }
      expect(back).toEqual(pages)
    }
  })
})

describe('the contract of its applications', () => {
  test('200 for whoever sees the recipient, 404 once it is not visible or has another contract', async () => {
    const [own, other] = [await newPortal(server), await newPortal(server)]
    const [contract, next] = [await contractOf(own), await contractOf(own)]
    expect((await other.call('GET', `contracts/${contract}/`)).status).toBe(404)
    await publish(own, { application_contract_id: contract })
    const { application_contract_url } = (await read(other, own)).body
    const seen = await other.call('GET', application_contract_url)
    expect([seen.status, seen.body.id, seen.body.kind]).toEqual([200, contract, 'deal_application'])
    expect((await other.call('GET', `${application_contract_url}schema.json`)).status).toBe(200)
    expect((await other.call('GET', `contracts/${next}/`)).status).toBe(404)
    expect((await other.call('GET', 'contracts/')).body.items).toEqual([])
    await publish(own, { application_contract_id: contract, visibility: 'invited' })
    expect((await other.call('GET', application_contract_url)).status).toBe(404)
    expect((await own.call('GET', application_contract_url)).status).toBe(200)
    await publish(own, { application_contract_id: contract, visibility: 'open' })
    expect((await other.call('GET', application_contract_url)).status).toBe(200)
    await publish(own, { application_contract_id: next })
    expect((await other.call('GET', application_contract_url)).status).toBe(404)
  })
})

describe('publishing is refused', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['an empty name', { name: ' ' }, 'name must not be blank.'],
    ['a long name', { name: 'x'.repeat(201) }, 'name must have at most 200 characters.'],
    ['the kind own_portal', { kind: 'own_portal' }, 'kind must be one of: lender, grant_maker, investor, broker'],
    ['no country', { countries: [] }, 'countries must have at least 1 entry.'],
    ['a country that is none', { countries: ['US', 'XX'] }, 'countries[1] must be an ISO 3166-1 country code'],
    ['a country in lowercase', { countries: ['us'] }, 'countries[0] must be an ISO 3166-1 country code'],
    ['a time zone that is none', { time_zone: 'Mars/Base' }, 'time_zone must be an IANA time zone such as'],
    ['a time zone in another case', { time_zone: 'europe/berlin' }, 'time_zone must be an IANA time zone such as'],
    ['an offset for a time zone', { time_zone: '+01:00' }, 'time_zone must be an IANA time zone such as'],
    ['a website that is none', { website: 'ftp://x' }, 'website must be an http or https URL'],
    ['an empty description', { description: '' }, 'description must have at least 1 character.'],
    ['a visibility that is none', { visibility: 'secret' }, 'visibility must be one of: open, invited.'],
    ['an id of something else', { application_contract_id: 'biz_1' }, 'must be an id that begins with ctr_'],
    [
      'something that is not a Portal',
      { visibility: 'invited', invitations: ['x'] },
      'must be an id that begins with ptl_',
    ],
    ['invitations to what is open', { invitations: [newId('ptl')] }, 'use: --visibility invited'],
    [
      'a Portal that does not exist',
      { visibility: 'invited', invitations: [`ptl_${'0'.repeat(26)}`] },
      'this Portal does not exist. To list all Portals: portico portal list',
    ],
    [
      'a contract that does not exist',
      { application_contract_id: `ctr_${'0'.repeat(26)}` },
      'To list its contracts: portico contract list --portal',
    ],
  ])('with %s, and nothing is written', async (_, more, sentence) => {
    const own = await newPortal(server)
    // safe because the command checks whatever it is given
    const refused = publish(own, more as Partial<RecipientProfile>)
    await expect(refused).rejects.toThrow(AdministrationError)
    await expect(refused).rejects.toThrow(sentence)
    expect(await storedOf(own)).toMatchObject({ is_published: false, version: 1 })
  })

  test('with a contract of another kind, or of another Portal', async () => {
    const [own, other] = [await newPortal(server), await newPortal(server)]
    const intake = await contractOf(own, 'client_intake')
    await expect(publish(own, { application_contract_id: intake })).rejects.toThrow(
      `The contract of a recipient must have the kind deal_application; ${intake} has the kind client_intake.`,
    )
    const foreign = await contractOf(other)
    await expect(publish(own, { application_contract_id: foreign })).rejects.toThrow(
      `Portal ${own.id} has no contract ${foreign}.`,
    )
  })

  test('for a Portal that does not exist', async () => {
    const own = await newPortal(server)
    const nobody = { ...own, caller: { ...own.caller, portal_id: newId('ptl') } }
    await expect(publish(nobody)).rejects.toThrow('does not exist. To list all Portals: portico portal list')
  })
})
