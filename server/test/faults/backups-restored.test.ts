// R16. A backup is written while requests go on, more is written afterwards, and the backup is restored: exactly its rows,
// and its files byte by byte. What is wrong with a backup, or under it, is one sentence and leaves nothing behind.
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import { cleanEnvironment, newSecretKey, program, type RunningServer, runJson } from '../built-program.ts'
import { jsonHere, recordedForDeployment, runHere } from '../command-here.ts'
import { describeOn, engine, makeDatabase, openTestContext, type TestDatabase } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { runSql } from '../postgres-cluster.ts'
import { startS3Server } from '../s3-server.ts'
import { rest } from './busy-clients.ts'
import { beginIntake, declareFile, here } from './declared-files.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { faultTimeoutMs, scale } from './scale.ts'
import { bucketSettings } from './spread.ts'

let deployment: Deployment
let folder: string
let whole: string
let other: TestDatabase
let settings: Record<string, string>
beforeAll(async () => {
  deployment = await newDeployment({ files: 'directory' })
  folder = mkdtempSync(join(tmpdir(), 'portico-backups-'))
  whole = join(folder, 'whole.backup')
  other = await makeDatabase()
  settings = { ...deployment.environment, ...other.environment }
  const { context } = await openTestContext(readConfig(deployment.environment))
  const caller = { context, portal_id: deployment.portal_id, request_id: null }
  await context.database.transaction((tx) => publishContract(tx, caller, shortContract))
  await context.database.close()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await other.remove()
  await deployment.remove()
})

type Line = Record<string, unknown>
const linesOf = (file: string): Line[] =>
  gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
/** As an earlier release would have written it, unless the code of the end is to stay. */
const write = (name: string, given: readonly Line[], { keepsCode = false } = {}) => {
  const file = join(folder, name)
  const lines = given.map((line) => ('end' in line && !keepsCode ? { end: line.end } : line))
  writeFileSync(file, gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { level: 1 }))
  return file
}
const oneSentence = (words: string) => expect.stringMatching(new RegExp(`^portico: [^\n]*${words}[^\n]*\n$`))

test('exactly the rows of the backup, and every file by its digest', { timeout: 3 * faultTimeoutMs }, async () => {
  const server = await deployment.start()
  const { key } = deployment
  const create = () => server.call('POST', 'businesses/', { key, body: deployment.business({ tax_id: '12-3456789' }) })
  for (let made = 0; made < scale.backedUpBusinesses; made++) await create()
  const files = []
  for (let sent = 0; sent < scale.backedUpFiles; sent++) files.push(await upload(server))

  // Others write before, during and after it.
  let isWriting = true
  const writers = Array.from({ length: 4 }, async () => {
    while (isWriting) {
      expect((await create()).status).toBe(201)
      await rest()
    }
  })
  const written = await runJson(['backup', whole, '--with-files'], deployment.environment)
  isWriting = false
  await Promise.all(writers)
  await create()
  expect(written.files).toEqual({ whole: files.length, missing: 0, damaged: 0, removed: 0 })

  const dry = await jsonHere(['restore', whole, '--dry-run'], settings)
  expect(dry).toMatchObject({ rows: written.rows, files: files.length, lost_files: [], is_authentic: true })
  // Not even the tables are there: the restore makes them.
  expect(existsSync(join(other.environment.PORTICO_DATA_DIR ?? '', 'portico.db'))).toBe(false)
  expect(await runJson(['restore', whole], settings)).toMatchObject({ rows: written.rows, files: files.length })
  expect(await jsonHere(['files', 'verify'], settings)).toMatchObject({ checked: files.length, damaged: [] })
  const restored = join(other.environment.PORTICO_DATA_DIR ?? '', 'files', deployment.portal_id)
  // Asked of the bytes themselves: to compare them one by one takes seconds.
  for (const { id, content } of files) expect(content.equals(readFileSync(join(restored, id))), id).toBe(true)

  const again = join(folder, 'again.backup')
  await jsonHere(['backup', again, '--with-files'], settings)
  expect(comparable(linesOf(again))).toEqual(comparable(linesOf(whole)))
  const [first, second] = [whole, again].map((backup) => linesOf(backup).filter(isOfBackup))
  expect([first?.length, second?.slice(0, first?.length)]).toEqual([1, first])
  report('R16 backup and restore', { rows: written.rows, files: files.length, 'rows that differ': 0 })
})

