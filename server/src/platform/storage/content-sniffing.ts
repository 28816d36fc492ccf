// Are the bytes what the declared type says? Signatures at the beginning for most types; the directory inside for Office
// files, old (CFB) and new (ZIP); the characters for text. Reads are few and bounded: a head of 64 KiB, and of a
// directory at most a few MiB. It tells what a file claims to be, not that it is harmless: that is the scanner's part.

/** A sentence when the bytes are not what the declared type says. `read` may give fewer bytes only at the end. */
export async function contentProblem(
  contentType: string,
  size: number,
  read: (offset: number, length: number) => Promise<Buffer>,
): Promise<string | undefined> {
  const kind = kinds.get(contentType)
  if (!kind) return `The file type ${contentType} is not accepted. Accepted types: ${knownContentTypes.join(', ')}.`
  if (size === 0) return 'The file is empty.'
  // Offsets come out of the file itself, so they may lie anywhere.
  const readInside = async (offset: number, length: number) => {
    const end = Math.min(size, offset + length)
    return offset < end ? read(offset, end - offset) : Buffer.alloc(0)
  }
  const content: Content = { size, head: await readInside(0, headBytes), read: readInside }
  return kind.problem(content, `The file is not ${kind.name}.`)
}

interface Content {
  size: number
  head: Buffer
  read(offset: number, length: number): Promise<Buffer>
}

interface Kind {
  name: string
  /** What names of such files may end in; the first is given to those that end otherwise. */
  extensions: readonly [string, ...string[]]
  /** `notThis` is the sentence for bytes that are plainly something else. */
  problem(content: Content, notThis: string): Promise<string | undefined> | string | undefined
}

const headBytes = 64 * 1024

/** What a head of bytes begins like, for types that are known by that alone. */
const signatures = {
  pdf: (head: Buffer) => startsWith(head, '%PDF-'),
  png: (head: Buffer) => startsWith(head, '\x89PNG\r\n\x1a\n') && startsWith(head, 'IHDR', 12),
  // The marker that follows is one of those that may stand first.
  jpeg: (head: Buffer) => startsWith(head, '\xff\xd8\xff') && (head[3] ?? 0) >= 0xc0 && head[3] !== 0xff,
  gif: (head: Buffer) => startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a'),
  webp: (head: Buffer) => startsWith(head, 'RIFF') && startsWith(head, 'WEBPVP8', 8),
  tiff: (head: Buffer) => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].some((start) => startsWith(head, start)),
  heic: (head: Buffer) => brandsOf(head).some((brand) => heicBrands.has(brand)),
  zip: (head: Buffer) => startsWith(head, 'PK\x03\x04') || startsWith(head, 'PK\x05\x06'),
  cfb: (head: Buffer) => startsWith(head, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
}

const office = 'application/vnd.openxmlformats-officedocument'
const kinds = new Map<string, Kind>([
  ['application/pdf', simple('a PDF', ['pdf'], signatures.pdf)],
  ['image/png', simple('a PNG image', ['png'], signatures.png)],
  ['image/jpeg', simple('a JPEG image', ['jpg', 'jpeg', 'jpe', 'jfif'], signatures.jpeg)],
  ['image/gif', simple('a GIF image', ['gif'], signatures.gif)],
  ['image/webp', simple('a WebP image', ['webp'], signatures.webp)],
  ['image/tiff', simple('a TIFF image', ['tif', 'tiff'], signatures.tiff)],
  ['image/heic', simple('a HEIC image', ['heic', 'heif'], signatures.heic)],
  [`${office}.wordprocessingml.document`, officePackage('a Word document (docx)', 'docx', 'word/document.xml')],
  [`${office}.spreadsheetml.sheet`, officePackage('an Excel workbook (xlsx)', 'xlsx', 'xl/workbook.xml')],
  [`${office}.presentationml.presentation`, officePackage('a PowerPoint file (pptx)', 'pptx', 'ppt/presentation.xml')],
  ['application/msword', compound('a Word document (doc)', 'doc', ['WordDocument'])],
  ['application/vnd.ms-excel', compound('an Excel workbook (xls)', 'xls', ['Workbook', 'Book'])],
  ['application/zip', { name: 'a ZIP archive', extensions: ['zip'], problem: archiveProblem }],
  ['text/csv', { name: 'CSV text', extensions: ['csv', 'tsv', 'txt'], problem: textProblem }],
  ['text/plain', { name: 'plain text', extensions: ['txt', 'text', 'log', 'md', 'csv'], problem: textProblem }],
  ['application/json', { name: 'JSON', extensions: ['json'], problem: jsonProblem }],
])

