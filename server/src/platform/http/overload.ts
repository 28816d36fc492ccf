// Refuses requests that would only wait, before anything is done for them: one look at the address and at the key, and
// an answer that is all but ready. Nothing but a key that was found valid lately counts as a Portal's: whoever invents
// keys is refused as one of those whom nobody knows, and takes no place from anybody. Probes are always answered.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Gauge, type Registry } from 'prom-client'
import type { Context } from '../context.ts'
import type { Authenticator } from '../protocol/authentication.ts'
import type { ApiError } from '../protocol/errors.ts'
import { createBodies } from './bodies.ts'
import { createGate, type Gate, type Reason, type Weight } from './gate.ts'
import type { Operation } from './operation.ts'
import type { Turns } from './pipelining.ts'
import { createRefusals, overloaded } from './refusals.ts'
import { pathOf } from './request-line.ts'
import { refuseOnSocket, type SocketRefusals } from './socket-refusals.ts'

export interface Overload {
  gate: Gate
  bodies: ReturnType<typeof createBodies>
  /** Counts a refusal, and returns what it is answered with. */
  refused(reason: Reason): ApiError
  /** Puts itself before the listener that answers the requests of a server. */
  guard(server: Server): void
  /** Refuses as many as possible before that, on their bare sockets. */
  guardSockets(server: Server, turns: Turns): SocketRefusals
}

interface OverloadParts {
  context: Context
  operations: readonly Operation[]
  authenticator: Authenticator
  metrics: { registry: Registry }
  isDraining(): boolean
}

/** What costs much goes first: pages of lists, and whatever starts long work. */
export function weightOf({ handler, rate }: Operation): Weight {
  return handler.kind === 'list' || rate === 'heavy' ? 'heavy' : 'light'
}

export function createOverload({ context, operations, authenticator, metrics, isDraining }: OverloadParts): Overload {
  const refusals = createRefusals(context, metrics.registry)
  const refused = (reason: Reason) => {
    refusals.count(reason)
    return overloaded(reason)
  }
  const gate = createGate(refused)
  const bodies = createBodies()
  addGauges(gate, bodies, metrics.registry)
  const weights = new Map(operations.map((one) => [`${one.method} /v1${nameless(one.path)}`, weightOf(one)]))
  const strangers = createAllowance(strangersPerSecond)

  const reasonToRefuse = (method: string, url: string, authorization: string | undefined): Reason | undefined => {
    if (!url.startsWith('/v1/') && probes.test(url)) return undefined
    const portalId = authenticator.recognise(authorization)
    if (portalId === undefined) return gate.isOverloaded() && !strangers.take() ? 'unrecognised' : undefined
    // Where even a light request is refused, nobody has to find out what this one is.
    const reason = gate.refusal(portalId, 'light')
    if (reason) return reason
    const path = nameless(pathOf(url))
    const name = `${method === 'HEAD' ? 'GET' : method} ${path.endsWith('/') ? path : `${path}/`}`
    return gate.refusal(portalId, weights.get(name) ?? 'heavy')
  }
  /** The connection whose request was let pass on the bare socket: nobody is asked twice. */
  let passed: Socket | undefined
  let onSockets: SocketRefusals | undefined

  return {
    gate,
    bodies,
    refused,
    guard(server) {
      // safe because these are the listeners of requests
      const [answer] = server.listeners('request') as RequestListener[]
      if (!answer) throw new Error('there is nobody yet who answers requests')
      server.removeListener('request', answer)
      server.on('connection', gate.connected)
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const { method = '', url = '', headers, socket } = request
        const isAsked = gate.waiting > 0 && socket !== passed
        passed = undefined
        const reason = isAsked ? reasonToRefuse(method, url, headers.authorization) : undefined
        if (reason === undefined) {
          answer(request, response)
          return
        }
        refusals.answer(request, response, reason, isDraining())
        if (!request.complete) onSockets?.awaitBody(socket)
      })
    },
    guardSockets(server, turns) {
      onSockets = refuseOnSocket(server, turns, {
        mayRefuse: () => gate.waiting > 0 && !isDraining(),
        refuse({ method, url, authorization, accept }, socket) {
          const reason = reasonToRefuse(method, url, authorization)
          if (reason === undefined) passed = socket
          return reason && refusals.prepare(reason, method, url, accept)
        },
      })
      return onSockets
    },
  }
}

/** A path with an id like any other in place of each. */
function nameless(path: string): string {
  return path.replace(ids, '/{}')
}

/** Lets so many pass in each second. */
function createAllowance(perSecond: number) {
  let begun = 0
  let taken = 0
  return {
    take(): boolean {
      const now = performance.now()
      if (now - begun >= 1000) {
        begun = now
        taken = 0
      }
      return taken++ < perSecond
    },
  }
}

function addGauges(gate: Gate, bodies: Overload['bodies'], registry: Registry): void {
  const add = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  add('portico_requests_running', 'Requests that are being carried out.', () => gate.running)
  add('portico_request_bodies_bytes', 'Bytes of large request bodies in memory.', () => bodies.heldBytes)
  add('portico_requests_waiting', 'Requests that wait to be carried out.', () => gate.waiting)
  add(
    'portico_requests_longest_wait_seconds',
    'How long the oldest of the waiting requests has waited.',
    () => gate.longestWaitMs() / 1000,
  )
}

const probes = /^\/(?:healthz|readyz)\/?(?:\?|$)/
const ids = /\/(?:\{\w+\}|[a-z]+_[0-9a-z]{26})(?=\/|$)/g
/** Enough for keys that have not been used for a while; little enough that a flood of invented ones costs nothing. */
const strangersPerSecond = 100
