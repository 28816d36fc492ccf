// What one reading of a document says against another: a number that is called two things, a plan that is read twice, an
// amount that has lost its sign.
import type { Doubt, Reading } from '../readings/reading.ts'
import { wordsOf } from '../words/phrases.ts'
import { businessWords } from '../words/vocabulary.ts'
import { sameValue } from './same-values.ts'

/** Figures of a year. */
export const annual = new Set(['business.annual_revenue', 'business.annual_profit'])

export function doubtByOthers(byFact: Map<string, Reading[]>, today: string): void {
  doubtNumbersOfTaxes(byFact)
  doubtPlannedCounts(byFact, today)
  doubtSigns(byFact)
  doubtPlannedFields(byFact)
}

/** `Registration number` on the certificate of a tax is the tax number: elsewhere the same document calls it so. */
function doubtNumbersOfTaxes(byFact: Map<string, Reading[]>): void {
  const taxNumbers = new Set(
    byFact.get('business.tax_id')?.flatMap(({ value, doubts }) => (doubts.length === 0 ? [sameValue(value)] : [])),
  )
  const fact = 'business.registration_number'
  // Without a label it was told by its form, which says of which register it is.
  const isTax = ({ value, label }: Reading) =>
    label !== '' &&
    // A Swiss number is one for everything.
    !/^CHE-/.test(value) &&
    taxNumbers.has(sameValue(value)) &&
    businessWords.in(wordsOf(label)) === undefined
  doubt(byFact, fact, isTax, 'label')
}

/** `2027 | 2028 | 2029` over a row of employees: those who will be there, if all goes well. */
function doubtPlannedCounts(byFact: Map<string, Reading[]>, today: string): void {
  const fact = 'business.employee_count'
  const own = byFact.get(fact) ?? []
  const years = new Set(own.map(({ period }) => period?.year))
  const isActual = own.some(({ period }) => period?.is_plan !== true)
  // `Employees in 2027: 30`
  const isSaid = ({ label, period }: Reading) => !period?.is_split && label.includes(String(period?.year ?? '-'))
  const isPlanned = (one: Reading) =>
    ((years.size > 1 || isSaid(one)) && (one.period?.year ?? 0) > Number(today.slice(0, 4))) ||
    (isActual && one.period?.is_plan === true)
  doubt(byFact, fact, isPlanned, 'period')
}

/** A field called `Sales 2026` below `Plan 2026` is read twice, and its name does not say that it is a plan. */
function doubtPlannedFields(byFact: Map<string, Reading[]>): void {
  for (const fact of annual) {
    if (!byFact.has(fact)) continue
    const at = ({ place, value, period }: Reading) => `${place.page} ${place.line} ${value} ${period?.year}`
    const planned = new Set((byFact.get(fact) ?? []).flatMap((one) => (one.period?.is_plan ? [at(one)] : [])))
    const asPlanned = (one: Reading): Reading =>
      one.period && planned.has(at(one)) ? { ...one, period: { ...one.period, is_plan: true } } : one
    byFact.set(fact, (byFact.get(fact) ?? []).map(asPlanned))
    doubt(byFact, fact, (one) => planned.has(at(one)), 'period')
  }
}

/** `3,412.88` here and `3,412.88 DR` there: one of them has lost its sign. */
function doubtSigns(byFact: Map<string, Reading[]>): void {
  const fact = 'business.bank_balance'
  const bare = ({ value }: Reading) => value.replace('-', '')
  const owed = new Set((byFact.get(fact) ?? []).flatMap((one) => (one.value.includes('-') ? [bare(one)] : [])))
  doubt(byFact, fact, (one) => !one.value.includes('-') && owed.has(bare(one)), 'number')
}

function doubt(byFact: Map<string, Reading[]>, fact: string, isMeant: (one: Reading) => boolean, reason: Doubt): void {
  const own = byFact.get(fact)
  if (own)
    byFact.set(
      fact,
      own.map((one) => (isMeant(one) ? { ...one, doubts: [...one.doubts, reason] } : one)),
    )
}
