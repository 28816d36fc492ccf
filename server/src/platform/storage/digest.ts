import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import type { FileStore } from './file-store.ts'

/** The SHA-256 of what is kept under a key, in hex, by reading all of it. */
export async function digestOf(store: Pick<FileStore, 'open'>, key: string, signal?: AbortSignal): Promise<string> {
  const digest = createHash('sha256')
  const bytes = await store.open(key)
  for await (const chunk of signal ? addAbortSignal(signal, bytes) : bytes) digest.update(chunk)
  return digest.digest('hex')
}
