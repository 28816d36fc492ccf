// What two Portals are told about one deal.
import { expect } from 'vitest'
import { applicationStates } from '../../src/areas/deal-applications/states.ts'
import { eventsOf, type Shared, timelineOf } from '../deal-fixtures.ts'
import type { TestPortal } from '../harness.ts'

interface Entry {
  id: string
  kind: string
  from: string | null
  to: string | null
  actor: { key_id: string | null }
}

/** Both parties read the same timeline and were told the same, from the first submission on. */
export async function expectOneStory(
  [sender, lender]: readonly [TestPortal, TestPortal],
  { deal, application }: { deal: Shared & { progress_url: string }; application: Shared },
  offers: readonly Shared[],
  /** Where the application has come to. */
  state: string,
): Promise<void> {
  const [ours, theirs]: Entry[][] = [await timelineOf(sender, deal), await timelineOf(lender, deal)]
  const withoutKeys = (entries: Entry[] = []) =>
    entries.map((entry) => ({ ...entry, actor: { ...entry.actor, key_id: null } }))
  const known = new Set(theirs?.map(({ id }) => id))
  expect(withoutKeys(theirs)).toEqual(withoutKeys(ours?.filter(({ id }) => known.has(id))))
  // Each step begins where the one before has ended, and every step is one of the table.
  const steps = ours?.filter(({ kind, to }) => /^(application|offer)_/.test(kind) && to !== null) ?? []
  for (const [index, { from, to }] of steps.entries()) {
    expect(from).toBe(index === 0 ? null : steps[index - 1]?.to)
    if (index > 0)
      expect(applicationStates.transitions.some((one) => one.from === from && (one.to ?? one.from) === to)).toBe(true)
  }
  expect(steps.at(-1)?.to).toBe(state)

  for (const record of [deal, application, ...offers]) {
    const story = async (by: TestPortal) =>
      (await eventsOf(by, record)).map(
        ({ type, data }: { type: string; data: { state: string; previous_state?: string } }) => [
          type,
          data.state,
          data.previous_state,
        ],
      )
    const [told, heard] = [await story(sender), await story(lender)]
    expect(heard).toEqual(told.slice(told.length - heard.length))
    expect(
      told
        .slice(0, told.length - heard.length)
        .every(
          ([type]: string[]) => record === application && /created|withdrawn|cancelled|expired/.test(String(type)),
        ),
    ).toBe(true)
  }
}
