import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { minute, second } from '../clock.ts'
import type { Metrics } from '../metrics.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Span } from '../tracing/tracer.ts'
import { newId } from '../values/ids.ts'
import { type Admission, type AdmissionParts, createAdmission } from './admission.ts'
import { createClientAddresses } from './client-address.ts'
import { closeGently } from './close-gently.ts'
import { createExecution } from './execute-operation.ts'
import type { Operation } from './operation.ts'
import { createOverload, type Overload, weightOf } from './overload.ts'
import { answerParserErrors } from './parser-errors.ts'
import { answerInTurn } from './pipelining.ts'
import { bodyLimitBytes, headLimitBytes, headProblem, pathOf, payloadTooLarge } from './request-line.ts'
import { renderError, sendRendered, toApiError } from './respond.ts'
import { widenDoor } from './wide-door.ts'

interface HttpParts extends AdmissionParts {
  operations: readonly Operation[]
  metrics: Metrics
  /** Whether the server is on its way out: connections are then closed after their response. */
  isDraining(): boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | null
    /** Who was let in: the Portal, and its key unless a credential of one transfer was enough. */
    admitted: { portal_id: string; key?: { id: string } } | null
    /** The address of the client, as far as it can be believed. */
    client_address: string
    /** The code of the error it was answered with. */
    error_code: string | undefined
    /** While traces are sent. */
    span: Span | null
    /** The path of the operation that was found for it, as it is registered. */
    route: string
    /** From now on its body may take its time, as a file does. */
    takeTime(): void
  }
}

export function createHttpApp(parts: HttpParts): FastifyInstance {
  const { context } = parts
  const { trace } = context
  const clientAddress = createClientAddresses(context.config.trusted_proxies)
  const app = fastify({
    logger: false,
    genReqId: () => newId('req'),
    bodyLimit: bodyLimitBytes,
    // The longest a file may take to arrive; every other request has less (cutOffSlowBody).
    requestTimeout: 60 * minute,
    // Whoever takes nothing in for a minute is not waited for.
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    http: {
      maxHeaderSize: headLimitBytes,
      headersTimeout: 10_000,
      requireHostHeader: false,
      connectionsCheckingInterval: 2000,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 8 * 1024,
      // Operations read their query themselves: Fastify's own parser would hide repeated names.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      const refusal =
        error.code === 'FST_ERR_BAD_URL'
          ? new ApiError('invalid_request', { message: 'The path must be valid percent-encoded UTF-8.' })
          : new ApiError('invalid_request')
      reply.header('request-id', request.id)
      const about = { request_id: request.id, client_address: clientAddress(request.raw) }
      context.log.info({ ...about, method: request.method, status: 400, code: refusal.code }, refusal.message)
      return sendRendered(reply, renderError(context, refusal, request.id, request.headers.accept))
    },
  })

  const overload = createOverload(parts)
  overload.guard(app.server)
  const turns = answerInTurn(app.server)
  const refusals = overload.guardSockets(app.server, turns)
  // Connections that wait for a refusal look idle, and idle ones are closed.
  app.addHook('preClose', async () => refusals.settleAll())
  const door = widenDoor(app, context.log)
  const held = closeGently(app, door)
  app.server.removeAllListeners('clientError')
  answerParserErrors(
    app.server,
    { turns, refusals },
    (error, requestId) => renderError(context, error, requestId),
    context.log,
  )
  const methodsOf = createRouteBook(app)

  app.decorateRequest('admission', null)
  app.decorateRequest('admitted', null)
  app.decorateRequest('client_address', '')
  app.decorateRequest('error_code', undefined)
  app.decorateRequest('span', null)
  app.decorateRequest('route', '')
  app.decorateRequest('takeTime', () => undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.addHook('onRequest', (request, reply, done) => {
    // Now: of a connection that has ended, nobody knows the address any more.
    request.client_address = clientAddress(request.raw)
    if (trace && !probePaths.has(request.url)) request.span = trace.begin(2, request.headers.traceparent)
    reply.header('request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (parts.isDraining()) reply.header('connection', 'close')
    const problem = headProblem(request)
    cutOffSlowBody(app, request)
    if (problem) done(problem)
    else if (request.is404) answerUnrouted(methodsOf(pathOf(request.url)), request, reply, done)
    else {
      const end = held()
      if (end) end.then(() => done())
      else done()
    }
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOfBody(error) ?? toApiError(context, error, request)
    return sendRendered(reply, renderError(context, refusal, request.id, request.headers.accept))
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.route || request.routeOptions.url || 'unrouted'
    const { statusCode, elapsedTime } = reply
    const { admitted, client_address, error_code: code, span } = request
    if (span) endSpan(span, request, route, statusCode)
    parts.metrics.observe(request.method, route, statusCode, elapsedTime)
    context.log.request({
      request_id: request.id,
      method: request.method,
      route,
      path: pathOf(request.url).slice(0, 500),
      status: statusCode,
      duration_ms: Math.round(elapsedTime * 100) / 100,
      portal_id: admitted?.portal_id,
      key_id: admitted?.key?.id,
      client_address,
      code,
      trace_id: span?.trace_id,
    })
    done()
  })

  for (const operation of parts.operations) registerOperation(app, operation, parts, overload)
  return app
}

/** They are asked every few seconds, and there is nothing to see in them. */
const probePaths = new Set(['/healthz', '/readyz'])

function endSpan(span: Span, request: FastifyRequest, route: string, status: number): void {
  const { method, admitted, client_address, error_code } = request
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'client.address': client_address,
    'error.type': error_code,
    'portico.request_id': request.id,
    'portico.portal_id': admitted?.portal_id,
    'portico.key_id': admitted?.key?.id,
  }
  span.end(`${method} ${route}`, attributes, status >= 500)
}

/** Slow senders are cut off: headers within 10 s (Node sees to that), the body within 30 s, unless time is taken. */
function cutOffSlowBody(app: FastifyInstance, request: FastifyRequest): void {
  const { raw } = request
  if (raw.method === 'GET' || raw.method === 'HEAD' || raw.complete) return
  const timer = setTimeout(() => {
    const error = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!raw.complete) app.server.emit('clientError', error, raw.socket)
  }, bodyTimeoutMs)
  // A body that nobody reads may never close; a server that has stopped does not wait for it.
  timer.unref()
  request.takeTime = () => clearTimeout(timer)
  raw.once('close', request.takeTime)
}

