// Days as numbers, so that they compare and subtract like any others.

/** Days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / dayMs
}

export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** The same day of the month so many months later, or the last day of that month. */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) / dayMs
}

/** Completed months from one day to another; none when that is an earlier one. */
export function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from * dayMs), new Date(to * dayMs)]
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth()
  return Math.max(0, b.getUTCDate() < a.getUTCDate() ? months - 1 : months)
}

/** The day it is at this moment in a time zone. */
export function dayIn(timeZone: string, milliseconds: number): number {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    formats.set(timeZone, format)
  }
  return dayNumber(format.format(milliseconds))
}

/** Making one takes a hundred times as long as using it, and there are only so many time zones. */
const formats = new Map<string, Intl.DateTimeFormat>()
const dayMs = 86_400_000
