// What a search over businesses finds, in the scripts and spellings people use.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRepeating } from './due-jobs.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

async function made(portal: TestPortal, more: Record<string, unknown>) {
  const answer = await portal.call('POST', 'businesses/', { body: portal.business(more) })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

async function found(portal: TestPortal, search: string): Promise<string[]> {
  const { status, body, text } = await portal.call('GET', `businesses/?search=${encodeURIComponent(search)}`)
  expect(status, text).toBe(200)
  return body.items.map(({ legal_name }: { legal_name: string }) => legal_name).sort()
}

describe('search', () => {
  let portal: TestPortal
  const tenWords = 'The Royal Harbour Society for Small Bakers and Brewers of Lisbon'
  beforeAll(async () => {
    portal = await newPortal(server)
    for (const legal_name of [
      'Łódź Tramwaje',
      'Weiße Straße GmbH',
      'Đại Việt',
      "O'Brien Bros",
      'O’Brien Ltd',
      'A.B.C. Motors',
      'Coca-Cola Bottling',
      '株式会社東京銀行',
      '北京饺子有限公司',
      '東京ガス',
      '東京カス',
      'राम मोटर्स',
      'रमा मोटर्स',
      'บริษัท กรุงเทพ',
      'Πέτρος Ελλάς',
      'Ёлка Чай',
      'שָׁלוֹם',
      tenWords,
    ])
      await made(portal, { legal_name })
    await made(portal, { legal_name: 'Hamburg Handel', registration_number: 'HRB 12345' })
    await made(portal, { legal_name: 'Referred', external_reference: 'crm-47/11' })
  })

  test.each([
    ['lodz', ['Łódź Tramwaje']],
    ['ŁÓDŹ', ['Łódź Tramwaje']],
    ['strasse', ['Weiße Straße GmbH']],
    ['straße', ['Weiße Straße GmbH']],
    ['dai viet', ['Đại Việt']],
    ['obrien', ["O'Brien Bros", 'O’Brien Ltd']],
    ["O'Brien", ["O'Brien Bros", 'O’Brien Ltd']],
    ['brien', ["O'Brien Bros", 'O’Brien Ltd']],
    ['abc', ['A.B.C. Motors']],
    ['A. B. C.', ['A.B.C. Motors']],
    ['A.B.C.', ['A.B.C. Motors']],
    ['cocacola', ['Coca-Cola Bottling']],
    ['coca cola', ['Coca-Cola Bottling']],
    ['hrb12345', ['Hamburg Handel']],
    ['HRB 12345', ['Hamburg Handel']],
    ['crm4711', ['Referred']],
    ['東京', ['東京カス', '東京ガス', '株式会社東京銀行']],
    ['東京銀行', ['株式会社東京銀行']],
    ['饺子', ['北京饺子有限公司']],
    ['ガス', ['東京ガス']],
    ['ｶﾞｽ', ['東京ガス']],
    ['カス', ['東京カス']],
    ['राम', ['राम मोटर्स']],
    ['रमा', ['रमा मोटर्स']],
    ['เทพ', ['บริษัท กรุงเทพ']],
    ['πετρος ελλασ', ['Πέτρος Ελλάς']],
    ['елка чай', ['Ёлка Чай']],
    ['чаи', []],
    ['שלום', ['שָׁלוֹם']],
    [tenWords, [tenWords]],
    [`${tenWords} and Whatever Else People Paste Behind It`, []],
    ['x'.repeat(60), []],
  ])('200 %s finds %j', async (search, names) => {
    expect(await found(portal, search)).toEqual([...names].sort())
  })

  test('200 names that differ only in spelling are possible duplicates, those that differ in letters are not', async () => {
    const own = await newPortal(server)
    const duplicatesOf = async (legal_name: string, others: string[]) => {
      for (const other of others) await made(own, { legal_name: other })
      const { possible_duplicates_url } = await made(own, { legal_name })
      return (await own.call('GET', possible_duplicates_url)).body.items.length
    }
    expect(await duplicatesOf('Łódź Straße', ['lodz strasse', 'Łodz Strasse Ltd'])).toBe(2)
    expect(await duplicatesOf('O’Brien & Sons', ["O'Brien and Sons", 'OBrien and Sons'])).toBe(2)
    expect(await duplicatesOf('東京ガス', ['東京カス', '東京ｶﾞｽ'])).toBe(1)
    expect(await duplicatesOf('राम', ['रमा'])).toBe(0)
  })
})

describe('rows of an earlier release', () => {
  /** What the release before this one wrote: words without any mark, a text that begins with a space. */
  async function makeEarlier(portal: TestPortal, id: string, words: string[]) {
    await server.context.database.transaction(async (tx) => {
      await tx.deleteFrom('business_words').where('portal_id', '=', portal.id).where('business_id', '=', id).execute()
      await tx
        .insertInto('business_words')
        .values(words.map((word) => ({ portal_id: portal.id, word, business_id: id })))
        .execute()
      await tx
        .updateTable('businesses')
        .set({ search_text: ` ${words.join(' ')}`, name_sort: words.join(' '), name_match: words.join(' ') })
        .where('portal_id', '=', portal.id)
        .where('id', '=', id)
        .execute()
    })
  }
  const wordsOf = async (portal: TestPortal, id: string) =>
    (
      await server.context.database.read
        .selectFrom('business_words')
        .select('word')
        .where('portal_id', '=', portal.id)
        .where('business_id', '=', id)
        .orderBy('word')
        .execute()
    ).map(({ word }) => word)

  test('are found as before until the job has rewritten them, and then like new ones, without a new version', async () => {
    const portal = await newPortal(server)
    const lodz = await made(portal, { legal_name: 'Łódź', email: null })
    const gas = await made(portal, { legal_name: 'ガス' })
    const fresh = { lodz: await wordsOf(portal, lodz.id), gas: await wordsOf(portal, gas.id) }
    await makeEarlier(portal, lodz.id, ['łodz'])
    await makeEarlier(portal, gas.id, ['カス'])
    expect(await found(portal, 'Łódź')).toEqual(['Łódź'])
    expect(await found(portal, 'ガス')).toEqual(['ガス'])
    await runRepeating(server.context, 'businesses.rewrite_search_words')
    expect(await found(portal, 'lodz')).toEqual(['Łódź'])
    expect(await found(portal, 'カス')).toEqual([])
    expect({ lodz: await wordsOf(portal, lodz.id), gas: await wordsOf(portal, gas.id) }).toEqual(fresh)
    expect((await portal.call('GET', lodz.url)).body.etag).toBe(lodz.etag)
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from businesses where substr(search_text, 1, 1) = ' '`.execute(
      server.context.database.read,
    )
    expect(Number(rows[0]?.count)).toBe(0)
  })

  test('keep exactly their words when they are changed or archived before the job comes', async () => {
    const portal = await newPortal(server)
    const changed = await made(portal, { legal_name: "O'Łódź" })
    const archived = await made(portal, { legal_name: 'Đại' })
    const fresh = { changed: await wordsOf(portal, changed.id), archived: await wordsOf(portal, archived.id) }
    await makeEarlier(portal, changed.id, ['o', 'łodz'])
    await makeEarlier(portal, archived.id, ['đai'])
    const headers = { 'if-match': changed.etag }
    expect((await portal.call('PATCH', changed.url, { body: { employee_count: 7 }, headers })).status).toBe(200)
    const archive = await portal.call('POST', `${archived.url}archive/`, { headers: { 'if-match': archived.etag } })
    expect(archive.status).toBe(200)
    expect(await wordsOf(portal, changed.id)).toEqual(fresh.changed)
    await runRepeating(server.context, 'businesses.rewrite_search_words')
    expect(await wordsOf(portal, archived.id)).toEqual(fresh.archived)
    expect(await found(portal, 'dai')).toEqual(['Đại'])
  })
})
