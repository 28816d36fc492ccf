// What a Portal no longer wants to keep goes by itself, and nothing else.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { claimJobs, deployment, enqueue } from '../src/platform/background/jobs.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { day, hour } from '../src/platform/clock.ts'
import { newId } from '../src/platform/values/ids.ts'
import { answerEvents } from './answered-events.ts'
import { environmentOf } from './built-program.ts'
import { newCanaries } from './canaries.ts'
import { jsonHere } from './command-here.ts'
import { act, done } from './deal-fixtures.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { newIntake } from './fixtures.ts'
import { engine, newPortal, startTestServer, type TestPortal } from './harness.ts'

const server = await startTestServer()
const { context } = server
const { data_dir } = context.config
const environment = environmentOf(context.config)

test('retention deletes what a Portal no longer wants to keep, when its time has come, and nothing without a setting', async () => {
  const make = async (portal: TestPortal) => {
    const canary = newCanaries()
    const business = (await portal.call('POST', 'businesses/', { body: portal.business() })).body
    const archived = (await portal.call('POST', 'businesses/', { body: portal.business() })).body
    done(await act(portal, archived, 'archive/'))
    const active = await newIntake(portal)
    const asked = {
      body: { business_id: business.id, contract_id: active.contract_id },
      headers: { 'idempotency-key': 'asked-for-once-and-again' },
    }
    const { body: ended } = await portal.call('POST', 'client-intake-applications/', asked)
    done(await act(portal, ended, 'withdraw/'))
    const run = (await portal.call('POST', `${active.url}autofill/`, { body: { mode: 'suggest_only' } })).body
    await runDueJobs(context, portal.id)
    // More than are looked at together.
    await answerEvents(context, portal, business.id, canary.in('response body'), 1100)
    return async () => {
      const statuses = await Promise.all([business, archived, ended, active].map(({ url }) => portal.call('GET', url)))
      const { suggested, filled } = (await portal.call('GET', run.url)).body
      const attempts = await context.database.read
        .selectFrom('webhook_attempts')
        .select('response_body')
        .where('portal_id', '=', portal.id)
        .execute()
      return [
        ...statuses.map(({ status }) => status),
        suggested.length + filled.length > 0,
        attempts.filter(({ response_body }) => response_body !== null).length,
        (await portal.call('POST', 'client-intake-applications/', asked)).status,
        (
          await context.database.read
            .selectFrom('audit_notes')
            .select('id')
            .where('portal_id', '=', portal.id)
            .where('action', '=', 'client_intake_application.erased')
            .where('resource_id', '=', ended.id)
            .execute()
        ).length,
      ]
    }
  }
  const [portal, careless] = [await newPortal(server), await newPortal(server)]
  const [look, lookAtOther] = [await make(portal), await make(careless)]
  const days = [
    '--ended-intake-days-kept',
    '--autofill-days-kept',
    '--attempt-body-days-kept',
    '--archived-business-days-kept',
  ]
  await jsonHere(['portal', 'set', portal.id, ...days.flatMap((name) => [name, '20'])], environment)
  const everything = [200, 200, 200, 200, true, 1100, 201, 0]
  const retain = async () => {
    for (const kind of ['retention', 'retention_of_values']) await runRepeating(context, `peoples_data.${kind}`)
  }
  server.clock.advance(19 * day)
  await retain()
  expect([await look(), await lookAtOther()]).toEqual([everything, everything])
  server.clock.advance(2 * day)
  await retain()
  server.clock.advance(hour)
  await runDueJobs(context, portal.id)
  expect([await look(), await lookAtOther()]).toEqual([[200, 404, 404, 200, false, 0, 410, 1], everything])
})

test('a record that cannot be deleted holds up no other, and the log names it', async () => {
  const portal = await newPortal(server)
  const applications = []
  for (let count = 0; count < 3; count++) applications.push(await newIntake(portal))
  for (const one of applications) done(await act(portal, one, 'withdraw/'))
  const [first] = applications
  await jsonHere(['portal', 'set', portal.id, '--ended-intake-days-kept', '20'], environment)
  server.clock.advance(21 * day)
  await refuseDeleting(first.id, async () => {
    await expect(runRepeating(context, 'peoples_data.retention')).rejects.toThrow('refused')
  })
  const statuses = await Promise.all(applications.map(({ url }) => portal.call('GET', url)))
  expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404])
  expect(server.logLines.some((line) => line.includes('a part of a job failed') && line.includes(first.id))).toBe(true)
  await runRepeating(context, 'peoples_data.retention')
  expect((await portal.call('GET', first.url)).status).toBe(404)
})

async function refuseDeleting(id: string, work: () => Promise<void>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(context.database.write)
  if (engine === 'postgres')
    await run("create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$")
  const what = engine === 'postgres' ? 'execute function refuse()' : "begin select raise(abort, 'refused'); end"
  await run(
    `create trigger refusing before delete on client_intake_applications for each row when (old.id = '${id}') ${what}`,
  )
  try {
    await work()
  } finally {
    await run(`drop trigger refusing${engine === 'postgres' ? ' on client_intake_applications' : ''}`)
  }
}

test('the list of erasures is read by the worker when it has grown, and not every minute', async () => {
  const list = join(data_dir, 'erasures.jsonl')
  const definition = jobs.find(({ kind }) => kind === 'peoples_data.complete_erasures') ?? expect.fail('no such job')
  // As a worker does it, which gives each job a database of its own.
  const runLeased = async () => {
    await context.database.transaction((tx) => enqueue(tx, context, { portal_id: deployment, kind: definition.kind }))
    const [job] = await claimJobs(context, deployment, [definition.kind], 1)
    return runJob(context, { ...definition, maximum_attempts: 1, every_ms: 1000 }, job ?? expect.fail('no job'))
  }
  const entry = { portal_id: newId('ptl'), business_id: newId('biz'), erasure_id: newId('ers') }
  const line = `${JSON.stringify({ ...entry, at: '2026-01-31T12:00:00.000Z', scope: {} })}\n`
  appendFileSync(list, line)
  expect(await runLeased()).toBe('done')
  const text = readFileSync(list, 'utf8')
  writeFileSync(list, text.replace(/./g, 'x'))
  expect(await runLeased()).toBe('done')
  appendFileSync(list, line)
  expect(await runLeased()).toBe('failed')
  writeFileSync(list, text)
})
