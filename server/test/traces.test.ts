// Traces as a collector receives them: real OTLP over HTTP, in the words of the protocol, and harmless when it misbehaves.
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import { createLogger } from '../src/platform/logging.ts'
import { createExporter, type FinishedSpan } from '../src/platform/tracing/otlp-exporter.ts'
import { parseTraceparent } from '../src/platform/tracing/span-context.ts'
import { readTraceSettings } from '../src/platform/tracing/trace-settings.ts'
import { runDueJobs } from './due-jobs.ts'
import { newProject } from './funding-fixtures.ts'
import { newPortal, startTestServer } from './harness.ts'
import { cleanUp, serve } from './real-servers.ts'

afterEach(cleanUp)

interface Received {
  path: string | undefined
  headers: IncomingHttpHeaders
  text: string
}

/** A collector that keeps what it gets. */
async function startCollector(answer: RequestListener = (_request, response) => response.end('{}')) {
  const received: Received[] = []
  const { port } = await serve((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, text })
      answer(request, response)
    })
  })
  const spans = () =>
    received.flatMap(({ text }) =>
      JSON.parse(text).resourceSpans.flatMap(({ scopeSpans }: Message) => scopeSpans.flatMap((scope) => scope.spans)),
    )
  return { received, spans, origin: `http://127.0.0.1:${port}` }
}
// biome-ignore lint/suspicious/noExplicitAny: the fields are what is tested
type Message = { scopeSpans: { spans: any[] }[] }

/** Every field of the protocol that we use, by where it stands (opentelemetry/proto/trace/v1/trace.proto, in JSON). */
const fields: Record<string, readonly string[]> = {
  '': ['resourceSpans'],
  resourceSpans: ['resource', 'scopeSpans', 'schemaUrl'],
  resource: ['attributes', 'droppedAttributesCount'],
  scopeSpans: ['scope', 'spans', 'schemaUrl'],
  scope: ['name', 'version', 'attributes', 'droppedAttributesCount'],
  spans: [
    ...['traceId', 'spanId', 'traceState', 'parentSpanId', 'flags', 'name', 'kind', 'startTimeUnixNano'],
    ...['endTimeUnixNano', 'attributes', 'droppedAttributesCount', 'events', 'links', 'status'],
  ],
  attributes: ['key', 'value'],
  value: ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'kvlistValue', 'bytesValue'],
  status: ['message', 'code'],
}

function unknownFields(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => unknownFields(one, place))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(fields[place]?.includes(name) ? [] : [`${place}.${name}`]),
    ...unknownFields(inner, name),
  ])
}

const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

test('a request continues the trace of its caller, and its statements and its job are spans of the same trace', async () => {
  const collector = await startCollector()
  const server = await startTestServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=funding%20desk',
    OTEL_SERVICE_NAME: 'portico-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
  })
  const portal = await newPortal(server)
  const project = await newProject(portal, {}, { legal_name: 'Nobody Else Ltd' })
  const traceparent = `00-${caller.trace}-${caller.span}-01`
  const started = await portal.call('POST', project.calculations_url, { headers: { traceparent } })
  expect(started.status).toBe(202)
  await runDueJobs(server.context, portal.id)
  const unsampled = `00-${'1'.repeat(32)}-${caller.span}-00`
  await portal.call('GET', 'businesses/', { headers: { traceparent: unsampled } })
  await server.call('GET', `${server.origin}/healthz`)
  const line = server.logLines.map((text) => JSON.parse(text)).find(({ status }) => status === 202)
  await server.stop()

  const [first] = collector.received
  expect([first?.path, first?.headers['content-type'], first?.headers['x-team']]).toEqual([
    '/v1/traces',
    'application/json',
    'funding desk',
  ])
  expect(first?.text).toContain('{"key":"service.name","value":{"stringValue":"portico-test"}}')
  const all = collector.received.map(({ text }) => text).join('')
  for (const secret of [portal.key, 'Nobody Else Ltd']) expect(all).not.toContain(secret)
  for (const { text } of collector.received) expect(unknownFields(JSON.parse(text))).toEqual([])

  const spans = collector.spans().filter(({ traceId }) => traceId === caller.trace)
  const request = spans.find(({ kind }) => kind === 2)
  expect(request).toMatchObject({ parentSpanId: caller.span, status: {} })
  expect(request.name).toBe('POST /v1/projects/:project_id/match-calculations/')
  const attributes = Object.fromEntries(
    request.attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]),
  )
  expect(attributes).toMatchObject({
    'http.response.status_code': '202',
    'portico.portal_id': portal.id,
    'portico.key_id': portal.key_id,
    'portico.request_id': started.headers.get('request-id'),
  })
  expect(line.trace_id).toBe(caller.trace)
  const under = (parent: { spanId: string }) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name)
  expect(under(request)).toEqual(expect.arrayContaining(['insert jobs', 'commit']))
  const job = spans.find(({ name }) => name === 'job funding_recommendations.calculate')
  expect(job).toMatchObject({ kind: 5, parentSpanId: request.spanId })
  expect(under(job)).toContain('commit')
  for (const { spanId, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(spanId).toMatch(/^[0-9a-f]{16}$/)
    expect(startTimeUnixNano).toMatch(/^\d{19}$/)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  }
  expect(collector.spans().some(({ traceId }) => traceId === '1'.repeat(32))).toBe(false)
  expect(collector.spans().some(({ name }) => name.includes('healthz'))).toBe(false)
})

