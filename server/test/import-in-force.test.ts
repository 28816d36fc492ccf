// What an import prepares is seen by nobody before all of it is in force, is never written in one long transaction, and
// is true to what others change meanwhile.
import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importPrograms } from '../src/areas/funding-recommendations/programs/import/commands.ts'
import { programImportJobs } from '../src/areas/funding-recommendations/programs/import/jobs.ts'
import { forever } from '../src/areas/funding-recommendations/programs/in-force.ts'
import { findProgramVersions, programsForMatching } from '../src/areas/funding-recommendations/programs/queries.ts'
import { day } from '../src/platform/clock.ts'
import { runRepeating } from './due-jobs.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

type Row = { external_reference: string; name: string; funding_type: string; status?: string }
const rowOf = (external_reference: string, name: string, status: string | null = 'open'): Row => ({
  ...{ external_reference, name, funding_type: 'grant' },
  ...(status !== null && { status }),
})
const rowsOf = (count: number, name: string) => Array.from({ length: count }, (_, n) => rowOf(`p${n}`, name))

/** Imports rows; `between` is called before each of its transactions, with their number. */
async function importRows(
  { id }: TestPortal,
  rows: Row[],
  between: (transaction: number) => unknown = () => undefined,
) {
  async function* records() {
    for (const [index, value] of rows.entries()) yield { row: index + 1, value }
  }
  const { database, count } = watching(between)
  const context = { ...server.context, database }
  const { created, updated, unchanged } = await importPrograms(context, records(), {
    portal_id: id,
    isSkippingBad: false,
  })
  return { created, updated, unchanged, transactions: count() }
}

/** The database, with something done before each transaction. */
function watching(between: (transaction: number) => unknown) {
  const { database } = server.context
  let transactions = 0
  const watched: typeof database = {
    ...database,
    async transaction(work) {
      await between(++transactions)
      return database.transaction(work)
    },
  }
  return { database: watched, count: () => transactions }
}

const byReference = async (portal: TestPortal, reference: string) =>
  (await portal.call('GET', `funding-programs/?external_reference=${reference}`)).body.items
const patch = async (portal: TestPortal, reference: string, body: Record<string, unknown>) => {
  const { url, etag } = (await byReference(portal, reference))[0]
  const changed = await portal.call('PATCH', url, { body, headers: { 'if-match': etag } })
  expect(changed.status, changed.text).toBe(200)
  return changed.body
}
const versionsOf = async ({ id: portal_id }: TestPortal, program_id: string, count: number) => {
  const names: (string | undefined)[] = []
  for (let version = 1; version <= count; version++) {
    const found = await findProgramVersions(server.context.database.read, [{ portal_id, program_id, version }])
    names.push(found.get(program_id)?.name)
  }
  return names
}

/** All rows of the tables, whether anybody sees them or not. */
async function stored({ id }: TestPortal) {
  const { read } = server.context.database
  const programs = await read
    .selectFrom('funding_programs')
    .select(['id', 'until_import'])
    .where('portal_id', '=', id)
    .execute()
  const readRows = await read
    .selectFrom('funding_program_imports')
    .select('file_row')
    .where('portal_id', '=', id)
    .execute()
  return {
    programs: programs.length,
    ending: programs.filter(({ until_import }) => until_import < forever).length,
    read: readRows.length,
  }
}

