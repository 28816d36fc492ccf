// The lines of a page as the document itself tells what belongs together: browsers and office programs write into a PDF
// which text is a paragraph, a row or a cell. Side by side on the page, two blocks are two; a cell of three lines is one.
import { createGaps, isTogether, levelCells, textsApart, withWholeTexts } from './as-drawn.ts'
import { holdsAddress, textOfCell } from './cell-text.ts'
import type { Cell, Line } from './document-text.ts'
import { layOutLines, type PlacedText } from './text-layout.ts'

/** What a document says of a part of a page, or the text itself. */
export type Tagged = TaggedPart | { pieces: readonly PlacedText[] }

interface TaggedPart {
  role: string
  parts: readonly Tagged[]
}

/** Undefined where a page shows another order. */
export function layOutTagged(tagged: Tagged): Line[] | undefined {
  const layout = createLayout(piecesOf(tagged))
  layout.add(tagged)
  return layout.finish()
}

/** A paragraph, or whatever else has only text in it. */
interface Block {
  lines: Line[]
  left: number
  right: number
  top: number
  /** The last baseline. */
  bottom: number
  height: number
}

/** What is set beside each other: a line of cells with the place of all of them. */
interface Row extends Omit<Block, 'lines'> {
  cells: Line
  /** Nothing else stands between it and the row before. */
  goesOn: boolean
}

/** More lines than that are no label and no value. */
const mostLines = 4
/** And more cells no line. */
const mostCells = 40
/** Cells with more blocks than that are columns of the page. */
const mostBlocks = 3
/** In heights of letters, from baseline to baseline: what is farther apart are two paragraphs. */
const farApart = 1.9

function createLayout(pieces: readonly PlacedText[]) {
  const gaps = createGaps(pieces)
  const rows: Row[] = []
  /** The block that ends the rows so far, and how many rows it has. */
  let last: { block: Block; rows: number } | undefined

  const add = (tagged: Tagged): void => {
    if ('parts' in tagged && tagged.role === 'Table') addTable(tagged)
    else if (!('parts' in tagged) || isBlock(tagged)) for (const block of textBlocksOf(tagged)) addBlock(block)
    else if (isAddressRow(tagged)) addTable({ role: 'Table', parts: [{ role: 'TR', parts: tagged.parts.map(asCell) }] })
    else for (const part of tagged.parts) add(part)
  }

  const addBlock = (block: Block) => {
    if (stoodBeside(block)) return
    if (isShortText(block))
      block.lines = [cellsOf(block, false).map(({ text, left, right }) => ({ text, left, right }))]
    for (const [index, cells] of block.lines.entries()) rows.push({ ...block, cells, goesOn: index > 0 })
    last = { block, rows: block.lines.length }
  }

  /** A label and its value: one of them may have several lines. */
  const stoodBeside = (block: Block): boolean => {
    const before = last?.block
    if (!before || block.left < before.right - 2 || (before.lines[0]?.length ?? 0) > mostCells) return false
    const shared = Math.min(block.bottom, before.bottom) - Math.max(block.top, before.top)
    const least = Math.min(block.bottom - block.top, before.bottom - before.top)
    const counts = [block.lines.length, before.lines.length]
    if (shared <= least / 2 || Math.min(...counts) > 1 || Math.max(...counts) > mostLines) return false
    if (gaps.beside(before, block)) return false
    const replaced = rows.splice(-(last?.rows ?? 0))
    const cells = withWholeTexts([...cellsOf(before, false), ...cellsOf(block, true)], block.height)
    const row = { ...around([before, block]), cells, goesOn: replaced[0]?.goesOn ?? false }
    rows.push(row)
    last = { block: { ...row, lines: [cells] }, rows: 1 }
    return true
  }

  /** A row ends where other text stands before its next cell. */
  const withoutGaps = <T extends { block: Block }>(row: readonly T[]): T[][] => {
    const rows: T[][] = []
    for (const cell of row) {
      const own = rows.at(-1)
      const before = own?.at(-1)
      if (own && before && !gaps.beside(before.block, cell.block)) own.push(cell)
      else rows.push([cell])
    }
    return rows
  }

  const addTable = (table: TaggedPart) => {
    last = undefined
    let goesOn = false
    for (const filled of rowsOf(table).flatMap(filledIn)) {
      const mostOfAll = Math.max(...filled.map(({ blocks }) => blocks.length))
      const isLayout = filled.some(
        ({ cell, blocks }) =>
          holdsTable(cell) || !isTogether(blocks) || blocks.some(({ lines }) => lines.length > mostLines * 2),
      )
      if (isLayout || mostOfAll > mostBlocks || (filled.length === 1 && mostOfAll > 1)) {
        for (const { cell } of filled) {
          last = undefined
          for (const part of cell.parts) add(part)
        }
        last = undefined
        goesOn = false
        continue
      }
      // Captions over what is filled in: each cell of the row has both.
      const isCaptioned = filled.filter(({ blocks }) => blocks.length > 1).length * 2 > filled.length
      const levels = isCaptioned
        ? Array.from({ length: mostOfAll }, (_, level) =>
            filled.flatMap(({ blocks }) => blocks.slice(level, level + 1)),
          )
        : withRemarksBelow(filled.map(({ blocks }) => blocks))
      for (const [level, blocks] of levels.entries()) {
        const cells = blocks.map((block, index) => ({ block, isValue: index > 0 || level > 0 }))
        for (const row of withoutGaps(cells)) {
          const own = row.flatMap(({ block, isValue }) => cellsOf(block, isValue))
          rows.push({ ...around(row.map(({ block }) => block)), cells: own, goesOn })
          goesOn = true
        }
      }
    }
    last = undefined
  }

  const finish = (): Line[] | undefined => {
    const lines: Line[] = []
    let previous: Row | undefined
    for (const [index, row] of rows.entries()) {
      if (previous && gaps.between(previous, row)) return undefined
      if (previous && isFar(previous, row)) lines.push([])
      const next = rows[index + 1]
      const above = previous && !isFar(previous, row) && isTile(previous, row) && (!next || isFar(row, next))
      if (above && previous) lines.splice(-1, 1, [...row.cells, ...previous.cells])
      else lines.push(row.cells)
      previous = row
    }
    return lines
  }

  return { add, finish }
}

