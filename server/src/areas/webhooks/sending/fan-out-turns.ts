// The Portals whose events wait for their deliveries, a piece of each in turn: a flood of one does not hold up the others.
// Nor does one whose row somebody else holds: it is waited for only a moment, and tells when it is done. Portals without
// webhooks come last, and leave half of the places free: nobody waits for their numbers.
import type { Context } from '../../../platform/context.ts'
import { atMost } from './at-most.ts'
import { fanOut, portalsToFanOut } from './fan-out.ts'

export function createFanOutTurns(
  context: Context,
  {
    idleMs,
    wake,
    alone,
  }: {
    /** Portals without webhooks have a turn this often: nobody waits for the numbers, and who reads them makes them. */
    idleMs: number
    /** Asks for another round. */
    wake(): void
    alone(portalId: string, work: () => Promise<void>): Promise<void>
  },
) {
  const running = new Map<string, Promise<void>>()
  const lastTurns = new Map<string, number>()
  let turn = 0
  let lastForAll = Number.NEGATIVE_INFINITY
  /** Whether a Portal without webhooks has more to number than a turn holds. */
  let isBehind = false
  return {
    async round(): Promise<void> {
      const portals = await portalsToFanOut(context.database.read)
      const begun: Promise<void>[] = []
      let isWaiting = true
      portals.sort(
        (a, b) =>
          Number(b.is_awaited) - Number(a.is_awaited) ||
          (lastTurns.get(a.portal_id) ?? 0) - (lastTurns.get(b.portal_id) ?? 0),
      )
      const now = performance.now()
      const isForAll = isBehind || now - lastForAll >= idleMs
      if (isForAll) isBehind = false
      let isLeft = false
      let succeeded = 0
      for (const portal of portals) {
        const { portal_id, is_awaited } = portal
        if (!isForAll && !is_awaited) continue
        isLeft = running.size >= (is_awaited ? runningAtOnce : runningAtOnce / 2)
        if (isLeft) break
        if (running.has(portal_id)) continue
        lastTurns.set(portal_id, ++turn)
        const work = alone(portal_id, async () => {
          const isMore = await fanOut(context, portal)
          succeeded++
          if (isMore && !is_awaited) isBehind = true
          if (isMore || !isWaiting) wake()
        }).finally(() => running.delete(portal_id))
        running.set(portal_id, work)
        begun.push(work)
      }
      if (begun.length > 0) await atMost(patienceMs, Promise.all(begun))
      isWaiting = false
      if (isForAll && !isLeft && !isBehind) lastForAll = now
      // Those that hold the places now ask for a round by themselves; where all fail, the next one is soon enough.
      if (isLeft && succeeded > 0) wake()
      if (lastTurns.size > 10_000) lastTurns.clear()
    },
    async end(): Promise<void> {
      await Promise.all(running.values())
    },
  }
}

const runningAtOnce = 4
const patienceMs = 50
