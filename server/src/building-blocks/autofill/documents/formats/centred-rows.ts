// Tables whose cells are set in the middle of their row, as browsers print them: a value of two lines has its label between
// them. The lines of such a cell become one, beside what stands in the middle.
import type { Cell } from './document-text.ts'

export interface Row {
  /** The baseline, from the top. */
  y: number
  height: number
  cells: Cell[]
}

interface Placed {
  cell: Cell
  row: Row
  index: number
}

/** The lines of one text, each right below the other. */
interface Stack {
  lines: Placed[]
  left: number
  right: number
  middle: number
  height: number
}

/** What begins, ends or has its middle at the same place, in points. */
const aligned = 3
const mostLines = 3
/** How many baselines away the next line of a text may be: those of other columns lie between. */
const farthestLine = 8
/** In heights of letters: how far the lines of one text are apart. */
const lineGap = { least: 0.9, most: 1.7 }
const offCentre = 0.2
/** Whatever belongs to another cell is farther away than the lines of this one are from each other. */
const apart = 1.15
/** How far apart the cells of a row may be, in points. */
const nearby = 320
/** How many others at the same height are looked at. */
const mostOthers = 40

/** `rows` from top to bottom. */
export function joinCentredRows(rows: readonly Row[]): Row[] {
  for (const { cells } of rows) cells.sort((a, b) => a.left - b.left)
  const stacks = stacksOf(rows).sort((a, b) => a.middle - b.middle)
  const gone = new Set<Cell>()
  const added = new Map<Row, Cell[]>()
  for (const [at, stack] of stacks.entries()) {
    if (stack.lines.length < 2 || isTable(stack)) continue
    const beside = besideOf(stacks, at)
    const odd = stack.lines.length % 2 === 1 ? stack : beside
    const target = odd?.lines[(odd.lines.length - 1) / 2]?.row
    if (!beside || !target) continue
    for (const { cell } of stack.lines) gone.add(cell)
    const own = added.get(target)
    if (own) own.push(joined(stack))
    else added.set(target, [joined(stack)])
  }
  if (gone.size === 0) return [...rows]
  const kept = (row: Row) => [...row.cells.filter((cell) => !gone.has(cell)), ...(added.get(row) ?? [])]
  return rows.map((row) => ({ ...row, cells: kept(row) })).filter(({ cells }) => cells.length > 0)
}

/** Where every line has something beside it, or an amount at its end, the lines are rows of their own. */
function isTable({ lines }: Stack): boolean {
  const isAmount = ({ cell }: Placed) => /\d[.,]\d\d$/.test(cell.text)
  return lines.every(({ row }) => row.cells.length > 1) || lines.filter(isAmount).length > 1
}

/** A cell with its middle at the same height, and an odd number of lines where this one has an even one. */
function besideOf(stacks: readonly Stack[], at: number): Stack | undefined {
  const own = stacks[at]
  if (!own) return undefined
  const isBeside = (other: Stack) =>
    (other.lines.length - own.lines.length) % 2 !== 0 &&
    (other.right < own.left
      ? own.left - other.right < nearby
      : other.left > own.right && other.left - own.right < nearby)
  for (const step of [-1, 1])
    for (let count = 1; count <= mostOthers; count++) {
      const other = stacks[at + step * count]
      if (!other || Math.abs(other.middle - own.middle) > offCentre * own.height) break
      if (isBeside(other)) return other
    }
  return undefined
}

function stacksOf(rows: readonly Row[]): Stack[] {
  const placed = rows.flatMap((row, index) => row.cells.map((cell): Placed => ({ cell, row, index })))
  const followers = new Set<Cell>()
  const next = new Map<Cell, Placed>()
  for (const one of placed) {
    const below = nearest(rows, one, 1)
    if (!below || !isAligned(one.cell, below.cell) || !isLineGap(one.row, below.row)) continue
    const [above, beyond] = [nearest(rows, one, -1), nearest(rows, below, 1)]
    const gap = (below.row.y - one.row.y) / apart
    const isOtherNearer = (above && one.row.y - above.row.y < gap) || (beyond && beyond.row.y - below.row.y < gap)
    if (isOtherNearer) continue
    next.set(one.cell, below)
    followers.add(below.cell)
  }
  return placed.flatMap((first): Stack[] => {
    if (followers.has(first.cell) || first.cell.field !== undefined) return []
    const lines = [first]
    for (let below = next.get(first.cell); below && lines.length <= mostLines; below = next.get(below.cell))
      lines.push(below)
    const stack = lines.length > mostLines ? undefined : stackOf(rows, lines)
    return stack ? [stack] : []
  })
}

/** Undefined where something stands so near that it may be one of its lines. */
function stackOf(rows: readonly Row[], lines: Placed[]): Stack | undefined {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return undefined
  const height = Math.max(...lines.map(({ row }) => row.height))
  const gap = lines.length > 1 ? (last.row.y - first.row.y) / (lines.length - 1) : lineGap.least * height
  const isEven = lines.every(({ row }, index) => Math.abs(row.y - first.row.y - index * gap) <= 0.15 * height)
  const [above, below] = [nearest(rows, first, -1), nearest(rows, last, 1)]
  const isApart =
    (!above || first.row.y - above.row.y > apart * gap) && (!below || below.row.y - last.row.y > apart * gap)
  if (!isEven || !isApart) return undefined
  return {
    lines,
    left: Math.min(...lines.map(({ cell }) => cell.left)),
    right: Math.max(...lines.map(({ cell }) => cell.right)),
    middle: (first.row.y + last.row.y) / 2,
    height,
  }
}

/** The next cell above or below in the same column. */
function nearest(rows: readonly Row[], { cell, index }: Placed, step: 1 | -1): Placed | undefined {
  for (let at = index + step; at >= 0 && at < rows.length && Math.abs(at - index) <= farthestLine; at += step) {
    const row = rows[at]
    const found = row && overlapping(row.cells, cell)
    if (found) return { cell: found, row, index: at }
  }
  return undefined
}

/** Of cells from left to right, the first that shares a part of the width of another. */
function overlapping(cells: readonly Cell[], { left, right }: Cell): Cell | undefined {
  let [low, high] = [0, cells.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cells[middle]?.right ?? 0) > left) high = middle
    else low = middle + 1
  }
  const found = cells[low]
  return found && found.left < right ? found : undefined
}

function isAligned(a: Cell, b: Cell): boolean {
  const offsets = [a.left - b.left, a.right - b.right, (a.left + a.right - b.left - b.right) / 2]
  return a.field === undefined && b.field === undefined && offsets.some((offset) => Math.abs(offset) <= aligned)
}

/** What is set in other letters is a caption. */
function isLineGap(a: Row, b: Row): boolean {
  if (Math.abs(a.height - b.height) > 0.06 * Math.max(a.height, b.height)) return false
  const gap = (b.y - a.y) / Math.max(a.height, b.height)
  return gap >= lineGap.least && gap <= lineGap.most
}

function joined({ lines, left, right }: Stack): Cell {
  const sureness = lines.flatMap(({ cell }) => (cell.sureness === undefined ? [] : [cell.sureness]))
  return {
    text: lines.map(({ cell }) => cell.text).join(' '),
    lines: lines.map(({ cell }) => cell.text),
    left,
    right,
    ...(sureness.length > 0 && { sureness: Math.min(...sureness) }),
  }
}
