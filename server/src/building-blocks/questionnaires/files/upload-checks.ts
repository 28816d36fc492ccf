// Nobody tells us when bytes arrive at a store of its own, so we look: after 1, 2, 4 … seconds at first, then every
// minute, as long as an upload may still come.

import { enqueue } from '../../../platform/background/jobs.ts'
import { hour, minute, second } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { longestUploadMs, uploadLifetimeMs } from '../../file-transfers/credentials.ts'
import { checkUploadJob } from './job-names.ts'

type Looker = Pick<Caller, 'context' | 'portal_id' | 'request_id'>

interface UploadLook {
  file_id: string
  /** How many looks there were. */
  look: number
  until: number
}

/** For a file that was just declared. */
export async function lookForFirstUpload(tx: Tx, looker: Looker, file_id: string): Promise<void> {
  await lookAgain(tx, looker, { file_id, look: 0, until: uploadsUntil(looker) })
}

/** For a further credential: every minute at once. */
export async function lookForFurtherUpload(tx: Tx, looker: Looker, file_id: string): Promise<void> {
  await lookAgain(tx, looker, { file_id, look: oftenAtFirst, until: uploadsUntil(looker) })
}

export async function lookAgain(
  tx: Tx,
  { context, portal_id, request_id }: Looker,
  { file_id, look, until }: UploadLook,
): Promise<void> {
  const after_ms = Math.min(60, 2 ** look) * second
  const run_at = context.clock.now() + after_ms
  if (run_at > until) return
  const job = { portal_id, kind: checkUploadJob, payload: { file_id, look: look + 1, until }, request_id, after_ms }
  // Several credentials of one file are looked for together: once a minute, however many there are.
  const unique_key = `${checkUploadJob} ${file_id} ${Math.floor(run_at / minute)} ${Math.floor(until / hour)}`
  await enqueue(tx, context, look < oftenAtFirst ? job : { ...job, unique_key })
}

/** A store checks a credential when an upload begins; the upload then takes its time. */
function uploadsUntil({ context }: Looker): number {
  return context.clock.now() + uploadLifetimeMs + longestUploadMs
}

const oftenAtFirst = 6