/** HTML, SVG and programs are never among them. */
export const knownContentTypes: readonly string[] = [...kinds.keys()]

/** In lowercase, the usual one first. */
export function extensionsOf(contentType: string): readonly [string, ...string[]] {
  return kinds.get(contentType)?.extensions ?? ['bin']
}

function simple(name: string, extensions: Kind['extensions'], isThis: (head: Buffer) => boolean): Kind {
  return { name, extensions, problem: ({ head }, notThis) => (isThis(head) ? undefined : notThis) }
}

function startsWith(head: Buffer, text: string, at = 0): boolean {
  return head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))
}

const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'])

/** The brands in the first box of an ISO media file, if that is what it is. */
function brandsOf(head: Buffer): string[] {
  if (!startsWith(head, 'ftyp', 4)) return []
  const end = Math.min(head.readUInt32BE(0), head.length, 256)
  const brands = [head.toString('latin1', 8, 12)]
  // The four bytes after the first brand are its version.
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}

const officeMainParts = ['word/document.xml', 'xl/workbook.xml', 'ppt/presentation.xml']
const macroProblem = 'The file contains macros. Save it without macros and upload it again.'

function officePackage(name: string, extension: string, mainPart: string): Kind {
  return {
    name,
    extensions: [extension],
    async problem(content, notThis) {
      if (signatures.cfb(content.head))
        return `${notThis} If it has a password, remove the password and upload it again.`
      const names = await zipNames(content)
      if (typeof names === 'string') return names === notZip ? notThis : names
      if (!names.has('[content_types].xml') || officeMainParts.some((part) => names.has(part) !== (part === mainPart)))
        return notThis
      return hasMacros(names) ? macroProblem : undefined
    },
  }
}

/** An Office file is a ZIP archive as well, but as one it would pass by the rules for Office files. */
async function archiveProblem(content: Content): Promise<string | undefined> {
  const names = await zipNames(content)
  if (typeof names === 'string') return names
  if (!names.has('[content_types].xml') || !officeMainParts.some((part) => names.has(part))) return undefined
  return 'The file is an Office document, not a plain ZIP archive. Declare its Office type, or put the document into a ZIP archive.'
}

function hasMacros(names: ReadonlySet<string>): boolean {
  return [...names].some((name) => /(^|\/)vbaproject\.bin$/.test(name))
}

const notZip = 'The file is not a ZIP archive.'
const maximumDirectoryBytes = 4 * 1024 * 1024
const endBytes = 22
const maximumCommentBytes = 65_535

