// Rows of a table of owners that run over several lines, because their columns are narrow: a list of shareholders by a
// notary, an extract of a register. Every owner has one share or count of shares; a line that has none, and whose cells stand
// below those of the line before, is the rest of that row.
import type { Cell, Line } from '../formats/document-text.ts'
import { people, personColumns } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { legalForms, totals } from '../words/vocabulary.ts'
import { datesIn } from './dates.ts'
import { isGiven, particles } from './name-order.ts'
import type { Column } from './owner-table-heads.ts'
import { fieldOfHeader, hasTwoLastNames, isCompany, isRole, splitName } from './person-names.ts'
import { overlap, type PlacedLine, relined } from './places.ts'

interface Head {
  cells: Line
  columns: readonly Column[]
  /** The whole headings of the columns, of all their lines. */
  headings: readonly string[]
  /** What every row has: a share, or a count of shares. */
  measure: Cell
  country: string | null
}

const mostLinesOfRow = 8
/** A row has so many cells; a narrower table breaks none of them. */
const leastCells = 3

interface Row {
  line: PlacedLine
  /** Where it ends among the lines. */
  end: number
}

/** The lines below the heading, those of one row put together; as far as somebody asks for them. */
export function* wholeRows(lines: readonly PlacedLine[], head: Head): Generator<Row> {
  const named = head.cells.filter((_, index) => isOfName(head.columns[index]))
  for (let at = 0; at < lines.length; at++) {
    const written = lines[at]
    if (!written) break
    const line = withOwnMeasure(written, head)
    const next = isRow(line, head) ? lines.slice(at + 1, at + 1 + mostLinesOfRow) : []
    const below = next.map((one) => withOwnMeasure(one, head))
    const rest = restOf(below, at + 1 + below.length === lines.length, head)
    const cells = named.reduce((row, column) => withRest(row, column, rest, head), line.cells)
    const isWhole = cells !== line.cells
    // An address below the name, up to an empty line, is no row either.
    if (isWhole || (rest.length > 0 && below[rest.length]?.cells.length === 0)) at += rest.length
    yield { line: isWhole ? relined(line, cells) : line, end: at }
  }
}

/** `Secretary/Treasurer 20%`: a role that reaches into the next column. */
function withOwnMeasure(line: PlacedLine, { measure }: Head): PlacedLine {
  const cell = line.cells.find((one) => overlap(one, measure) > 0)
  const [, before = '', share = ''] = /^(\p{L}[^%]*\p{L})\s(\d{1,3}(?:[.,]\d+)?\s?%)$/u.exec(cell?.text ?? '') ?? []
  if (!cell || share === '' || cell.left >= measure.left) return line
  const parts = [
    { ...cell, text: before, right: measure.left },
    { ...cell, text: share, left: measure.left },
  ]
  return relined(
    line,
    line.cells.flatMap((one) => (one === cell ? parts : [one])),
  )
}

function isOfName(column: Column): boolean {
  return column === 'name' || column === 'first_name' || column === 'last_name'
}

