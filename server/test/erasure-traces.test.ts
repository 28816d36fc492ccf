// What is left of an erasure where nobody looks: rows and statistics in the files of PostgreSQL, and an erasure that cannot
// go on because something is in its way.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { watchProcess } from '../src/app.ts'
import { hour } from '../src/platform/clock.ts'
import { environmentOf } from './built-program.ts'
import { newCanaries } from './canaries.ts'
import { jsonHere, runHere } from './command-here.ts'
import { act } from './deal-fixtures.ts'
import { runRepeating } from './due-jobs.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { describeOn, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let environment: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  environment = environmentOf(server.context.config)
})
afterAll(() => server.stop())

const compact = (...options: string[]) => runHere(['business', 'compact', ...options], environment)

/** A business with values of its own, in the table and in those of its applications. */
async function newBusiness(given = newCanaries()) {
  const body = portal.business({
    legal_name: `${given.in('legal_name')} Bakery`,
    registration_number: given.in('registration_number'),
    email: `${given.in('email')}@example.com`,
  })
  const { body: business } = await portal.call('POST', 'businesses/', { body })
  const intakes = []
  // Several rows: of one alone, PostgreSQL keeps no sample.
  for (const name of ['one', 'two', 'three'])
    intakes.push(await newIntake(portal, { business_id: business.id, title: given.in(`title ${name}`) }))
  return { id: business.id, intakes, given }
}

describeOn('postgres')('on PostgreSQL', () => {
  let superuser: pg.Client
  beforeAll(async () => {
    const url = new URL(inject('postgresUrl') ?? '')
    url.pathname = new URL(server.context.config.database_url ?? '').pathname
    superuser = new pg.Client({ connectionString: url.href })
    await superuser.connect()
  })
  afterAll(() => superuser.end())

  const foundIn = (text: string, given: ReadonlyMap<string, string>) =>
    [...given].filter(([, one]) => text.toLowerCase().includes(one)).map(([field]) => field)

  /** The canaries in any data file of this database. */
  async function inDataFiles(given: ReadonlyMap<string, string>): Promise<string[]> {
    await superuser.query('checkpoint')
    const { rows } = await superuser.query<{ bytes: Buffer | null }>(`
      select pg_read_binary_file(folder || '/' || name, 0, 500000000, true) as bytes
      from (select 'base/' || oid as folder from pg_database where datname = current_database()) as own,
        pg_ls_dir(folder) as name`)
    expect(rows.length).toBeGreaterThan(100)
    return foundIn(Buffer.concat(rows.flatMap(({ bytes }) => bytes ?? [])).toString('latin1'), given)
  }

  async function inStatistics(given: ReadonlyMap<string, string>): Promise<string[]> {
    const { rows } = await superuser.query<{ text: string | null }>(
      "select string_agg(concat(histogram_bounds, most_common_vals), ' ') as text from pg_stats where schemaname = 'public'",
    )
    return foundIn(rows[0]?.text ?? '', given)
  }

  test('statistics contain nothing of an erased business, and no data file does once the tables are rewritten', async () => {
    await portal.call('POST', 'businesses/', { body: portal.business() })
    const { id, given } = await newBusiness()
    await superuser.query('analyze')
    const everything = [...given.given.keys()]
    expect(await inDataFiles(given.given)).toEqual(everything)
    expect(await inStatistics(given.given)).toEqual(expect.arrayContaining(['legal_name', 'title one', 'title three']))

    const { code, stdout } = await runHere(['business', 'erase', id, '--yes'], environment)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/PostgreSQL contain the deleted rows until .* compact\n$/),
    ])
    expect(await inStatistics(given.given)).toEqual([])
    await superuser.query('vacuum')
    expect(await inDataFiles(given.given)).toContain('legal_name')

    const done = await compact()
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^Rewrote \d+ tables\. /)])
    expect(await inDataFiles(given.given)).toEqual([])
    expect((await portal.call('GET', 'businesses/')).status).toBe(200)
  })

  test.each([
    ['a view of the data', 'begin isolation level repeatable read; select 1 from businesses'],
    ['a transaction that has written', 'begin; update portals set name = name'],
  ])(
    '%s that is older than compact would keep deleted rows: nothing is rewritten, and it is named',
    async (_, older) => {
      await superuser.query(older)
      await portal.call('POST', 'businesses/', { body: portal.business() })
      try {
        const { code, stderr } = await compact('--wait', '0')
        const [{ pid }] = (await superuser.query('select pg_backend_pid() as pid')).rows
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining(
            `Nothing was rewritten: session ${pid} of the role postgres of PostgreSQL can still see`,
          ),
        ])
      } finally {
        await superuser.query('rollback')
      }
    },
  )

  test('a table that others hold is tried again, named when it cannot be had, and holds up no other', async () => {
    await superuser.query('begin')
    await superuser.query('lock table projects in row exclusive mode')
    const { code, stderr } = await compact('--wait', '1')
    await superuser.query('rollback')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^portico: These tables were not rewritten: projects \(another session holds a lock on it\)\./,
      ),
    ])
    await superuser.query('begin')
    await superuser.query('lock table projects in row exclusive mode')
    const later = compact()
    setTimeout(() => superuser.query('rollback'), 1000)
    expect((await later).code).toBe(0)
  })
})

