// What `portico doctor` tries on an object store as a stranger would: nobody may do more than a presigned request says.
// Some stores obey headers that were never signed: a presigned upload then copies any object of the access key, or makes
// one public (decision 0013). Others are public, or check nothing.
import { createHash } from 'node:crypto'
import { readAnswer, uploadDirectly } from './direct-upload.ts'
import { type DirectTransfers, type StoreFinding, StoreUnavailable } from './file-store.ts'

interface Settled {
  bucket: string
  /** The file is kept under it. */
  key: string
  file: { filename: string; content_type: string; size_bytes: number; sha256: string }
  bytes: Buffer
}

export async function examineExposure(direct: DirectTransfers, settled: Settled): Promise<StoreFinding[]> {
  return [...(await tryUnsigned(direct, settled)), await tryUnsignedHeaders(direct, settled)]
}

async function tryUnsigned(direct: DirectTransfers, { key, file, bytes }: Settled): Promise<StoreFinding[]> {
  const { url } = direct.download(key, file, timeoutMs / 1000)
  const object = withoutQuery(url)
  const listing = `${object.slice(0, -key.length - 1)}?list-type=2&max-keys=1`
  const findings: StoreFinding[] = []
  if ((await fetched(object)) === String(bytes) || (await fetched(listing)).includes('<ListBucketResult'))
    findings.push({
      outcome: 'problem',
      message: 'Anybody can read the bucket without credentials. Remove public access.',
    })
  const last = url.endsWith('0') ? '1' : '0'
  if ((await fetched(url.slice(0, -1) + last)) === String(bytes))
    findings.push({
      outcome: 'problem',
      message:
        'The store does not check signatures: whoever can reach it can read and change all files. Turn on its authentication, or use a different store.',
    })
  if (findings.length > 0) return findings
  return [{ outcome: 'ok', message: 'The store rejects requests without a valid signature.' }]
}

async function tryUnsignedHeaders(direct: DirectTransfers, { bucket, key, file, bytes }: Settled) {
  // Different from the settled file, so that a copy of that one is told apart from what was sent.
  const sent = Buffer.from(bytes).fill('y')
  const sentFile = { ...file, sha256: createHash('sha256').update(sent).digest('hex') }
  const isAccepted = async (header: Record<string, string>): Promise<boolean> => {
    const { headers, ...request } = direct.upload(key, sentFile, timeoutMs / 1000)
    const answer = await uploadDirectly({ ...request, headers: { ...headers, ...header } }, sent, timeoutMs)
    await readAnswer(answer, timeoutMs)
    // 501 is what stores without such a function say.
    if (answer.status < 500 || answer.status === 501) return answer.ok
    throw new StoreUnavailable(
      `An upload with a header that is not signed failed: the store returned ${answer.status}. Try again later.`,
    )
  }
  const copying = { 'x-amz-copy-source': `/${bucket}/${key}` }
  let [isCopying, isCopied] = [false, false]
  // Ceph RGW takes the second one for a copy of another kind, in which a bucket policy sees no source.
  for (const header of [copying, { ...copying, 'x-amz-copy-source-range': `bytes=0-${bytes.length - 1}` }]) {
    if (!(await isAccepted(header))) continue
    isCopying = true
    isCopied ||= (await direct.settle(key, file, AbortSignal.timeout(timeoutMs))) === 'settled'
  }
  const upload = withoutQuery(direct.upload(key, sentFile, timeoutMs / 1000).url)
  let [isPublishing, isPublished] = [false, false]
  for (const header of publishing) {
    if (!(await isAccepted(header))) continue
    isPublishing = true
    isPublished ||= (await fetched(upload)) === String(sent)
  }
  if (isCopied || isPublished)
    return {
      outcome: 'problem',
      message:
        'The store accepts headers that are not signed: whoever holds an upload request can read other objects and make them public. Add the bucket policy from the handbook (Files).',
    } as const
  if (isCopying || isPublishing)
    return {
      outcome: 'warning',
      message:
        'The store accepts headers that are not signed. Here they had no effect. If the store supports ACLs or policies, add the bucket policy from the handbook (Files).',
    } as const
  return { outcome: 'ok', message: 'The store rejects headers that are not signed.' } as const
}

/** A policy can deny the one and forget the other. */
const publishing: Record<string, string>[] = [
  { 'x-amz-acl': 'public-read' },
  { 'x-amz-grant-read': 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' },
]

const timeoutMs = 30_000

function withoutQuery(url: string): string {
  return url.slice(0, url.indexOf('?'))
}

/** What anybody gets; empty unless the store accepts. A page to log in is no object. */
async function fetched(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  const body = await readAnswer(answer, timeoutMs)
  return answer.ok ? body : ''
}
