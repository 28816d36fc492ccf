// A client may send requests without waiting for the answers. Node carries all of them out at once and keeps what it
// cannot send yet; for a client that never reads, that is memory without end. Here the requests of one connection are
// carried out one after another: the next begins when the answer before it has left. While some wait, nothing more is
// read from their connection. But Node parses what it has read to its end, which may be a thousand requests: when too
// many wait in all, connections with a crowd of them are cut off, and nobody is read from until their memory is free.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Conversation {
  /** The latest response that was begun. */
  current: ServerResponse
  waiting: { request: IncomingMessage; response: ServerResponse }[]
}

export interface Turns {
  /** Whether requests of this connection wait, so that nothing is read from it. */
  isHeld(socket: object): boolean
}

/** Puts itself before the listener that answers the requests of a server. At most so many wait, about 2 kB each. */
export function answerInTurn(server: Server, mostWaiting = 10_000): Turns {
  // safe because these are the listeners of requests
  const [answer] = server.listeners('request') as RequestListener[]
  if (!answer) throw new Error('there is nobody yet who answers requests')
  server.removeListener('request', answer)
  const conversations = new WeakMap<object, Conversation>()
  server.on('request', createTurns(answer, conversations, createBreather(server), mostWaiting))
  return { isHeld: (socket) => (conversations.get(socket)?.waiting.length ?? 0) > 0 }
}

function createTurns(
  answer: RequestListener,
  conversations: WeakMap<object, Conversation>,
  takeBreath: () => void,
  mostWaiting: number,
): RequestListener {
  let waitingInAll = 0

  const advance = (socket: Socket, conversation: Conversation): void => {
    // Nobody could hear an answer any more: what waits is not carried out.
    const next = socket.writable ? conversation.waiting.shift() : undefined
    if (!next) {
      waitingInAll -= conversation.waiting.length
      conversation.waiting = []
      return
    }
    waitingInAll--
    conversation.current = next.response
    if (conversation.waiting.length > 0) next.response.once('close', () => advance(socket, conversation))
    else socket.resume()
    answer(next.request, next.response)
  }

  const wait = (conversation: Conversation, request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const { waiting, current } = conversation
    if (waiting.length === 0) {
      current.once('close', () => advance(socket, conversation))
      // Node reads on by itself whenever a request has been read to its end.
      if (!socket.listeners('resume').includes(hold)) socket.on('resume', hold)
      process.nextTick(() => socket.pause())
    }
    waiting.push({ request, response })
    waitingInAll++
    // A crowd of such connections is no client that is in a hurry. Whoever pipelines a little is left alone.
    if (waitingInAll > mostWaiting && waiting.length > alwaysWelcome && !socket.destroyed) {
      socket.destroy()
      takeBreath()
    }
  }

  function hold(this: Socket): void {
    if (conversations.get(this)?.waiting.length) this.pause()
  }

  return (request, response) => {
    const { socket } = request
    const conversation = conversations.get(socket)
    if (!conversation) conversations.set(socket, { current: response, waiting: [] })
    else if (conversation.waiting.length > 0 || !isOver(conversation.current)) {
      wait(conversation, request, response)
      return
    } else conversation.current = response
    answer(request, response)
  }
}

/** Lets no connection be read from until those that were cut off are gone: one round of the event loop, for everybody. */
function createBreather(server: Server): () => void {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  let isHolding = false
  return () => {
    if (isHolding) return
    isHolding = true
    const held = [...connections].filter((socket) => !socket.isPaused())
    for (const socket of held) socket.pause()
    // Connections are closed at the very end of a round.
    setImmediate(() =>
      setImmediate(() => {
        isHolding = false
        for (const socket of held) socket.resume()
      }),
    )
  }
}

/** Whether a response has left; Node then has let go of its connection. */
function isOver(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed
}

const alwaysWelcome = 100
