// The pieces of text of a page of pdf.js, where they stand.
import type { PlacedText } from './text-layout.ts'

export interface PdfPiece {
  str: string
  transform: unknown[]
  width: number
  height: number
  fontName?: unknown
}

/** Where a piece stands as the page is shown, that is after the page's own rotation. */
export function placeOf(item: PdfPiece, page: readonly number[]): PlacedText {
  const [a = 1, b = 0, c = 0, d = -1, e = 0, f = 0] = page
  const [, , tc = 0, td = 0, x = 0, y = 0] = item.transform.map(Number)
  const height = item.height || Math.hypot(tc, td) || 1
  const font = String(item.fontName ?? '')
  return { text: item.str, x: a * x + c * y + e, y: b * x + d * y + f, width: item.width, height, font }
}
