// Backup files and what doctor says before anything was ever started, with the built program.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployment } from '../src/platform/background/jobs.ts'
import { day, hour, second } from '../src/platform/clock.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Tx } from '../src/platform/database/database.ts'
import { newSecretKey, runJson } from './built-program.ts'
import { jsonHere, recordedForDeployment, runHere } from './command-here.ts'
import { engine, makeDatabase, openTestContext, type TestDatabase } from './harness.ts'
import { atLeisure } from './many-rows.ts'
import { withNotesRefused } from './refused-notes.ts'
import { startS3Server } from './s3-server.ts'

let place: TestDatabase
let environment: Record<string, string>
let folder: string

beforeAll(async () => {
  place = await makeDatabase({ hasSchema: true })
  environment = { ...place.environment, PORTICO_SECRET_KEY: newSecretKey() }
  folder = mkdtempSync(join(tmpdir(), 'portico-backups-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await place.remove()
})

describe('portico backup', () => {
  test('an existing file is replaced only with --force', async () => {
    const file = join(folder, 'monday.backup')
    writeFileSync(file, 'precious')
    const refused = await runHere(['backup', file], environment)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `portico: ${file} already exists. Choose another name, or add --force to replace it.\n`,
    ])
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect(await jsonHere(['backup', file, '--force'], environment)).toMatchObject({ file })
    expect(readFileSync(file).subarray(0, 2).toString('hex')).toBe('1f8b')
    expect(readdirSync(folder)).toEqual(['monday.backup'])
  })

  test('what is not a regular file is never replaced, and nothing is left where nothing can be written', async () => {
    const directory = join(folder, 'a-folder')
    mkdirSync(directory)
    for (const file of [directory, '/dev/null']) {
      const { code, stderr } = await runHere(['backup', file, '--force'], environment)
      expect([code, stderr]).toEqual([1, `portico: ${file} cannot be written: it is not a regular file.\n`])
    }
    const nowhere = await runHere(['backup', join(folder, 'missing', 'x.backup')], environment)
    expect(nowhere.stderr).toMatch(
      /cannot be written: its directory does not exist\. Create it, or name another one\.\n$/,
    )
    expect(readdirSync(folder)).toEqual(['a-folder', 'monday.backup'])
  })

  test('is in the audit log, unless the database refuses the entry: it is saved all the same, and the command says so', async () => {
    const own = await makeDatabase({ hasSchema: true })
    const settings = { ...own.environment, PORTICO_SECRET_KEY: newSecretKey() }
    const file = join(folder, 'own.backup')
    // Where there is no Portal yet, there is nothing to tell, and a backup can still be restored.
    expect(await jsonHere(['backup', file], settings)).toMatchObject({ in_audit_log: false })
    expect(await jsonHere(['restore', file], settings)).toMatchObject({ file })
    await jsonHere(['portal', 'create', '--name', 'Own'], settings)
    expect(await jsonHere(['backup', file, '--force'], settings)).toMatchObject({ in_audit_log: true })
    const { code, stdout } = await withNotesRefused(settings, () => runHere(['backup', file, '--force'], settings))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/The audit log has no entry of this backup: .*refused/)])
    const created = ['backup.created', deployment]
    const completed = ['backup.completed', deployment]
    expect(await recordedForDeployment(settings)).toEqual([created, completed])
    // One that failed on its way is in the log as begun: whoever watches backups must not take it for one.
    await withTableAway(settings, async () => {
      expect((await runHere(['backup', file, '--force'], settings)).code).toBe(1)
    })
    expect(await recordedForDeployment(settings)).toEqual([created, completed, created])
    await own.remove()
  })
})

describe('a table with more than fits into memory', () => {
  const withLittleRoom = (args: readonly string[], settings: Record<string, string>) =>
    runJson(args, { ...settings, NODE_OPTIONS: '--max-old-space-size=48' })

  test('is backed up and restored all the same', async () => {
    const [own, other] = [await makeDatabase({ hasSchema: true }), await makeDatabase({ hasSchema: true })]
    const settings = { ...own.environment, PORTICO_SECRET_KEY: newSecretKey() }
    const file = join(folder, 'large-rows.backup')
    const { context } = await openTestContext(readConfig(settings))
    await atLeisure(context, (tx) => insertSubmissions(tx, { rows: 1500, characters: 100 }))
    await atLeisure(context, (tx) => insertSubmissions(tx, { rows: 45, characters: 900_000 }))
    await context.database.close()
    const { rows } = await withLittleRoom(['backup', file], settings)
    expect(await withLittleRoom(['restore', file], { ...settings, ...other.environment })).toMatchObject({ rows })
    expect(rows).toBeGreaterThanOrEqual(1545)
    await own.remove()
    await other.remove()
  })
})

