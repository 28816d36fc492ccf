// A strong ETag stands for one content. Both parties write as fast as they can, on the deal, the application and the
// offers, while both read them one by one and in lists: whatever comes with a tag that was seen before is the same.
import { expect, test } from 'vitest'
import {
  act,
  done,
  newApplication,
  newDeal,
  offerOf,
  putAnswer,
  type Shared,
  startTwoPortals,
} from '../deal-fixtures.ts'
import type { TestPortal } from '../harness.ts'

const { sender, lender } = await startTwoPortals()

/** Every content that came with a tag, by reader, address and tag. */
function createObserver() {
  const contents = new Map<string, string>()
  /** Which readers have seen a tag. */
  const readersOf = new Map<string, Set<string>>()
  const versions = new Set<string>()
  return {
    versions,
    see(reader: string, record: { url: string; etag: string }, header?: string | null) {
      if (header !== undefined) expect(header).toBe(record.etag)
      const name = `${reader} ${record.url} ${record.etag}`
      versions.add(name)
      const content = JSON.stringify(record)
      expect(contents.get(name) ?? content).toBe(content)
      contents.set(name, content)
      const readers = readersOf.get(record.etag) ?? new Set()
      readersOf.set(record.etag, readers.add(reader))
      // What the two parties see differs, so their tags must, too.
      expect([record.etag, readers.size]).toEqual([record.etag, 1])
    },
  }
}

test('200 a tag of a deal or an application never comes with two contents, whoever writes meanwhile', {
  timeout: 60_000,
}, async () => {
  const observer = createObserver()
  const deal: Shared = await newDeal(sender, lender)
  const application: Shared = await newApplication(sender, deal)
  done(await act(sender, application, 'submit/'))
  let isWriting = true

  const ask = { message: 'Which?', question_keys: ['legal_name'] }
  const rounds = 5
  const write = async () => {
    for (let round = 0; round < rounds; round++) {
      const tags = [`round ${round}`]
      await Promise.all([
        act(sender, deal, '', { tags, title: `Title ${round}` }, 'PATCH'),
        act(lender, deal, '', { tags, assignee: `Ann ${round}` }, 'PATCH'),
        act(lender, application, 'offers/', offerOf()),
      ])
      await Promise.all([
        act(lender, application, 'request-information/', ask),
        act(lender, deal, 'stage/', { stage: 'qualifying', note: 'Moved.' }),
      ])
      await Promise.all([
        putAnswer(sender, application, 'legal_name', `Name ${round}`),
        act(lender, deal, 'hold/'),
        act(sender, deal, '', { metadata: { round: `${round}` } }, 'PATCH'),
      ])
      await Promise.all([act(sender, application, 'respond/'), act(lender, deal, 'resume/')])
    }
    isWriting = false
  }
  const read = async (reader: string, by: TestPortal) => {
    while (isWriting) {
      for (const { url } of [deal, application]) {
        const { body, headers } = await by.call('GET', url)
        observer.see(reader, body, headers.get('etag'))
      }
      for (const path of ['deals/', 'deal-applications/'])
        for (const record of (await by.call('GET', path)).body.items) observer.see(reader, record)
    }
  }
  await Promise.all([write(), ...[0, 1].flatMap(() => [read('sender', sender), read('lender', lender)])])

  // Both parties have seen many versions of both records.
  for (const reader of ['sender', 'lender'])
    for (const { url } of [deal, application])
      expect([...observer.versions].filter((name) => name.startsWith(`${reader} ${url} `)).length).toBeGreaterThan(4)
  // Nothing was left behind: what a tag let through last is what stands now.
  const [ours, theirs] = await Promise.all([sender, lender].map(async (by) => (await by.call('GET', deal.url)).body))
  expect([theirs.title, theirs.stage, theirs.state]).toEqual([ours.title, ours.stage, ours.state])
})
