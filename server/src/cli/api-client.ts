// The API as a developer's machine calls it: with a key, here or far away.
import { randomUUID } from 'node:crypto'
import { Option } from 'commander'
import { CommandError } from './output.ts'

export interface ApiOptions {
  api: string
  key?: string
}

/** Where the API is and with which key to call it; both may stand in the environment. */
export function apiOptions(): Option[] {
  return [
    new Option('--api <url>', 'the address of the API').env('PORTICO_API_URL').default('http://127.0.0.1:8080/v1/'),
    new Option('--key <key>', 'an API key of the Portal').env('PORTICO_API_KEY'),
  ]
}

export type Call = (method: string, path: string, body?: unknown, ifMatch?: string) => Promise<Record<string, unknown>>

export function callerOf({ api, key }: ApiOptions): Call {
  if (key === undefined)
    throw new CommandError(
      'An API key is required. Set PORTICO_API_KEY, or use --key. Create one with: portico key create',
    )
  const base = api.endsWith('/') ? api : `${api}/`
  return async (method, path, body, ifMatch) => {
    const response = await fetch(path.startsWith('http') ? path : base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      throw new CommandError(`Cannot reach ${base}. Check --api, and that the server is running.`, { cause })
    })
    const text = await response.text()
    let answer: Record<string, unknown>
    try {
      answer = JSON.parse(text)
    } catch {
      throw new CommandError(`${base} did not answer with JSON (status ${response.status}). Check --api.`)
    }
    if (!response.ok)
      throw new CommandError(`${method} ${path} failed with status ${response.status}: ${answer.message}`)
    return answer
  }
}
