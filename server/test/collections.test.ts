import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hour } from '../src/platform/clock.ts'
import { newLeadSource, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

interface Item {
  id: string
  legal_name: string
}

const page = (path: string, cursor: string | null) =>
  portal.call(
    'GET',
    `${path}${path.includes('?') ? '&' : '?'}${cursor ? `cursor=${encodeURIComponent(cursor)}` : ''}`.replace(
      /[?&]$/,
      '',
    ),
  )

async function walk(by: TestPortal, path: string, from: string | null, direction: 'next_cursor' | 'previous_cursor') {
  const pages: Item[][] = []
  let cursor = from
  let last: { next_cursor: string | null; previous_cursor: string | null } | undefined
  do {
    const suffix: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body, text } = await by.call('GET', `${path}${suffix}`)
    expect(status, text).toBe(200)
    pages.push(body.items)
    last = body
    cursor = body[direction]
  } while (cursor !== null)
  return { pages, last }
}

describe('paging', () => {
  test('for any rows, order and page size: forward finds each row once and in order, backward finds the same way back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('Same', 'same', 'Sáme', 'Other', 'aardvark', 'Zebra'), { maxLength: 17 }),
        fc.constantFrom('created_at', '-created_at', 'legal_name', '-legal_name'),
        fc.integer({ min: 1, max: 6 }),
        async (names, order, size) => {
          const own = await newPortal(server)
          const ids: string[] = []
          for (const legal_name of names)
            ids.push((await own.call('POST', 'businesses/', { body: own.business({ legal_name }) })).body.id)
          const path = `businesses/?order=${order}&page_size=${size}`
          const forward = await walk(own, path, null, 'next_cursor')
          const seen = forward.pages.flat()
          expect(seen.map(({ id }) => id).sort()).toEqual([...ids].sort())
          expect(
            forward.pages.every((items, index) => items.length === size || index === forward.pages.length - 1),
          ).toBe(true)
          if (order === 'created_at') expect(seen.map(({ id }) => id)).toEqual(ids)
          const keys = seen.map(({ id, legal_name }) =>
            [legal_name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(), id].join(' '),
          )
          if (order === 'legal_name') expect(keys).toEqual([...keys].sort())
          if (order === '-legal_name') expect(keys).toEqual([...keys].sort().reverse())
          const previous = forward.last?.previous_cursor ?? null
          expect(previous === null).toBe(forward.pages.length === 1)
          if (previous === null) return
          const backward = await walk(own, path, previous, 'previous_cursor')
          expect(backward.pages.reverse().flat()).toEqual(
            seen.slice(0, seen.length - (forward.pages.at(-1)?.length ?? 0)),
          )
        },
      ),
      { numRuns: 12 },
    )
  })

  test('previous_cursor is null exactly when nothing precedes, next_cursor when nothing follows', async () => {
    const own = await newPortal(server)
    for (let i = 0; i < 4; i++) await own.call('POST', 'businesses/', { body: own.business() })
    const get = async (suffix = '') => (await own.call('GET', `businesses/?page_size=2${suffix}`)).body
    const first = await get()
    const second = await get(`&cursor=${first.next_cursor}`)
    expect([first.previous_cursor, second.next_cursor]).toEqual([null, null])
    const back = await get(`&cursor=${second.previous_cursor}`)
    expect(back.items).toEqual(first.items)
    expect(back.previous_cursor).toBeNull()
    expect(back.next_cursor).not.toBeNull()
    // A row that arrives before the first page gives it something that precedes.
    await own.call('POST', 'businesses/', { body: own.business() })
    expect((await get(`&cursor=${second.previous_cursor}`)).previous_cursor).not.toBeNull()
  })

  test('rows that arrive meanwhile neither repeat nor hide the others', async () => {
    const own = await newPortal(server)
    const make = async () => (await own.call('POST', 'businesses/', { body: own.business() })).body.id
    const before = [await make(), await make(), await make(), await make()]
    const first = (await own.call('GET', 'businesses/?page_size=2')).body
    await make()
    const second = (await own.call('GET', `businesses/?page_size=2&cursor=${first.next_cursor}`)).body
    expect([...first.items, ...second.items].map(({ id }: Item) => id)).toEqual(before.reverse())
  })

  test('lead sources, duplicates and events page forward and backward too', async () => {
    const own = await newPortal(server)
    for (let i = 0; i < 4; i++) await newLeadSource(own.caller, { name: 'Same name' })
    const businesses = []
    for (let i = 0; i < 6; i++)
      businesses.push((await own.call('POST', 'businesses/', { body: own.business({ legal_name: 'Twin Ltd' }) })).body)
    for (const [path, count] of [
      ['lead-sources/', 5],
      [`businesses/${businesses[0].id}/possible-duplicates/`, 5],
      ['events/', 6],
    ] as const) {
      const { pages, last } = await walk(own, `${path}?page_size=2`, null, 'next_cursor')
      expect(pages.flat()).toHaveLength(count)
      const back = await walk(own, `${path}?page_size=2`, last?.previous_cursor ?? null, 'previous_cursor')
      expect(back.pages.reverse().flat()).toEqual(pages.slice(0, -1).flat())
    }
  })
})

