// A file such as a backup is written under another name and gets its own when it is complete. A process that is killed leaves
// that draft behind; whoever writes into the same directory next removes it. A living process marks its draft every few
// seconds, wherever it runs, so what has not been marked for minutes is nobody's. The number of a process says less: after a
// restart of the machine another process has it. It only gives one that was paused for a while the time to go on.
import { randomBytes } from 'node:crypto'
import { link, lstat, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { hour, minute, second } from '../clock.ts'
import { reasonOf } from '../values/reason.ts'
import { userName } from '../values/user-name.ts'
import { BackupError } from './lines.ts'

/** Runs `write` on a draft, and gives it the name of the file when it is complete. An existing file stays unless it is replaced. */
export async function writeAsDraft<T>(
  file: string,
  isReplacing: boolean,
  write: (draft: string) => Promise<T>,
  /** What is done with the file that is about to be replaced. */
  beforeReplacing: (result: T) => Promise<void> = async () => undefined,
): Promise<T> {
  await requireFree(file, isReplacing)
  await removeAbandoned(dirname(file), /\.portico-(\d+)-[0-9a-f]{8}\.part$/)
  const draft = `${file}.portico-${process.pid}-${randomBytes(4).toString('hex')}.part`
  const stopMarking = keepMarked(draft)
  try {
    const result = await write(draft)
    await sync(draft, 'r+')
    if (isReplacing) {
      await beforeReplacing(result)
      await rename(draft, file)
    } else await linkInPlace(draft, file)
    await sync(dirname(file), 'r')
    return result
  } catch (error) {
    throw isAboutFile(error) ? await unwritable(file, error) : error
  } finally {
    stopMarking()
    // Where it cannot even be looked for, the failure before says more.
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

/** Run for a service, a command is another user than the one whose directory it was called in. */
async function unwritable(file: string, cause: Error): Promise<BackupError> {
  const isRefused = 'code' in cause && cause.code === 'EACCES'
  if (isRefused && !isAbsolute(file))
    return new BackupError(
      `Cannot write ${file} in ${process.cwd()}: permission denied. Use an absolute path that the user ${userName()} can write.`,
      { cause },
    )
  if ('code' in cause && cause.code === 'ENOENT') {
    const hasDirectory = (await stat(dirname(file)).catch(() => undefined)) !== undefined
    // A process that was paused for longer than others wait finds its draft gone when it goes on.
    return new BackupError(
      hasDirectory
        ? `${file} was not written: its temporary file was deleted before it was complete, by somebody or by another command while this process was paused. Run the command again.`
        : `${file} cannot be written: its directory does not exist. Create it, or name another one.`,
      { cause },
    )
  }
  return new BackupError(`${file} cannot be written: ${reasonOf(cause)}. No incomplete file is left.`, { cause })
}

/** Marks what belongs to this process, until the result is called. */
export function keepMarked(path: string): () => void {
  const marking = setInterval(() => {
    const now = new Date()
    // It may not be there yet, and a disk that cannot even do this fails the writing as well.
    utimes(path, now, now).catch(() => undefined)
  }, markedEveryMs)
  marking.unref()
  return () => clearInterval(marking)
}

/** Removes what processes that are gone have left in a directory. The names have the number of their process in them. */
export async function removeAbandoned(directory: string, names: RegExp): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const pid = Number(names.exec(name)?.[1])
    if (!pid) continue
    const path = join(directory, name)
    const found = await lstat(path).catch(() => undefined)
    if (!found?.isFile() && !found?.isDirectory()) continue
    // The times of files come from the machine's clock, so they are compared with it.
    // What belongs to another user stays, and is in nobody's way.
    // In containers every process has the same number: our own says nothing.
    const patienceMs = pid !== process.pid && isAlive(pid) ? pausedMs : abandonedAfterMs
    if (Date.now() - found.mtimeMs > patienceMs) await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** An error of a file, and not of the database that is read meanwhile. */
function isAboutFile(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && fileCalls.has(String(error.syscall))
}

const fileCalls = new Set(['open', 'write', 'writev', 'fsync', 'rename', 'link', 'close', 'stat'])

async function requireFree(file: string, isReplacing: boolean): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  // A device or a directory is never meant to become a backup.
  if (found && !found.isFile()) throw new BackupError(`${file} cannot be written: it is not a regular file.`)
  if (found && !isReplacing) throw alreadyThere(file)
}

/** Like a rename, but a file that appeared meanwhile stays. */
async function linkInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw alreadyThere(file)
    // Some file systems know no links.
    await requireFree(file, false)
    await rename(draft, file)
  }
}

function alreadyThere(file: string): BackupError {
  return new BackupError(`${file} already exists. Choose another name, or add --force to replace it.`)
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const markedEveryMs = 20 * second
const abandonedAfterMs = 5 * minute
/** Where a process with the number of the owner is there. */
const pausedMs = hour
