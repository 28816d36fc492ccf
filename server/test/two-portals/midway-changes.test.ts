// What was agreed goes on when one of the two Portals changes in the middle: the recipient stops, leaves or is
// suspended, asks other questions, or the business is archived.
import { describe, expect, test } from 'vitest'
import { setPortalState } from '../../src/building-blocks/portals/commands.ts'
import type { RecipientProfile } from '../../src/building-blocks/recipients/schema.ts'
import { day, isoTime } from '../../src/platform/clock.ts'
import {
  act,
  done,
  expectRefusal,
  funding,
  type Lender,
  newApplication,
  newDeal,
  newLender,
  newOffered,
  newSubmitted,
  offerOf,
  publishProfile,
  publishQuestions,
  putAnswer,
  type Shared,
  startTwoPortals,
} from '../deal-fixtures.ts'
import { runDueJobs, runRepeating } from '../due-jobs.ts'
import { declarationOf, upload } from '../fixtures.ts'
import { newKey, newPortal, type TestPortal } from '../harness.ts'
import { expectOneStory } from './one-story.ts'

const { server, sender, read } = await startTwoPortals()
const suspend = ({ id }: TestPortal, state: 'suspended' | 'active' = 'suspended') =>
  server.context.database.transaction((tx) => setPortalState(tx, server.context, id, state))
const begin = async (lender: Lender) => {
  const application = await newApplication(sender, await newDeal(sender, lender))
  done(await putAnswer(sender, application, 'legal_name', 'Lee'))
  return application
}

/** Whatever was in the way: the application is where it should be, and both Portals know the same of it. */
async function expectStory(lender: TestPortal, application: Shared & { deal_id: string }, state: string, by = sender) {
  const seen = await read(application, by)
  const deal = await read({ url: `deals/${application.deal_id}/` }, by)
  const { items: offers } = (await by.call('GET', `${application.url}offers/`)).body
  expect(seen.state).toBe(state)
  await expectOneStory([by, lender], { deal, application }, offers, state)
}

/** From a submitted application to the money, whatever became of the recipient's profile. */
async function goOn(lender: Lender, application: Shared & { deal_id: string }) {
  const ask = { message: 'Web?', question_keys: ['website'] }
  done(await act(lender, application, 'request-information/', ask))
  done(await putAnswer(sender, application, 'website', 'https://example.com'))
  done(await act(sender, application, 'respond/'))
  done(await act(lender, application, 'return/', ask))
  done(await act(sender, application, 'submit/'))
  const offer = (await act(lender, application, 'offers/', offerOf())).body
  done(await act(sender, application, `offers/${offer.id}/accept/`))
  expect(done(await act(lender, application, 'fund/', funding)).state).toBe('funded')
  await expectStory(lender, application, 'funded')
}

