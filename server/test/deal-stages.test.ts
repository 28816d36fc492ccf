// The stages that a Portal works its deals through: how deals follow them, and what cannot be changed about them.
import { expect, test } from 'vitest'
import { dealJobs } from '../src/areas/deals/jobs.ts'
import { setStages } from '../src/areas/deals/stage-commands.ts'
import { dealStages } from '../src/areas/deals/stages.ts'
import { isoTime } from '../src/platform/clock.ts'
import {
  act,
  done,
  expectRefusal,
  newApplication,
  newDeal,
  newLender,
  newSubmitted,
  startTwoPortals,
  timelineOf,
} from './deal-fixtures.ts'
import { runDueJobs } from './due-jobs.ts'
import type { TestPortal } from './harness.ts'

const { server, sender, lender, read, dealOf, move } = await startTwoPortals()
const set = (portal: TestPortal, stages: unknown) =>
  server.context.database.transaction((tx) => setStages(tx, server.context, portal.id, stages))
const stage = (key: string, category = key) => ({ key, label: `The ${key}`, category })
const categories = ['new', 'qualifying', 'application', 'under_review', 'offer', 'closing', 'funded', 'closed_lost']
const ownStages = [
  stage('inbox', 'new'),
  stage('call', 'qualifying'),
  stage('visit', 'qualifying'),
  ...categories
    .filter((category) => !['new', 'qualifying'].includes(category))
    .map((category) => stage(`our_${category}`, category)),
]

test('200 a Portal moves deals through its own stages, which both parties see', async () => {
  const own = await newLender(server)
  await set(own, ownStages)
  const deal = await newDeal(sender, own)
  expect(deal.stage).toEqual({ key: 'inbox', label: 'The inbox', category: 'new' })
  for (const key of ['call', 'visit', 'inbox', 'our_closing']) {
    done(await move(deal, key, undefined, own))
    for (const by of [sender, own]) expect((await read(deal, by)).stage.key).toBe(key)
  }
  const application = await newApplication(sender, deal)
  done(await act(sender, application, 'submit/'))
  expect((await read(deal)).stage.key).toBe('our_under_review')
})

test('200 a stage with a new label: the deals in it follow, with new ETags, in their place and without an event', async () => {
  const own = await newLender(server)
  const deals = [await newDeal(sender, own), await newDeal(own), await newDeal(sender, own)]
  done(await move(deals[2] ?? expect.fail(), 'qualifying', undefined, own))
  const look = async (by: TestPortal, path = 'deals/?page_size=100') => (await by.call('GET', path)).body.items
  const before = { theirs: await look(own), ours: await look(sender), events: await look(own, 'events/') }
  const label = 'Fresh'
  await set(
    own,
    dealStages.default.map((one) => (one.key === 'new' ? { ...one, label } : one)),
  )
  await runDueJobs(server.context, own.id)
  const after = { theirs: await look(own), ours: await look(sender) }
  for (const side of ['theirs', 'ours'] as const)
    for (const [index, one] of before[side].entries()) {
      const isRelabelled = one.stage.key === 'new' && one.recipient.id === own.recipient_id
      const { etag, ...now } = after[side][index]
      expect(now).toEqual({ ...one, etag: undefined, stage: { ...one.stage, ...(isRelabelled && { label }) } })
      expect(etag === one.etag).toBe(!isRelabelled)
    }
  expect(after.theirs.filter(({ stage }: { stage: { label: string } }) => stage.label === label)).toHaveLength(2)
  expect(await look(own, 'events/')).toEqual(before.events)
})

const labelled = (label: string) => dealStages.default.map((one) => (one.key === 'new' ? { ...one, label } : one))

test('a newer label stands, even if the job for the older one is still at work', async () => {
  const own = await newLender(server)
  const deal = await newDeal(sender, own)
  await set(own, labelled('Older'))
  const { context } = server
  const { database } = context
  // The newer one is set after the job has read the stages, and before it writes.
  const transaction: typeof database.transaction = async (work) => {
    await set(own, labelled('Newer'))
    return database.transaction(work)
  }
  const { signal } = new AbortController()
  const [relabel = expect.fail()] = dealJobs
  await relabel.run(
    { ...context, database: { ...database, transaction } },
    { portal_id: own.id, request_id: null, payload: {}, signal },
  )
  expect((await read(deal)).stage.label).toBe('Newer')
})

test('a deal that was written with the old label while the job passed gets the new one a minute later', async () => {
  const own = await newLender(server)
  const deal = await newDeal(sender, own)
  await set(own, labelled('Fresh'))
  await runDueJobs(server.context, own.id)
  const { database } = server.context
  // As whoever had read the stages before leaves it.
  const stage_label = 'New'
  await database.transaction((tx) => tx.updateTable('deals').set({ stage_label }).where('id', '=', deal.id).execute())
  await runDueJobs(server.context, own.id)
  expect((await read(deal)).stage.label).toBe('New')
  const run_at = isoTime(server.clock.now())
  await database.transaction((tx) => tx.updateTable('jobs').set({ run_at }).where('portal_id', '=', own.id).execute())
  await runDueJobs(server.context, own.id)
  expect((await read(deal)).stage.label).toBe('Fresh')
})

