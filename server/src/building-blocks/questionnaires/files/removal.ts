import { enqueue } from '../../../platform/background/jobs.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { longestUploadMs, uploadLifetimeMs } from '../../file-transfers/credentials.ts'
import { discardBytesJob } from './job-names.ts'
import { deleteFileRow, type FileRow, updateFile } from './queries.ts'

/** The Portal whose files they are, and the request that asks. */
type Owner = Pick<Caller, 'context' | 'portal_id' | 'request_id'>

/** Takes files out of their application. What was submitted is kept for its submission; of the rest the bytes go too. */
export async function removeFiles(tx: Tx, owner: Owner, files: readonly FileRow[]): Promise<void> {
  const { context, portal_id } = owner
  const now = isoTime(context.clock.now())
  for (const file of files) {
    if (file.is_submitted) {
      await updateFile(tx, portal_id, file, { state: 'removed', updated_at: now })
      continue
    }
    await deleteFileRow(tx, portal_id, file.id)
    await discardBytes(tx, owner, file.id)
  }
}

/** Removes what nobody needs any more. A store of its own may still receive an upload while a presigned request is valid. */
export async function discardBytes(tx: Tx, { context, portal_id, request_id }: Owner, file_id: string): Promise<void> {
  const job = { portal_id, kind: discardBytesJob, payload: { file_id }, request_id }
  await enqueue(tx, context, job)
  const after_ms = uploadLifetimeMs + longestUploadMs
  if (context.files.direct) await enqueue(tx, context, { ...job, after_ms })
}
