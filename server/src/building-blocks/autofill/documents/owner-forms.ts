// People in forms that are written downwards: 'Owner 1: Ann Lee (60%)', 'Owner 2 first name: Bob', or fields below an
// owner's name; and lists below a heading such as 'Shareholders'.
import { cellsOf } from './document-text.ts'
import { wordsOf } from './fact-labels.ts'
import { dateIn, isEmail, isPercent, tokensOf } from './fact-values.ts'
import { fieldOfHeader, isNameShaped, type Person, type PersonField, splitName } from './owner-names.ts'

export function peopleOfForm(lines: readonly string[], pageNumber: number): Person[] {
  const people: Person[] = []
  const byNumber = new Map<string, Person>()
  let current: Person | undefined
  /** The line up to which fields still belong to the last person, and names to the last heading. */
  let fieldsUntil = -1
  let namesUntil = -1

  const personOf = (number: string, place: string): Person => {
    const known = number === '' ? undefined : byNumber.get(number)
    if (known) return known
    const person: Person = { confidence: 0.85, place }
    people.push(person)
    if (number !== '') byNumber.set(number, person)
    return person
  }

  for (const [index, line] of lines.entries()) {
    const place = `page ${pageNumber}, line ${index + 1}`
    const { label, value } = labelAndValue(line.slice(0, 300))
    const owner = ownerLabel(label)
    if (owner) {
      if (value === '' && owner.field === undefined) {
        namesUntil = index + headingReach
        continue
      }
      current = personOf(owner.number, place)
      fieldsUntil = index + fieldReach
      if (owner.field === undefined || owner.field === 'name') nameAndShare(current, value)
      else setField(current, owner.field, value)
      continue
    }
    const field = value === '' ? undefined : fieldOfHeader(label)
    if (field !== undefined && current && index <= fieldsUntil) {
      // The same field once more is the next person's.
      if (field !== 'name' && current[field] !== undefined) current = personOf('', place)
      fieldsUntil = index + fieldReach
      if (field === 'name') nameAndShare(current, value)
      else setField(current, field, value)
      continue
    }
    if (index <= namesUntil) {
      const person: Person = { confidence: 0.7, place }
      nameAndShare(person, line.slice(0, 100))
      if (person.first_name === undefined || person.ownership_percent === undefined) continue
      people.push(person)
      namesUntil = index + headingReach
    }
  }
  return people.filter((person) => person.first_name && person.last_name)
}

const fieldReach = 8
const headingReach = 3

/** 'label: value' or, in columns, 'label  value'. */
function labelAndValue(line: string): { label: string; value: string } {
  const colon = line.indexOf(':')
  if (colon !== -1) return { label: line.slice(0, colon), value: line.slice(colon + 1).trim() }
  const [label = '', ...rest] = cellsOf(line)
  return { label, value: rest.join(' ') }
}

/** Whether a label is about an owner: which one, and what of them. */
function ownerLabel(label: string): { number: string; field: PersonField | 'name' | undefined } | undefined {
  if (label.length > 60) return undefined
  const words = wordsOf(label.replace('%', ' percent '))
  const begin = words[0] === 'beneficial' || words[0] === 'principal' ? 1 : 0
  if (!ownerWords.has(words[begin] ?? '') && !(begin === 1 && words.length === 1)) return undefined
  const isNumbered = /^\d{1,2}$/.test(words[begin + 1] ?? '')
  const rest = words.slice(begin + (isNumbered ? 2 : 1)).join(' ')
  const field = rest === '' ? undefined : fieldOfHeader(rest)
  if (rest !== '' && field === undefined) return undefined
  return { number: isNumbered ? (words[begin + 1] ?? '') : '', field }
}

const ownerWords = new Set(
  'owner owners shareholder shareholders member members partner partners director directors guarantor'.split(' '),
)

/** 'Ann Lee', 'Ann Lee (60%)', 'Ann Lee, 60 %', 'Ann Lee 60%'. */
function nameAndShare(person: Person, text: string): void {
  const tokens = tokensOf(text.replace(/[(),;–]/g, ' ').replace(/ %/g, '%'))
  const share = tokens.find(isPercent)
  const end = tokens.findIndex((token) => !/^[\p{L}.'’-]{1,40}$/u.test(token))
  const name = (end === -1 ? tokens : tokens.slice(0, end)).filter((token) => token !== '-').join(' ')
  if (isNameShaped(name)) Object.assign(person, splitName(name))
  if (share !== undefined) person.ownership_percent = share
}

function setField(person: Person, field: PersonField, value: string): void {
  if (value === '' || value.length > 200) return
  if (field === 'email') {
    if (isEmail(value)) person.email = value
  } else if (field === 'birth_date') {
    const date = dateIn(tokensOf(value))
    if (date) person.birth_date = date
  } else if (field === 'ownership_percent') {
    const number = value.replace(/\s*%$/, '')
    if (/^\d{1,3}([.,]\d{1,6})?$/.test(number) && Number(number.replace(',', '.')) <= 100)
      person.ownership_percent = value
  } else person[field] = value
}
