// The pictures of a PDF page, put together into the one grey picture that the page shows. Scanners write a page as one
// picture, as strips, or as a background with a mask of black letters on it; nothing else is drawn here.
import { matrixOf, operators, type PaintedPage, stepsOf } from './pdf-operators.ts'
import { type Matrix, type PaintedPicture, paint, times } from './picture-painting.ts'
import type { Picture } from './tesseract.ts'

/** What is needed of a page of pdf.js. */
export interface PdfPage extends PaintedPage {
  getViewport(options: { scale: number }): { width: number; height: number; transform: unknown[] }
  objs: ObjectStore
  commonObjs: ObjectStore
}
interface ObjectStore {
  get(id: string, callback: (value: unknown) => void): unknown
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
  const OPS = await operators()
  const found: PaintedPicture[] = []
  const kept: number[] = []
  let ink = 0
  for await (const { operator, args, matrix } of stepsOf(page)) {
    const [first] = Array.isArray(args) ? args : []
    const add = async (given: unknown, isMask: boolean, own?: Matrix) => {
      const image = await imageOf(page, given)
      const kind = isMask ? 'mask' : image && kinds[Number(image.kind)]
      if (!image || !kind || found.length >= mostPictures) return
      const { width, height, data } = image
      found.push({ width, height, data, kind, ink, place: own ? times(matrix, own) : matrix })
    }
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) kept.push(ink)
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) ink = kept.pop() ?? ink
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

function dotsAnInch({ width, place: [a, b] }: PaintedPicture): number {
  return (72 * width) / Math.max(1, Math.hypot(a, b))
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
