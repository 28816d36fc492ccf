import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { Config } from '../platform/config.ts'
import { directoryAdvice, makeDirectories } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError } from './output.ts'

/** One server per data directory. The operating system releases the lock when the process ends, even after a crash. */
export function lockDataDirectory({ data_dir }: Pick<Config, 'data_dir'>): () => void {
  let lock: InstanceType<typeof DatabaseSync> | undefined
  try {
    makeDirectories(data_dir)
    lock = new DatabaseSync(join(data_dir, 'server.lock'), { timeout: 0 })
    lock.exec('begin exclusive')
  } catch (error) {
    lock?.close()
    const reason = reasonOf(error)
    if (/locked/.test(reason))
      throw new CommandError(
        `Another server is already using the data directory ${data_dir}. Stop it, or set PORTICO_DATA_DIR to a different directory.`,
      )
    throw new CommandError(
      `The data directory ${data_dir} cannot be used: ${reason}. ${directoryAdvice(error, 'PORTICO_DATA_DIR')}`,
    )
  }
  const held = lock
  return () => held.close()
}
