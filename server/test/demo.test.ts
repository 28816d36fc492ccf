// The demo Portal as somebody finds it who has just started the server: what is in it, and what its matches say.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fundingTypes } from '../src/areas/funding-recommendations/criteria/vocabulary.ts'
import { portalsToFanOut } from '../src/areas/webhooks/sending/fan-out.ts'
import { ensureDemo } from '../src/cli/demo.ts'
import { createDemoRecipients } from '../src/cli/demo-recipients.ts'
import type { DemoAccess } from '../src/cli/welcome.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Database } from '../src/platform/database/database.ts'
import { newSecretKey } from './built-program.ts'
import { jsonHere } from './command-here.ts'
import { runRepeating } from './due-jobs.ts'
import { makeDatabase, newPortal, openTestContext, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
let demo: DemoAccess
beforeAll(async () => {
  server = await startTestServer()
  const made = await ensureDemo(server.context)
  if (!made) throw new Error('there was a Portal before the demo')
  demo = made
})
afterAll(() => server.stop())

const get = async (path: string) => {
  const { status, body, text } = await server.call('GET', path, { key: demo.key })
  expect(status, text).toBe(200)
  return body
}
/** Every item of a collection. */
async function all(path: string) {
  const items = []
  for (let cursor = ''; ; ) {
    const page = await get(`${path}${path.includes('?') ? '&' : '?'}page_size=100${cursor && `&cursor=${cursor}`}`)
    items.push(...page.items)
    if (page.next_cursor === null) return items
    cursor = encodeURIComponent(page.next_cursor)
  }
}

interface Program {
  recipient_id: string
  name: string
  funding_type: string
  status: string
  opens_on: string | null
  closes_on: string | null
  eligibility: { criterion: string; operator: string; effect: string; when: unknown }[]
}
interface Match {
  outcome: string
  program: { name: string; funding_type: string }
  reasons: { result: string; gap: unknown; remedy: string; message: string }[]
  missing_criteria: string[]
}

test('a second call returns the same demo and adds nothing', async () => {
  const count = async () => [(await all('businesses/')).length, (await all('projects/')).length]
  const before = await count()
  expect(await ensureDemo(server.context)).toEqual(demo)
  expect(await count()).toEqual(before)
})

test('a demo that was interrupted is not taken for a whole one, and the sentence says how to get one', async () => {
  const place = await makeDatabase({ hasSchema: true })
  const environment = { ...place.environment, PORTICO_SECRET_KEY: newSecretKey() }
  const { context } = await openTestContext(readConfig(environment))
  const isBegun = () => existsSync(join(context.config.data_dir, 'demo.json.unfinished'))
  // As if the process were killed after its first step.
  const { transaction } = context.database
  const interrupted: Database['transaction'] = (work) =>
    isBegun() ? Promise.reject(new Error('killed')) : transaction(work)
  const halfway = { ...context, database: { ...context.database, transaction: interrupted } }
  await expect(ensureDemo(halfway)).rejects.toThrow('killed')
  await expect(ensureDemo(context)).rejects.toThrow(
    'The demo Portal is incomplete, because its creation was interrupted. Create another one with: portico demo',
  )
  const whole = await jsonHere(['demo'], environment)
  expect(await ensureDemo(context)).toEqual(whole)
  expect(isBegun()).toBe(false)
  // Whoever interrupts another one still has the whole one.
  writeFileSync(join(context.config.data_dir, 'demo.json.unfinished'), JSON.stringify({ portal_id: whole.portal_id }))
  expect(await ensureDemo(context)).toEqual(whole)
  await context.database.close()
  await place.remove()
})

test('a second demo Portal sees the recipients of the first', async () => {
  const other = await newPortal(server)
  await server.context.database.transaction((tx) => createDemoRecipients(tx, other.caller, '2026-01-31'))
  const names = async (key: string) =>
    (await server.call('GET', 'recipients/?page_size=100', { key })).body.items
      .filter(({ kind }: { kind: string }) => kind !== 'own_portal')
      .map(({ name }: { name: string }) => name)
  expect(await names(other.key)).toEqual(await names(demo.key))
})

describe('recipients and programmes', () => {
  test('twelve recipients besides its own, of several kinds and countries, one of which accepts nothing now', async () => {
    const recipients = await all('recipients/')
    expect(recipients).toHaveLength(13)
    expect([...new Set(recipients.map(({ kind }) => kind))].sort()).toEqual(
      ['government', 'grant_maker', 'investor', 'lender', 'own_portal'].sort(),
    )
    expect(recipients.filter((one) => !one.accepting_applications)).toHaveLength(1)
    expect(new Set(recipients.flatMap(({ countries }) => countries))).toEqual(new Set(['US', 'CA', 'GB', 'DE']))
    const { visibility } = await server.context.database.read
      .selectFrom('recipients')
      .select('visibility')
      .where('name', '=', 'Oakenshaw Receivables')
      .executeTakeFirstOrThrow()
    expect(visibility).toBe('invited')
  })

  test('programmes of every type of funding and status, with the rules that real ones have', async () => {
    const programs: Program[] = await all('funding-programs/')
    expect(programs.length).toBeGreaterThanOrEqual(60)
    expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length)
    expect([...new Set(programs.map(({ funding_type }) => funding_type))].sort()).toEqual(
      Object.keys(fundingTypes).sort(),
    )
    expect([...new Set(programs.map(({ status }) => status))].sort()).toEqual(
      ['closed', 'draft', 'open', 'paused', 'scheduled'].sort(),
    )
    const rules = programs.flatMap(({ eligibility }) => eligibility)
    expect(rules.some(({ when }) => when !== null)).toBe(true)
    expect(rules.some(({ effect }) => effect === 'preferred')).toBe(true)
    expect(new Set(rules.map(({ operator }) => operator)).size).toBeGreaterThanOrEqual(12)
    expect(new Set(rules.map(({ criterion }) => criterion.split('.')[0])).size).toBeGreaterThanOrEqual(20)
  })

  test('what is open closes in the future, and what is scheduled has not opened', async () => {
    const today = new Date(server.clock.now()).toISOString().slice(0, 10)
    const programs: Program[] = await all('funding-programs/')
    const wrong = programs.filter(
      ({ status, opens_on, closes_on }) =>
        (status === 'open' && ((opens_on ?? today) > today || (closes_on ?? '9999') <= today)) ||
        (status === 'scheduled' && (opens_on ?? today) <= today) ||
        (status === 'closed' && (closes_on ?? today) >= today),
    )
    expect(wrong.map(({ name }) => name)).toEqual([])
  })
})