function isFar(above: Row, { top, height, goesOn }: Row): boolean {
  const most = Math.max(height, above.height)
  return !goesOn && (top < above.top - most || top - above.bottom > (farApart - letters) * most)
}

/** A large figure, and small below it what it is: `64` over `Employees`. */
function isTile(figure: Row, { cells, height }: Row): boolean {
  const [value, ...others] = figure.cells
  const [caption, ...more] = cells
  if (!value || !caption || others.length + more.length > 0 || figure.height < larger * height) return false
  return /\d/.test(value.text) && /\p{L}{3}/u.test(caption.text) && !/\d/.test(caption.text)
}
const larger = 1.2

/** How much of the height of a line stands above its baseline. */
const letters = 0.8

function textBlocksOf(tagged: Tagged): Block[] {
  const texts = textsApart(piecesOf(tagged).filter(({ text }) => text.trim() !== ''))
  return texts.flatMap((pieces) => known(blockOf({ pieces })))
}

function blockOf(tagged: Tagged): Block | undefined {
  const pieces = piecesOf(tagged).filter(({ text }) => text.trim() !== '')
  const lines = layOutLines(pieces).filter((line) => line.length > 0)
  if (lines.length === 0) return undefined
  return pieces.reduce<Block>(
    (block, { x, y, width, height }) => ({
      lines,
      left: Math.min(block.left, x),
      right: Math.max(block.right, x + width),
      top: Math.min(block.top, y - letters * height),
      bottom: Math.max(block.bottom, y),
      height: Math.max(block.height, height),
    }),
    { lines, left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, height: 0 },
  )
}

function cellsOf({ lines, left, right }: Block, isValue: boolean): Line {
  const [first = []] = lines
  if (lines.length === 1) return first
  const texts = lines.map((line) => line.map(({ text }) => text).join(' '))
  const cell: Cell = { text: textOfCell(texts, isValue), lines: texts, left, right }
  return [cell]
}

/** A row of cells, and below it what some of them say in smaller letters. */
function withRemarksBelow(cells: readonly Block[][]): Block[][] {
  const split = cells.map((blocks) => {
    const height = blocks[0]?.height ?? 0
    const at = blocks.findIndex((block) => block.height < smaller * height)
    return at === -1 ? [joinedBlock(blocks)] : [joinedBlock(blocks.slice(0, at)), joinedBlock(blocks.slice(at))]
  })
  const remarks = split.flatMap(([, remark]) => (remark ? [remark] : []))
  const row = split.flatMap(([block]) => (block ? [block] : []))
  return remarks.length > 0 ? [row, remarks] : [row]
}
const smaller = 0.93

/** A caption that a narrow column has broken, or a few words; lines with numbers may be those of an address. */
function isShortText({ lines }: Block): boolean {
  if (lines.length < 2 || lines.length > 3 || lines.some((line) => line.length > 1)) return false
  const text = lines.map(([cell]) => cell?.text ?? '').join(' ')
  return text.length <= longestCaption && !/\d/.test(text.replace(/\([^()]*\)|\b(?:19|20)\d\d\b/g, ''))
}
const longestCaption = 80

