/** At most `maximum` at once; the others wait their turn, no longer than their signal lets them. */
export function createTurns(maximum: number) {
  const waiting = new Set<() => void>()
  let taken = 0
  const leave = () => {
    taken -= 1
    const [next] = waiting
    next?.()
  }
  return {
    enter(signal: AbortSignal): Promise<() => void> {
      return new Promise((fulfil, reject) => {
        const takeTurn = () => {
          waiting.delete(takeTurn)
          signal.removeEventListener('abort', giveUp)
          taken += 1
          fulfil(leave)
        }
        const giveUp = () => {
          waiting.delete(takeTurn)
          reject(signal.reason)
        }
        if (signal.aborted) return reject(signal.reason)
        if (taken < maximum) return takeTurn()
        waiting.add(takeTurn)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}
