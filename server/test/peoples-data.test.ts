// What is held about a business can be taken away whole, and erased so that nothing of it is found in any byte.
import { execFileSync, spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rememberLedger, requestErasure } from '../src/building-blocks/peoples-data/commands.ts'
import { countHeld, heldTables } from '../src/building-blocks/peoples-data/holdings.ts'
import { readLedger } from '../src/building-blocks/peoples-data/ledger.ts'
import { listErasures } from '../src/building-blocks/peoples-data/queries.ts'
import { exportBusiness } from '../src/cli/business-export.ts'
import { findLostReferences } from '../src/cli/references.ts'
import { findUnfinished } from '../src/platform/backup/unfinished.ts'
import { restoreBackup } from '../src/platform/backup.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Tx } from '../src/platform/database/database.ts'
import { newId } from '../src/platform/values/ids.ts'
import { answerEvents } from './answered-events.ts'
import { cleanEnvironment, environmentOf, program, runJson } from './built-program.ts'
import { type Canaries, newCanaries } from './canaries.ts'
import { jsonHere, runHere } from './command-here.ts'
import {
  act,
  done,
  eventsOf,
  funding,
  newApplication,
  newDeal,
  offerOf,
  publishProfile,
  publishQuestions,
  putAnswer,
  startTwoPortals,
} from './deal-fixtures.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { whileStopped } from './faults/stopped-statement.ts'
import { activeWebhook, declarationOf, newIntake, newProgram, upload } from './fixtures.ts'
import { calculate, setCriteria, usd } from './funding-fixtures.ts'
import { engine, makeDatabase, openTestContext, type TestPortal } from './harness.ts'

const { server, sender, lender, read } = await startTwoPortals()
const { context } = server
const { data_dir, database_url } = context.config
const environment = environmentOf(context.config)
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-people-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A business with a canary in every field, and everything that can belong to it. */
async function newFullBusiness(canary: Canaries) {
  const body = sender.business({
    legal_name: `${canary.in('legal_name')} Bakery`,
    trading_name: canary.in('trading_name'),
    lead_source_detail: {
      campaign: canary.in('campaign'),
      referrer_name: canary.in('referrer_name'),
      referral_code: canary.in('referral_code'),
    },
    registration_number: canary.in('registration_number'),
    tax_id: '98-7654321',
    website: `https://${canary.in('website')}.example.com`,
    email: `${canary.in('email')}@example.com`,
    addresses: [{ kind: 'registered', line1: canary.in('address'), city: canary.in('city'), country: 'US' }],
    owners: [
      {
        first_name: canary.in('owner first_name'),
        last_name: canary.in('owner last_name'),
        email: `${canary.in('owner email')}@example.com`,
        ownership_percent: 60,
      },
    ],
    tags: [canary.in('tag')],
    metadata: { note: canary.in('metadata') },
    external_reference: canary.in('external_reference'),
  })
  const headers = { 'idempotency-key': randomUUID() }
  const created = await sender.call('POST', 'businesses/', { body, headers })
  expect(created.status, created.text).toBe(201)
  const business_id: string = created.body.id
  const intake = await newIntake(sender, {
    business_id,
    title: canary.in('intake title'),
    external_reference: canary.in('intake reference'),
    metadata: { note: canary.in('intake metadata') },
  })
  const file = await fill(sender, intake, canary, 'intake')
  done(await sender.call('POST', `${intake.url}autofill/`, { body: { mode: 'suggest_only' } }).then(accepted))
  await runDueJobs(context, sender.id)
  done(await act(sender, intake, 'submit/'))
  const project = (
    await sender.call('POST', 'projects/', {
      body: {
        business_id,
        intake_application_id: intake.id,
        title: canary.in('project title'),
        description: canary.in('project description'),
        metadata: { note: canary.in('project metadata') },
      },
    })
  ).body
  await setCriteria(sender, project, {
    amount_requested: usd('80000.00'),
    use_of_funds: ['equipment'],
    postal_code: canary.in('postal_code'),
  })
  await calculate(sender, project)
  return { business_id, created, body, headers, intake, file, project }
}

