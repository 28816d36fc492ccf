// Looks at the clock every few seconds, keeps the time in the database, and says when the clock has jumped.
import { minute, second } from '../clock.ts'
import type { Metrics } from '../metrics.ts'
import { type ClockChange, toleranceMs } from '../own-time.ts'
import { spokenDuration } from '../values/durations.ts'
import { findKeptTime, keepTime, readReference, type SetBack, type TimedContext } from './kept-time.ts'

const lookEveryMs = 2 * second
const keepEveryMs = minute

export function watchClock(
  context: TimedContext,
  metrics: Pick<Metrics, 'clockSeen' | 'clockJumped'>,
  setBacks: readonly SetBack[],
) {
  const { clock, log } = context
  let keptAt = Number.NEGATIVE_INFINITY
  let acceptances: number | undefined
  let isApart = false
  let looking: Promise<void> | undefined

  const report = (change: ClockChange | undefined) => {
    if (!change) return
    if (change.kind === 'jumped') metrics.clockJumped()
    const { kind, difference_ms } = change
    const difference_seconds = Math.round(difference_ms / second)
    log[kind === 'returned' ? 'info' : 'warn']({ difference_seconds }, sentences[kind](difference_ms))
  }

  /** The clock of this machine against the own time, which follows the database where that has a clock. */
  const compare = () => {
    const difference_ms = clock.wall() - clock.now()
    metrics.clockSeen(difference_ms, clock.isDoubted())
    const wasApart = isApart
    isApart = Math.abs(difference_ms) > toleranceMs
    if (!isApart || wasApart || clock.difference() !== undefined) return
    metrics.clockJumped()
    const difference_seconds = Math.round(difference_ms / second)
    log.warn(
      { difference_seconds },
      `the clock of this machine is ${spokenDuration(difference_ms)} ${difference_ms > 0 ? 'ahead of' : 'behind'} the clock of the database; this process uses the time of the database, and expires and deletes nothing until the two agree or 1 hour has passed`,
    )
  }

  const findAcceptance = async (): Promise<boolean> => {
    if (clock.difference() === undefined) {
      acceptances = undefined
      return false
    }
    const found = (await findKeptTime(context))?.acceptances ?? 0
    const isAccepted = acceptances !== undefined && found > acceptances
    acceptances = found
    return isAccepted
  }

  const look = async () => {
    const begun = performance.now()
    const reference = await readReference(context).catch(() => undefined)
    const change = clock.look(reference, performance.now() - begun)
    report(change)
    compare()
    const isAccepted = await findAcceptance()
    if (isAccepted && reference !== undefined) report(clock.accept(reference))
    if (!change && !isAccepted && performance.now() - keptAt < keepEveryMs) return
    await keepTime(context, setBacks)
    keptAt = performance.now()
  }
  const lookOnce = () => {
    looking ??= look()
      .catch((error) => log.warn({ err: error }, 'the time could not be kept in the database'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  const first = clock.difference()
  if (first !== undefined && first < 0) report({ kind: 'jumped', difference_ms: first })
  else if (first !== undefined) {
    metrics.clockJumped()
    const difference_seconds = Math.round(first / second)
    log.warn(
      { difference_seconds },
      `the clock is ${spokenDuration(first)} ahead of the time of the last run; Portico expires and deletes nothing until the clock returns, you run \`portico clock accept\`, or 1 hour has passed`,
    )
  }
  const timer = setInterval(lookOnce, lookEveryMs)
  void lookOnce()
  return {
    async stop(): Promise<void> {
      clearInterval(timer)
      await looking
      await keepTime(context, setBacks).catch(() => undefined)
    },
  }
}

const sentences: Record<ClockChange['kind'], (differenceMs: number) => string> = {
  jumped: (ms) =>
    `the clock jumped ${ms > 0 ? 'ahead' : 'back'} by ${spokenDuration(ms)}; Portico keeps its own time and expires and deletes nothing until the clock returns, you run \`portico clock accept\`, or 1 hour has passed`,
  returned: () => 'the clock has returned to the time that Portico kept; expiry and deletion continue',
  accepted: (ms) =>
    `the clock was accepted, ${spokenDuration(ms)} ${ms > 0 ? 'ahead of' : 'behind'} the time that Portico kept; expiry and deletion continue in steps`,
  believed: (ms) =>
    `the clock has been ${spokenDuration(ms)} ${ms > 0 ? 'ahead of' : 'behind'} the time that Portico kept for 1 hour and is now believed; expiry and deletion continue in steps`,
}
