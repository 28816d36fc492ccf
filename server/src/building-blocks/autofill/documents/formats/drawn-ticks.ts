// Boxes to tick that a page draws, as a printed form has them. What stands in one ticks it.
import type { Rules } from './ruled-boxes.ts'
import type { PlacedField, PlacedText } from './text-layout.ts'

type Square = Rules['squares'][number]

const ticks = /^[Xx✓✔✗✘☒☑]$/
/** How the font ZapfDingbats writes its ticks and crosses. */
const dingbats = /^[48]$/
/** Squares as close as that hold a letter each. */
const closest = 3
const mostSquares = 400

/** The text of a page with its boxes, those of its fields apart. */
export function withDrawnTicks(
  pieces: readonly PlacedText[],
  rules: Rules | undefined,
  fields: readonly PlacedField[],
): readonly PlacedText[] {
  if (!rules || rules.squares.length === 0 || rules.squares.length > mostSquares) return pieces
  const squares = distinct(rules.squares).filter(
    (square, _, all) => !all.some((other) => other !== square && isBeside(square, other)) && !fields.some(isIn(square)),
  )
  const marks = new Map<PlacedText, Square>()
  const letters = mostCommon(pieces.map(({ font }) => font ?? ''))
  const isTick = ({ text, font }: PlacedText) =>
    ticks.test(text.trim()) || (dingbats.test(text.trim()) && font !== undefined && font !== letters)
  const empty = squares.filter((square) => {
    const inside = pieces.filter((piece) => piece.text.trim() !== '' && isWithin(piece, square))
    for (const piece of inside) if (isTick(piece)) marks.set(piece, square)
    return inside.length === 0
  })
  const drawn = empty.map((square) => placed('☐', square))
  return [
    ...pieces.map((piece) => {
      const square = marks.get(piece)
      return square ? placed('☒', square) : piece
    }),
    ...drawn,
  ]
}

function placed(text: string, { left, right, bottom }: Square): PlacedText {
  const size = right - left
  return { text, x: left, y: bottom - size * 0.1, width: size, height: size }
}

function mostCommon(fonts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const font of fonts) counts.set(font, (counts.get(font) ?? 0) + 1)
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])[0]
}

function isWithin({ x, y, width, height }: PlacedText, { left, right, top, bottom }: Square): boolean {
  const [middle, centre] = [x + width / 2, y - height * 0.35]
  return middle > left - 1 && middle < right + 1 && centre > top - 1 && centre < bottom + 1
}

function isBeside(a: Square, b: Square): boolean {
  const gap = Math.max(a.left, b.left) - Math.min(a.right, b.right)
  return Math.abs(a.top - b.top) < 1 && gap < closest
}

function isIn({ left, right, top, bottom }: Square) {
  return (field: PlacedField) =>
    field.left < right &&
    field.right > left &&
    field.top < bottom &&
    field.bottom > top &&
    field.right - field.left < 30
}

/** A box is often drawn twice: filled, and its edge. */
function distinct(squares: readonly Square[]): Square[] {
  const known = new Map<string, Square>()
  for (const square of squares) {
    const key = [square.left, square.top].map((side) => Math.round(side / 3)).join()
    if (!known.has(key)) known.set(key, square)
  }
  return [...known.values()]
}