describe('portico restore', () => {
  test('creates nothing for a file that is no backup', async () => {
    const data = join(folder, 'new')
    const settings = { ...environment, PORTICO_DATA_DIR: data }
    const text = join(folder, 'a.txt')
    writeFileSync(text, 'not a backup')
    for (const file of [text, join(folder, 'gone.backup')]) {
      const { code, stderr } = await runHere(['restore', file], settings)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be read as a backup: .*[^.]\.\n$/)])
    }
    expect(existsSync(data)).toBe(false)
  })

  test('says of a pipe that a backup is read more than once, and not that it is damaged', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    for (const option of [[], ['--dry-run'], ['--drill']]) {
      const { code, stderr } = await runHere(['restore', pipe, ...option], environment)
      expect([code, stderr]).toEqual([
        1,
        `portico: ${pipe} is a pipe, and a backup is read more than once. Write the backup to a file, then restore the file.\n`,
      ])
    }
  })

  test('says of a file with one wrong byte that it is damaged, and not that another release wrote it', async () => {
    const file = join(folder, 'flipped.backup')
    await jsonHere(['backup', file], environment)
    // As bytes that were never compressed, so that the wrong one is in the name of a table.
    const bytes = gzipSync(gunzipSync(readFileSync(file)), { level: 0 })
    const place = bytes.indexOf('portal_settings') + 8
    writeFileSync(file, bytes.fill('c', place, place + 1))
    const { code, stderr } = await runHere(['restore', file, '--dry-run'], environment)
    expect([code, stderr]).toEqual([1, `portico: ${file} is damaged: incorrect data check. Use a different backup.\n`])
  })

  test('needs the key of the backup, rather than making up another', async () => {
    const file = join(folder, 'whole.backup')
    await jsonHere(['backup', file], environment)
    const data = join(folder, 'without-key')
    const { code, stderr } = await runHere(['restore', file], { PORTICO_DATA_DIR: data })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('requires the secret key that the backup was created with'),
    ])
    expect(existsSync(data)).toBe(false)
  })
})

