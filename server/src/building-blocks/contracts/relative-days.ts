// Days that are told from the day it is: `today`, `today+30 days`, `today-18 years`.

const form = /^today(?:([+-])(\d{1,4}) (days|months|years))?$/

export function isRelativeDay(text: string): boolean {
  return form.test(text)
}

/** The day that is meant, as `YYYY-MM-DD`; undefined when the text is not a relative day. */
export function resolveDay(text: string, today: string): string | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const [, sign, number, unit] = match
  const count = (sign === '-' ? -1 : 1) * Number(number ?? 0)
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  if (unit === 'days' || unit === undefined) return iso(year, month, day + count)
  const months = year * 12 + (month - 1) + count * (unit === 'years' ? 12 : 1)
  const [targetYear, targetMonth] = [Math.floor(months / 12), (months % 12) + 1]
  // The 31st of a month, seen from one that is shorter, is its last day.
  const lastDay = dateOf(targetYear, targetMonth + 1, 0).getUTCDate()
  return iso(targetYear, targetMonth, Math.min(day, lastDay))
}

/** Kept within the years that can be written. */
function iso(year: number, month: number, day: number): string {
  if (year < 1) return '0001-01-01'
  if (year > 9999) return '9999-12-31'
  return dateOf(year, month, day).toISOString().slice(0, 10)
}

/** Not by `Date.UTC`, which takes the years 0 to 99 for those of the last century. */
function dateOf(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}
