// Scanned pages as scanners write them into PDFs, all from one picture: a profit and loss account at 150 dots an inch,
// written by Chromium and drawn by Ghostscript.
import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { assemblePdf, streamObject } from './pdf-writer.ts'

const folder = new URL('./scans/', import.meta.url)
export const scanFile = (name: string) => readFileSync(new URL(name, folder))

/** What the picture shows. */
export const scannedLines = [
  'Larkspur Joinery Ltd',
  'Profit and loss account for the year ended 31 December 2025',
  '',
  'Turnover  £1,204,318',
  'Cost of sales  £702,440',
  'Administrative expenses  £391,870',
  'Tax  £20,900',
  'Profit for the financial year  £89,108',
  '',
  'Number of employees: 14',
]

interface ScanOptions {
  /** How the picture lies on the page, as the six numbers of a PDF matrix, for each time it is drawn. */
  places?: readonly string[]
  size?: [number, number]
  rotation?: 0 | 90
  /** Black ink through a stencil, over a light background. */
  is_mask?: boolean
  /** What the page says in text. */
  text?: string
  /** How many such pages there are. */
  pages?: number
}

/** The data of a PNG is packed as PDF packs it, so that the picture is taken as it is. */
export function scannedPdf({
  places = ['612 0 0 792 0 0'],
  size = [612, 792],
  rotation = 0,
  is_mask = false,
  text = '',
  pages = 1,
}: ScanOptions = {}): Buffer {
  const { width, height, data } = pngParts(scanFile('profit-and-loss.png'))
  const kind = is_mask ? '/ImageMask true' : '/ColorSpace /DeviceGray'
  const drawn = places.map((place) => `q ${place} cm /Im Do Q`).join('\n')
  const words = text === '' ? '' : `BT /F1 10 Tf 1 0 0 1 40 20 Tm (${text}) Tj ET`
  const background = is_mask ? `0.9 g 0 0 ${size[0]} ${size[1]} re f 0 g\n` : ''
  const kids = Array.from({ length: pages }, (_, index) => `${6 + index} 0 R`).join(' ')
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    streamObject(deflateSync(Buffer.from(`${background}${drawn}\n${words}`)), '/Filter /FlateDecode '),
    streamObject(
      data,
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${kind} /BitsPerComponent 1 /Filter /FlateDecode ` +
        `/DecodeParms << /Predictor 15 /Colors 1 /BitsPerComponent 1 /Columns ${width} >> `,
    ),
    ...Array.from({ length: pages }, () =>
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Rotate ${rotation} /Contents 4 0 R ` +
          '/Resources << /Font << /F1 3 0 R >> /XObject << /Im 5 0 R >> >> >>',
      ),
    ),
  ])
}

/** For programs that look at no picture: pages the size of a stamp are drawn in a moment. */
export const smallScan = (pages = 1) => scannedPdf({ pages, size: [61, 79], places: ['61 0 0 79 0 0'] })

/** A picture of one colour that unpacks to as many pixels as it says. */
export function picturePdf(width: number, height: number): Buffer {
  const row = Buffer.alloc(Math.ceil(width / 8))
  const data = deflateSync(Buffer.concat(Array.from({ length: Math.min(height, 2_000) }, () => row)))
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >> >>',
    ),
    streamObject(Buffer.from('q 612 0 0 792 0 0 cm /Im Do Q')),
    streamObject(
      data,
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode `,
    ),
  ])
}

/** The head of a PNG that claims a size, with the rest of a true one. */
export function pngOfSize(width: number, height: number): Buffer {
  const png = Buffer.from(scanFile('profit-and-loss.png'))
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  return png
}

function pngParts(png: Buffer): { width: number; height: number; data: Buffer } {
  const data: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), data: Buffer.concat(data) }
}
