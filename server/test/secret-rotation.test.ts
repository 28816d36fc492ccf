// The secret key is rotated while everything goes on: what was sealed, signed, hashed or handed out before still works,
// every stored value is sealed again, and in the end the old key opens nothing and is needed for nothing.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { readConfig } from '../src/platform/config.ts'
import { sealedColumns } from '../src/platform/secrets/sealed-columns.ts'
import { newSecretKey, type RunningServer, runJson } from './built-program.ts'
import { jsonHere, recordedForDeployment, runHere } from './command-here.ts'
import { declareFile, here } from './faults/declared-files.ts'
import { type Deployment, newDeployment } from './faults/deployment.ts'
import { engine, openTestContext } from './harness.ts'
import contract from './intake-contract.json' with { type: 'json' }
import { withNotesLost, withNotesRefused } from './refused-notes.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let deployment: Deployment
let sink: Sink
/** The settings that the processes run with at the time. */
let settings: Record<string, string>
const old = { key: '' }
beforeAll(async () => {
  deployment = await newDeployment({ files: 'directory' })
  sink = await startSink()
  old.key = deployment.environment.PORTICO_SECRET_KEY ?? ''
  const { context } = await openTestContext(readConfig(deployment.environment))
  const caller = { context, portal_id: deployment.portal_id, request_id: null }
  await context.database.transaction((tx) => publishContract(tx, caller, contract))
  await context.database.close()
  settings = deployment.environment
  if (engine === 'sqlite') {
    writeFileSync(keyFile(), `${old.key}\n`, { mode: 0o600 })
    settings = { ...settings, PORTICO_SECRET_KEY: '' }
  }
})
afterAll(async () => {
  await sink.close()
  await deployment.remove()
})

const keyFile = () => join(deployment.environment.PORTICO_DATA_DIR ?? '', 'secret.key')
const start = () => deployment.start({ environment: { ...settings, PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' } })
const status = () => jsonHere(['secret', 'status'], settings)

test('nobody notices a rotation, afterwards the old key is not needed, and the audit log tells of it', {
  timeout: 300_000,
}, async () => {
  let [first, second] = [await start(), engine === 'postgres' ? await start() : undefined]
  const before = await makeThings(first)
  await expectAll(first, before)

  if (engine === 'postgres') {
    const refused = await runHere(['secret', 'rotate'], settings)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('PORTICO_SECRET_KEY is the key in use')])
    settings = { ...settings, PORTICO_SECRET_KEY: newSecretKey(), PORTICO_SECRET_KEY_PREVIOUS: old.key }
    await first.kill('SIGTERM')
    first = await start()
    // The other process has not learned the new key: nobody may use it yet.
    const early = await runHere(['secret', 'rotate'], settings)
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringMatching(/do not have the new key: \S+:\d+:[0-9a-f]{8}\./),
    ])
    await expectAll(second as RunningServer, before)
    await second?.kill('SIGTERM')
    second = await start()
  }
  const { key } = await runJson(['secret', 'rotate'], settings)
  const atOnce = await runHere(['secret', 'retire'], settings)
  expect([atOnce.code, atOnce.stderr]).toEqual([
    1,
    expect.stringMatching(/still needs? an old key|^portico: Cursors from/),
  ])
  const during = await makeThings(first)
  // Found by the hash of its tax id, whichever key was in use when it was made.
  const twins = await first.call('GET', `businesses/${during.business}/possible-duplicates/`, { key: deployment.key })
  expect(twins.body.items.map(({ business_id }: { business_id: string }) => business_id)).toContain(before.business)
  for (const server of [first, second]) if (server) for (const made of [before, during]) await expectAll(server, made)
  await expect.poll(async () => (await status()).total, { timeout: 120_000, interval: 1000 }).toBe(0)
  expect((await status()).current).toBe(key)
  const { findings } = await jsonHere(['doctor'], settings)
  expect(findings.filter(({ check }: { check: string }) => check === 'secret key')).toEqual([
    {
      check: 'secret key',
      outcome: 'ok',
      message: expect.stringMatching(
        engine === 'sqlite'
          ? /^every value .* needed until \S+, then run: portico secret retire$/
          : /^every value .* needed until \S+, then remove PORTICO_SECRET_KEY_PREVIOUS and restart every process$/,
      ),
    },
  ])
  for (const server of [first, second]) if (server) for (const made of [before, during]) await expectAll(server, made)

  // Without the old key, from a new start.
  await first.kill('SIGTERM')
  await second?.kill('SIGTERM')
  const early = await runHere(['secret', 'retire'], settings)
  expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/Cursors from before the rotation are valid/)])
  if (engine === 'sqlite') {
    const keys = () => readFileSync(keyFile(), 'utf8').trim().split('\n')
    const retire = () => runHere(['secret', 'retire', '--force'], settings)
    expect([(await withNotesRefused(settings, retire)).code, keys().length]).toEqual([1, 2])
    expect([(await withNotesLost(settings, retire)).code, keys().length]).toEqual([1, 2])
    // Interrupted between its two steps, because nothing can be written where the file is prepared.
    const draft = `${keyFile()}.${process.pid}`
    mkdirSync(draft)
    expect([(await retire()).code, keys().length]).toEqual([1, 2])
    rmdirSync(draft)
    expect(await runJson(['secret', 'retire', '--force'], settings)).toEqual({ retired: 1 })
    expect([(await retire()).code, keys().length]).toEqual([0, 1])
  } else {
    const { code, stderr } = await runHere(['secret', 'retire', '--force'], settings)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/No stored value needs an old key: remove PORTICO_SECRET/),
    ])
    settings = { ...settings, PORTICO_SECRET_KEY_PREVIOUS: '' }
  }
  const recorded = (await recordedForDeployment(settings)).map(([action]) => action)
  // Told twice, because it was tried twice, and never left out.
  const retired = ['secret_key.retired', 'secret_key.retired']
  expect(recorded).toEqual(['secret_key.rotated', ...(engine === 'sqlite' ? retired : [])])
  first = await start()
  await expectAll(first, { ...during, cursor: undefined })
  await expectAll(first, { ...before, cursor: undefined })
  await first.kill('SIGTERM')
  if (engine === 'sqlite') {
    // Whoever has set no variable is told of the file.
    const kept = readFileSync(keyFile())
    writeFileSync(keyFile(), `${newSecretKey()}\n`)
    const { code, stderr } = await runHere(['portal', 'list'], settings)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${keyFile()} does not contain the key that this`)])
    writeFileSync(keyFile(), kept)
  }
  for (const wrong of [old.key, newSecretKey()]) {
    const { code, stderr } = await runHere(['portal', 'list'], { ...settings, PORTICO_SECRET_KEY: wrong })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^portico: PORTICO_SECRET_KEY is not the key that this database uses\.[^\n]*\n$/),
    ])
  }
})

test('every column that is sealed is known to the rotation', async () => {
  const config = readConfig({ ...settings, PORTICO_SECRET_KEY: newSecretKey() })
  const { context } = await openTestContext(config)
  const { rows } = await (engine === 'sqlite'
    ? sql<{
        name: string
      }>`select m.name || '.' || c.name as name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`
    : sql<{
        name: string
      }>`select table_name || '.' || column_name as name from information_schema.columns where table_schema = current_schema()`
  ).execute(context.database.read)
  await context.database.close()
  const known = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`))
  const sealed = rows
    .map(({ name }) => name)
    .filter((name) => /sealed_|_sealed$/.test(name) && !/\.is_sealed$/.test(name))
  // The keys of hashes are sealed with the new key by the rotation itself.
  expect(sealed.filter((name) => !known.has(name)).sort()).toEqual(['deployments.sealed_hash_keys'])
})

