// A download never completes with bytes whose digest is not the declared one, whatever happened to the file since.
// Whole: hashed on the way, the last piece held back until the digest fits; a file of one piece is checked before its
// first byte. A range: the whole file is hashed first, once for each version of it, and a range that was read while the
// file changed breaks off. Size and presence are checked before the first byte either way.
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { checkedStream, UnexpectedBytes } from '../../platform/storage/checked-stream.ts'
import { digestOf } from '../../platform/storage/digest.ts'
import { type ByteRange, type FileStore, NothingKept } from '../../platform/storage/file-store.ts'

interface DeclaredBytes {
  size_bytes: number
  sha256: string
}

export interface CheckedDownloads {
  /** Throws NothingKept or UnexpectedBytes when the file is missing or has another size; returns its version. */
  require(store: FileStore, key: string, declared: DeclaredBytes): Promise<string>
  /** The stream has its first bytes when this returns, and ends with an error if they were not the declared ones. */
  open(store: FileStore, key: string, declared: DeclaredBytes, range: ByteRange | undefined): Promise<Readable>
}

export function createCheckedDownloads(): CheckedDownloads {
  // The version of a file that was found right, or is being read; ranges of one file come many in a row.
  const verified = new Map<string, { version: string; result: Promise<void> }>()

  async function require(store: FileStore, key: string, { size_bytes }: DeclaredBytes): Promise<string> {
    const kept = await store.stat(key)
    if (!kept) throw new NothingKept(key)
    if (kept.size_bytes !== size_bytes)
      throw new UnexpectedBytes(`${key} has ${kept.size_bytes} bytes in the file store instead of ${size_bytes}.`)
    return kept.version
  }

  function verify(store: FileStore, key: string, { sha256 }: DeclaredBytes, version: string): Promise<void> {
    const known = verified.get(key)
    if (known?.version === version) return known.result
    const result = digestOf(store, key).then((digest) => {
      if (digest !== sha256)
        throw new UnexpectedBytes(`${key} has a different SHA-256 in the file store than declared.`)
    })
    verified.set(key, { version, result })
    const forget = () => verified.get(key)?.result === result && verified.delete(key)
    result.catch(forget)
    for (const oldest of verified.keys()) {
      if (verified.size <= maximumRemembered) break
      verified.delete(oldest)
    }
    return result
  }

  return {
    require,
    async open(store, key, declared, range) {
      const version = await require(store, key, declared)
      if (range === undefined) return begun(checkedStream(await store.open(key), declared))
      await verify(store, key, declared, version)
      const size_bytes = range.end - range.start + 1
      const requireUnchanged = async () => {
        if ((await require(store, key, declared)) !== version)
          throw new UnexpectedBytes(`${key} was changed in the file store while it was read.`)
      }
      return begun(checkedStream(await store.open(key, range), { size_bytes }, requireUnchanged))
    },
  }
}

const maximumRemembered = 10_000

/** Waits for the first bytes, so that what is wrong until then is answered with an error and not with a broken 200. */
async function begun(bytes: Readable): Promise<Readable> {
  await once(bytes, 'readable')
  return bytes
}
