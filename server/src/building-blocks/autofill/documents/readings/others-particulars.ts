// Whether a label and its value speak of somebody else than the subject: by their own words, by what stands above them and
// by the name beside them.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { courts, homeWords, legalForms, parties as partyWords } from '../words/vocabulary.ts'
import { isSubject, mentionsSubject, type Names } from './company-names.ts'
import { isInImprint } from './imprints.ts'
import { contacts, type ReadLabel, readLabel, taxAndRegister } from './labels.ts'
import { isOrganisation } from './organisations.ts'
import type { Pair } from './pair.ts'
import type { Parties } from './parties.ts'
import { fieldOfHeader } from './person-names.ts'
import { ownerOfPlace } from './place-owners.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'

/** Whether the place speaks of somebody else: by its own words, by the heading above, by the name beside it. */
export function isForeign(
  document: ReadDocument,
  pair: Pair,
  { fact, certainty }: ReadLabel,
  { names }: Parties,
): boolean {
  // `Name | Date of birth | Tax number | Share`: captions of a person.
  const isOfPerson = (text: string) => personFields.has(fieldOfHeader(text) ?? '')
  if (
    pair.relation !== 'inline' &&
    pair.line.cells.some((cell) => cell !== pair.cell && isOfPerson(cell.field ?? cell.text))
  )
    return true
  const isForm = fact === 'business.legal_form'
  if (isForm && (isBesideOther(pair, names, () => true) || isBeforeOther(pair.line.text, names))) return true
  if (taxAndRegister.has(fact) && isBesideOther(pair, names, isOrganisation)) return true
  if (contacts.has(fact) && (isCaptionOfOther(pair) || isFieldOfOther(pair))) return true
  const { lines = [] } = document.pages[pair.page] ?? {}
  if (taxAndRegister.has(fact) && isInImprint(lines, pair.index, names)) return false
  const above = lines[pair.index - 1]
  if (contacts.has(fact) && (isOffice(above) || isBelowOffice(lines, pair))) return true
  if (taxAndRegister.has(fact) && isBelowOtherName(lines, pair, names)) return true
  // `Post | Auditor`, and below it a number.
  if (taxAndRegister.has(fact) && pair.relation !== 'below' && isPost(above)) return true
  const isToldAbove = isForm && above ? isFormOfOther(above, names) : undefined
  if (isToldAbove !== undefined) return isToldAbove
  // `Limited liability company` is no name of another one; beside a caption stand others, not its owner.
  const isBeside = pair.relation === 'below' && pair.cell !== pair.line.cells[0]
  const index = isForm || isBeside ? pair.index - 1 : pair.index
  const isTaxNumber = fact === 'business.tax_id'
  return (
    ownerOfPlace(document, pair.page, index, pair.cell.left, names, certainty === 'likely', isTaxNumber) === 'other'
  )
}

/** `Legal form | Company name` over `GmbH | Lee Holding`: the name in the next column says whose it is. */
function isBesideOther(
  { relation, line, value_line, cell }: Pair,
  names: Names,
  isName: (text: string) => boolean,
): boolean {
  if (relation !== 'below') return false
  return line.cells.some((caption) => {
    const isCaption =
      caption !== cell &&
      readLabel(caption.text).some(({ fact, is_exact }) => is_exact && fact === 'business.legal_name')
    const name = isCaption ? value_line.cells.find((value) => overlap(value, caption) > 0)?.text : undefined
    return name !== undefined && isName(name) && !/\d/.test(name) && !mentionsSubject(name, names)
  })
}

/** `Legal form: GmbH Company name: Lee Holding` */
function isBeforeOther(text: string, names: Names): boolean {
  const parts = text.slice(0, 300).split(/\s?:\s+/)
  return parts.slice(1, -1).some((part, index) => {
    const words = part.split(' ')
    const isName = [1, 2, 3].some((count) =>
      readLabel(words.slice(-count).join(' ')).some(({ fact, is_exact }) => is_exact && fact === 'business.legal_name'),
    )
    return isName && words.length > 1 && !mentionsSubject(parts[index + 2] ?? '', names)
  })
}

