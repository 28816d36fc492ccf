// What commands do with a bucket that is away, full or gone: its files are not lost, and nobody waits for each of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPortal } from '../src/building-blocks/portals/commands.ts'
import { insertFile } from '../src/building-blocks/questionnaires/files/queries.ts'
import { isoTime } from '../src/platform/clock.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Context } from '../src/platform/context.ts'
import { newId } from '../src/platform/values/ids.ts'
import { newSecretKey } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { bucketSettings } from './faults/spread.ts'
import { declarationOf } from './fixtures.ts'
import { makeDatabase, openTestContext, type TestDatabase } from './harness.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

const account = { access_key_id: 'AKIATEST', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
const bytes = Buffer.from('a,b\n1,2\n')
const fileCount = 20
let store: S3Server
let place: TestDatabase
let settings: Record<string, string>
let context: Context
let folder: string

beforeAll(async () => {
  store = await startS3Server(account)
  place = await makeDatabase({ hasSchema: true })
  folder = mkdtempSync(join(tmpdir(), 'portico-store-away-'))
  settings = { ...place.environment, PORTICO_SECRET_KEY: newSecretKey(), ...bucketSettings(store, account) }
  context = (await openTestContext(readConfig(settings))).context
  const portal_id = (await context.database.transaction((tx) => createPortal(tx, context, { name: 'Bucket' }))).id
  const now = isoTime(context.clock.now())
  const rest = { state: 'available', rejection: null, is_submitted: false, created_at: now, updated_at: now } as const
  for (let i = 0; i < fileCount; i++) {
    const row = { id: newId('fil'), application_id: newId('cia'), question_key: 'q', item_id: null }
    await context.database.transaction((tx) =>
      insertFile(tx, portal_id, { ...row, ...declarationOf(bytes, 'a.csv', 'text/csv'), ...rest }),
    )
    store.objects.set(`${portal_id}/${row.id}`, { bytes, content_type: 'text/csv', sha256: undefined })
  }
})
afterAll(async () => {
  await context.files.close()
  await context.database.close()
  await place.remove()
  await store.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  for (const name of Object.keys(store.faults)) Reflect.deleteProperty(store.faults, name)
})

/** How many requests it took, and what was said. */
async function asked(args: readonly string[], environment = settings) {
  const before = store.requestCount()
  const outcome = await runHere(args, environment)
  return { ...outcome, requests: store.requestCount() - before }
}

describe('files verify', () => {
  test('ends with what is wrong with the store, before it has asked for a file', async () => {
    store.faults.refuses = { status: 503, code: 'ServiceUnavailable' }
    const { code, stderr, requests } = await asked(['files', 'verify'])
    expect([code, requests]).toEqual([1, 2])
    expect(stderr).toMatch(/^portico: The file store returned 503 ServiceUnavailable .*Try again later\.\n$/)
    delete store.faults.refuses
    const elsewhere = {
      ...settings,
      PORTICO_FILES_URL: settings.PORTICO_FILES_URL?.replace('//files', '//other') ?? '',
    }
    const gone = await asked(['files', 'verify'], elsewhere)
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/404 NoSuchBucket.*Check the bucket name/)])
    expect(gone.stdout).toBe('')
  })

  test('ends when the store goes away meanwhile', async () => {
    store.faults.before = (_, key) => {
      if (key !== '') store.faults.refuses = { status: 503, code: 'SlowDown' }
    }
    const { code, stderr, requests } = await asked(['files', 'verify'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^portico: The file store returned 503 SlowDown/)])
    expect(requests).toBeLessThan(12)
  })

  test('counts files that the store does not return apart, and restores none for it', async () => {
    store.faults.before = (method, key) => {
      if (method === 'GET' && key !== '') throw new Error('cannot be read')
    }
    const { code, stdout, stderr } = await asked(['files', 'verify', '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { checked: 0, damaged: [], damaged_count: 0, unread_count: fileCount },
    ])
    expect(JSON.parse(stdout).unread[0].problem).toMatch(/^cannot be read: The file store returned 500/)
    expect(JSON.parse(stderr).error).toBe(
      `Not checked, because the file store did not return them: ${fileCount} files. Run portico doctor, then portico files verify again.`,
    )
    const removing = await asked(['files', 'verify', '--remove-unknown', '0'])
    expect([removing.code, removing.stderr]).toEqual([0, ''])
  })
})

describe('restore', () => {
  test.each([
    ['is away', { status: 503, code: 'ServiceUnavailable' }, '503 ServiceUnavailable'],
    ['refuses us', { status: 403, code: 'InvalidAccessKeyId' }, 'Check PORTICO_S3_ACCESS_KEY_ID'],
  ])('says before it begins, and in a dry run, that the file store %s', async (_, refuses, said) => {
    const file = join(folder, `${said.slice(0, 3)}.backup`)
    await jsonHere(['backup', file, '--with-files'], settings)
    const own = await makeDatabase()
    const target = { ...settings, ...own.environment }
    store.faults.refuses = refuses
    for (const how of [['--dry-run'], []]) {
      const { code, stderr } = await asked(['restore', file, ...how], target)
      expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^portico: The file store .*${said}.*\n$`))])
    }
    delete store.faults.refuses
    store.faults.deniesPut = () => true
    const full = await asked(['restore', file, '--dry-run'], target)
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('500 InternalError')])
    delete store.faults.deniesPut
    expect(await jsonHere(['restore', file, '--dry-run'], target)).toMatchObject({ files: fileCount })
    expect(store.objects.size).toBe(fileCount)
    await own.remove()
  })

  test('says in a sentence that the file store breaks off what is written', async () => {
    const file = join(folder, 'broken-off.backup')
    await jsonHere(['backup', file, '--with-files'], settings)
    const own = await makeDatabase()
    store.faults.hangsUp = (method) => method === 'PUT'
    const { code, stderr } = await asked(['restore', file, '--dry-run'], { ...settings, ...own.environment })
    const said = /^portico: The file store cannot be reached \(PUT ptl_\S+ at [\d.:]+\): socket hang up\.\n$/
    expect([code, stderr]).toEqual([1, expect.stringMatching(said)])
    await own.remove()
  })

  test('a backup without files needs no file store', async () => {
    const file = join(folder, 'rows.backup')
    await jsonHere(['backup', file], settings)
    const own = await makeDatabase()
    store.faults.refuses = { status: 503, code: 'ServiceUnavailable' }
    expect(await jsonHere(['restore', file, '--dry-run'], { ...settings, ...own.environment })).toMatchObject({
      files: 0,
    })
    await own.remove()
  })
})
