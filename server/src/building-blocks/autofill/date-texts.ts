// Days and months as people write them. Years have four digits: `19` may be any century.
import { isDate } from '../../platform/values/times.ts'

/** The day as `2019-03-31`; undefined when it is none, or when nothing says which of two days is meant. */
export function readDate(written: string, country: string | null): string | undefined {
  const text = tidy(written)
  const iso =
    /^([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?:[t ][0-9]{1,2}:[0-9:.]{2,15}(?:z|[+-][0-9:]{2,5})?)?$/.exec(text)
  if (iso) return dayOf(iso[1], iso[3], iso[4])
  const numbers = /^([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})$/.exec(text)
  if (numbers) return dayOfNumbers(numbers[1], numbers[3], numbers[4], country)
  const words = wordsOf(text)
  const [first = '', second = '', year] = words
  if (words.length !== 3) return undefined
  const [day, month] = /^[0-9]/.test(first) ? [first, monthNamed(second)] : [second, monthNamed(first)]
  return dayOf(year, month, /^([0-9]{1,2})(?:st|nd|rd|th)?$/.exec(day)?.[1])
}

/** The month as `2019-03`, also of a whole date. */
export function readMonth(written: string, country: string | null): string | undefined {
  const text = tidy(written)
  const yearFirst = /^([0-9]{4})[-/.]([0-9]{1,2})$/.exec(text)
  if (yearFirst) return dayOf(yearFirst[1], yearFirst[2], '1')?.slice(0, 7)
  const monthFirst = /^([0-9]{1,2})[-/.]([0-9]{4})$/.exec(text)
  if (monthFirst) return dayOf(monthFirst[2], monthFirst[1], '1')?.slice(0, 7)
  const [name = '', year, ...rest] = wordsOf(text)
  const month = rest.length === 0 ? dayOf(year, monthNamed(name), '1') : undefined
  return (month ?? readDate(written, country))?.slice(0, 7)
}

function dayOfNumbers(
  first: string | undefined,
  second: string | undefined,
  year: string | undefined,
  country: string | null,
): string | undefined {
  const dayFirst = dayOf(year, second, first)
  const monthFirst = dayOf(year, first, second)
  if (dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst) return dayFirst ?? monthFirst
  // Without a country either may be meant, and a wrong day is worse than none.
  if (country === null) return undefined
  return monthFirstCountries.has(country) ? monthFirst : dayFirst
}

function dayOf(year: string | undefined, month: string | undefined, day: string | undefined): string | undefined {
  if (year === undefined || month === undefined || day === undefined) return undefined
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDate(date) ? date : undefined
}

function monthNamed(name: string): string | undefined {
  const index = months.findIndex((month) => month === name || month.slice(0, 3) === name)
  if (index !== -1) return String(index + 1)
  return name === 'sept' ? '9' : undefined
}

function tidy(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase().replace(/[.,]$/, '')
}

function wordsOf(text: string): string[] {
  const [first = '', ...rest] = text.split(/[ ,./-]+/)
  const words = weekdays.some((day) => day === first || day.slice(0, 3) === first) ? rest : [first, ...rest]
  return words.filter((word) => word !== '' && word !== 'of' && word !== 'the')
}

const months = 'january february march april may june july august september october november december'.split(' ')
const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
export const monthFirstCountries: ReadonlySet<string> = new Set(['US', 'AS', 'GU', 'MP', 'PR', 'VI'])