describe('an import of many programmes', () => {
  const count = 1600

  test('is seen by readers as all or nothing at every moment', async () => {
    const portal = await newPortal(server)
    await importRows(portal, rowsOf(count, 'old'))
    const { id } = (await byReference(portal, 'p7'))[0]
    const seen: string[] = []
    const look = async () => {
      const names = new Set<string>()
      for (const query of ['order=created_at', 'order=-created_at', 'external_reference=p7', 'status=open']) {
        const { items } = (await portal.call('GET', `funding-programs/?page_size=100&${query}`)).body
        for (const { name } of items) names.add(name)
      }
      names.add((await portal.call('GET', `funding-programs/${id}/`)).body.name)
      const ids = await programsForMatching(server.context.database.read, portal.id, { limit: 10_000 })
      expect(names.size).toBe(1)
      seen.push(`${[...names].join()} ${ids.length}`)
    }
    const result = await importRows(portal, [...rowsOf(count, 'new'), rowOf('more', 'new')], look)
    await look()
    expect(result).toMatchObject({ created: 1, updated: count, unchanged: 0 })
    expect(seen).toEqual([...seen].sort((a, b) => (a < b ? 1 : -1)))
    expect([...new Set(seen)]).toEqual([`old ${count}`, `new ${count + 1}`])
    expect(await versionsOf(portal, id, 2)).toEqual(['old', 'new'])
    expect(await stored(portal)).toEqual({ programs: count + 1, ending: 0, read: 0 })
  })

  test('changes at most 500 programmes in a transaction, the one that puts them in force none', async () => {
    const portal = await newPortal(server)
    await importRows(portal, rowsOf(count, 'old'))
    let before = await stored(portal)
    const steps: number[] = []
    const { transactions } = await importRows(portal, rowsOf(count, 'new'), async () => {
      const now = await stored(portal)
      const changes = Object.keys(now).map((name) => {
        const part = name as keyof typeof now // safe because it is one of its names
        return Math.abs(now[part] - before[part])
      })
      steps.push(Math.max(...changes))
      before = now
    })
    expect(Math.max(...steps)).toBeLessThanOrEqual(500)
    // The claim, four batches, the switch, four batches.
    expect(transactions).toBe(10)
  })

  test('that is given up is removed without a trace by the next one, or after a day, and the catalogue stays', async () => {
    const portal = await newPortal(server)
    await importRows(portal, rowsOf(count, 'old'))
    const before = await stored(portal)
    const killBefore = (last: number) =>
      importRows(portal, rowsOf(count, 'new'), (transaction) => {
        if (transaction === last) throw new Error('killed')
      })
    await expect(killBefore(6)).rejects.toThrow('killed')
    expect(await stored(portal)).toEqual({ programs: 2 * count, ending: count, read: count })
    expect((await byReference(portal, 'p7'))[0]).toMatchObject({ name: 'old', version: 1 })
    await runRepeating(server.context, 'funding_programs.remove_dead_imports')
    expect((await stored(portal)).programs).toBe(2 * count)
    server.clock.advance(day)
    await runRepeating(server.context, 'funding_programs.remove_dead_imports')
    expect(await stored(portal)).toEqual(before)
    await expect(killBefore(4)).rejects.toThrow('killed')
    expect(await importRows(portal, rowsOf(count, 'old'))).toMatchObject({ created: 0, updated: 0, unchanged: count })
    expect(await stored(portal)).toEqual(before)
    // After it came into force it is done, and only what it replaced is left to remove.
    expect(await killBefore(8)).toMatchObject({ updated: count, transactions: 8 })
    expect((await stored(portal)).read).toBe(count - 500)
    const { id, name, version } = (await byReference(portal, 'p7'))[0]
    expect([name, version, await versionsOf(portal, id, 2)]).toEqual(['new', 2, ['old', 'new']])
    await runRepeating(server.context, 'funding_programs.remove_dead_imports')
    expect(await stored(portal)).toEqual(before)
    expect(await versionsOf(portal, id, 2)).toEqual(['old', 'new'])
  })
})

