// The Portals whose events wait for their deliveries, a piece of each in turn: a flood of one does not hold up the others.
// Nor does one whose row somebody else holds: it is waited for only a moment, and tells when it is done.
import type { Context } from '../../../platform/context.ts'
import { atMost } from './at-most.ts'
import { fanOut, portalsToFanOut } from './fan-out.ts'

export function createFanOutTurns(
  context: Context,
  {
    idleMs,
    isStopping,
    wake,
    alone,
  }: {
    /** Portals without webhooks have a turn this often: nobody waits for the numbers, and who reads them makes them. */
    idleMs: number
    isStopping(): boolean
    /** Asks for another round. */
    wake(): void
    alone(portalId: string, work: () => Promise<void>): Promise<void>
  },
) {
  const running = new Map<string, Promise<void>>()
  const lastTurns = new Map<string, number>()
  let turn = 0
  let lastForAll = Number.NEGATIVE_INFINITY
  return {
    async round(): Promise<void> {
      const portals = await portalsToFanOut(context.database.read)
      const begun: Promise<void>[] = []
      let isWaiting = true
      portals.sort((a, b) => (lastTurns.get(a.portal_id) ?? 0) - (lastTurns.get(b.portal_id) ?? 0))
      const now = performance.now()
      const isForAll = now - lastForAll >= idleMs
      let isLeft = false
      for (const portal of portals) {
        const { portal_id, is_awaited } = portal
        if (!isForAll && !is_awaited) continue
        isLeft = running.size >= runningAtOnce
        if (isLeft) break
        if (running.has(portal_id)) continue
        lastTurns.set(portal_id, ++turn)
        const work = alone(portal_id, async () => {
          let isMore = await fanOut(context, portal)
          // Its next turn is far away.
          while (isMore && !is_awaited && !isStopping()) isMore = await fanOut(context, portal)
          if (isMore || !isWaiting) wake()
        }).finally(() => running.delete(portal_id))
        running.set(portal_id, work)
        begun.push(work)
      }
      if (begun.length > 0) await atMost(patienceMs, Promise.all(begun))
      isWaiting = false
      if (isForAll && !isLeft) lastForAll = now
      // Those that hold the places now ask for a round by themselves.
      if (isLeft && begun.length > 0) wake()
      if (lastTurns.size > 10_000) lastTurns.clear()
    },
    async end(): Promise<void> {
      await Promise.all(running.values())
    },
  }
}

const runningAtOnce = 4
const patienceMs = 50
