// From criteria to matches, through the door: calculations, their matches with reasons, dismissal, what-if, staleness.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { beginCalculation, recipientsToEvaluate } from '../src/areas/funding-recommendations/calculations/commands.ts'
import { match } from '../src/areas/funding-recommendations/calculations/matcher.ts'
import { findCalculation } from '../src/areas/funding-recommendations/calculations/queries.ts'
import { newId } from '../src/platform/values/ids.ts'
import { runDueJobs, runRepeating } from './due-jobs.ts'
import { newProgram } from './fixtures.ts'
import { calculate, matchesOf, newProject, newRecipient, rule, setCriteria, usd } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** A broker and a lender that nobody else sees. */
async function newPair() {
  const broker = await newPortal(server)
  const lender = await newRecipient(server, { visibility: 'invited', invitations: [broker.id] })
  return { broker, lender }
}

const inUs = rule('country', 'in', ['US'])
const foundedMonthsAgo = (months: number) => {
  const day = new Date(server.clock.now())
  day.setUTCMonth(day.getUTCMonth() - months, 1)
  return day.toISOString().slice(0, 10)
}

interface Seen {
  id: string
  rank: number
  outcome: string
  program: { id: string; name: string }
  reasons: { rule_id: string; result: string; message: string; gap: unknown }[]
}
const named = (matches: Seen[], name: string) => {
  const found = matches.find(({ program }) => program.name === name)
  if (!found) throw new Error(`no match with ${name}`)
  return found
}

/** One programme of each outcome, and one that is not evaluated. */
async function newCatalogue(lender: TestPortal) {
  const range = { min: usd('10000.00'), max: usd('250000.00') }
  const terms = { amount: range, term_months: { min: 6, max: 60 }, time_to_fund_days: { min: 2, max: 10 } }
  const preferred = { effect: 'preferred', weight: 2 }
  await newProgram(lender, {
    ...{ name: 'fits', ...terms },
    eligibility: [inUs, rule('use_of_funds', 'contains_any', ['equipment'], preferred)],
  })
  await newProgram(lender, { name: 'unknown', ...terms, eligibility: [inUs, rule('credit_score', 'gte', 640)] })
  await newProgram(lender, {
    ...{ name: 'nearly', ...terms },
    eligibility: [inUs, rule('time_in_business_months', 'gte', 24, { remedy: 'time', message: 'No start-ups.' })],
  })
  await newProgram(lender, {
    ...{ name: 'never', funding_type: 'grant', ...terms },
    eligibility: [rule('country', 'in', ['CA']), rule('annual_revenue', 'gte', usd('90000000.00'))],
  })
  await newProgram(lender, { name: 'draft', status: 'draft', ...terms })
}

async function newMatched() {
  const pair = await newPair()
  await newCatalogue(pair.lender)
  const project = await newProject(
    pair.broker,
    { annual_revenue: usd('1250000.00') },
    { founded_on: foundedMonthsAgo(21) },
  )
  const calculation = await calculate(pair.broker, project)
  return { ...pair, project, calculation }
}

