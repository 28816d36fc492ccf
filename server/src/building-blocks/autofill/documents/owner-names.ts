// How people are named: the columns and fields that hold what is said of them, and names in their parts.
import { wordsOf } from './fact-labels.ts'
import { tokensOf } from './fact-values.ts'

export type PersonField = 'first_name' | 'last_name' | 'ownership_percent' | 'email' | 'role' | 'birth_date'
export type Person = { [field in PersonField]?: string } & { confidence: number; place: string }

/** What a column or a label says of a person. */
export function fieldOfHeader(text: string): PersonField | 'name' | undefined {
  if (text.length > 60) return undefined
  return columnOf.get(wordsOf(text.replace('%', ' percent ')).join(' ')) ?? columnOf.get(wordsOf(text).join(' '))
}

export function splitName(text: string): { first_name: string; last_name: string } | undefined {
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

export function isNameShaped(text: string): boolean {
  const words = tokensOf(text)
  return (
    words.every((word) => /^[\p{L}.'’-]{1,40}$/u.test(word)) &&
    words.filter((word) => /^\p{Lu}/u.test(word)).length >= 2
  )
}

const companyWords = new Set(
  'ltd limited llc llp inc plc corp corporation company co gmbh trust holdings group fund bank'.split(' '),
)
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
