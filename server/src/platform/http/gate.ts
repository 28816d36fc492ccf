// How many requests are carried out at once, and who is refused when more come than can be answered.
// At most `mostRunning` run. The others wait, those of each Portal in a line of its own, and the lines take turns: a
// Portal that sends too much waits for itself. A line may become as long as there are places left in all; once requests
// have been waiting for a while without a break, only as long as can be served in a second. Heavy requests get half of
// that. So a burst is served, and a flood is refused when it arrives.
// Connections are accepted a few in each round of the event loop (wide-door.ts). So a round must be short: after some
// milliseconds of work the others wait for the next round, and while connections come, some rounds only let them in.
// But after that, work gets as long as everything else took, up to 50 ms.

export type Weight = 'light' | 'heavy'
export type Reason = 'queue_full' | 'queue_slow' | 'waited_too_long' | 'unrecognised' | 'bodies_full'

export interface Gate {
  /** Whether many requests wait, and requests have been waiting for a while without a break. */
  isOverloaded(): boolean
  /** Why a request of this Portal would be refused now, if it would. */
  refusal(portalId: string, weight: Weight): Reason | undefined
  /** Lets a request in at once, or when its turn has come. Whoever was let in must leave. */
  enter(portalId: string, weight: Weight): Promise<void> | undefined
  leave(hasFailed: boolean): void
  /** Takes note of a new connection: others may be waiting behind it. */
  connected(): void
  readonly running: number
  readonly waiting: number
  /** How long the request has waited that has waited longest. */
  longestWaitMs(): number
}

interface Waiting {
  since: number
  admit(): void
  refuse(error: Error): void
}

/** Requests that may begin in the same round. */
interface Batch {
  size: number
  begun: number
  lengthMs: number
  isPostponed: boolean
}

