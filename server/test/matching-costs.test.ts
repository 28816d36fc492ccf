// What reading costs must not grow with the number of matches, programmes or recipients.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newProgram } from './fixtures.ts'
import { calculate, matchesOf, newProject, newRecipient, rule } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestServer } from './harness.ts'
import { countLeastQueries } from './query-count.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ PORTICO_RATE_LIMITS: 'off' })
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
