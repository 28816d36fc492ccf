// What time and other Portals do to matches, through the door: staleness, windows, remedies, recipients that accept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importPrograms } from '../src/areas/funding-recommendations/programs/import/commands.ts'
import { publishRecipient } from '../src/building-blocks/recipients/commands.ts'
import { day } from '../src/platform/clock.ts'
import { newProgram } from './fixtures.ts'
import { calculate, matchesOf, newProject, newRecipient, rule } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

async function newPair(time_zone = 'UTC') {
  const broker = await newPortal(server)
  const lender = await newRecipient(server, { visibility: 'invited', invitations: [broker.id], time_zone })
  return { broker, lender }
}
const staleReasons = async (portal: TestPortal, { url }: { url: string }) => {
  const { body } = await portal.call('GET', url)
  expect(body.is_stale).toBe(body.stale_reasons.length > 0)
  return body.stale_reasons
}
const act = async (portal: TestPortal, program: { url: string }, action: string) => {
  const { etag } = (await portal.call('GET', program.url)).body
  const done = await portal.call('POST', `${program.url}${action}/`, { headers: { 'if-match': etag } })
  expect(done.status, done.text).toBe(200)
  return done.body
}
const change = async (portal: TestPortal, program: { url: string }, body: Record<string, unknown>) => {
  const { etag } = (await portal.call('GET', program.url)).body
  const changed = await portal.call('PATCH', program.url, { body, headers: { 'if-match': etag } })
  expect(changed.status, changed.text).toBe(200)
}
async function* rowsOf(rows: Record<string, unknown>[]) {
  for (const [index, value] of rows.entries()) yield { row: index + 1, value }
}
const importRows = (portal: TestPortal, ...rows: Record<string, unknown>[]) =>
  importPrograms(server.context, rowsOf(rows.map((row) => ({ funding_type: 'grant', ...row }))), {
    portal_id: portal.id,
    isSkippingBad: false,
  })
/** So many days from the day it is in UTC. */
const dayAt = (days: number) => new Date(server.clock.now() + days * day).toISOString().slice(0, 10)

interface Seen {
  outcome: string
  etag: string
  url: string
  recipient: { accepting_applications: boolean }
  reasons: { rule_id: string; result: string; remedy: string; message: string }[]
}
const reasonOf = ({ reasons }: Seen, id: string) => {
  const found = reasons.find(({ rule_id }) => rule_id === id)
  if (!found) throw new Error(`no reason ${id}`)
  return found
}

describe('a calculation of another Portal', () => {
  test('is not made stale by drafts and other programmes that nobody is matched with', async () => {
    const { broker, lender } = await newPair()
    await newProgram(lender)
    const ended = await newProgram(lender, { name: 'Ended' })
    await act(lender, ended, 'close')
    const calculation = await calculate(broker, await newProject(broker))
    const draft = await newProgram(lender, { name: 'Draft', status: 'draft' })
    await change(lender, draft, { name: 'A better draft' })
    await change(lender, ended, { name: 'Ended long ago' })
    await importRows(lender, { external_reference: 'd', name: 'Imported draft' })
    await importRows(lender, { external_reference: 'd', name: 'Imported again', status: 'draft' })
    await act(lender, draft, 'close')
    expect(await staleReasons(broker, calculation)).toEqual([])
    expect((await lender.call('GET', 'funding-programs/?status=draft')).body.items).toHaveLength(1)
  })

  for (const [what, make] of [
    ['created', (lender) => newProgram(lender)],
    ['scheduled', (lender) => newProgram(lender, { status: 'scheduled', opens_on: dayAt(9) })],
    ['changed', (lender, { open }) => change(lender, open, { name: 'Renamed' })],
    ['published', (lender, { draft }) => act(lender, draft, 'publish')],
    ['paused', (lender, { open }) => act(lender, open, 'pause')],
    ['closed', (lender, { open }) => act(lender, open, 'close')],
    ['imported', (lender) => importRows(lender, { external_reference: 'o', name: 'Imported', status: 'open' })],
    ['withdrawn by an import', (lender) => importRows(lender, { external_reference: 'r', name: 'R', status: 'draft' })],
  ] as [string, (lender: TestPortal, made: Record<'open' | 'draft', { url: string }>) => Promise<unknown>][])
    test(`is made stale by an open programme that is ${what}`, async () => {
      const { broker, lender } = await newPair()
      const open = await newProgram(lender)
      const draft = await newProgram(lender, { status: 'draft' })
      await newProgram(lender, { name: 'R', funding_type: 'grant', external_reference: 'r' })
      const calculation = await calculate(broker, await newProject(broker))
      expect(await staleReasons(broker, calculation)).toEqual([])
      await make(lender, { open, draft })
      expect(await staleReasons(broker, calculation)).toEqual(['catalogue_changed'])
    })

  test('a Portal with nothing but drafts sees them in its own list, and a draft that is published is found by others', async () => {
    const { broker, lender } = await newPair()
    const own = await newPortal(server)
    const draft = await newProgram(own, { status: 'draft' })
    const ids = async (portal: TestPortal) =>
      (await portal.call('GET', 'funding-programs/?page_size=100')).body.items.map((one: { id: string }) => one.id)
    expect(await ids(own)).toContain(draft.id)
    const later = await newProgram(lender, { status: 'draft' })
    expect(await ids(broker)).not.toContain(later.id)
    await act(lender, later, 'publish')
    expect(await ids(broker)).toContain(later.id)
    expect((await calculate(broker, await newProject(broker))).counts.evaluated).toBe(1)
  })
})