describe('a calculation', () => {
  test('202 with Location: every programme gets an outcome, and what is unknown is ranked by what it would settle', async () => {
    const { broker, project, calculation } = await newMatched()
    expect(calculation.counts).toEqual({ evaluated: 4, eligible: 1, undetermined: 1, near_miss: 1, ineligible: 1 })
    expect(calculation.most_useful_criteria).toEqual([{ criterion: 'credit_score', would_settle: 1 }])
    expect([calculation.is_stale, calculation.stale_reasons]).toEqual([false, []])
    const matches = await matchesOf(broker, project)
    expect(matches.map((one: Seen) => [one.rank, one.program.name, one.outcome])).toEqual([
      [1, 'fits', 'eligible'],
      [2, 'unknown', 'undetermined'],
      [3, 'nearly', 'near_miss'],
      [4, 'never', 'ineligible'],
    ])
    const { items: events } = (await broker.call('GET', `events/?resource_id=${calculation.id}`)).body
    expect(events.map((event: { type: string }) => event.type)).toEqual(['match_calculation.completed'])
  })

  test('a match explains itself in sentences with numbers in them', async () => {
    const { broker, project } = await newMatched()
    const matches: Seen[] = await matchesOf(broker, project)
    expect(named(matches, 'nearly').reasons[0]).toMatchObject({
      rule_id: 'time_in_business_months_gte',
      result: 'fail',
      gap: { unit: 'months', actual: 21, bound: 24, short_by: 3 },
      message: 'Requires at least 24 months in business; this business has 21: 3 months short.',
      note: 'No start-ups.',
      remedy: 'time',
    })
    expect(named(matches, 'unknown').reasons[0]).toMatchObject({ rule_id: 'credit_score_gte', result: 'unknown' })
    expect(named(matches, 'unknown')).toMatchObject({ missing_criteria: ['credit_score'], score: 100 })
    expect(named(matches, 'fits')).toMatchObject({
      score: 100,
      estimated_amount: { min: usd('10000.00'), max: usd('80000.00') },
      recipient: { name: 'Harbour Lending' },
      deal_id: null,
      dismissed_at: null,
    })
    for (const { reasons } of matches) for (const { message } of reasons) expect(message).toMatch(/^[A-Z].{10,}\.$/)
  })

  test('422 criteria_incomplete with everything that is missing', async () => {
    const { broker } = await newPair()
    const { body: business } = await broker.call('POST', 'businesses/', { body: broker.business() })
    const { body: project } = await broker.call('POST', 'projects/', { body: { business_id: business.id } })
    const answer = await broker.call('POST', project.calculations_url)
    expect([answer.status, answer.body.code]).toEqual([422, 'criteria_incomplete'])
    expect(answer.body.details.map((one: { name: string }) => one.name)).toEqual(['amount_requested', 'use_of_funds'])
  })

  test('a second request while one is under way returns that one; requests at once start one', async () => {
    const { broker } = await newPair()
    const project = await newProject(broker)
    const answers = await Promise.all(Array.from({ length: 8 }, () => broker.call('POST', project.calculations_url)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    await runDueJobs(server.context, broker.id)
    const next = await broker.call('POST', project.calculations_url)
    expect(next.body.id).not.toBe(answers[0]?.body.id)
    await runDueJobs(server.context, broker.id)
    const { items } = (await broker.call('GET', project.calculations_url)).body
    expect(items.map((one: { state: string }) => one.state)).toEqual(['completed', 'completed'])
  })

  test('409 for a project of a business that was archived', async () => {
    const { broker } = await newPair()
    const project = await newProject(broker)
    const { body: business } = await broker.call('GET', `businesses/${project.business_id}/`)
    await broker.call('POST', `${business.url}archive/`, { headers: { 'if-match': business.etag } })
    const answer = await broker.call('POST', project.calculations_url)
    expect([answer.status, answer.body.message]).toEqual([409, 'Cannot calculate matches: the business is archived.'])
  })

  test('becomes stale when criteria or a catalogue move, and says which', async () => {
    const { broker, lender, project, calculation } = await newMatched()
    const reread = async () => (await broker.call('GET', calculation.url)).body.stale_reasons
    await setCriteria(broker, project, { credit_score: 700 })
    expect(await reread()).toEqual(['criteria_changed'])
    await newProgram(lender, { name: 'another' })
    expect(await reread()).toEqual(['criteria_changed', 'catalogue_changed'])
    const { counts } = await calculate(broker, project)
    expect(counts).toMatchObject({ evaluated: 5, eligible: 3, undetermined: 0 })
    const other = await newRecipient(server, { visibility: 'invited', invitations: [broker.id] })
    const last = await calculate(broker, project)
    await newProgram(other)
    expect((await broker.call('GET', last.url)).body.stale_reasons).toEqual(['catalogue_changed'])
  })

  test('reasons stay those of the calculation when the programme changes afterwards', async () => {
    const { broker, lender, project } = await newMatched()
    const before = named(await matchesOf(broker, project), 'nearly')
    const { body: program } = await lender.call('GET', `funding-programs/${before.program.id}/`)
    const changed = await lender.call('PATCH', program.url, {
      body: { name: 'renamed', eligibility: [rule('time_in_business_months', 'gte', 60)] },
      headers: { 'if-match': program.etag },
    })
    expect(changed.status, changed.text).toBe(200)
    expect(named(await matchesOf(broker, project), 'nearly').reasons).toEqual(before.reasons)
    await calculate(broker, project)
    expect(named(await matchesOf(broker, project), 'renamed').outcome).toBe('ineligible')
  })

  test('a recipient that is not visible is not evaluated, and its matches name nobody', async () => {
    const { broker, project } = await newMatched()
    const stranger = await newPortal(server)
    const other = await newProject(stranger)
    const { counts } = await calculate(stranger, other)
    expect(counts.evaluated).toBe(0)
    for (const path of [project.url, project.matches_url, project.calculations_url, project.criteria.url])
      expect((await stranger.call('GET', path)).status).toBe(404)
    expect((await matchesOf(broker, project)).length).toBe(4)
  })

  test('windows count in the day of the recipient', async () => {
    const broker = await newPortal(server)
    const east = await newRecipient(server, {
      visibility: 'invited',
      invitations: [broker.id],
      time_zone: 'Pacific/Kiritimati',
    })
    const west = await newRecipient(server, {
      visibility: 'invited',
      invitations: [broker.id],
      time_zone: 'Etc/GMT+12',
    })
    const dayIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(server.clock.now())
    // It is never the same day at both: one opens on its own today, the other closed on the day before its own.
    await newProgram(east, { name: 'opens today', opens_on: dayIn('Pacific/Kiritimati') })
    await newProgram(west, { name: 'closes today', closes_on: dayIn('Etc/GMT+12') })
    const project = await newProject(broker)
    const { counts } = await calculate(broker, project)
    expect(counts).toMatchObject({ evaluated: 2, eligible: 2 })
  })

  test('an attempt that was given up leaves nothing behind: the next one has its own matches', async () => {
    const { broker, lender } = await newPair()
    await newCatalogue(lender)
    const project = await newProject(broker)
    const { body: started } = await broker.call('POST', project.calculations_url)
    const { database } = server.context
    const row = await findCalculation(database.read, broker.id, started.id)
    if (!row) throw new Error('there is no calculation')
    await database.transaction((tx) => beginCalculation(tx, broker.caller, row))
    // As far as a process comes that dies before it can say so.
    const lost = newId('cal')
    await match(server.context, 'calculate', {
      ...{ portal_id: broker.id, result_id: lost, project_id: project.id, values: row.criteria },
      recipients: await recipientsToEvaluate(database.read, broker.id),
      now: server.clock.now(),
    })
    await runDueJobs(server.context, broker.id)
    expect((await broker.call('GET', started.url)).body.state).toBe('completed')
    expect(await matchesOf(broker, project)).toHaveLength(4)
    const results = async () => {
      const pages = database.read.selectFrom('match_pages').select('result_id').distinct()
      return (await pages.where('portal_id', '=', broker.id).execute()).map(({ result_id }) => result_id)
    }
    expect(await results()).toContain(lost)
    server.clock.advance(2 * 3_600_000)
    await runRepeating(server.context, 'funding_recommendations.forget_calculations')
    expect([await results()].flat()).toHaveLength(1)
    expect(await matchesOf(broker, project)).toHaveLength(4)
  })

  test('a calculation that cannot be done fails with what to do, and the next one may begin', async () => {
    const { broker } = await newPair()
    const project = await newProject(broker)
    const { body: started } = await broker.call('POST', project.calculations_url)
    const job = jobs.find(({ kind }) => kind === 'funding_recommendations.calculate')
    await job?.giveUp?.(server.context, {
      portal_id: broker.id,
      request_id: null,
      payload: { calculation_id: started.id },
    })
    const { body: failed } = await broker.call('GET', started.url)
    expect([failed.state, failed.error.message]).toEqual(['failed', 'An internal error occurred. Calculate again.'])
    expect((await broker.call('POST', project.calculations_url)).body.id).not.toBe(started.id)
    await runDueJobs(server.context, broker.id)
  })

  test('only the newest are kept, and the last completed one always is', async () => {
    const { broker } = await newPair()
    const project = await newProject(broker)
    const ids: string[] = []
    for (let round = 0; round < 7; round++) ids.push((await calculate(broker, project)).id)
    await runRepeating(server.context, 'funding_recommendations.forget_calculations')
    const kept = async () =>
      (await broker.call('GET', project.calculations_url)).body.items.map((one: { id: string }) => one.id)
    expect(await kept()).toEqual(ids.slice(2).reverse())
    server.clock.advance(100 * 86_400_000)
    await runRepeating(server.context, 'funding_recommendations.forget_calculations')
    expect(await kept()).toEqual([ids.at(-1)])
    expect((await broker.call('GET', `${project.matches_url}?calculation_id=${ids[0]}`)).status).toBe(404)
    const left = await server.context.database.read
      .selectFrom('match_pages')
      .select('result_id')
      .where('portal_id', '=', broker.id)
      .execute()
    expect(left).toEqual([])
  })
})

describe('matches', () => {
  test('filters, pages forward and backward, and the order by rank both ways agree with each other', async () => {
    const { broker, lender } = await newPair()
    const second = await newRecipient(server, { visibility: 'invited', invitations: [broker.id], name: 'Second' })
    const types = ['term_loan', 'grant', 'equity']
    for (let number = 0; number < 30; number++) {
      const funding_type = types[number % 3]
      const eligibility = [
        rule('credit_score', number % 4 === 0 ? 'exists' : 'gte', number % 4 === 0 ? true : 600 + number * 10),
      ]
      await newProgram(number % 2 === 0 ? lender : second, { name: `n${number}`, funding_type, eligibility })
    }
    const project = await newProject(broker, { credit_score: 700 })
    await calculate(broker, project)
    const all: (Seen & { program: { funding_type: string }; recipient: { id: string } })[] = await matchesOf(
      broker,
      project,
      '?page_size=100',
    )
    expect(all.map(({ rank }) => rank)).toEqual(all.map((_, index) => index + 1))
    const walk = async (query: string, link: 'next_cursor' | 'previous_cursor' = 'next_cursor', cursor = '') => {
      const ids: string[] = []
      for (let at = cursor; ; ) {
        const { body } = await broker.call('GET', `${project.matches_url}?page_size=4${query}${at && `&cursor=${at}`}`)
        const page = body.items.map((one: Seen) => one.id)
        ids.push(...(link === 'next_cursor' ? page : page.reverse()))
        if (body[link] === null) return { ids, last: body }
        at = encodeURIComponent(body[link])
      }
    }
    const filters = [
      '',
      '&outcome=eligible',
      '&outcome=ineligible',
      '&funding_type=grant',
      `&recipient_id=${second.recipient_id}`,
      `&recipient_id=${lender.recipient_id}&funding_type=equity`,
      `&funding_type=term_loan&outcome=near_miss`,
    ]
    for (const query of filters) {
      const wanted = new URLSearchParams(query)
      const expected = all
        .filter(
          (one) =>
            (wanted.get('outcome') ?? one.outcome) === one.outcome &&
            (wanted.get('funding_type') ?? one.program.funding_type) === one.program.funding_type &&
            (wanted.get('recipient_id') ?? one.recipient.id) === one.recipient.id,
        )
        .map(({ id }) => id)
      const forward = await walk(query)
      expect([query, forward.ids]).toEqual([query, expected])
      expect([query, (await walk(`${query}&order=-rank`)).ids]).toEqual([query, [...expected].reverse()])
      if (forward.last.previous_cursor !== null) {
        const back = await walk(query, 'previous_cursor', encodeURIComponent(forward.last.previous_cursor))
        const lastPage = forward.last.items.length
        expect([query, back.ids]).toEqual([query, expected.slice(0, expected.length - lastPage).reverse()])
      }
    }
  })

  test('whoever pages while matches are calculated again goes on in the calculation they began in', async () => {
    const { broker, lender, project } = await newMatched()
    const first = await broker.call('GET', `${project.matches_url}?page_size=2`)
    await newProgram(lender, { name: 'first now', eligibility: [], time_to_fund_days: { min: 0, max: 0 } })
    await calculate(broker, project)
    const cursor = encodeURIComponent(first.body.next_cursor)
    const second = await broker.call('GET', `${project.matches_url}?page_size=2&cursor=${cursor}`)
    const names = [...first.body.items, ...second.body.items].map((one: Seen) => one.program.name)
    expect(names).toEqual(['fits', 'unknown', 'nearly', 'never'])
  })

  test('previous_cursor is null exactly when nothing precedes, with filters too', async () => {
    const { broker, project } = await newMatched()
    const [first] = await matchesOf(broker, project)
    await broker.call('POST', `${first.url}dismiss/`, { headers: { 'if-match': first.etag } })
    const page = await broker.call('GET', `${project.matches_url}?dismissed=false&page_size=1`)
    expect(page.body.previous_cursor).toBeNull()
    const next = encodeURIComponent(page.body.next_cursor)
    const second = await broker.call('GET', `${project.matches_url}?dismissed=false&page_size=1&cursor=${next}`)
    const back = encodeURIComponent(second.body.previous_cursor)
    const again = await broker.call('GET', `${project.matches_url}?dismissed=false&page_size=1&cursor=${back}`)
    expect([again.body.items, again.body.previous_cursor]).toEqual([page.body.items, null])
  })

  test('one match reads as in the list; an id of another project is unknown', async () => {
    const { broker, project } = await newMatched()
    const [first] = await matchesOf(broker, project)
    expect((await broker.call('GET', first.url)).body).toEqual(first)
    const other = await newProject(broker)
    await calculate(broker, other)
    const [elsewhere] = await matchesOf(broker, other)
    expect(elsewhere.id).not.toBe(first.id)
    expect((await broker.call('GET', `${project.matches_url}${elsewhere.id}/`)).status).toBe(404)
    expect((await broker.call('GET', `${other.matches_url}${first.id}/`)).status).toBe(404)
  })

  test('a dismissed match stays dismissed in the next calculation, until it is restored', async () => {
    const { broker, project } = await newMatched()
    const [first, ...others] = await matchesOf(broker, project)
    const dismissed = await broker.call('POST', `${first.url}dismiss/`, { headers: { 'if-match': first.etag } })
    expect([dismissed.status, dismissed.body.dismissed_at]).toEqual([200, expect.any(String)])
    expect((await broker.call('POST', `${first.url}dismiss/`, { headers: { 'if-match': first.etag } })).status).toBe(
      412,
    )
    const ids = (list: Seen[]) => list.map(({ id }) => id)
    expect(ids(await matchesOf(broker, project, '?dismissed=true'))).toEqual([first.id])
    expect(ids(await matchesOf(broker, project, '?dismissed=false'))).toEqual(ids(others))
    expect(ids(await matchesOf(broker, project, '?dismissed=true&funding_type=grant'))).toEqual([])
    await calculate(broker, project)
    const [again] = await matchesOf(broker, project)
    expect([again.id, again.dismissed_at]).toEqual([first.id, dismissed.body.dismissed_at])
    const restored = await broker.call('POST', `${first.url}restore/`, { headers: { 'if-match': again.etag } })
    expect([restored.status, restored.body.dismissed_at]).toEqual([200, null])
  })
})

describe('what if', () => {
  test('200 without an Idempotency-Key: what would change, with the rules that come out differently, and nothing is stored', async () => {
    const { broker, project } = await newMatched()
    const answer = await broker.call('POST', `${project.url}what-if/`, {
      body: { values: { credit_score: 700 } },
      headers: { 'idempotency-key': null },
    })
    expect([answer.status, answer.body.counts.eligible, answer.body.changed_count], answer.text).toEqual([200, 2, 1])
    expect(answer.body.changed).toMatchObject([
      {
        program: { name: 'unknown' },
        from: 'undetermined',
        to: 'eligible',
        reasons: [{ rule_id: 'credit_score_gte', result: 'pass' }],
      },
    ])
    const without = await broker.call('POST', `${project.url}what-if/`, { body: { values: { founded_on: null } } })
    expect(without.body.changed).toMatchObject([{ program: { name: 'nearly' }, from: 'near_miss', to: 'undetermined' }])
    const { values } = (await broker.call('GET', project.criteria.url)).body
    expect(['credit_score' in values, 'founded_on' in values]).toEqual([false, true])
    const nearer = await broker.call('POST', `${project.url}what-if/`, {
      body: { values: { founded_on: '2000-01-01' } },
    })
    expect(nearer.body.changed).toMatchObject([{ from: 'near_miss', to: 'eligible', reasons: [{ result: 'pass' }] }])
    const wrong = await broker.call('POST', `${project.url}what-if/`, {
      body: { values: { amount_requested: usd('0.00') } },
    })
    expect([wrong.status, wrong.body.details[0].pointer]).toEqual([422, '/values/amount_requested/amount'])
  })
})

describe('match.found', () => {
  const found = async (portal: TestPortal) =>
    (await portal.call('GET', 'events/?type=match.found')).body.items.map(
      (event: { data: { resource: { url: string } } }) => event.data.resource.url,
    )
  const tell = () => runRepeating(server.context, 'funding_recommendations.tell_new_matches')

  test('a programme that becomes eligible is told once, to the projects it fits and nobody else', async () => {
    const { broker, lender, project } = await newMatched()
    const small = await newProject(broker, { amount_requested: usd('100.00') })
    await calculate(broker, small)
    await newProject(broker) // never calculated: nobody waits for its matches
    await tell()
    expect(await found(broker)).toEqual([])
    const program = await newProgram(lender, { name: 'new', amount: { min: usd('50000.00'), max: null } })
    await tell()
    const told = await found(broker)
    expect(told).toHaveLength(1)
    expect(told[0]).toContain(project.id)
    await tell()
    // A change that leaves it eligible is nothing new.
    const renamed = await lender.call('PATCH', program.url, {
      body: { name: 'newer' },
      headers: { 'if-match': program.etag },
    })
    expect(renamed.status).toBe(200)
    await tell()
    expect(await found(broker)).toEqual(told)
    await calculate(broker, project)
    const match = await broker.call('GET', told[0])
    expect([match.status, match.body.program.name, match.body.outcome]).toEqual([200, 'newer', 'eligible'])
    expect(await found(lender)).toEqual([])
  })

  test('a programme that is edited again before anybody was told is told once', async () => {
    const { broker, lender } = await newMatched()
    await tell()
    const made = await newProgram(lender, { name: 'new' })
    const edited = await lender.call('PATCH', made.url, { body: { name: 'newer' }, headers: { 'if-match': made.etag } })
    expect(edited.status).toBe(200)
    await tell()
    await tell()
    expect(await found(broker)).toHaveLength(1)
  })

  test('a dismissed programme is not told again when it changes', async () => {
    const { broker, lender, project } = await newMatched()
    await tell()
    const seen: Seen & { url: string; etag: string } = named(await matchesOf(broker, project), 'nearly') as never
    await broker.call('POST', `${seen.url}dismiss/`, { headers: { 'if-match': seen.etag } })
    const { body: program } = await lender.call('GET', `funding-programs/${seen.program.id}/`)
    await lender.call('PATCH', program.url, { body: { eligibility: [] }, headers: { 'if-match': program.etag } })
    await tell()
    expect(await found(broker)).toEqual([])
  })

  test('a change the last calculation already knew is not told', async () => {
    const { broker, lender, project } = await newMatched()
    await tell()
    await newProgram(lender, { name: 'new' })
    await calculate(broker, project)
    await tell()
    expect(await found(broker)).toEqual([])
  })
})
