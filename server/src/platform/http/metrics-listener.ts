import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import type { Metrics } from '../metrics.ts'
import { ApiError } from '../protocol/errors.ts'
import { newId } from '../values/ids.ts'
import { answerParserErrors } from './parser-errors.ts'
import { answerInTurn } from './pipelining.ts'
import { type Probes, probeHeaders } from './probes.ts'
import { pathOf } from './request-line.ts'
import { renderError } from './respond.ts'

/** Metrics and probes on a listener of their own, so that the public one never shows the metrics. */
export function serveMetrics(
  context: Context,
  metrics: Metrics,
  probes: Probes,
  { host = '127.0.0.1', port }: { host?: string; port: number },
): Promise<Server> {
  const refuse = (response: ServerResponse, requestId: string, error: ApiError) => {
    const { status, headers, body } = renderError(context, error, requestId)
    response.writeHead(status, headers).end(body)
  }
  // Whoever asks while the metrics are being put together gets the same text: it is long, and costs time to make.
  let rendering: Promise<string> | undefined
  const render = () => {
    rendering ??= metrics.registry.metrics().finally(() => {
      rendering = undefined
    })
    return rendering
  }
  const server = createServer({ requireHostHeader: false }, async ({ method = '', url = '' }, response) => {
    const requestId = newId('req')
    response.setHeader('request-id', requestId)
    // One scrape for each connection: whoever reads metrics does not need more.
    response.setHeader('connection', 'close')
    const path = pathOf(url)
    const known = '/metrics, /healthz and /readyz'
    if (!known.split(/, | and /).includes(path)) {
      refuse(response, requestId, new ApiError('route_not_found', { message: `This address serves ${known}.` }))
    } else if (method === 'OPTIONS') {
      response.writeHead(204, { allow }).end()
    } else if (method !== 'GET' && method !== 'HEAD') {
      refuse(response, requestId, new ApiError('method_not_allowed', { headers: { allow } }))
    } else if (path === '/healthz') {
      response.writeHead(200, probeHeaders).end(probes.health())
    } else if (path === '/readyz') {
      await probes.readiness().then(
        (body) => response.writeHead(200, probeHeaders).end(body),
        (error) => refuse(response, requestId, error),
      )
    } else {
      response.setHeader('content-type', metrics.registry.contentType)
      response.end(await render())
    }
  })
  const turns = answerInTurn(server, 1000)
  answerParserErrors(server, { turns }, (error, requestId) => renderError(context, error, requestId), context.log)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

const allow = 'GET, HEAD, OPTIONS'
