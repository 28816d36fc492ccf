// Whose details stand at a place of a document: told by the words of its own line, by the heading above it, and by the
// row it belongs to.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { courts, issuedShares, memberRegisters, parties as partyWords, taxOffices } from '../words/vocabulary.ts'
import { isShoutedHeading } from './captions.ts'
import { isSubject, mentionsSubject, type Names } from './company-names.ts'
import { isClientFirst, isHeadingText, isOfBefore, ownerOfHeading, type PlaceOwner } from './heading-owners.ts'
import { contacts, isLabel, readLabel } from './labels.ts'
import { isOrganisation } from './organisations.ts'
import { isOther, isSureLabel } from './other-companies.ts'
import { fieldOfHeader, isRole } from './person-names.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

const reach = 14
const near = 60
const wide = 220
const close = 25

/**
 * `isPlain`: the label says only `Phone` or `Address`, so that the row above it may say whose; a fuller label, such as
 * `Registered office`, begins something of its own. `isTaxNumber`: the office that stands above has given it.
 */
export function ownerOfPlace(
  document: ReadDocument,
  page: number,
  index: number,
  at: number,
  names: Names,
  isPlain: boolean,
  isTaxNumber = false,
): PlaceOwner {
  const lines = document.pages[page]?.lines ?? []
  const line = lines[index]
  const isTitle = isTitleOfRegister(lines, index)
  const own = line && !isTitle ? ownerOfLine(line, at, names, ownSectionsOf(lines, names)) : 'unknown'
  if (own !== 'unknown') return own
  if (runsOnFromOther(lines[index - 1], line)) return 'other'
  const left = line ? beginOf(line, at) : at
  const right = Math.max(left + near, line?.cells.find((cell) => cell.left === left)?.right ?? 0)
  const space = isWide(lines) ? 1 : 0
  const isCentred = line !== undefined && isInMiddle(line, middleOf(lines))
  const isSpace = line?.cells.length === 0
  let isBeyond = false
  let gaps = isSpace ? 1 : 0
  let between = gaps
  let empty = between > space ? 1 : 0
  for (let number = index - 1; number >= 0 && number > index - reach; number--) {
    const above = lines[number]
    if (!above || above.cells.length === 0) {
      gaps++
      if (++between > space && ++empty > 3) break
      continue
    }
    between = 0
    if (isTitleOfRegister(lines, number) || isFormerName(above)) continue
    // Beyond a new part only the section of another party counts, of which it may be a part; not that of a person.
    if (isBeyond) {
      const [heading, ...more] = above.cells
      if (
        heading &&
        more.length === 0 &&
        !above.text.includes(':') &&
        ownerOfHeading(heading) === 'other' &&
        !isRole(heading.text)
      )
        return 'other'
      continue
    }
    // Lines in the middle of a page stand below each other wherever they begin.
    const isBothCentred = isCentred && above.cells.length === 1 && isInMiddle(above, middleOf(lines))
    const begin = isBothCentred ? (above.cells[0]?.left ?? left) : left
    const owner = ownerAbove(above, { left: begin, right: Math.max(begin, right) }, names, {
      is_apart: empty > 0,
      is_below_gap: gaps > 0,
      is_plain: isPlain,
      is_tax_number: isTaxNumber,
      middle: middleOf(lines),
      own: number === index - 1 ? line : undefined,
    })
    if (owner === 'other' && isOwnContact(lines, number)) return 'unknown'
    if (owner !== 'unknown') return owner
    if (isPlain && empty === 0 && isNameOfSection(above, lines[number - 1], names)) return 'other'
    isBeyond = !isPlain && isNewPart(above, lines[number - 1])
    if (empty > 0 && number < index - 8) break
  }
  // A fuller label, such as `Business telephone`, begins something of its own.
  const mayGoOn = (isPlain || isTaxNumber) && index < reach && lines.slice(0, index + 1).every(isRowOrSpace)
  return mayGoOn ? ownerBeforePage(document, page) : 'unknown'
}

/** `Name | Finch & Doyle`, `Name: Finch & Doyle`, or what stands at the head and the foot of pages. */
function isRowOrSpace({ cells, text }: PlacedLine): boolean {
  const isRow = cells.length === 2 || (cells.length === 1 && /^[^:]{2,40}:\s*\S/.test(text))
  const isMargin = cells.length <= 2 && /(?<!\p{L})(?:page|seite|página|pág\.?|p\.|s\.)\s?\d{1,3}(?!\d)/iu.test(text)
  return cells.length === 0 || isMargin || (isRow && !cells.some((cell) => cell.text.length > 80))
}

