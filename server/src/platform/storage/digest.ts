import { createHash } from 'node:crypto'
import type { FileStore } from './file-store.ts'

/** The SHA-256 of what is kept under a key, in hex, by reading all of it. */
export async function digestOf(store: FileStore, key: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of await store.open(key)) digest.update(chunk)
  return digest.digest('hex')
}