describe('the day', () => {
  test('a calculation is stale by day_changed when the last day of a window has passed at its recipient, and its ETag changes', async () => {
    const { broker, lender } = await newPair('Pacific/Kiritimati')
    const dateAt = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(server.clock.now())
    await newProgram(lender, { closes_on: dateAt('Pacific/Kiritimati') })
    const project = await newProject(broker)
    const calculation = await calculate(broker, project)
    const before = await broker.call('GET', calculation.url)
    expect([before.body.is_stale, before.headers.get('etag')]).toEqual([false, before.body.etag])
    const today = dateAt('Pacific/Kiritimati')
    const hour = day / 24
    while (dateAt('Pacific/Kiritimati') === today) server.clock.advance(hour)
    expect(await staleReasons(broker, calculation)).toEqual(['day_changed'])
    const unchanged = await broker.call('GET', calculation.url, { headers: { 'if-none-match': before.body.etag } })
    expect(unchanged.status).toBe(200)
    const next = await calculate(broker, project)
    expect(await staleReasons(broker, next)).toEqual([])
  })

  test('days on which nothing can change make no calculation stale', async () => {
    const { broker, lender } = await newPair()
    await newProgram(lender, { name: 'Whoever comes', eligibility: [rule('credit_score', 'gte', 600)] })
    const plain = await calculate(broker, await newProject(broker, { credit_score: 590, founded_on: dayAt(-400) }))
    await newProgram(lender, { name: 'Soon over', closes_on: dayAt(3) })
    await newProgram(lender, { name: 'For new ones', eligibility: [rule('needed_by', 'after', 'today+10 days')] })
    const project = await newProject(broker, { needed_by: dayAt(12) })
    const timed = await calculate(broker, project)
    const reasons: unknown[] = []
    for (let days = 0; days < 3; days++) {
      reasons.push(await staleReasons(broker, timed))
      server.clock.advance(day)
    }
    // Needed twelve days from the beginning, and asked for ten days ahead.
    expect(reasons).toEqual([[], [], []])
    expect(await staleReasons(broker, timed)).toEqual(['day_changed'])
    const again = await calculate(broker, project)
    expect(await staleReasons(broker, again)).toEqual([])
    server.clock.advance(day)
    expect(await staleReasons(broker, again)).toEqual(['day_changed'])
    server.clock.advance(90 * day)
    expect(await staleReasons(broker, plain)).toEqual(['catalogue_changed'])
  })

  test('a calculation without programmes does not become stale by the day', async () => {
    const broker = await newPortal(server)
    const calculation = await calculate(broker, await newProject(broker))
    server.clock.advance(3 * day)
    expect(await staleReasons(broker, calculation)).toEqual([])
  })

  test('the status of a programme stays when its window opens or closes, and its match says what the window is', async () => {
    const { broker, lender } = await newPair()
    const project = await newProject(broker)
    const window = { opens_on: dayAt(5), closes_on: dayAt(8) }
    const program = await newProgram(lender, { status: 'scheduled', ...window })
    const seen = async () => {
      await calculate(broker, project)
      const [match]: Seen[] = await matchesOf(broker, project)
      const { status } = (await broker.call('GET', program.url)).body
      if (!match) throw new Error('there is no match')
      const { result, message, remedy } = reasonOf(match, 'program.window')
      return [status, match.outcome, result, message, remedy]
    }
    expect(await seen()).toEqual([
      ...['scheduled', 'near_miss', 'fail', `Opens on ${window.opens_on}, in 5 days.`, 'time'],
    ])
    server.clock.advance(5 * day)
    expect(await seen()).toEqual(['scheduled', 'eligible', 'pass', `Open until ${window.closes_on}.`, 'time'])
    server.clock.advance(4 * day)
    expect(await seen()).toEqual([
      ...['scheduled', 'near_miss', 'fail', `Closed on ${window.closes_on}, 1 day ago.`, 'none'],
    ])
  })

  test('the remedy is time only where waiting brings the project nearer to the bound', async () => {
    const { broker, lender } = await newPair()
    const eligibility = [
      rule('time_in_business_months', 'gte', 24, { id: 'older' }),
      rule('time_in_business_months', 'lte', 6, { id: 'younger' }),
      rule('founded_on', 'before', 'today-24 months', { id: 'founded_before_moving_day' }),
      rule('founded_on', 'before', '2001-01-01', { id: 'founded_before_fixed_day' }),
      rule('bankruptcy', 'gte', 36, { id: 'discharged_long_ago' }),
      rule('bankruptcy', 'lte', 3, { id: 'discharged_lately' }),
      rule('needed_by', 'after', 'today+90 days', { id: 'needed_later' }),
    ]
    await newProgram(lender, { eligibility })
    const months = (count: number) => dayAt(-31 * count)
    const project = await newProject(broker, {
      ...{ founded_on: months(12), needed_by: dayAt(30) },
      bankruptcy: { has: true, discharged_on: months(12) },
    })
    await calculate(broker, project)
    const [match]: Seen[] = await matchesOf(broker, project)
    if (!match) throw new Error('there is no match')
    const remedies = eligibility.map(({ id }) => [id, reasonOf(match, id).result, reasonOf(match, id).remedy])
    expect(remedies).toEqual([
      ['older', 'fail', 'time'],
      ['younger', 'fail', 'none'],
      ['founded_before_moving_day', 'fail', 'time'],
      ['founded_before_fixed_day', 'fail', 'none'],
      ['discharged_long_ago', 'fail', 'time'],
      ['discharged_lately', 'fail', 'none'],
      ['needed_later', 'fail', 'answer'],
    ])
  })
})

