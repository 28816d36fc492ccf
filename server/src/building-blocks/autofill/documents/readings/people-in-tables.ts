// Owners in tables with a header row: which column is what, and what each row says of a person or a company.
import type { Cell, Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import {
  legalForms,
  nothing,
  type PersonField,
  parties as partyWords,
  people as peopleWords,
  totals,
} from '../words/vocabulary.ts'
import { datesIn, isoOf } from './dates.ts'
import { isEmail } from './identifiers.ts'
import type { CompanyOwner, Owners, Person } from './people.ts'
import {
  fieldOfHeader,
  hasTwoLastNames,
  isCompany,
  isFormer,
  isRole,
  type PersonName,
  splitName,
} from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import { countColumn, countIn, isOfOtherShares, sharesOfCounts } from './share-counts.ts'

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

type Column = PersonField | 'name' | undefined

function ownersOfTable(
  document: ReadDocument,
  lines: readonly PlacedLine[],
  at: number,
): (Owners & { end: number }) | undefined {
  const written = lines[at]
  if (!written || written.cells.length < 2 || written.cells.some(({ text }) => isFigure(text))) return undefined
  const hasField = written.cells.some(({ text }) => fieldOfHeader(text) !== undefined)
  const header = hasField ? { ...written, cells: written.cells.flatMap(headingsIn) } : written
  const below = linesOfHeading(header, lines.slice(at + 1, at + 1 + mostHeadingLines))
  const stacked = below.reduce((cells, line) => withLineBelow(cells, line.cells), header.cells)
  const isHeader = isOwnersHeader(columnsOf(header.cells))
  const hasShare = (cells: Line) => columnsOf(cells).includes('ownership_percent')
  // Of headings in two lines, the first may be enough to know a list of people, and not their shares.
  const isSplit = isHeader && !hasShare(header.cells) && hasShare(stacked)
  const isStacked = (!isHeader && isOwnersHeader(columnsOf(stacked))) || isSplit
  const columns = columnsOf(isStacked ? stacked : header.cells)
  const has = (field: Column) => columns.includes(field)
  const isCounted = !has('ownership_percent') && !isOfOtherShares(lines.slice(Math.max(0, at - linesAbove), at + 1))
  const counted = isCounted ? countColumn(header.cells) : undefined
  if (!isOwnersHeader(columns) && !(counted && has('name'))) return undefined
  if (isOfTotal(header.cells, columns) && !isOfOwners(lines.slice(Math.max(0, at - 3), at + 1))) return undefined
  const open = linesOfBracket(header, lines.slice(at + 1, at + 1 + mostHeadingLines))
  const found: Owners = { people: [], companies: [] }
  const bare = new Set<Person>()
  let end = at
  let empty = 0
  let total: number | undefined
  for (const [offset, line] of lines.slice(at + 1, at + 1 + mostRows).entries()) {
    if ((isStacked && offset < below.length) || offset < open) continue
    if (line.cells.length === 0) {
      // Tables are often set wide: one empty line is only space, and more of them below the headings.
      const isBelowHeadings = found.people.length + found.companies.length === 0
      if (++empty > (isBelowHeadings ? 3 : 1)) break
      continue
    }
    // The head of the next list.
    if (line.cells.length > 2 && columnsOf(line.cells).filter((field) => field !== undefined).length > 2) break
    // What stands below the total is another list.
    if (found.people.length + found.companies.length > 0 && isTotal(line)) {
      total = countIn(counted, line)
      break
    }
    const row = rowOf(
      document,
      header.cells,
      columns,
      withRestOfName(line, lines.slice(at + 2 + offset, at + 4 + offset), document.country),
    )
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

/** `Corinne | 40 %`, and `Hutchens` below it: a narrow column breaks a name in two. */
function withRestOfName(line: PlacedLine, [next, after]: PlacedLine[], country: string | null): PlacedLine {
  const [name, ...others] = line.cells
  const [rest, ...more] = next?.cells ?? []
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

/** `Name | % of total`: of whatever the list is about, be it customers. */
function isOfTotal(header: Line, columns: readonly Column[]): boolean {
  const share = header[columns.indexOf('ownership_percent')]
  return wordsOf(share?.text ?? '').includes('total')
}

function isOfOwners(lines: readonly PlacedLine[]): boolean {
  const isOwner = (word: string) => peopleWords.owners.has(word) || peopleWords.owners.has(word.replace(/s$/, ''))
  return lines.some(({ text }) => wordsOf(text.slice(0, 200)).some(isOwner))
}

function isTotal({ cells }: PlacedLine): boolean {
  return totals.has(wordsOf(cells[0]?.text ?? '').join(' '))
}

function isFigure(text: string): boolean {
  return /\d/.test(text) && !/\p{L}{3}/u.test(text)
}

function isOwnersHeader(columns: readonly Column[]): boolean {
  const has = (field: Column) => columns.includes(field)
  // A name and an email alone are a list of customers.
  return (
    (has('name') || (has('first_name') && has('last_name'))) &&
    (has('ownership_percent') || has('birth_date') || has('role'))
  )
}

/** `Share E-mail`: two headings that stand close. */
function headingsIn(cell: Cell): Line {
  const { text, left, right } = cell
  if (text.length > 40 || fieldOfHeader(text) !== undefined) return [cell]
  const isHeading = (part: string) => fieldOfHeader(part) !== undefined
  const gap = [...text.matchAll(/\s/g)].find(
    ({ index }) => isHeading(text.slice(0, index)) && isHeading(text.slice(index + 1)),
  )
  if (!gap) return [cell]
  const middle = left + ((right - left) * gap.index) / text.length
  return [
    { ...cell, text: text.slice(0, gap.index), right: middle },
    { ...cell, text: text.slice(gap.index + 1), left: middle },
  ]
}

/** Narrow columns break a heading into several lines, without a figure; the first of them may be anything. */
function linesOfHeading(header: PlacedLine, lines: readonly PlacedLine[]): PlacedLine[] {
  const [first] = header.cells
  const isPart = ({ cells, text }: PlacedLine, index: number) =>
    cells.length > 0 &&
    (index === 0 || !cells.some((cell) => first && overlap(cell, first) > 0)) &&
    !/\d{3}|\d\s?%/.test(text) &&
    cells.every((cell) => header.cells.some((one) => overlap(cell, one) > 0))
  const end = lines.findIndex((line, index) => !isPart(line, index))
  return end === -1 ? [...lines] : lines.slice(0, Math.max(end, 1))
}

/** `Shareholder (name,`, and below it `day of birth, town)`: how many lines it takes until the bracket closes. */
function linesOfBracket(header: PlacedLine, lines: readonly PlacedLine[]): number {
  const isOpen = header.cells.some(({ text }) => text.lastIndexOf('(') > text.lastIndexOf(')'))
  return isOpen ? lines.findIndex(({ text }) => text.includes(')')) + 1 : 0
}

const mostHeadingLines = 5

/** Headings are often set in two lines. */
function withLineBelow(header: Line, below: Line): Line {
  return header.map((cell) => {
    const under = below.find((other) => overlap(cell, other) > 0)
    return under ? { ...cell, text: `${cell.text} ${under.text}` } : cell
  })
}

function columnsOf(cells: Line): Column[] {
  const fields: Column[] = cells.map(({ text }) => fieldOfHeader(text))
  // `Votes % | Equity %`: who owns a part and who decides are two things.
  const isVote = (index: number) => wordsOf(cells[index]?.text ?? '').some((word) => peopleWords.votes.has(word))
  const hasShare = fields.some((field, index) => field === 'ownership_percent' && !isVote(index))
  const columns = fields.map((field, index) =>
    field === 'ownership_percent' && hasShare && isVote(index) ? undefined : field,
  )
  // `Name | Vorname`: the name beside a first name is the last name, and the other way round.
  const other: PersonField | undefined =
    columns.includes('first_name') && !columns.includes('last_name')
      ? 'last_name'
      : columns.includes('last_name') && !columns.includes('first_name')
        ? 'first_name'
        : undefined
  return other ? columns.map((field) => (field === 'name' ? other : field)) : columns
}

function rowOf(
  { country }: ReadDocument,
  header: Line,
  columns: readonly Column[],
  line: PlacedLine,
): { person?: Person; company?: CompanyOwner; is_bare: boolean } {
  const person: Person = { doubts: [], place: placeOf(line) }
  let name = ''
  let nameLabel = ''
  let isBare = false
  for (const cell of line.cells) {
    const ranked = header.map((one, index) => ({
      index,
      shared: overlap(one, cell),
      distance: Math.abs(one.left - cell.left),
    }))
    const best = ranked.sort((a, b) => b.shared - a.shared || a.distance - b.distance)[0]
    const field = best ? columns[best.index] : undefined
    const text = cell.text.trim()
    if (!field || text.length > 200) continue
    if (field === 'name') {
      // `Managing director | yes` beside `Name | Ann Lee`.
      if (name !== '' && nothing.has(wordsOf(text).join(' '))) continue
      nameLabel = header[best?.index ?? 0]?.text ?? ''
      // `Ann Lee` over `Bob Ray` in one cell: two people, or a long name.
      const { lines = [] } = cell
      if (lines.length > 1 && lines.join(' ') === text && lines.every((one) => splitName(one, country)))
        person.doubts.push('number')
      name = name === '' ? text : `${name} ${text}`
    } else if (field === 'ownership_percent') {
      const share = shareIn(text)
      const isDiluted = /dilu|verwässer/i.test(header[best?.index ?? 0]?.text ?? '')
      // Who holds warrants alone owns nothing yet.
      const isSecond = columns.indexOf('ownership_percent') !== best?.index
      // `Ending capital` may be an amount.
      const isAmount = !share?.has_sign && /\bending\b/i.test(header[best?.index ?? 0]?.text ?? '')
      if (!share || isAmount || (isDiluted && isSecond)) continue
      // `Issued %` stands before `Fully diluted %`: the first is what a person owns today.
      person.ownership_percent ??= share.value
      isBare ||= !share.has_sign && !(header[best?.index ?? 0]?.text ?? '').includes('%')
    } else if (field === 'email') {
      if (isEmail(text)) person.email = text
    } else if (field === 'birth_date') {
      const [date] = datesIn(text, country)
      if (date?.day !== undefined && date.year > 0) person.birth_date = isoOf(date)
    } else if (field === 'role') Object.assign(person, roleIn(cell, header[columns.indexOf('birth_date')], country))
    else person[field] = text
  }
  // Who holds nothing is no owner any more.
  if (isFormer(line.text) || Number(person.ownership_percent ?? 1) === 0) person.doubts.push('owner')
  const whole = name === '' ? `${person.first_name ?? ''} ${person.last_name ?? ''}`.trim() : name
  if (isCompany(whole)) {
    const share = person.ownership_percent
    return {
      company: { name: whole, ...(share !== undefined && { ownership_percent: share }), place: person.place },
      is_bare: isBare,
    }
  }
  if (name !== '') {
    const [own = '', role] = name.split(/\s[–-]\s|,\s(?=\p{L}+$)/u)
    const split = nameIn(role !== undefined && isRole(role) ? own : name, person, country, nameLabel)
    if (role !== undefined && isRole(role)) person.role ??= role
    if (!split) return { is_bare: isBare }
    Object.assign(person, split)
  } else if (!splitName(whole, country)) return { is_bare: isBare }
  return { person, is_bare: isBare }
}

/** What a cell below `Position` says; `Managing Director 22/10/1976` may stand below two headings. */
function roleIn(cell: Cell, born: Cell | undefined, country: string | null): Partial<Person> {
  const text = cell.text.trim()
  if (!/^\p{L}[\p{L} ]+ \d{1,2}[./]\d{1,2}[./](?:19|20)\d\d$/u.test(text)) {
    // `Name` below `Position held` is the label of the next person.
    const isLabel = fieldOfHeader(text) !== undefined
    return isRole(text) || (!isLabel && !/\d{2}/.test(text)) ? { role: text } : {}
  }
  const [date] = datesIn(text, country)
  const role = text.replace(/\s\S+$/, '')
  const isBorn = date?.day !== undefined && born !== undefined && overlap(born, cell) > 0
  return { ...(isRole(role) && { role }), ...(isBorn && { birth_date: isoOf(date) }) }
}

/** `Hofmann, Dr. Katrin, geb. 12.05.1974`: a name and what follows it. */
function nameIn(text: string, person: Person, country: string | null, label: string): PersonName | undefined {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const isWhole = /\d|^\p{Ll}/u.test(parts[1] ?? '')
  if (parts.length < 3 && !isWhole) return splitName(text, country, label)
  const [date] = datesIn(parts.slice(isWhole ? 1 : 2).join(', '), country)
  if (date?.day !== undefined && date.year > 0) person.birth_date ??= isoOf(date)
  // `Katrin Hofmann, geb. 12.05.1974, Kempten` has its name before the first comma.
  return splitName(isWhole ? (parts[0] ?? '') : `${parts[0]}, ${parts[1]}`, country, label)
}

/** `60 %`, `60`, `60,00`: the share as a number, with a point. */
function shareIn(text: string): { value: string; has_sign: boolean } | undefined {
  const match = /^\s*(\d{1,3}(?:[.,]\d{1,16})?)\s*(%|percent|prozent)?\s*$/i.exec(text)
  if (!match) return undefined
  const written = (match[1] ?? '').replace(',', '.')
  // `42.1052631578947%`, as a spreadsheet has calculated it.
  const value = /\.\d{7}/.test(written) ? String(Number(Number(written).toFixed(4))) : written
  return Number(value) <= 100 ? { value, has_sign: match[2] !== undefined } : undefined
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
