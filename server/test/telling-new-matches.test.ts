// match.found for many projects, while workers stop, overlap and catalogues go on changing: told once each, to everybody.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMatcher } from '../src/areas/funding-recommendations/calculations/matcher.ts'
import { tellInRounds, tellNewMatches } from '../src/areas/funding-recommendations/calculations/tell-new-matches.ts'
import { listUntold } from '../src/areas/funding-recommendations/calculations/telling-place.ts'
import { importPrograms } from '../src/areas/funding-recommendations/programs/import/commands.ts'
import type { Context } from '../src/platform/context.ts'
import { runRepeating } from './due-jobs.ts'
import { newProgram } from './fixtures.ts'
import { calculate, newProject, newRecipient, usd } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId } from './many-rows.ts'

/** More than are told at once. */
const projectCount = 600

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const newLender = ({ id }: TestPortal, name = 'Harbour Lending') =>
  newRecipient(server, { name, visibility: 'invited', invitations: [id] })

/** A Portal with many calculated projects, and a recipient that it alone sees. */
async function newCrowd(count = projectCount) {
  const broker = await newPortal(server)
  const lender = await newLender(broker)
  const project = await newProject(broker)
  await calculate(broker, project)
  await copyRows(server.context, 'projects', project.id, { id: numberedId('prj') }, { last: count - 1 })
  await tell(server.context)
  return { broker, lender }
}

/** How often each match was told. */
async function timesTold({ id }: TestPortal): Promise<number[]> {
  const rows = await server.context.database.read
    .selectFrom('events')
    .select('resource_id')
    .where('portal_id', '=', id)
    .where('type', '=', 'match.found')
    .execute()
  const counts = new Map<string, number>()
  for (const { resource_id } of rows) counts.set(resource_id, (counts.get(resource_id) ?? 0) + 1)
  return [...counts.values()]
}
const once = (count: number) => Array.from({ length: count }, () => 1)

const tell = (context: Context, signal = new AbortController().signal) =>
  tellNewMatches.run(context, { portal_id: '', request_id: null, payload: {}, signal })
const untold = async () => (await listUntold(server.context.database.read)).length

/** Changes the whole catalogue of a recipient by one version. */
async function importSome({ id }: TestPortal, count: number, name = 'imported') {
  async function* records() {
    for (let row = 1; row <= count; row++)
      yield {
        row,
        value: { external_reference: `row ${row}`, name: `${name} ${row}`, funding_type: 'grant', status: 'open' },
      }
  }
  const { isDone } = await importPrograms(server.context, records(), { portal_id: id, isSkippingBad: false })
  expect(isDone).toBe(true)
}

/** Lets the job write so often and then stops it, as a process that stops does. */
function stoppingAfter(writes: number, context = server.context) {
  let written = 0
  let stop = new AbortController()
  const database: Context['database'] = {
    ...context.database,
    async transaction(work) {
      const done = await context.database.transaction(work)
      if (++written >= writes) stop.abort()
      return done
    },
  }
  const stopped = { ...context, database }
  return async () => {
    stop = new AbortController()
    written = 0
    await tell(stopped, stop.signal)
  }
}