const isOfBackup = ({ row }: Line) => (row as Record<string, unknown> | undefined)?.action === 'backup.created'

/** Everything but heading, end and the notes of restore and backups; numbers of events go on far behind those of the backup. */
function comparable(lines: readonly Line[]): string[] {
  return lines.slice(1, -1).flatMap((line) => {
    const row = line.row as Record<string, unknown> | undefined
    if (row?.action === 'portal.restored' || isOfBackup(line)) return []
    if (row && 'last_sequence' in row) return JSON.stringify({ ...row, last_sequence: 0 })
    // PostgreSQL counts what has no number yet anew.
    if (row && 'inserted' in row) return JSON.stringify({ ...row, inserted: null })
    return JSON.stringify(line)
  })
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a drill that is stopped by %s leaves nothing behind',
  async (signal) => {
    const drills = mkdtempSync(join(folder, 'stopped-drills-'))
    const environment = { ...deployment.environment, TMPDIR: drills }
    const { PORTICO_DATABASE_URL: url = '' } = deployment.environment
    const databases = async () =>
      engine === 'postgres'
        ? (await runSql(url, "select datname from pg_database where datname like 'portico\\_drill\\_%'")).length
        : 0
    const before = await databases()
    const drill = spawn(process.execPath, [program, 'restore', whole, '--drill'], {
      env: cleanEnvironment(environment),
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => drill.once('exit', (_, by) => resolve(by)))
    const restores = () => readdirSync(drills).some((name) => existsSync(join(drills, name, 'portico.db')))
    await expect
      .poll(async () => (engine === 'postgres' ? (await databases()) > before : restores()), { interval: 5 })
      .toBe(true)
    await rest()
    drill.kill(signal)
    expect(await ended).toBe(signal)
    expect([readdirSync(drills), await databases()]).toEqual([[], before])
  },
)

test('a drill restores into a database of its own, reports, and leaves nothing behind', async () => {
  const drills = mkdtempSync(join(folder, 'drills-'))
  // What drills that were killed have left; another process has the number of the second one now.
  for (const [pid, minutes] of [
    [spawnSync('true').pid, 6],
    [process.pid, 70],
  ] as const) {
    const left = join(drills, `portico-drill-${pid}-0a1b2c3d`)
    mkdirSync(left)
    const then = Date.now() / 1000 - 60 * minutes
    utimesSync(left, then, then)
  }
  const { PORTICO_DATABASE_URL: url = '' } = deployment.environment
  const leftDatabase = `portico_drill_1_${randomBytes(6).toString('hex')}`
  if (engine === 'postgres') await runSql(url, `create database ${leftDatabase}`)
  const drill = await runJson(['restore', whole, '--drill'], { ...deployment.environment, TMPDIR: drills })
  expect(drill).toMatchObject({ engine, files: scale.backedUpFiles, checks: expect.any(Array) })
  expect(drill.checks.map(({ check, outcome }: Record<string, string>) => `${check} ${outcome}`)).toEqual([
    'age ok',
    'changes ok',
    'rows ok',
    'references ok',
    'audit log ok',
    'secret key ok',
    'files ok',
  ])
  expect(drill.seconds).toBeGreaterThan(0)
  expect(readdirSync(drills)).toEqual([])
  // It is free again.
  for (const act of engine === 'postgres' ? ['create', 'drop'] : [])
    await runSql(url, `${act} database ${leftDatabase}`)

  // A row that others belong to is gone, and nobody noticed when the backup was copied together.
  const lines = linesOf(whole)
  const table = lines.findIndex((line) => line.table === 'client_intake_applications')
  const [heading, ...rest] = lines.filter((_, index) => index !== table + 1)
  const rows = Number(heading?.rows) - 1
  const torn = write('torn.backup', [{ ...heading, rows }, ...rest.slice(0, -1), { end: rows }])
  const { code, stdout, stderr } = await runHere(['restore', torn, '--drill', '--json'], deployment.environment)
  expect(stderr).toContain('1 problem found')
  const found = JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'references')
  expect([code, found.message]).toEqual([
    1,
    expect.stringMatching(/1 row of files without client_intake_applications or deal_applications\./),
  ])
})

