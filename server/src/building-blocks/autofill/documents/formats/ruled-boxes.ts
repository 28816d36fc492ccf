// Forms draw a box around each of their fields: a caption, in small print at its top, and below it what was filled in.
// Boxes stand side by side at any height, so lines of text that run across the page mix them; the rules tell them apart.
import { type PlacedField, type PlacedText, piecesInRows } from './text-layout.ts'

/** A straight line on the page: where it stands, and from where to where it runs. */
interface Rule {
  at: number
  from: number
  to: number
}

export interface Rules {
  across: Rule[]
  down: Rule[]
  /** Boxes to tick. */
  squares: { left: number; right: number; top: number; bottom: number }[]
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
  pieces: PlacedText[]
}

/** Beyond these a box is a frame around other things. */
const tallest = 90
const longestCaption = 120
const mostRows = 7
/** More text is no form. */
const mostPieces = 2_500
/** In heights of letters. */
const widestGap = 2.5
/** In letters. */
const farthestCut = 4
/** How much larger letters are that were filled in. */
const larger = 0.4

/** Tells each piece the box it stands in, and the first of what was filled into a box the caption of that box. */
export function placeInBoxes(pieces: readonly PlacedText[], rules: Rules | undefined): readonly PlacedText[] {
  if (!rules || pieces.length > mostPieces || rules.across.length < 2 || rules.down.length === 0) return pieces
  const boxes = new Map<string, Box>()
  const placed = pieces
    .flatMap((piece) => splitAtRules(piece, rules))
    .map((piece) => {
      if (piece.text.trim() === '') return piece
      const box = boxAround(piece, rules)
      const key = keyOf(box)
      const own = { ...piece, column: Math.round(box.left) }
      const known = boxes.get(key) ?? { ...box, pieces: [] }
      known.pieces.push(own)
      boxes.set(key, known)
      return own
    })
  for (const box of boxes.values()) nameValue(box)
  return placed
}

/** `City or town State`, drawn at once over two boxes: cut at the space that is nearest to the rule. */
function splitAtRules(piece: PlacedText, { down }: Rules): PlacedText[] {
  const { text, x, y, width, height } = piece
  if (!/\p{L} \p{L}/u.test(text)) return [piece]
  const middle = y - height * 0.35
  const rule = down.find(
    ({ at, from, to }) => at > x + height && at < x + width - height && from < middle && to > middle,
  )
  if (!rule) return [piece]
  const aim = ((rule.at - x) / width) * text.length
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index)
  const cut = spaces.toSorted((a, b) => Math.abs(a - aim) - Math.abs(b - aim))[0] ?? 0
  // Letters are not all as wide as each other.
  if (Math.abs(cut - aim) > farthestCut) return [piece]
  const left = (width * cut) / text.length
  return [
    { ...piece, text: text.slice(0, cut), width: Math.min(left, rule.at - x) },
    ...splitAtRules(
      { ...piece, text: text.slice(cut + 1), x: rule.at + 1, width: x + width - rule.at - 1 },
      { across: [], down: down.filter((one) => one.at > rule.at), squares: [] },
    ),
  ]
}

/** Fields of a form that say nothing of themselves, with what is printed in their boxes. */
export function nameFields(
  fields: readonly PlacedField[],
  pieces: readonly PlacedText[],
  rules: Rules | undefined,
): readonly PlacedField[] {
  if (!rules || pieces.length > mostPieces || fields.every(({ name }) => name !== '')) return fields
  const printed = new Map<string, PlacedText[]>()
  for (const piece of pieces) {
    if (piece.text.trim() === '') continue
    const key = keyOf(boxAround(piece, rules))
    printed.set(key, [...(printed.get(key) ?? []), piece])
  }
  return fields.map((field) => {
    if (field.name !== '') return field
    const { left, top, bottom } = field
    const box = boxAround({ text: field.text, x: left + 1, y: (top + bottom) / 2 + 3, width: 6, height: 8 }, rules)
    if (box.top < 0 || box.bottom - box.top > tallest) return field
    const caption = (printed.get(keyOf(box)) ?? [])
      // What stands beside the field is the label of its row.
      .filter(({ y }) => y < (top + bottom) / 2)
      .map(({ text }) => text.trim())
      .join(' ')
    return /\p{L}{2}/u.test(caption) && caption.length <= longestCaption ? { ...field, name: caption } : field
  })
}

function keyOf({ left, top, right, bottom }: Omit<Box, 'pieces'>): string {
  return [left, top, right, bottom].map(Math.round).join()
}

function boxAround({ x, y, width, height }: PlacedText, { across, down }: Rules): Omit<Box, 'pieces'> {
  // A point within the first letters: a text may run over the rule on its right.
  const [px, py] = [x + Math.min(width / 2, 3), y - height * 0.35]
  const box = { left: -1, top: -1, right: Infinity, bottom: Infinity }
  for (const { at, from, to } of across) {
    if (from > px + 1 || to < px - 1) continue
    if (at < py) box.top = Math.max(box.top, at)
    else box.bottom = Math.min(box.bottom, at)
  }
  for (const { at, from, to } of down) {
    if (from > py + 1 || to < py - 1) continue
    if (at < px) box.left = Math.max(box.left, at)
    else box.right = Math.min(box.right, at)
  }
  return box
}

function nameValue({ top, bottom, pieces }: Box): void {
  if (top < 0 || bottom - top > tallest) return
  const rows = piecesInRows(pieces).map((row) => row.toSorted((a, b) => a.x - b.x))
  const [first = []] = rows
  if (rows.length < 2 || rows.length > mostRows) return
  const fonts = new Set(first.map(({ font }) => font))
  const height = Math.max(...first.map((piece) => piece.height))
  const isFilled = (piece: PlacedText) => piece.height > height + larger || !fonts.has(piece.font)
  const at = rows.findIndex((row, index) => index > 0 && row.every(isFilled))
  const [captions, filled = []] = [rows.slice(0, at), rows[at]]
  const value = filled.find(({ text }) => /[\p{L}\p{N}]/u.test(text))
  // `Name of entity/individual. An entry is required. (For a sole proprietor …`: the first sentence is the caption.
  const text = captions
    .flat()
    .map((piece) => piece.text.trim())
    .join(' ')
    .replace(/(?<=\p{L}{4})\.\s\p{Lu}.*$/u, '')
  // A heading is larger than what stands below it, and columns without a rule between them are a table.
  const isCaption =
    at > 0 &&
    captions.every(isOneText) &&
    isOneText(filled) &&
    height <= Math.max(...filled.map((piece) => piece.height)) + larger &&
    /\p{L}{2}/u.test(text) &&
    // `Permanent staff: 11` has a label of its own.
    !filled.some((piece) => /\p{L}:\s/u.test(piece.text)) &&
    !/[$£€]\s?\d|\d[.,]\d\d\b|\d{5}/.test(text) &&
    text.length <= longestCaption
  if (isCaption && value) value.caption = text
}

/** Whether nothing stands apart in a row but the number of the box, or a sign before an amount. */
function isOneText(row: readonly PlacedText[]): boolean {
  return row.every((piece, index) => {
    const before = row[index - 1]
    const isMark = index === 1 && (before?.text.trim().length ?? 0) <= 3
    return !before || isMark || piece.x - before.x - before.width <= widestGap * piece.height
  })
}