/** `Paid preparer` at the foot of a page, and rows of theirs on the next: the section goes on. */
function ownerBeforePage({ pages }: ReadDocument, page: number): PlaceOwner {
  const before = pages[page - 1]?.lines ?? []
  const at = before.findLastIndex((line) => !isRowOrSpace(line))
  const [heading, ...more] = before[at]?.cells ?? []
  const isNear = before.length - at <= reach && before.slice(at + 1).some(({ cells }) => cells.length > 0)
  return heading && more.length === 0 && isNear && ownerOfHeading(heading) === 'other' ? 'other' : 'unknown'
}

/** `Register of members`, and below it `Company name: …`: a title of what the company keeps, not a heading of its owners. */
function isTitleOfRegister(lines: readonly PlacedLine[], index: number): boolean {
  const words = wordsOf(lines[index]?.text.slice(0, 80) ?? '')
  if (memberRegisters.at(words, 0)?.length !== words.length || words.length === 0) return false
  const next = lines.slice(index + 1, index + 4).find(({ cells }) => cells.length > 0)?.cells[0]?.text ?? ''
  return readLabel(next.split(':')[0] ?? '').some(
    ({ fact, is_exact, certainty }) => fact === 'business.legal_name' && is_exact && certainty === 'sure',
  )
}

/** `Previous name | Lee Baking Ltd`: what the business itself was called says nothing of what follows. */
function isFormerName({ cells }: PlacedLine): boolean {
  const [label = '', value = cells[1]?.text ?? ''] = (cells[0]?.text ?? '').split(/:\s*(?=\S)/, 2)
  const words = wordsOf(label)
  return isOfBefore(words) && cells.length <= 2 && isOrganisation(value) && words.some((word) => nameWords.has(word))
}

const nameWords = new Set(['name', 'names', 'denominacion', 'denominaciones', 'razon', 'firma', 'denomination', 'nom'])

function isInMiddle({ cells }: PlacedLine, middle: number): boolean {
  const [left, right] = [cells[0]?.left ?? 0, cells.at(-1)?.right ?? 0]
  return Math.abs((left + right) / 2 - middle) <= closeToMiddle && left > 0
}

const closeToMiddle = 10

function middleOf(lines: readonly PlacedLine[]): number {
  const known = middles.get(lines)
  if (known !== undefined) return known
  let [left, right] = [Number.POSITIVE_INFINITY, 0]
  for (const { cells } of lines)
    for (const cell of cells) [left, right] = [Math.min(left, cell.left), Math.max(right, cell.right)]
  middles.set(lines, (left + right) / 2)
  return (left + right) / 2
}

const middles = new WeakMap<readonly PlacedLine[], number>()

/** `Contact`, and below it a phone at once: no name of whom to ask for. */
function isOwnContact(lines: readonly PlacedLine[], index: number): boolean {
  const [heading, ...more] = lines[index]?.cells ?? []
  const next = lines.slice(index + 1, index + 4).find(({ cells }) => cells.length > 0)?.cells[0]?.text ?? ''
  return (
    heading !== undefined &&
    more.length === 0 &&
    ownContacts.has(wordsOf(heading.text).join(' ')) &&
    readLabel(next.split(':')[0] ?? '').some(({ fact, is_exact }) => is_exact && contacts.has(fact))
  )
}

const ownContacts = new Set(['contact', 'contact us', 'contacto', 'kontakt', 'contactez nous', 'contactenos'])

/** A heading, and below it `Company name | Best Lawyers`: what follows is theirs. */
function isNameOfSection({ cells }: PlacedLine, heading: PlacedLine | undefined, names: Names): boolean {
  const [label, name, ...more] = cells
  if (!label || !name || more.length > 0 || (heading?.cells.length ?? 0) > 1) return false
  const isName = readLabel(label.text).some(
    ({ fact, is_exact, certainty }) => fact === 'business.legal_name' && is_exact && certainty === 'sure',
  )
  return isName && /\p{L}{3}/u.test(name.text) && !isLabel(name.text) && !mentionsSubject(name.text, names)
}

/** `INFORMATION ABOUT THE ACTIVITY` below an empty line: what stands further up is over. */
function isNewPart(line: PlacedLine, above: PlacedLine | undefined): boolean {
  return above?.cells.length === 0 && isShoutedHeading(line)
}

/** Where a line of text that dots divide begins: what stands above it is above all of it. */
function beginOf({ cells }: PlacedLine, at: number): number {
  let begin = at
  for (const cell of cells.toReversed()) if (cell.left < begin && begin - cell.right < close) begin = cell.left
  return begin
}