describe('a collector that misbehaves', () => {
  const span: FinishedSpan = {
    trace_id: caller.trace,
    span_id: caller.span,
    parent_span_id: undefined,
    name: 'GET /v1/',
    kind: 2,
    started_at: 1,
    ended_at: 2,
    attributes: {},
    is_failed: false,
  }
  /** For what is never answered to the end. */
  const impatient = { OTEL_EXPORTER_OTLP_TIMEOUT: '300' }
  const silent = createLogger({ log_level: 'silent' }, () => undefined)
  const exporterTo = (url: string, more: Record<string, string> = {}) => {
    const { traces } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more })
    if (!traces) throw new Error('traces should be on')
    return createExporter(traces, silent)
  }
  const add = (exporter: ReturnType<typeof createExporter>, count: number) => {
    for (let i = 0; i < count; i++) exporter.add(span)
  }

  test('and never answers costs spans, which are counted, and no more memory than for 2,048 of them', async () => {
    const collector = await startCollector(() => undefined)
    const exporter = exporterTo(collector.origin, impatient)
    add(exporter, 5000)
    // 512 are under way, 2,048 wait.
    expect(exporter.counts).toEqual({ sent: 0, dropped: 5000 - 512 - 2048 })
    await exporter.close()
    expect(exporter.counts).toEqual({ sent: 0, dropped: 5000 })
  })

  test.each<[string, RequestListener, number]>([
    ['refuses', (_, response) => response.writeHead(500).end(), 0],
    ['has lost some', (_, response) => response.end('{"partialSuccess":{"rejectedSpans":"4"}}'), 6],
    [
      'says it has lost more than it got',
      (_, response) => response.end('{"partialSuccess":{"rejectedSpans":"99"}}'),
      0,
    ],
    ['says nonsense', (_, response) => response.end('<html>'), 10],
    ['talks without end', (_, response) => response.write('x'.repeat(200_000)), 0],
    ['hangs up', (request) => request.socket.destroy(), 0],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 0],
  ])('and %s', async (what, answer, sent) => {
    const { origin } = await startCollector(answer)
    const exporter = exporterTo(origin, what === 'talks without end' ? impatient : {})
    add(exporter, 10)
    await exporter.close()
    expect(exporter.counts).toEqual({ sent, dropped: 10 - sent })
  })

  test('and is slow does not hold up a process that stops, however long a batch may take otherwise', async () => {
    const collector = await startCollector(() => undefined)
    // Longer than this test may take.
    const exporter = exporterTo(collector.origin, { OTEL_EXPORTER_OTLP_TIMEOUT: '600000' })
    add(exporter, 512 + 2048)
    await exporter.close()
    expect(exporter.counts).toEqual({ sent: 0, dropped: 512 + 2048 })
    expect(collector.received).toHaveLength(1)
  })

  test('and is not there', async () => {
    const exporter = exporterTo('http://127.0.0.1:1')
    add(exporter, 3)
    await exporter.close()
    expect(exporter.counts).toEqual({ sent: 0, dropped: 3 })
  })
})

describe('settings', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

  test.each([[{}], [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }], [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }]])(
    'no traces with %o',
    (environment: Record<string, string>) => {
      expect(readConfig(environment).traces).toBeUndefined()
    },
  )

  test.each([
    [{}, { ratio: 1, isParentBased: true }],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, { ratio: 0, isParentBased: false }],
    [
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
      { ratio: 0.25, isParentBased: true },
    ],
  ])('the sampler of %o', (environment: Record<string, string>, sampler) => {
    expect(readTraceSettings({ ...endpoint, ...environment })?.sampler).toEqual(sampler)
  })

  test('the address for traces alone is used as it is', () => {
    const { traces } = readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/own' })
    expect(traces?.url).toBe('https://traces.example.com/own')
  })

  test.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'sometimes' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' },
    { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
    { ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' },
  ])('the start is refused with %o', (environment: Record<string, string>) => {
    expect(() => readConfig(environment)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT (must|needs) /)
  })
})

test.each([
  [`00-${caller.trace}-${caller.span}-01`, true],
  [`00-${caller.trace}-${caller.span}-00`, false],
  [`cc-${caller.trace}-${caller.span}-01-later`, true],
  [`00-${caller.trace}-${caller.span}-01-more`, undefined],
  [`ff-${caller.trace}-${caller.span}-01`, undefined],
  [`00-${'0'.repeat(32)}-${caller.span}-01`, undefined],
  [`00-${caller.trace}-${'0'.repeat(16)}-01`, undefined],
  [`00-${caller.trace.toUpperCase()}-${caller.span}-01`, undefined],
  [`cc-${caller.trace}-${caller.span}-01-${'x'.repeat(10_000)}`, undefined],
  ['', undefined],
  [['two', 'of them'], undefined],
])('traceparent %s', (header, isSampled) => {
  expect(parseTraceparent(header)?.is_sampled).toBe(isSampled)
})
