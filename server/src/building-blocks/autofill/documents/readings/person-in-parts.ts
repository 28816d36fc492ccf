// One person whose name a form asks for in parts, each under a label of its own: the owner of a business that is registered,
// or a business that is one person.
import { legalFormIn } from '../../legal-form-names.ts'
import { people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { parties as partyWords } from '../words/vocabulary.ts'
import { isNumbered } from './captions.ts'
import { isSubject, isWholeName, namesOf, nameWords, type Subject } from './company-names.ts'
import { datesIn, isoOf } from './dates.ts'
import { readLabel, withoutLineNumber } from './labels.ts'
import { isOrganisation } from './organisations.ts'
import type { Person } from './owners.ts'
import { isBelow } from './people-in-boxes.ts'
import { type Labelled, labelsAndValues } from './people-in-forms.ts'
import { fieldOfHeader, isFormer, isRole, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const nearLines = 2
/** So far above the name stands the heading that says whose it is, and so far below it the day of birth. */
const [headingReach, birthReach] = [12, 8]

interface Parts {
  first?: string
  last?: string
  birth?: string
  label: string
  /** Filled into fields of a form. */
  is_field?: boolean
}

interface InParts {
  first: string
  last: string
  label: string
  birth: string | undefined
  line: PlacedLine
  index: number
  /** Of its page. */
  lines: readonly PlacedLine[]
}

/** `Name: Lee` and `First name: Ann`, one below the other: the Ann Lee of the record. */
export function personInParts(document: ReadDocument, subject: Subject): Reading | undefined {
  const found = isInParts(document, subject) ? firstInParts(document) : undefined
  if (!found || !isCalled(found, (name) => isSubject(name, namesOf({ ...subject, trading_name: null }))))
    return undefined
  const { first, last, label, line } = found
  return { fact: 'business.legal_name', value: `${first} ${last}`, label, doubts: [], place: placeOf(line) }
}

/** Whether a form names the person that the record is called after: `Ann Lee`, or `Best Bread Ann Lee`. */
export function isInParts(document: ReadDocument, { legal_name }: Subject): boolean {
  if (!legal_name || isOrganisation(legal_name)) return false
  // Whoever is named first is whom the form is about.
  const found = firstInParts(document)
  const record = nameWords(legal_name)
  return found !== undefined && isCalled(found, (name) => nameWords(name).every((word) => record.includes(word)))
}

/** `Ann Louise` is called Ann. */
function isCalled({ first, last }: InParts, is: (name: string) => boolean): boolean {
  return [first, first.split(/\s/)[0] ?? ''].some((name) => is(`${name} ${last}`))
}

/** The one below `Particulars of the proprietor`. */
export function ownerInParts(document: ReadDocument): Person | undefined {
  const found = firstInParts(document)
  if (!found || !splitName(`${found.first} ${found.last}`, document.country)) return undefined
  const above = found.lines.slice(Math.max(0, found.index - headingReach), found.index).reverse()
  const heading = above.find(({ cells }) => cells.length <= 2 && isAboutSomebody(cells[0]?.text ?? ''))
  // Where a company is registered, the person acts for it.
  if (!heading || !isOfOwner(heading.cells[0]?.text ?? '') || isOfCompany(found.lines)) return undefined
  const [birth] = datesIn(found.birth ?? '', document.country)
  return {
    first_name: found.first,
    last_name: found.last,
    ...(birth?.day !== undefined && birth.year > 0 && { birth_date: isoOf(birth) }),
    is_owner: true,
    doubts: [],
    place: placeOf(found.line),
  }
}

/** `Angaben zum Betriebsinhaber`, and what the form has to say about it; not `Owner of the premises`. */
function isOfOwner(text: string): boolean {
  const words = wordsOf(text).slice(0, 4)
  const at = words.slice(0, 3).findIndex((word) => peopleWords.owners.has(word))
  return at !== -1 && !isFormer(text) && !ofWords.has(words[at + 1] ?? '')
}

const ofWords = new Set('of des der du de del'.split(' '))

/** A heading or a caption that says whose name follows: the owner, a representative, a spouse. */
function isAboutSomebody(text: string): boolean {
  const words = wordsOf(text).slice(0, 6)
  const isOwner = words.some((word) => peopleWords.owners.has(word))
  return isOwner || isRole(words.join(' ')) || partyWords.others.in(words) !== undefined
}

/** `Best Bread GmbH`; `Best Bread e.K.` is one person. */
function isOfCompany(lines: readonly PlacedLine[]): boolean {
  return lines.slice(0, 60).some(({ cells }) =>
    cells.some(({ text }) => {
      const form = isWholeName(text) ? legalFormIn(text) : undefined
      return form !== undefined && form !== 'sole_proprietor'
    }),
  )
}

/** Of a document, once. */
function firstInParts(document: ReadDocument): InParts | undefined {
  const known = firstOnes.get(document)
  if (known) return known.first
  const first = findInParts(document)
  firstOnes.set(document, { first })
  return first
}

const firstOnes = new WeakMap<ReadDocument, { first: InParts | undefined }>()

function findInParts({ pages }: ReadDocument): InParts | undefined {
  for (const { lines } of pages.slice(0, 3)) {
    const told = lines.slice(0, 200).map((line, index) => partsOf(line, lines, index))
    for (const [index, { last, label }] of told.entries()) {
      if (last === undefined) continue
      const near = told.slice(Math.max(0, index - nearLines), index + nearLines + 1)
      // In a form with empty lines between its fields, one line more.
      const beyond = told[index + nearLines + 1]
      const isFields = told[index]?.is_field && beyond?.is_field && lines.slice(index, index + 3).some(isEmpty)
      const first = near.find((parts) => parts.first !== undefined)?.first ?? (isFields ? beyond.first : undefined)
      const line = lines[index]
      const birth = told.slice(index, index + birthReach).find((parts) => parts.birth !== undefined)?.birth
      if (first !== undefined && line) return { first, last, label, birth, line, index, lines }
    }
  }
  return undefined
}

const isEmpty = ({ cells }: PlacedLine) => cells.length === 0

function partsOf(line: PlacedLine, lines: readonly PlacedLine[], index: number): Parts {
  const [first] = line.cells
  // Forms number their lines in a column of their own.
  const own = /^\d{1,3}$/.test(first?.text ?? '') ? { ...line, cells: line.cells.slice(1) } : line
  const below = captionsOf(own, lines, index)
  // What was filled in is a field of the form, whatever stands beside its caption.
  const filled = partsAmong(below.filter(({ is_field }) => is_field))
  const beside = partsAmong([...behindDots(own), ...labelsAndValues(own)])
  if (Object.keys(filled).length > 1) return { ...filled, is_field: true }
  return Object.keys(beside).length > 1 ? beside : partsAmong(below)
}

function partsAmong(labelled: readonly Labelled[]): Parts {
  const parts: Parts = { label: '' }
  for (const { label, value } of labelled) {
    // `6 Date of birth | 7 Place of birth` are two captions.
    const isCaption = fieldOf(value) !== undefined || (isNumbered(value) && isNumbered(label))
    const field = value === '' || isCaption ? undefined : fieldOf(label)
    if (field === 'first_name') parts.first ??= value
    if (field === 'birth_date') parts.birth ??= value
    const isName = field === 'name' || (field === undefined && isNameLabel(label))
    if (parts.last === undefined && (field === 'last_name' || (isName && wordsOf(value).length === 1))) {
      parts.last = value
      // `Name / Company`
      parts.label = label.split('/')[0] ?? ''
    }
  }
  return parts
}

/** `Name des/der Steuerpflichtigen` */
function isNameLabel(label: string): boolean {
  return /^\p{L}*name\b/iu.test(label) && readLabel(label).some(({ fact }) => fact === 'business.legal_name')
}

/** `Name ............ Lee` */
function behindDots({ cells }: PlacedLine): Labelled[] {
  return cells.flatMap(({ text }) => {
    const [label = '', value = ''] = text.split(/\s?[._·…]{4,}\s?/)
    return value === '' ? [] : [{ label, value }]
  })
}

/** `3 Name | 4 First names`, and what was filled in below each. */
function captionsOf({ cells }: PlacedLine, lines: readonly PlacedLine[], index: number) {
  const captions = cells.filter(({ text }) => fieldOf(text) !== undefined)
  const below = lines.slice(index + 1, index + 3).find((line) => line.cells.length > 0)?.cells ?? []
  if (below.some(({ text }) => fieldOf(text) !== undefined)) return []
  const isLone = captions.length === 1 && cells.length > 1 && !cells.every(({ text }) => isNumbered(text))
  return captions.flatMap((caption) => {
    const value = below.find((cell) => isBelow(caption, cell))
    const is_field = value?.field !== undefined
    return value && (is_field || !isLone) ? [{ label: caption.text, value: value.text, is_field }] : []
  })
}

function fieldOf(label: string): ReturnType<typeof fieldOfHeader> {
  return fieldOfHeader(withoutLineNumber(label))
}
