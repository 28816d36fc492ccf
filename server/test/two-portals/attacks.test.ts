// Attempts to read across the wall: with the cursors, filters, ids, tags and references of another Portal. Whatever a
// Portal sends, it cannot tell what another one has from what nobody has.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import type { Answer } from '../client.ts'
import {
  act,
  done,
  eventsOf,
  expectRefusal,
  type Lender,
  newApplication,
  newDeal,
  newLender,
  offerOf,
  putAnswer,
} from '../deal-fixtures.ts'
import { runDueJobs } from '../due-jobs.ts'
import { declarationOf, newProgram, upload } from '../fixtures.ts'
import { newProject } from '../funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from '../harness.ts'

let server: TestServer
let sender: TestPortal
let recipient: Lender
let stranger: TestPortal
/** The ids that stand in paths: of the sender's deal, and of what is under it. */
let names: Record<string, string>
/** Ids of the sender that nobody else should learn of, by the fields they are sent in. */
let foreign: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  ;[sender, stranger] = [await newPortal(server), await newPortal(server)]
  recipient = await newLender(server)
  const hidden = await newLender(server, { visibility: 'invited', invitations: [sender.id] })
  const project = await newProject(sender)
  await newDeal(sender, recipient)
  const deal = await newDeal(sender, recipient, { external_reference: 'ours-1', business_id: project.business_id })
  const application = await newApplication(sender, deal)
  for (const key of ['legal_name', 'website'])
    done(await putAnswer(sender, application, key, key === 'website' ? 'https://example.com' : 'Lee'))
  for (const first_name of ['Ann', 'Bo'])
    await act(sender, application, 'answers/owners/items/', { values: { first_name, last_name: 'Lee' } })
  for (const name of ['march', 'april']) {
    const bytes = Buffer.from(`date,amount\n${name}\n`)
    const declared = { question_key: 'bank_statements', ...declarationOf(bytes, `${name}.csv`, 'text/csv') }
    await upload((await act(sender, application, 'files/', declared)).body.upload, bytes)
  }
  for (const source of ['business', 'previous_applications']) {
    await sender.call('POST', `${application.url}autofill/`, { body: { sources: [source] } })
    await runDueJobs(server.context, sender.id)
  }
  done(await act(sender, application, 'submit/'))
  for (const kind of ['indicative', 'final']) await act(recipient, application, 'offers/', offerOf({ kind }))
  // A second application on both sides, so that every list has more than one page.
  const other = await newApplication(sender, await newDeal(sender, recipient))
  done(await act(sender, other, 'submit/'))
  names = { deal_id: deal.id, application_id: application.id, group_key: 'owners' }
  const draft = await newApplication(sender, await newDeal(sender, hidden))
  foreign = {
    deal_id: draft.deal_id,
    business_id: draft.business_id,
    project_id: project.id,
    recipient_id: hidden.recipient_id,
    program_id: (await newProgram(hidden)).id,
    resource_id: draft.id,
    external_reference: 'ours-1',
  }
})
afterAll(() => server.stop())

const unknown = (value: string) =>
  /^[a-z]+_[0-9a-z]{26}$/.test(value) ? `${value.slice(0, value.indexOf('_'))}_${'0'.repeat(26)}` : 'nobody-has-this'
const pathOf = (path: string) => path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '?')
/** An answer without what differs by itself: the request, and the id that was sent. */
const plain = ({ status, text, headers }: Answer, sent: string) => [
  status,
  text.replaceAll(headers.get('request-id') ?? '-', '').replaceAll(sent, ''),
]

const lists = operations.filter(
  ({ method, path, collection }) =>
    method === 'GET' && collection && /^\/(deals|deal-applications|events)\//.test(path) && !/_id\}.*run_id/.test(path),
)

describe('cursors', () => {
  test.each(lists.map(({ path }) => [path]))(
    '400 invalid_cursor for a cursor of %s that another Portal was given, with and without its page size',
    async (path) => {
      const parties = { sender, recipient, stranger }
      const address = pathOf(path)
      let tried = 0
      for (const [owner, by] of Object.entries(parties)) {
        const { status, body } = await by.call('GET', `${address}?page_size=1`)
        if (status !== 200 || body.next_cursor === null) continue
        const cursor = encodeURIComponent(body.next_cursor)
        // It works for whoever was given it, and only in its own collection.
        expect((await by.call('GET', `${address}?cursor=${cursor}`)).status).toBe(200)
        const elsewhere = path === '/events/' ? 'deals/' : 'events/'
        expectRefusal(await by.call('GET', `${elsewhere}?cursor=${cursor}`), 400, 'invalid_cursor')
        for (const [name, other] of Object.entries(parties))
          for (const size of name === owner ? [] : ['', '&page_size=1']) {
            const answer = await other.call('GET', `${address}?cursor=${cursor}${size}`)
            expectRefusal(answer, 400, 'invalid_cursor')
            tried++
          }
      }
      expect(tried).toBeGreaterThan(0)
    },
  )

  test('400 invalid_cursor for a cursor of another deal, and of another application, of the same Portal', async () => {
    const { body } = await sender.call('GET', `deals/${names.deal_id}/progress/?page_size=1`)
    const cursor = encodeURIComponent(body.next_cursor)
    const other = await newDeal(sender, recipient)
    expectRefusal(await sender.call('GET', `${other.progress_url}?cursor=${cursor}`), 400, 'invalid_cursor')
  })
})

