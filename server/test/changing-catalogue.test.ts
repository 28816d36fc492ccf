// A catalogue that is turned over while matches are calculated.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importPrograms } from '../src/areas/funding-recommendations/programs/import/commands.ts'
import { calculate, matchesOf, newProject, newRecipient, rule } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const programCount = 60
const rounds = 12

/** Every other programme fits a business in the US, in the next round the others do. */
async function* catalogueOf(round: number) {
  for (let number = 1; number <= programCount; number++) {
    const country = (number + round) % 2 === 0 ? 'US' : 'CA'
    const value = {
      ...{ external_reference: `p${number}`, name: `${number % 2}`, funding_type: 'grant', status: 'open' },
      eligibility: [rule('country', 'in', [country])],
    }
    yield { row: number, value }
  }
}
const importRound = ({ id: portal_id }: TestPortal, round: number) =>
  importPrograms(server.context, catalogueOf(round), { portal_id, isSkippingBad: false })

test('a calculation is of one catalogue, whatever comes into force meanwhile, and an older one is never taken for the newest', async () => {
  const broker = await newPortal(server)
  const lender = await newRecipient(server, { visibility: 'invited', invitations: [broker.id] })
  const project = await newProject(broker)
  await importRound(lender, 0)
  for (let round = 1; round <= rounds; round++) {
    const [{ url }] = await Promise.all([calculate(broker, project), importRound(lender, round)])
    const fitting: { program: { name: string } }[] = await matchesOf(broker, project, '?outcome=eligible&page_size=100')
    expect(fitting).toHaveLength(programCount / 2)
    const [which, ...others] = new Set(fitting.map(({ program }) => program.name))
    expect(others).toEqual([])
    const { stale_reasons } = (await broker.call('GET', url)).body
    // One that came into force in the middle may be called changed, although it was the one that counted.
    if (which !== `${round % 2}`) expect(stale_reasons).toEqual(['catalogue_changed'])
  }
})