function accepted<T extends { status: number; text: string }>(answer: T): T {
  expect(answer.status, answer.text).toBe(202)
  return { ...answer, status: 200 }
}

/** Answers, an item and a file under an application. */
async function fill(by: TestPortal, application: { id: string; url: string }, canary: Canaries, name: string) {
  done(await putAnswer(by, application, 'legal_name', canary.in(`${name} answer`)))
  done(await putAnswer(by, application, 'tax_id', '98-7654321'))
  const values = { first_name: canary.in(`${name} item`), last_name: 'Ray' }
  expect((await act(by, application, 'answers/owners/items/', { values })).status).toBe(201)
  const bytes = Buffer.from(`date,amount\n2026-03-01,12.50\n${canary.in(`${name} file content`)},1\n`)
  const declared = declarationOf(bytes, `${canary.in(`${name} filename`)}.csv`, 'text/csv')
  const file = await act(by, application, 'files/', { question_key: 'bank_statements', ...declared })
  expect(file.status, file.text).toBe(201)
  expect((await upload(file.body.upload, bytes)).status).toBe(200)
  return file.body
}

/** A deal with a recipient, or for the own Portal, as far as its application was submitted. */
async function newFullDeal(
  business_id: string,
  canary: Canaries,
  name: string,
  recipient?: typeof lender,
  more: Record<string, unknown> = {},
) {
  const deal = await newDeal(sender, recipient, {
    business_id,
    ...more,
    title: canary.in(`${name} deal title`),
    tags: [canary.in(`${name} deal tag`)],
    metadata: { note: canary.in(`${name} deal metadata`) },
    external_reference: canary.in(`${name} deal reference`),
  })
  const application = await newApplication(sender, deal)
  const file = await fill(sender, application, canary, `${name} application`)
  done(await act(sender, application, 'submit/'))
  return { deal, application, file }
}

/** The canaries that are found in any byte of the database or the data directory. */
function found(canary: Canaries): string[] {
  // By another process: closing a file of SQLite would take the locks of the server in this one.
  const texts = [execFileSync('find', [data_dir, '-type', 'f', '-exec', 'cat', '{}', '+'], { maxBuffer: 1e9 })]
  if (database_url !== undefined) {
    const root = '/usr/lib/postgresql'
    const version = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a))[0] : undefined
    const dump = version === undefined ? 'pg_dump' : join(root, version, 'bin', 'pg_dump')
    texts.push(
      execFileSync(dump, ['--inserts', '--enable-row-security', `--dbname=${database_url}`], { maxBuffer: 1e9 }),
    )
  }
  const all = texts.map((bytes) => bytes.toString('latin1').toLowerCase())
  return [...canary.given].filter(([, text]) => all.some((one) => one.includes(text))).map(([field]) => field)
}

/** The same in the stored responses, which are encrypted. */
async function foundInResponses(canary: Canaries): Promise<string[]> {
  const rows = await context.database.read
    .selectFrom('idempotency_keys')
    .select(['portal_id', 'key', 'sealed_body'])
    .execute()
  const bodies = rows.map(({ portal_id, key, sealed_body }) =>
    (context.vault.open('idempotent_response', sealed_body, `${portal_id} ${key}`) ?? '').toLowerCase(),
  )
  return [...canary.given].filter(([, text]) => bodies.some((body) => body.includes(text))).map(([field]) => field)
}

const countsOf = async (business_id: string) => {
  const subject = { portal_id: sender.id, business_id }
  const counts: Record<string, number> = {}
  for (const table of heldTables) counts[table] = await countHeld(context.database.read, table, subject)
  return counts
}