describe('what others change while an import is under way', () => {
  /** The changes come when everything is prepared, right before it is put in force. */
  async function changing(before: Row[], file: Row[], change: (portal: TestPortal) => Promise<unknown>) {
    const portal = await newPortal(server)
    await importRows(portal, before)
    const result = await importRows(portal, file, async (transaction) => {
      if (transaction === 3) await change(portal)
    })
    const { created, updated, unchanged } = result
    expect(await stored(portal)).toMatchObject({ ending: 0, read: 0 })
    return { portal, counts: [created, updated, unchanged] }
  }

  test('is replaced by what the file says, also where the file had nothing to change, and is kept as a version', async () => {
    const { portal, counts } = await changing(
      [rowOf('same', 'file'), rowOf('other', 'old')],
      [rowOf('same', 'file'), rowOf('other', 'file')],
      async (portal) => {
        await patch(portal, 'same', { name: 'by hand' })
        await patch(portal, 'other', { name: 'by hand' })
        await patch(portal, 'other', { name: 'by hand again' })
      },
    )
    expect(counts).toEqual([0, 2, 0])
    const [same, other] = [(await byReference(portal, 'same'))[0], (await byReference(portal, 'other'))[0]]
    expect([same.name, other.name]).toEqual(['file', 'file'])
    expect(await versionsOf(portal, same.id, 3)).toEqual(['file', 'by hand', 'file'])
    expect(await versionsOf(portal, other.id, 4)).toEqual(['old', 'by hand', 'by hand again', 'file'])
  })

  test('and then says the same as the file is left alone', async () => {
    const { portal, counts } = await changing([rowOf('a', 'old')], [rowOf('a', 'file')], (portal) =>
      patch(portal, 'a', { name: 'file' }),
    )
    expect(counts).toEqual([0, 0, 1])
    expect((await byReference(portal, 'a'))[0]).toMatchObject({ name: 'file', version: 2 })
  })

  test('a status that the file does not say stays as it was changed', async () => {
    const { portal, counts } = await changing(
      [rowOf('a', 'old', 'draft'), rowOf('b', 'file', 'draft')],
      [rowOf('a', 'file', null), rowOf('b', 'file', null)],
      async (portal) => {
        for (const reference of ['a', 'b']) {
          const { url, etag } = (await byReference(portal, reference))[0]
          expect((await portal.call('POST', `${url}publish/`, { headers: { 'if-match': etag } })).status).toBe(200)
        }
      },
    )
    expect(counts).toEqual([0, 1, 1])
    expect((await byReference(portal, 'a'))[0]).toMatchObject({ name: 'file', status: 'open', version: 3 })
    expect((await byReference(portal, 'b'))[0]).toMatchObject({ name: 'file', status: 'open', version: 2 })
  })

  test('a reference that is given away, taken or new decides which programme the file is about', async () => {
    let ids: Record<string, string> = {}
    const { portal, counts } = await changing(
      [rowOf('gone', 'old'), rowOf('moved', 'old')],
      [rowOf('gone', 'file'), rowOf('taken', 'file'), rowOf('made', 'file')],
      async (portal) => {
        const gone = await patch(portal, 'gone', { external_reference: 'elsewhere' })
        const moved = await patch(portal, 'moved', { external_reference: 'taken' })
        const body = { name: 'by hand', funding_type: 'grant', external_reference: 'made' }
        const made = await portal.call('POST', 'funding-programs/', { body })
        expect(made.status, made.text).toBe(201)
        ids = { elsewhere: gone.id, taken: moved.id, made: made.body.id }
      },
    )
    expect(counts).toEqual([1, 2, 0])
    const found: Record<string, unknown> = {}
    for (const reference of ['gone', 'elsewhere', 'taken', 'made', 'moved'])
      found[reference] = (await byReference(portal, reference)).map(
        ({ id, name, version }: Record<string, unknown>) => [id, name, version],
      )
    expect(found).toEqual({
      gone: [[expect.not.stringMatching(ids.elsewhere ?? ''), 'file', 1]],
      elsewhere: [[ids.elsewhere, 'old', 2]],
      taken: [[ids.taken, 'file', 3]],
      made: [[ids.made, 'file', 2]],
      moved: [],
    })
  })
})

