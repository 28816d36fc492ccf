import { createDiskStore } from './disk-store.ts'
import type { FileStore } from './file-store.ts'
import type { FilesSettings } from './files-url.ts'
import { createS3Store } from './s3-store.ts'
import { timed } from './timed-store.ts'

export function openStore(settings: FilesSettings): FileStore {
  return timed(settings.kind === 'disk' ? createDiskStore(settings.directory) : createS3Store(settings))
}