/** The names in the directory at the end of an archive, in lowercase; a sentence when there is no such directory. */
async function zipNames({ size, head, read }: Content): Promise<ReadonlySet<string> | string> {
  if (!signatures.zip(head) || size < endBytes) return notZip
  const tailAt = Math.max(0, size - endBytes - maximumCommentBytes)
  const tail = await read(tailAt, size - tailAt)
  // The last end record whose comment reaches exactly to the end: two readers cannot see two different archives.
  let at = tail.lastIndexOf('PK\x05\x06', tail.length - endBytes, 'latin1')
  while (at > 0 && at + endBytes + tail.readUInt16LE(at + 20) !== tail.length)
    at = tail.lastIndexOf('PK\x05\x06', at - 1, 'latin1')
  if (at < 0 || at + endBytes + tail.readUInt16LE(at + 20) !== tail.length) return notZip
  let [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (length === 0xffff_ffff || offset === 0xffff_ffff) {
    // ZIP64: a locator of 20 bytes before the end record says where the long record is.
    if (at < 20 || !startsWith(tail, 'PK\x06\x07', at - 20)) return notZip
    const long = await read(Number(tail.readBigUInt64LE(at - 12)), 56)
    if (long.length < 56 || !startsWith(long, 'PK\x06\x06')) return notZip
    length = Number(long.readBigUInt64LE(40))
    offset = Number(long.readBigUInt64LE(48))
  }
  if (length > maximumDirectoryBytes)
    return 'The archive contains more files than can be checked. Upload several smaller archives.'
  if (offset + length > tailAt + at) return notZip
  return namesIn(await read(offset, length)) ?? notZip
}

function namesIn(directory: Buffer): ReadonlySet<string> | undefined {
  const names = new Set<string>()
  let at = 0
  while (at < directory.length) {
    if (at + 46 > directory.length || !startsWith(directory, 'PK\x01\x02', at)) return undefined
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    const end = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    if (end > directory.length) return undefined
    // Names of parts ignore case, and some programs write backslashes.
    names.add(
      directory
        .toString('utf8', at + 46, nameEnd)
        .toLowerCase()
        .replaceAll('\\', '/'),
    )
    at = end
  }
  return names
}

function compound(name: string, extension: string, streams: readonly string[]): Kind {
  return {
    name,
    extensions: [extension],
    async problem(content, notThis) {
      const isThis = signatures.cfb(content.head) && (await hasStream(content, streams))
      return isThis ? undefined : notThis
    },
  }
}

const maximumSectors = 128

/**
 * Looks for a name in the directory of a compound file (MS-CFB): a chain of sectors, linked in a table that is itself
 * spread over sectors; the header lists the first 109 of those, further sectors the rest.
 */
async function hasStream({ size, head, read }: Content, wanted: readonly string[]): Promise<boolean> {
  const shift = head.length < 512 ? 0 : head.readUInt16LE(30)
  if (shift !== 9 && shift !== 12) return false
  const sectorBytes = 2 ** shift
  const perSector = sectorBytes / 4
  const known = new Map<number, Buffer>()
  /** Zeroes where the file has no such sector, or too many were read: the signs of a file that is none. */
  const sectorAt = async (sector: number): Promise<Buffer> => {
    let bytes = known.get(sector)
    if (!bytes && known.size < maximumSectors) bytes = await read((sector + 1) * sectorBytes, sectorBytes)
    if (bytes?.length !== sectorBytes) return Buffer.alloc(sectorBytes)
    known.set(sector, bytes)
    return bytes
  }
  const listed = async (place: number): Promise<number> => {
    if (place < 109) return head.readUInt32LE(76 + 4 * place)
    let [rest, list] = [place - 109, await sectorAt(head.readUInt32LE(68))]
    // The last place of a list is taken by the number of the next.
    for (; rest >= perSector - 1; rest -= perSector - 1) list = await sectorAt(list.readUInt32LE(4 * (perSector - 1)))
    return list.readUInt32LE(4 * rest)
  }
  let sector = head.readUInt32LE(48)
  // The number that ends a chain lies outside of every file.
  for (let count = 0; (sector + 1) * sectorBytes < size && count < maximumSectors; count++) {
    const entries = await sectorAt(sector)
    for (let at = 0; at < entries.length; at += 128) {
      const length = entries.readUInt16LE(at + 64)
      if (length >= 2 && length <= 64 && wanted.includes(entries.toString('utf16le', at, at + length - 2))) return true
    }
    const links = await sectorAt(await listed(Math.floor(sector / perSector)))
    sector = links.readUInt32LE(4 * (sector % perSector))
  }
  return false
}

/** UTF-8, UTF-16 with its mark, or one byte per character; no control characters, and nothing a browser would run. */
function textProblem({ head, size }: Content, notThis: string): string | undefined {
  if (Object.values(signatures).some((isThis) => isThis(head))) return notThis
  const text = decode(head, head.length < size)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (text === undefined || /[\x00-\x08\x0b\x0e-\x1f\x7f]/.test(text)) return notThis
  // Any tag, comment or declaration; #! begins a script, {\rtf a document.
  if (/^\s*(<[!?%]|<\/?[a-z][a-z0-9:-]*([\s/>]|$)|#!|\{\\rtf)/i.test(text))
    return `${notThis} It starts like markup or a script.`
  return undefined
}

/** Whether the text is cut off at its end, so that its last character may be, too. */
function decode(bytes: Buffer, isCut: boolean): string | undefined {
  const isMarked = startsWith(bytes, '\xff\xfe') ? 'utf-16le' : startsWith(bytes, '\xfe\xff') ? 'utf-16be' : undefined
  try {
    return new TextDecoder(isMarked ?? 'utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return isMarked ? undefined : bytes.toString('latin1')
  }
}

const maximumParsedBytes = 4 * 1024 * 1024

/** Parsed when it is not too large for that; otherwise only its two ends are looked at. */
async function jsonProblem({ size, head, read }: Content, notThis: string): Promise<string | undefined> {
  if (size > maximumParsedBytes) {
    const tail = (await read(size - 64, 64)).toString('latin1').trimEnd()
    const start = head
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart()
    const isWhole = (start.startsWith('{') && tail.endsWith('}')) || (start.startsWith('[') && tail.endsWith(']'))
    return isWhole && isUtf8(head, true) ? undefined : notThis
  }
  const bytes = size > head.length ? await read(0, size) : head
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return undefined
  } catch {
    return notThis
  }
}

function isUtf8(bytes: Buffer, isCut: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return true
  } catch {
    return false
  }
}
