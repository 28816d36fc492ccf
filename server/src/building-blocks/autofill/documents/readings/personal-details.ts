// What is a person's and not the business's. Tax numbers tell by their form whether a person or a company has them: where
// a document has one of a company, that of a person is a director's, an owner's, the accountant's.
import { groupBy } from '../../../../platform/values/groups.ts'
import type { Person } from './owners.ts'
import type { Reading } from './reading.ts'

interface NumberForms {
  person: RegExp
  company: RegExp
}

/** Of Spaniards, and of foreigners in Spain. */
const spanish = /^(?:ES)?(?:\d{8}|[XYZKLM]\d{7})[A-Z]$/
const american = /^\d{3}-\d\d-\d{4}$/

/** A tax number whose form alone says that a person has it. */
export function isPersonalNumber(value: string): boolean {
  return american.test(value) || spanish.test(value.toUpperCase().replace(/[ .-]/g, ''))
}

/** Of the letters and digits alone. */
const forms = new Map<string, NumberForms>([
  ['ES', { person: spanish, company: /^(?:ES)?[ABCDEFGHJNPQRSUVW]\d{7}[\dA-J]$/ }],
  ['MX', { person: /^[A-ZÑ&]{4}\d{6}[A-Z\d]{3}$/, company: /^[A-ZÑ&]{3}\d{6}[A-Z\d]{3}$/ }],
  ['PE', { person: /^(?:1[0567]\d{9}|\d{8})$/, company: /^20\d{9}$/ }],
  ['CL', { person: /^(?:[1-4]\d|\d)\d{6}[\dK]$/, company: /^[5-9]\d{7}[\dK]$/ }],
])

/** Readings, those of a person's details in doubt. */
export function withoutPersonal(
  readings: readonly Reading[],
  people: readonly Person[],
  country: string | null,
): readonly Reading[] {
  return withoutEmails(withoutNumbers(readings, country), people)
}

/** The e-mail among the fields of an owner, if it stands nowhere else. */
function withoutEmails(readings: readonly Reading[], people: readonly Person[]): readonly Reading[] {
  const emails = new Set(people.flatMap(({ email }) => email ?? []))
  if (emails.size === 0) return readings
  const isOwners = ({ fact, value }: Reading) => fact === 'business.email' && emails.has(value)
  const places = groupBy(readings.filter(isOwners), ({ value }) => value)
  const isOnce = (email: string) =>
    new Set(places.get(email)?.map(({ place }) => `${place.page} ${place.line}`)).size === 1
  const once = new Set([...places.keys()].filter(isOnce))
  return readings.map((reading) =>
    isOwners(reading) && once.has(reading.value) ? { ...reading, doubts: [...reading.doubts, 'owner'] } : reading,
  )
}

function withoutNumbers(readings: readonly Reading[], country: string | null): readonly Reading[] {
  const known = forms.get(country ?? '')
  const isLike = ({ fact, value }: Reading, form: RegExp) =>
    fact === 'business.tax_id' && form.test(value.toUpperCase().replace(/[^\p{L}\p{N}&]/gu, ''))
  if (!known || !readings.some((reading) => isLike(reading, known.company))) return readings
  return readings.map((reading) =>
    isLike(reading, known.person) ? { ...reading, doubts: [...reading.doubts, 'owner'] } : reading,
  )
}
