// From readings to facts: of everything a document says about one thing, what is believed, and what is only offered.
import { monthNamed } from '../readings/dates.ts'
import type { Parties } from '../readings/parties.ts'
import { endOfYear, type Period } from '../readings/periods.ts'
import { isPersonalNumber } from '../readings/personal-details.ts'
import type { Doubt, Reading } from '../readings/reading.ts'
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import {
  accountBalances,
  atEndOf,
  foundingWords,
  homeWords,
  personalIncome,
  registerTerms,
  registrationWords,
} from '../words/vocabulary.ts'
import { believable } from './believable.ts'
import { confidenceOf } from './confidence.ts'
import { annual, doubtByOthers } from './doubts-between-readings.ts'
import type { FoundFact } from './found-fact.ts'
import { hasOne, mostTelling } from './most-telling.ts'
import { isSameText } from './same-values.ts'
import { isPlainContact, ownerDoubts } from './standing-doubts.ts'

const candidatesPerFact = 10
const mostReadings = 200

/** The best first; at most one value of a fact is sure. */
export function chooseFacts(readings: readonly Reading[], parties: Parties, today: string): FoundFact[] {
  const byFact = new Map<string, Reading[]>()
  const closed = closedYear(readings, today)
  // `Registered office` says more than `Address`.
  const labelled = new Set(
    readings
      .filter((one) => one.doubts.length === 0 && one.label !== '' && personDoubts(one, parties).length === 0)
      .map(({ fact }) => fact),
  )
  for (const reading of readings) {
    const said =
      isPlainContact(reading.fact, parties, labelled) && !labelled.has(reading.fact) && isOnceInDoubt(reading)
        ? reading.doubts.filter((doubt) => doubt !== 'label')
        : reading.doubts
    const doubts = [
      ...said,
      ...ownerDoubts(reading.fact, parties),
      ...periodDoubts(reading, today, closed),
      ...balanceDoubts(reading, parties),
      ...personDoubts(reading, parties),
    ]
    const own = byFact.get(reading.fact) ?? []
    own.push({ ...reading, doubts })
    byFact.set(reading.fact, own)
  }
  const isNumbered = labelled.has('business.registration_number')
  doubtByOthers(byFact, today)
  const settled = [...byFact.values()].map((own) => settle(withoutParts(own), parties, isNumbered, today))
  return believable(settled).flatMap((own) => best(own.map(toFact)))
}

/** `Phone` is plain; `Phone of representative` and `Home address` are somebody's. */
function isOnceInDoubt({ fact, label, doubts }: Reading): boolean {
  if (fact === 'business.registered_address' && wordsOf(label).length <= 3 && hasOne(label, homeWords)) return false
  return fact !== 'business.phone' || doubts.filter((doubt) => doubt === 'label').length <= 1
}

/** The street alone is a part of the address, and `is at 22 High Street, Leeds` has a part of its sentence before it. */
function withoutParts(readings: readonly Reading[]): readonly Reading[] {
  if (readings[0]?.fact !== 'business.registered_address') return readings
  return readings.filter(
    ({ value }) =>
      !readings.some((other) => other.value.length > value.length && other.value.startsWith(value)) &&
      !(/^\p{Ll}/u.test(value) && readings.some((other) => value.endsWith(` ${other.value}`))),
  )
}

/** `FY2026 actual | FY2027 plan`: a financial year that has ended before the calendar's. */
function closedYear(readings: readonly Reading[], today: string): number | undefined {
  const year = Number(today.slice(0, 4))
  const own = readings.flatMap(({ fact, period }) => (annual.has(fact) && period ? [period] : []))
  const planned = new Set(own.flatMap((period) => (period.is_plan ? [period.year] : [])))
  const isActual = own.some((period) => period.year === year && isSaidActual(period))
  // `October 2026`, `January to September`: it is still going on.
  const isRunning = own.some(({ kind }) => kind === 'part' || kind === 'month')
  return isActual && !isRunning && planned.has(year + 1) && !planned.has(year) ? year : undefined
}

function isSaidActual({ kind, is_plan, name }: Period): boolean {
  return kind === 'year' && !is_plan && /\bFY ?\d/i.test(name) && periods.actual.in(wordsOf(name)) !== undefined
}