/** `… Firm's` or `Lee & Partner, accountants –` at the end of a line, and `EIN: …` in the next. */
function runsOnFromOther(above: PlacedLine | undefined, line: PlacedLine | undefined): boolean {
  const last = above?.cells.at(-1)?.text ?? ''
  const whole = above?.text.slice(-300) ?? ''
  if (/\s[–—|·-]$/.test(whole) && whole.length >= 60) return partyWords.others.in(wordsOf(whole)) !== undefined
  if (line?.cells.length !== 1 || last.length < 60) return false
  return /['’]s$/.test(last) && partyWords.others.in(wordsOf(last).slice(-4)) !== undefined
}

/** A form with an empty line behind every other: there it keeps nothing apart. */
function isWide(lines: readonly PlacedLine[]): boolean {
  const known = wideOnes.get(lines)
  if (known !== undefined) return known
  const filled = lines.filter(({ cells }) => cells.length > 0).length
  const spaced = lines.filter(({ cells }, at) => cells.length > 0 && lines[at + 1]?.cells.length === 0).length
  const found = filled >= 6 && spaced > 0.6 * filled
  wideOnes.set(lines, found)
  return found
}

const wideOnes = new WeakMap<readonly PlacedLine[], boolean>()

/** `Supplier details` before every row of a section that names the subject: there, the supplier is the subject. */
function ownSectionsOf(lines: readonly PlacedLine[], names: Names): ReadonlySet<string> {
  const known = ownSections.get(lines)
  if (known) return known
  const rows = lines.filter(({ cells }) => cells.length > 2)
  const counts = new Map<string, number>()
  const named = new Set<string>()
  const shared = new Set<string>()
  for (const { cells } of rows) {
    const [section, ...rest] = cells.map(({ text }) => text)
    if (section === undefined) continue
    counts.set(section, (counts.get(section) ?? 0) + 1)
    if (rest.some((text) => !mentionsSubject(text, names) && isOther(text))) shared.add(section)
    const isName = readLabel(rest[0] ?? '').some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact)
    if (isName && rest.slice(1).some((text) => isSubject(text, names))) named.add(section)
  }
  const isOwn = (section: string) => (counts.get(section) ?? 0) > 2 && !shared.has(section)
  const found = new Set(rows.length < 4 ? [] : [...named].filter(isOwn))
  ownSections.set(lines, found)
  return found
}

const ownSections = new WeakMap<readonly PlacedLine[], ReadonlySet<string>>()

/** In its own line only what stands before it counts. */
function ownerOfLine({ cells }: PlacedLine, left: number, names: Names, ownSections: ReadonlySet<string>): PlaceOwner {
  for (const { text: whole, left: begin } of cells.toReversed()) {
    if (begin > left) continue
    // `VAT number: 123456789 (landlord: 987654321)`, `Steuernummer: 231/115/08342 (Finanzamt Leipzig)`
    const [remark = ''] = /(?<=\d )\([^()]{2,60}\)\s*$/.exec(whole) ?? []
    const isAside = /\d{3}/.test(remark) || taxOffices.at(wordsOf(remark), 0) !== undefined
    const text = isAside ? whole.slice(0, -remark.length) : whole
    if (ownSections.has(text)) return 'client'
    if (mentionsSubject(text, names)) return 'client'
    // `contact@lee-bakery.example` is no contact of somebody else.
    if (/^(?:contact|contacto|kontakt|contatto)@\S+$/i.test(text.trim())) continue
    const words = wordsOf(text.slice(0, 200))
    if (isOther(text)) return 'other'
    const other = partyWords.others.in(words)
    // `Secretary of State file number`, `Finanzamt / Steuernummer`: what the office has given to the business.
    const isOffice = other && (courts.at(words, other.begin) ?? taxOffices.at(words, other.begin)) !== undefined
    if (other && !(isOffice && isSureLabel(text))) return isClientFirst(text, other) ? 'client' : 'other'
  }
  return 'unknown'
}

interface Above {
  is_apart: boolean
  is_below_gap: boolean
  is_plain: boolean
  is_tax_number: boolean
  /** Of the page. */
  middle: number
  /** The line of the place, if it is the next one. */
  own: PlacedLine | undefined
}

