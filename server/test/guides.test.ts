// The guides: every example in them runs, and their tables say what is true.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventKinds, jobs } from '../src/app.ts'
import { applicationStates, dealEffects, offerStates } from '../src/areas/deal-applications/states.ts'
import { dealStages, stageProblems } from '../src/areas/deals/stages.ts'
import { dealStates } from '../src/areas/deals/states.ts'
import { criteria } from '../src/areas/funding-recommendations/criteria/vocabulary.ts'
import { operators as ruleOperators } from '../src/areas/funding-recommendations/matching/rules.ts'
import { subjectNames } from '../src/areas/funding-recommendations/matching/subjects.ts'
import { readProgram } from '../src/areas/funding-recommendations/programs/import/program-rows.ts'
import { valueProblem } from '../src/building-blocks/contracts/answer-values.ts'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import { modelOf } from '../src/building-blocks/contracts/contract-model.ts'
import { operators, questionTypes } from '../src/building-blocks/contracts/contract-schema.ts'
import { createKey } from '../src/building-blocks/portals/commands.ts'
import { listPortals } from '../src/building-blocks/portals/queries.ts'
import { createDemoRecipients } from '../src/cli/demo-recipients.ts'
import { startWorker } from '../src/platform/background/worker.ts'
import { isoTime } from '../src/platform/clock.ts'
import { checkAgainst } from '../src/platform/protocol/validation.ts'
import { examplesIn, readGuide, runExamples, tableOf } from './guide-examples.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let worker: ReturnType<typeof startWorker>
beforeAll(async () => {
  server = await startTestServer()
  worker = startWorker(server.context, jobs, server.metrics, { idleMs: 20 })
})
afterAll(async () => {
  await worker.stop()
  await server.stop()
})

const guides = readdirSync(new URL('../../docs/guides/', import.meta.url))
const written = readGuide
// The guide to webhooks needs a receiver, that to documents the demo Portal: they have tests of their own.
const runElsewhere = ['receive-updates.md', 'autofill.md']
const withExamples = guides.filter((name) => written(name).includes('```bash run') && !runElsewhere.includes(name))
const intake = written('client-intake.md')
const funding = written('find-funding.md')
const deals = written('create-a-deal.md')
const applications = written('apply-to-a-recipient.md')
const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** The programmes that the demo Portal sees, for another Portal. */
const withDemoRecipients = ({ caller }: TestPortal) =>
  server.context.database.transaction((tx) =>
    createDemoRecipients(tx, caller, isoTime(server.clock.now()).slice(0, 10)),
  )

/** Guides whose examples also act for a recipient. */
const betweenPortals = ['create-a-deal.md', 'apply-to-a-recipient.md']

/** A key of a Portal that exists. */
const keyOf = (name: string) =>
  server.context.database.transaction(async (tx) => {
    const portal = (await listPortals(tx)).find((one) => one.name === name)
    if (!portal) throw new Error(`there is no Portal ${name}`)
    return (await createKey(tx, server.context, { portal_id: portal.portal_id, name: 'Guide', grants: ['all'] })).key
  })

/** A Portal of the guide's own, after all its examples have run in it. Each guide is run once. */
const outcomeOf = once(async (name: string) => {
  const portal = await newPortal(server)
  for (let i = 0; i < 4; i++)
    await portal.call('POST', 'businesses/', { body: portal.business({ legal_name: `Lee Bakery ${i}` }) })
  const hasRecipients = ['find-funding.md', ...betweenPortals].includes(name)
  if (hasRecipients) await withDemoRecipients(portal)
  const contract = /```json contract\n([\s\S]*?)\n```/.exec(written(name))?.[1]
  const published =
    contract &&
    (await server.context.database.transaction((tx) => publishContract(tx, portal.caller, JSON.parse(contract))))
  const examples = examplesIn(written(name))
  const answers = await runExamples(
    examples.map(({ code }) => code),
    {
      PORTICO_URL: `${server.origin}/v1`,
      PORTICO_API_KEY: portal.key,
      ...(published && { CONTRACT_ID: published.id }),
      ...(betweenPortals.includes(name) && { RECIPIENT_API_KEY: await keyOf('Saltmarsh Community Bank (demo)') }),
    },
  )
  return { portal, examples, answers }
})