describe('filters and ids', () => {
  const filtered = lists
    .filter(({ path }) => !path.includes('{'))
    .flatMap(({ path, query }) => Object.keys(query.properties).map((name) => [path, name] as const))
    .filter(([, name]) => /_id$|_reference$/.test(name))

  test('there are filters by ids in every list', () => {
    expect(new Set(filtered.map(([path]) => path)).size).toBe(3)
    expect(filtered.length).toBeGreaterThan(6)
  })

  test.each(filtered)('200 %s?%s of another Portal: the same bytes as for a value nobody has', async (path, name) => {
    const value = foreign[name] ?? expect.fail(name)
    for (const by of [stranger, recipient]) {
      const answers = []
      for (const sent of [value, unknown(value)])
        answers.push(plain(await by.call('GET', `${pathOf(path)}?${name}=${sent}`), sent))
      expect([name, answers[0]]).toEqual([name, answers[1]])
      expect(answers[0]?.[0]).toBe(200)
    }
  })

  test('the same answer to whoever creates something with an id of another Portal, or with one nobody has', async () => {
    for (const by of [stranger, recipient]) {
      const own = (await by.call('POST', 'businesses/', { body: by.business() })).body.id
      const mine = await newDeal(by)
      const requests: [string, object, keyof typeof foreign][] = [
        ['deals/', {}, 'business_id'],
        ['deals/', { business_id: own }, 'recipient_id'],
        ['deals/', { business_id: own }, 'project_id'],
        ['deal-applications/', {}, 'deal_id'],
        ['deal-applications/', { deal_id: mine.id }, 'recipient_id'],
        ['deal-applications/', { deal_id: mine.id }, 'program_id'],
      ]
      for (const [path, body, name] of requests) {
        const value = foreign[name] ?? expect.fail(name)
        const answers = []
        for (const sent of [value, unknown(value)])
          answers.push(plain(await by.call('POST', path, { body: { ...body, [name]: sent } }), sent))
        expect([path, name, answers[0]]).toEqual([path, name, answers[1]])
        expect(answers[0]?.[0]).toBe(422)
      }
    }
  })

  test('200 a reference that the other party uses is free, and finds nothing of it', async () => {
    const deal = { url: `deals/${names.deal_id}/` }
    const body = { external_reference: 'theirs-1' }
    done(await act(recipient, deal, '', body, 'PATCH'))
    expect((await sender.call('GET', 'deals/?external_reference=theirs-1')).body.items).toEqual([])
    expect((await recipient.call('GET', 'deals/?external_reference=ours-1')).body.items).toEqual([])
    done(await act(recipient, deal, '', { external_reference: 'ours-1' }, 'PATCH'))
    for (const by of [sender, recipient])
      expect((await by.call('GET', 'deals/?external_reference=ours-1')).body.items).toHaveLength(1)
  })

  test('400 for parameters that would show more: there are none', async () => {
    for (const by of [sender, recipient, stranger])
      for (const name of ['expand', 'include', 'fields', 'portal_id', 'sender_portal_id', 'as'])
        for (const path of ['deals/', `deals/${names.deal_id}/`, 'deal-applications/', 'events/']) {
          const answer = await by.call('GET', `${path}?${name}=business`)
          expectRefusal(answer, 400, 'unsupported_query_parameter')
        }
  })
})

