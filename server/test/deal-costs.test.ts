// What deals and applications cost must not depend on how many there are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  act,
  done,
  expectRefusal,
  type Lender,
  newApplication,
  newDeal,
  newLender,
  newSubmitted,
  putAnswer,
} from './deal-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { countLeastQueries, countWritingStatements } from './query-count.ts'

let server: TestServer
let senders: TestPortal[]
let lender: Lender
beforeAll(async () => {
  server = await startTestServer()
  senders = [await newPortal(server), await newPortal(server), await newPortal(server)]
  lender = await newLender(server)
})
afterAll(() => server.stop())

describe('a page', () => {
  test('of received applications, of several senders, takes as many statements as one application', async () => {
    const ids: string[] = []
    for (let count = 0; count < 12; count++) {
      const sender = senders[count % senders.length] ?? expect.fail()
      const application = await newApplication(sender, await newDeal(sender, lender))
      done(await putAnswer(sender, application, 'legal_name', `Name ${count}`))
      done(await act(sender, application, 'submit/'))
      ids.unshift(application.id)
    }
    const read = (size: number) =>
      countLeastQueries(server.context, async () => {
        const { items } = (await lender.call('GET', `deal-applications/?direction=received&page_size=${size}`)).body
        expect(items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, size))
      })
    const one = await read(1)
    expect(await read(12)).toBe(one)
    expect(one).toBeLessThanOrEqual(5)
  })

  test('of sent applications and of deals in both directions takes a constant number of statements', async () => {
    const [sender] = senders
    for (const [by, path] of [
      [sender, 'deal-applications/?direction=sent'],
      [sender, 'deals/?direction=sent'],
      [lender, 'deals/?direction=received'],
      [lender, 'deal-applications/?state=submitted'],
    ] as const) {
      const read = (size: number) =>
        countLeastQueries(server.context, async () => {
          const { items } = (await (by ?? lender).call('GET', `${path}&page_size=${size}`)).body
          expect(items).toHaveLength(size)
        })
      expect([path, await read(4)]).toEqual([path, await read(1)])
    }
  })
})

describe('a submission', () => {
  test('takes a number of statements that does not depend on its answers, and reads nothing that it has just written', async () => {
    const [sender = expect.fail()] = senders
    const counts: number[] = []
    for (const isAnswered of [false, true]) {
      const application = await newApplication(sender, await newDeal(sender, lender))
      if (isAnswered)
        for (const [key, value] of [
          ['legal_name', 'Lee'],
          ['website', 'https://example.com'],
          ['tax_id', '12-3456789'],
        ])
          done(await putAnswer(sender, application, key ?? '', value))
      const { etag } = (await sender.call('GET', application.url)).body
      counts.push(
        await countWritingStatements(server.context, async () => {
          done(await sender.call('POST', `${application.url}submit/`, { headers: { 'if-match': etag } }))
        }),
      )
    }
    expect(counts[1]).toBe(counts[0])
    expect(counts[0]).toBeLessThanOrEqual(mostStatements)
  })
})
const mostStatements = 25

describe('a deal', () => {
  test('409 limit_reached for its 101st application', async () => {
    const [sender = expect.fail()] = senders
    const { application_ids, id } = (await sender.call('GET', `deals/${(await newSubmitted(sender, lender)).deal_id}/`))
      .body
    // As if there had been as many before.
    const many = [...Array.from({ length: 99 }, (_, n) => `dap_${String(n).padStart(26, '0')}`), ...application_ids]
    await server.context.database.transaction((tx) =>
      tx
        .updateTable('deals')
        .set({ application_ids: JSON.stringify(many) })
        .where('id', '=', id)
        .execute(),
    )
    const refused = await sender.call('POST', 'deal-applications/', { body: { deal_id: id } })
    expectRefusal(refused, 409, 'limit_reached')
    expect(refused.body.message).toBe('Limit reached: a deal can have at most 100 applications.')
    expect((await sender.call('GET', `deals/${id}/`)).body.application_ids).toEqual(many)
  })
})
