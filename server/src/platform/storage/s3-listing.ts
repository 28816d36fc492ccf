// Which keys a bucket has (ListObjectsV2), page by page. The store is not trusted to tell the truth or to come to an end:
// a page is bounded in size and time, objects that are not ours are passed over, our keys must rise from each to the next
// (as S3 promises), and pages without any may not follow each other for ever. Whatever is wrong is an error: a listing that
// ends too early would look like a store that has less.
import type { Readable } from 'node:stream'
import { minute } from '../clock.ts'
import { reasonOf } from '../values/reason.ts'
import { isKey, type ListedFile, StoreUnavailable } from './file-store.ts'
import { readUpTo, type S3Client } from './s3-client.ts'

/** What has a key of ours in this folder: '' or a name that ends with a slash. */
export async function* listObjects(
  client: S3Client,
  folder: string,
): AsyncGenerator<Pick<ListedFile, 'key' | 'modified_at'>> {
  let last = ''
  let fruitless = 0
  let token: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await readPage(client, `${folder}ptl_`, token)
    fruitless++
    for (const { name, time } of page.objects) {
      const key = name.startsWith(folder) ? name.slice(folder.length) : ''
      if (!isKey(key)) continue
      if (key <= last) throw listingError(`it listed ${key} after ${last}, so it repeats files or has no order`)
      const modified_at = timePattern.test(time) ? Date.parse(time) : Number.NaN
      if (!(modified_at >= earliest)) throw listingError(`it listed ${key} without a valid time`)
      last = key
      fruitless = 0
      yield { key, modified_at }
    }
    if (page.next === undefined) return
    if (page.next === token) throw listingError('it repeats its continuation token')
    if (fruitless >= mostFruitlessPages || pages >= mostPages)
      throw listingError(`it has not come to an end after ${pages} pages`)
    token = page.next
  }
}

/** As S3 writes it. `Date.parse` alone takes much more, and without a zone it takes the time of this machine. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/
/** There is no S3 of before: such a time stands for none, and would make a file look old. */
const earliest = Date.UTC(2000)
/** A page has up to 1000 objects. */
const mostPages = 1_000_000
const mostFruitlessPages = 100
const pageTimeoutMs = minute
/** 1000 keys of 1024 bytes, each of which may be written as an entity, with all else that a store may say of an object. */
const mostPageBytes = 16 * 1024 * 1024

interface Page {
  objects: { name: string; time: string }[]
  next: string | undefined
}

async function readPage(client: S3Client, prefix: string, token: string | undefined): Promise<Page> {
  const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) }
  const answer = await client.send('GET', '', {}, query)
  if (answer.status !== 200) throw new StoreUnavailable((await answer.problem()).sentence)
  const text = await wholeText(answer.body)
  if (!/<ListBucketResult[\s>]/.test(text) || !text.trimEnd().endsWith('</ListBucketResult>'))
    throw listingError('its response is not a listing of the bucket')
  // Split, and not matched from beginning to end: tags that never end would take the square of their number.
  const objects = text.split('<Contents>').slice(1)
  const next = /<NextContinuationToken>([^<]{1,4096})<\/NextContinuationToken>/.exec(text)?.[1]
  const isTruncated = /<IsTruncated>\s*true\s*<\/IsTruncated>/.test(text)
  if (isTruncated && next === undefined)
    throw listingError('it has more files, but returned no valid continuation token')
  return {
    objects: objects.map((object) => ({
      name: /<Key>([^<]{1,1024})<\/Key>/.exec(object)?.[1] ?? '',
      time: /<LastModified>([^<]{1,100})<\/LastModified>/.exec(object)?.[1] ?? '',
    })),
    next: isTruncated && next !== undefined ? plain(next) : undefined,
  }
}

async function wholeText(body: Readable): Promise<string> {
  const { text, isCut, failure } = await readUpTo(body, { bytes: mostPageBytes, ms: pageTimeoutMs })
  if (failure !== undefined) throw listingError(reasonOf(failure), failure)
  if (isCut) throw listingError(`a page of the listing has more than ${mostPageBytes} bytes`)
  return text
}

/** The text behind the entities of XML. Keys of ours have none, but a continuation token may be anything. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? entity
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function listingError(reason: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`The file store cannot be listed: ${reason}.`, { cause })
}