describe('a business with a canary in every field', () => {
  const canary = newCanaries()
  let made: Awaited<ReturnType<typeof newFullBusiness>>
  let own: Awaited<ReturnType<typeof newFullDeal>>
  let shared: Awaited<ReturnType<typeof newFullDeal>>
  let beforehand: Record<string, number>
  const backup = () => join(folder, 'before.backup')
  const list = join(data_dir, 'erasures.jsonl')

  beforeAll(async () => {
    await newProgram(sender)
    await publishProfile({ ...sender, contract_id: await publishQuestions(sender) })
    made = await newFullBusiness(canary)
    own = await newFullDeal(made.business_id, canary, 'own')
    shared = await newFullDeal(made.business_id, canary, 'shared', lender)
    const conditions = [canary.in('condition')]
    const offer = (await act(lender, shared.application, 'offers/', offerOf({ conditions }))).body
    done(await act(sender, shared.application, `offers/${offer.id}/accept/`))
    done(await act(lender, shared.application, 'fund/', funding))
    done(await act(sender, own.deal, 'stage/', { stage: 'qualifying', note: canary.in('note') }))
    await answerEvents(context, sender, made.business_id, `stored ${canary.in('response body')}`)
    beforehand = await countsOf(made.business_id)
  })

  test('is found in every table that can hold something of it, in stored responses and in the bytes of the database', async () => {
    const notYet = ['audit_log', 'dismissed_matches', 'found_matches', 'matched_deals', 'erasures', 'erased_files']
    const empty = Object.entries(beforehand).filter(([name, count]) => count === 0 && !notYet.includes(name))
    expect(empty).toEqual([])
    expect(await foundInResponses(canary)).toContain('legal_name')
    expect(found(canary)).toEqual(
      expect.arrayContaining(['legal_name', 'owner email', 'intake filename', 'response body']),
    )
  })

  test('is exported whole, in one archive that names the SHA-256 of everything in it', async () => {
    const archive = join(folder, 'export.tar.gz')
    const exported = await runJson(['business', 'export', made.business_id, '--output', archive], environment)
    expect(exported).toMatchObject({ files: 3, missing_files: [], records: { businesses: 1, files: 3, offers: 1 } })
    const unpacked = mkdtempSync(join(folder, 'unpacked-'))
    const names = execFileSync('tar', ['-xvzf', archive, '-C', unpacked], { encoding: 'utf8' }).trim().split('\n')
    const texts = new Map(names.map((name) => [name, readFileSync(join(unpacked, name))]))
    const whole = [...texts.values()].map((bytes) => bytes.toString('utf8')).join('\n')
    expect([...canary.given].filter(([, text]) => !whole.includes(text))).toEqual([])
    expect(whole).toContain('98-7654321')
    const { contents } = JSON.parse(String(texts.get('manifest.json')))
    for (const { path, size_bytes, sha256 } of contents) {
      const bytes = texts.get(path) ?? Buffer.alloc(0)
      expect([path, bytes.length, hash('sha256', bytes, 'hex')]).toEqual([path, size_bytes, sha256])
    }
    const named = contents.map(({ path }: { path: string }) => path)
    expect([...named, 'manifest.json'].sort()).toEqual(names.sort())
  })

  test('is not erased while it has open deals, by a reason that names it, or by a dry run', async () => {
    const erase = ['business', 'erase', made.business_id]
    const refused = await runHere([...erase, '--yes'], environment)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/has 1 open deal: deal_\w+ .*--withdraw/)])
    expect(await jsonHere([...erase, '--dry-run'], environment)).toMatchObject({
      open_deals: [own.deal.id],
      kept_deals: [{ deal_id: shared.deal.id }],
    })
    expect(await countsOf(made.business_id)).toEqual(beforehand)
    await jsonHere(['backup', backup()], environment)
    const reason = `Ticket ${canary.given.get('owner last_name')}`
    // The list is a directory: nothing is withdrawn for an erasure that could not be recorded.
    mkdirSync(list)
    const unrecorded = await runHere([...erase, '--yes', '--withdraw'], environment)
    expect([unrecorded.code, unrecorded.stderr]).toEqual([1, expect.stringContaining('list of erasures')])
    expect((await read(own.deal)).state).toBe('open')
    rmdirSync(list)
    const talkative = await runHere([...erase, '--yes', '--withdraw', '--reason', reason], environment)
    expect(talkative.stderr).toMatch(/must not contain data of the business/)
    const tried = await runHere([...erase, '--dry-run', '--reason', reason], environment)
    expect([tried.code, tried.stderr]).toEqual([1, expect.stringContaining('must not contain data of the business')])
    // However they are written: the tax id, which is encrypted, a number with other dashes, a word in two, an address.
    const city = canary.given.get('city') ?? ''
    for (const told of ['Ticket 98 7654321', 'no. 987654321', `for ${city}`, `${city.slice(0, 4)} ${city.slice(4)}`]) {
      const { code, stderr } = await runHere([...erase, '--yes', '--withdraw', '--reason', told], environment)
      expect([told, code, stderr]).toEqual([told, 1, expect.stringContaining('must not contain data of the business')])
    }
    expect(existsSync(list)).toBe(false)
    expect((await read(own.deal)).state).toBe('open')
  })

  test('is found in no byte once it is erased with all copies, and no client brings it back', async () => {
    await answerEvents(context, lender, shared.deal.id, canary.in('response body of a recipient'))
    const options = ['--yes', '--withdraw', '--recipients', '--funded', '--reason', 'Ticket 4711']
    const answer = await runJson(['business', 'erase', made.business_id, ...options], environment)
    expect(answer).toMatchObject({ kept_deals: 0, erased: { businesses: 1, files: 3, deals: 2 } })
    expect(found(canary)).toEqual([])
    expect(await foundInResponses(canary)).toEqual([])
    const {
      events,
      webhook_deliveries,
      webhook_attempts,
      audit_log: _,
      erasures,
      erased_files,
      ...left
    } = await countsOf(made.business_id)
    expect(Object.entries(left).filter(([, count]) => count > 0)).toEqual([])
    expect([webhook_deliveries, webhook_attempts, erasures, erased_files]).toEqual([1, 1, 1, 3])
    expect(events).toBeGreaterThan(0)
    expect(await context.files.stat(`${sender.id}/${made.file.id}`)).toBeUndefined()
    for (const { url } of [made.created.body, made.intake, made.project, own.deal, shared.deal])
      expect((await sender.call('GET', url)).status).toBe(404)
    expect((await lender.call('GET', shared.deal.url)).status).toBe(404)
    const again = await sender.call('POST', 'businesses/', { body: made.body, headers: made.headers })
    expect([again.status, again.body.code]).toEqual([410, 'gone'])
    expect((await eventsOf(sender, { id: made.business_id })).at(-1)).toMatchObject({ type: 'business.erased' })
    expect((await eventsOf(lender, shared.deal)).at(-1)).toMatchObject({ type: 'deal.erased', data: { state: 'won' } })
    const asked = await sender.call('GET', 'audit-log/?action=business.erasure_requested')
    expect(asked.body.items).toMatchObject([
      { resource: { id: made.business_id }, actor: { kind: 'command_line' }, changes: ['recipients', 'funded'] },
    ])
  })

  test('stays erased when an older backup is restored, and when its files are copied back', async () => {
    const place = await makeDatabase()
    const restored = { ...place.environment, PORTICO_SECRET_KEY: environment.PORTICO_SECRET_KEY }
    if (engine === 'postgres') await jsonHere(['migrate'], restored)
    // What is left to do when the rows are in cannot be done: the same command goes on from there.
    const own = join(place.environment.PORTICO_DATA_DIR ?? '', 'erasures.jsonl')
    symlinkSync(join(folder, 'missing', 'erasures.jsonl'), own)
    const halfway = await runHere(['restore', backup(), '--erasures', list], restored)
    expect([halfway.code, halfway.stderr]).toEqual([
      1,
      expect.stringMatching(/rows of the backup are restored, but .*\n$/),
    ])
    rmSync(own)
    const answer = await jsonHere(['restore', backup(), '--erasures', list], restored)
    expect(answer.erasures).toEqual({ applied: 1, lists: [{ file: list, erasures: 1 }] })
    const gone = await runHere(['business', 'export', made.business_id], restored)
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/was erased at/)])
    const files = join(place.environment.PORTICO_DATA_DIR ?? '', 'files', sender.id)
    mkdirSync(files, { recursive: true })
    writeFileSync(join(files, made.file.id), 'copied back')
    const verified = await jsonHere(['files', 'verify'], restored)
    expect(verified).toMatchObject({ checked: 0, damaged: [], removed: 1, unknown: [] })
    expect(existsSync(join(files, made.file.id))).toBe(false)
    await place.remove()
  })

  test('a restore that was killed when its rows were in is completed by whoever comes next, with the list it was given', async () => {
    const place = await makeDatabase({ hasSchema: true })
    const restored = { ...place.environment, PORTICO_SECRET_KEY: environment.PORTICO_SECRET_KEY }
    const { context } = await openTestContext(readConfig(restored))
    await restoreBackup(context, backup(), () => () => undefined, await readLedger(list))
    const gone = await runHere(['business', 'export', made.business_id], restored)
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/was erased at/)])
    const notes = context.database.read.selectFrom('audit_notes').select('actor').where('portal_id', '=', sender.id)
    const restored_by = await notes.where('action', '=', 'portal.restored').execute()
    expect(restored_by).toEqual([{ actor: 'job:restore.finish' }])
    expect(await findUnfinished(context.database.read, engine)).toBeUndefined()

    // A list that asks for more than the database has done is no news by its ids alone.
    const [entry] = await readLedger(list)
    const scope = { recipients: false, funded: false }
    await context.database.transaction((tx) =>
      tx
        .updateTable('erasures')
        .set({ scope: JSON.stringify(scope) })
        .execute(),
    )
    await rememberLedger(context)
    expect(await listErasures(context.database.read)).toMatchObject([{ state: 'pending', scope: entry?.scope }])
    await context.database.close()
    await place.remove()
  })
})

