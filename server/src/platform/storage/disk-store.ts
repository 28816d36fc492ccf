// Files in a directory: `<directory>/ptl_…/fil_…`, and `<directory>/incoming/` for what is still arriving.
// An upload is written to incoming/ under a name of its own, and keeping it is: fsync of the file, rename, fsync of the
// directory. So a key shows a whole file or none, after a crash too; what a crash leaves in incoming/ is swept later.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { type FileHandle, lstat, open, opendir, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { finished, type Readable, Writable } from 'node:stream'
import { idPattern } from '../values/ids.ts'
import { reasonOf } from '../values/reason.ts'
import { UnexpectedBytes } from './checked-stream.ts'
import { isFullDisk, makeDirectories } from './directories.ts'
import {
  type Incoming,
  isKey,
  NothingKept,
  requireKey,
  requireRange,
  type Store,
  StoreUnavailable,
  TooManyBytes,
} from './file-store.ts'

export function createDiskStore(directory: string): Store {
  const root = resolve(directory)
  const incoming = join(root, 'incoming')
  const pathOf = (key: string): string => {
    requireKey(key)
    return join(root, key)
  }
  return {
    direct: undefined,
    receiver: {
      async receive(bytes, expectedBytes) {
        // A stream may break before we listen to it below; finished() is told of that too.
        bytes.on('error', () => undefined)
        const path = join(incoming, randomUUID())
        const handle = await orUnavailable(async () => {
          await makeDirectory(incoming)
          return open(path, 'wx+', 0o600)
        })
        try {
          const hash = createHash('sha256')
          const size_bytes = await write(bytes, handle, hash, expectedBytes)
          return arrived({ path, handle, pathOf, size_bytes, sha256: hash.digest('hex') })
        } catch (error) {
          await handle.close()
          await unlinkIfThere(path)
          throw error
        }
      },
      async sweep(olderThanMs) {
        await orUnavailable(async () => {
          for (const name of (await readdir(incoming).catch(unlessAbsent)) ?? []) {
            const path = join(incoming, name)
            const found = await stat(path).catch(unlessAbsent)
            // The times of files come from the machine's clock, so they are compared with it.
            if (found && Date.now() - found.mtimeMs >= olderThanMs) await unlinkIfThere(path)
          }
        })
      },
    },
    async open(key, range) {
      const path = pathOf(key)
      requireRange(range)
      return orUnavailable(async () => {
        const handle = await open(path, 'r').catch((error) => {
          throw codeOf(error) === 'ENOENT' ? new NothingKept(key) : error
        })
        try {
          const { size } = await handle.stat()
          if (range && range.start >= size)
            throw new RangeError(`The range must start before byte ${size}, the end of the file.`)
          return handle.createReadStream({ ...range, highWaterMark: bufferedBytes })
        } catch (error) {
          await handle.close()
          throw error
        }
      })
    },
    async stat(key) {
      const path = pathOf(key)
      return orUnavailable(async () => {
        const found = await stat(path, { bigint: true }).catch(unlessAbsent)
        // Nobody can write a file without moving the time of its change, which cannot be set like the others.
        const version = found && [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
        return found && version !== undefined ? { size_bytes: Number(found.size), version } : undefined
      })
    },
    async put(key, { size_bytes, sha256 }, bytes) {
      const arriving = await this.receiver?.receive(bytes, size_bytes)
      if (!arriving) return
      try {
        if (arriving.size_bytes !== size_bytes || arriving.sha256 !== sha256)
          throw new UnexpectedBytes(`The bytes for ${key} do not match its SHA-256.`)
        await arriving.keep(key)
      } finally {
        await arriving.discard()
      }
    },
    async remove(key) {
      const path = pathOf(key)
      await orUnavailable(async () => {
        if (await unlinkIfThere(path)) await syncDirectory(dirname(path))
      })
    },
    async *list() {
      for await (const folder of entriesOf(root)) {
        // Whatever else stands here, such as lost+found, may not even be opened by us.
        if (!folder.isDirectory() || !portalPattern.test(folder.name)) continue
        for await (const file of entriesOf(join(root, folder.name))) {
          const key = `${folder.name}/${file.name}`
          if (!file.isFile() || !isKey(key)) continue
          const found = await orUnavailable(() => lstat(join(root, key)).catch(unlessAbsent))
          if (found) yield { key, is_upload: false, modified_at: found.mtimeMs }
        }
      }
    },
    async check() {
      await orUnavailable(async () => {
        // Only a write shows it: a full or read-only disk still answers other calls.
        await makeDirectory(incoming)
        const path = join(incoming, randomUUID())
        const handle = await open(path, 'wx', 0o600)
        try {
          await handle.write('x')
        } finally {
          await handle.close()
          await unlinkIfThere(path)
        }
      })
    },
    async examine() {
      await this.check()
      return [{ outcome: 'ok', message: 'Files can be written and deleted.' }]
    },
    // Nothing is held between calls.
    close: () => Promise.resolve(),
  }
}

/** What may wait in memory for the disk, per upload. */
const bufferedBytes = 256 * 1024

/** The number of bytes written. Chunks go to the disk as they come, several at once when the disk is the slower side. */
function write(bytes: Readable, handle: FileHandle, hash: Hash, expectedBytes: number): Promise<number> {
  let size = 0
  let taking: Promise<void> = Promise.resolve()
  const take = async (chunks: readonly Buffer[]): Promise<void> => {
    let length = 0
    for (const chunk of chunks) length += chunk.length
    size += length
    if (size > expectedBytes) throw new TooManyBytes(expectedBytes)
    const writing = handle.writev(chunks)
    // The disk works while we hash.
    for (const chunk of chunks) hash.update(chunk)
    const { bytesWritten } = await writing
    // A disk that is nearly full takes a part first; the rest brings out its error.
    if (bytesWritten < length) await handle.writeFile(Buffer.concat(chunks).subarray(bytesWritten))
  }
  const takeAll = (chunks: readonly Buffer[], done: (error?: Error) => void): void => {
    taking = orUnavailable(() => take(chunks))
    taking.then(() => done(), done)
  }
  const sink = new Writable({
    highWaterMark: bufferedBytes,
    write: (chunk: Buffer, _encoding, done) => takeAll([chunk], done),
    writev: (items, done) =>
      takeAll(
        items.map(({ chunk }) => chunk),
        done,
      ),
    // The file must not be closed under a write: its number may already be another file's.
    destroy: (error, done) => void taking.catch(() => undefined).then(() => done(error)),
  })
  return new Promise((resolve, reject) => {
    finished(sink, (error) => (error ? reject(error) : resolve(size)))
    // Not pipeline(): that would destroy the request, which is still to be answered.
    finished(bytes, { writable: false }, (error) => error && sink.destroy(error))
    bytes.pipe(sink)
  })
}

function arrived(file: {
  path: string
  handle: FileHandle
  pathOf: (key: string) => string
  size_bytes: number
  sha256: string
}): Incoming {
  const { path, handle, size_bytes, sha256 } = file
  let isOver = false
  return {
    size_bytes,
    sha256,
    read: (offset, length) =>
      orUnavailable(async () => {
        const buffer = Buffer.alloc(Math.max(0, Math.min(length, size_bytes - offset)))
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset)
        return buffer.subarray(0, bytesRead)
      }),
    async keep(key) {
      const target = file.pathOf(key)
      await orUnavailable(async () => {
        await handle.sync()
        await makeDirectory(dirname(target))
        await rename(path, target)
        isOver = true
        await handle.close()
        await syncDirectory(dirname(target))
      })
    },
    async discard() {
      if (isOver) return
      isOver = true
      await orUnavailable(async () => {
        await handle.close()
        await unlinkIfThere(path)
      })
    },
  }
}

const portalPattern = new RegExp(idPattern('ptl'))

/** A few at a time, however many there are; none where there is no such directory. */
async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  const directory = await orUnavailable(() => opendir(path).catch(unlessAbsent))
  if (!directory) return
  try {
    for (;;) {
      const entry = await orUnavailable(() => directory.read())
      if (!entry) return
      yield entry
    }
  } finally {
    await directory.close()
  }
}

/** Made with all that is missing above it, and none of it lost with the power. */
async function makeDirectory(path: string): Promise<void> {
  if (await stat(path).catch(unlessAbsent)) return
  const first = makeDirectories(path)
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function unlinkIfThere(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error) => unlessAbsent(error) ?? false,
  )
}

function unlessAbsent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** What the operating system says becomes StoreUnavailable; everything else stays what it is. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error) || !('errno' in error)) throw error
    const message = isFullDisk(error)
      ? 'The disk with the file directory is full. Free some space or enlarge the disk.'
      : `The file directory cannot be used: ${reasonOf(error)}.`
    throw new StoreUnavailable(message, { cause: error })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