describe('while the next import removes what a killed one has left', () => {
  /** An import is killed when all is prepared. The next one is about to remove that when somebody changes a programme. */
  async function changing(change: (portal: TestPortal) => Promise<unknown>) {
    const portal = await newPortal(server)
    await importRows(portal, [rowOf('a', 'old')])
    const killed = importRows(portal, [rowOf('a', 'killed')], (transaction) => {
      if (transaction === 3) throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    const { created, updated } = await importRows(portal, [rowOf('a', 'next')], async (transaction) => {
      if (transaction === 2) await change(portal)
    })
    expect(await stored(portal)).toMatchObject({ ending: 0, read: 0 })
    return { portal, counts: [created, updated] }
  }

  test('a programme that is changed again and again, and given another reference, stays one programme', async () => {
    let id = ''
    const { portal, counts } = await changing(async (portal) => {
      await patch(portal, 'a', { name: 'by hand' })
      id = (await patch(portal, 'a', { external_reference: 'b' })).id
    })
    expect(counts).toEqual([1, 0])
    const { items } = (await portal.call('GET', 'funding-programs/')).body
    const seen = items.map((one: Record<string, unknown>) => [one.external_reference, one.name, one.version])
    expect(seen.sort()).toEqual([
      ['a', 'next', 1],
      ['b', 'by hand', 3],
    ])
    expect((await stored(portal)).programs).toBe(2)
    expect(await versionsOf(portal, id, 3)).toEqual(['old', 'by hand', 'by hand'])
  })

  test('nobody is shown what the killed one had prepared in place of a version that somebody has made since', async () => {
    let names: (string | undefined)[] = []
    const { portal } = await changing(async (portal) => {
      const { id } = await patch(portal, 'a', { name: 'by hand' })
      names = await versionsOf(portal, id, 2)
    })
    expect(names).toEqual(['old', 'by hand'])
    expect((await byReference(portal, 'a'))[0]).toMatchObject({ name: 'next', version: 3 })
  })
})

describe('the job that removes what killed imports have left', () => {
  const [count, half] = [1000, 500]

  async function newLeftovers() {
    const portal = await newPortal(server)
    await importRows(portal, rowsOf(count, 'old'))
    const killed = importRows(portal, rowsOf(count, 'killed'), (transaction) => {
      if (transaction === 4) throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await stored(portal)).toEqual({ programs: 2 * count, ending: count, read: count })
    server.clock.advance(day)
    return portal
  }
  /** `between` is called before each of its transactions, with their number. */
  const runJob = (between: (transaction: number) => unknown, signal = new AbortController().signal) => {
    const context = { ...server.context, database: watching(between).database }
    return programImportJobs[0]?.run(context, { portal_id: '', request_id: null, payload: {}, signal })
  }
  const clean = { programs: count, ending: 0, read: 0 }

  test('never stops an import that has begun since it looked', async () => {
    const portal = await newLeftovers()
    const steps = new EventEmitter()
    const [looked, prepared] = [once(steps, 'looked'), once(steps, 'prepared')]
    const job = runJob(async (transaction) => {
      if (transaction > 1) return
      steps.emit('looked')
      await prepared
    })
    await looked
    // The claim, two batches to remove, two to prepare; then the switch.
    const result = await importRows(portal, rowsOf(count, 'new'), async (transaction) => {
      if (transaction !== 6) return
      steps.emit('prepared')
      await job
    })
    expect(result).toMatchObject({ created: 0, updated: count })
    expect([await stored(portal), (await byReference(portal, 'p7'))[0].name]).toEqual([clean, 'new'])
  })

  test('leaves the rest to an import that begins meanwhile', async () => {
    const portal = await newLeftovers()
    await runJob(async (transaction) => {
      if (transaction === 2) await importRows(portal, rowsOf(count, 'new'))
    })
    expect([await stored(portal), (await byReference(portal, 'p7'))[0].name]).toEqual([clean, 'new'])
  })

  test('stops between two batches when its time is up, and the next run goes on at once', async () => {
    const portal = await newLeftovers()
    const stop = new AbortController()
    await runJob((transaction) => {
      if (transaction === 2) stop.abort()
    }, stop.signal)
    expect(await stored(portal)).toEqual({ programs: count + half, ending: half, read: half })
    // What is left is still known to whoever changes a programme.
    await patch(portal, 'p7', { external_reference: 'moved' })
    await runJob(() => undefined)
    expect(await stored(portal)).toEqual(clean)
    expect(await importRows(portal, rowsOf(1, 'old'))).toMatchObject({ unchanged: 1 })
    expect((await byReference(portal, 'moved'))[0]).toMatchObject({ name: 'old', version: 2 })
  })
})

test('versions that an import has replaced are kept for a day, and longer only while a calculation may need them', async () => {
  const portal = await newPortal(server)
  await importRows(portal, [rowOf('a', 'old')])
  await importRows(portal, [rowOf('a', 'new')])
  const { id } = (await byReference(portal, 'a'))[0]
  const forget = () => runRepeating(server.context, 'funding_recommendations.forget_calculations')
  await forget()
  expect(await versionsOf(portal, id, 2)).toEqual(['old', 'new'])
  server.clock.advance(day + 1)
  await forget()
  expect(await versionsOf(portal, id, 2)).toEqual([undefined, 'new'])
})
