// What tags join must also stand together on the page: who looks at it sees what is drawn, and nothing of the tags.
import type { Line } from './document-text.ts'
import type { PlacedText } from './text-layout.ts'

interface Box {
  left: number
  right: number
  top: number
  /** The last baseline. */
  bottom: number
  height: number
}

/** In heights of letters, from baseline to baseline: lines that are farther apart are no one text. */
const farthest = 4
/** In heights of letters: what is higher or lower than its row by more stands in another one. */
const offRow = 0.3

/** The lines of a text, and what stands far below them as a text of its own. */
export function textsApart(pieces: readonly PlacedText[]): PlacedText[][] {
  const texts: PlacedText[][] = []
  let above: PlacedText | undefined
  for (const piece of pieces.toSorted((a, b) => a.y - b.y)) {
    const isFar = above !== undefined && piece.y - above.y > farthest * Math.max(piece.height, above.height)
    const last = texts.at(-1)
    if (last && !isFar) last.push(piece)
    else texts.push([piece])
    above = piece
  }
  return texts
}

/** Whether none of the blocks of a cell stands far from the one before it. */
export function isTogether(blocks: readonly Box[]): boolean {
  return blocks.every((block, index) => {
    const above = blocks[index - 1]
    if (!above) return true
    const most = farthest * Math.max(block.height, above.height)
    return block.top - above.bottom < most && above.top - block.bottom < most
  })
}

/** The cells of a row, those apart that stand above or below the others. */
export function levelCells<T extends { place: Box }>(row: readonly T[]): T[][] {
  const levels: T[][] = []
  const levelOf = new Map<T, T[]>()
  let bottom = Number.NEGATIVE_INFINITY
  for (const cell of row.toSorted((a, b) => a.place.top - b.place.top)) {
    if (cell.place.top >= bottom + offRow * cell.place.height) levels.push([])
    bottom = Math.max(bottom, cell.place.bottom)
    levelOf.set(cell, levels.at(-1) ?? [])
  }
  // From left to right, as they are told.
  for (const cell of row) levelOf.get(cell)?.push(cell)
  return levels
}

/** `Total revenue` and, right behind it, `of our supplier` are one text, whatever the tags say. */
export function withWholeTexts(line: Line, height: number): Line {
  const cells: Line = []
  for (const cell of line) {
    const before = cells.at(-1)
    const goesOn = /^\p{Ll}{2}/u.test(cell.text) && /\p{L}$/u.test(before?.text ?? '')
    if (before && goesOn && cell.left - before.right <= space * height)
      cells.splice(-1, 1, { ...before, text: `${before.text} ${cell.text}`, right: cell.right })
    else cells.push(cell)
  }
  return cells
}
/** In heights of letters: what is farther apart is no space between words. */
const space = 0.5

/** Whether other text stands between what tags put together. */
export function createGaps(pieces: readonly PlacedText[]) {
  const words = pieces.filter(({ text }) => /[\p{L}\d]/u.test(text)).sort((a, b) => middleOf(a) - middleOf(b))
  const firstBelow = (top: number): number => {
    let [low, high] = [0, words.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const word = words[middle]
      if (word && middleOf(word) > top) high = middle
      else low = middle + 1
    }
    return low
  }
  const holds = ({ left, right, top, bottom }: Omit<Box, 'height'>): boolean => {
    for (let at = firstBelow(top); at < words.length; at++) {
      const word = words[at]
      if (!word || middleOf(word) >= bottom) return false
      const middle = word.x + word.width / 2
      if (middle > left && middle < right) return true
    }
    return false
  }
  return {
    /** Between two cells of a row. */
    beside: (before: Box, next: Box): boolean =>
      holds({
        left: before.right,
        right: next.left,
        top: Math.max(before.top, next.top),
        bottom: Math.min(before.bottom, next.bottom),
      }),
    /** In their column between two rows, whichever of them is the higher one. */
    between: (before: Box, next: Box): boolean =>
      holds({
        left: Math.max(before.left, next.left),
        right: Math.min(before.right, next.right),
        top: Math.min(before.bottom, next.bottom),
        bottom: Math.max(before.top, next.top),
      }),
  }
}

/** Between its baseline and the top of its letters. */
function middleOf({ y, height }: PlacedText): number {
  return y - 0.4 * height
}
