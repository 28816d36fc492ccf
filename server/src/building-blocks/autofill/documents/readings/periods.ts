// The period a heading, a column or a label speaks of: a full year, a part of one, a plan, or nothing it says.

import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { remembered } from '../words/remembered.ts'
import { datesIn, type FoundDate, isoOf, monthNamed, withWholeYear } from './dates.ts'

export interface Period {
  /** `date` is one day without any word for the time before it. */
  kind: 'year' | 'part' | 'date' | 'month'
  /** The last day, where it is known: a year without one ends with its December. */
  end?: string
  year?: number
  /** 1 to 12, of a column that is a month. */
  month?: number
  /** `03-31`: the day on which every year ends, where no year stands with it. */
  every?: string
  is_plan: boolean
  /** The text says that these are real figures, or that this is a whole year. */
  is_explicit: boolean
  /** `2025/26`: it ends in the middle of its year, on a day that is not said. */
  is_split?: boolean
  /** The year before one that is not said. */
  is_prior?: boolean
  /** It has more months than a year. */
  is_long?: boolean
  /** As the document says it. */
  name: string
}

const monthWords = new Set(['month', 'months', 'monate', 'monaten', 'mois', 'meses'])

const lettered = /^(20[0-3]\d)([aefbp])$/

/** `2025/26`, `FY 2025-26` */
const splitYear = /(?<![\d/-])20(?:[0-8]\d)\s?[-–/]\s?(?:20)?\d\d(?![\d/-])/

/** `Estimado Julián:` is no estimate. */
const salutation = /^Estimad[oa]s? (?:(?:[Ss]ra?|[Ss]eñora?|[Dd]on|[Dd]oña)\.? )?(?:\p{Lu}\p{Ll}+ ?)+[,:]\s*$/u

/** The longest time that accounts are made for. */
const mostMonths = 18
const twoYears = 24
/** No heading and no label that names a period is longer. */
const longestText = 300

/** The period in a text, undefined when it names none. */
export function periodIn(text: string, country: string | null): Period | undefined {
  return known(`${country ?? ''}\n${text.slice(0, longestText)}`)
}

const known = remembered((key) => {
  const at = key.indexOf('\n')
  return periodOf(key.slice(at + 1), key.slice(0, at) || null)
})

function periodOf(text: string, country: string | null): Period | undefined {
  // `Jan/2025-Dez/2025`, `1 Apr 2025-31 Mar 2026`
  const cut = withWholeYear(withoutForms(text)).replace(/(?<=\d{4})-(?=(?:\d{1,2}\s)?\p{L}{3,9}[./]?\s?\d{4})/gu, ' - ')
  const words = wordsOf(cut)
  if (salutation.test(text)) return undefined
  const dates = datesIn(cut, country)
  const name = text.trim()
  // `2025A`, `2026F`: actual, and forecast, estimate, budget or plan.
  const isLettered = (letters: string) => words.some((word) => letters.includes(lettered.exec(word)?.[2] ?? ' '))
  // `last full year (1 May 2025 to …)` and `the year 1 January 2025 to 31 December 2025` are no `year 1`.
  const isOfDays = dates.length === 2 && dates.every(({ day, year }) => day !== undefined && year > 0)
  const isDay = (at: number) => /^\d{1,2}$/.test(words[at] ?? '') && monthNamed(words[at + 1] ?? '') !== undefined
  const parts = isOfDays ? [words.filter((_, at) => !isDay(at))] : cut.split('(').map(wordsOf)
  const isPlan = parts.some((part) => periods.plan.in(part)) || isLettered('febp')
  const isActual = periods.actual.in(words) !== undefined || isLettered('a')
  const isSplit = splitYear.test(cut) && dates.length === 0
  const basis = { is_plan: isPlan && !isActual, name, ...(isSplit && { is_split: true }) }
  const span = spanOf(cut, words, dates)
  if (span) return { ...span, ...basis, is_explicit: true }
  const year = yearIn(words, dates)
  const hasYearWord = periods.year.in(words) !== undefined
  // `12 months` is a year, `nine months` is not, and `60 months` alone are the term of a loan.
  const isDated = year !== undefined || dates.length > 0
  const isCounted = words.some((word, at) => {
    const isShort = Number(word) <= mostMonths || Number(word) === twoYears
    return /^\d{1,2}$/.test(word) && (isShort || isDated) && monthWords.has(words[at + 1] ?? '')
  })
  // `6m to Sep 2026`
  const isShortened = /^(?:[1-9]|1[01])m$/.test(words[0] ?? '') && isDated && words.length > 2
  if ((periods.part.in(words) || isCounted || isShortened) && !isTwelveMonths(words)) {
    const isLong = words.some(
      (word, at) => Number(word) > 12 && Number(word) <= twoYears && monthWords.has(words[at + 1] ?? ''),
    )
    return { kind: 'part', ...endOf(dates, year), ...basis, is_explicit: true, ...(isLong && { is_long: true }) }
  }
  const isOneYear = words.filter((word) => /^(?:19|20)\d\d$/.test(word)).length === 1
  const until = dates.length === 0 && !hasYearWord && isOneYear ? dayUntil(words) : undefined
  if (until !== undefined && until !== '12-31')
    return { kind: 'part', ...(year !== undefined && { end: `${year}-${until}`, year }), ...basis, is_explicit: true }
  const day = dates.find((date) => date.day !== undefined && date.year > 0)
  if (hasYearWord || isTwelveMonths(words)) {
    const end = day ?? dates.find((date) => date.year > 0)
    const every = end === undefined && dates.length === 1 ? dates[0] : undefined
    return {
      kind: 'year',
      ...(every && { every: isoOf({ ...every, year: 2000 }).slice(5) }),
      ...(end ? { end: isoOf(end), year: end.year } : year !== undefined && { year }),
      ...basis,
      is_explicit: true,
    }
  }
  if (day) return { kind: 'date', end: isoOf(day), year: day.year, ...basis, is_explicit: false }
  const month = dates.find((date) => date.year > 0)
  if (month)
    return { kind: 'month', end: isoOf(month), year: month.year, month: month.month, ...basis, is_explicit: true }
  const months = monthsIn(words)
  if (months)
    return {
      kind: months.length === 12 ? 'year' : 'part',
      ...(year !== undefined && { year }),
      ...basis,
      is_explicit: true,
    }
  const lone = words.length <= 2 ? monthNamed(words[0] ?? '') : undefined
  if (lone !== undefined)
    return { kind: 'month', month: lone, ...(year !== undefined && { year }), ...basis, is_explicit: true }
  if (year !== undefined) return { kind: 'year', year, ...basis, is_explicit: isActual }
  return isPlan ? { kind: 'year', ...basis, is_explicit: false } : undefined
}

