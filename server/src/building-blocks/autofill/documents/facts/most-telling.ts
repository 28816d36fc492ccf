// Of several sure readings of one fact, those that say more than the others.
import { hasBoxes } from '../readings/choices.ts'
import type { Reading } from '../readings/reading.ts'
import { wordsOf } from '../words/phrases.ts'
import { foundingWords, mobileWords, registeredWords, registrationWords, salesTaxes } from '../words/vocabulary.ts'

/** `Total revenue` beside `Sales`, `Registered office` beside `Principal place of business`: one says more. */
export function mostTelling(readings: readonly Reading[]): readonly Reading[] {
  const [fact = ''] = readings.map((reading) => reading.fact)
  const isFirst = firstOf.get(fact)
  const own = withoutOldNumbers(isFirst ? readings.filter(isFirst) : [])
  // A business is founded before it is registered.
  const founded = fact === 'business.founded_on' ? own.filter(({ label }) => hasOne(label, foundingWords)) : []
  // A business is not in a box of the post, nor in care of somebody.
  const housed = fact === 'business.registered_address' ? readings.filter(({ value }) => !isNoHouse(value)) : []
  const first = founded.length > 0 ? founded : own.length > 0 ? own : housed
  if (first.some(({ value }) => value === nonprofit)) return first.filter(({ value }) => value === nonprofit)
  return first.length > 0 ? first : readings
}

/** In Switzerland, `CHE-` numbers have taken the place of `CH-`: registers have the old one behind it. */
function withoutOldNumbers(readings: readonly Reading[]): readonly Reading[] {
  const isOld = ({ value }: Reading) => /^CH-\d{3}[.-]/.test(value)
  const [first] = readings
  return first && /^CHE-/.test(first.value) ? readings.filter((one) => !isOld(one)) : readings
}

/** `PO Box 12, Leeds`, and not `PO Box 12, 14 Mill Road, Leeds` */
function isNoHouse(value: string): boolean {
  const [, ...rest] = value.split(',')
  return postBox.test(value) && !rest.some((part) => /^\s*\d{1,4}[a-z]?\s\p{L}|\p{L}\s\d{1,3}[a-z]?\s*$/iu.test(part))
}

const postBox = /^(?:p\.? ?o\.? box|postfach|case postale|boîte postale|apartado|c\/o)\b/i

/** As the words of returns have it. */
export const nonprofit = 'Nonprofit'
export const hasOne = (label: string, words: ReadonlySet<string>) => wordsOf(label).some((word) => words.has(word))
const isTotal = ({ is_total }: Reading) => is_total === true
const firstOf = new Map<string, (reading: Reading) => boolean>([
  ['business.annual_revenue', isTotal],
  ['business.annual_profit', isTotal],
  ['business.employee_count', isTotal],
  ['business.email', ({ label }) => label !== ''],
  ['business.website', ({ label }) => label !== ''],
  ['business.phone', ({ label }) => !hasOne(label, mobileWords)],
  ['business.registration_number', ({ label }) => label !== ''],
  // That of all taxes beside that of one.
  ['business.tax_id', ({ label, value }) => salesTaxes.in(wordsOf(label)) === undefined && !/RT ?\d{4}$/.test(value)],
  ['business.founded_on', ({ label }) => hasOne(label, foundingWords) || hasOne(label, registrationWords)],
  ['business.registered_address', ({ label }) => registeredWords.in(wordsOf(label)) !== undefined],
  // What is ticked says more than the title of a return, but who is exempt from tax is a nonprofit in any form.
  ['business.legal_form', ({ label, value }) => hasBoxes(label) || value === nonprofit],
])
