// Refuses requests that would only wait, before anything is done for them: one look at the address and at the key, and
// an answer that is all but ready. Nothing but a key that was found valid lately counts as a Portal's: whoever invents
// keys is refused as one of those whom nobody knows, and takes no place from anybody. Probes are always answered.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Gauge, type Registry } from 'prom-client'
import type { Context } from '../context.ts'
import type { Authenticator } from '../protocol/authentication.ts'
import { createGate, type Gate, type Reason, type Weight } from './gate.ts'
import type { Operation } from './operation.ts'
import { createRefusals, overloaded } from './refusals.ts'
import { pathOf } from './request-line.ts'

interface Overload {
  gate: Gate
  /** Puts itself before the listener that answers the requests of a server. */
  guard(server: Server): void
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
  const gate = createGate((reason) => {
    refusals.count(reason)
    return overloaded(reason)
  })
  addGauges(gate, metrics.registry)
  const weights = new Map(operations.map((one) => [`${one.method} /v1${nameless(one.path)}`, weightOf(one)]))
  const strangers = createAllowance(strangersPerSecond)

  const reasonToRefuse = ({ method = '', url = '', headers }: IncomingMessage): Reason | undefined => {
    const portalId = authenticator.recognise(headers.authorization)
    if (portalId === undefined) return gate.isOverloaded() && !strangers.take() ? 'unrecognised' : undefined
    const path = nameless(pathOf(url))
    const name = `${method === 'HEAD' ? 'GET' : method} ${path.endsWith('/') ? path : `${path}/`}`
    return gate.refusal(portalId, weights.get(name) ?? 'heavy')
  }

  return {
    gate,
    guard(server) {
      // safe because these are the listeners of requests
      const [answer] = server.listeners('request') as RequestListener[]
      if (!answer) throw new Error('there is nobody yet who answers requests')
      server.removeListener('request', answer)
      server.on('connection', gate.connected)
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const reason = gate.waiting === 0 || probes.test(request.url ?? '') ? undefined : reasonToRefuse(request)
        if (reason === undefined) answer(request, response)
        else refusals.answer(request, response, reason, isDraining())
      })
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

function addGauges(gate: Gate, registry: Registry): void {
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
