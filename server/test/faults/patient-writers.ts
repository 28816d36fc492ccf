// Writers that send each command until it is acknowledged, always with the same Idempotency-Key, as integrators should.
import { codeOf, type LoadClient, type LoadRequest, type Reply } from './load-client.ts'
import { isFull } from './scale.ts'

interface Patience {
  retries: number
  replays: number
}

/** Sends a request until there is an answer to keep, or the client is closed: its test is over. */
export async function sendPatiently(client: LoadClient, request: LoadRequest, figures: Patience): Promise<Reply> {
  for (;;) {
    const reply = await client.send(request).catch(() => undefined)
    if (reply?.headers['idempotent-replayed'] === 'true') figures.replays++
    if (reply && !isWorthRetrying(reply)) return reply
    if (client.isClosed) throw new Error(`${request.method} ${request.path} was given up: the client is closed`)
    figures.retries++
    await new Promise((resolve) => setTimeout(resolve, clientPauseMs))
  }
}

/** What the interface tells clients to send again with the same key. */
function isWorthRetrying(reply: Reply): boolean {
  return reply.status === 503 || codeOf(reply) === 'idempotency_key_in_use'
}

/** Between a client's attempts; longer pauses would only let the server rest, shorter ones find nobody there more often. */
const clientPauseMs = isFull ? 20 : 50

interface Crowd {
  /** Resolves when so many more commands were acknowledged: a moment anywhere in the work of all other writers. */
  acknowledgedMore(count: number): Promise<unknown>
  /** Lets every writer finish what it has begun. */
  finish(): Promise<void>
}

/** Writers that work again and again until they are told to finish. */
export function startCrowd(
  size: number,
  work: (writer: number, round: number, acknowledged: () => void) => Promise<void>,
): Crowd {
  let isStopping = false
  let awaited: { count: number; resolve(): void } = { count: 0, resolve: () => undefined }
  const acknowledged = () => {
    if (--awaited.count === 0) awaited.resolve()
  }
  const writers = Array.from({ length: size }, async (_, writer) => {
    for (let round = 0; !isStopping; round++) await work(writer, round, acknowledged)
  })
  // A writer that gives up must fail the test at once, not leave it waiting.
  const ended = Promise.all(writers)
  return {
    acknowledgedMore: (count) =>
      Promise.race([
        ended,
        new Promise<void>((resolve) => {
          awaited = { count, resolve }
        }),
      ]),
    async finish() {
      isStopping = true
      await ended
    },
  }
}