describeOn('postgres')('a drill with a role that may not create databases', () => {
  test('restores into SQLite, and says that it does and what that does not show', async () => {
    const server = inject('postgresUrl') ?? ''
    const { PORTICO_DATABASE_URL: own = '' } = deployment.environment
    const role = `drill_${randomBytes(4).toString('hex')}`
    await runSql(server, `create role ${role} login password '${new URL(server).password}'`)
    const PORTICO_DATABASE_URL = Object.assign(new URL(own), { username: role }).href
    const { code, stdout } = await runHere(['restore', whole, '--drill'], {
      ...deployment.environment,
      PORTICO_DATABASE_URL,
    })
    await runSql(server, `drop role ${role}`)
    expect([code, stdout]).toEqual([0, expect.stringContaining('into a temporary SQLite database')])
    expect(stdout).toContain(
      '! database: Restored into SQLite, because the role may not create a database (CREATEDB): this shows that the backup is whole, and not that PostgreSQL accepts it or how long that takes.',
    )
  })
})

test('a backup that somebody has changed is refused; one without a code is checked as far as that is possible', async () => {
  // Entries are chained, so that they are in the backup as a part of the audit log.
  await jsonHere(['audit', 'export', '--output', join(folder, 'audit.jsonl')], deployment.environment)
  const signed = join(folder, 'signed.backup')
  await jsonHere(['backup', signed], deployment.environment)
  const lines = linesOf(signed)
  const changedIn = (table: string, change: Line) => {
    const place = lines.findIndex((line) => line.table === table) + 1
    return lines.map((line, at) => (at === place ? { row: { ...(line.row as Line), ...change } } : line))
  }
  const changes: Record<string, readonly Line[]> = {
    'a legal name': changedIn('businesses', { legal_name: 'Somebody else Ltd' }),
    'an audit entry': changedIn('audit_log', { action: 'portal.renamed' }),
    'the heading': [{ ...lines[0], created_at: '2020-01-01T00:00:00.000Z' }, ...lines.slice(1)],
    'the code': [...lines.slice(0, -1), { ...lines.at(-1), code: 'AAAA' }],
    'the name of a table': lines.map((line) =>
      line.table === 'portal_settings' ? { table: 'portal_scttings' } : line,
    ),
  }
  for (const [name, content] of Object.entries(changes)) {
    const file = write('changed.backup', content, { keepsCode: true })
    for (const how of [['--dry-run'], ['--drill'], []]) {
      const { code, stderr } = await runHere(['restore', file, ...how], settings)
      expect([name, how, code, stderr]).toEqual([name, how, 1, oneSentence('changed.backup was changed after it was')])
    }
  }
  const ended = lines.map((line) => ('end' in line ? { table: 'jobs', ...line } : line))
  const more = write('more.backup', ended, { keepsCode: true })
  expect((await runHere(['restore', more, '--dry-run'], settings)).stderr).toContain('was changed after it was written')
  const longer = write('longer.backup', [...lines, { table: 'businesses' }], { keepsCode: true })
  expect((await runHere(['restore', longer, '--dry-run'], settings)).stderr).toContain('comes after the end')

  // A rotation later, the old key still proves it; without it, the key is what is missing.
  const rotated = { ...settings, PORTICO_SECRET_KEY: newSecretKey() }
  const previous = { ...rotated, PORTICO_SECRET_KEY_PREVIOUS: settings.PORTICO_SECRET_KEY ?? '' }
  const own = await makeDatabase()
  const proven = await jsonHere(['restore', signed, '--dry-run'], { ...previous, ...own.environment })
  expect(proven).toMatchObject({ is_authentic: true })
  expect((await runHere(['restore', signed, '--dry-run'], rotated)).stderr).toContain('a different secret key')
  await own.remove()

  const drill = async (content: readonly Line[]) => {
    const file = write('unsigned.backup', content)
    const { code, stdout, stderr } = await runHere(['restore', file, '--drill', '--json'], deployment.environment)
    const { checks } = JSON.parse(stdout)
    const of = (check: string) => checks.find((one: { check: string }) => one.check === check)
    return { code, stderr, age: of('age'), changes: of('changes'), log: of('audit log') }
  }
  const cannotTell = { outcome: 'warning', message: expect.stringContaining('Whether it was changed cannot be') }
  expect(await drill(lines)).toMatchObject({
    ...{ code: 0, changes: cannotTell, log: { outcome: 'ok' } },
    age: { outcome: 'ok', message: 'the backup was written 0 hours ago' },
  })
  // An old one is no problem in itself, but nobody is to take it for last night's.
  const created_at = new Date(Date.now() - 7 * 24 * 3600 * 1000).toISOString()
  const warning = 'The backup is more than a day old: it was written 7 days ago. Check that newer backups are written.'
  expect(await drill([{ ...lines[0], created_at }, ...lines.slice(1)])).toMatchObject({
    ...{ code: 0, stderr: expect.stringContaining(warning) },
    age: { outcome: 'warning', message: warning },
  })
  expect(await drill(changes['an audit entry'] ?? [])).toMatchObject({
    code: 1,
    changes: cannotTell,
    log: { outcome: 'problem', message: expect.stringMatching(/is broken at entry 1: it was changed/) },
  })
  const misnamed = write('misnamed.backup', changes['the name of a table'] ?? [])
  expect((await runHere(['restore', misnamed, '--dry-run'], settings)).stderr).toEqual(
    oneSentence('does not know: portal_scttings. Restore it with .* If that is this release, the file is damaged'),
  )
})