describe('portico business erase', () => {
  test('a recipient keeps what was shared with it and reads it as before; of the rest nothing is found', async () => {
    const canary = newCanaries()
    const { business_id } = await newFullBusiness(canary)
    const shared = newCanaries()
    const declined = await newFullDeal(business_id, shared, 'declined', lender)
    done(await act(lender, declined.application, 'decline/', { reason_codes: ['cash_flow'] }))
    const open = await newFullDeal(business_id, shared, 'open', lender)
    const draft = await newApplicationFor(business_id, canary)
    await answerEvents(context, sender, business_id, canary.in('response of a deleted webhook'))
    const { id: webhookId } = await activeWebhook(sender)
    expect((await act(sender, { url: `webhooks/${webhookId}/` }, '', undefined, 'DELETE')).status).toBe(200)
    // The file stays with the recipient, and what the sender's endpoint answered does not stay with the sender.
    await answerEvents(context, sender, declined.file.id, canary.in('response about a kept file'))
    const beforehand = await received(declined)
    expect(beforehand.deal.available_actions).toContain('reopen')

    const answer = await jsonHere(['business', 'erase', business_id, '--yes', '--withdraw'], environment)
    expect(answer).toMatchObject({ kept_deals: 3 })
    // The legal name is the one fact that a deal shares from the beginning.
    expect(found(canary)).toEqual(['legal_name'])
    const alone = [...shared.given.keys()].filter((name) => /deal (tag|metadata|reference)$/.test(name))
    expect(found(shared).filter((name) => alone.includes(name))).toEqual([])

    const afterwards = await received(declined)
    expect(afterwards.deal.available_actions).toEqual(
      beforehand.deal.available_actions.filter((one: string) => one !== 'reopen'),
    )
    for (const { deal } of [beforehand, afterwards])
      for (const name of ['etag', 'updated_at', 'available_actions']) delete deal[name]
    expect(afterwards).toEqual(beforehand)
    expect((await act(lender, declined.deal, 'reopen/')).status).toBe(409)
    expect((await act(lender, declined.deal, '', { tags: ['kept'] }, 'PATCH')).status).toBe(200)
    expect((await read(open.deal, lender)).state).toBe('withdrawn')
    expect((await eventsOf(lender, declined.deal)).at(-1)).toMatchObject({
      type: 'deal.business_erased',
      data: { state: 'lost' },
    })

    // It was archived first, like any other.
    const types = (await eventsOf(sender, { id: business_id })).map(({ type }: { type: string }) => type)
    expect(types.slice(-2)).toEqual(['business.archived', 'business.erased'])

    // A deal without its business is no loss in the eyes of a restore drill.
    expect(await findLostReferences(context.database.read)).toEqual([])

    // The sender reads none of it.
    for (const { url } of [declined.deal, declined.application, open.deal, draft])
      expect((await sender.call('GET', url)).status).toBe(404)
    const lists = ['deals/', 'deal-applications/', 'businesses/', 'client-intake-applications/', 'projects/', 'events/']
    for (const list of lists) {
      const { status, text } = await sender.call('GET', `${list}?page_size=25`)
      expect([
        status,
        [...canary.given.values(), ...shared.given.values()].filter((one) => text.includes(one)),
      ]).toEqual([200, []])
    }
  })

  test('a funded deal of the Portal with itself stays as it is, with its application, and without its project', async () => {
    const canary = newCanaries()
    const { business_id, project } = await newFullBusiness(newCanaries())
    const won = await newFullDeal(business_id, canary, 'won', undefined, { project_id: project.id })
    const offer = (await act(sender, won.application, 'offers/', offerOf())).body
    done(await act(sender, won.application, `offers/${offer.id}/accept/`))
    done(await act(sender, won.application, 'fund/', funding))
    const look = async () => {
      const { deal, ...others } = await received(won, sender)
      const { etag: _, version: __, updated_at: ___, available_actions: ____, ...kept } = deal
      return { ...others, deal: kept }
    }
    const before = await look()
    expect(before.deal.project_id).toBe(project.id)
    const answer = await jsonHere(['business', 'erase', business_id, '--yes'], environment)
    expect(answer).toMatchObject({ kept_deals: 1 })
    const { deal, ...others } = await look()
    const { deal: dealBefore, ...othersBefore } = before
    expect(others).toEqual(othersBefore)
    expect(deal).toEqual({ ...dealBefore, project_id: null, match_id: null })
    expect(found(canary)).toEqual([...canary.given.keys()])
    const wider = await jsonHere(['business', 'erase', business_id, '--yes', '--funded'], environment)
    expect(wider).toMatchObject({ kept_deals: 0 })
    expect(found(canary)).toEqual([])
  })

  test('from the moment that it is asked for, the business is not restored, and nothing new begins for it', async () => {
    const business = (await sender.call('POST', 'businesses/', { body: sender.business() })).body
    const { id: business_id, url } = business
    const scope = { recipients: false, funded: false }
    done(await act(sender, business, 'archive/'))
    await requestErasure(context, { business_id, scope, reason: null })
    const refused = await act(sender, business, 'restore/')
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      'state_conflict',
      'Cannot restore: the business is being erased.',
    ])
    expect((await sender.call('POST', 'projects/', { body: { business_id, title: 'New' } })).status).toBe(409)
    await runRepeating(context, 'peoples_data.complete_erasures')
    expect((await sender.call('GET', url)).status).toBe(404)
  })

  test('after kill -9 in the middle, the worker completes it, and the same command finds nothing left to do', async () => {
    const canary = newCanaries()
    const { business_id, intake } = await newFullBusiness(canary)
    const copied = await copyIntake(intake.id, 60, canary.in('copied title'))
    const subject = { portal_id: sender.id, business_id }
    const left = () => countHeld(context.database.read, 'client_intake_applications', subject)
    const erase = ['business', 'erase', business_id, '--yes']
    // Applications are erased one by one, in the order of their ids.
    const last = { change: 'delete', table: 'client_intake_applications', condition: `old.id = '${copied[30]}'` }
    await whileStopped(context, last, async (isReached) => {
      const child = spawn(process.execPath, [program, ...erase], { env: cleanEnvironment(environment) })
      const exit = new Promise((resolve) => child.once('exit', resolve))
      await expect.poll(isReached).toBe(true)
      child.kill('SIGKILL')
      await exit
    })
    expect(await left()).toBe(30)
    await runRepeating(context, 'peoples_data.complete_erasures')
    const erasure = context.database.read.selectFrom('erasures').selectAll().where('business_id', '=', business_id)
    const { id, state, counts, completed_at } = await erasure.executeTakeFirstOrThrow()
    expect([state, counts.client_intake_applications, counts.businesses]).toEqual(['completed', 61, 1])
    expect(await jsonHere(erase, environment)).toMatchObject({ erased: counts, completed_at })
    const asked = await sender.call('GET', `audit-log/?resource_id=${business_id}&action=business.erasure_requested`)
    expect(asked.body.items).toHaveLength(1)
    const again = await runHere(erase, environment)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toContain(`${business_id} was erased at ${completed_at} (${id}). Nothing was left to erase.`)
    expect(found(canary)).toEqual([])
  })
})

