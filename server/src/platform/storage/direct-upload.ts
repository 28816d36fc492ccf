import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { DirectTransfers } from './file-store.ts'
import { readUpTo } from './s3-client.ts'

/**
 * Sends bytes to where an upload goes, as a client would. `fetch` says by itself how many they are: where another version
 * of its library is loaded beside it, it refuses to send what is said twice.
 */
export function uploadDirectly(
  { method, url, headers }: ReturnType<DirectTransfers['upload']>,
  bytes: Buffer,
  timeoutMs: number,
): Promise<Response> {
  const { 'content-length': _length, ...others } = headers
  return fetch(url, { method, headers: others, body: new Uint8Array(bytes), signal: AbortSignal.timeout(timeoutMs) })
}

/** What a store answers to a client, as text; no more of it than such an answer has, whatever the store sends. */
export async function readAnswer({ body }: Response, timeoutMs: number): Promise<string> {
  if (!body) return ''
  // safe because both describe the one stream of Node
  const bytes = Readable.fromWeb(body as ReadableStream)
  const { text, failure } = await readUpTo(bytes, { bytes: mostAnswerBytes, ms: timeoutMs })
  if (failure) throw failure
  return text
}

const mostAnswerBytes = 64 * 1024