describe('what is wrong with a backup is one sentence', () => {
  const refusal = async (file: string) => (await runHere(['restore', file, '--dry-run'], settings)).stderr

  test('its format, a line, a row, a file, or its end', async () => {
    const lines = linesOf(whole)
    const [heading, ...rest] = lines
    const place = lines.findIndex((line) => line.table === 'businesses') + 1
    const changed = (index: number, line: Line) => lines.map((one, at) => (at === index ? line : one))
    const nameless = { ...(lines[place + 1]?.row as Record<string, unknown>), legal_name: undefined }
    const bytes = lines.findIndex((line) => 'bytes' in line)
    const cases: [string, readonly Line[], string][] = [
      [
        'version',
        [{ ...heading, portico_backup: 7 }, ...rest],
        'backup format 7; this release reads the formats 1 and 2',
      ],
      ['newer', [{ ...heading, migrations: ['9999-later'] }, ...rest], 'created by a newer release'],
      ['row', changed(place, { row: null }), `line ${place + 1} is not a row`],
      [
        'key',
        changed(place, { row: { portal_id: 'x' } }),
        `line ${place + 1} is a row of the table businesses without id`,
      ],
      ['columns', changed(place + 1, { row: nameless }), 'with different columns than the rows before it'],
      ['bytes', changed(bytes, { bytes: 'AAAA' }), 'whose bytes do not match its SHA-256'],
      ['end', lines.slice(0, -1), 'is incomplete: its last line is missing\\. Use a different backup\\.'],
    ]
    for (const [name, content, words] of cases) expect(await refusal(write(name, content))).toEqual(oneSentence(words))
  })

  test('a value that the table refuses leaves the database as empty as it was', async () => {
    const own = await makeDatabase()
    const lines = linesOf(whole)
    const place = lines.findIndex((line) => line.table === 'businesses') + 1
    const row = { ...(lines[place]?.row as Record<string, unknown>), legal_name: null }
    const file = write(
      'null.backup',
      lines.map((line, index) => (index === place ? { row } : line)),
    )
    const target = { ...settings, ...own.environment }
    expect(await runHere(['restore', file], target)).toMatchObject({
      code: 1,
      stderr: oneSentence('A row of the table businesses cannot be restored: .*legal_name'),
    })
    expect(await jsonHere(['portal', 'list'], target)).toEqual([])
    await own.remove()
  })
})

