// From readings to facts: of everything a document says about one thing, what is believed, and what is only offered.
import { isSameName } from '../readings/company-names.ts'
import type { Parties } from '../readings/parties.ts'
import { endOfYear } from '../readings/periods.ts'
import type { Doubt, Reading } from '../readings/reading.ts'
import { confidenceOf } from './confidence.ts'
import type { FoundFact } from './found-fact.ts'
import { isPlainContact, ownerDoubts } from './standing-doubts.ts'

const annual = new Set(['business.annual_revenue', 'business.annual_profit'])
const candidatesPerFact = 10
const mostReadings = 200

/** The best first; at most one value of a fact is sure. */
export function chooseFacts(readings: readonly Reading[], parties: Parties, today: string): FoundFact[] {
  const byFact = new Map<string, Reading[]>()
  for (const reading of readings) {
    const said = isPlainContact(reading.fact, parties)
      ? reading.doubts.filter((doubt) => doubt !== 'label')
      : reading.doubts
    const doubts = [...said, ...ownerDoubts(reading.fact, parties), ...periodDoubts(reading, today)]
    const own = byFact.get(reading.fact) ?? []
    own.push({ ...reading, doubts })
    byFact.set(reading.fact, own)
  }
  return [...byFact.values()].flatMap((own) => {
    const settled = settle(withoutParts(own), parties)
    return best(settled.map(toFact))
  })
}

/** The street alone is a part of the address. */
function withoutParts(readings: readonly Reading[]): readonly Reading[] {
  if (readings[0]?.fact !== 'business.registered_address') return readings
  return readings.filter(
    ({ value }) => !readings.some((other) => other.value.length > value.length && other.value.startsWith(value)),
  )
}

/** A figure of a year must be one of a full year that is over. */
function periodDoubts({ fact, period }: Reading, today: string): Doubt[] {
  if (!annual.has(fact)) return []
  if (period?.kind !== 'year' || period.is_plan) return ['period']
  const end = endOfYear(period)
  return end !== undefined && end > today ? ['period'] : []
}

/** Of several sure readings the newest counts; where nothing tells which is newer, all are in doubt. */
function settle(readings: readonly Reading[], { is_report, is_statement }: Parties): Reading[] {
  let list = [...readings]
  // `Revenue` counts where no fuller label stands, the dated balances of a statement where none is called its last.
  if (list.every(({ doubts }) => doubts.includes('label')) && is_report) list = list.map(trustPlainLabel)
  if (is_statement && !list.some(({ doubts }) => doubts.length === 0)) list = list.map(trustDatedBalance)
  const sureOnes = list.filter(({ doubts }) => doubts.length === 0)
  const newest = sureOnes.reduce((latest, { period }) => max(latest, (period && endOfYear(period)) ?? ''), '')
  // Without a date nothing says that a value is older.
  const current = new Set(sureOnes.filter(({ period }) => ((period && endOfYear(period)) ?? newest) === newest))
  const [one] = current
  const isDisputed = [...current].some(({ fact, value }) => !isSameText(fact, value, one?.value ?? ''))
  return list.map((reading) => {
    if (reading.doubts.length > 0) return reading
    const isOld = !current.has(reading)
    return isDisputed || isOld ? { ...reading, doubts: [isOld ? 'period' : 'number'] } : reading
  })
}

/** `Revenue` in a profit and loss account is its revenue, where no fuller label stands. */
function trustPlainLabel(reading: Reading): Reading {
  return reading.is_of_reports ? { ...reading, doubts: reading.doubts.filter((doubt) => doubt !== 'label') } : reading
}

function trustDatedBalance(reading: Reading): Reading {
  const isDated =
    reading.fact === 'business.bank_balance' &&
    reading.period?.end !== undefined &&
    reading.label.includes(reading.period.name.split(',')[0] ?? '\n')
  return isDated ? { ...reading, doubts: reading.doubts.filter((doubt) => doubt !== 'label') } : reading
}

function sameValue(value: string): string {
  return value.toLowerCase().replace(/[^\p{L}\p{N}.-]/gu, '')
}

function isSameText(fact: string, a: string, b: string): boolean {
  return fact === 'business.legal_name' ? isSameName(a, b) : sameValue(a) === sameValue(b)
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