export function createGate(refused: (reason: Reason) => Error, now = () => performance.now()): Gate {
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0
  let crowdedSince = 0
  let isSweeping = false
  /** How many have failed in a row. */
  let failures = 0
  let next: Batch | undefined
  let lastWorked = 0
  /** How many rounds in a row have begun no work. */
  let postponed = 0
  let round: { begun: number } | undefined
  let connections = 0
  let connectionsSeen = 0
  const rate = createRate(now)

  const isOverloaded = () => waiting >= alwaysWelcome.heavy && now() - crowdedSince > burstMs

  const refusal = (portalId: string, weight: Weight): Reason | undefined => {
    if (waiting === 0) return undefined
    const share = weight === 'heavy' ? 0.5 : 1
    const length = lines.get(portalId)?.length ?? 0
    // Whoever has nobody waiting is no flood, and finds room beyond the places of the others.
    if (length === 0 ? waiting >= 2 * places : length >= (places - waiting) * share) return 'queue_full'
    if (length < alwaysWelcome[weight] || !isOverloaded()) return undefined
    return length >= (rate.perSecond() / lines.size) * share ? 'queue_slow' : undefined
  }

  /** The next one of the Portal whose turn it is. */
  const takeNext = (): Waiting | undefined => {
    for (const [portalId, line] of lines) {
      const first = line.shift()
      lines.delete(portalId)
      if (line.length > 0) lines.set(portalId, line)
      waiting--
      return first
    }
    return undefined
  }

  const step = (batch: Batch) => {
    if (next === batch) {
      next = undefined
      batch.begun = now()
      const isComing = connections !== connectionsSeen
      connectionsSeen = connections
      batch.isPostponed = isComing && postponed < mostPostponed
      postponed = batch.isPostponed ? postponed + 1 : 0
      const sinceWork = batch.begun - Math.max(lastWorked, crowdedSince)
      batch.lengthMs = Math.min(Math.max(sinceWork, roundMs), longestRoundMs)
    }
    const mayWork = !batch.isPostponed && now() - batch.begun < batch.lengthMs
    if (mayWork && running < mostRunning && waiting > 0) {
      running++
      takeNext()?.admit()
    }
    batch.size--
    if (batch.size > 0) return
    if (!batch.isPostponed) lastWorked = now()
    arrange()
  }

  /** Each in a step of its own: what one has begun is carried on before the next one begins. */
  const arrange = () => {
    const wanted = Math.min(waiting, mostRunning - running)
    if (wanted <= 0) return
    next ??= { size: 0, begun: 0, lengthMs: 0, isPostponed: false }
    for (; next.size < wanted; next.size++) setImmediate(step, next)
  }

  /** Refuses those who have waited too long. */
  const sweep = () => {
    const patienceMs = isOverloaded() ? mostWaitInFloodMs : mostWaitMs
    const latest = now() - (failures < manyFailures ? patienceMs : mostWaitWhileFailingMs)
    for (const [portalId, line] of lines) {
      for (let first = line[0]; first && first.since < latest; first = line[0]) {
        line.shift()
        waiting--
        first.refuse(refused('waited_too_long'))
      }
      if (line.length === 0) lines.delete(portalId)
    }
    isSweeping = false
    if (waiting > 0) sweepLater()
  }

  const sweepLater = () => {
    if (isSweeping) return
    isSweeping = true
    setTimeout(sweep, sweepEveryMs).unref()
  }

  const wait = (portalId: string): Promise<void> => {
    const since = now()
    if (waiting++ === 0) crowdedSince = since
    sweepLater()
    return new Promise((admit, refuse) => {
      const line = lines.get(portalId)
      if (line) line.push({ since, admit, refuse })
      else lines.set(portalId, [{ since, admit, refuse }])
      arrange()
    })
  }

  const isRoundOver = (): boolean => {
    if (round) return now() - round.begun > roundMs
    round = { begun: now() }
    setImmediate(() => {
      round = undefined
    })
    return false
  }

  return {
    isOverloaded,
    refusal,
    enter(portalId, weight) {
      if (waiting === 0 && running < mostRunning && connections === connectionsSeen && !isRoundOver()) {
        running++
        return undefined
      }
      const reason = refusal(portalId, weight)
      if (reason) throw refused(reason)
      return wait(portalId)
    },
    leave(hasFailed) {
      running--
      failures = hasFailed ? failures + 1 : 0
      rate.count()
      if (waiting > 0) arrange()
    },
    connected() {
      connections++
    },
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    longestWaitMs() {
      const oldest = Math.min(...Array.from(lines.values(), ([first]) => first?.since ?? Infinity))
      return oldest === Infinity ? 0 : now() - oldest
    },
  }
}

/** How many are served a second, of late. */
function createRate(now: () => number) {
  let begun = now()
  let count = 0
  let perSecond = 0
  return {
    perSecond: () => perSecond,
    count() {
      count++
      const elapsedMs = now() - begun
      if (elapsedMs < 500) return
      perSecond = (count * 1000) / elapsedMs
      begun += elapsedMs
      count = 0
    },
  }
}

/** Enough to keep a database busy; few enough that nobody waits long behind them. */
const mostRunning = 64
/** How many may wait in all. */
const places = 1024
/** A line as short as this is no flood, however slowly it moves. */
const alwaysWelcome = { light: 256, heavy: 200 }
/** For so long a crowd is taken for a burst. */
const burstMs = 1000
/**
 * Hardly anybody waits longer for an answer. In a flood everybody has one within 5 seconds, even on a machine that has
 * just become slow. While one request fails after the other, nobody has to wait for that.
 */
const mostWaitMs = 20_000
const mostWaitInFloodMs = 4000
const mostWaitWhileFailingMs = 1000
const manyFailures = 8
const sweepEveryMs = 250
/** How long a round of the event loop may begin work: at least as long as everything else took, within bounds. */
const roundMs = 10
const longestRoundMs = 50
/** How many rounds may do without work while connections come in: a number, because others may use the processor. */
const mostPostponed = 8