test('files go to an object store as well as to a directory', async () => {
  const account = { access_key_id: 'AKIATEST', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
  const store = await startS3Server(account)
  const own = await makeDatabase()
  const target = { ...settings, ...own.environment, ...bucketSettings(store, account) }
  try {
    await jsonHere(['restore', whole], target)
    expect(store.objects.size).toBe(scale.backedUpFiles)
    expect(await jsonHere(['files', 'verify'], target)).toMatchObject({ checked: scale.backedUpFiles, damaged: [] })
    const copy = join(folder, 'from-store.backup')
    await jsonHere(['backup', copy, '--with-files'], target)
    const filesIn = (file: string) => linesOf(file).filter((line) => 'file' in line || 'file_end' in line)
    expect(filesIn(copy)).toEqual(filesIn(whole))
    // One that the store has lost is named, and the rest is still worth having.
    store.objects.delete([...store.objects.keys()][0] ?? '')
    const completed = async () =>
      (await recordedForDeployment(target)).filter(([action]) => action === 'backup.completed').length
    const before = await completed()
    for (const _ of ['first', 'again']) {
      const short = await runHere(['backup', copy, '--with-files', '--force'], target)
      expect([short.code, short.stderr]).toEqual([1, oneSentence('complete except for 1 file')])
      // The one that has the file is kept beside it for as long, and is the last that counts.
      expect(filesIn(copy)).not.toEqual(filesIn(whole))
      expect(filesIn(`${copy}.before`)).toEqual(filesIn(whole))
    }
    expect(await completed()).toBe(before)
    const [gone] = filesIn(whole).flatMap((line) => ('file' in line ? [line] : []))
    expect(gone).toBeDefined()
  } finally {
    await store.close()
    await own.remove()
  }
})

test('a disk that fills up under a backup is one sentence, and nothing stays of it', async () => {
  const target = join(folder, 'full')
  execFileSync('mkdir', [target])
  const limited = `ulimit -f 64; exec "$0" "$@"`
  const command = [process.execPath, program, 'backup', join(target, 'x.backup'), '--with-files']
  const stderr = await new Promise<string>((resolve) =>
    execFile('bash', ['-c', limited, ...command], { env: cleanEnvironment(deployment.environment) }, (_e, _out, text) =>
      resolve(text),
    ),
  )
  expect(stderr).toEqual(oneSentence('x.backup cannot be written: E(FBIG|NOSPC).*No incomplete file is left'))
  expect(readdirSync(target)).toEqual([])
})

describe('a backup that is held up', () => {
  let target: string
  let stored: string
  let child: ChildProcess
  let ended: Promise<{ code: number | null; stderr: string }>
  let part: string
  const parts = () => readdirSync(target).filter((name) => name.endsWith('.part'))
  /** As if it had not been marked for so long. */
  const age = (minutes: number) => {
    const then = Date.now() / 1000 - 60 * minutes
    utimesSync(part, then, then)
  }
  const nextBackup = (name: string) => jsonHere(['backup', join(target, name)], deployment.environment)
  beforeEach(async () => {
    target = mkdtempSync(join(folder, 'held-up-'))
    // A file that does not end holds the backup up where it is.
    const files = join(deployment.environment.PORTICO_DATA_DIR ?? '', 'files', deployment.portal_id)
    stored = join(files, readdirSync(files)[0] ?? '')
    renameSync(stored, `${stored}.kept`)
    execFileSync('mkfifo', [stored])
    child = spawn(process.execPath, [program, 'backup', join(target, 'a.backup'), '--with-files'], {
      env: cleanEnvironment(deployment.environment),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr?.on('data', (bytes) => {
      stderr += bytes
    })
    ended = new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr })))
    await expect.poll(parts, { timeout: 20_000 }).toHaveLength(1)
    part = join(target, parts()[0] ?? '')
    await expect.poll(() => statSync(part).size, { timeout: 20_000 }).toBeGreaterThan(0)
  })
  afterEach(() => {
    child.kill('SIGKILL')
    renameSync(`${stored}.kept`, stored)
  })

  test('is left in peace by the next one; when it was killed, the next one removes what it left', async () => {
    age(50)
    await nextBackup('b.backup')
    expect(parts()).toHaveLength(1)
    child.kill('SIGKILL')
    await ended
    age(6)
    writeFileSync(join(target, 'film.12345.part'), 'of somebody else')
    await nextBackup('c.backup')
    expect(readdirSync(target).sort()).toEqual(['b.backup', 'c.backup', 'film.12345.part'])
  })

  test('and paused for more than an hour loses what it has written to the next one, and says so', async () => {
    child.kill('SIGSTOP')
    age(70)
    await nextBackup('b.backup')
    expect(readdirSync(target)).toEqual(['b.backup'])
    child.kill('SIGCONT')
    await writeFile(stored, readFileSync(`${stored}.kept`))
    expect(await ended).toEqual({
      code: 1,
      stderr: oneSentence('a.backup was not written: its temporary file was deleted .* Run the command again\\.'),
    })
    expect(readdirSync(target)).toEqual(['b.backup'])
  })
})

