// Days as texts, counted one by one or month by month.

export function dateOf(dayNumber: number): string {
  return new Date(dayNumber * 86_400_000).toISOString().slice(0, 10)
}

/** Days from one date to another, below zero when it is an earlier one. */
export function daysApart(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}

/** The same day of the month so many months later (earlier below zero), or the last day of that month. */
export function monthsAfter(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const count = year * 12 + month - 1 + months
  const [targetYear, targetMonth] = [Math.floor(count / 12), (count % 12) + 1]
  const isLeap = targetYear % 4 === 0 && (targetYear % 100 !== 0 || targetYear % 400 === 0)
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  const last = lengths[targetMonth - 1] ?? 0
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${String(targetYear).padStart(4, '0')}-${twoDigits(targetMonth)}-${twoDigits(Math.min(day, last))}`
}

/** The most months that fit in between: so many months before the day, the date had come. None of a date to come. */
export function completedMonths(date: string, day: string): number {
  let months = 0
  while (date <= monthsAfter(day, -(months + 1))) months++
  return months
}
