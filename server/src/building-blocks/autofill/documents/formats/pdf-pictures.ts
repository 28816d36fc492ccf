// The pictures of a PDF page, put together into the one grey picture that the page shows. Scanners write a page as one
// picture, as strips, or as a background with a mask of black letters on it; nothing else is drawn here.
import { getResolvedPDFJS } from 'unpdf'
import type { Picture } from './tesseract.ts'

// pdf.js needs it to list what a page with fonts paints; Node has it from version 21 on.
if (!('transferToFixedLength' in ArrayBuffer.prototype))
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length: number) {
      return this.slice(0, length)
    },
  })

type Matrix = readonly [number, number, number, number, number, number]

/** What is needed of a page of pdf.js. */
export interface PdfPage {
  getOperatorList(): Promise<{ fnArray: number[]; argsArray: unknown[] }>
  getViewport(options: { scale: number }): { width: number; height: number; transform: unknown[] }
  objs: ObjectStore
  commonObjs: ObjectStore
}
interface ObjectStore {
  get(id: string, callback: (value: unknown) => void): unknown
}

interface PaintedPicture {
  width: number
  height: number
  data: Uint8Array | Uint8ClampedArray
  kind: 'bits' | 'rgb' | 'rgba' | 'mask'
  /** From the unit square to the page as shown, in points. */
  place: Matrix
  /** The grey of the letters of a mask. */
  ink: number
}

/** A page as a picture, and how much of it its pictures cover, from 0 to 1. */
interface PagePicture {
  picture: Picture
  covered: number
  /** How many points a pixel measures. */
  scale: number
}

/** Larger pictures are not unpacked. Enough for 600 dots an inch on A4. */
export const largestPicturePixels = 36_000_000
/** Of the page as it is read: enough for 300 dots an inch on A4. */
const mostPixels = 9_000_000
const dpiRange = { least: 200, most: 300 }
const mostPictures = 500

/** Undefined when the page has no picture. */
export async function pictureOfPage(page: PdfPage): Promise<PagePicture | undefined> {
  const pictures = await paintedPictures(page)
  if (pictures.length === 0) return undefined
  const { width, height } = page.getViewport({ scale: 1 })
  const area = Math.max(1, width * height)
  const covered = Math.min(
    1,
    pictures.reduce((sum, { place }) => sum + Math.abs(place[0] * place[3] - place[1] * place[2]), 0) / area,
  )
  const finest = Math.max(...pictures.map(dotsAnInch))
  const wanted = Math.min(dpiRange.most, Math.max(dpiRange.least, finest))
  const dpi = Math.min(wanted, 72 * Math.sqrt(mostPixels / area))
  const size = {
    width: Math.max(1, Math.round((width * dpi) / 72)),
    height: Math.max(1, Math.round((height * dpi) / 72)),
  }
  const paper = new Uint8Array(size.width * size.height).fill(255)
  for (const picture of pictures) paint(picture, paper, size, dpi / 72)
  const head = Buffer.from(`P5\n${size.width} ${size.height}\n255\n`)
  return { picture: { bytes: Buffer.concat([head, paper]), dpi }, covered, scale: 72 / dpi }
}

async function paintedPictures(page: PdfPage): Promise<PaintedPicture[]> {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList()
  const found: PaintedPicture[] = []
  const kept: { matrix: Matrix; ink: number }[] = []
  let matrix = matrixOf(page.getViewport({ scale: 1 }).transform)
  let ink = 0
  const add = async (given: unknown, isMask: boolean, own?: Matrix) => {
    const image = await imageOf(page, given)
    const kind = isMask ? 'mask' : image && kinds[Number(image.kind)]
    if (!image || !kind || found.length >= mostPictures) return
    const { width, height, data } = image
    found.push({ width, height, data, kind, ink, place: own ? times(matrix, own) : matrix })
  }
  for (const [index, operator] of fnArray.entries()) {
    const args: unknown = argsArray[index]
    const [first] = Array.isArray(args) ? args : []
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) kept.push({ matrix, ink })
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd)
      ({ matrix, ink } = kept.pop() ?? { matrix, ink })
    if (operator === OPS.transform && Array.isArray(args)) matrix = times(matrix, matrixOf(args))
    if (operator === OPS.paintFormXObjectBegin && Array.isArray(first)) matrix = times(matrix, matrixOf(first))
    if (operator === OPS.setFillRGBColor) ink = greyOf(first)
    if (operator === OPS.paintImageXObject || operator === OPS.paintInlineImageXObject) await add(first, false)
    if (operator === OPS.paintImageMaskXObject) await add(first, true)
    if (operator === OPS.paintImageMaskXObjectGroup && Array.isArray(first))
      for (const one of first)
        if (isRecord(one) && Array.isArray(one.transform)) await add(one, true, matrixOf(one.transform))
  }
  return found
}

const kinds: Record<number, PaintedPicture['kind']> = { 1: 'bits', 2: 'rgb', 3: 'rgba' }

type Image = Pick<PaintedPicture, 'width' | 'height' | 'data'> & { kind?: unknown }

