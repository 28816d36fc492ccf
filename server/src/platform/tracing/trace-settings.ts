// Traces are set up by the variables that OpenTelemetry defines for every program. What this one cannot do is refused
// at the start rather than ignored.

export interface TraceSettings {
  /** Where spans are sent, the path included. */
  url: string
  headers: Readonly<Record<string, string>>
  timeout_ms: number
  resource: Readonly<Record<string, string>>
  sampler: Sampler
}

export interface Sampler {
  /** Of traces that begin here, from 0 to 1. */
  ratio: number
  /** Whether the decision of whoever called us counts. */
  isParentBased: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Undefined when traces are off. Throws a sentence about a value that cannot be used. */
export function readTraceSettings(environment: Environment): TraceSettings | undefined {
  const { OTEL_SDK_DISABLED = '', OTEL_TRACES_EXPORTER: exporter = 'otlp' } = environment
  if (OTEL_SDK_DISABLED.toLowerCase() === 'true' || exporter === 'none') return undefined
  if (exporter !== 'otlp') throw new Error(`needs OTEL_TRACES_EXPORTER to be otlp or none, not "${exporter}"`)
  const protocol =
    environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json'
  if (protocol !== 'http/json') throw new Error(`needs OTEL_EXPORTER_OTLP_PROTOCOL to be http/json, not "${protocol}"`)
  const timeout = environment.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || environment.OTEL_EXPORTER_OTLP_TIMEOUT || '10000'
  if (!/^\d{1,6}$/.test(timeout) || Number(timeout) === 0)
    throw new Error(`needs OTEL_EXPORTER_OTLP_TIMEOUT to be milliseconds, not "${timeout}"`)
  return {
    url: urlOf(environment),
    headers: {
      ...pairsOf('OTEL_EXPORTER_OTLP_HEADERS', environment),
      ...pairsOf('OTEL_EXPORTER_OTLP_TRACES_HEADERS', environment),
    },
    timeout_ms: Number(timeout),
    resource: {
      'service.name': 'portico',
      ...pairsOf('OTEL_RESOURCE_ATTRIBUTES', environment),
      ...(environment.OTEL_SERVICE_NAME && { 'service.name': environment.OTEL_SERVICE_NAME }),
    },
    sampler: samplerOf(environment),
  }
}

function urlOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: shared = '' }: Environment) {
  const url = URL.canParse(own || shared) ? new URL(own || shared) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new Error('must be an http or https URL')
  // Of the address that all kinds of telemetry share, traces have a path of their own.
  if (!own) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url.href
}

/** `name=value,name=value`, percent-encoded. */
function pairsOf(variable: string, environment: Environment): Record<string, string> {
  const entries = (environment[variable] ?? '').split(',').filter((entry) => entry.trim() !== '')
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=')
      try {
        if (at > 0)
          return [decodeURIComponent(entry.slice(0, at).trim()), decodeURIComponent(entry.slice(at + 1).trim())]
      } catch {
        // Said below.
      }
      // Never the value: it may be a password.
      throw new Error(`needs ${variable} to be a list such as name=value,name=value`)
    }),
  )
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Environment): Sampler {
  const [, parentBased, kind] =
    /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name || 'parentbased_always_on') ?? []
  if (kind === undefined)
    throw new Error(
      `needs OTEL_TRACES_SAMPLER to be always_on, always_off or traceidratio, with or without parentbased_ before it, not "${name}"`,
    )
  const given = Number(ratio || '1')
  if (kind === 'traceidratio' && !(given >= 0 && given <= 1))
    throw new Error(`needs OTEL_TRACES_SAMPLER_ARG to be a number from 0 to 1, not "${ratio}"`)
  const ratios = { always_on: 1, always_off: 0, traceidratio: given }
  // safe because the pattern lets no other names through
  return { ratio: ratios[kind as keyof typeof ratios], isParentBased: parentBased !== undefined }
}
