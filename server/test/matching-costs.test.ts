// What reading costs must not grow with the number of matches, programmes or recipients.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newProgram } from './fixtures.ts'
import { calculate, matchesOf, newProject, newRecipient, rule } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestServer } from './harness.ts'
import { countLeastQueries } from './query-count.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

describe('a page of matches', () => {
  test('takes the same number of queries for one match as for many of many recipients, changed ones among them', async () => {
    const broker = await newPortal(server)
    const recipients = []
    for (let number = 0; number < 12; number++)
      recipients.push(await newRecipient(server, { visibility: 'invited', invitations: [broker.id] }))
    const programs = []
    for (const [number, recipient] of recipients.entries())
      for (const name of [`a${number}`, `b${number}`])
        programs.push({
          recipient,
          ...(await newProgram(recipient, { name, eligibility: [rule('credit_score', 'gte', 600)] })),
        })
    const project = await newProject(broker, { credit_score: 700 })
    await calculate(broker, project)
    for (const { recipient, url, etag } of programs.slice(0, 9)) {
      const changed = { body: { name: 'Renamed', eligibility: [] }, headers: { 'if-match': etag } }
      expect((await recipient.call('PATCH', url, changed)).status).toBe(200)
    }
    const matches: { program: { name: string }; reasons: { rule_id: string }[] }[] = await matchesOf(broker, project)
    // As the calculation knew them, each with its own name and rules.
    expect(matches.map(({ program }) => program.name).sort()).toEqual(programs.map(({ name }) => name).sort())
    expect(matches.every(({ reasons }) => reasons.some(({ rule_id }) => rule_id === 'credit_score_gte'))).toBe(true)
    const read = (size: number) =>
      countLeastQueries(server.context, async () => {
        expect(await matchesOf(broker, project, `?page_size=${size}`)).toHaveLength(size)
      })
    const few = await read(1)
    expect(await read(24)).toBe(few)
    expect(few).toBeLessThan(10)
  })
})

describe('a list of programmes', () => {
  test('of 200 recipients takes a bounded number of queries, and pages as one list in both directions', async () => {
    const broker = await newPortal(server)
    const names: string[] = []
    for (let number = 0; number < 200; number++) {
      const recipient = await newRecipient(server, { visibility: 'invited', invitations: [broker.id] })
      const name = `n${String(number).padStart(3, '0')}`
      // Some have none that others see.
      const status = number % 40 === 7 ? 'draft' : 'open'
      await newProgram(recipient, { name, status, funding_type: number % 3 === 0 ? 'grant' : 'term_loan' })
      if (status === 'open') names.push(name)
    }
    const own = await newProgram(broker, { name: 'own draft', status: 'draft' })
    names.push(own.name)
    const walk = async (query: string, link: 'next_cursor' | 'previous_cursor', from?: string | null) => {
      const seen: string[] = []
      for (let cursor = from; cursor !== null; ) {
        const path = `funding-programs/?page_size=30${query}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
        const { status, text, body } = await broker.call('GET', path)
        expect(status, text).toBe(200)
        const page = body.items.map((one: { name: string }) => one.name)
        seen.push(...(link === 'next_cursor' ? page : page.reverse()))
        cursor = body[link]
        if (cursor === null) return { seen, last: body }
      }
      return { seen, last: undefined }
    }
    const up = await walk('&order=created_at', 'next_cursor')
    expect(up.seen).toEqual(names)
    expect((await walk('', 'next_cursor')).seen).toEqual([...names].reverse())
    const back = await walk('&order=created_at', 'previous_cursor', up.last.previous_cursor)
    expect(back.seen).toEqual(names.slice(0, names.length - up.last.items.length).reverse())
    const loans = names.filter((name) => name.startsWith('n') && Number(name.slice(1)) % 3 === 0)
    expect((await walk('&order=created_at&funding_type=grant&status=open', 'next_cursor')).seen).toEqual(loans)
    const next = encodeURIComponent((await broker.call('GET', 'funding-programs/?page_size=30')).body.next_cursor)
    const queries = await countLeastQueries(server.context, async () => {
      await broker.call('GET', `funding-programs/?page_size=30&cursor=${next}`)
    })
    expect(queries).toBeLessThan(16)
  })
})
