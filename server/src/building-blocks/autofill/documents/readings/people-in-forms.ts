// People in forms that are written downwards: `Owner 1: Ann Lee (60%)`, `Owner 2 first name: Bob`, or fields below an
// owner's name; lists below a heading such as `Shareholders`; and lines like `Ann Lee, Director, 60%`.
import type { Cell, Line } from '../formats/document-text.ts'
import { type PersonField, people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { mentionsSubject, type Names } from './company-names.ts'
import { datesIn, isoOf } from './dates.ts'
import { isEmail, tokensOf } from './identifiers.ts'
import { inlineFields } from './inline-fields.ts'
import { isOther } from './other-companies.ts'
import type { CompanyOwner, Owners, Person } from './owners.ts'
import { fieldOfHeader, isCompany, isFormer, isRole, splitName, withoutCompany } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const fieldReach = 8
const headingReach = 4

export function peopleOfForms(document: ReadDocument, names: Names): Owners {
  const found: Owners = { people: [], companies: [] }
  for (const { lines } of document.pages) {
    const page = peopleOfPage(document, lines, names)
    found.people.push(...page.people)
    found.companies.push(...page.companies)
  }
  return found
}

function peopleOfPage({ country }: ReadDocument, lines: readonly PlacedLine[], names: Names): Owners {
  const people: Person[] = []
  const companies: CompanyOwner[] = []
  const byNumber = new Map<string, Person>()
  let current: Person | undefined
  /** The line up to which fields still belong to the last person, and names to the last heading. */
  let fieldsUntil = -1
  let namesUntil = -1
  const personOf = (number: string, line: PlacedLine): Person => {
    const known = number === '' ? undefined : byNumber.get(number)
    if (known) return known
    const person: Person = { doubts: [], place: placeOf(line) }
    people.push(person)
    if (number !== '') byNumber.set(number, person)
    return person
  }
  for (const [index, line] of lines.entries()) {
    // `3. Commission of the staff`
    if (line.cells.length === 1 && numbered.test(line.text) && !line.text.includes('%')) namesUntil = fieldsUntil = -1
    // `Spouse`, over fields of the same names.
    const words = line.cells.length === 1 ? wordsOf(line.text.slice(0, 40)) : []
    if (words.length > 0 && words.length <= 3 && spouses.has(words.at(-1) ?? '')) current = undefined
    for (const { label, value, cells = [] } of labelsAndValues(line)) {
      const owner = ownerLabel(label, value, names)
      if (owner) {
        if (value === '' && owner.field === undefined) {
          // `Parent: Lee Holding AG`, and below it `Shareholders`
          if (isOther(lines[index - 1]?.text ?? '') && !mentionsSubject(lines[index - 1]?.text ?? '', names)) continue
          namesUntil = index + headingReach
          current = personOf(owner.number, line)
          fieldsUntil = index + fieldReach
          continue
        }
        if (owner.field === undefined && isCompany(value)) {
          companies.push(companyOf(value, line))
          continue
        }
        current = personOf(owner.number, line)
        fieldsUntil = index + fieldReach
        if (owner.field === undefined || owner.field === 'name') {
          // `Shareholders | Ann Lee (60 %)`, and `Bob Lee (40 %)` below it.
          if (owner.number === '' && value.includes('%')) namesUntil = Math.max(namesUntil, index + 1)
          const isDivided = cells.length > 1 && splitName(cells[0] ?? '', country) !== undefined
          if (isDivided) nameAndRest(current, cells, country, label)
          else nameAndShare(current, value, country, label)
          current.is_owner ||= owner.is_owner
        } else setField(current, owner.field, value, country)
        continue
      }
      // `1. First name`
      const field = value === '' ? undefined : fieldOfHeader(label.replace(numbered, ''))
      if (field !== undefined && current && index <= fieldsUntil) {
        // `Nom | Dethier`, and `Prénom | Sophie` below it.
        const isLastName = field === 'name' && /^\p{Lu}[\p{L}'’-]+$/u.test(value) && isFirstNameNear(lines, index)
        const own = isLastName ? 'last_name' : field
        // What is known so far is that of somebody whose name was not understood.
        const isNameless = current.first_name === undefined && current.last_name === undefined
        const isNext =
          isLastName && isNameless && Object.keys(current).some((key) => key !== 'doubts' && key !== 'place')
        // The same field once more is the next person's.
        if (isNext || (own !== 'name' && current[own] !== undefined)) current = personOf('', line)
        fieldsUntil = index + fieldReach
        if (isLastName) setField(current, 'last_name', value, country)
        else if (field === 'name') nameAndShare(current, value, country, label)
        else setField(current, field, value, country)
      }
    }
    const inList = index <= namesUntil
    // `Owners (more than 25 % of the shares)` is nobody.
    const isHeading = line.cells.length === 1 && namesUntil === index + headingReach
    const person = isHeading ? undefined : personOfLine(line, country)
    // `Mar Blava Inversions, S.L. – 20 %` has its form behind a comma.
    const written = line.cells[0]?.text ?? ''
    const isOfCompany = [/[,(–]/, /\s[–-]\s|\s\(?\d/].some((end) => isCompany(written.split(end)[0] ?? ''))
    if (inList && isOfCompany && !isHeading) {
      companies.push(companyOf(line.text, line))
      namesUntil = index + headingReach
    }
    if (
      !person ||
      (isOfCompany && inList) ||
      people.some((one) => one.last_name === person.last_name && one.first_name === person.first_name)
    )
      continue
    if (!inList) person.doubts.push('prose')
    people.push(person)
    if (inList) namesUntil = index + headingReach
  }
  return { people: people.filter((person) => person.first_name && person.last_name), companies }
}

function isFirstNameNear(lines: readonly PlacedLine[], index: number): boolean {
  const next = lines.slice(index + 1, index + 4).find(({ cells }) => cells.length > 0)
  return next !== undefined && labelsAndValues(next).some(({ label }) => fieldOfHeader(label) === 'first_name')
}

export interface Labelled {
  label: string
  value: string
  /** The cells that the value was put together of. */
  cells?: readonly string[]
}

/** `label: value` or, in columns, `label  value  label  value`. */
export function labelsAndValues({ cells: written, text }: PlacedLine): Labelled[] {
  const cells = written.length > 1 ? written.flatMap(apartAtLabel) : written
  const colons = cells.filter((cell) => cell.text.includes(':'))
  if (colons.length === 0) return once([...inTurns(cells), ...fields(cells)])
  const inline = cells.length === 1 ? inlineFields(text) : []
  if (inline.length > 0) return inline
  if (colons.length === 1 && cells.length <= 2) {
    const colon = text.indexOf(':')
    return once([{ label: text.slice(0, colon), value: text.slice(colon + 1).trim() }, ...fields(cells)])
  }
  return once([
    ...cells.map((cell, index) => {
      const colon = cell.text.indexOf(':')
      const rest = colon === -1 ? '' : cell.text.slice(colon + 1).trim()
      const next = cells[index + 1]
      const value = rest === '' && next && !next.text.includes(':') ? next.text : rest
      return { label: colon === -1 ? '' : cell.text.slice(0, colon), value }
    }),
    ...fields(cells),
  ])
}

/** `Nom patronymique : LEE Prénom(s) : Anne` in one cell of several. */
function apartAtLabel(cell: Cell): Line {
  const [, before = '', label = '', value = ''] =
    /^([^:]{2,40}:\s*\S[^:]*?)\s(\p{Lu}[\p{L}'’()]{1,20})(\s?:\s*\S[^:]*)$/u.exec(cell.text) ?? []
  if (label === '' || fieldOfHeader(label) === undefined) return [cell]
  const middle = cell.left + ((cell.right - cell.left) * before.length) / cell.text.length
  return [
    { ...cell, text: before, right: middle },
    { ...cell, text: label + value, left: middle },
  ]
}

/** `Title | Member | Ownership % | 49`: what is known as a label, or stands behind a field, begins the next. */
function inTurns([label, ...rest]: Line): Labelled[] {
  if (!label) return []
  const isLabel = (cell: Cell, index: number) =>
    index > 0 &&
    rest[index + 1] !== undefined &&
    cell.field === undefined &&
    // `Ann Lee | Member | 30%`: what she is.
    !(isRole(cell.text) && /^\d{1,3}(?:[.,]\d+)?\s?%$/.test(rest[index + 1]?.text ?? '')) &&
    (rest[index - 1]?.field !== undefined || fieldOfHeader(cell.text) !== undefined)
  const next = rest.findIndex(isLabel)
  const own = next === -1 ? rest : rest.slice(0, next)
  const value = own.map((cell) => cell.text).join(' ')
  const cells = own.map((cell) => cell.text)
  return [{ label: label.field ?? label.text, value, cells }, ...(next === -1 ? [] : inTurns(rest.slice(next)))]
}

/** A field is often named as its label. */
function once(found: readonly Labelled[]): Labelled[] {
  return found.filter(
    ({ label, value }, at) => found.findIndex((one) => one.label === label && one.value === value) === at,
  )
}

function fields(cells: Line): Labelled[] {
  return cells.flatMap(({ field, text }) => (field === undefined ? [] : [{ label: field, value: text }]))
}

const numbered = /^\s*(?:\d{1,2}|[IVX]{1,4}|[A-H])[.)]\s+(?=\p{Lu})/u
const spouses = new Set('spouse conjoint conjointe epoux epouse ehegatte ehegattin ehepartner conyuge'.split(' '))
/** `Shareholders of Lee Bakery Ltd as at 1 November 2026` */
const asAt = /,?\s(?:as (?:at|of)|on|per|zum|am|au|a|al)\s(?=[^:]{0,10}\d)[^:]{6,30}$/iu
const loose = new Set(['partners', 'members', 'principals', 'partner', 'member', 'principal'])

/** Whether a label is about an owner: which one, and what of them. */
function ownerLabel(
  label: string,
  value: string,
  names: Names,
): { number: string; field: PersonField | 'name' | undefined; is_owner: boolean } | undefined {
  if (label.length > 160 || label.replace(/\([^()]*\)/g, '').replace(asAt, '').length > 60) return undefined
  // `Part C: Owners`, `2. Shareholders`
  const own = label.replace(/^\s*(?:section|part|teil|abschnitt|partie|sección)\s+\w{1,3}\b/i, '').replace(numbered, '')
  const words = wordsOf(own)
  // `2. Members` may be those of anything.
  if (numbered.test(label) && words.some((word) => loose.has(word))) return undefined
  const isOwner = words.some((word) => peopleWords.owners.has(word))
  // `Owners (25% or more)`
  const isHeading = [
    words,
    wordsOf(own.replace(/\([^()]*\)/g, ' ')),
    wordsOf(withoutCompany(label.replace(asAt, ''), names)),
  ].some((one) => peopleWords.headings.has(one.join(' ')))
  if (value === '' && isHeading) return { number: '', field: undefined, is_owner: isOwner }
  const found = peopleWords.numbered.at(words, 0)
  if (!found) return undefined
  const number = words[found.length] ?? ''
  const isNumbered = /^\d{1,2}$/.test(number)
  const rest = words.slice(found.length + (isNumbered ? 1 : 0)).join(' ')
  const field = rest === '' ? undefined : fieldOfHeader(rest)
  if (rest !== '' && field === undefined) return undefined
  return { number: isNumbered ? number : '', field, is_owner: isOwner }
}

/** `Ann Lee | Managing Member | 70%`: each in a cell of its own. */
function nameAndRest(person: Person, [name = '', ...rest]: readonly string[], country: string | null, label: string) {
  nameAndShare(person, name, country, label)
  for (const text of rest) {
    const share = /^(\d{1,3}(?:[.,]\d{1,6})?)\s?%$/.exec(text.trim())?.[1]
    if (share !== undefined) person.ownership_percent ??= share.replace(',', '.')
    else if (isRole(text)) person.role ??= text
  }
}

/** `Ann Lee`, `Ann Lee (60%)`, `Ann Lee, 60 %`, `Ann Lee - 60%`. */
export function nameAndShare(person: Person, text: string, country: string | null, label: string): void {
  const share = /(\d{1,3}(?:[.,]\d{1,6})?)\s?(?:%|percent|prozent)/i.exec(text)
  const name = splitName(
    // `Ann Lee, contribution 60,000.00 EUR (60 %)`
    (share ? text.slice(0, share.index) : text).replace(/[(\s,;:–-]+$/u, '').split(/\s[–-]\s|;|\(|,\s(?=[^,]*\d)/)[0] ??
      '',
    country,
    label,
  )
  if (name) Object.assign(person, name)
  if (share && !isBand(text.slice(share.index + share[0].length)))
    person.ownership_percent = (share[1] ?? '').replace(',', '.')
}

/** `75%`, followed by `or more`: a part of at least so much. */
export function isBand(behind: string): boolean {
  return /^\s?\+|^\s(?:or|and|oder|und|ou|et|o|y)\s(?:more|less|mehr|weniger|plus|moins|más|menos)\b/iu.test(behind)
}

export function setField(person: Person, field: PersonField, value: string, country: string | null): void {
  if (value === '' || value.length > 200) return
  if (field === 'email') {
    if (isEmail(value)) person.email = value
  } else if (field === 'birth_date') {
    const [date] = datesIn(value, country)
    if (date?.day !== undefined && date.year > 0) person.birth_date = isoOf(date)
  } else if (field === 'ownership_percent') {
    const number = value.replace(/\s*%$/, '').replace(',', '.')
    if (/^\d{1,3}(\.\d{1,6})?$/.test(number) && Number(number) <= 100) person.ownership_percent = number
    // `Title: Mrs` is no role.
  } else if (field !== 'role' || !peopleWords.titles.has(wordsOf(value).join(' '))) person[field] = value
}

export function companyOf(text: string, line: PlacedLine, known?: string): CompanyOwner {
  const share = known === undefined ? /(\d{1,3}(?:[.,]\d{1,6})?)\s?%/.exec(text) : ['', known]
  const [name = text] = text.split(/ {2}|[(–]|,(?!\s(?:\p{Lu}\.?){2,4}(?:\s|$))| - |\s\d/u)
  return {
    name: name.trim(),
    ...(share?.[1] !== undefined && { ownership_percent: share[1].replace(',', '.') }),
    place: placeOf(line),
  }
}

/** `Lee, Ann - 60%`: a last name alone, and the first name behind the comma. */
function turned([last = '', first = '', ...rest]: string[]): string[] {
  const isName = /^\p{Lu}[\p{L}'’-]+$/u.test(last) && /^\p{Lu}[\p{L}'’. -]+$/u.test(first) && !isRole(first)
  return isName ? [`${last}, ${first}`, ...rest] : [last, first, ...rest]
}

/** `Ann Lee, loan 120,000, 5.5 %`, `Ann Lee   25 % of sales` */
const ofElse = /zins|darlehen|\binterest rate|\bloans?\b|\bof sales\b|\bventas\b|umsatz|\bventes\b|\bprêt|préstamo/i

/** `Ann Lee, Director, 60%`. */
function personOfLine(line: PlacedLine, country: string | null): Person | undefined {
  const text = line.text.slice(0, 300)
  if (!text.includes('%') || isFormer(text) || ofElse.test(text)) return undefined
  const parts = text
    // `2) Ann Lee`
    .replace(/^\s*\d{1,2}\)\s+(?=\p{Lu})/u, '')
    .split(
      /(?<!(?<!\d)(?:\d{1,2}|100)),|,(?!\d{1,4}\s?%)|[;|()]| {2}| [–-] |:|\s(?=(?:geb\.|geboren|born|née?|nacid[oa])\s)/,
    )
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const [first = '', ...rest] = turned(parts)
  const own = /^(.*?)\s+(\d{1,3}(?:[.,]\d+)?\s?%)$/.exec(first)
  const name = splitName(own?.[1] ?? first, country)
  if (!name || parts.length > 6) return undefined
  const person: Person = { ...name, doubts: [], place: placeOf(line) }
  for (const part of own ? [own[2] ?? '', ...rest] : rest) {
    const share = tokensOf(part.replace(/\s%/g, '%')).find((token) => /^\d{1,3}([.,]\d{1,6})?%$/.test(token))
    if (isEmail(part)) person.email = part
    else if (share) person.ownership_percent ??= share.replace('%', '').replace(',', '.')
    else if (isRole(part)) person.role ??= part
    else {
      const [date] = datesIn(part, country)
      if (date?.day !== undefined && date.year > 0) person.birth_date ??= isoOf(date)
    }
  }
  return person.ownership_percent === undefined ? undefined : person
}