/** A figure of a year must be one of a full year that is over. */
function periodDoubts({ fact, period }: Reading, today: string, closed: number | undefined): Doubt[] {
  if (!annual.has(fact)) return []
  if (period?.kind !== 'year' || period.is_plan) return ['period']
  if (period.year !== undefined && period.year === closed && isSaidActual(period)) return []
  const end = endOfYear(period)
  return end !== undefined && end > today ? ['period'] : []
}

/** In lines that name nobody, `123-45-6789` and `Annual income` may be those of a person. */
function personDoubts({ fact, label, value }: Reading, { standing }: Parties): Doubt[] {
  if (standing !== 'alone') return []
  const isNumber = fact === 'business.tax_id' && isPersonalNumber(value)
  return isNumber || (fact === 'business.annual_revenue' && hasOne(label, personalIncome)) ? ['owner'] : []
}

/** `Balance at end of year` of a return is that of earnings. */
function balanceDoubts({ fact, label }: Reading, { is_report, is_statement }: Parties): Doubt[] {
  const isOfYear =
    fact === 'business.bank_balance' && is_report && !is_statement && atEndOf.in(wordsOf(label)) !== undefined
  return isOfYear ? ['label'] : []
}

/** Of several sure readings the newest counts; where nothing tells which is newer, all are in doubt. */
function settle(readings: readonly Reading[], parties: Parties, isNumbered: boolean, today: string): Reading[] {
  const list = trusted(readings, parties, isNumbered, today)
  const sureOnes = list.filter(({ doubts }) => doubts.length === 0)
  const newest = sureOnes.reduce((latest, { period }) => max(latest, (period && endOfYear(period)) ?? ''), '')
  // Without a date nothing says that a value is older; beside one without, `prior year` does.
  const isUndated = sureOnes.some(({ period }) => !period || endOfYear(period) === undefined)
  const isPrior = ({ period }: Reading) => isUndated && period?.is_prior === true
  const latest = sureOnes.filter((one) => ((one.period && endOfYear(one.period)) ?? newest) === newest && !isPrior(one))
  const current = new Set(withoutBare(mostTelling(latest)))
  const [one] = current
  const isDisputed =
    [...current].some(({ fact, value }) => !isSameText(fact, value, one?.value ?? '')) ||
    list.some((other) => one !== undefined && isSameWithRemark(one, other))
  // A later year stands there too, and nothing says whether it is over: the earlier one may not be the newest.
  const isOutdated = list.some(
    ({ period, doubts, fact }) =>
      annual.has(fact) &&
      newest !== '' &&
      (period?.kind === 'year' || period?.is_long) &&
      !period.is_plan &&
      doubts.every((doubt) => doubt === 'period') &&
      (endOfYear(period) ?? '') > newest,
  )
  return list.map((reading) => {
    if (reading.doubts.length > 0) return reading
    const isOld = !latest.includes(reading)
    if (isOld || isOutdated) return { ...reading, doubts: ['period'] }
    return isDisputed || !current.has(reading) ? { ...reading, doubts: ['number'] } : reading
  })
}

/** `Revenue 2025: £1,410,000` and `Revenue 2025 (per tax return): £1,140,000`: somebody has to choose. */
function isSameWithRemark(one: Reading, other: Reading): boolean {
  const bare = (label: string) => wordsOf(label.replace(/\([^()]*\)/g, ' ')).join(' ')
  return (
    annual.has(one.fact) &&
    other.doubts.every((doubt) => doubt === 'label') &&
    one.period?.year !== undefined &&
    one.period.year === other.period?.year &&
    bare(one.label) === bare(other.label) &&
    one.label !== other.label &&
    !isSameFigure(one, other) &&
    !isSameText(one.fact, one.value, other.value)
  )
}

/** What counts although its label is plain, where no fuller one stands. */
function trusted(
  readings: readonly Reading[],
  { is_report, is_statement, is_register, is_other_register }: Parties,
  isNumbered: boolean,
  today: string,
): readonly Reading[] {
  const isSure = readings.some(({ doubts }) => doubts.length === 0)
  const isFounding = readings[0]?.fact === 'business.founded_on'
  // A register also knows when the business began to trade, which says less.
  const isBorn = readings.some(({ doubts, label }) => doubts.length === 0 && hasOne(label, foundingWords))
  if (isSure && !(isFounding && is_register && !isBorn)) return readings
  if (readings[0]?.fact === 'business.bank_balance')
    return is_statement ? closingBalance(readings) : balanceOfDay(readings, today)
  // Outside of a report `Sales` must say of which year it is.
  const mayTrust = ({ fact, label, period }: Reading) => {
    if (registerTerms.in(wordsOf(label)) !== undefined) return is_register && !is_other_register
    // Other things are registered too: the day counts where the number of the register stands.
    if (isFounding) return !hasOne(label, registrationWords) || ((is_register || isNumbered) && !is_other_register)
    return !annual.has(fact) || is_report || period?.is_explicit || period?.year !== undefined
  }
  return readings.map((reading) => (reading.is_plain && mayTrust(reading) ? without(reading, 'label') : reading))
}