describe('cursors', () => {
  let cursor: string
  beforeAll(async () => {
    for (let i = 0; i < 4; i++) await portal.call('POST', 'businesses/', { body: portal.business() })
    cursor = (await portal.call('GET', 'businesses/?page_size=2')).body.next_cursor
  })

  test('sent alone a cursor carries its page_size', async () => {
    expect((await page('businesses/', cursor)).body.items).toHaveLength(2)
  })

  test.each([
    ['page_size', 'businesses/?page_size=3'],
    ['order', 'businesses/?page_size=2&order=legal_name'],
    ['country', 'businesses/?page_size=2&country=US'],
    ['search', 'businesses/?page_size=2&search=abc'],
  ])('400 cursor_mismatch naming %s when it changed', async (name, path) => {
    const { status, body } = await page(path, cursor)
    expect([status, body.code, body.details[0].meta.changed]).toEqual([400, 'cursor_mismatch', [name]])
  })

  test('400 cursor_mismatch when a filter is dropped on the way', async () => {
    const filtered = (await portal.call('GET', 'businesses/?page_size=2&country=US')).body.next_cursor
    expect((await page('businesses/?page_size=2', filtered)).body.details[0].meta.changed).toEqual(['country'])
  })

  test('400 invalid_cursor from another Portal, another collection, another parent, or altered anywhere', async () => {
    const other = await newPortal(server)
    const code = async (answer: Promise<{ status: number; body: { code: string } }>) => (await answer).body.code
    expect(await code(other.call('GET', `businesses/?cursor=${cursor}`))).toBe('invalid_cursor')
    expect(await code(page('lead-sources/', cursor))).toBe('invalid_cursor')
    const [a, b] = (await portal.call('GET', 'businesses/?page_size=2')).body.items
    for (let i = 0; i < 3; i++)
      await portal.call('POST', 'businesses/', { body: portal.business({ legal_name: a.legal_name }) })
    const ofA = (await portal.call('GET', `businesses/${a.id}/possible-duplicates/?page_size=1`)).body.next_cursor
    expect(await code(page(`businesses/${b.id}/possible-duplicates/`, ofA))).toBe('invalid_cursor')
    await fc.assert(
      fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom('A', 'B', '_', '-', '9'), async (index, letter) => {
        fc.pre(cursor[index] !== letter)
        expect(await code(page('businesses/', cursor.slice(0, index) + letter + cursor.slice(index + 1)))).toBe(
          'invalid_cursor',
        )
      }),
      { numRuns: 40 },
    )
  })

  test('400 cursor_expired after 72 hours, 200 shortly before', async () => {
    const clocked = await startTestServer()
    const own = await newPortal(clocked)
    for (let i = 0; i < 2; i++) await own.call('POST', 'businesses/', { body: own.business() })
    const { next_cursor } = (await own.call('GET', 'businesses/?page_size=1')).body
    clocked.clock.advance(71 * hour)
    expect((await own.call('GET', `businesses/?cursor=${next_cursor}`)).status).toBe(200)
    clocked.clock.advance(2 * hour)
    expect((await own.call('GET', `businesses/?cursor=${next_cursor}`)).body.code).toBe('cursor_expired')
    await clocked.stop()
  })

  test('a cursor survives the rotation of the key it was read with', async () => {
    const { newKey } = await import('./harness.ts')
    const successor = await newKey(server, portal.id)
    expect((await server.call('GET', `businesses/?cursor=${cursor}`, { key: successor.key })).status).toBe(200)
  })
})

describe('filters', () => {
  test.each([
    ['state=gone', 'state', 'invalid_enum'],
    ['country=Atlantis', 'country', 'invalid_format'],
    ['lead_source_id=x', 'lead_source_id', 'invalid_format'],
    ['created_after=yesterday', 'created_after', 'invalid_format'],
    ['order=colour', 'order', 'invalid_enum'],
    ['search=x', 'search', 'too_short'],
    ['search=%00%00', 'search', 'invalid_format'],
    ['created_after=2016-12-31T23:59:60Z', 'created_after', 'invalid_format'],
    ['created_after=2020-01-01T00:00:00%2B01', 'created_after', 'invalid_format'],
    ['created_before=9999-12-31T23:59:59-01:00', 'created_before', 'invalid_format'],
    ['created_after=0000-01-01T00:00:00Z', 'created_after', 'invalid_format'],
    ['external_reference=', 'external_reference', 'too_short'],
  ])('400 for %s, naming the parameter', async (query, name, code) => {
    const { status, body } = await portal.call('GET', `businesses/?${query}`)
    expect([status, body.code]).toEqual([400, 'invalid_query_parameter'])
    expect(body.details[0]).toMatchObject({ location: 'query', name, code })
  })

  test('400 tells all problems of a query together', async () => {
    const { body } = await portal.call('GET', 'businesses/?a=1&page_size=0&state=x&country=US&country=FR')
    expect(body.code).toBe('unsupported_query_parameter')
    expect(body.details.map((detail: { name: string; code: string }) => [detail.name, detail.code])).toEqual([
      ['a', 'unsupported_query_parameter'],
      ['country', 'repeated_query_parameter'],
      ['state', 'invalid_enum'],
      ['page_size', 'out_of_range'],
    ])
  })

  test('400 for a query that is not percent-encoded UTF-8', async () => {
    expect((await portal.call('GET', 'businesses/?search=%ff')).body.code).toBe('invalid_request')
  })
})