/** A picture stands in the list itself, or there is its name in the page's store of objects. */
async function imageOf({ objs, commonObjs }: PdfPage, given: unknown): Promise<Image | undefined> {
  const named = isRecord(given) && typeof given.data === 'string' ? given.data : given
  if (typeof named !== 'string') return isImage(named) ? named : undefined
  const store = named.startsWith('g_') ? commonObjs : objs
  const value = await new Promise<unknown>((resolve) => void store.get(named, resolve))
  return isImage(value) ? value : undefined
}

function isImage(value: unknown): value is Image {
  if (!isRecord(value)) return false
  const { width, height, data } = value
  const isSized = Number.isInteger(width) && Number.isInteger(height) && Number(width) > 0 && Number(height) > 0
  return isSized && (data instanceof Uint8Array || data instanceof Uint8ClampedArray)
}

function paint(
  picture: PaintedPicture,
  paper: Uint8Array,
  size: { width: number; height: number },
  pixelsAPoint: number,
): void {
  const place = times([pixelsAPoint, 0, 0, pixelsAPoint, 0, 0], picture.place)
  const [a, b, c, d, e, f] = place
  const determinant = a * d - b * c
  if (!Number.isFinite(determinant) || Math.abs(determinant) < 1e-6) return
  const xs = [e, e + a, e + c, e + a + c]
  const ys = [f, f + b, f + d, f + b + d]
  const left = Math.max(0, Math.floor(Math.min(...xs)))
  const right = Math.min(size.width, Math.ceil(Math.max(...xs)))
  const top = Math.max(0, Math.floor(Math.min(...ys)))
  const bottom = Math.min(size.height, Math.ceil(Math.max(...ys)))
  // How the picture's own pixels change with each pixel of the paper, to the right and down.
  const { width, height, ink } = picture
  const across = { x: (d / determinant) * width, y: (b / determinant) * height }
  const down = { x: (-c / determinant) * width, y: (-a / determinant) * height }
  const grey = greyPixels(picture)
  // Of a finer picture several points are looked at for each pixel: one alone would tear thin lines.
  const finer = Math.min(4, Math.max(1, Math.round(Math.hypot(across.x, across.y))))
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      let sum = 0
      let hits = 0
      for (let part = 0; part < finer * finer; part++) {
        const px = x - e + ((part % finer) + 0.5) / finer
        const py = y - f + (Math.floor(part / finer) + 0.5) / finer
        const u = across.x * px + down.x * py
        const v = across.y * px + down.y * py + height
        if (u < 0 || v < 0 || u >= width || v >= height) continue
        if (finer === 1) sum += between(grey, u - 0.5, v - 0.5, width, height)
        else sum += grey[Math.floor(v) * width + Math.floor(u)] ?? 0
        hits++
      }
      if (hits === 0) continue
      const at = y * size.width + x
      const value = sum / hits
      // A mask lets through what lies below it.
      if (picture.kind === 'mask') paper[at] = (paper[at] ?? 255) * (1 - value / 255) + ink * (value / 255)
      else paper[at] = value
    }
  }
}

/** The grey of every pixel, 0 to 255; of a mask, how much ink it lets through. */
function greyPixels({ data, kind, width, height }: PaintedPicture): Uint8Array {
  const grey = new Uint8Array(width * height)
  const at = (index: number) => data[index] ?? 0
  if (kind === 'bits' || kind === 'mask') {
    const rowBytes = (width + 7) >> 3
    const [clear, set] = kind === 'bits' ? [0, 255] : [255, 0]
    for (let y = 0, to = 0; y < height; y++)
      for (let x = 0; x < width; x++, to++) grey[to] = at(y * rowBytes + (x >> 3)) & (128 >> (x & 7)) ? set : clear
    return grey
  }
  const step = kind === 'rgb' ? 3 : 4
  for (let to = 0, from = 0; to < grey.length; to++, from += step) {
    const value = 0.3 * at(from) + 0.59 * at(from + 1) + 0.11 * at(from + 2)
    const alpha = kind === 'rgb' ? 1 : at(from + 3) / 255
    grey[to] = value * alpha + 255 * (1 - alpha)
  }
  return grey
}

/** The grey at a point, by the four pixels around it. */
function between(grey: Uint8Array, u: number, v: number, width: number, height: number): number {
  const x = Math.max(0, Math.floor(u))
  const y = Math.max(0, Math.floor(v))
  const right = Math.min(width - 1, x + 1) - x
  const below = (Math.min(height - 1, y + 1) - y) * width
  const dx = Math.max(0, u - x)
  const dy = Math.max(0, v - y)
  const at = y * width + x
  const upper = (grey[at] ?? 0) * (1 - dx) + (grey[at + right] ?? 0) * dx
  return upper * (1 - dy) + ((grey[at + below] ?? 0) * (1 - dx) + (grey[at + below + right] ?? 0) * dx) * dy
}

function dotsAnInch({ width, place: [a, b] }: PaintedPicture): number {
  return (72 * width) / Math.max(1, Math.hypot(a, b))
}

function matrixOf(values: readonly unknown[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values.map(Number)
  return [a, b, c, d, e, f]
}

/** First the right one, then the left one. */
function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

function greyOf(colour: unknown): number {
  const parts = typeof colour === 'string' ? /^#(..)(..)(..)$/.exec(colour) : null
  if (!parts) return 0
  const [red = 0, green = 0, blue = 0] = parts.slice(1).map((part) => Number.parseInt(part, 16))
  return 0.3 * red + 0.59 * green + 0.11 * blue
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