describe('projects', () => {
  /** The matches of a project, by outcome. */
  async function found(title: string) {
    const project = (await all('projects/')).find((one) => one.title === title)
    const [calculation] = (await get(project.calculations_url)).items
    expect([calculation.state, calculation.is_stale]).toEqual(['completed', false])
    const matches: Match[] = await all(project.matches_url)
    expect(matches).toHaveLength(calculation.counts.evaluated)
    const of = (outcome: string) => matches.filter((match) => match.outcome === outcome)
    return {
      project,
      calculation,
      ...{ eligible: of('eligible'), undetermined: of('undetermined'), near: of('near_miss'), rest: of('ineligible') },
    }
  }

  test('the bakery nearly fits much: near misses of several kinds, each with a gap', async () => {
    const { project, calculation, eligible, undetermined, near, rest } = await found('Second oven and a cold room')
    expect(demo.project_id).toBe(project.id)
    expect(project.intake_application_id).not.toBeNull()
    expect(project.description).toContain('oven')
    expect([eligible.length, undetermined.length, near.length, rest.length].every((count) => count > 2)).toBe(true)
    expect(near.length).toBeGreaterThan(eligible.length)
    const reasons = near.flatMap((match) => match.reasons.filter(({ result }) => result === 'fail').slice(0, 1))
    expect(reasons.every(({ gap }) => gap !== null)).toBe(true)
    expect([...new Set(reasons.map(({ remedy }) => remedy))].sort()).toEqual(['answer', 'time'])
    expect(calculation.most_useful_criteria[0]).toEqual({ criterion: 'match_funding_percent', would_settle: 3 })
    const { values } = await get(project.criteria.url)
    expect([...new Set(Object.values<{ source: string }>(values).map(({ source }) => source))].sort()).toEqual([
      'api',
      'business',
      'client_intake_application',
    ])
  })

  test('the manufacturer is what several programmes look for', async () => {
    const { eligible, undetermined, near } = await found('Five-axis milling centre')
    expect(eligible.length).toBeGreaterThan(5)
    expect([undetermined.length > 0, near.length > 0]).toEqual([true, true])
  })

  test('the start-up gets grants and equity, and more questions than answers', async () => {
    const { eligible, undetermined, near } = await found('Prototype of a water quality sensor')
    expect(eligible.map(({ program }) => program.funding_type).sort()).toEqual(['equity', 'grant'])
    expect(undetermined.length).toBeGreaterThan(eligible.length + near.length)
    expect(undetermined.every(({ missing_criteria }) => missing_criteria.length > 0)).toBe(true)
  })

  test('nobody is told of matches that the demo itself has found', async () => {
    await runRepeating(server.context, 'funding_recommendations.tell_new_matches')
    expect(await all('events/?type=match.found')).toEqual([])
    expect((await all('events/?type=match_calculation.completed')).length).toBe(3)
  })
})