function once<Result>(make: (name: string) => Promise<Result>): (name: string) => Promise<Result> {
  const made = new Map<string, Promise<Result>>()
  return (name) => {
    const result = made.get(name) ?? make(name)
    made.set(name, result)
    return result
  }
}

test.each(withExamples)(
  '%s: every example runs, one after the other, and no request fails but those of examples that show an error',
  async (name) => {
    const { examples, answers } = await outcomeOf(name)
    expect(examples).toHaveLength(written(name).split('```bash run').length - 1)
    expect(answers).toHaveLength(examples.length)
    for (const [index, { printed, statuses }] of answers.entries()) {
      const { error, code } = examples[index] ?? {}
      const shown = `${code}\n${printed}`
      expect(printed, shown).not.toBe('')
      if (error === undefined) {
        expect(
          statuses.filter((status) => status < 200 || status > 299),
          shown,
        ).toEqual([])
        expect(statuses.length > 0, shown).toBe(code?.includes('curl ') ?? false)
        expect(printed).not.toContain('"retryable"')
      } else {
        expect(
          statuses.filter((status) => status < 400 || status > 499),
          shown,
        ).toEqual([])
        expect(JSON.parse(printed).code, shown).toBe(error)
      }
    }
  },
)

test('the client intake guide ends where it says: two submissions, accepted, with what Autofill found', async () => {
  const { portal: own } = await outcomeOf('client-intake.md')
  const { items } = (await own.call('GET', 'client-intake-applications/?state=accepted')).body
  expect(items).toMatchObject([{ attempt: 2, submission: { number: 2 }, progress: { percent: 100 } }])
  const [application] = items
  const runs = (await own.call('GET', application.autofill_runs_url)).body.items
  const keys = (list: { question_key: string }[]) => list.map(({ question_key }) => question_key)
  expect([keys(runs[0].filled), keys(runs[0].suggested)]).toEqual([['bank_balance'], ['owners']])
  expect(runs[0].skipped).toContainEqual(expect.objectContaining({ question_key: 'legal_name', reason: 'confirmed' }))
  const { content } = (await own.call('GET', application.submission.url)).body
  expect(content.items).toMatchObject([{ values: { last_name: 'Lee' } }, { values: { last_name: 'Ray' } }])
  expect(content.files).toMatchObject([{ filename: 'statement.csv' }])
})

test('the client intake guide shows every type of question with a value that fits, and no other', () => {
  const rows = tableOf(intake, 'Question types')
  expect(rows.map(([, type = '']) => namesIn(type)[0]).sort()).toEqual([...questionTypes].sort())
  const options = ['loan', 'grant'].map((value) => ({ value, label: value }))
  for (const [, name = '', value = ''] of rows) {
    const type = questionTypes.find((one) => one === namesIn(name)[0])
    if (type === undefined || value === 'none') continue
    const isChoice = type.endsWith('_choice')
    const question = { key: 'it', section: 'one', type, label: 'It', ...(isChoice && { options }) }
    const model = modelOf({ sections: [{ key: 'one', title: 'One' }], questions: [question] })
    expect(valueProblem(model, question, JSON.parse(namesIn(value)[0] ?? ''), '2026-01-01')).toBeUndefined()
  }
  const unanswered = rows.filter(([, , value]) => value === 'none').map(([, type = '']) => namesIn(type)[0])
  expect(unanswered).toEqual(['file', 'group', 'display'])
})

test('the client intake guide names every operator and every event there is, and no other', () => {
  const operatorCells = tableOf(intake, 'Conditions').flatMap(([, cell = '']) => namesIn(cell))
  expect(operatorCells.sort()).toEqual([...operators].sort())
  const events = tableOf(intake, '12. Read the events').flatMap(([, cell = '']) => namesIn(cell))
  const ofIntake = eventKinds.map(({ type }) => type).filter((type) => /^(client_intake_application|file)\./.test(type))
  expect(events.sort()).toEqual(ofIntake.sort())
})

