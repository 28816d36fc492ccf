// The catalogue from files while a server runs on the same database. What only a process can show (exit codes, kills,
// two at once) is shown with the built program; everything else by what its command calls.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { versionsBetween } from '../src/areas/funding-recommendations/programs/import/claims.ts'
import { importPrograms } from '../src/areas/funding-recommendations/programs/import/commands.ts'
import { openProgramFile } from '../src/areas/funding-recommendations/programs/import/program-files.ts'
import { findProgramVersions } from '../src/areas/funding-recommendations/programs/queries.ts'
import { findOwnRecipient, recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import { day } from '../src/platform/clock.ts'
import { cleanEnvironment, environmentOf, program, runPortico } from './built-program.ts'
import { runHere } from './command-here.ts'
import { runRepeating } from './due-jobs.ts'
import { whileStopped } from './faults/stopped-statement.ts'
import { usd } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let environment: Record<string, string>
let directory: string

beforeAll(async () => {
  server = await startTestServer()
  directory = mkdtempSync(join(tmpdir(), 'portico-import-'))
  environment = environmentOf(server.context.config)
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

const rowOf = (reference: string, more: Record<string, unknown> = {}) => ({
  external_reference: reference,
  name: `Programme ${reference}`,
  funding_type: 'term_loan',
  status: 'open',
  eligibility: [{ criterion: 'credit_score', operator: 'gte', value: 600 }],
  ...more,
})
const bad = rowOf('bad', { eligibility: [{ criterion: 'country', operator: 'in', value: ['US', 'XX'] }] })

let files = 0
function fileOf(content: unknown, name = 'programs.json'): string {
  const file = join(directory, `${++files}-${name}`)
  writeFileSync(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  return file
}
const argumentsOf = (portal: TestPortal, file: string, more: readonly string[]) => [
  ...['program', 'import', file, '--recipient', recipientIdOf(portal.id), '--json'],
  ...more,
]

/** What the command prints, and its exit code. */
async function runImport(portal: TestPortal, content: unknown, name?: string, ...more: string[]) {
  const { code, stdout, stderr } = await runHere(argumentsOf(portal, fileOf(content, name), more), environment)
  if (stdout === '') throw new Error(stderr)
  return { code, ...JSON.parse(stdout) }
}
async function importFile(portal: TestPortal, content: unknown, name?: string, isSkippingBad = false) {
  const { records } = openProgramFile(fileOf(content, name))
  const { context } = server
  const { created, updated, unchanged, refused } = await importPrograms(context, records(), {
    portal_id: portal.id,
    isSkippingBad,
  })
  return { created, updated, unchanged, refused }
}
const done = (created: number, updated = 0, unchanged = 0) => ({ created, updated, unchanged, refused: [] })
const programsOf = async (portal: TestPortal) =>
  (await portal.call('GET', 'funding-programs/?page_size=100&order=created_at')).body.items
const byReference = async (portal: TestPortal, reference: string) =>
  (await portal.call('GET', `funding-programs/?external_reference=${reference}`)).body.items[0]
/** How often imports have moved the catalogue. */
const catalogMoves = async ({ id }: TestPortal) =>
  ((await findOwnRecipient(server.context.database.read, id))?.catalog_version ?? 0) / versionsBetween
const findVersion = async ({ id: portal_id }: TestPortal, program_id: string, version: number) =>
  (await findProgramVersions(server.context.database.read, [{ portal_id, program_id, version }])).get(program_id)
async function collectedRows({ id }: TestPortal): Promise<number> {
  const { read } = server.context.database
  return (await read.selectFrom('funding_program_imports').select('file_row').where('portal_id', '=', id).execute())
    .length
}

describe('a file of programmes', () => {
  test('creates them, changes nothing the second time, and updates only what differs', async () => {
    const portal = await newPortal(server)
    const rows = [rowOf('a'), rowOf('b', { status: 'draft' }), rowOf('c', { amount: { min: usd('5000') } })]
    expect(await importFile(portal, rows)).toEqual(done(3))
    expect(await catalogMoves(portal)).toBe(1)
    const before = await programsOf(portal)
    expect(before.map((one: Record<string, unknown>) => [one.external_reference, one.status, one.version])).toEqual(
      expect.arrayContaining([
        ['a', 'open', 1],
        ['b', 'draft', 1],
        ['c', 'open', 1],
      ]),
    )
    expect(await importFile(portal, rows)).toEqual(done(0, 0, 3))
    expect([await catalogMoves(portal), await programsOf(portal)]).toEqual([1, before])

    const c = await byReference(portal, 'c')
    const changed = [
      rowOf('a'),
      rowOf('b', { status: 'open' }),
      rowOf('c', { amount: { min: usd('6000.00') } }),
      rowOf('d'),
    ]
    expect(await importFile(portal, changed)).toEqual(done(1, 2, 1))
    expect(await catalogMoves(portal)).toBe(2)
    const after = await byReference(portal, 'c')
    expect(after).toEqual({
      ...c,
      etag: after.etag,
      updated_at: after.updated_at,
      amount: { min: usd('6000.00'), max: null },
      version: 2,
    })
    expect(after.etag).not.toBe(c.etag)
    const b = await byReference(portal, 'b')
    expect([b.status, b.version, b.status_changed_at > b.created_at]).toEqual(['open', 2, true])
    const old = await findVersion(portal, c.id, 1)
    expect(old).toEqual({
      ...{ id: c.id, version: 1, name: c.name, summary: null, status: 'open', funding_type: 'term_loan' },
      ...{ opens_on: null, closes_on: null, amount: { min: usd('5000.00'), max: null } },
      ...{ term_months: null, time_to_fund_days: null },
      eligibility: [
        { id: 'rule_1', criterion: 'credit_score', operator: 'gte', value: 600, effect: 'required', weight: 1 },
      ],
    })
    expect(await collectedRows(portal)).toBe(0)
  })

  test('is the truth about what it names, and says nothing about the others', async () => {
    const portal = await newPortal(server)
    const { status, ...unsaid } = rowOf('a', { summary: 'From the file', fees: [{ name: 'Fee', percent: 1 }] })
    await importFile(portal, [unsaid])
    const other = await portal.call('POST', 'funding-programs/', { body: { name: 'Own', funding_type: 'grant' } })
    const draft = await byReference(portal, 'a')
    expect([status, draft.status]).toEqual(['open', 'draft'])
    const headers = { 'if-match': draft.etag }
    const published = (await portal.call('POST', `${draft.url}publish/`, { headers })).body
    const edited = await portal.call('PATCH', draft.url, {
      body: { summary: 'By hand' },
      headers: { 'if-match': published.etag },
    })
    expect(edited.status).toBe(200)
    expect(await importFile(portal, [unsaid])).toEqual(done(0, 1, 0))
    const again = await byReference(portal, 'a')
    expect([again.summary, again.status, again.version]).toEqual(['From the file', 'open', 4])
    expect(await importFile(portal, [rowOf('a')])).toEqual(done(0, 1, 0))
    expect(await byReference(portal, 'a')).toMatchObject({ summary: null, fees: [], status: 'open', version: 5 })
    expect((await portal.call('GET', other.body.url)).body).toEqual(other.body)
  })

  test('with one bad row is refused whole, with every problem; with --skip-bad the rest is imported', async () => {
    const portal = await newPortal(server)
    const many = Array.from({ length: 1200 }, (_, index) => rowOf(`p${index}`))
    const rows = [...many.slice(0, 700), bad, 17, { external_reference: 'x' }, ...many.slice(700)]
    const refused = [
      {
        ...{ row: 701, line: 1 },
        problems: [{ pointer: '/eligibility/0/value/1', code: 'invalid_format', message: expect.any(String) }],
      },
      {
        ...{ row: 702, line: 1 },
        problems: [{ pointer: '', code: 'invalid_type', message: 'A programme must be a JSON object.' }],
      },
      {
        ...{ row: 703, line: 1 },
        problems: [
          { pointer: '/name', code: 'required', message: 'name is required.' },
          { pointer: '/funding_type', code: 'required', message: 'funding_type is required.' },
        ],
      },
    ]
    expect(await importFile(portal, rows)).toEqual({ created: 0, updated: 0, unchanged: 0, refused })
    expect([await programsOf(portal), await catalogMoves(portal), await collectedRows(portal)]).toEqual([[], 0, 0])
    expect(await importFile(portal, rows, 'a.json', true)).toEqual({ ...done(1200), refused })
    expect(await importFile(portal, rows, 'a.json', true)).toEqual({ ...done(0, 0, 1200), refused })
    expect(await catalogMoves(portal)).toBe(1)
  })

  test('with the same reference twice is refused, naming both rows, however far apart they are', async () => {
    const portal = await newPortal(server)
    const many = Array.from({ length: 600 }, (_, index) => rowOf(`p${index}`))
    const rows = [rowOf('same'), rowOf('near'), rowOf('near'), ...many, rowOf('same', { name: 'Other' })]
    const problem = (a: number, b: number) => ({
      pointer: '/external_reference',
      code: 'already_exists',
      message: `external_reference must be unique in the file; rows ${a} and ${b} have the same value.`,
    })
    const refused = [
      { row: 3, line: 1, problems: [problem(2, 3)] },
      { row: 604, line: 1, problems: [problem(1, 604)] },
    ]
    expect(await importFile(portal, rows)).toEqual({ created: 0, updated: 0, unchanged: 0, refused })
    expect(await importFile(portal, rows, 'a.json', true)).toEqual({ ...done(602), refused })
    expect((await byReference(portal, 'same')).name).toBe('Programme same')
  })

  test('that is cut off is refused whole, even with --skip-bad', async () => {
    const portal = await newPortal(server)
    const text = JSON.stringify([rowOf('a'), rowOf('b'), rowOf('c')])
    for (const [name, content] of [
      ['a.json', text.slice(0, -20)],
      ['a.json', text.slice(0, -1)],
      ['a.csv', 'external_reference,name,funding_type\na,A,grant\nb,"B'],
    ] as const) {
      const result = await importFile(portal, content, name, true)
      expect(result).toMatchObject({
        created: 0,
        updated: 0,
        unchanged: 0,
        refused: [{ row: expect.any(Number) }],
      })
      expect(result.refused[0]?.problems[0]?.message).toContain('The file is incomplete')
    }
    expect(await programsOf(portal)).toEqual([])
  })

  test.each(['a longer one', 'a shorter one', 'another one of its size'])(
    'that is changed to %s while it is read is refused whole, even with --skip-bad',
    async (change) => {
      const portal = await newPortal(server)
      const rows = Array.from({ length: 800 }, (_, n) => JSON.stringify(rowOf(`p${n}`, { summary: 'x'.repeat(500) })))
      const file = fileOf(`${rows.join('\n')}\n`, 'a.jsonl')
      const changes: Record<string, () => void> = {
        'a longer one': () => appendFileSync(file, JSON.stringify(rowOf('more'))),
        'a shorter one': () => truncateSync(file, statSync(file).size - (rows.at(-1)?.length ?? 0) - 1),
        'another one of its size': () => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('xx', 'yy')),
      }
      let isFirst = true
      const records = openProgramFile(file).records(() => {
        if (isFirst) changes[change]?.()
        isFirst = false
      })
      const result = await importPrograms(server.context, records, { portal_id: portal.id, isSkippingBad: true })
      expect(result).toMatchObject({ created: 0, isDone: false, refused_count: 1 })
      expect(result.refused).toEqual([
        {
          row: expect.any(Number),
          problems: [
            {
              ...{ pointer: '', code: 'invalid_format' },
              message: 'The file was changed while it was read. Wait until it is complete, then import it again.',
            },
          ],
        },
      ])
      expect([await programsOf(portal), await collectedRows(portal)]).toEqual([[], 0])
    },
  )

  test.each([
    ['JSON lines', 'a.jsonl', (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')],
    ['JSON lines in a .json file', 'a.json', (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\r\n')],
    ['JSON with a byte order mark', 'a.json', (rows: unknown[]) => `\ufeff${JSON.stringify(rows, null, 2)}`],
    ['JSON of another name', 'programs.txt', (rows: unknown[]) => ` ${JSON.stringify(rows)}`],
    [
      'CSV with rules as JSON',
      'a.csv',
      (rows: unknown[]) =>
        `\ufeffexternal_reference;name;funding_type;status;eligibility\r\n${(rows as ReturnType<typeof rowOf>[])
          .map((row) => {
            const rules = JSON.stringify(row.eligibility).replaceAll('"', '""')
            return `${row.external_reference};"${row.name}";${row.funding_type};${row.status};"${rules}"`
          })
          .join('\r\n')}\r\n`,
    ],
  ])('%s says the same as JSON', async (_, name, write) => {
    const portal = await newPortal(server)
    const rows = [rowOf('a'), rowOf('b')]
    expect(await importFile(portal, write(rows), name)).toEqual(done(2))
    expect(await importFile(portal, rows)).toEqual(done(0, 0, 2))
    const refused = await importFile(portal, write([rowOf('a'), bad]), name)
    expect(refused).toMatchObject({ created: 0, refused: [{ row: 2, line: expect.any(Number) }] })
  })

  test('that is one object around the programmes is refused whole, saying how to save it', async () => {
    const portal = await newPortal(server)
    const wrapped = { programs: [rowOf('a'), rowOf('b')] }
    for (const content of [wrapped, JSON.stringify(wrapped, null, 2), JSON.stringify(rowOf('a'), null, 2)]) {
      const { refused, created } = await importFile(portal, content, 'a.json', true)
      expect([created, refused.map(({ row, problems }) => [row, problems[0]?.message])]).toEqual([
        0,
        [[1, expect.stringContaining('Save only the array, so that the file begins with [.')]],
      ])
    }
    // A programme that begins with a list is one all the same.
    const { eligibility, ...rest } = rowOf('a')
    expect(await importFile(portal, JSON.stringify({ eligibility, ...rest }), 'a.json')).toEqual(done(1))
  })

  test('of no programmes at all changes nothing', async () => {
    const portal = await newPortal(server)
    expect(await importFile(portal, '[]')).toEqual(done(0))
    expect(await importFile(portal, '', 'a.json')).toMatchObject({ created: 0, refused: [{ row: 1 }] })
    expect(await catalogMoves(portal)).toBe(0)
  })
})

describe('the command', () => {
  const explain = async (...args: string[]) => {
    const { code, stderr } = await runHere(['program', 'import', ...args], environment)
    return [code, stderr]
  }
  const unknown = `rcp_${'0'.repeat(26)}`

  test('explains in a sentence what it cannot do', async () => {
    const { id } = await newPortal(server)
    const [file, recipient] = [fileOf([]), recipientIdOf(id)]
    const noRecipient = (id: string) => [1, expect.stringContaining(`portico: Recipient ${id} does not exist.`)]
    // At once, because starting the program is what takes time.
    const explained = await Promise.all([
      explain(file, '--recipient', unknown),
      explain(file, '--recipient', id),
      explain(join(directory, 'none.json'), '--recipient', recipient),
      explain(directory, '--recipient', recipient),
      explain(file, '--recipient', unknown, '--format', 'xml'),
    ])
    expect(explained).toEqual([
      noRecipient(unknown),
      noRecipient(id),
      [1, expect.stringMatching(/^portico: Cannot read .*none\.json: .*\.\n$/)],
      [1, expect.stringContaining('it must be a regular file or a pipe.')],
      [1, expect.stringContaining('json, jsonl, csv')],
    ])
  })

  test('prints what it did and the first problems, as text or as JSON, and exits with 1 when it refused anything without --skip-bad', async () => {
    const rows = [rowOf('a'), bad]
    const asText = async (content: unknown) => {
      const args = argumentsOf(await newPortal(server), fileOf(content), []).filter((word) => word !== '--json')
      const { code, stdout } = await runHere(args, environment)
      return [code, stdout]
    }
    const [imported, nothing, json, skipped, help] = await Promise.all([
      asText([rowOf('a'), rowOf('b')]),
      asText(rows),
      runImport(await newPortal(server), rows),
      runImport(await newPortal(server), rows, 'a.json', '--skip-bad'),
      runPortico(['program', 'import', '--help'], environment),
    ])
    expect(imported).toEqual([
      0,
      expect.stringMatching(/^Imported .*: 2 created, 0 updated, 0 unchanged, 0 refused\.\n$/),
    ])
    expect(nothing).toEqual([
      1,
      expect.stringMatching(
        /^Nothing was imported from .*: 1 row refused\.\nRow 2 \(line 1\) \/eligibility\/0\/value\/1: value\[1\] must be .*\n$/,
      ),
    ])
    const refused = [{ row: 2, line: 1, problems: [expect.objectContaining({ pointer: '/eligibility/0/value/1' })] }]
    expect(json).toEqual({ code: 1, ...done(0), refused })
    expect(skipped).toEqual({ code: 0, ...done(1), refused })
    expect(help.stdout).toContain('amount.min, amount.max and amount.currency')
  })
})

describe('a pipe', () => {
  /** In a shell, whose pipe is the standard input of the built program. */
  async function pipeIn(portal: TestPortal, content: unknown, ...more: string[]) {
    const args = ['-c', 'file=$1; shift; cat "$file" | "$@"', 'bash', fileOf(content), process.execPath, program]
    const child = spawn('bash', [...args, ...argumentsOf(portal, '/dev/stdin', more)], {
      env: cleanEnvironment(environment),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    const { created, updated, unchanged, refused } = JSON.parse(await text(child.stdout))
    return { code: (await ended)[0], created, updated, unchanged, refused }
  }
  // More than a pipe holds at once.
  const rows = Array.from({ length: 400 }, (_, index) => rowOf(`p${index}`, { summary: 'x'.repeat(500) }))
  const columns = ['external_reference', 'name', 'funding_type', 'status', 'summary'] as const
  const csv = [columns, ...rows.map((row) => columns.map((name) => Reflect.get(row, name)))]
    .map((cells) => cells.join(','))
    .join('\n')

  test('says the same as a file, in each format', async () => {
    const portal = await newPortal(server)
    const jsonLines = `\ufeff${rows.map((row) => JSON.stringify(row)).join('\n')}`
    expect(await pipeIn(portal, jsonLines)).toEqual({ code: 0, ...done(400) })
    expect(await importFile(portal, rows)).toEqual(done(0, 0, 400))
    expect(await pipeIn(portal, rows)).toEqual({ code: 0, ...done(0, 0, 400) })
    // The table has no rules.
    expect(await pipeIn(portal, `${csv}\n`)).toEqual({ code: 0, ...done(0, 400) })
    const { code, refused } = await pipeIn(portal, [rowOf('a'), bad])
    expect([code, refused]).toMatchObject([1, [{ row: 2, line: 1 }]])
  })

  test('that is cut off is refused whole, even with --skip-bad, also within the last cell of a table', async () => {
    const portal = await newPortal(server)
    for (const content of [JSON.stringify(rows).slice(0, -1), csv.slice(0, -1), csv, '']) {
      const { code, created, refused } = await pipeIn(portal, content, '--skip-bad')
      expect([code, created, refused]).toMatchObject([
        1,
        0,
        [{ problems: [{ message: expect.stringMatching(isCut) }] }],
      ])
    }
    expect(await programsOf(portal)).toEqual([])
  })
  const isCut = /^The file is (incomplete|empty)/
})

describe('an import that is killed', () => {
  test('leaves nothing visible; the next one imports everything and removes what it left', async () => {
    const portal = await newPortal(server)
    const rows = Array.from({ length: 1200 }, (_, index) => rowOf(`p${index}`, { summary: 'x'.repeat(500) }))
    const file = fileOf(rows)
    // In its third batch.
    const stopped = { change: 'insert', table: 'funding_program_imports', condition: 'new.file_row = 1100' }
    await whileStopped(server.context, stopped, async (isReached) => {
      const child = spawn(process.execPath, [program, ...argumentsOf(portal, file, [])], {
        env: cleanEnvironment(environment),
        stdio: 'ignore',
      })
      const isGone = new Promise((resolve) => child.once('exit', resolve))
      await expect.poll(isReached).toBe(true)
      child.kill('SIGKILL')
      await isGone
    })
    expect(await collectedRows(portal)).toBeGreaterThan(0)
    expect([await programsOf(portal), await catalogMoves(portal)]).toEqual([[], 0])
    expect(await importFile(portal, [rowOf('p0')])).toEqual(done(1))
    expect(await collectedRows(portal)).toBe(0)
    expect(await importFile(portal, rows)).toEqual(done(1199, 1))
  })

  test('leaves rows that are removed after a day', async () => {
    const portal = await newPortal(server)
    async function* untilKilled() {
      for (let row = 1; row <= 600; row++) yield { row, value: rowOf(`p${row}`) }
      throw new Error('killed')
    }
    const options = { portal_id: portal.id, isSkippingBad: false }
    await expect(importPrograms(server.context, untilKilled(), options)).rejects.toThrow('killed')
    expect(await collectedRows(portal)).toBeGreaterThan(0)
    await runRepeating(server.context, 'funding_programs.remove_dead_imports')
    expect(await collectedRows(portal)).toBeGreaterThan(0)
    server.clock.advance(day)
    await runRepeating(server.context, 'funding_programs.remove_dead_imports')
    expect(await collectedRows(portal)).toBe(0)
  })
})

describe('at the same time', () => {
  test('of two imports of one recipient at most one is whole, and the other changes nothing', async () => {
    const portal = await newPortal(server)
    const rows = Array.from({ length: 1500 }, (_, index) => rowOf(`p${index}`))
    const [one, two] = [fileOf(rows), fileOf(rows.map((row) => ({ ...row, name: 'Two' })))]
    const results = await Promise.all([one, two].map((file) => runPortico(argumentsOf(portal, file, []), environment)))
    for (const { code, stdout, stderr } of results) {
      if (code === 0) expect(JSON.parse(stdout)).toMatchObject({ refused: [] })
      else expect(stderr).toContain('Another import for the same recipient was started')
    }
    expect(results.some(({ code }) => code === 0)).toBe(true)
    const names = new Set((await programsOf(portal)).map(({ name }: { name: string }) => name.replace(/p\d+/, '')))
    expect(names.size).toBe(1)
  })

  test('a version that comes between the check and the last transaction is kept like the others', async () => {
    const portal = await newPortal(server)
    await importFile(portal, [rowOf('a'), rowOf('b')])
    const before = await byReference(portal, 'a')
    const { database } = server.context
    let transactions = 0
    const interrupted: typeof database = {
      ...database,
      async transaction(work) {
        // After those that collect the rows and keep the versions.
        if (++transactions === 3) {
          const headers = { 'if-match': before.etag }
          await portal.call('PATCH', before.url, { body: { name: 'Between' }, headers })
        }
        return database.transaction(work)
      },
    }
    const file = fileOf([rowOf('a', { name: 'New' }), rowOf('b', { name: 'New' })])
    const records = openProgramFile(file).records()
    const context = { ...server.context, database: interrupted }
    const result = await importPrograms(context, records, { portal_id: portal.id, isSkippingBad: false })
    expect(result).toMatchObject({ created: 0, updated: 2, unchanged: 0 })
    expect(await byReference(portal, 'a')).toMatchObject({ name: 'New', version: 3 })
    const names = [1, 2, 3].map(async (version) => (await findVersion(portal, before.id, version))?.name)
    expect(await Promise.all(names)).toEqual(['Programme a', 'Between', 'New'])
  })

  test("201 and 200 for the server's own writes while a file is imported", async () => {
    const portal = await newPortal(server)
    const rows = Array.from({ length: 3000 }, (_, index) => rowOf(`p${index}`))
    let isDone = false
    const imported = runImport(portal, rows).finally(() => {
      isDone = true
    })
    const statuses = new Set<number>()
    for (let count = 0; !isDone; count++) {
      const body = { name: 'By hand', funding_type: 'grant', external_reference: `hand-${count}` }
      const made = await portal.call('POST', 'funding-programs/', { body })
      statuses.add(made.status)
      const headers = { 'if-match': made.body.etag }
      statuses.add((await portal.call('POST', `${made.body.url}publish/`, { headers })).status)
    }
    expect(await imported).toEqual({ code: 0, ...done(3000) })
    expect([...statuses].sort()).toEqual([200, 201])
  })
})