/** Beside its label an address has a line for each part, which browsers tell apart as they do paragraphs. */
function withWholeAddress<T extends { blocks: Block[] }>(row: readonly T[]): T[] {
  return row.map((own, at) => {
    const [first] = own.blocks
    const isWhole =
      at > 0 &&
      first !== undefined &&
      own.blocks.length > 1 &&
      own.blocks.length <= mostLinesOfAddress &&
      row.every(({ blocks }, other) => other === at || blocks.length === 1) &&
      own.blocks.every(
        ({ lines, height }) => lines.length === 1 && lines[0]?.length === 1 && height === first.height,
      ) &&
      holdsAddress(own.blocks.flatMap(({ lines }) => lines.flat().map(({ text }) => text)))
    return isWhole ? { ...own, blocks: [joinedBlock(own.blocks)] } : own
  })
}
const mostLinesOfAddress = 7
/** Of text, in a label and an address. */
const mostPieces = 40

/** A label and an address beside it, where the table or the boxes of a page are not told as such. */
function isAddressRow({ role, parts }: TaggedPart): boolean {
  if (piecesOf({ role, parts }).length > mostPieces) return false
  const [label, value, ...more] = parts.filter((part) => piecesOf(part).some(({ text }) => text.trim() !== ''))
  if (!label || !value || more.length > 0 || !('parts' in value) || isBlock(value)) return false
  const [[beside, ...others], blocks] = [blocksOf(label), blocksOf(value)]
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!beside || !first || !last || others.length > 0) return false
  const isBeside = blocks.every(({ left }) => left >= beside.right - 2)
  const isLevel = beside.bottom > first.top && beside.top < last.bottom
  return isBeside && isLevel && withWholeAddress([{ blocks: [beside] }, { blocks }])[1]?.blocks.length === 1
}

function asCell(part: Tagged): TaggedPart {
  return { role: 'TD', parts: 'parts' in part && !isBlock(part) ? part.parts : [part] }
}

function joinedBlock(blocks: readonly Block[]): Block {
  return { ...around(blocks), lines: blocks.flatMap(({ lines }) => lines) }
}

function around(blocks: readonly Omit<Block, 'lines'>[]): Omit<Block, 'lines'> {
  return {
    left: Math.min(...blocks.map(({ left }) => left)),
    right: Math.max(...blocks.map(({ right }) => right)),
    top: Math.min(...blocks.map(({ top }) => top)),
    bottom: Math.max(...blocks.map(({ bottom }) => bottom)),
    height: Math.max(...blocks.map(({ height }) => height)),
  }
}

export function piecesOf(tagged: Tagged): readonly PlacedText[] {
  return 'parts' in tagged ? tagged.parts.flatMap(piecesOf) : tagged.pieces
}

/** Text, and words of it that are set apart or lead elsewhere. */
function isText(tagged: Tagged): boolean {
  return !('parts' in tagged) || (inline.has(tagged.role) && tagged.parts.every(isText))
}
const inline = new Set(['Span', 'Link', 'NonStruct', 'Em', 'Strong', 'Quote', 'Reference', 'Code', 'Annot'])

/** Its parts are one text: a paragraph has words in bold, but a part without a meaning may hold several paragraphs. */
function isBlock({ role, parts }: TaggedPart): boolean {
  return parts.every(isText) && (!inline.has(role) || parts.every((part) => !('parts' in part)))
}

/** What a cell holds. Browsers do not tell a paragraph in it from words in bold: what begins a line is one of its own. */
function blocksOf(cell: Tagged): Block[] {
  if (!('parts' in cell)) return textBlocksOf(cell)
  if (!isBlock(cell)) return cell.parts.flatMap(blocksOf)
  if (paragraphs.test(cell.role)) return textBlocksOf(cell)
  const groups: Tagged[][] = []
  let bottom = 0
  for (const part of cell.parts) {
    const block = blockOf(part)
    if (!block) continue
    const group = groups.at(-1)
    if (group && block.top < bottom) group.push(part)
    else groups.push([part])
    bottom = block.bottom
  }
  return groups.flatMap((parts) => textBlocksOf({ role: 'P', parts }))
}
const paragraphs = /^(?:P|H\d?|LBody|Lbl|Caption)$/

function known(block: Block | undefined): Block[] {
  return block ? [block] : []
}

function rowsOf({ parts }: TaggedPart): TaggedPart[][] {
  return parts.flatMap((part) => {
    if (!('parts' in part) || part.role === 'Table') return []
    return part.role === 'TR' ? [part.parts.filter(isCell)] : rowsOf(part)
  })
}

/** The cells of a row that have text; those that stand above or below the others are a row of their own. */
function filledIn(row: readonly TaggedPart[]): { cell: TaggedPart; blocks: Block[] }[][] {
  const cells = row.map((cell) => ({ cell, blocks: blocksOf(cell) })).filter(({ blocks }) => blocks.length > 0)
  const placed = withWholeAddress(cells).map((own) => ({ ...own, place: around(own.blocks) }))
  return levelCells(placed)
}

function isCell(tagged: Tagged): tagged is TaggedPart {
  return 'parts' in tagged && (tagged.role === 'TD' || tagged.role === 'TH')
}

function holdsTable(tagged: Tagged): boolean {
  return 'parts' in tagged && (tagged.role === 'Table' || tagged.parts.some(holdsTable))
}
