// Bytes in the file store that no record has, as after the restore of an older backup: found, and removed when asked for.
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { insertErasedFiles } from '../src/building-blocks/peoples-data/queries.ts'
import { createPortal } from '../src/building-blocks/portals/commands.ts'
import { deleteFileRow, insertFile } from '../src/building-blocks/questionnaires/files/queries.ts'
import type { AuditEntry } from '../src/platform/audit/entries.ts'
import { deployment } from '../src/platform/background/jobs.ts'
import { day, hour, isoTime } from '../src/platform/clock.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Context } from '../src/platform/context.ts'
import { newId } from '../src/platform/values/ids.ts'
import { environmentOf, newSecretKey } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { bucketSettings } from './faults/spread.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import {
  makeDatabase,
  newPortal,
  openTestContext,
  startTestServer,
  type TestDatabase,
  type TestPortal,
  type TestServer,
} from './harness.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

const verify = ['files', 'verify']
const remove = (count: number) => [...verify, '--remove-unknown', String(count)]

/** Who removed what, in which log. */
async function removalsIn(settings: Record<string, string>): Promise<[string, string][]> {
  const { stdout } = await runHere(['audit', 'export'], settings)
  const entries: AuditEntry[] = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return entries
    .filter(({ action }) => action === 'file.removed_unknown')
    .map(({ portal_id, resource }) => [portal_id, resource.id])
}

describe('files in a directory, after the restore of a backup', () => {
  let server: TestServer
  let place: TestDatabase
  let folder: string
  let files: string
  let before: Record<string, string>
  let restored: Record<string, string>
  beforeAll(async () => {
    server = await startTestServer()
    place = await makeDatabase()
    folder = mkdtempSync(join(tmpdir(), 'portico-unknown-'))
    const { data_dir } = server.context.config
    files = join(data_dir, 'files')
    before = environmentOf(server.context.config)
    restored = { ...place.environment, PORTICO_SECRET_KEY: before.PORTICO_SECRET_KEY ?? '', PORTICO_FILES_URL: files }
  })
  afterAll(async () => {
    await server.stop()
    await place.remove()
    rmSync(folder, { recursive: true })
  })

  const send = async (portal: TestPortal) => {
    const application = await newIntake(portal)
    const bytes = Buffer.from(`date,amount\n2026-03-01,${application.id}\n`)
    const { body } = await portal.call('POST', application.files_url, {
      body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') },
      headers: { 'if-match': application.etag },
    })
    expect((await upload(body.upload, bytes)).status).toBe(200)
    return `${portal.id}/${body.id}`
  }
  const age = (keys: readonly string[], milliseconds: number) => {
    const time = new Date(server.clock.wall() - milliseconds)
    for (const key of keys) utimesSync(join(files, key), time, time)
  }
  const thereOf = (keys: readonly string[]) => keys.filter((key) => existsSync(join(files, key)))

  test('what was uploaded since is reported, and removed on request once it is a day old; files with a row of any state stay', async () => {
    const portal = await newPortal(server)
    const states = ['available', 'awaiting_upload', 'scanning', 'rejected', 'expired', 'removed'] as const
    const known: string[] = []
    for (const state of states) {
      const key = await send(portal)
      known.push(key)
      await server.context.database.transaction((tx) =>
        tx
          .updateTable('files')
          .set({ state })
          .where('portal_id', '=', portal.id)
          .where('id', '=', key.split('/')[1] ?? '')
          .execute(),
      )
    }
    const backup = join(folder, 'a.backup')
    await jsonHere(['backup', backup], before)
    const late = await send(portal)
    const later = await newPortal(server)
    // Of a Portal that the backup does not have.
    const strange = await send(later)
    mkdirSync(join(files, 'lost+found'))
    const foreign = ['readme.txt', `${portal.id}/notes.txt`, `${late}.part`]
    for (const name of foreign) writeFileSync(join(files, name), 'not ours')
    age([...known, ...foreign, strange], 2 * day)
    age([late], day - hour)

    // Nothing is restored yet: nobody can tell whose files these are.
    const nothing = await makeDatabase({ hasSchema: true })
    const unrestored = { ...restored, ...nothing.environment }
    const early = { checked: 0, unknown_count: 0, unknown_foreign: known.length + 2, unknown_removed: 0 }
    expect(await jsonHere(remove(0), unrestored)).toMatchObject(early)
    expect((await runHere(verify, unrestored)).stdout).toMatch(
      /The file store has 8 files of Portals that are not in this database\. Such files belong to a different deployment or /,
    )
    await nothing.remove()

    await jsonHere(['restore', backup], restored)
    const report = await jsonHere(verify, restored)
    expect(report).toEqual({
      ...{ checked: 3, damaged: [], damaged_count: 0, unread: [], unread_count: 0, removed: 0 },
      unknown: [{ key: late, is_upload: false, modified_at: expect.any(String) }],
      ...{ unknown_count: 1, unknown_removable: 0, unknown_young: 1, unknown_future: 0 },
      ...{ unknown_foreign: 1, unknown_removed: 0 },
    })
    const young = 'Less than one day old and not removed: 1. Run portico files verify again tomorrow.'
    const { code, stdout } = await runHere(verify, restored)
    expect([code, stdout.split('\n').slice(1, 3)]).toEqual([
      0,
      [expect.stringMatching(/^The file store has 1 file without a record, .* --json lists them\.$/), young],
    ])
    expect((await runHere(remove(0), restored)).stdout).toContain(`Removed 0 of 1 file without a record.\n${young}\n`)

    age([late], -2 * hour)
    expect((await runHere(remove(0), restored)).stdout).toContain(
      'Removed 0 of 1 file without a record.\nWith a time in the future and not removed: 1. Check the clocks of this machine and of the file store.\n',
    )
    age([late], day)
    expect((await runHere(verify, restored)).stdout).toMatch(
      / Caution: a different deployment that uses the same file store.* may need these files\. .*: portico files verify --remove-unknown 1\n/,
    )
    expect(await jsonHere(remove(1), restored)).toMatchObject({ unknown_count: 1, unknown_removed: 1 })
    expect(thereOf([...known, ...foreign, late, strange])).toEqual([...known, ...foreign, strange])
    expect(await jsonHere(remove(0), restored)).toMatchObject({ checked: 3, unknown: [], unknown_count: 0 })
    expect(await removalsIn(restored)).toEqual([late.split('/')])
  })
})