describe('an erasure that cannot go on', () => {
  const doctor = async () => {
    const { findings } = await jsonHere(['doctor'], environment)
    return findings.find(({ check }: { check: string }) => check === 'erasures')
  }
  const states = async () =>
    (await runHere(['business', 'erasures', '--json'], environment)).stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      .map(({ business_id, state }) => [business_id, state])

  test('says what is not erased, shows as unfinished everywhere, and is finished by the worker when it can be', async () => {
    watchProcess(server.context, server.metrics, server.server.probes)
    const gauge = async () => /^portico_erasures_unfinished (\d+)$/m.exec(await server.metrics.registry.metrics())?.[1]
    const { id, intakes } = await newBusiness()
    const bytes = Buffer.from('date,amount\n2026-03-01,12.50\n')
    const body = { question_key: 'bank_statements', ...declarationOf(bytes, 'one.csv', 'text/csv') }
    const file = await act(portal, intakes[0], 'files/', body)
    expect((await upload(file.body.upload, bytes)).status).toBe(200)
    const folder = join(environment.PORTICO_DATA_DIR ?? '', 'files', portal.id)
    renameSync(folder, `${folder}.away`)
    writeFileSync(folder, 'in the way')

    const { code, stderr } = await runHere(['business', 'erase', id, '--yes'], environment)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^portico: The erasure ers_\\w+ of ${id} is not finished: The file directory cannot be used: ENOTDIR.*\\. Not erased yet: rows that can still be read \\(businesses 1, .*\\), and whatever is left of its files and stored responses\\. .*Background jobs try again every minute;.*\\n$`,
        ),
      ),
    ])
    expect(stderr).not.toMatch(/\n +at |"level"/)
    expect(await states()).toContainEqual([id, 'pending'])
    expect((await runHere(['business', 'erasures'], environment)).stdout).toMatch(new RegExp(`not finished .*${id}`))
    expect(await gauge()).toBe('1')
    expect(await doctor()).toMatchObject({ outcome: 'ok' })
    await server.context.database.transaction((tx) =>
      tx
        .updateTable('erasures')
        .set({ requested_at: new Date(Date.now() - 2 * hour).toISOString() })
        .where('business_id', '=', id)
        .execute(),
    )
    expect(await doctor()).toMatchObject({
      outcome: 'warning',
      message: expect.stringMatching(/^1 erasure not finished for more than 1 hour: .*portico business erasures$/),
    })

    rmSync(folder)
    renameSync(`${folder}.away`, folder)
    await runRepeating(server.context, 'peoples_data.complete_erasures')
    expect(await states()).toContainEqual([id, 'completed'])
    expect([await gauge(), (await doctor()).outcome]).toEqual(['0', 'ok'])
    expect((await portal.call('GET', `businesses/${id}/`)).status).toBe(404)
  })
})
