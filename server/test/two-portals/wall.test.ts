// The wall between two Portals: what a recipient can read of a deal and its application is written down field by field,
// and nothing else of the sender appears in any byte of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import type { Answer, Client } from '../client.ts'
import {
  act,
  done,
  funding,
  type Lender,
  newApplication,
  newLender,
  offerOf,
  putAnswer,
  type Shared,
} from '../deal-fixtures.ts'
import { runDueJobs } from '../due-jobs.ts'
import { declarationOf, newProgram, upload } from '../fixtures.ts'
import { calculate, matchesOf, newProject, usd } from '../funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from '../harness.ts'
import { readable } from './readable-fields.ts'

let server: TestServer
let sender: TestPortal
let recipient: Lender
/** A third Portal, and another recipient of the same business. */
let outsiders: TestPortal[]
let scenes: Scene[]
/** What must not cross, by what it is. */
const secrets = new Map<string, string>()

interface Scene {
  deal: Shared & { progress_url: string }
  application: Shared
  /** Ids that stand in paths. */
  named: Record<string, string>
}

beforeAll(async () => {
  server = await startTestServer()
  sender = remembering(await newPortal(server))
  recipient = await newLender(server)
  outsiders = [await newPortal(server)]
  scenes = [await askedAgain(), await funded()]
})
afterAll(() => server.stop())

/** The sender, whose every request is a secret of its own. */
function remembering(portal: TestPortal): TestPortal {
  secrets.set('key', portal.key_id)
  secrets.set('lead source', portal.lead_source_id)
  const call: Client = async (...request) => {
    const answer = await portal.call(...request)
    secrets.set(`request ${secrets.size}`, answer.headers.get('request-id') ?? '')
    return answer
  }
  return { ...portal, call }
}

const csv = (text: string) => Buffer.from(`date,amount\n${text}\n`)
async function addFile(application: Shared, text: string): Promise<string> {
  const bytes = csv(text)
  const declared = { question_key: 'bank_statements', ...declarationOf(bytes, `${text}.csv`, 'text/csv') }
  const { body } = await act(sender, application, 'files/', declared)
  expect((await upload(body.upload, bytes)).status).toBe(200)
  return body.id
}

/** A deal from a match, with everything a sender can note, and an application filled from another one. */
async function begin(): Promise<{ deal: Scene['deal']; application: Shared }> {
  const other = await newLender(server, { name: 'Quiet Competitor' })
  outsiders.push(other)
  const program = await newProgram(recipient)
  const business = {
    trading_name: 'Hidden Trading',
    email: 'hidden@example.com',
    phone: '+12025550123',
    website: 'https://hidden.example.com',
    tax_id: '99-8887777',
    registration_number: 'HIDDEN-REG',
    tags: ['hidden-tag'],
    metadata: { hidden: 'hidden-metadata' },
    external_reference: `hidden-business-${secrets.size}`,
    annual_revenue: usd('123456.78'),
    owners: [{ first_name: 'Kay', last_name: 'Lee', email: 'hidden-owner@example.com', ownership_percent: 50 }],
  }
  const project = await newProject(sender, {}, business)
  const calculation = await calculate(sender, project)
  const match = (await matchesOf(sender, project)).find(
    (one: { program: { id: string } }) => one.program.id === program.id,
  )
  const { business_id } = project
  const elsewhere = (
    await sender.call('POST', 'deals/', {
      body: { business_id, recipient_id: other.recipient_id, title: 'Hidden deal' },
    })
  ).body
  const earlier = await newApplication(sender, elsewhere)
  done(await putAnswer(sender, earlier, 'legal_name', 'Lee Bakery LLC'))
  done(await act(sender, earlier, 'submit/'))

  const deal = (
    await sender.call('POST', 'deals/', {
      body: {
        business_id,
        recipient_id: recipient.recipient_id,
        project_id: project.id,
        match_id: match.id,
        title: 'Oven',
        tags: ['hidden-deal-tag'],
        metadata: { margin: 'hidden-margin' },
        external_reference: `hidden-deal-${secrets.size}`,
      },
    })
  ).body
  const application = await newApplication(sender, deal)
  const { body: run } = await sender.call('POST', `${application.url}autofill/`, {
    body: { sources: ['previous_applications', 'business'] },
  })
  await runDueJobs(server.context, sender.id)
  for (const [what, secret] of Object.entries({
    project: project.id,
    calculation: calculation.id,
    match: match.id,
    'another deal': elsewhere.id,
    'another recipient': other.recipient_id,
    'the name of another recipient': 'Quiet Competitor',
    'another application': earlier.id,
    'a run of Autofill': run.id,
    'notes of the business': 'idden',
    'the tax id of the record': '8887777',
  }))
    secrets.set(`${what} ${secrets.size}`, secret)
  return { deal, application }
}