test('the guide to funding shows the results that its examples have', async () => {
  const { examples, answers } = await outcomeOf('find-funding.md')
  const printedBy = (part: string) => answers[examples.findIndex(({ code }) => code.includes(part))]?.printed ?? ''
  const shown = [...funding.matchAll(/"counts": (\{[^}]*\})/g)].map(([, counts = '']) => JSON.parse(counts))
  const calculation = JSON.parse(printedBy('cat calculation.json'))
  const whatIf = JSON.parse(printedBy('what-if/'))
  expect(shown).toEqual([calculation.counts, whatIf.counts])
  expect(funding).toContain(JSON.stringify(calculation.most_useful_criteria).replace(/[:,{}]/g, spaced))
  expect(funding).toContain(`"changed_count": ${whatIf.changed_count},`)
  const changes: { program: { name: string }; from: string; to: string }[] = whatIf.changed
  const listed = [...funding.matchAll(/"name": "([^"]+)" \}, "from": "(\w+)", "to": "(\w+)"/g)]
  expect(listed.map(([, ...rest]) => rest)).toEqual(changes.map(({ program, from, to }) => [program.name, from, to]))
  const [nearest] = JSON.parse(printedBy('outcome=near_miss')).items
  const reason = /```json\n(\{\n {2}"rule_id"[\s\S]*?)\n```/.exec(funding)?.[1] ?? ''
  expect(nearest.reasons[0]).toEqual(JSON.parse(reason))
  expect(printedBy('criteria/suggestions/')).toContain('"key":"employee_count","value":7,"source":"business"')
  expect(printedBy('"is_stale":[^]]*]')).toContain('"is_stale":true,"stale_reasons":["criteria_changed"]')
  const left = JSON.parse(
    printedBy('dismiss/')
      .split('\n')
      .at(-1)
      ?.replace(/^.*\}(?=\{"items")/, '') ?? '',
  )
  expect(left.items).toHaveLength(calculation.counts.eligible - 1)
})

const spaced = (sign: string) => ({ '{': '{ ', '}': ' }' })[sign] ?? `${sign} `

test('the guide to funding names every operator and every event there is, and only real criteria', () => {
  const rules = tableOf(funding, 'How rules are evaluated').map(([, cell = '']) => namesIn(cell))
  const named = rules.flat().filter((name) => name !== 'when')
  expect(named.sort()).toEqual([...ruleOperators].sort())
  const events = tableOf(funding, '9. Read the events').flatMap(([, cell = '']) => namesIn(cell))
  const kinds = eventKinds.map(({ type }) => type).filter((type) => /^(project|match_calculation|match)\./.test(type))
  expect(events.sort()).toEqual(kinds.sort())
  const used = [...funding.matchAll(/"criterion": ?"([a-z_.]+)"/g)].map(([, name = '']) => name)
  expect(used.filter((name) => !subjectNames.includes(name))).toEqual(['credit_scroe'])
  const required = criteria.filter((one) => one.required).map(({ key }) => `\`${key}\``)
  expect(funding).toContain(`Only ${required.slice(0, -1).join(', ')} and ${required.at(-1)} are required.`)
})

test('the guide to funding shows a file that can be imported', () => {
  const rows: unknown[] = JSON.parse(/```json programs\n([\s\S]*?)\n```/.exec(funding)?.[1] ?? '')
  expect(rows.map(readProgram).filter((row) => 'problems' in row)).toEqual([])
})

test('the guide to deals ends where it says: a deal withdrawn, one of the own Portal won, and stages that can be set', async () => {
  const { portal } = await outcomeOf('create-a-deal.md')
  const { items } = (await portal.call('GET', 'deals/')).body
  items.sort((a: { number: number }, b: { number: number }) => a.number - b.number)
  expect(items).toMatchObject([
    { state: 'withdrawn', outcome: { kind: 'withdrawn', note: 'The client has found a partner.' } },
    { state: 'won', recipient: { kind: 'own_portal' }, amount_funded: { amount: '15000.00' } },
  ])
  expect(items[0].match_id).not.toBeNull()
  const stages = JSON.parse(/```json stages\n([\s\S]*?)\n```/.exec(deals)?.[1] ?? '')
  expect([checkAgainst(dealStages.schema)(stages), stageProblems(stages)]).toEqual([[], []])
})