function isRow({ cells }: PlacedLine, { measure }: Head): boolean {
  const own = cells.find((cell) => overlap(cell, measure) > 0)
  return cells.length >= leastCells && own !== undefined && /^\d[\d.,' ]*\s?%?$/.test(own.text.trim())
}

/** The lines up to the next row, the end of the block or the total; none where one of them is something else. */
function restOf(lines: readonly PlacedLine[], isLast: boolean, head: Head): PlacedLine[] {
  const rest: PlacedLine[] = []
  for (const line of lines) {
    const isTotal = totals.has(wordsOf(line.cells[0]?.text ?? '').join(' '))
    if (line.cells.length === 0 || isRow(line, head) || isTotal) return rest
    const isBelow = line.cells.every((cell) => head.cells.some((column) => overlap(cell, column) > 0))
    const isMeasured = line.cells.some((cell) => overlap(cell, head.measure) > 0 && /\d/.test(cell.text))
    if (!isBelow || isMeasured || line.cells.some(({ text }) => isOfItsOwn(text))) return []
    rest.push(line)
  }
  return isLast ? rest : []
}

/** A share, a role, an e-mail address, a heading: not the rest of anything. */
function isOfItsOwn(text: string): boolean {
  return /[%@]/.test(text) || isRole(text) || fieldOfHeader(text) !== undefined
}

/** The row with the rest of what stands in a column of names. */
function withRest(row: Line, column: Cell, rest: readonly PlacedLine[], head: Head): Line {
  const { country, columns, cells, headings } = head
  const own = row.find((cell) => overlap(cell, column) > 0)
  if (!own || row.filter((cell) => overlap(cell, column) > 0).length > 1) return row
  const below = rest.flatMap((line) => line.cells.find((cell) => overlap(cell, column) > 0)?.text.trim() ?? [])
  const at = cells.indexOf(column)
  const [begin, heading = ''] = [own.text.trim(), headings[at]]
  const text = columns[at] === 'name' ? wholeName(begin, below, heading, country) : wholePart(begin, below)
  return text === begin ? row : row.map((cell) => (cell === own ? { ...cell, text } : cell))
}

/** `Dr. Hollerbusch,`, `Annika`, `geb. 14.03.1976`, `Tübingen`: the name, and what is said of it behind a comma. */
function wholeName(begin: string, below: readonly string[], heading: string, country: string | null): string {
  const company = wholeCompany(begin, below)
  if (company !== undefined) return company
  if (isCompany(begin)) return begin
  const born = below.findIndex((text) => isBorn(text, country))
  // Where the heading asks for the town behind the day of birth, nothing but the name stands before that.
  const isToldFirst = born !== -1 && townLast.test(heading)
  const [next, ...more] = isToldFirst ? below.slice(0, born) : below.slice(0, 1)
  // `CHOQUEHUANCA LLERENA MILAGROS`, and nothing but `ELENA` below it.
  const isGivenBelow = below.length === 1 && wordsOf(next ?? '').length === 1 && isGiven(wordsOf(next ?? '')[0])
  const mayRunOn =
    isToldFirst ||
    (hasTwoLastNames(country)
      ? isGivenBelow && wordsOf(begin).length > 2
      : isOpen(begin, next) && !withAddress.test(heading))
  // `Quintero-`, and `Haye` below it.
  const whole = [next, ...more].reduce<string>(
    (name, part) => (part === undefined ? name : name.endsWith('-') ? name + part : `${name} ${part}`),
    begin,
  )
  const isName = [next, ...more].every((part) => part === undefined || isPartOfName(part))
  // `2 MARCUS DE`
  const isWhole = mayRunOn && isName && splitName(whole.replace(/^\d{1,2}\s+/, ''), country, heading) !== undefined
  const name = isWhole ? whole : begin
  return born === -1 ? name : `${name.replace(/,$/, '')}, ${below[born]}`
}

const withAddress = /address|anschrift|wohn|adresse|domicil|direcci/i
const townLast = /(?:geburts|birth|born|naissance|nacimiento).*(?:wohn|town|address|domicile|domicilio)/is

/** `MARCUS DE`, `Quintero-`, `Corinne`: nobody is called so. `Lee,` may be followed by a town. */
function isOpen(name: string, next: string | undefined): boolean {
  const words = name.split(/\s+/).filter((word) => !people.titles.has(wordsOf(word).join(' ')))
  if (name.endsWith(',')) return words.length < 2 && isGiven(next)
  return words.length < 2 || isOpenEnd(name)
}

function isOpenEnd(name: string): boolean {
  return name.endsWith('-') || particles.has(name.split(/\s+/).at(-1)?.toLowerCase() ?? '')
}

/** `Quintero-` and `Haye` below it, in a column of last names; `Ann` over `Bob` are two people. */
function wholePart(begin: string, [next = '']: readonly string[]): string {
  if (!isOpenEnd(begin) || !isPartOfName(next)) return begin
  return begin.endsWith('-') ? begin + next : `${begin} ${next}`
}

function isPartOfName(text: string): boolean {
  return /^\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’.-]+)?,?$/u.test(text) && !isRole(text) && !isCompany(text)
}

function isBorn(text: string, country: string | null): boolean {
  const [label = ''] = text.split(/\s?\d/)
  const isLabel = label === '' || personColumns.get(wordsOf(label).join(' ')) === 'birth_date'
  return isLabel && datesIn(text, country)[0]?.day !== undefined
}

/** `Neckarblick`, `Beteiligungs`, `GmbH`: up to the legal form. */
function wholeCompany(begin: string, below: readonly string[]): string | undefined {
  if (isCompany(begin) && legalForms.in(wordsOf(begin))) return undefined
  let whole = begin
  for (const part of below.slice(0, 3)) {
    if (!/^[\p{Lu}&(]/u.test(part) || /\d{3}|,/.test(part)) return undefined
    whole = `${whole} ${part}`
    if (legalForms.in(wordsOf(part)) && isCompany(whole)) return whole
  }
  return undefined
}