/** Submitted, asked again and edited since, with an offer that is active. */
async function askedAgain(): Promise<Scene> {
  const { deal, application } = await begin()
  done(await putAnswer(sender, application, 'tax_id', '12-3456789'))
  const owner = (
    await act(sender, application, 'answers/owners/items/', { values: { first_name: 'Ann', last_name: 'Lee' } })
  ).body
  const file_id = await addFile(application, 'march')
  done(await act(sender, application, 'submit/'))
  done(await act(recipient, application, 'acknowledge/', { reference: 'R-1' }))
  const terms = {
    term_months: 36,
    rate: { kind: 'fixed', value: 9 },
    fees: [{ name: 'Fee', percent: 1 }],
    repayment: { frequency: 'monthly' },
    conditions: ['Signed'],
    valid_until: '2099-01-31',
  }
  const offer = (await act(recipient, application, 'offers/', offerOf(terms))).body
  const question_keys = ['legal_name', 'website', 'owners', 'bank_statements']
  const message = 'Please look again.'
  done(await act(recipient, application, 'request-information/', { message, question_keys, due_on: '2099-01-31' }))
  done(await putAnswer(sender, application, 'website', 'https://draft-answer.example.com'))
  done(await putAnswer(sender, application, 'legal_name', 'Draft Answer Ltd'))
  const item = (
    await act(sender, application, 'answers/owners/items/', { values: { first_name: 'Draft', last_name: 'Owner' } })
  ).body
  const draft = await addFile(application, 'draftfile')
  for (const [what, secret] of [
    ['a draft answer', 'draft-answer'],
    ['another', 'Draft Answer'],
    ['a draft item', item.id],
    ['a draft file', draft],
    ['its name', 'draftfile'],
  ] as const)
    secrets.set(what, secret)
  return { deal, application, named: { file_id, item_id: owner.id, offer_id: offer.id, number: '1' } }
}

/** Submitted, returned, submitted again, offered, accepted and paid out. */
async function funded(): Promise<Scene> {
  const { deal, application } = await begin()
  const owner = (
    await act(sender, application, 'answers/owners/items/', { values: { first_name: 'Ann', last_name: 'Lee' } })
  ).body
  const file_id = await addFile(application, 'march')
  done(await act(sender, application, 'submit/'))
  done(await act(recipient, application, 'return/', { message: 'Which?', question_keys: ['legal_name'] }))
  done(await act(sender, application, 'submit/'))
  const offer = (await act(recipient, application, 'offers/', offerOf())).body
  done(await act(sender, application, `offers/${offer.id}/accept/`, { note: 'Agreed.' }))
  done(await act(recipient, application, 'fund/', funding))
  return { deal, application, named: { file_id, item_id: owner.id, offer_id: offer.id, number: '2' } }
}

/** Every read of the recipient about deals, applications and what happened to them. */
const reads = operations.filter(
  ({ method, path }) => method === 'GET' && /^\/(deals|deal-applications|events|contracts)\//.test(path),
)
const unreadable = new Set(['deals.disclosures', 'deal_applications.autofill.list', 'deal_applications.autofill.read'])

async function readAs(by: TestPortal, { path }: Operation, { deal, application, named }: Scene): Promise<Answer[]> {
  const names: Record<string, string> = {
    ...named,
    deal_id: deal.id,
    application_id: application.id,
    group_key: 'owners',
    contract_id: recipient.contract_id,
    run_id: `afr_${'0'.repeat(26)}`,
    number: '1',
  }
  const at = (more: Record<string, string>) =>
    by.call(
      'GET',
      path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => ({ ...names, ...more })[name] ?? '?'),
    )
  if (path.includes('{question_key}'))
    return Promise.all(['legal_name', 'tax_id', 'website', 'owners'].map((question_key) => at({ question_key })))
  if (path.includes('{event_id}')) {
    const { items } = (await by.call('GET', 'events/?page_size=250')).body
    return Promise.all(items.map(({ id }: Shared) => at({ event_id: id })))
  }
  if (path.includes('{number}')) return Promise.all(['1', String(named.number)].map((number) => at({ number })))
  if (path === '/events/') return [await by.call('GET', 'events/?page_size=250')]
  return [await at({})]
}

/** The paths of all fields. What is an answer is one field, whatever form it has. */
function fieldsOf(value: unknown, path = ''): string[] {
  const name = path.split('.').at(-1) ?? ''
  if (value === null || typeof value !== 'object' || ['value', 'values', 'facts'].includes(name)) return [path]
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, `${path}[]`))
  return Object.entries(value).flatMap(([key, one]) =>
    fieldsOf(one, name === 'value_sources' ? `${path}.*` : path === '' ? key : `${path}.${key}`),
  )
}