/** A statement without a balance called its last: that of the day in its label, or the last of the running ones. */
function closingBalance(readings: readonly Reading[]): readonly Reading[] {
  const isOpen = ({ doubts }: Reading) => doubts.every((doubt) => doubt === 'label')
  const dated = readings.filter(
    (reading) =>
      isOpen(reading) &&
      reading.period?.end !== undefined &&
      reading.label.includes(reading.period.name.split(',')[0] ?? '\n'),
  )
  const open = readings.filter((reading) => isOpen(reading) && reading.is_plain)
  const [first, last] = [open[0], open.at(-1)]
  // Exports often begin with the newest.
  const isTurned = (first?.period?.end ?? '') > (last?.period?.end ?? first?.period?.end ?? '')
  const newest = isTurned ? first : last
  const trustedOnes = new Set(dated.length > 0 ? dated : newest ? [newest] : [])
  return readings.map((reading) => (trustedOnes.has(reading) ? without(reading, 'label') : reading))
}

/** `Bank balance on 31 October 2026` in a form, where no other balance stands beside it. */
function balanceOfDay(readings: readonly Reading[], today: string): readonly Reading[] {
  const open = readings.filter(({ doubts }) => doubts.every((doubt) => doubt === 'label'))
  const isOne = new Set(open.map(({ value }) => value)).size === 1
  const isOver = ({ period }: Reading) => period?.kind === 'date' && (period.end ?? '') <= today
  return readings.map((reading) =>
    isOne && open.includes(reading) && isOver(reading) && isOfAccount(reading) ? without(reading, 'label') : reading,
  )
}

/** Nothing but what an account holds, and a day: not `Loan account balance`, and no `Bank balance needed on …`. */
function isOfAccount({ label, is_below_other }: Reading): boolean {
  const words = wordsOf(label.replace(/\([^()]*\)/g, ' '))
  const found = accountBalances.at(words, 0)
  const isSmall = (word: string) => word.length <= 3 || /^\d/.test(word) || monthNamed(word) !== undefined
  return found !== undefined && is_below_other !== true && words.slice(found.length).every(isSmall)
}

function without(reading: Reading, doubt: Doubt): Reading {
  return { ...reading, doubts: reading.doubts.filter((one) => one !== doubt) }
}

/** The one that says more. */
function withoutBare(readings: readonly Reading[]): readonly Reading[] {
  return readings.filter(
    (one) => !readings.some((other) => other.value.length > one.value.length && isSameFigure(one, other)),
  )
}

/** A line that is read in two ways: as `EUR 157024.00`, and as `157024.00`. */
function isSameFigure(a: Reading, b: Reading): boolean {
  const isOneLine = a.place.page === b.place.page && a.place.line === b.place.line
  return isOneLine && (a.value.endsWith(` ${b.value}`) || b.value.endsWith(` ${a.value}`))
}

function max(a: string, b: string): string {
  return a > b ? a : b
}

function toFact({ fact, value, doubts, period, place }: Reading): FoundFact {
  const end = period && endOfYear(period)
  return {
    fact,
    text: value,
    confidence: confidenceOf(doubts),
    page: place.page,
    line: place.line,
    words: place.words,
    ...(period && { period: period.name.slice(0, 100) }),
    ...(end !== undefined && { period_end: end }),
  }
}

/** Every value once, where it was surest; a flood of candidates helps nobody. */
function best(found: readonly FoundFact[]): FoundFact[] {
  const kept: FoundFact[] = []
  for (const one of found.toSorted((a, b) => b.confidence - a.confidence).slice(0, mostReadings)) {
    const at = kept.findIndex(({ fact, text }) => isSameText(fact, text, one.text))
    if (at === -1) kept.push(one)
    else if ((kept[at]?.confidence ?? 0) < one.confidence) kept[at] = one
  }
  return kept.sort((a, b) => b.confidence - a.confidence).slice(0, candidatesPerFact)
}
