// The shortest ways through a table of states, for the tests that are generated from one.
import { expect } from 'vitest'
import type { StateMachine } from '../src/platform/protocol/states.ts'

interface Way<Step> {
  begin: string
  steps: Step[]
}

/** The shortest way to a state, as the table has it, over those of its steps that may be taken. */
export function wayTo<State extends string, Action extends string, Party extends string>(
  { beginnings, transitions }: StateMachine<State, Action, Party>,
  wanted: State,
  isTaken: (step: (typeof transitions)[number]) => boolean = () => true,
): Way<(typeof transitions)[number]> {
  const ways = new Map<State, Way<(typeof transitions)[number]>>()
  for (const begin of beginnings) ways.set(begin, { begin, steps: [] })
  for (const [state, { begin, steps }] of ways)
    for (const step of transitions)
      if (step.from === state && step.to !== undefined && !ways.has(step.to) && isTaken(step))
        ways.set(step.to, { begin, steps: [...steps, step] })
  return ways.get(wanted) ?? expect.fail(`no way leads to ${wanted}`)
}
