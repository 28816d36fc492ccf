// Background work on the bytes of files: scanning, finding direct uploads, deleting.

import { portalIds } from '../../../platform/background/housekeeping.ts'
import { enqueue, type JobDefinition, type RunningJob } from '../../../platform/background/jobs.ts'
import { attemptSeparately } from '../../../platform/background/separate-attempts.ts'
import { day, hour, isoTime, minute, second } from '../../../platform/clock.ts'
import type { Caller, Context } from '../../../platform/context.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { ScannerAway, TooLargeToScan } from '../../../platform/storage/clamav.ts'
import { contentProblem } from '../../../platform/storage/content-sniffing.ts'
import { StoreUnavailable } from '../../../platform/storage/file-store.ts'
import { fileKey } from '../../file-transfers/transfer-requests.ts'
import type { ApplicationKind } from '../application-kind.ts'
import { acceptFile, completeUpload, expireUpload, findHeldFile, rejectFile } from './commands.ts'
import { checkUploadJob, discardBytesJob, scanJob } from './job-names.ts'
import { type FileRow, findFile, hasLivingFile, listForgottenUploads } from './queries.ts'
import { discardBytes } from './removal.ts'
import { lookAgain } from './upload-checks.ts'

export function fileJobs(kinds: readonly ApplicationKind[]): JobDefinition[] {
  return [
    { kind: scanJob, ...tireless, run: (context, job) => scan(context, kinds, job) },
    { kind: checkUploadJob, ...tireless, run: (context, job) => checkUpload(context, kinds, job) },
    { kind: discardBytesJob, ...tireless, run: discard },
    {
      kind: 'files.expire_uploads',
      every_ms: hour,
      needs_clock: true,
      timeout_ms: 4 * minute,
      run: (context, { signal }) => expireForgotten(context, kinds, signal),
    },
    {
      kind: 'files.sweep',
      every_ms: hour,
      needs_clock: true,
      // What a process left half written when it died; an upload never takes as long as this.
      run: async (context) => context.files.receiver?.sweep(2 * hour),
    },
  ]
}

/**
 * A client waits for the result: what fails while the store is away is tried again within about a minute, for weeks. A
 * store that hangs would hold a place for half a minute each time, so each of these kinds gets a quarter of the places.
 */
const tireless = {
  timeout_ms: 4 * minute,
  waits_ms: [5, 10, 20, 40, 60].map((seconds) => seconds * second),
  maximum_attempts: (30 * day) / minute,
  most_at_once: 4,
}

/** Removes the upload, which nobody needs once it was judged, and the bytes themselves unless a file has them. */
async function discard(context: Context, { portal_id, payload }: RunningJob): Promise<void> {
  const id = String(payload.file_id)
  const key = fileKey(portal_id, id)
  await context.files.direct?.removeUpload(key)
  if (!(await hasLivingFile(context.database.read, portal_id, id))) await context.files.remove(key)
}

async function scan(context: Context, kinds: readonly ApplicationKind[], job: RunningJob): Promise<void> {
  const file = await fileOf(context, job)
  if (file?.state !== 'scanning') return
  const verdict = await verdictOf(context, job, file)
  if (verdict === 'later') {
    const { portal_id, payload, request_id } = job
    const again = { portal_id, kind: scanJob, payload: { ...payload }, request_id, after_ms: 30 * second }
    return context.database.transaction((tx) => enqueue(tx, context, again))
  }
  await decide(context, kinds, job, async (tx, caller, kind, current) => {
    if (current.state !== 'scanning') return
    if (verdict === 'clean') await acceptFile(tx, caller, kind, current)
    else {
      await rejectFile(tx, caller, kind, current, verdict)
      await discardBytes(tx, caller, file.id)
    }
  })
}

async function verdictOf(
  { files, scanner, log }: Context,
  { portal_id, signal }: RunningJob,
  file: FileRow,
): Promise<'clean' | 'later' | { code: string; message: string }> {
  // The operator has switched scanning off since.
  if (!scanner) return 'clean'
  try {
    const result = await scanner.scan(await files.open(fileKey(portal_id, file.id)), signal)
    if (result.verdict === 'clean') return 'clean'
    return { code: 'infected', message: `The virus scanner detected ${result.signature}.` }
  } catch (error) {
    if (error instanceof TooLargeToScan)
      return { code: 'not_scannable', message: 'The file is too large for the virus scanner.' }
    if (!(error instanceof ScannerAway || error instanceof StoreUnavailable)) throw error
    const what = error instanceof ScannerAway ? 'the virus scanner' : 'the file store'
    log.warn(
      { err: error, file_id: file.id },
      `${what} is not available; the file cannot be downloaded until it is scanned`,
    )
    return 'later'
  }
}

