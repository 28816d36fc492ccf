// Keys are remembered for half a second: long enough that a busy key costs up to five queries a second, short enough that a
// revoked key is refused everywhere within one second. A key that is in use is looked up again before that time is over,
// beside the requests: no request of it has to wait for a database that is busy, and under a flood none is let in
// meanwhile that would be refused otherwise. Unknown keys are remembered apart, so that a flood of invented ones cannot
// push out the real ones. Whatever is outdated is forgotten every second: a key that is not in use does not stay in memory.
import { second } from '../../platform/clock.ts'

interface KeyParts<Outcome> {
  load(text: string): Promise<Outcome>
  /** Whether such a key exists. */
  isKnown(outcome: Outcome): boolean
  now?(): number
}

interface Remembered<Outcome> {
  /** From when it was asked for, not from when the answer came. */
  until: number
  outcome: Outcome | Promise<Outcome>
  /** What is being looked up in its place. */
  renewal?: Remembered<Outcome> | undefined
}

export function rememberKeys<Outcome>({ load, isKnown, now = () => performance.now() }: KeyParts<Outcome>) {
  const known = new Map<string, Remembered<Outcome>>()
  const unknown = new Map<string, Remembered<Outcome>>()

  const ask = (text: string): Remembered<Outcome> => {
    const asked = load(text)
    const entry: Remembered<Outcome> = { until: now() + rememberedMs, outcome: asked }
    entry.outcome = asked.then((outcome) => {
      entry.outcome = outcome
      // What was asked later says more, also if it was answered earlier.
      const newest = known.get(text) ?? unknown.get(text)
      if (newest && newest.until > entry.until) return outcome
      if (!isKnown(outcome)) known.delete(text)
      keep(isKnown(outcome) ? known : unknown, text, entry)
      return outcome
    })
    return entry
  }

  let isClosed = false
  const renew = (text: string, entry: Remembered<Outcome>): void => {
    if (isClosed) return
    const renewal = ask(text)
    entry.renewal = renewal
    // Whoever comes after the time asks again, and gets the error. Until then, one after the other tries.
    Promise.resolve(renewal.outcome).catch(() => {
      entry.renewal = undefined
    })
  }

  const forgetting = setInterval(() => {
    const outdated = now()
    for (const entries of [known, unknown]) {
      for (const [text, { until }] of entries) if (until <= outdated) entries.delete(text)
    }
  }, forgetEveryMs)
  forgetting.unref()

  return {
    /** What was said of this key lately, or is about to be said. */
    remembered(text: string): Outcome | Promise<Outcome> | undefined {
      const time = now()
      const newest = known.get(text) ?? unknown.get(text)
      const entry = newest && newest.until <= time ? newest.renewal : newest
      if (!entry || entry.until <= time) return undefined
      const isThere = !(entry.outcome instanceof Promise) && isKnown(entry.outcome)
      if (isThere && !entry.renewal && entry.until - time < renewedBeforeMs) renew(text, entry)
      return entry.outcome
    },
    /** One query for all requests that ask at once. */
    look(text: string): Promise<Outcome> {
      const entry = ask(text)
      keep(known, text, entry)
      return Promise.resolve(entry.outcome).catch((error) => {
        if (known.get(text) === entry) known.delete(text)
        throw error
      })
    },
    close(): void {
      isClosed = true
      clearInterval(forgetting)
    },
  }
}

/** The oldest makes room for the newest. */
function keep<Outcome>(entries: Map<string, Outcome>, text: string, entry: Outcome): void {
  entries.delete(text)
  const [oldest] = entries.keys()
  if (entries.size >= maximumRemembered && oldest !== undefined) entries.delete(oldest)
  entries.set(text, entry)
}

const rememberedMs = 500
/** Most of the time is left for a database that is busy. */
const renewedBeforeMs = 300
const maximumRemembered = 10_000
const forgetEveryMs = second