/** `2026 (until 30/09)`: the day, as `09-30`. */
function dayUntil(words: readonly string[]): string | undefined {
  const isDay = (word = '') => /^(?:0?[1-9]|[12]\d|3[01])$/.test(word)
  const isMonth = (word = '') => /^(?:0?[1-9]|1[0-2])$/.test(word)
  for (const [index, word] of words.entries()) {
    if (!periods.until.has(word)) continue
    // `bis zum 30.09.`, `through 09/30`
    const from = /^\d/.test(words[index + 1] ?? '') ? index + 1 : index + 2
    const [first, second] = [words[from], words[from + 1]]
    const [day, month] = isDay(first) && isMonth(second) ? [first, second] : [second, first]
    if (isDay(day) && isMonth(month)) return `${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  }
  return undefined
}

/** `N° 2065-SD`, `Form 1065`, `6-2000`, `RE-2026-0418`: forms, accounts and applications are numbered as years are. */
export function withoutForms(text: string): string {
  return withoutEditions(text).replace(
    /(?:\b(?:n[°ºo.]|form|formular|vordruck|cerfa|modelo|formulaire|schedule|anlage)\s*)\d{4}(?!\d)(?:-\p{Lu}+)?|(?<!\d)\d{4}-\p{Lu}+|^\s*\d-(?!20[1-3]\d)\d{4}(?![\d-])|\bt2\s(?=corporation|return|schedule|short)|\bco-17\b(?:\s?\/\s?t2\b)?/giu,
    ' ',
  )
}

export function withoutEditions(text: string): string {
  return text.replace(code, ' ').replace(edition, ' ')
}

/** `Version 2026-05`, `(rev. 05/18)`: of a form. */
const edition =
  /\b(?:version|rev(?:ision|ised)?\.?|edition|ausgabe|fassung|stand|versión|édition)\s?:?\s?(?:(?:20\d\d[-/.]\d{1,2}|\d{1,2}[-/.](?:20)?\d\d|20\d\d)(?![\d/.-]))/giu

/** `BW-2026-118204`, but not `FY2025-2026`. */
const code = /(?<![\p{L}\d])\p{Lu}{1,5}[-/]20\d\d[-/](?!20\d\d(?!\d))\d{3,8}(?![\d/-])/gu

/** `Jan – Mar` without a year. */
function monthsIn(words: readonly string[]): { length: number } | undefined {
  const own = words.filter((word) => !periods.between.has(word))
  for (const [index, word] of own.entries()) {
    const [first, last] = [monthNamed(word), monthNamed(own[index + 1] ?? '')]
    if (first !== undefined && last !== undefined && first !== last) return { length: ((last - first + 12) % 12) + 1 }
  }
  return undefined
}

/** `1 January 2025 to 31 March 2025`, `Jan - Dec 2025`: a year when it is as long as one. */
function spanOf(
  text: string,
  words: readonly string[],
  dates: readonly FoundDate[],
): Pick<Period, 'kind' | 'end' | 'year'> | undefined {
  const [first, second] = dates
  if (first && second) {
    const between = text.slice(first.end, second.begin)
    const isRange = /^[\s\-–—]*$/.test(between)
      ? /[-–—]/.test(between)
      : wordsOf(between).length === 1 && periods.between.has(wordsOf(between)[0] ?? '')
    if (!isRange || second.year === 0) return undefined
    const from = { ...first, year: first.year === 0 ? second.year : first.year }
    return lengthOf(isoOf({ ...from, day: from.day ?? 1 }), isoOf(second))
  }
  // `January to June 2025`, `Jan-Dec 2025`: only the second has its year.
  const second1 = dates.find((date) => date.year > 0)
  if (!second1 || second1.day !== undefined) return undefined
  const before = wordsOf(text.slice(0, second1.begin))
  const last = before.at(-1) ?? ''
  const name = periods.between.has(last) || last === '' ? before.at(-2) : last
  const month = name === undefined ? undefined : monthNamed(name)
  if (month === undefined || words.length > 40) return undefined
  const year = month > second1.month ? second1.year - 1 : second1.year
  return lengthOf(isoOf({ year, month, day: 1 }), isoOf(second1))
}

function lengthOf(from: string, to: string): Pick<Period, 'kind' | 'end' | 'year'> | undefined {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  if (!(days > 0)) return undefined
  // Years of 52 or 53 weeks are years.
  return { kind: days >= 357 && days <= 373 ? 'year' : 'part', end: to, year: Number(to.slice(0, 4)) }
}

function isTwelveMonths(words: readonly string[]): boolean {
  const at = words.findIndex(
    (word) => word === '12' || word === 'twelve' || word === 'zwolf' || word === 'douze' || word === 'doce',
  )
  const isMonths = (word = '') => monthWords.has(word)
  return (
    at !== -1 &&
    (isMonths(words[at + 1]) || isMonths(words[at - 1])) &&
    !['last', 'trailing', 'rolling', 'letzte', 'ultimos', 'derniers'].some((word) => words.includes(word))
  )
}

function yearIn(words: readonly string[], dates: readonly FoundDate[]): number | undefined {
  for (const [index, word] of words.entries()) {
    const fiscal =
      /^(?:fy|gj|cy|ty)((?:19|20)?\d\d)$/.exec(word)?.[1] ??
      (/^(?:fy|gj)$/.test(words[index - 1] ?? '') ? /^((?:19|20)?\d\d)$/.exec(word)?.[1] : undefined)
    if (fiscal !== undefined)
      return endOfSplit(fiscal.length === 2 ? 2000 + Number(fiscal) : Number(fiscal), words[index + 1])
    const whole = lettered.exec(word)?.[1]
    if (whole !== undefined) return Number(whole)
    if (!/^(19[5-9]|20[0-3])\d$/.test(word)) continue
    // `2024/25` ends in 2025.
    const next = words[index + 1] ?? ''
    const year = Number(word)
    if (endOfSplit(year, next) !== year) return endOfSplit(year, next)
    if (next === String(year + 1) && words.length <= 3) return year + 1
    return year
  }
  return dates.find((date) => date.year > 0)?.year
}

function endOfSplit(year: number, next = ''): number {
  return /^\d\d$/.test(next) && Number(next) === (year + 1) % 100 ? year + 1 : year
}

function endOf(dates: readonly FoundDate[], year: number | undefined): Pick<Period, 'end' | 'year'> {
  const last = dates.findLast((date) => date.year > 0)
  if (last) return { end: isoOf(last), year: last.year }
  return year === undefined ? {} : { year }
}

/** The last day of a full year. */
export function endOfYear({ end, year, is_split }: Period): string | undefined {
  return end ?? (year === undefined ? undefined : `${year}-${is_split ? '06-30' : '12-31'}`)
}
