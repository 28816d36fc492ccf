// Bytes in the file store that no record has, as after the restore of an older backup: found, and removed when asked for.
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPortal } from '../src/building-blocks/portals/commands.ts'
import { insertFile } from '../src/building-blocks/questionnaires/files/queries.ts'
import type { AuditEntry } from '../src/platform/audit/entries.ts'
import { deployment } from '../src/platform/background/jobs.ts'
import { day, hour } from '../src/platform/clock.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Context } from '../src/platform/context.ts'
import { newId } from '../src/platform/values/ids.ts'
import { newSecretKey } from './built-program.ts'
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
const remove = [...verify, '--remove-unknown']

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
    server = await startTestServer({ PORTICO_RATE_LIMITS: 'off' })
    place = await makeDatabase()
    folder = mkdtempSync(join(tmpdir(), 'portico-unknown-'))
    const { data_dir, database_url, secret_key } = server.context.config
    files = join(data_dir, 'files')
    before = {
      PORTICO_DATA_DIR: data_dir,
      PORTICO_SECRET_KEY: secret_key?.toString('base64') ?? '',
      ...(database_url !== undefined && { PORTICO_DATABASE_URL: database_url }),
    }
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
    const early = await runHere([...remove, '--json'], { ...restored, ...nothing.environment })
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('belongs to a Portal of this database')])
    expect(JSON.parse(early.stdout)).toMatchObject({ unknown_count: known.length + 2, unknown_removed: 0 })
    await nothing.remove()

    await jsonHere(['restore', backup], restored)
    const report = await jsonHere(verify, restored)
    expect(report).toMatchObject({ checked: 3, damaged: [], removed: 0, unknown_count: 2, unknown_removed: 0 })
    const found = [late, strange].sort().map((key) => ({ key, is_upload: false, modified_at: expect.any(String) }))
    expect(report.unknown.sort((a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1))).toEqual(found)
    const { code, stdout } = await runHere(verify, restored)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /The file store has 2 files without a record, .* run: portico files verify --remove-unknown\n/,
      ),
    ])

    const first = await runHere(remove, restored)
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'Removed 1 of 2 files without a record. Less than one day old and not removed: 1. Run the command again tomorrow.',
      ),
    })
    expect(thereOf([late, strange])).toEqual([late])
    age([late], day)
    expect(await jsonHere(remove, restored)).toMatchObject({ unknown_count: 1, unknown_removed: 1 })
    expect(thereOf([...known, ...foreign, late, strange])).toEqual([...known, ...foreign])
    expect(await jsonHere(remove, restored)).toMatchObject({ checked: 3, unknown: [], unknown_count: 0 })
    const removals = [late, strange].map((key) => key.split('/'))
    expect((await removalsIn(restored)).sort()).toEqual(
      [
        [portal.id, removals[0]?.[1]],
        [deployment, removals[1]?.[1]],
      ].sort(),
    )
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
  const declare = (key: string) => {
    const now = new Date().toISOString()
    const row = { application_id: newId('cia'), question_key: 'q', item_id: null, filename: 'a.csv' }
    const bytes = { content_type: 'text/csv', size_bytes: 1, sha256: '0'.repeat(64) }
    const state = { state: 'awaiting_upload' as const, rejection: null, is_submitted: false }
    return context.database.transaction((tx) =>
      insertFile(tx, portal_id, {
        id: key.split('/')[1] ?? '',
        ...row,
        ...bytes,
        ...state,
        created_at: now,
        updated_at: now,
      }),
    )
  }

  test('what no record has is removed from every page of the listing, uploads included, and nothing else', async () => {
    store.faults.pageSize = 2
    const declared = newKey()
    await declare(declared)
    const young = newKey()
    const stays = [put('readme.txt'), put(`copies/${newKey()}`), put(`${newKey()}.part`), put('incoming/notes.txt')]
    stays.push(put(declared), put(`incoming/${declared}`), put(young, hour), put(`incoming/${young}`, hour))
    for (let count = 0; count < 5; count++) put(newKey())
    const uploaded = newKey()
    put(`incoming/${uploaded}`)
    const report = await jsonHere(remove, settings)
    expect(report).toMatchObject({ unknown_count: 8, unknown_removed: 6 })
    expect(report.unknown).toContainEqual({ key: uploaded, is_upload: true, modified_at: expect.any(String) })
    expect([...store.objects.keys()].sort()).toEqual(stays.sort())
  })

  test('what gets its row after it was listed is not removed', async () => {
    const [first, second] = [put(newKey()), put(newKey())]
    store.faults.before = async (method, key) => {
      if (method === 'DELETE' && key === first) await declare(second)
    }
    expect(await jsonHere(remove, settings)).toMatchObject({ unknown_count: 2, unknown_removed: 1 })
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
    const { code, stdout, stderr } = await runHere([...remove, '--json'], settings)
    expect([code, JSON.parse(stderr).error]).toEqual([
      1,
      'Not every file without a record was found. The file store cannot be listed: it repeats its continuation token.',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ checked: 0, unknown: [], unknown_count: null, unknown_removed: 0 })
    expect(store.objects.size).toBe(3)

    Reflect.deleteProperty(store.faults, 'listed')
    let deleted = 0
    store.faults.before = (method) => {
      if (method !== 'DELETE' || ++deleted !== 2) return
      // And once more when it is tried again.
      store.failNext(1)
      throw new Error('away')
    }
    const failed = await runHere([...remove, '--json'], settings)
    expect([failed.code, JSON.parse(failed.stdout).unknown_removed, store.objects.size]).toEqual([1, 1, 2])
    expect(JSON.parse(failed.stderr).error).toMatch(/^Not every file without a record was removed\. .* 503 SlowDown/)
  })
})