describe('a recipient that changes', () => {
  const changes: [string, string, Partial<RecipientProfile>][] = [
    ['stops accepting', 'not_accepting', { accepting_applications: false }],
    ['shows itself to others only', 'not_visible', { visibility: 'invited' }],
    ['leaves the country', 'country_not_served', { countries: ['CA'] }],
  ]
  test.each(changes)(
    '422 for a draft when it %s: %s; the draft is kept and can be submitted later',
    async (_, code, more) => {
      const lender = await newLender(server)
      const application = await begin(lender)
      await publishProfile(lender, more)
      const before = await read(application)
      const answer = await act(sender, application, 'submit/')
      expectRefusal(answer, 422, 'recipient_not_eligible', code)
      expect(answer.body.message.length).toBeGreaterThan(20)
      expect(await read(application)).toEqual(before)
      done(await putAnswer(sender, application, 'legal_name', 'Lee & Co'))
      expect((await sender.call('GET', application.contract_url)).status).toBe(200)
      await publishProfile(lender, { visibility: 'open' })
      done(await act(sender, application, 'submit/'))
    },
  )

  test.each(changes)('200 a submitted application goes on to the money when it %s', async (_, __, more) => {
    const lender = await newLender(server)
    const application = await newSubmitted(sender, lender)
    await publishProfile(lender, more)
    await goOn(lender, application)
  })

  test('a suspended recipient: its key gets 403, a draft 422; the sender reads and withdraws, and it goes on afterwards', async () => {
    const lender = await newLender(server)
    const [draft, submitted] = [await begin(lender), await newSubmitted(sender, lender)]
    const other = await newOffered(sender, lender)
    await suspend(lender)
    expectRefusal(await act(sender, draft, 'submit/'), 422, 'recipient_not_eligible', 'not_visible')
    expect((await read(draft)).state).toBe('draft')
    // Another key: the usual one is remembered for half a second.
    const { key } = await newKey(server, lender.id)
    expect((await lender.call('GET', submitted.url, { key })).body.code).toBe('portal_suspended')
    expect((await read(submitted)).state).toBe('submitted')
    expect((await sender.call('GET', draft.contract_url)).status).toBe(200)
    expect(done(await act(sender, other.application, 'withdraw/')).state).toBe('withdrawn')
    await suspend(lender, 'active')
    // It was away, and reads afterwards what has happened meanwhile.
    await expectStory(lender, other.application, 'withdrawn')
    await goOn(lender, submitted)
    done(await act(sender, draft, 'submit/'))
  })

  test('a suspended sender: the recipient goes on, and time goes on for both', async () => {
    const [away, lender] = [await newPortal(server), await newLender(server)]
    const application = await newSubmitted(away, lender)
    const due_on = isoTime(server.clock.now()).slice(0, 10)
    await suspend(away)
    done(await act(lender, application, 'request-information/', { message: 'Web?', due_on }))
    server.clock.advance(2 * day)
    await runRepeating(server.context, 'deal_applications.expire')
    expect((await read(application, lender)).state).toBe('closed_incomplete')
    await suspend(away, 'active')
    await expectStory(lender, application, 'closed_incomplete', away)
  })
})

describe('the files of a submission', () => {
  const bytes = Buffer.from('date,amount\n2026-03-01,1.00\n')
  test('200 for the recipient while the sender is suspended; 403 for a suspended recipient, with what it was given before', async () => {
    const [away, lender] = [await newPortal(server), await newLender(server)]
    const application = await newApplication(away, await newDeal(away, lender))
    const declared = { question_key: 'bank_statements', ...declarationOf(bytes, 'march.csv', 'text/csv') }
    const file = (await act(away, application, 'files/', declared)).body
    expect((await upload(file.upload, bytes)).status).toBe(200)
    done(await act(away, application, 'submit/'))
    const credentialOf = async (by: TestPortal) => (await by.call('POST', `${file.url}download/`)).body
    const statusOf = async ({ url, headers }: { url: string; headers: Record<string, string> }) =>
      (await fetch(url, { headers })).status
    const [ours, theirs] = [await credentialOf(away), await credentialOf(lender)]
    await suspend(away)
    expect([await statusOf(ours), await statusOf(theirs)]).toEqual([403, 200])
    expect(await statusOf(await credentialOf(lender))).toBe(200)
    await suspend(away, 'active')
    await suspend(lender)
    expect([await statusOf(ours), await statusOf(theirs)]).toEqual([200, 403])
  })
})