/** Many applications like one, as quickly as the database writes them. */
async function copyIntake(id: string, count: number, title: string): Promise<string[]> {
  const row = await context.database.read
    .selectFrom('client_intake_applications')
    .selectAll()
    .where('portal_id', '=', sender.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  const copy = {
    ...row,
    ...{ title, external_reference: null, metadata: '{}', project_ids: '[]' },
    ...{ submission: json(row.submission), returned: json(row.returned), decision: json(row.decision) },
  }
  const copies = Array.from({ length: count }, () => ({ ...copy, id: newId('cia') }))
  await context.database.transaction(async (tx) => {
    for (let first = 0; first < count; first += 50)
      await tx
        .insertInto('client_intake_applications')
        .values(copies.slice(first, first + 50))
        .execute()
  })
  return copies.map((one) => one.id).sort()
}

/** An application that was never submitted. */
async function newApplicationFor(business_id: string, canary: Canaries) {
  const deal = await newDeal(sender, lender, { business_id, title: 'A draft' })
  const application = await newApplication(sender, deal, { override: true })
  await fill(sender, application, canary, 'draft')
  return application
}

/** Everything a recipient reads about a deal and its application. */
async function received({ deal, application, file }: Awaited<ReturnType<typeof newFullDeal>>, by: TestPortal = lender) {
  const get = async (url: string) => done(await by.call('GET', url))
  return {
    deal: await get(deal.url),
    progress: await get(deal.progress_url),
    application: await get(application.url),
    answers: await get(`${application.url}answers/`),
    items: await get(`${application.url}answers/owners/items/`),
    files: await get(`${application.url}files/`),
    file: await get(`${application.url}files/${file.id}/`),
    submission: await get(`${application.url}submissions/1/`),
    offers: await get(`${application.url}offers/`),
  }
}

test('an export is of one moment: what changes while it is written is not in it', async () => {
  const { id } = (await sender.call('POST', 'businesses/', { body: sender.business() })).body
  const exportable = async () => {
    const { business_words: _, ...counts } = await countsOf(id)
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  }
  const before = await exportable()
  let change: Promise<unknown> | undefined
  const afterTheFirstRows: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      change ??= newIntake(sender, { business_id: id })
      return change.then(() => result)
    },
  }
  const snapshot = <T>(work: (tx: Tx) => Promise<T>) =>
    context.database.snapshot((tx) => work(tx.withPlugin(afterTheFirstRows)))
  const changing = { ...context, database: { ...context.database, snapshot } }
  const archive = join(folder, 'one-moment.tar.gz')
  const subject = { portal_id: sender.id, business_id: id }
  const { records } = await exportBusiness(changing, subject, archive, { isReplacing: false })
  expect(records).toEqual(before)
  expect(await exportable()).not.toEqual(before)
  const noted = await sender.call('GET', `audit-log/?resource_id=${id}&action=business.exported`)
  expect(noted.body.items).toHaveLength(1)
})
