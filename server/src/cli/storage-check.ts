// Where data and files are kept: whether this user can write there, and how much room is left.
import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { latestFiles } from '../building-blocks/questionnaires/files/queries.ts'
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { redactSecrets } from '../platform/logging.ts'
import { isFullDisk } from '../platform/storage/directories.ts'
import type { StoreFinding } from '../platform/storage/file-store.ts'
import { openStore } from '../platform/storage/open-store.ts'
import { newId } from '../platform/values/ids.ts'
import { directoryProblem, roomFor } from './directory-check.ts'
import { CommandError } from './output.ts'
import { secretKeyFile } from './secret-key.ts'

export type Add = (check: string, outcome: StoreFinding['outcome'], message: string) => void

export function examineDataDirectory(config: Config, add: Add): void {
  const { data_dir } = config
  const problem = directoryProblem(data_dir, 'PORTICO_DATA_DIR')
  if (problem !== undefined) {
    add('data directory', 'problem', problem)
    return
  }
  if (!existsSync(data_dir)) {
    add('data directory', 'ok', `${data_dir} does not exist yet; it is created when needed`)
    return
  }
  const { room, isLittle } = roomFor(data_dir)
  if (isLittle) add('data directory', 'warning', `${data_dir} has only ${room}. ${howToMakeRoom}`)
  else add('data directory', 'ok', `${data_dir}, ${room}`)
  const keyFile = secretKeyFile(config)
  if (!config.secret_key && existsSync(keyFile) && (statSync(keyFile).mode & 0o077) !== 0)
    add('secret key', 'warning', `Other users can read ${keyFile}. Run: chmod 600 ${keyFile}`)
}

/** Independent of the database, so that the store is examined before the first start too. */
export async function examineFileStore(config: Config, add: Add): Promise<void> {
  const { files } = config
  if (files.kind === 'disk' && !existsSync(files.directory)) {
    const problem = directoryProblem(files.directory, 'PORTICO_FILES_URL')
    if (problem !== undefined) add('file store', 'problem', problem)
    else add('file store', 'ok', `${files.directory} does not exist yet; it is created when needed`)
    return
  }
  const store = openStore(files)
  try {
    for (const { outcome, message } of await store.examine()) add('file store', outcome, redactSecrets(message))
  } catch (error) {
    add('file store', 'problem', error instanceof Error ? redactSecrets(error.message) : String(error))
    return
  } finally {
    await store.close()
  }
  if (files.kind !== 'disk' || isOnDataDisk(files.directory, config)) return
  const { room, isLittle } = roomFor(files.directory)
  if (isLittle) add('file store', 'warning', `${files.directory} has only ${room}. ${howToMakeRoom}`)
}

/**
 * Says in the log if this process cannot store files: a service may be kept from a directory that `portico doctor`, which
 * nothing confines, can write to. It serves all the same, and nobody waits for it: a network file system may hang.
 */
export async function reportFileDirectory(context: Context): Promise<void> {
  const { config, files, log } = context
  const lost = await lostFiles(context).catch(() => undefined)
  if (lost !== undefined) log.error(lost)
  if (config.files.kind !== 'disk') return
  const { directory } = config.files
  await files.check().catch((error: Error) => {
    const advice = isFullDisk(error.cause)
      ? ''
      : ' Make the directory writable for the user of this process; in a systemd unit, add it to ReadWritePaths=.'
    log.error({ directory }, `this process cannot store or delete files. ${error.message}${advice}`)
  })
}

/**
 * A sentence when the store has none of the files that were stored last: a volume that is not mounted, or another bucket,
 * would otherwise take new files as if nothing were wrong.
 */
export async function lostFiles({ database, files, config }: Context): Promise<string | undefined> {
  const latest = await latestFiles(database.read)
  for (const { portal_id, id } of latest) if ((await files.stat(fileKey(portal_id, id))) !== undefined) return undefined
  if (latest.length === 0) return undefined
  const place = config.files.kind === 'disk' ? config.files.directory : 'The bucket'
  const advice =
    config.files.kind === 'disk'
      ? `Is its volume mounted? To check, run: findmnt --target ${place}`
      : 'Is it the right one? See PORTICO_FILES_URL.'
  return `${place} has none of the files that were stored last. Files that are uploaded now are stored beside the others. ${advice}`
}

/** Throws a sentence where files cannot be stored. What it writes is removed again. */
export async function requireFileStore({ files }: Config): Promise<void> {
  if (files.kind === 'disk') {
    const problem = directoryProblem(files.directory, 'PORTICO_FILES_URL')
    if (problem !== undefined) throw new CommandError(problem)
    return
  }
  const store = openStore(files)
  const key = `${newId('ptl')}/${newId('fil')}`
  const bytes = Buffer.from('A test file of portico restore.\n')
  const file = { content_type: 'text/plain', size_bytes: bytes.length, sha256: hash('sha256', bytes) }
  try {
    await store.check()
    await store.put(key, file, Readable.from([bytes])).finally(() => store.remove(key).catch(() => undefined))
  } finally {
    await store.close()
  }
}

/** The room of this disk is reported for the data directory. */
function isOnDataDisk(path: string, { data_dir }: Config): boolean {
  return existsSync(data_dir) && statSync(data_dir).dev === statSync(path).dev
}

const howToMakeRoom = 'Free some space or enlarge the disk.'