describe('other changes', () => {
  test('200 a contract with a new version: the application keeps its own questions to the end', async () => {
    const lender = await newLender(server)
    const application = await newSubmitted(sender, lender)
    const questions = [{ key: 'only', section: 'main', type: 'text', label: 'Only', required: true }]
    const contract_id = await publishQuestions(lender, { sections: [{ key: 'main', title: 'Main' }], questions })
    await publishProfile({ ...lender, contract_id })
    expectRefusal(
      await act(lender, application, 'request-information/', { message: 'Only?', question_keys: ['only'] }),
      422,
      'validation_failed',
      'unknown_question',
    )
    await goOn(lender, application)
    for (const by of [sender, lender]) expect((await by.call('GET', application.contract_url)).body.version).toBe(1)
  })

  test('200 a business archived after submission: the application goes on; a draft of it is kept and refused', async () => {
    const lender = await newLender(server)
    const [draft, submitted] = [await begin(lender), await newSubmitted(sender, lender)]
    for (const { business_id } of [draft, submitted])
      done(await act(sender, { url: `businesses/${business_id}/` }, 'archive/'))
    const refused = await act(sender, draft, 'submit/')
    expectRefusal(refused, 409, 'state_conflict')
    expect([refused.body.details[0].meta.state, (await read(draft)).state]).toEqual(['archived', 'draft'])
    await goOn(lender, submitted)
    done(await act(sender, { url: `businesses/${draft.business_id}/` }, 'restore/'))
    done(await act(sender, draft, 'submit/'))
  })

  test('200 a business renamed after the deal was sent: the recipient sees the name that was shared', async () => {
    const lender = await newLender(server)
    const deal = await newDeal(sender, lender)
    const before = await read(deal, lender)
    done(await act(sender, { url: `businesses/${deal.business_id}/` }, '', { legal_name: 'Renamed Ltd' }, 'PATCH'))
    expect(await read(deal, lender)).toEqual(before)
  })

  test('409 or 412 for an offer on a deal that was withdrawn meanwhile; the recipient reads why', async () => {
    const lender = await newLender(server)
    const application = await newSubmitted(sender, lender)
    const { etag } = await read(application, lender)
    done(await act(sender, { url: `deals/${application.deal_id}/` }, 'withdraw/', { note: 'No longer needed.' }))
    const stale = await lender.call('POST', `${application.url}offers/`, {
      body: offerOf(),
      headers: { 'if-match': etag },
    })
    expectRefusal(stale, 412, 'precondition_failed')
    expectRefusal(await act(lender, application, 'offers/', offerOf()), 409, 'state_conflict')
    const deal = await read({ url: `deals/${application.deal_id}/` }, lender)
    expect([deal.state, deal.outcome.note]).toEqual(['withdrawn', 'No longer needed.'])
    await expectStory(lender, application, 'withdrawn')
  })

  test('409 for an offer that is accepted in the second it expires, whatever the sender has read; it is never both', async () => {
    const lender = await newLender(server)
    const valid_until = isoTime(server.clock.now()).slice(0, 10)
    const { application, offer } = await newOffered(sender, lender, { valid_until })
    const headers = { 'if-match': application.etag }
    server.clock.advance(Date.parse(offer.expires_at) - server.clock.now())
    const late = await sender.call('POST', `${application.url}offers/${offer.id}/accept/`, { headers })
    expectRefusal(late, 409, 'state_conflict')
    expect(late.body.message).toBe(`Cannot accept final offer: the offer expired at ${offer.expires_at}.`)
    await runRepeating(server.context, 'deal_applications.expire')
    expect((await read(offer)).state).toBe('expired')
    expectRefusal(await act(sender, application, `offers/${offer.id}/accept/`), 409, 'state_conflict')
    await expectStory(lender, application, 'in_review')
    // Nothing is lost: the recipient offers again.
    expect((await act(lender, application, 'offers/', offerOf())).status).toBe(201)
    await expectStory(lender, application, 'offered')
  })

  test('an Autofill run that is under way when the application is submitted changes nothing any more', async () => {
    const lender = await newLender(server)
    const application = await newApplication(sender, await newDeal(sender, lender))
    const { body: run } = await sender.call('POST', `${application.url}autofill/`, { body: { sources: ['business'] } })
    done(await act(sender, application, 'submit/'))
    await runDueJobs(server.context, sender.id)
    expect((await sender.call('GET', run.url)).body.filled ?? []).toEqual([])
    for (const by of [sender, lender])
      expect((await by.call('GET', `${application.url}answers/legal_name/`)).body.value).toBeUndefined()
  })
})
