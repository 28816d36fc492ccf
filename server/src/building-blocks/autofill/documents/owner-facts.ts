// People who own or run the business: from tables with a header row and from lines like 'Ann Lee, Director, 60%'.
import type { DocumentText } from './document-text.ts'
import { wordsOf } from './fact-labels.ts'
import { dateIn, isEmail, isPercent, tokensOf } from './fact-values.ts'
import type { FoundFact } from './labelled-facts.ts'

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
  for (const page of text.pages)
    for (const [index, line] of page.lines.entries()) {
      const person = personOfLine(line.slice(0, 300), `page ${page.number}, line ${index + 1}`)
      if (person) add(person)
    }
  return people.flatMap(toFacts)
}

type PersonField = 'first_name' | 'last_name' | 'ownership_percent' | 'email' | 'role' | 'birth_date'
type Person = { [field in PersonField]?: string } & { confidence: number; place: string }

const mostPeople = 100
const fields: readonly PersonField[] = ['first_name', 'last_name', 'ownership_percent', 'email', 'role', 'birth_date']

function toFacts(person: Person, index: number): FoundFact[] {
  const { confidence, place } = person
  return fields.flatMap((field): FoundFact[] => {
    const text = person[field]
    return text ? [{ fact: `owner.${field}`, text, confidence, place, row: index + 1 }] : []
  })
}

const columnNames: Readonly<Record<PersonField | 'name', readonly string[]>> = {
  name: [
    'name',
    'full name',
    'owner',
    'owner name',
    'owners',
    'name of owner',
    'shareholder',
    'shareholder name',
    'name of shareholder',
    'member',
    'member name',
    'director',
    'partner',
    'partner name',
    'beneficial owner',
  ],
  first_name: ['first name', 'given name', 'forename', 'first'],
  last_name: ['last name', 'surname', 'family name', 'last'],
  ownership_percent: [
    'ownership',
    'ownership percent',
    'ownership percentage',
    'percent ownership',
    'percentage ownership',
    'percent owned',
    'percentage owned',
    'owned',
    'percent',
    'percentage',
    'share',
    'shares',
    'percent share',
    'percent of shares',
    'shareholding',
    'interest',
  ],
  email: ['email', 'e mail', 'email address'],
  role: ['title', 'role', 'position', 'job title'],
  birth_date: ['date of birth', 'dob', 'd o b', 'birth date', 'birthdate', 'born'],
}
const columnOf = new Map(
  // safe because the keys are those of the record above
  (Object.keys(columnNames) as (PersonField | 'name')[]).flatMap((field) =>
    columnNames[field].map((name) => [name, field] as const),
  ),
)

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

function fieldOfHeader(text: string): PersonField | 'name' | undefined {
  if (text.length > 60) return undefined
  return columnOf.get(wordsOf(text.replace('%', ' percent ')).join(' ')) ?? columnOf.get(wordsOf(text).join(' '))
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

function splitName(text: string): { first_name: string; last_name: string } | undefined {
  const turned = /^([^,]{1,80}),([^,]{1,80})$/.exec(text)
  if (turned && !companyWords.has(wordsOf(turned[2] ?? '').at(-1) ?? ''))
    return { first_name: (turned[2] ?? '').trim(), last_name: (turned[1] ?? '').trim() }
  const words = tokensOf(text).filter((word, index) => index > 0 || !/^(mr|mrs|ms|miss|dr|prof)\.?$/i.test(word))
  const last = wordsOf(text).at(-1) ?? ''
  if (words.length < 2 || words.length > 6 || /\d/.test(text) || companyWords.has(last)) return undefined
  if (wordsOf(text)[0] === 'total') return undefined
  // 'van der Berg' is one name: it begins at its first small word.
  const particle = words.findIndex((word, index) => index > 0 && /^\p{Ll}/u.test(word))
  const cut = particle === -1 ? words.length - 1 : particle
  return { first_name: words.slice(0, cut).join(' '), last_name: words.slice(cut).join(' ') }
}

function isNameShaped(text: string): boolean {
  const words = tokensOf(text)
  return (
    words.every((word) => /^[\p{L}.'’-]{1,40}$/u.test(word)) &&
    words.filter((word) => /^\p{Lu}/u.test(word)).length >= 2
  )
}

const companyWords = new Set(
  'ltd limited llc llp inc plc corp corporation company co gmbh trust holdings group fund bank'.split(' '),
)
const roles = new Set(
  'director president ceo cfo coo chair chairman member partner owner manager secretary founder shareholder treasurer trustee proprietor officer head vp'.split(
    ' ',
  ),
)
