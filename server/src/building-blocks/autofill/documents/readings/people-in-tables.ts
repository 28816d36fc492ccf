// Owners in tables with a header row: where a table begins and ends, rows that run over two lines, and shares that fit.
import type { Cell, Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { companyWords, issuedShares, legalForms, parties as partyWords, totals } from '../words/vocabulary.ts'
import { isWholeName } from './company-names.ts'
import {
  type Column,
  columnsOf,
  headingsIn,
  isOfOwners,
  isOfTotal,
  isOwnersHeader,
  linesOfBracket,
  linesOfHeading,
  mostBracketLines,
  mostHeadingLines,
  nameBetween,
  withLineBelow,
} from './owner-table-heads.ts'
import { rowOf } from './owner-table-rows.ts'
import type { Owners, Person } from './owners.ts'
import { fieldOfHeader, hasTwoLastNames, isCompany, isRole, splitName } from './person-names.ts'
import { type PlacedLine, type ReadDocument, relined } from './places.ts'
import { countColumn, countIn, isOfOtherShares, sharesOfCounts } from './share-counts.ts'
import { wholeRows } from './wrapped-rows.ts'

const mostRows = 100
/** So far up stands what a list is about. */
const linesAbove = 6

export function peopleInTables(document: ReadDocument): Owners {
  const found: Owners = { people: [], companies: [] }
  for (const { lines } of document.pages) {
    for (let index = 0; index < lines.length; index++) {
      const table = ownersOfTable(document, lines, index)
      if (!table) continue
      found.people.push(...table.people)
      found.companies.push(...table.companies)
      index = table.end
    }
  }
  return found
}

function ownersOfTable(
  document: ReadDocument,
  lines: readonly PlacedLine[],
  at: number,
): (Owners & { end: number }) | undefined {
  const written = lines[at]
  if (!written || written.cells.length < 2 || written.cells.some(({ text }) => isFigure(text))) return undefined
  const name = nameBetween(written, lines[at + 1])
  if (name) {
    const first = Math.max(0, at - linesAbove)
    const window = [...lines.slice(first, at), ...withName(lines.slice(at, at + mostRows + mostBracketLines), name)]
    const table = ownersOfTable(document, window, at - first + 1)
    return table && { ...table, end: table.end + first }
  }
  const hasField = written.cells.some(({ text }) => fieldOfHeader(text) !== undefined)
  const header = hasField ? { ...written, cells: written.cells.flatMap(headingsIn) } : written
  const open = linesOfBracket(header, lines.slice(at + 1, at + 1 + mostBracketLines))
  const below =
    open > 1
      ? lines.slice(at + 1, at + 1 + open)
      : linesOfHeading(header, lines.slice(at + 1, at + 1 + mostHeadingLines))
  const stacked = below.reduce((cells, line) => withLineBelow(cells, line.cells), header.cells)
  const isHeader = isOwnersHeader(columnsOf(header.cells))
  const hasShare = (cells: Line) => columnsOf(cells).includes('ownership_percent')
  // Of headings in two lines, the first may be enough to know a list of people, and not their shares; and `Share` over
  // `class` is none.
  const isSplit =
    isHeader && (hasShare(header.cells) ? !hasShare(stacked) && countColumn(stacked) !== undefined : hasShare(stacked))
  const isStacked = isSplit || (!isHeader && isOwnersHeader(columnsOf(stacked)))
  const columns = columnsOf(isStacked ? stacked : header.cells)
  const has = (field: Column) => columns.includes(field)
  const isCounted =
    !has('ownership_percent') && !isOfOtherShares(lines.slice(Math.max(0, at - linesAbove), at), stacked)
  const counted = isCounted ? (countColumn(header.cells) ?? countColumn(stacked)) : undefined
  if (!isOwnersHeader(columns) && !(counted && has('name'))) return undefined
  if (isOfTotal(header.cells, columns) && !isOfOwners(lines.slice(Math.max(0, at - 3), at + 1))) return undefined
  const found: Owners = { people: [], companies: [] }
  const bare = new Set<Person>()
  let end = at
  let empty = 0
  let total: number | undefined
  let wholeName = ''
  const measure = counted ?? header.cells[columns.indexOf('ownership_percent')]
  const rows = lines.slice(at + 1, at + 1 + mostRows)
  const heading = isStacked ? Math.max(below.length, open) : open
  const headings = stacked.map(({ text }) => text)
  const head = measure && { cells: header.cells, columns, headings, measure, country: document.country }
  const whole = head ? wholeRows(rows, head) : rows.map((line, offset) => ({ line, end: offset }))
  for (const { line, end: offset } of whole) {
    if (offset < heading) continue
    if (line.cells.length === 0) {
      // Tables are often set wide: one empty line is only space, and more of them below the headings.
      const isBelowHeadings = found.people.length + found.companies.length === 0
      if (++empty > (isBelowHeadings ? 3 : 1)) break
      continue
    }
    // The head of the next list.
    const fields = line.cells.length > 2 ? columnsOf(line.cells) : []
    if (fields.filter((field) => field !== undefined).length > 2 || isOwnersHeader(fields)) break
    // What stands below the total is another list.
    if (found.people.length + found.companies.length > 0 && isTotal(line)) {
      total = countIn(counted, line)
      break
    }
    // The rest of a name that was put together with its beginning.
    if (line.cells.length === 1 && wholeName.includes(` ${line.text.trim()}`)) continue
    const joined = withRestOfName(line, rows.slice(offset + 1, offset + 3), document.country)
    wholeName = joined.cells.find(({ text }, index) => text !== line.cells[index]?.text)?.text ?? ''
    const row = rowOf(document, header.cells, columns, joined)
    const isSeparate =
      line.cells.length === 1 && found.people.length + found.companies.length > 0 && !row.person && !row.company
    if (isSeparate && empty > 0) break
    empty = 0
    end = at + 1 + offset
    // A long name runs on in a line of its own.
    const runsOn = line.cells.length === 1 && row.company !== undefined && found.companies.length > 0
    const count = countIn(counted, line)
    if (row.company && !runsOn)
      found.companies.push({ ...row.company, ...(count !== undefined && { share_count: count }) })
    if (!row.person) continue
    if (count !== undefined) row.person.share_count = count
    if (!has('ownership_percent')) row.person.doubts.push('label')
    else if (row.person.ownership_percent === undefined) {
      // What stands below the table and looks like a name.
      if (line.cells.length < 2) break
      row.person.doubts.push('number')
    }
    if (row.is_bare) bare.add(row.person)
    found.people.push(row.person)
  }
  if (found.people.length + found.companies.length === 0) return undefined
  const isShared = counted !== undefined && sharesOfCounts(document, found, total)
  if (isShared) for (const person of found.people) person.doubts = person.doubts.filter((doubt) => doubt !== 'label')
  else if (!isOwnersHeader(columns)) return undefined
  return { ...checkShares(found, bare), end }
}

/** The first two lines as one, so that nothing moves up. */
function withName([header, between, ...rest]: readonly PlacedLine[], name: Cell): PlacedLine[] {
  if (!header || !between) return []
  return [relined(header, []), relined(between, [name, ...header.cells]), ...rest]
}

/** `Corinne | 40 %`, and `Hutchens` below it: a narrow column breaks a name in two. */
function withRestOfName(line: PlacedLine, below: PlacedLine[], country: string | null): PlacedLine {
  const [next, after] = below
  const counted = withRestOfCounted(line, below, country)
  if (counted) return counted
  const [name, ...others] = line.cells
  const [rest, ...more] = next?.cells ?? []
  const company = name && wholeCompany(name, [next, after])
  if (name && company !== undefined) return { ...line, cells: [{ ...name, text: company }, ...others] }
  if (more.length > 0) return withRestOfCells(line, next?.cells ?? [], country)
  if (!name || !rest || others.length === 0 || Math.abs(name.left - rest.left) > 2) return line
  // `Agrar Invest | 20 %`, and `GmbH, Vechta` below it.
  if (!isCompany(name.text) && legalForms.at(wordsOf(rest.text), 0) && isCompany(`${name.text} ${rest.text}`))
    return { ...line, cells: [{ ...name, text: `${name.text} ${rest.text}` }, ...others] }
  const isPart = [name, rest].every(({ text }) => /^\p{Lu}[\p{L}'’-]+$/u.test(text.trim()))
  // Below the last row stands something else.
  if ((after?.cells.length ?? 0) < 2) return line
  // `Trustee`, `Directors`
  if (isRole(rest.text) || fieldOfHeader(rest.text) || partyWords.others.in(wordsOf(rest.text))) return line
  const whole = `${name.text.trim()} ${rest.text.trim()}`
  return isPart && splitName(whole, country) ? { ...line, cells: [{ ...name, text: whole }, ...others] } : line
}

/** `2 | Edgar Quispe | 25.00`, and `Mamani` below it, where people have two last names and the first is not all. */
function withRestOfCounted(
  line: PlacedLine,
  below: readonly PlacedLine[],
  country: string | null,
): PlacedLine | undefined {
  const [count, name, ...others] = line.cells
  if (!name || others.length < 2 || !/^\d{1,3}\.?$/.test(count?.text ?? '') || !hasTwoLastNames(country))
    return undefined
  let whole = name.text.trim()
  for (const { cells } of below) {
    const [rest, ...more] = cells
    const isOpen = wordsOf(whole).filter((word) => word.length > 3).length < 4 && !isCompany(whole)
    if (!rest || more.length > 0 || Math.abs(rest.left - name.left) > 2 || !isOpen || isRole(rest.text)) break
    if (!/^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?$/u.test(rest.text.trim())) break
    whole = `${whole} ${rest.text.trim()}`
  }
  if (whole === name.text.trim()) return undefined
  return { ...line, cells: line.cells.map((cell) => (cell === name ? { ...cell, text: whole } : cell)) }
}

/** `MERLION FREIGHT | 20.00 | 7 Temasek Blvd`, `HOLDINGS PTE. | #18-01` and `LTD.` below it. */
function wholeCompany(name: Cell, below: readonly (PlacedLine | undefined)[]): string | undefined {
  if (isCompany(name.text)) return undefined
  let whole = name.text.trim()
  for (const line of below) {
    const [rest, ...more] = line?.cells ?? []
    // A row of its own has figures.
    if (!rest || more.length > 1 || Math.abs(rest.left - name.left) > 2) break
    if (more.some(({ text }) => /^[\d.,\s]+%?$/.test(text))) break
    const words = wordsOf(rest.text)
    // `Partner at Lee Capital LLC` says what somebody does, and `Lee Capital LLC` alone is another one.
    const isRest = companyWords.at(words, 0) !== undefined || legalForms.at(words, 0) !== undefined
    if (!isRest || /(?:^|\s)\p{Ll}/u.test(rest.text)) break
    whole = `${whole} ${rest.text.trim()}`
    if (isWholeName(whole)) return whole
  }
  return undefined
}

/** `Ana Ruiz | 48 % | Sole`, and `Pons | director` below it, each in its column and none of them a figure. */
function withRestOfCells(line: PlacedLine, rest: Line, country: string | null): PlacedLine {
  const { cells } = line
  const above = rest.map(({ left }) => cells.findIndex((cell) => Math.abs(cell.left - left) <= 2))
  const isWords = rest.every(({ text }) => /\p{L}/u.test(text) && !/[\d%@]/.test(text))
  const isRow = cells.some(({ text }) => /\d\s?%$/.test(text.trim()))
  if (!isRow || !isWords || above.includes(-1) || rest.length >= cells.length || isTotal({ ...line, cells: rest }))
    return line
  // `John Doe | Secretary` is the next person; a name is only broken where there is more of it than anybody would cut off.
  const [name] = cells
  const part = above.includes(0) ? (rest[above.indexOf(0)]?.text ?? '') : undefined
  const isOneWord = part !== undefined && /^\p{Lu}[\p{L}'’-]+$/u.test(part) && !isRole(part)
  const mayRunOn = hasTwoLastNames(country) || wordsOf(name?.text ?? '').length === 1
  if (part !== undefined && (!isOneWord || !mayRunOn || isCompany(name?.text ?? ''))) return line
  const withRest = (cell: Cell, index: number) => {
    const more = rest[above.indexOf(index)]
    return more ? { ...cell, text: `${cell.text} ${more.text}` } : cell
  }
  return { ...line, cells: cells.map(withRest) }
}

function isTotal({ cells }: PlacedLine): boolean {
  const first = wordsOf(cells[0]?.text ?? '').join(' ')
  return totals.has(first) || issuedShares.has(first)
}

function isFigure(text: string): boolean {
  return /\d/.test(text) && !/\p{L}{3}/u.test(text)
}

/** Shares that come to more than all there is are not shares; bare numbers must come to all of it. */
export function checkShares(found: Owners, bare: ReadonlySet<Person>): Owners {
  const shares = [...found.people, ...found.companies].map(({ ownership_percent }) => Number(ownership_percent ?? 0))
  const sum = shares.reduce((total, share) => total + share, 0)
  for (const person of found.people) {
    if (sum > 100.5 && person.ownership_percent !== undefined) person.doubts.push('number')
    if (bare.has(person) && Math.abs(sum - 100) > 0.5) delete person.ownership_percent
  }
  return found
}
