// The API as a developer's machine calls it: with a key, here or far away.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Option } from 'commander'
import { readConfig } from '../platform/config.ts'
import { apiUrl } from '../platform/context.ts'
import { CommandError } from './output.ts'
import { accessFileName, type DemoAccess } from './welcome.ts'

export interface ApiOptions {
  url?: string
  key?: string
}

/** Where the API is and with which key to call it; both may stand in the environment. */
export function apiOptions(): Option[] {
  return [
    new Option('--url <url>', 'the address of the API (default: the server of this machine)').env('PORTICO_URL'),
    new Option('--key <key>', 'an API key (default on this machine: the key of the demo Portal)').env(
      'PORTICO_API_KEY',
    ),
  ]
}

export type Call = (method: string, path: string, body?: unknown, ifMatch?: string) => Promise<Record<string, unknown>>

/** A request that failed. */
export class CallError extends CommandError {
  /** Whether the same request may succeed later, and after how many seconds. */
  readonly retrySeconds: number | undefined

  constructor(message: string, { retrySeconds, cause }: { retrySeconds?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.retrySeconds = retrySeconds
  }
}

export function callerOf(options: ApiOptions): Call {
  const base = baseOf(options)
  const key = options.key ?? demoKey(options)
  if (key === undefined)
    throw new CommandError(
      'An API key is required. Use --key or set PORTICO_API_KEY. To create a key: portico key create --portal ID --name NAME --grant all',
    )
  return async (method, path, body, ifMatch) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause) => {
      throw new CallError(`Cannot reach ${base}. Check --url, and that the server is running.`, {
        cause,
        retrySeconds: 1,
      })
    })
    return readAnswer(response, base)
  }
}

const timeoutMs = 30_000

async function readAnswer(response: Response, base: string): Promise<Record<string, unknown>> {
  const { status } = response
  let answer: Record<string, unknown>
  try {
    answer = JSON.parse(await response.text())
  } catch (cause) {
    const message = `${base} did not respond with JSON (status ${status}). Check that --url is the address of a Portico API.`
    throw new CallError(message, { cause, ...(status >= 500 && { retrySeconds: 1 }) })
  }
  if (response.ok) return answer
  const words = typeof answer.message === 'string' ? answer.message : 'No reason was given.'
  const advice = status === 401 ? ' Check --key and --url.' : ''
  const retrySeconds = answer.retryable === true ? Number(response.headers.get('retry-after') ?? 1) : undefined
  const message = `The API refused the request (status ${status}, ${answer.code}): ${words}${advice} Request-Id: ${answer.request_id}`
  throw new CallError(message, { ...(retrySeconds !== undefined && { retrySeconds }) })
}

/** The address below which paths stand: that of the server, with or without its version. */
function baseOf({ url }: ApiOptions): string {
  if (url === undefined) return apiUrl(readConfig(process.env), '/')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError('--url must be an http or https URL, such as http://127.0.0.1:8080.')
  return `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/`
}

/** The key of the demo Portal that was set up on this machine, if there is one. */
function demoKey({ url }: ApiOptions): string | undefined {
  if (url !== undefined) return undefined
  try {
    const access: DemoAccess = JSON.parse(readFileSync(join(readConfig(process.env).data_dir, accessFileName), 'utf8'))
    return access.key
  } catch {
    return undefined // no demo was set up here
  }
}
