// People who own or run the business: from tables with a header row, from forms and from lines like 'Ann Lee, Director, 60%'.
import type { DocumentText } from './document-text.ts'
import { wordsOf } from './fact-labels.ts'
import { dateIn, isEmail, isPercent, tokensOf } from './fact-values.ts'
import type { FoundFact } from './found-fact.ts'
import { peopleOfForm } from './owner-forms.ts'
import { fieldOfHeader, isNameShaped, type Person, type PersonField, splitName } from './owner-names.ts'

export function findOwners(text: DocumentText): FoundFact[] {
  const people: Person[] = []
  const seen = new Set<string>()
  const add = (person: Person) => {
    const key = `${person.first_name} ${person.last_name}`.toLowerCase()
    if (seen.has(key) || people.length >= mostPeople) return
    seen.add(key)
    people.push(person)
  }
  for (const page of text.pages)
    for (const [index, table] of page.tables.entries())
      for (const person of peopleOfTable(table, `page ${page.number}, table ${index + 1}`)) add(person)
  for (const page of text.pages) for (const person of peopleOfForm(page.lines, page.number)) add(person)
  for (const page of text.pages)
    for (const [index, line] of page.lines.entries()) {
      const person = personOfLine(line.slice(0, 300), `page ${page.number}, line ${index + 1}`)
      if (person) add(person)
    }
  return people.flatMap(toFacts)
}

const mostPeople = 100
const fields: readonly PersonField[] = ['first_name', 'last_name', 'ownership_percent', 'email', 'role', 'birth_date']

function toFacts(person: Person, index: number): FoundFact[] {
  const { confidence, place } = person
  return fields.flatMap((field): FoundFact[] => {
    const text = person[field]
    return text ? [{ fact: `owner.${field}`, text, confidence, place, row: index + 1 }] : []
  })
}

function peopleOfTable(table: readonly (readonly string[])[], place: string): Person[] {
  // A title row may stand above the header.
  for (const begin of [0, 1, 2]) {
    const columns = (table[begin] ?? []).slice(0, 50).map(fieldOfHeader)
    const has = (field: PersonField | 'name') => columns.includes(field)
    // A name and an email alone are a list of customers.
    if (!(has('name') || (has('first_name') && has('last_name')))) continue
    if (!(has('ownership_percent') || has('birth_date') || has('role'))) continue
    return table
      .slice(begin + 1, begin + 1 + mostPeople)
      .flatMap((row, index) => personOfRow(row, columns, `${place}, row ${begin + index + 2}`) ?? [])
  }
  return []
}

function personOfRow(
  row: readonly string[],
  columns: readonly (PersonField | 'name' | undefined)[],
  place: string,
): Person | undefined {
  const person: Person = { confidence: 0.9, place }
  for (const [index, field] of columns.entries()) {
    const text = (row[index] ?? '').trim()
    if (!field || text === '' || text.length > 200) continue
    if (field === 'name') Object.assign(person, splitName(text))
    else if (field === 'ownership_percent') {
      if (isPercent(text) || isShare(text, columns.length)) person.ownership_percent = text
    } else if (field === 'email') {
      if (isEmail(text)) person.email = text
    } else if (field === 'birth_date') {
      const date = dateIn(tokensOf(text))
      if (date) person.birth_date = date
    } else person[field] = text
  }
  return person.first_name && person.last_name ? person : undefined
}

/** A bare number up to a hundred below 'ownership'; more are shares, not percent. */
function isShare(text: string, columns: number): boolean {
  return columns > 1 && /^\d{1,3}([.,]\d{1,6})?$/.test(text) && Number(text.replace(',', '.')) <= 100
}

function personOfLine(line: string, place: string): Person | undefined {
  if (!line.includes('%') && !line.includes('@')) return undefined
  const parts = line
    .split(/[,;|]| {2}| [–-] /)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const [first = '', ...rest] = parts
  const name = parts.length >= 2 && parts.length <= 6 ? splitName(first) : undefined
  if (!name || !isNameShaped(first)) return undefined
  const person: Person = { ...name, confidence: 0.6, place }
  for (const part of rest) {
    const percent = tokensOf(part).find(isPercent)
    if (isEmail(part)) person.email = part
    else if (percent) person.ownership_percent = isPercent(part) ? part : percent
    else if (wordsOf(part).some((word) => roles.has(word))) person.role = part
    else if (/\d/.test(part)) person.birth_date ??= dateIn(tokensOf(part))
  }
  const isOwner = person.ownership_percent !== undefined || (person.role !== undefined && person.email !== undefined)
  return isOwner ? person : undefined
}

const roles = new Set(
  'director president ceo cfo coo chair chairman member partner owner manager secretary founder shareholder treasurer trustee proprietor officer head vp'.split(
    ' ',
  ),
)
