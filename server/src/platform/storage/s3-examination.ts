// What `portico doctor` tries on an object store: the whole way of a file, from the presigned upload to the presigned
// download, with a file of a few bytes that is removed again. It also learns whether the store checks uploads itself.
import { createHash } from 'node:crypto'
import { newId } from '../values/ids.ts'
import { reasonOf } from '../values/reason.ts'
import { readAnswer, uploadDirectly } from './direct-upload.ts'
import { type DirectTransfers, type Store, type StoreFinding, StoreUnavailable } from './file-store.ts'
import { adviceOn, codeOf } from './s3-client.ts'
import { examineExposure } from './s3-exposure.ts'

export async function examineS3(store: Store & { direct: DirectTransfers }, bucket: string): Promise<StoreFinding[]> {
  await store.check()
  const key = `${newId('ptl')}/${newId('fil')}`
  const findings: StoreFinding[] = []
  try {
    await tryFile(store, { bucket, key }, findings)
  } catch (error) {
    // What was found before stays: it may be why.
    const { message } = error instanceof StoreUnavailable ? error : brokenOff(error)
    findings.push({ outcome: 'problem', message })
  } finally {
    // What went wrong before says more than that nothing can be removed either.
    await Promise.allSettled([store.direct.removeUpload(key), store.remove(key)])
  }
  return findings
}

async function tryFile(
  { direct, ...store }: Store & { direct: DirectTransfers },
  { bucket, key }: { bucket: string; key: string },
  findings: StoreFinding[],
): Promise<void> {
  const add = (outcome: StoreFinding['outcome'], message: string) => findings.push({ outcome, message })
  const bytes = Buffer.from(`A test file of portico doctor. ${key}\n`)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = { filename: 'examination.txt', content_type: 'text/plain', size_bytes: bytes.length, sha256 }
  const settle = () => direct.settle(key, file, AbortSignal.timeout(timeoutMs))

  const other = Buffer.from(bytes).fill('x')
  if ((await put(direct, key, file, other)).isAccepted) {
    if ((await settle()) !== 'different')
      throw new StoreUnavailable('The file store returned bytes that differ from the uploaded bytes.')
    add(
      'ok',
      'The store does not check the SHA-256 of uploads (x-amz-checksum-sha256). Portico checks every upload itself, so a wrong upload is rejected, but only after it was stored.',
    )
  } else add('ok', 'The store rejects uploads whose SHA-256 differs from the declared SHA-256.')

  const uploaded = await put(direct, key, file, bytes)
  if (!uploaded.isAccepted) throw new StoreUnavailable(`A presigned upload failed: ${uploaded.problem}`)
  if ((await settle()) !== 'settled')
    throw new StoreUnavailable('A presigned upload succeeded, but the uploaded file is not in the file store.')
  add('ok', 'A presigned upload was accepted, copied to its final key and read back.')
  if (uploaded.isVersioned)
    add(
      'warning',
      'The bucket is versioned: erased files stay in old versions. Turn versioning off, or add a lifecycle rule that deletes old versions.',
    )

  const download = direct.download(key, file, timeoutMs / 1000)
  const answer = await fetch(download.url, { signal: AbortSignal.timeout(timeoutMs) })
  const received = await readAnswer(answer, timeoutMs)
  if (answer.status !== 200 || received !== String(bytes))
    throw new StoreUnavailable(
      `A presigned download failed: the store returned ${answer.status === 200 ? 'different bytes.' : said(answer.status, received)}`,
    )
  if (!answer.headers.get('content-disposition')?.startsWith('attachment'))
    add(
      'warning',
      'The store ignores response-content-disposition: browsers may display downloaded files as pages. Use a store that supports this parameter.',
    )
  else add('ok', 'A presigned download returned the same bytes, as an attachment.')

  findings.push(...(await examineExposure(direct, { bucket, key, file, bytes })))

  await direct.removeUpload(key)
  await store.remove(key)
  if ((await direct.hasArrived(key)) || (await store.stat(key)))
    throw new StoreUnavailable('A deleted file is still in the file store.')
  add('ok', 'Files can be deleted.')
}

/** What fetch says of a failure is in its cause. */
function brokenOff(error: unknown): StoreUnavailable {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return new StoreUnavailable(`A request to the file store failed: ${reasonOf(cause)}.`, { cause: error })
}

const timeoutMs = 30_000

async function put(
  direct: DirectTransfers,
  key: string,
  file: { content_type: string; size_bytes: number; sha256: string },
  bytes: Buffer,
): Promise<{ isAccepted: boolean; isVersioned: boolean; problem: string }> {
  const answer = await uploadDirectly(direct.upload(key, file, timeoutMs / 1000), bytes, timeoutMs)
  const version = answer.headers.get('x-amz-version-id') ?? 'null'
  const problem = `the store returned ${said(answer.status, await readAnswer(answer, timeoutMs))}`
  return { isAccepted: answer.ok, isVersioned: version !== 'null', problem }
}

/** The status, the code and what to do: the end of a sentence, and one of its own. */
function said(status: number, body: string): string {
  const code = codeOf(body)
  const advice = status === 403 && code === 'AccessDenied' ? refusedAdvice : adviceOn(status, code)
  return `${[status, code].filter(Boolean).join(' ')}. ${advice}`
}

const refusedAdvice =
  'Check the permissions of the credentials, the bucket policy and the public access block of the bucket.'