describe('match.found for many projects', () => {
  test('work that is stopped after every write ends, and tells every project once', async () => {
    const { broker, lender } = await newCrowd()
    await newProgram(lender, { name: 'new' })
    const tellSome = stoppingAfter(1)
    const seen: number[] = []
    while ((await untold()) > 0) {
      await tellSome()
      seen.push((await timesTold(broker)).length)
    }
    expect(await timesTold(broker)).toEqual(once(projectCount))
    // It went on from where it was: each time a little more, and never from the beginning.
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.filter((count) => count > 0 && count < projectCount).length).toBeGreaterThan(1)
  })

  test('a worker that was presumed dead tells nothing of what its successor has told', async () => {
    const { broker, lender } = await newCrowd()
    await newProgram(lender, { name: 'new' })
    const { context } = server
    let writes = 0
    const database: Context['database'] = {
      ...context.database,
      async transaction(work) {
        // It has found something and is about to tell, when another worker takes over and tells everybody.
        if (++writes === 2) await tell(context)
        return context.database.transaction(work)
      },
    }
    await tell({ ...context, database })
    expect(writes).toBe(2)
    expect([await untold(), await timesTold(broker)]).toEqual([0, once(projectCount)])
  })

  test('what changes while others are being told is told afterwards, to every project, and once', async () => {
    const { broker, lender } = await newCrowd()
    const first = await newProgram(lender, { name: 'first' })
    const tellSome = stoppingAfter(1)
    while ((await timesTold(broker)).length === 0) await tellSome()
    await newProgram(lender, { name: 'second' })
    const renamed = { body: { name: 'first, renamed' }, headers: { 'if-match': first.etag } }
    expect((await lender.call('PATCH', first.url, renamed)).status).toBe(200)
    await newProgram(lender, { name: 'for others', amount: { min: usd('900000.00'), max: null } })
    while ((await untold()) > 0) await tellSome()
    expect(await timesTold(broker)).toEqual(once(2 * projectCount))
  })

  test('an import of more programmes than are looked at together is told completely, but no project is told more than 20', async () => {
    const broker = await newPortal(server)
    const [large, small] = [await newLender(broker), await newLender(broker)]
    await calculate(broker, await newProject(broker))
    const tellSome = () =>
      tellInRounds(server.context, new AbortController().signal, { changesAtOnce: 5, roundMs: 60_000 })
    await importSome(small, 12)
    await tellSome()
    expect([await untold(), await timesTold(broker)]).toEqual([0, once(12)])
    await importSome(large, 28)
    await tellSome()
    expect([await untold(), await timesTold(broker)]).toEqual([0, once(12 + 20)])
    // The next change is another one, and this import fills its batch to the last place.
    await importSome(small, 15)
    await tellSome()
    expect([await untold(), await timesTold(broker)]).toEqual([0, once(12 + 20 + 3)])
  })

  test('what a project was told before its last calculation is forgotten, and what it was told since is not', async () => {
    const broker = await newPortal(server)
    const lender = await newLender(broker)
    const projects = [await newProject(broker), await newProject(broker)]
    for (const project of projects) await calculate(broker, project)
    await newProgram(lender, { name: 'first' })
    await tell(server.context)
    server.clock.advance(1000)
    await calculate(broker, projects[0])
    await newProgram(lender, { name: 'second' })
    await tell(server.context)
    const kept = async () => {
      const told = server.context.database.read.selectFrom('found_matches').select('project_id')
      const rows = await told.where('portal_id', '=', broker.id).execute()
      return projects.map(({ id }) => rows.filter(({ project_id }) => project_id === id).length)
    }
    expect(await kept()).toEqual([2, 2])
    await runRepeating(server.context, 'funding_recommendations.forget_calculations')
    expect(await kept()).toEqual([1, 2])
    await tell(server.context)
    expect(await timesTold(broker)).toEqual(once(4))
  })

  test('recipients take turns: nobody waits for all the changes of another one', async () => {
    const { broker, lender } = await newCrowd()
    const second = await newLender(broker)
    for (const recipient of [lender, second]) await newProgram(recipient, { name: 'new' })
    // Every look at this clock takes six seconds, so that a turn is over after one step.
    let looks = 0
    const clock = { ...server.clock, now: () => server.clock.now() + 6000 * ++looks }
    // Each begins with a place and tells of some.
    await stoppingAfter(4, { ...server.context, clock })()
    const ofEach = async () => {
      const { database } = server.context
      const rows = await database.read.selectFrom('recipients').selectAll().orderBy('portal_id').execute()
      return rows.filter(({ telling_project_id }) => telling_project_id !== '').map(({ portal_id }) => portal_id)
    }
    expect(await ofEach()).toEqual([lender.id, second.id].sort())
    while ((await untold()) > 0) await tell(server.context)
    expect(await timesTold(broker)).toEqual(once(2 * projectCount))
  })
})

