// Days and months in a text, in four languages.
import { monthFirstCountries } from '../../date-texts.ts'
import { monthNames, periods } from '../words/figure-words.ts'
import { fold } from '../words/phrases.ts'

export interface FoundDate {
  begin: number
  end: number
  year: number
  month: number
  /** Undefined for a month as a whole. */
  day?: number
  /** `03/04/2025` may be either; read as the country writes it. */
  is_unclear: boolean
}

const mostDates = 40

const month = `(?:${monthNames.join('|')})(?!\\p{L})`
const iso = String.raw`(?<iy>(?:19|20)\d\d)-(?<im>\d\d)(?:-(?<id>\d\d))?|(?<sly>(?:19|20)\d\d)(?<slsep>[/.])(?<slm>\d\d)\k<slsep>(?<sld>\d\d)`
const numeric = String.raw`(?<n1>\d{1,2})(?<sep>[./-])\s?(?<n2>\d{1,2})\k<sep>\s?(?<ny>(?:19|20)\d\d|\d\d)`
/** `05 04 2026`, as it is written into boxes. */
const boxed = String.raw`(?<!\d )(?<b1>\d\d) (?<b2>\d\d) (?<by>(?:19|20)\d\d)(?! \d)`
const short = String.raw`(?<sm>0?[1-9]|1[0-2])[./](?<sy>(?:19|20)\d\d)`
const dayFirst = String.raw`(?<d1>\d{1,2})(?:st|nd|rd|th|er|º|ª)?\.?(?:\s+(?:of\s+|de\s+)?|-\s?|/)(?<m1>${month})\.?,?(?:(?:\s+(?:de\s+|del\s+)?|-\s?|/)(?<y1>(?:19|20)\d\d))?`
const monthFirst = String.raw`(?<m2>${month})\.?\s+(?<d2>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<y2>(?:19|20)\d\d)`
const monthOnly = String.raw`(?<m3>${month})[.,]?(?<gap>[\s\-’'/]+)(?:de\s+|of\s+)?(?<y3>(?:19|20)\d\d|\d\d)`
const pattern = new RegExp(
  `(?<![\\p{L}\\d.,/-])(?:${iso}|${numeric}|${boxed}|${short}|${dayFirst}|${monthFirst}|${monthOnly})(?![\\d\\p{L}])(?![.,]\\d)`,
  'giu',
)

const shortYear = new RegExp(`^\\s*(\\d{1,2})[ -](${month})\\.?[ -]([0-4]\\d)\\s*$`, 'iu')

/** `30 Jun 26`, as the heading of a column; a day of birth may be of another century. */
export function withWholeYear(text: string): string {
  return text.replace(shortYear, '$1 $2 20$3')
}

export function datesIn(written: string, country: string | null = null): FoundDate[] {
  const text = written.slice(0, 1_000)
  const found: FoundDate[] = []
  if (!/\d/.test(text)) return found
  for (const match of text.matchAll(pattern)) {
    if (found.length === mostDates) break
    const date = dateOf(match.groups ?? {}, country)
    if (date) found.push({ begin: match.index, end: match.index + match[0].length, ...date })
  }
  return found
}

function dateOf(
  groups: Record<string, string | undefined>,
  country: string | null,
): Omit<FoundDate, 'begin' | 'end'> | undefined {
  const { iy, im, id, sly, slm, sld, n1, sep, n2, ny, b1, b2, by, sm, sy, d1, m1, y1, m2, d2, y2, m3, gap, y3 } = groups
  if (iy !== undefined) return checked(Number(iy), Number(im), id === undefined ? undefined : Number(id))
  if (sly !== undefined) return checked(Number(sly), Number(slm), Number(sld))
  if (sm !== undefined) return checked(Number(sy), Number(sm), undefined)
  if (n1 !== undefined || b1 !== undefined) {
    const year = fullYear(ny ?? by ?? '')
    const [first, second] = [Number(n1 ?? b1), Number(n2 ?? b2)]
    const isUnclear = first <= 12 && second <= 12 && first !== second && sep !== '.'
    const isAmerican = monthFirstCountries.has(country ?? '')
    const isMonthFirst = second > 12 || (first <= 12 && sep !== '.' && isAmerican)
    const date = isMonthFirst ? checked(year, first, second) : checked(year, second, first)
    return date && { ...date, is_unclear: isUnclear && (country === null || (b1 !== undefined && country === 'CA')) }
  }
  if (m1 !== undefined && y1 !== undefined) return named(m1, Number(y1), Number(d1))
  if (m2 !== undefined) return named(m2, Number(y2), Number(d2))
  // `June 30` is a day; years are not written so far ahead.
  if (m3 !== undefined && /^(?:2[89]|3[01])$/.test(y3 ?? '') && gap === ' ') return dayOfMonth(m3, Number(y3))
  if (m3 !== undefined && y3 !== undefined) return named(m3, fullYear(y3), undefined)
  // `31 March` without a year is no date of its own, but no figure either.
  return m1 === undefined ? undefined : dayOfMonth(m1, Number(d1))
}

function dayOfMonth(name: string, day: number) {
  const month = monthNamed(name)
  return month === undefined ? undefined : { year: 0, month, day, is_unclear: true }
}

function named(name: string, year: number, day: number | undefined) {
  const month = monthNamed(name)
  return month === undefined ? undefined : checked(year, month, day)
}

export function monthNamed(name: string): number | undefined {
  return periods.months.get(fold(name).trim())
}

function checked(year: number, month: number, day: number | undefined) {
  if (month < 1 || month > 12 || (day !== undefined && (day < 1 || day > lastDay(year, month)))) return undefined
  return { year, month, ...(day !== undefined && { day }), is_unclear: false }
}

function lastDay(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function fullYear(text: string): number {
  return text.length === 4 ? Number(text) : 2000 + Number(text)
}

/** `2025-03-31`; of a month its last day. */
export function isoOf({ year, month, day }: Pick<FoundDate, 'year' | 'month' | 'day'>): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day ?? lastDay(year, month)).padStart(2, '0')}`
}
