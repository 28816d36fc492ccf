// Writes real PDF 1.4 files: objects, a cross-reference table, compressed streams, the standard fonts and, when asked,
// the standard 40-bit encryption. Only what the test documents need.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export interface PdfText {
  x: number
  /** From the top of the page, in points. */
  y: number
  text: string
  size?: number
  is_bold?: boolean
  /** The text ends at x instead of beginning there. */
  is_right_aligned?: boolean
}

export interface PdfOptions {
  /** Encrypts; an empty user password gives a file that opens without being asked for one. */
  user_password?: string
  rotation?: 0 | 90
  /** Boxes drawn on every page; y is the top. */
  boxes?: readonly { x: number; y: number; width: number; height: number }[]
  /** Text fields of a form on the first page; y is the top of the box. */
  fields?: readonly {
    name: string
    tooltip: string
    value: string
    x: number
    y: number
    width: number
    height: number
  }[]
}

export const pageHeight = 792
export const pageWidth = 612

export function writePdf(pages: readonly (readonly PdfText[])[], options: PdfOptions = {}): Buffer {
  const firstPage = 5
  const id = createHash('md5').update('portico test document').digest()
  const encryption = options.user_password === undefined ? undefined : encryptionFor(options.user_password, id)
  const { fields = [] } = options
  const fieldObjects = fields.map((_, index) => `${firstPage + pages.length * 2 + index} 0 R`).join(' ')
  const kids = pages.map((_, index) => `${firstPage + index * 2} 0 R`).join(' ')
  const objects: Buffer[] = [
    Buffer.from(`<< /Type /Catalog /Pages 2 0 R ${form(fieldObjects)}>>`),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>'),
  ]
  for (const [index, texts] of pages.entries()) {
    const content = firstPage + index * 2 + 1
    const turn = options.rotation ? `/Rotate ${options.rotation} ` : ''
    const size = options.rotation ? `${pageHeight} ${pageWidth}` : `${pageWidth} ${pageHeight}`
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R ${turn}/MediaBox [0 0 ${size}] /Contents ${content} 0 R ` +
          `${index === 0 && fields.length > 0 ? `/Annots [${fieldObjects}] ` : ''}` +
          '/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>',
      ),
    )
    const boxes = options.boxes?.map(
      ({ x, y, width, height }) => `${x} ${pageHeight - y - height} ${width} ${height} re S`,
    )
    const parts = [...(boxes ?? []), ...texts.map((text) => drawText(text, options.rotation))]
    const drawn = deflateSync(Buffer.from(parts.join('\n'), 'latin1'))
    objects.push(streamObject(encryption ? encryption.encrypt(content, drawn) : drawn, '/Filter /FlateDecode '))
  }
  for (const { name, tooltip, value, x, y, width, height } of fields) {
    const box = `[${x} ${pageHeight - y - height} ${x + width} ${pageHeight - y}]`
    const filled = value === '' ? '' : `/V (${value}) `
    objects.push(
      Buffer.from(
        `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /TU (${tooltip}) ${filled}/Rect ${box} /F 4 >>`,
      ),
    )
  }
  if (encryption) objects.push(encryption.dictionary)
  const trailer = encryption
    ? `/ID [<${id.toString('hex')}> <${id.toString('hex')}>] /Encrypt ${objects.length} 0 R `
    : ''
  return assemblePdf(objects, trailer)
}

function form(fieldObjects: string): string {
  return fieldObjects === '' ? '' : `/AcroForm << /Fields [${fieldObjects}] >> `
}

export function streamObject(body: Buffer, entries = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries}/Length ${body.length} >>\nstream\n`),
    body,
    Buffer.from('\nendstream'),
  ])
}

/** Numbers the objects from 1; the first is the catalog. */
export function assemblePdf(objects: readonly Buffer[], trailerEntries = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const add = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  for (const [index, object] of objects.entries()) {
    offsets.push(length)
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]))
  }
  const start = length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`))
  add(Buffer.from(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailerEntries}>>\n`))
  add(Buffer.from(`startxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}

export function drawText({ x, y, text, size = 10, is_bold, is_right_aligned }: PdfText, rotation: 0 | 90 = 0): string {
  const left = is_right_aligned ? x - widthOf(text, size) : x
  const escaped = text.replace(/[\\()]/g, (character) => `\\${character}`)
  // A page turned by 90 degrees is drawn lying down, as scanners and spreadsheets do.
  const matrix = rotation === 90 ? `0 1 -1 0 ${y} ${left.toFixed(2)}` : `1 0 0 1 ${left.toFixed(2)} ${pageHeight - y}`
  return `BT /${is_bold ? 'F2' : 'F1'} ${size} Tf ${matrix} Tm (${escaped}) Tj ET`
}

/** Helvetica, near enough to end a column of figures at one place. */
function widthOf(text: string, size: number): number {
  let width = 0
  for (const character of text) width += ",.' :;il|".includes(character) ? 278 : '()-'.includes(character) ? 333 : 556
  return (width * size) / 1000
}

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')

/** The standard security handler, revision 2 (40-bit RC4), as in PDF 1.4, 3.5.2. */
function encryptionFor(userPassword: string, id: Buffer) {
  const padded = (password: string) => Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32)
  const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest()
  const owner = rc4(md5(padded('owner secret')).subarray(0, 5), padded(userPassword))
  const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff])
  const key = md5(padded(userPassword), owner, permissions, id).subarray(0, 5)
  const user = rc4(key, padding)
  return {
    dictionary: Buffer.from(
      `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -4 >>`,
    ),
    encrypt(object: number, body: Buffer): Buffer {
      const number = Buffer.from([object & 255, (object >> 8) & 255, (object >> 16) & 255, 0, 0])
      return rc4(md5(key, number).subarray(0, 10), body)
    },
  }
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const at = (index: number) => state[index & 255] ?? 0
  const swap = (a: number, b: number) => {
    const kept = at(a)
    state[a & 255] = at(b)
    state[b & 255] = kept
  }
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  let i = 0
  let j = 0
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255
      j = (j + at(i)) & 255
      swap(i, j)
      return byte ^ at(at(i) + at(j))
    }),
  )
}
