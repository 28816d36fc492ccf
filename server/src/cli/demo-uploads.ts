import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { fileKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import type { ApplicationKind } from '../building-blocks/questionnaires/application-kind.ts'
import { completeUpload, declareFile } from '../building-blocks/questionnaires/files/commands.ts'
import type { Caller } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { uploadDirectly } from '../platform/storage/direct-upload.ts'

export interface DemoFile {
  question_key: string
  filename: string
  content_type: string
  bytes: Buffer
}

/** Uploads a file of the demo, by whichever way the store of this deployment takes bytes. */
export async function uploadDemoFile(
  tx: Tx,
  sender: Caller,
  kind: ApplicationKind,
  application_id: string,
  { bytes, ...declared }: DemoFile,
): Promise<void> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  // The demo knows what it has written: there is nothing to scan.
  const caller: Caller = { ...sender, context: { ...sender.context, scanner: undefined } }
  const target = { application_id, ifMatch: null }
  const { file } = await declareFile(tx, caller, kind, target, { ...declared, size_bytes: bytes.length, sha256 })
  const { receiver, direct } = caller.context.files
  const key = fileKey(caller.portal_id, file.id)
  if (receiver) {
    const incoming = await receiver.receive(Readable.from([bytes]), bytes.length)
    try {
      await incoming.keep(key)
    } finally {
      await incoming.discard()
    }
  } else if (direct) {
    const { status } = await uploadDirectly(direct.upload(key, file, 60), bytes, timeoutMs)
    const outcome = await direct.settle(key, file, AbortSignal.timeout(timeoutMs))
    if (outcome !== 'settled')
      throw new Error(`The file store returned ${status} to an upload, and the file is ${outcome}.`)
  }
  await completeUpload(tx, caller, kind, file)
}

const timeoutMs = 30_000
