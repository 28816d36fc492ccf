// Puts the pieces of text of a page, which come in any order, back into lines by where they stand.

export interface PlacedText {
  text: string
  /** From the left and from the top, in points; y is the baseline. */
  x: number
  y: number
  width: number
  height: number
}

/** Lines from top to bottom; two spaces where a gap is as wide as a column's, an empty line where a block ends. */
export function layOutLines(pieces: readonly PlacedText[]): string[] {
  const sorted = pieces.filter(({ text }) => text.trim() !== '').sort((a, b) => a.y - b.y || a.x - b.x)
  const rows: PlacedText[][] = []
  for (const piece of sorted) {
    const row = rows.at(-1)
    const first = row?.[0]
    // Superscripts and mixed sizes stand a little off the baseline of their line.
    if (row && first && piece.y - first.y <= 0.45 * Math.min(piece.height, first.height)) row.push(piece)
    else rows.push([piece])
  }

  const lines: string[] = []
  let previous: PlacedText | undefined
  for (const row of rows) {
    row.sort((a, b) => a.x - b.x)
    const [first] = row
    if (!first) continue
    if (previous && first.y - previous.y > 1.9 * Math.max(first.height, previous.height)) lines.push('')
    lines.push(joinRow(row))
    previous = first
  }
  return lines
}

function joinRow(row: readonly PlacedText[]): string {
  let line = ''
  let end = 0
  for (const piece of row) {
    const gap = piece.x - end
    const text = piece.text.replace(/\t| {3,}/g, '  ').trim()
    if (line === '') line = text
    else if (gap > 0.9 * piece.height) line += `  ${text}`
    else if (gap > 0.12 * piece.height || piece.text.startsWith(' ')) line += ` ${text}`
    else line += text
    end = Math.max(end, piece.x + piece.width)
  }
  return line
}