test('a stage that deals are in keeps its category, even if it was removed in between; another key is free', async () => {
  const own = await newLender(server)
  await set(own, ownStages)
  for (const deal of [await newDeal(sender, own), await newDeal(own)]) {
    done(await move(deal, 'visit', undefined, own))
    const refused = [...ownStages.filter(({ key }) => key !== 'visit'), stage('visit', 'closing')]
    const message =
      'The stage visit has deals with the category qualifying, so its category must stay qualifying. Use a different key for a stage with the category closing.'
    await expect(set(own, refused)).rejects.toThrow(message)
    await set(
      own,
      ownStages.filter(({ key }) => key !== 'visit'),
    )
    await expect(set(own, refused)).rejects.toThrow(message)
    await set(own, [...ownStages, stage('signing', 'closing')])
    done(await move(deal, 'call', undefined, own))
    await set(own, refused)
    await set(own, ownStages)
  }
})

test('200 a reopened deal goes back to its category, even if its stage has another one since', async () => {
  const own = await newLender(server)
  await set(own, ownStages)
  const deal = await newDeal(sender, own)
  done(await move(deal, 'visit', undefined, own))
  done(await act(own, deal, 'lose/', { reason_code: 'industry' }))
  await set(own, [...ownStages.filter(({ key }) => key !== 'visit'), stage('visit', 'funded')])
  const reopened = done(await act(own, deal, 'reopen/'))
  expect([reopened.stage, reopened.progress.percent]).toEqual([stage('call', 'qualifying'), 17])
  for (const by of [sender, own])
    expect((await by.call('GET', `deals/?stage=call&business_id=${deal.business_id}`)).body.items).toHaveLength(1)
})

test('a deal that came to a stage while the stage got another category keeps its own, for both parties', async () => {
  const own = await newLender(server)
  await set(own, ownStages)
  for (const deal of [await newDeal(sender, own), await newDeal(own)]) {
    await set(own, [...ownStages.filter(({ key }) => key !== 'visit'), stage('visit', 'funded')])
    // As whoever had read the stages before leaves it.
    const { key: stage_key, label: stage_label, category: stage_category } = stage('visit', 'qualifying')
    await server.context.database.transaction(async (tx) => {
      await tx.updateTable('deals').set({ stage_key, stage_label, stage_category }).where('id', '=', deal.id).execute()
      await tx.updateTable('received_deals').set({ stage_key }).where('id', '=', deal.id).execute()
    })
    await runDueJobs(server.context, own.id)
    for (const by of deal.sender.portal_id === own.id ? [own] : [sender, own]) {
      expect((await read(deal, by)).stage).toEqual(stage('call', 'qualifying'))
      expect((await by.call('GET', `deals/?stage=call&business_id=${deal.business_id}`)).body.items).toHaveLength(1)
    }
    await set(own, ownStages)
  }
})

test('200 a deal keeps the stage it is in when the stages change, until it moves', async () => {
  const own = await newLender(server)
  const deal = await newDeal(sender, own)
  done(await move(deal, 'qualifying', undefined, own))
  await set(own, ownStages)
  expect((await read(deal)).stage).toEqual({ key: 'qualifying', label: 'Qualifying', category: 'qualifying' })
  expectRefusal(await move(deal, 'application', undefined, own), 422, 'validation_failed', 'invalid_enum')
  done(await move(deal, 'visit', undefined, own))
})

test('200 an application leaves a deal in the stage it is in, when that has the right category', async () => {
  const own = await newLender(server)
  await set(own, [...ownStages, stage('committee', 'under_review')])
  const application = await newSubmitted(sender, own)
  done(await move(await dealOf(application), 'committee', undefined, own))
  done(await act(own, application, 'acknowledge/'))
  expect((await dealOf(application)).stage.key).toBe('committee')
})

test('422 for a stage that does not exist and for those of won and lost, naming the others', async () => {
  const deal = await newDeal(sender, lender)
  const before = await read(deal)
  for (const key of ['nowhere', 'funded', 'closed_lost']) {
    const answer = await move(deal, key)
    expectRefusal(answer, 422, 'validation_failed', 'invalid_enum')
    expect(answer.body.details[0].meta.allowed).toEqual(categories.slice(0, 6))
  }
  expect(await read(deal)).toEqual(before)
})

test('200 to the stage it is in: nothing happens, unless there is something to note', async () => {
  const deal = await newDeal(sender, lender)
  const before = await read(deal, lender)
  expect(done(await move(deal, 'new'))).toEqual(before)
  expect(await timelineOf(sender, deal)).toHaveLength(1)
  done(await move(deal, 'new', 'Called twice.'))
  expect((await timelineOf(sender, deal)).at(-1)).toMatchObject({ kind: 'note', note: 'Called twice.' })
  for (const party of [sender, lender]) {
    const { items } = (await party.call('GET', `events/?resource_id=${deal.id}&order=-sequence&page_size=1`)).body
    expect([items[0].type, items[0].data.changes]).toEqual(['deal.updated', ['timeline']])
  }
})

test('403 for the sender; for a deal of its own Portal it moves it', async () => {
  expectRefusal(await move(await newDeal(sender, lender), 'qualifying', undefined, sender), 403, 'action_not_granted')
  done(await move(await newDeal(sender), 'qualifying', undefined, sender))
})

test.each([
  ['a category is missing', ownStages.slice(0, -1), /closed_lost/],
  ['a key is used twice', [...ownStages, stage('call', 'offer')], /call/],
  ['a category is unknown', [...ownStages, stage('odd', 'limbo')], /./],
  ['a key has another form', [...ownStages, stage('Not This', 'offer')], /./],
  ['it is no list', { stages: ownStages }, /./],
])('refused when %s, and the stages stay as they were', async (_, stages, message) => {
  const own = await newLender(server)
  await expect(set(own, stages)).rejects.toThrow(message)
  expect((await newDeal(sender, own)).stage.key).toBe('new')
})