const bodyTimeoutMs = 30 * second

function registerOperation(app: FastifyInstance, operation: Operation, parts: HttpParts, overload: Overload): void {
  const { gate, bodies } = overload
  const admit = createAdmission(operation, parts)
  const execute = createExecution(operation, parts.context)
  const weight = weightOf(operation)
  // What waits for a call to the outside keeps nobody here from working.
  const isWaitingOutside = operation.handler.kind === 'write' && operation.handler.prepare !== undefined
  const { trace } = parts.context
  const traced = <T>({ span }: FastifyRequest, work: () => T): T => (trace && span ? trace.within(span, work) : work())
  const run = (request: FastifyRequest, admission: Admission) => traced(request, () => execute(request, admission))
  const url = `/v1${operation.path.replaceAll('{', ':').replaceAll('}', '')}`
  app.route({
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url,
    onRequest(request, reply, done) {
      request.route = url
      const admitted = (admission: Admission) => {
        request.admission = admission
        const hasRoom = bodies.hold(admission.principal.portal_id, request.headers, reply.raw)
        done(hasRoom ? undefined : overload.refused('bodies_full'))
      }
      try {
        const admission = traced(request, () => admit(request, reply))
        if (admission instanceof Promise) admission.then(admitted, done)
        else admitted(admission)
      } catch (error) {
        done(error as Error) // safe because only errors are thrown
      }
    },
    handler(request, reply) {
      const working = carryOut(request, reply)
      const isLarge = Buffer.isBuffer(request.body) && bodies.arrived(reply.raw, request.body.length)
      return isLarge ? working.finally(() => bodies.letGo(reply.raw)) : working
    },
  })

  async function carryOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { admission } = request
    if (!admission) throw new Error('a request reached its handler without admission')
    if (isWaitingOutside) return void sendRendered(reply, await run(request, admission))
    const turn = gate.enter(admission.principal.portal_id, weight)
    if (turn) await turn
    let hasFailed = false
    try {
      // Not returned: Fastify would wait for the reply as for another promise, and it has been sent.
      if (!turn || !request.raw.socket.destroyed) sendRendered(reply, await run(request, admission))
      // Nobody waits for the answer any more.
      else reply.hijack()
    } catch (error) {
      hasFailed = !(error instanceof ApiError)
      throw error
    } finally {
      gate.leave(hasFailed)
    }
  }
}

/** 404, 405 or the answer to OPTIONS, from the methods that are registered for this address. */
function answerUnrouted(
  methods: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const allowed = [...methods, 'OPTIONS']
  const allow = allowed.join(', ')
  if (methods.length === 0) done(new ApiError('route_not_found'))
  else if (request.method === 'OPTIONS') reply.header('allow', allow).code(204).send()
  else {
    const message = `Supported methods: ${allow}.`
    const detail = {
      location: 'header',
      name: 'method',
      code: 'method_not_allowed',
      message,
      meta: { allowed },
    } as const
    done(new ApiError('method_not_allowed', { headers: { allow }, details: [detail] }))
  }
}

/** Which methods a path supports. Kept in a list of our own: the router only reports whether one method matches. */
function createRouteBook(app: FastifyInstance) {
  const routes: { method: string; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(
      `^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*$/, '.*').replace(/\/$/, '')}/?$`,
    )
    for (const one of [method].flat()) routes.push({ method: one, pattern })
  })
  return (path: string): string[] => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ]
}

/** What Fastify itself refuses before anybody looks at a body, in our own words. */
function refusalOfBody(error: unknown): ApiError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge()
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', {
      message: 'Content-Type must be a valid media type, such as application/json.',
    })
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError('invalid_request', { message: 'The length of the body must match Content-Length.' })
  return undefined
}