describe('a match', () => {
  test('says whether its recipient accepts applications now, and its ETag changes with that', async () => {
    const { broker, lender } = await newPair()
    await newProgram(lender)
    const project = await newProject(broker)
    await calculate(broker, project)
    const read = async () => {
      const [match]: Seen[] = await matchesOf(broker, project)
      if (!match) throw new Error('there is no match')
      const one = await broker.call('GET', match.url)
      expect([one.body, one.headers.get('etag')]).toEqual([match, match.etag])
      return match
    }
    const publish = (more: Partial<Parameters<typeof publishRecipient>[2]>) =>
      server.context.database.transaction((tx) =>
        publishRecipient(tx, lender.caller, {
          ...{ name: 'Harbour Lending', kind: 'lender', countries: ['US'], visibility: 'invited' },
          ...{ invitations: [broker.id], ...more },
        }),
      )
    const before = await read()
    expect(before.recipient.accepting_applications).toBe(true)
    await publish({ accepting_applications: false })
    const after = await read()
    expect(after.recipient.accepting_applications).toBe(false)
    expect(after.etag).not.toBe(before.etag)
    const headers = { 'if-match': before.etag }
    expect((await broker.call('POST', `${before.url}dismiss/`, { headers })).status).toBe(412)
    const now = { 'if-match': after.etag }
    const dismissed = await broker.call('POST', `${after.url}dismiss/`, { headers: now })
    expect([dismissed.status, dismissed.body.recipient.accepting_applications]).toEqual([200, false])
    await publish({ accepting_applications: true })
    expect((await read()).recipient.accepting_applications).toBe(true)
    await publish({ invitations: [] })
    expect((await read()).recipient.accepting_applications).toBe(false)
  })

  test('of a programme of its own Portal says so, too', async () => {
    const own = await newPortal(server)
    await newProgram(own)
    const project = await newProject(own)
    await calculate(own, project)
    expect((await matchesOf(own, project))[0].recipient.accepting_applications).toBe(true)
  })
})