describe('rounds that end before everybody had a turn', () => {
  const tellOne = (context = server.context) =>
    tellInRounds(context, new AbortController().signal, { changesAtOnce: 5000, roundMs: 0 })
  /** Recipients of whose last changes something was told. */
  const begun = async (recipients: TestPortal[]) => {
    const rows = await server.context.database.read
      .selectFrom('recipients')
      .select('portal_id')
      .where('telling_portal_id', '<>', '')
      .execute()
    return recipients.filter(({ id }) => rows.some(({ portal_id }) => portal_id === id)).length
  }

  test('go on with those who had none: whoever changes all the time keeps nobody else waiting', async () => {
    const broker = await newPortal(server)
    const lenders = [await newLender(broker), await newLender(broker), await newLender(broker)]
    await calculate(broker, await newProject(broker))
    await tell(server.context)
    const served: number[] = []
    for (let round = 1; round <= lenders.length; round++) {
      for (const lender of lenders) await newProgram(lender, { name: `new ${round}` })
      await tellOne()
      served.push(await begun(lenders))
    }
    expect(served).toEqual([1, 2, 3])
    await tell(server.context)
    expect([await untold(), await timesTold(broker)]).toEqual([0, once(lenders.length * lenders.length)])
  })
})

describe('a thread that goes wrong while new matches are looked for', () => {
  const entry = new URL('./matching/misbehaving-thread.ts', import.meta.url)
  /** `workMs` is how long a search may take before its thread is given up. */
  const startMisbehaving = (context: Context, workMs = {}) => startMatcher(context, { entry, workMs })
  /** Two recipients of one Portal, in the order of their turns. The first has a programme that goes wrong. */
  async function newPair(trick: string) {
    const broker = await newPortal(server)
    const lenders = [await newLender(broker, trick), await newLender(broker)]
    await calculate(broker, await newProject(broker))
    await tell(server.context)
    for (const lender of lenders) await newProgram(lender, { name: 'new' })
    return broker
  }
  /** What is logged as an error, in a context with a thread of its own. */
  function logged(): { context: Context; errors: unknown[] } {
    const errors: unknown[] = []
    const log = Object.assign(Object.create(server.context.log), {
      error: (_: unknown, message: string) => errors.push(message),
    })
    return { context: { ...server.context, config: { ...server.context.config }, log }, errors }
  }

  test.each([
    ['CRASH', 'dies'],
    ['STALL', 'never finishes'],
  ])(
    '%s: a recipient whose search %s holds up nobody behind it, is logged once a round, and is told by the next round',
    async (trick) => {
      const broker = await newPair(trick)
      const { context, errors } = logged()
      startMisbehaving(context, trick === 'STALL' ? { find_new: 2500 } : {})
      await tell(context)
      expect([await untold(), await timesTold(broker)]).toEqual([1, once(1)])
      const said = 'new matches of a recipient could not be reported; will try again'
      expect(errors.filter((message) => message === said)).toEqual([said])
      await tell(server.context)
      expect([await untold(), await timesTold(broker)]).toEqual([0, once(2)])
    },
  )

  test('a recipient whose search fails every time takes the time of one turn, not that of the others', async () => {
    const broker = await newPair('CRASH')
    const { context, errors } = logged()
    startMisbehaving(context)
    const signal = new AbortController().signal
    const rounds: number[] = []
    while ((await timesTold(broker)).length === 0 && rounds.length < 100)
      rounds.push(await tellInRounds(context, signal, { changesAtOnce: 5000, roundMs: 0 }).then(() => errors.length))
    expect(await timesTold(broker)).toEqual(once(1))
    // Every other turn is its own, and no more.
    const failed = rounds.at(-1) ?? 0
    expect(failed).toBeGreaterThan(0)
    expect(failed).toBeLessThanOrEqual(2 * Math.ceil(rounds.length / 2))
    await tell(server.context)
    expect([await untold(), await timesTold(broker)]).toEqual([0, once(2)])
  })

  test('a round that ends while the thread is at work lets it finish: something is told, and the thread lives on', async () => {
    const broker = await newPair('SLOW')
    const { context } = logged()
    startMisbehaving(context)
    let threads = 0
    const count = () => threads++
    process.on('worker', count)
    const signal = new AbortController().signal
    // Each of the slow steps takes much longer than a round and than the time to notice a cancellation.
    const rounds: number[] = []
    while ((await untold()) > 0 && rounds.length < 10) {
      await tellInRounds(context, signal, { changesAtOnce: 5000, roundMs: 1000 })
      rounds.push((await timesTold(broker)).length)
    }
    process.off('worker', count)
    expect([rounds.at(0), rounds.at(-1), threads]).toEqual([1, 2, 1])
  })
})