describe('what a party knows of the other', () => {
  test('412 for its ETag', async () => {
    for (const path of [`deals/${names.deal_id}/`, `deal-applications/${names.application_id}/`]) {
      const [ours, theirs] = await Promise.all([sender, recipient].map(async (by) => (await by.call('GET', path)).body))
      expect(ours.etag).not.toBe(theirs.etag)
      const rest = path.startsWith('deals/') ? 'hold/' : 'decline/'
      const body = rest === 'decline/' ? { reason_codes: ['cash_flow'] } : {}
      const answer = await recipient.call('POST', `${path}${rest}`, { body, headers: { 'if-match': ours.etag } })
      expectRefusal(answer, 412, 'precondition_failed')
      const fresh = await recipient.call('GET', path, { headers: { 'if-none-match': ours.etag } })
      expect([fresh.status, fresh.body.etag]).toEqual([200, theirs.etag])
    }
  })

  test('no question that the sender is changing: another request shows the recipient what it asks for itself', async () => {
    const deal = await newDeal(sender, recipient)
    const application = await newApplication(sender, deal)
    done(await act(sender, application, 'submit/'))
    const ask = async (question_keys: string[]) =>
      done(await act(recipient, application, 'request-information/', { message: 'Which?', question_keys }))
    await ask(['legal_name', 'website', 'tax_id'])
    done(await putAnswer(sender, application, 'website', 'https://example.com'))
    const shown = [
      await ask([]),
      (await recipient.call('GET', application.url)).body,
      (await recipient.call('GET', `deal-applications/?deal_id=${deal.id}`)).body.items[0],
    ]
    expect(shown.map(({ open_question_keys }) => open_question_keys)).toEqual([[], [], []])
    expect((await ask(['tax_id'])).open_question_keys).toEqual(['tax_id'])
    const { open_question_keys } = (await sender.call('GET', application.url)).body
    expect([...open_question_keys].sort()).toEqual(['tax_id', 'website'])
    done(await putAnswer(sender, application, 'website', 'https://example.org'))
  })

  test('nothing of its work: the same bytes for a run of Autofill or a draft file of it as for one nobody has', async () => {
    const application = await newApplication(sender, await newDeal(sender, recipient))
    done(await act(sender, application, 'submit/'))
    const ask = { message: 'Which?', question_keys: ['bank_statements'] }
    done(await act(recipient, application, 'request-information/', ask))
    const run = (await sender.call('POST', `${application.url}autofill/`, { body: { sources: ['business'] } })).body
    await runDueJobs(server.context, sender.id)
    const bytes = Buffer.from('date,amount\nmay\n')
    const declared = { question_key: 'bank_statements', ...declarationOf(bytes, 'may.csv', 'text/csv') }
    const file = (await act(sender, application, 'files/', declared)).body
    await upload(file.upload, bytes)
    const item = (await act(sender, application, 'answers/owners/items/', { values: { first_name: 'Cy' } })).body
    expect(item.code).toBe('validation_failed')
    const under = operations.filter(({ path }) => /\{(run_id|file_id)\}/.test(path) && /^\/deal-app/.test(path))
    expect(under.length).toBeGreaterThan(4)
    const { etag } = (await recipient.call('GET', application.url)).body
    for (const { method, path, body, example, ifMatch } of under) {
      const answers = []
      for (const nameOf of [(id: string) => id, unknown]) {
        const named: Record<string, string> = { run_id: nameOf(run.id), file_id: nameOf(file.id) }
        const address = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? application.id)
        const answer = await recipient.call(method, address, {
          ...(body && { body: example }),
          headers: ifMatch ? { 'if-match': etag } : {},
        })
        answers.push(plain(answer, ''))
      }
      expect([method, path, answers[0]]).toEqual([method, path, answers[1]])
      expect(answers[0]?.[0]).toBe(404)
    }
  })

  test('no event of what it was not told: another deal, a draft, its changes, its end', async () => {
    const deal = await newDeal(sender, recipient)
    const draft = await newApplication(sender, deal)
    done(await putAnswer(sender, draft, 'legal_name', 'Lee'))
    await sender.call('POST', `${draft.url}autofill/`, { body: { sources: ['business'] } })
    await runDueJobs(server.context, sender.id)
    done(await act(sender, draft, 'withdraw/'))
    expect((await eventsOf(sender, draft)).length).toBeGreaterThan(2)
    for (const by of [recipient, stranger]) {
      expect(await eventsOf(by, draft)).toEqual([])
      for (const { id } of await eventsOf(sender, draft))
        expectRefusal(await by.call('GET', `events/${id}/`), 404, 'not_found')
    }
    expect(await eventsOf(stranger, deal)).toEqual([])
    for (const { id } of await eventsOf(sender, deal))
      expectRefusal(await recipient.call('GET', `events/${id}/`), 404, 'not_found')
    // The timeline of the recipient does not show that there was a draft, nor does its version.
    const { items } = (await recipient.call('GET', `${deal.progress_url}`)).body
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(['created'])
    expect((await recipient.call('GET', deal.url)).body).toMatchObject({
      application_ids: [],
      updated_at: deal.updated_at,
    })
  })
})