test('the guide to applications ends where it says: two submissions, three offers, funded, the deal won', async () => {
  const { portal } = await outcomeOf('apply-to-a-recipient.md')
  const { items } = (await portal.call('GET', 'deal-applications/?direction=sent')).body
  expect(items).toMatchObject([
    { state: 'funded', submission: { number: 2 }, acknowledgement: { reference: 'SCB-26-0512' } },
  ])
  const offers = (await portal.call('GET', items[0].offers_url)).body.items
  expect(offers.map(({ state }: { state: string }) => state)).toEqual(['accepted', 'superseded', 'accepted'])
  const [deal] = (await portal.call('GET', 'deals/')).body.items
  expect(deal).toMatchObject({ state: 'won', amount_funded: { amount: '60000.00' } })
})

test('the guide to applications says what each party can do in every state, and what happens by itself', () => {
  const rows = tableOf(applications, 'Who can do what').filter(([, state = '']) => /^`/.test(state))
  const { states, transitions } = applicationStates
  const isState = (name: string) => states.some((state) => state === name)
  const seen = new Map<string, unknown>()
  const effects = new Map<string, string[]>()
  for (const [, named = '', ...cells] of rows) {
    const [first = '', second, third] = cells.map(namesIn)
    // Two tables: that of the parties has a column for what happens by itself.
    for (const state of namesIn(named))
      if (third) seen.set(state, [...[first, second].map((names) => [...(names ?? [])].sort()), third.filter(isState)])
      else effects.set(state, [...first])
  }
  const endsWithDeal = (action: string) => action.endsWith('_with_deal')
  expect(Object.fromEntries(seen)).toEqual(
    Object.fromEntries(
      states.map((state) => [
        state,
        [
          ...(['sender', 'recipient'] as const).map((by) => [...applicationStates.availableActions(state, by)].sort()),
          transitions
            .filter(({ from, by, action }) => from === state && by === 'job' && !endsWithDeal(action))
            .map(({ to }) => to),
        ],
      ]),
    ),
  )
  const ends = { win: 'won', lose: 'lost', expire: 'expired' }
  expect(Object.fromEntries(effects)).toEqual(
    Object.fromEntries(
      states
        .filter((state) => state !== 'draft')
        .map((state) => {
          const { category, ends: end } = dealEffects[state]
          return [state, [end ? ends[end.action] : category]]
        }),
    ),
  )
})

test('the guide to deals says who takes each action, from where and to where', () => {
  const rows = tableOf(deals, '6. Hold, lose, reopen, win').map(([, action = '', from = '', to = '', by = '']) => ({
    action: namesIn(action)[0],
    from: namesIn(from),
    to: namesIn(to)[0],
    by: by.split('.')[0]?.match(/sender|recipient/g),
  }))
  const said = rows.flatMap(({ action, from, to, by }) =>
    from.flatMap((one) => (by ?? []).map((party) => `${party}: ${action} from ${one} to ${to}`)),
  )
  const steps = dealStates.transitions.filter(({ by, to }) => by !== 'job' && to !== undefined)
  expect(said.sort()).toEqual(steps.map(({ by, action, from, to }) => `${by}: ${action} from ${from} to ${to}`).sort())
})

test('the guides to deals and applications name every action on a deal, state of an offer and event there is', () => {
  const offers = tableOf(applications, '9. Offers').flatMap(([, cell = '']) => namesIn(cell))
  expect(offers.sort()).toEqual([...offerStates.states].sort())
  const actions = tableOf(deals, '6. Hold, lose, reopen, win').flatMap(([, cell = '']) => namesIn(cell))
  expect([...new Set([...actions, 'move', 'update'])].sort()).toEqual([...dealStates.actions].sort())
  const events = [deals, applications].flatMap((guide) =>
    tableOf(guide, 'Events').flatMap(([, cell = '']) => namesIn(cell)),
  )
  const kinds = eventKinds.map(({ type }) => type).filter((type) => /^(deal|deal_application|offer)\./.test(type))
  expect(events.sort()).toEqual(kinds.sort())
})