describe('what the recipient reads', () => {
  test.each(reads.map((operation) => [operation.id, operation] as const))(
    '%s: every field is on the list, and every field on the list is there',
    async (id, operation) => {
      const seen = new Set<string>()
      for (const scene of scenes)
        for (const { status, body } of await readAs(recipient, operation, scene)) {
          expect([id, status === 404]).toEqual([id, status !== 200])
          if (status === 200) for (const field of fieldsOf(body)) seen.add(field)
        }
      if (id.startsWith('contracts.')) return expect(seen.size).toBeGreaterThan(0)
      expect([...seen].sort()).toEqual(unreadable.has(id) ? [] : [...(readable[id] ?? [])].sort())
    },
  )

  test.each(reads.map((operation) => [operation.id, operation] as const))(
    '%s: no secret of the sender in any byte, headers included',
    async (_, operation) => {
      for (const scene of scenes)
        for (const { text, headers } of await readAs(recipient, operation, scene)) {
          const bytes = `${text} ${JSON.stringify([...headers])}`
          const found = [...secrets].filter(([, secret]) => bytes.includes(secret)).map(([what]) => what)
          expect(found, text).toEqual([])
        }
    },
  )
})

describe('a third Portal, and another recipient of the same business', () => {
  const ofDeals = operations.filter(({ path }) => /^\/(deals\/\{|deal-applications\/\{)/.test(path))

  test('404 from every operation on the deal and its application, byte for byte as for ids that never were', async () => {
    expect(ofDeals.length).toBeGreaterThan(40)
    for (const outsider of outsiders)
      for (const { deal, application, named } of scenes.slice(0, 1))
        for (const { method, path, example, body, ifMatch } of ofDeals) {
          const names: Record<string, string> = {
            ...named,
            deal_id: deal.id,
            application_id: application.id,
            question_key: 'legal_name',
            group_key: 'owners',
            run_id: `afr_${'0'.repeat(26)}`,
          }
          const real = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '?')
          const answers = []
          for (const address of [
            real,
            real.replace(/([a-z]+)_[0-9a-z]{26}/g, (_, prefix) => `${prefix}_${'0'.repeat(26)}`),
          ]) {
            const answer = await outsider.call(method, address, {
              ...(body && { body: example }),
              headers: ifMatch ? { 'if-match': '"any"' } : {},
            })
            answers.push([answer.status, answer.text.replaceAll(answer.headers.get('request-id') ?? '', '')])
          }
          expect([path, answers[0]]).toEqual([path, answers[1]])
          expect([path, answers[0]?.[0]]).toEqual([path, 404])
        }
  })

  test('200 with nothing of it in any list', async () => {
    const [{ deal, application } = expect.fail()] = scenes
    for (const outsider of outsiders)
      for (const path of ['deals/', 'deal-applications/', 'events/', `deal-applications/?deal_id=${deal.id}`]) {
        const { status, text } = await outsider.call('GET', path)
        expect([status, text.includes(deal.id), text.includes(application.id)]).toEqual([200, false, false])
      }
  })

  test('400 invalid_cursor for a cursor of either party, in every list of the kind', async () => {
    const [{ deal, application } = expect.fail()] = scenes
    for (const path of ['deals/', 'deal-applications/', `${deal.url}progress/`, `${application.url}offers/`]) {
      const cursors = []
      for (const by of [sender, recipient]) cursors.push((await by.call('GET', `${path}?page_size=1`)).body.next_cursor)
      for (const [index, cursor] of cursors.entries()) {
        if (cursor === null) continue
        const other = index === 0 ? recipient : sender
        const address = `${path}?cursor=${encodeURIComponent(cursor)}`
        expect([path, (await other.call('GET', address)).body.code]).toEqual([path, 'invalid_cursor'])
        const outside = await (outsiders[0] ?? expect.fail()).call('GET', address)
        expect([400, 404]).toContain(outside.status)
      }
    }
  })
})

describe('files and restricted answers', () => {
  test('404 for a download until it is submitted, 200 for the recipient alone afterwards', async () => {
    const { application } = await begin()
    const file = await addFile(application, 'april')
    const download = (by: TestPortal) => by.call('POST', `${application.url}files/${file}/download/`)
    expect((await download(recipient)).status).toBe(404)
    done(await act(sender, application, 'submit/'))
    const { body } = await download(recipient)
    expect(await (await fetch(body.url, { headers: body.headers })).text()).toBe(csv('april').toString())
    for (const outsider of outsiders) expect((await download(outsider)).status).toBe(404)
    const again = await recipient.call('POST', `${application.url}files/${file}/upload/`)
    expect([again.status, again.body.code]).toEqual([409, 'upload_already_completed'])
  })

  test('200 a restricted answer for the recipient of the submission, and in no other response', async () => {
    const [{ deal, application } = expect.fail()] = scenes
    const read = async (by: TestPortal) => (await by.call('GET', `${application.url}answers/tax_id/`)).body
    expect((await read(recipient)).value).toBe('12-3456789')
    for (const outsider of outsiders) expect((await read(outsider)).code).toBe('not_found')
    for (const by of [sender, recipient])
      for (const path of [
        deal.url,
        `${deal.url}progress/`,
        application.url,
        'events/?page_size=250',
        'deals/',
        'deal-applications/',
      ])
        expect((await by.call('GET', path)).text).not.toContain('3456789')
  })
})