describe('webhooks', () => {
  test('the log says why an event did not arrive: failed with its attempts, retrying, skipped while paused, disabled by a 410', async () => {
    const webhooks = await all('webhooks/?order=created_at')
    expect(webhooks.map(({ state }) => state).sort()).toEqual(['active', 'disabled', 'paused'])
    const crm = webhooks.find(({ state }) => state === 'paused')
    expect(crm.state_reason).toContain('paused so that nothing is sent')
    const deliveries = await all(`webhooks/${crm.id}/deliveries/`)
    const states = new Set(deliveries.map(({ state }) => state))
    expect([...states].sort()).toEqual(['failed', 'retrying', 'skipped', 'succeeded'])
    const failed = deliveries.filter(({ state }) => state === 'failed')
    expect(failed).toHaveLength(1)
    const attempts = await all(failed[0].attempts_url.slice(server.base.length))
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(new Set(attempts.map(({ error_code }) => error_code))).toEqual(new Set(['timed_out', 'response_status']))
    const times = attempts.map(({ started_at }) => Date.parse(started_at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times.at(-1)).toBeLessThan(server.clock.now())
    const disabled = webhooks.find(({ state }) => state === 'disabled')
    const [gone] = await all(`webhooks/${disabled.id}/deliveries/`)
    expect([disabled.state_reason, gone.last_response_status]).toEqual([expect.stringContaining('410'), 410])
    // Every delivery is of an event that can be read.
    for (const { event_id, event_type } of deliveries.slice(0, 3))
      expect((await get(`events/${event_id}/`)).type).toBe(event_type)
  })

  test('nothing is sent to the outside: no delivery waits for an active webhook, no challenge is open, no event is left to fan out', async () => {
    const { read } = server.context.database
    const waiting = await read
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select(['webhooks.state', 'webhook_deliveries.next_attempt_at'])
      .where('next_attempt_at', 'is not', null)
      .execute()
    expect(waiting.map(({ state }) => state)).toEqual(['paused'])
    const challenges = await read.selectFrom('webhooks').select('sealed_challenge').execute()
    expect(challenges.map(({ sealed_challenge }) => sealed_challenge)).toEqual([null, null, null])
    expect((await portalsToFanOut(read)).map(({ portal_id }) => portal_id)).not.toContain(demo.portal_id)
  })
})