test('a file that is deleted while a backup is written is no loss, and the rows wait for no file', async () => {
  const files = join(deployment.environment.PORTICO_DATA_DIR ?? '', 'files', deployment.portal_id)
  const [first = '', second = ''] = readdirSync(files).sort()
  const content = readFileSync(join(files, first))
  const withoutFiles = join(folder, 'without-files.backup')
  await jsonHere(['backup', withoutFiles], deployment.environment)
  rmSync(join(files, first))
  execFileSync('mkfifo', [join(files, first)])
  const written = runJson(['backup', join(folder, 'meanwhile.backup'), '--with-files'], deployment.environment)
  // Opened when the backup reads it: the rows are written by then.
  const pipe = await open(join(files, first), 'w')
  const { context } = await openTestContext(readConfig(deployment.environment))
  const longTransactions = async () => {
    if (engine === 'sqlite') return []
    const { rows } = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and xact_start < now() - interval '1 second'
    `.execute(context.database.read)
    return rows
  }
  await expect.poll(longTransactions, { timeout: 20_000 }).toEqual([])
  await context.database.transaction((tx) => tx.deleteFrom('files').where('id', '=', second).execute())
  await context.database.close()
  rmSync(join(files, second))
  await pipe.writeFile(content)
  await pipe.close()
  expect((await written).files).toEqual({ whole: scale.backedUpFiles - 1, missing: 0, damaged: 0, removed: 1 })
  rmSync(join(files, first))
  writeFileSync(join(files, first), content)
  // A drill of a backup without files asks the file store, and the deployment what was deleted since.
  const drill = await jsonHere(['restore', withoutFiles, '--drill'], deployment.environment)
  expect(drill.checks.at(-1)).toMatchObject({ outcome: 'ok', message: expect.stringMatching(/1 file deleted since/) })
})

async function upload(server: RunningServer): Promise<{ id: string; content: Buffer }> {
  const content = Buffer.from(`a,b\n${randomBytes(100_000).toString('hex')}\n`)
  const file = await declareFile(server, deployment, await beginIntake(server, deployment), content)
  const { headers } = file.upload
  const answer = await fetch(here(server, file.upload.url), { method: 'PUT', headers, body: new Uint8Array(content) })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  return { id: file.id, content }
}