describe('portico doctor', () => {
  const findingsOf = async (settings: Record<string, string>) => {
    const { code, stdout } = await runHere(['doctor', '--json'], settings)
    const { findings } = JSON.parse(stdout)
    const of = (check: string) => findings.filter((finding: { check: string }) => finding.check === check)
    return { code, of }
  }

  test.each(['/dev/null/data', '/proc/portico/data'])('the data directory %s cannot be used', async (data) => {
    const { code, of } = await findingsOf({ ...environment, PORTICO_DATA_DIR: data })
    const check = engine === 'sqlite' ? 'data directory' : 'file store'
    expect(of(check)).toMatchObject([{ outcome: 'problem', message: expect.stringContaining('cannot be used: E') }])
    expect(of('file store')[0].outcome).toBe('problem')
    expect(code).toBe(1)
  })

  test('says when the last backup was completed, and warns in production where it is missed', async () => {
    const own = await makeDatabase({ hasSchema: true })
    const settings = { ...own.environment, PORTICO_SECRET_KEY: newSecretKey(), PORTICO_ENVIRONMENT: 'production' }
    const staging = { ...settings, PORTICO_ENVIRONMENT: 'staging' }
    const backups = async (by = settings) => (await findingsOf(by)).of('backups')[0]
    await jsonHere(['portal', 'create', '--name', 'Own'], settings)
    // A deployment of today has none yet.
    expect(await backups()).toEqual(
      expect.objectContaining({ outcome: 'ok', message: expect.stringContaining('no backup yet') }),
    )
    await moveBack(settings, 'portals', 2 * day)
    expect(await backups()).toMatchObject({ outcome: engine === 'sqlite' ? 'warning' : 'ok' })
    expect(await backups(staging)).toMatchObject({ outcome: 'ok' })

    const file = join(folder, 'watched.backup')
    const backUp = () => jsonHere(['backup', file, '--force'], settings)
    await backUp()
    expect(await backups()).toMatchObject({
      outcome: 'ok',
      message: expect.stringMatching(/^portico backup completed the last backup \d+ seconds? ago$/),
    })
    await moveBack(settings, 'audit_notes', 20 * hour)
    expect(await backups()).toMatchObject({ outcome: 'ok', message: expect.stringContaining('20 hours ago') })
    // One alone may have been made before an upgrade, where PostgreSQL is backed up in another way.
    await moveBack(settings, 'audit_notes', 20 * hour)
    expect(await backups()).toMatchObject({ outcome: engine === 'sqlite' ? 'warning' : 'ok' })
    await moveBack(settings, 'audit_notes', -20 * hour)
    await backUp()
    await moveBack(settings, 'audit_notes', 27 * hour)
    expect(await backups()).toMatchObject({
      outcome: 'warning',
      message: expect.stringContaining('27 hours ago. The handbook'),
    })
    expect(await backups(staging)).toMatchObject({ outcome: 'ok' })
    await own.remove()
  })

  test('a data directory that can be created is fine, and is not created by asking', async () => {
    const data = join(folder, 'deep', 'er')
    const { code, of } = await findingsOf({ ...environment, PORTICO_DATA_DIR: data })
    expect([code, of('file store')[0].outcome]).toEqual([0, 'ok'])
    expect(existsSync(join(folder, 'deep'))).toBe(false)
  })

  test('an object store is tried with a file that is removed again, and what is wrong is said in a sentence', async () => {
    const account = { access_key_id: 'AKIATEST', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
    const store = await startS3Server(account)
    const endpoint = encodeURIComponent(store.endpoint)
    const settings = {
      ...environment,
      PORTICO_FILES_URL: `s3://files?endpoint=${endpoint}&region=eu-central-1&path_style=true`,
      PORTICO_S3_ACCESS_KEY_ID: account.access_key_id,
      PORTICO_S3_SECRET_ACCESS_KEY: account.secret_access_key,
    }
    try {
      const careful = await findingsOf(settings)
      expect([careful.code, careful.of('file store').length]).toEqual([0, 6])
      expect(careful.of('file store')[0].message).toContain('rejects uploads')
      store.faults.ignoresDigests = true
      const careless = await findingsOf(settings)
      expect([careless.code, careless.of('file store')[0]]).toEqual([
        0,
        { check: 'file store', outcome: 'ok', message: expect.stringContaining('Portico checks every upload itself') },
      ])
      store.faults.unsignedHeaders = 'obeyed'
      const open = await findingsOf(settings)
      expect(open.code).toBe(1)
      expect(open.of('file store')).toContainEqual({
        check: 'file store',
        outcome: 'problem',
        message: expect.stringContaining('headers that are not signed: whoever holds an upload request can read other'),
      })
      expect(store.objects.size).toBe(0)
      const refused = await findingsOf({ ...settings, PORTICO_S3_SECRET_ACCESS_KEY: 'wrong' })
      expect(refused.code).toBe(1)
      expect(refused.of('file store')).toMatchObject([{ outcome: 'problem', message: expect.stringMatching(/403/) }])
    } finally {
      await store.close()
    }
  })
})

/** Those of one application. */
async function insertSubmissions(tx: Tx, { rows, characters }: { rows: number; characters: number }): Promise<void> {
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(rows)})
    insert into submissions (portal_id, application_id, number, sha256, sealed_content, submitted_at)
    select 'por_0', ${`app_${characters}`}, n, '', ${'x'.repeat(characters)}, '2026-01-01T00:00:00.000Z' from numbers
  `.execute(tx)
}

async function change(settings: Record<string, string>, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const { context } = await openTestContext(readConfig(settings))
  await context.database.transaction(work)
  await context.database.close()
}

/** A table that a backup reads is not there meanwhile. */
async function withTableAway(settings: Record<string, string>, work: () => Promise<void>): Promise<void> {
  await change(settings, (tx) => sql`alter table matched_deals rename to matched_deals_away`.execute(tx))
  await work()
  await change(settings, (tx) => sql`alter table matched_deals_away rename to matched_deals`.execute(tx))
}

/** What was written was written so much earlier. */
async function moveBack(settings: Record<string, string>, table: 'portals' | 'audit_notes', milliseconds: number) {
  const seconds = sql.lit(-milliseconds / second)
  const earlier =
    engine === 'postgres'
      ? sql`created_at + ${seconds} * interval '1 second'`
      : sql`strftime('%Y-%m-%dT%H:%M:%fZ', created_at, ${seconds} || ' seconds')`
  await change(settings, (tx) => sql`update ${sql.table(table)} set created_at = ${earlier}`.execute(tx))
}