/** A direct upload is seen when we look: often at first, then every minute, while its credential is good. */
async function checkUpload(context: Context, kinds: readonly ApplicationKind[], job: RunningJob): Promise<void> {
  const { portal_id, payload, request_id, signal } = job
  const file = await fileOf(context, job)
  const { direct } = context.files
  if (file?.state !== 'awaiting_upload' || !direct) return
  const key = fileKey(portal_id, file.id)
  const outcome = await direct.settle(key, file, signal)
  if (outcome === 'absent') {
    const next = { file_id: file.id, look: Number(payload.look), until: Number(payload.until) }
    return context.database.transaction((tx) => lookAgain(tx, { context, portal_id, request_id }, next))
  }
  // Only what is settled is looked at: the upload itself may be replaced at any time.
  const problem =
    outcome === 'different'
      ? { code: 'checksum_mismatch', message: 'The uploaded bytes do not match the declared size and SHA-256.' }
      : await contentProblem(file.content_type, file.size_bytes, (offset, length) =>
          readPart(context, key, offset, length, file.size_bytes),
        ).then((message) => (message === undefined ? undefined : { code: 'content_mismatch', message }))
  await decide(context, kinds, job, async (tx, caller, kind, current) => {
    if (current.state !== 'awaiting_upload') return
    if (problem) await rejectFile(tx, caller, kind, current, problem)
    else await completeUpload(tx, caller, kind, current)
    await discardBytes(tx, caller, file.id)
  })
  // It was erased meanwhile, and its bytes have just been settled.
  if (!(await fileOf(context, job))) await discard(context, job)
}

async function expireForgotten(
  context: Context,
  kinds: readonly ApplicationKind[],
  signal: AbortSignal,
): Promise<void> {
  const before = isoTime(context.clock.expiry() - day)
  const each = attemptSeparately(context, signal)
  // A batch of each Portal, and again of those with more, so that a Portal with many does not hold up the others.
  let waiting: { portal_id: string; after?: FileRow }[] = (await portalIds(context)).map((portal_id) => ({ portal_id }))
  while (waiting.length > 0 && !signal.aborted) {
    const more: typeof waiting = []
    for (const { portal_id, after } of waiting)
      await each.attempt({ portal_id }, async () => {
        const range = { before, after, limit: batchSize }
        const forgotten = await listForgottenUploads(context.database.read, portal_id, range)
        for (const file of forgotten)
          await each.attempt({ portal_id, file_id: file.id }, () =>
            expireUnlessArrived(context, kinds, portal_id, file),
          )
        const last = forgotten[batchSize - 1]
        if (last) more.push({ portal_id, after: last })
      })
    waiting = more
  }
  each.end()
}

async function expireUnlessArrived(
  context: Context,
  kinds: readonly ApplicationKind[],
  portal_id: string,
  { id, created_at }: FileRow,
): Promise<void> {
  // It may have come unseen: then it is looked at, not forgotten. But not for ever: its application may be closed.
  const isRecent = created_at > isoTime(context.clock.expiry() - 2 * day)
  if (isRecent && (await context.files.direct?.hasArrived(fileKey(portal_id, id)))) {
    const now = { file_id: id, look: 0, until: context.clock.now() + hour }
    await context.database.transaction((tx) => lookAgain(tx, { context, portal_id, request_id: null }, now))
    return
  }
  const job = { portal_id, payload: { file_id: id }, request_id: null }
  await decide(context, kinds, job, async (tx, caller, kind, current) => {
    if (current.state !== 'awaiting_upload') return
    await expireUpload(tx, caller, kind, current)
    await discardBytes(tx, caller, id)
  })
}

const batchSize = 200

/** Runs a decision about a file on its latest version; does nothing when the file is gone, or its application closed. */
async function decide(
  context: Context,
  kinds: readonly ApplicationKind[],
  { portal_id, payload, request_id }: Omit<RunningJob, 'signal'>,
  decision: (
    tx: Parameters<typeof acceptFile>[0],
    caller: Caller,
    kind: ApplicationKind,
    file: FileRow,
  ) => Promise<void>,
): Promise<void> {
  const owner = { context, portal_id, request_id }
  try {
    await inTransaction(context.database, async (tx) => {
      const found = await findHeldFile(tx, kinds, owner, String(payload.file_id))
      if (found) await decision(tx, owner, found.kind, found.file)
    })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'state_conflict')) throw error
  }
}

function fileOf(context: Context, { portal_id, payload }: RunningJob): Promise<FileRow | undefined> {
  return findFile(context.database.read, portal_id, String(payload.file_id))
}

async function readPart(
  { files }: Context,
  key: string,
  offset: number,
  length: number,
  size: number,
): Promise<Buffer> {
  if (offset >= size || length <= 0) return Buffer.alloc(0)
  const parts: Buffer[] = []
  const end = Math.min(size, offset + length) - 1
  for await (const chunk of await files.open(key, { start: offset, end })) parts.push(chunk)
  return Buffer.concat(parts)
}
