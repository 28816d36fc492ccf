import type { DirectTransfers } from './file-store.ts'

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