/** `Accountant (firm) | Phone | E-mail`: the first caption says whose the others are. */
function isCaptionOfOther({ relation, line, cell }: Pair): boolean {
  const [first] = line.cells
  const words = wordsOf((first?.text ?? '').replace(/\([^()]*\)/g, ' '))
  // `Print/Type preparer's name`
  const isPreparer = words.includes('preparer') && words.length <= 6
  // `Home address | Phone`
  const isHome = isHomeAddress(first?.text ?? '', words)
  // `Sign here | Title | Date | Phone number`
  const isSignature = /^sign(?:ature)?\b/i.test(first?.text ?? '') && words.length <= 4
  return (
    relation === 'below' &&
    first !== cell &&
    (isPreparer || isSignature || isHome || partyWords.others.at(words, 0)?.length === words.length)
  )
}

/** `Name of the accountant`, `Phone` and `E-mail`: fields beside each other. */
function isFieldOfOther({ value_line, values }: Pair): boolean {
  const isOther = ({ field = '' }: Cell) => partyWords.others.in(wordsOf(field)) !== undefined
  return value_line.cells.some((one) => one !== values[0] && isOther(one))
}

function isHomeAddress(text: string, words: readonly string[]): boolean {
  const isAddress = /anschrift|address|adresse|domicilio|direcci/i.test(text.slice(0, 60))
  return isAddress && words.some((word) => homeWords.has(word)) && !words.some((word) => workWords.has(word))
}

const workWords = new Set(['work', 'office', 'business'])

function isPost(line: PlacedLine | undefined): boolean {
  const [label = '', inside = ''] = (line?.cells[0]?.text ?? '').split(/:\s*/, 2)
  const value = line?.cells[1]?.text ?? inside
  return fieldOfHeader(label) === 'role' && value !== ''
}

/** `Name | Lee Holding` above a label that has stood on the page before: what an extract says of a director or an auditor. */
function isBelowOtherName(lines: readonly PlacedLine[], { index, cell, relation }: Pair, names: Names): boolean {
  if (relation !== 'beside' && relation !== 'behind') return false
  if (!lines.slice(0, index).some(({ cells }) => cells[0]?.text === cell.text)) return false
  for (let number = index - 1; number >= 0 && number >= index - longestBlock; number--) {
    const [label, value, ...more] = lines[number]?.cells ?? []
    if (!label || Math.abs(label.left - cell.left) > 3) return false
    const isName = readLabel(label.text).some(({ fact, is_exact }) => is_exact && fact === 'business.legal_name')
    if (isName && value && more.length === 0) return !mentionsSubject(value.text, names)
  }
  return false
}

const longestBlock = 6

/** `Issued by: HM Revenue and Customs`, and a phone below it in the same column: that of the office. */
function isBelowOffice(lines: readonly PlacedLine[], { index, cell }: Pair): boolean {
  for (let number = index - 1; number >= 0 && number >= index - officeReach; number--) {
    const over = lines[number]?.cells.find((one) => Math.abs(one.left - cell.left) <= 3)
    if (!over) return false
    if (issuedBy.test(over.text) && courts.in(wordsOf(over.text)) !== undefined) return true
  }
  return false
}

const officeReach = 4
const issuedBy = /^(?:issued by|ausgestellt (?:von|durch)|délivré par|emis par|emitido por|expedido por)\b/i

/** `Secretary of State`, alone in its line: who has signed above, and says below how to reach the office. */
function isOffice(line: PlacedLine | undefined): boolean {
  const words = wordsOf(line?.text ?? '')
  return line?.cells.length === 1 && words.length > 2 && courts.at(words, 0)?.length === words.length
}

/** Whose legal form stands below a line, where it says so. */
function isFormOfOther({ cells, text }: PlacedLine, names: Names): boolean | undefined {
  // `Company | Lee Bakery`
  const isOwn = cells.some((cell) => isSubject(cell.text.replace(/^[^:]{2,40}:\s*/, ''), names))
  if (isOwn && partyWords.others.in(wordsOf(text)) === undefined) return false
  // `Parent of Lee Bakery Ltd: Lee Holding AG`
  const [, named = ''] = text.split(/:\s+/, 2)
  return isOrganisation(named) && !mentionsSubject(named, names) ? true : undefined
}

/** `Our agents are Oakes Timber Ltd. Company No. 01234567.`: the number of whoever was named last. */
export function isBehindOther(text: string, names: Names): boolean {
  const last = text.split(/[.;:,]\s/).findLast((part) => legalForms.in(wordsOf(part).slice(1)) !== undefined)
  return last !== undefined && !mentionsSubject(last, names)
}

const personFields = new Set(['ownership_percent', 'birth_date', 'first_name', 'last_name'])