describe('files in a bucket', () => {
  const account = { access_key_id: 'AKIATEST', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
  let store: S3Server
  let place: TestDatabase
  let settings: Record<string, string>
  let context: Context
  let portal_id: string
  beforeAll(async () => {
    store = await startS3Server(account)
    place = await makeDatabase({ hasSchema: true })
    settings = { ...place.environment, PORTICO_SECRET_KEY: newSecretKey(), ...bucketSettings(store, account) }
    context = (await openTestContext(readConfig(settings))).context
    portal_id = (await context.database.transaction((tx) => createPortal(tx, context, { name: 'Bucket' }))).id
  })
  afterAll(async () => {
    await context.files.close()
    await context.database.close()
    await place.remove()
    await store.close()
  })
  afterEach(() => {
    for (const name of Object.keys(store.faults)) Reflect.deleteProperty(store.faults, name)
    store.objects.clear()
  })

  const put = (name: string, ageMs = 2 * day) => {
    const modified_at = context.clock.wall() - ageMs
    store.objects.set(name, { bytes: Buffer.from('x'), content_type: 'text/csv', sha256: undefined, modified_at })
    return name
  }
  const newKey = () => `${portal_id}/${newId('fil')}`
  const declare = (keys: readonly string[], state: 'awaiting_upload' | 'available' = 'awaiting_upload') => {
    const now = isoTime(context.clock.now())
    const row = { application_id: newId('cia'), question_key: 'q', item_id: null, filename: 'a.csv' }
    const bytes = { content_type: 'text/csv', size_bytes: 1, sha256: '0'.repeat(64) }
    const rest = { state, rejection: null, is_submitted: false, created_at: now, updated_at: now }
    return context.database.transaction(async (tx) => {
      for (const key of keys)
        await insertFile(tx, portal_id, { id: key.split('/')[1] ?? '', ...row, ...bytes, ...rest })
    })
  }
  const forget = (keys: readonly string[]) =>
    context.database.transaction(async (tx) => {
      for (const key of keys) await deleteFileRow(tx, portal_id, key.split('/')[1] ?? '')
    })
  /** The command fails, and has reported. */
  const refusal = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await runHere([...args, '--json'], settings)
    expect(code).toBe(1)
    return { report: JSON.parse(stdout), error: JSON.parse(stderr).error as string }
  }

  test('what no record has is removed from every page of the listing, uploads included, and nothing else', async () => {
    store.faults.pageSize = 2
    const declared = newKey()
    await declare([declared])
    const young = newKey()
    const stays = [put('readme.txt'), put(`copies/${newKey()}`), put(`${newKey()}.part`), put('incoming/notes.txt')]
    stays.push(put(declared), put(`incoming/${declared}`), put(young, hour), put(`incoming/${young}`, hour))
    for (let count = 0; count < 5; count++) put(newKey())
    const uploaded = newKey()
    put(`incoming/${uploaded}`)
    const report = await jsonHere(remove(6), settings)
    expect(report).toMatchObject({ unknown_count: 8, unknown_young: 2, unknown_removed: 6 })
    expect(report.unknown).toContainEqual({ key: uploaded, is_upload: true, modified_at: expect.any(String) })
    expect([...store.objects.keys()].sort()).toEqual(stays.sort())
  })

  test('only as many are removed as were confirmed, and none if there are more or fewer', async () => {
    for (let count = 0; count < 3; count++) put(newKey())
    for (const count of [2, 4]) {
      const { report, error } = await refusal(remove(count))
      expect(report).toMatchObject({ unknown_count: 3, unknown_removable: 3, unknown_removed: 0 })
      expect(error).toBe(
        `No file without a record was removed: 3 files can be, and not ${count}. Run portico files verify again, and use the command that it prints.`,
      )
    }
    expect(store.objects.size).toBe(3)
    for (const wrong of ['', 'all', '-1', '1.5', '--json']) {
      const { code, stderr } = await runHere([...verify, '--remove-unknown', wrong], settings)
      expect([code, stderr]).toEqual([1, expect.stringContaining('must be the number of files that `portico files')])
    }
    // More are there when the store is listed anew; files and uploads are listed apart.
    let listings = 0
    store.faults.before = (method, key) => {
      if (method === 'GET' && key === '' && ++listings === 3) for (let count = 0; count < 3; count++) put(newKey())
    }
    expect(await jsonHere(remove(3), settings)).toMatchObject({ unknown_count: 3, unknown_removed: 3 })
    expect(store.objects.size).toBe(3)
  })

  test('files of Portals that are not in the database are counted and stay, whoever else has files there', async () => {
    const others = Array.from({ length: 3 }, () => put(`${newId('ptl')}/${newId('fil')}`))
    others.push(put(`incoming/${newId('ptl')}/${newId('fil')}`))
    const mine = put(newKey())
    const report = { unknown_count: 1, unknown_removable: 1, unknown_foreign: 4 }
    expect(await jsonHere(verify, settings)).toMatchObject({ ...report, unknown: [{ key: mine }] })
    expect((await refusal(remove(5))).report).toMatchObject({ ...report, unknown_removed: 0 })
    expect(await jsonHere(remove(1), settings)).toMatchObject({ ...report, unknown_removed: 1 })
    expect([...store.objects.keys()].sort()).toEqual(others.sort())
  })

  test('nothing is removed while a file with a record is missing or has a different size, and nothing is read for that', async () => {
    const known = [newKey(), newKey()]
    await declare(known, 'available')
    const read: string[] = []
    store.faults.before = (method, key) => void (method === 'GET' && key !== '' && read.push(key))
    const unknown = put(newKey())
    for (const key of known) put(key)
    const larger = store.objects.get(put(known[0] ?? ''))
    if (larger) larger.bytes = Buffer.from('xx')
    const damages = [
      { break: () => undefined, problem: 'has 2 bytes instead of 1' },
      { break: () => store.objects.delete(known[0] ?? ''), problem: 'missing from the file store' },
    ]
    for (const damage of damages) {
      damage.break()
      const { report, error } = await refusal(remove(1))
      expect(report).toMatchObject({ checked: 2, damaged_count: 1, unknown_removable: 1, unknown_removed: 0 })
      expect(report.damaged).toEqual([{ id: known[0]?.split('/')[1], portal_id, problem: damage.problem }])
      expect(error).toBe(
        'Missing or damaged: 1 of 2 files. Check PORTICO_FILES_URL: this may be the file store of a different deployment. If it is right, restore these files from a backup. No file without a record was removed. Files with a record are missing or damaged.',
      )
    }
    const plain = await runHere(verify, settings)
    expect([plain.code, plain.stdout]).toEqual([1, expect.stringMatching(/None can be removed now\. Files with/)])
    expect(plain.stdout).not.toContain('--remove-unknown')
    read.length = 0
    put(known[0] ?? '')
    const { stdout } = await runHere(remove(1), settings)
    expect(stdout).toBe(
      'Checked 2 files: none is missing, and each has its size.\nRemoved 1 of 1 file without a record.\n',
    )
    expect([store.objects.has(unknown), read]).toEqual([false, []])
    // Their bytes are not those of the record.
    expect((await refusal(verify)).report).toMatchObject({ damaged_count: 2 })
    await forget(known)
  })

  test('many files are read by pages, and the first thousand that are missing are named; a file that is deleted meanwhile is not', async () => {
    const missing = Array.from({ length: 1003 }, newKey).sort()
    await declare(missing, 'available')
    const [first = '', deleted = ''] = [missing[0], missing.at(-1)]
    let deleting: Promise<void> | undefined
    store.faults.before = (method, key) => {
      if (method === 'HEAD' && key === deleted) deleting ??= forget([deleted])
      return deleting
    }
    const { code, stdout, stderr } = await runHere(verify, settings)
    expect([code, stderr]).toEqual([1, expect.stringContaining('Missing or damaged: 1002 of 1002 files.')])
    const lines = stdout.trimEnd().split('\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      1001,
      `${first.split('/')[1]} (Portal ${portal_id}): missing from the file store`,
      'And 2 more files.',
    ])
    expect(new Set(lines).size).toBe(1001)
    const { report } = await refusal(remove(0))
    expect([report.checked, report.damaged_count, report.damaged.length]).toEqual([1002, 1002, 1000])
    await forget(missing)
  })

  test('nothing is removed while the clock is doubted, here or by a server that runs', async () => {
    const unknown = put(newKey())
    const keep = (awayMs: number, difference_ms: number | null) =>
      context.database.transaction(async (tx) => {
        const time = isoTime(context.clock.wall() - awayMs)
        const times = { kept_at: time, expiry_at: time, judged_at: time, difference_ms, acceptances: 0 }
        await tx.deleteFrom('kept_times').execute()
        await tx
          .insertInto('kept_times')
          .values({ portal_id: deployment, ...times })
          .execute()
      })
    for (const [awayMs, difference_ms, words] of [
      [40 * day, null, 'ahead by 40 days'],
      [2 * hour, 2 * hour, 'ahead by 2 hours'],
    ] as const) {
      await keep(awayMs, difference_ms)
      const { report, error } = await refusal(remove(1))
      expect(report).toMatchObject({ unknown_removable: 1, unknown_removed: 0 })
      expect(error).toMatch(
        new RegExp(
          `^No file without a record was removed\\. The clock jumped ${words}.* run: portico clock accept\\. `,
        ),
      )
      expect((await runHere(verify, settings)).stdout).toMatch(/None can be removed now\. The clock jumped/)
      expect(store.objects.has(unknown)).toBe(true)
    }
    await jsonHere(['clock', 'accept'], settings)
    expect(await jsonHere(remove(1), settings)).toMatchObject({ unknown_removed: 1 })
  })

  test('what gets its row after it was listed is not removed', async () => {
    const [first, second] = [put(newKey()), put(newKey())]
    store.faults.before = async (method, key) => {
      if (method === 'DELETE' && key === first) await declare([second])
    }
    expect(await jsonHere(remove(2), settings)).toMatchObject({ unknown_count: 2, unknown_removed: 1 })
    expect([...store.objects.keys()]).toEqual([second])
  })

  test('a listing that repeats its continuation token, or a removal that fails, ends with a sentence and the report', async () => {
    for (let count = 0; count < 3; count++) put(newKey())
    store.faults.pageSize = 1
    let token: string | undefined
    store.faults.listed = (page) => {
      token ??= /<NextContinuationToken>.*<\/NextContinuationToken>/.exec(page)?.[0] ?? ''
      return page.replace(/<NextContinuationToken>.*<\/NextContinuationToken>/, token)
    }
    const { report, error } = await refusal(remove(3))
    expect(error).toBe(
      'Not every file without a record was found. The file store cannot be listed: it repeats its continuation token.',
    )
    const nothing = { unknown_count: null, unknown_young: null, unknown_foreign: null, unknown_removed: 0 }
    expect(report).toMatchObject({ checked: 0, unknown: [], ...nothing })
    expect(store.objects.size).toBe(3)

    Reflect.deleteProperty(store.faults, 'listed')
    let deleted = 0
    store.faults.before = (method) => {
      if (method !== 'DELETE' || ++deleted !== 2) return
      // And once more when it is tried again.
      store.failNext(1)
      throw new Error('away')
    }
    const failed = await refusal(remove(3))
    expect([failed.report.unknown_removed, store.objects.size]).toEqual([1, 2])
    expect(failed.error).toMatch(/^Not every file without a record was removed\. .* 503 SlowDown/)
  })

  test('a database that fails in the middle of a removal leaves the report of what was removed', async () => {
    for (let count = 0; count < 3; count++) put(newKey())
    const rename = (from: string, to: string) =>
      context.database.transaction((tx) => sql`alter table ${sql.ref(from)} rename to ${sql.ref(to)}`.execute(tx))
    let deleted = 0
    store.faults.before = async (method) => {
      if (method === 'DELETE' && ++deleted === 2) await rename('files', 'files_away')
    }
    const { report, error } = await refusal(remove(3))
    await rename('files_away', 'files')
    expect(report).toMatchObject({ checked: 0, unknown_count: 3, unknown_removed: 2 })
    expect([error, store.objects.size]).toEqual([expect.stringContaining('files'), 1])
  })

  test('a store that is away ends with one sentence, also when it is to remove files of an erased business', async () => {
    const subject = { portal_id, business_id: newId('biz') }
    await context.database.transaction((tx) => insertErasedFiles(tx, subject, [newId('fil')]))
    store.failNext(2)
    const { code, stdout, stderr } = await runHere(verify, settings)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^portico: The file store returned 503 SlowDown .* Try again later\.\n$/)
  })
})