interface Things {
  business: string
  idempotencyKey: string
  body: Record<string, unknown>
  cursor: string | undefined
  download: { url: string; headers: Record<string, string> }
  webhook: { id: string; secret: string }
}

/** One of each thing that the secret key has to do with. */
async function makeThings(server: RunningServer): Promise<Things> {
  const { key } = deployment
  const idempotencyKey = randomUUID()
  const body = deployment.business({ tax_id: '98-7654321' })
  const created = await server.call('POST', 'businesses/', {
    key,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  })
  expect(created.status).toBe(201)
  await server.call('POST', 'businesses/', { key, body: deployment.business() })
  const listed = await server.call('GET', 'businesses/?page_size=1', { key })
  const webhook = await server.call('POST', 'webhooks/', {
    key,
    body: { url: sink.url, event_types: ['business.archived'] },
  })
  const stateOfWebhook = async () => (await server.call('GET', `webhooks/${webhook.body.id}/`, { key })).body.state
  await expect.poll(stateOfWebhook, { timeout: 20_000 }).toBe('active')
  const begun = await server.call('POST', 'client-intake-applications/', {
    key,
    body: { business_id: created.body.id },
  })
  const path = `client-intake-applications/${begun.body.id}/`
  const content = Buffer.from('a,b\n1,2\n')
  const { path: file, upload } = await declareFile(server, deployment, path, content)
  await fetch(here(server, upload.url), { method: 'PUT', headers: upload.headers, body: content })
  const { body: download } = await server.call('POST', `${file}download/`, { key })
  return {
    business: created.body.id,
    idempotencyKey,
    body,
    cursor: listed.body.next_cursor,
    download,
    webhook: webhook.body,
  }
}

async function expectAll(server: RunningServer, things: Things): Promise<void> {
  const { key } = deployment
  const read = await server.call('GET', `businesses/${things.business}/`, { key })
  expect(read.status).toBe(200)
  // It is never returned; that the same one changes nothing shows that it can be read.
  const same = await server.call('PATCH', `businesses/${things.business}/`, {
    key,
    body: { tax_id: things.body.tax_id },
    headers: { 'if-match': read.body.etag },
  })
  expect([same.status, same.body.version]).toEqual([200, read.body.version])
  const replayed = await server.call('POST', 'businesses/', {
    key,
    body: things.body,
    headers: { 'idempotency-key': things.idempotencyKey },
  })
  expect([replayed.status, replayed.body.id]).toEqual([201, things.business])
  if (things.cursor) {
    const next = await server.call('GET', `businesses/?cursor=${encodeURIComponent(things.cursor)}`, { key })
    expect(next.status).toBe(200)
    const bytes = await fetch(here(server, things.download.url), { headers: things.download.headers })
    expect([bytes.status, await bytes.text()]).toEqual([200, 'a,b\n1,2\n'])
  }
  const { id, secret } = things.webhook
  sink.received.length = 0
  expect((await server.call('POST', `webhooks/${id}/test/`, { key })).status).toBe(202)
  const judge = new Webhook(secret)
  const isSigned = ({ body, headers }: (typeof sink.received)[number]) =>
    judge.verify(body, headers as Record<string, string>) !== undefined
  await expect.poll(() => sink.received.some(isSigned), { timeout: 20_000 }).toBe(true)
}