function ownerAbove(
  line: PlacedLine,
  { left, right }: { left: number; right: number },
  names: Names,
  { is_apart, is_below_gap, is_plain, is_tax_number, middle, own }: Above,
): PlaceOwner {
  const { cells, text: whole } = line
  const [first, ...values] = cells
  if (!first) return 'unknown'
  // What begins further to the right heads another column, unless it stands in the middle.
  const isCentred = Math.abs((first.left + first.right) / 2 - middle) <= close && isShoutedHeading(line)
  if (first.left > right && !isCentred) return 'unknown'
  const isHeading = values.length === 0
  // What stands below the value of a row goes on with it: the address of the accountants.
  const row = values.length > 0 && first.right < left && values.some((cell) => Math.abs(cell.left - left) <= 6)
  // `Finanzamt: | Balingen`, and below it the number it has given.
  const isOffice =
    is_tax_number && !isHeading && taxOffices.at(wordsOf(first.text), 0)?.length === wordsOf(first.text).length
  for (const cell of cells.toReversed()) {
    if (cell.left > left + 40) continue
    if (Math.abs(cell.left - left) > near && !(isHeading && reaches(cell, left))) continue
    if (mentionsSubject(cell.text, names)) return 'client'
    // Beyond an empty line a name is that of another block.
    const isOver = isHeading ? Math.abs(cell.left - left) <= near && !is_below_gap : (is_plain || row) && !is_apart
    // `Bill to: | Date: …` and `Best Homes Ltd | Terms: …`: the head of what begins below it at the same place.
    const isHead = cell === first && Math.abs(cell.left - left) <= 2 && !is_below_gap
    if ((isOver || isHead) && isOther(cell.text)) return 'other'
    const isNamed = isHead && !isHeading && !isOffice && /:$/.test(cell.text.trim())
    if (isNamed && ownerOfHeading(cell) === 'other') return 'other'
  }
  // `Customer service phone` is the caption of one number, and says nothing of what follows.
  if (isHeading && !is_plain && readLabel(first.text).some(({ fact }) => contacts.has(fact))) return 'unknown'
  if (isHeading && !is_plain && own !== undefined && isAnotherAddress(line, own)) return 'unknown'
  // `Broker: Lee & Co, Leeds` tells of itself, and nothing of what follows beyond an empty line.
  if (isHeading && is_apart && !is_plain && /^[^:]{2,40}:\s*\S/.test(first.text)) return 'unknown'
  if (isHeading) return reaches(first, left) ? ownerOfHeading(first) : 'unknown'
  // `Landlord | Tenant`: headings of columns, each for what stands below it.
  const isColumnHeading =
    cells.every(isHeadingText) && cells.filter((cell) => ownerOfHeading(cell) !== 'unknown').length > 1
  if (isColumnHeading) {
    const over = cells.filter((cell) => Math.abs(cell.left - left) <= near).map(ownerOfHeading)
    const found = over.find((owner) => owner !== 'unknown')
    if (found) return found
  }
  if ((row || is_plain) && !is_apart) {
    // `Delivery address | as above` is no heading of what follows.
    const isAddress = readLabel(first.text).some(({ fact }) => fact === 'business.registered_address')
    const isEmpty = wordsOf(values[0]?.text ?? '').length === 0
    const isOthers = ownerOfHeading(first) === 'other' && !isAddress && !isEmpty && !isOffice
    if (isOthers && !/\d/.test(values[0]?.text ?? '')) return 'other'
    // `Telephone` below `First name` and `Position` is that of a person.
    const label = cells.find(({ text }) => /\p{L}{3}/u.test(text))
    const field = label && fieldOfHeader(label.text.replace(/:.*$/, ''))
    // `Issued share capital | 1,000 shares` is that of the company.
    const isCapital = issuedShares.has(wordsOf(label?.text ?? '').join(' '))
    const isOfPerson = field !== undefined && field !== 'name' && field !== 'email'
    // `Name of other authorized person`
    const isPersons = isOfPerson || /\bname\b.*\bperson\b/i.test(label?.text.slice(0, 80) ?? '')
    if (is_plain && isPersons && values.length > 0 && !isCapital) return 'other'
  }
  return mentionsSubject(whole, names) ? 'client' : 'unknown'
}

/** `Landlord's address: 90 Moor Lane`, and below it `Registered office: 12 Calder Yard`: each tells what it is itself. */
function isAnotherAddress(above: PlacedLine, own: PlacedLine): boolean {
  const [labelAbove = '', ...others] = above.text.split(/:\s/)
  const [label = '', ...rest] = own.text.split(/:\s/)
  const words = wordsOf(labelAbove)
  const isAddress = [words[0], words.at(-1)].some((word) => readLabel(word ?? '').some(isOfAddress))
  const isOffice = readLabel(label).some((one) => isOfAddress(one) && one.is_exact && one.certainty === 'sure')
  const [a, b] = [others, rest].map((parts) => wordsOf(parts.join(' ')).join(' '))
  return isAddress && isOffice && a !== '' && b !== '' && a !== b
}

function isOfAddress({ fact }: { fact: string }): boolean {
  return fact === 'business.registered_address'
}

/** A heading speaks of what stands below it, and of what is set in from it. */
function reaches(cell: Cell, left: number): boolean {
  return cell.right >= left || left - cell.left <= wide
}

/** `Kind regards, Ann Lee, Lee Bakery Ltd, tel. 555 0100`: how to reach the person who signs. */
export function isSigned(text: string): boolean {
  return partyWords.signs.at(wordsOf(text.slice(0, 80)), 0) !== undefined
}
