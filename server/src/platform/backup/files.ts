// The files in a backup: read from the store piece by piece, and written back the same way. What is not as it should be is
// marked in the backup and not restored.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { digestOf } from '../storage/digest.ts'
import { type FileStore, NothingKept } from '../storage/file-store.ts'
import { type FileEnd, type KeptFile, type Line, line, readLines } from './lines.ts'

/** The lines of one file. The result is what became of it. Rows go before their files: who finds neither has lost nothing. */
export async function* linesOfFile(
  store: FileStore,
  file: KeptFile,
  isKept: (key: string) => Promise<boolean>,
): AsyncGenerator<string, FileEnd> {
  yield line({ file })
  let end: FileEnd = 'missing'
  try {
    const digest = createHash('sha256')
    for await (const chunk of await store.open(file.key)) {
      digest.update(chunk)
      yield line({ bytes: Buffer.from(chunk).toString('base64') })
    }
    end = digest.digest('hex') === file.sha256 ? 'whole' : 'damaged'
  } catch (error) {
    if (!(error instanceof NothingKept)) throw error
    if (!(await isKept(file.key))) end = 'removed'
  }
  yield line({ file_end: end })
  return end
}

/** Writes the files of a backup to the store, as many as are whole. Those that the store has already stay as they are. */
export async function restoreFiles(
  store: FileStore,
  file: string,
  isWhole: (key: string) => boolean,
  progress: (done: number) => void,
): Promise<void> {
  const lines = readLines(file)
  let done = 0
  for await (const { entry } of lines) {
    if (!('file' in entry) || !isWhole(entry.file.key)) continue
    const { key, sha256 } = entry.file
    const isThere = (await store.stat(key)) !== undefined && (await digestOf(store, key)) === sha256
    if (!isThere) await store.put(key, entry.file, Readable.from(bytesOfFile(lines)))
    progress(++done)
  }
}

async function* bytesOfFile(lines: AsyncIterator<{ entry: Line }>): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done || !('bytes' in value.entry)) return
    yield Buffer.from(value.entry.bytes, 'base64')
  }
}
