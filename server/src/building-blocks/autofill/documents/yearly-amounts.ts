// Figures of several years in columns, and figures in thousands.
import { amountsIn, yearIn } from './fact-values.ts'

/** The years of a heading line, in the order of its columns; none unless at least two columns name different years. */
export function yearsOf(cells: readonly string[]): number[] {
  const years = cells.flatMap((cell) => yearIn(cell) ?? [])
  // A heading holds no figures: 'Turnover 2,025 2,024' is not one, and neither is a payment.
  const hasFigures = cells.some((cell) => amountsIn(cell).some((amount) => /[,.$£€(]/.test(amount)))
  return years.length >= 2 && new Set(years).size === years.length && !hasFigures ? years : []
}

/** The amounts of a row with their rank: 0 for the latest year. Without years the first column is the latest. */
export function amountsByYear(texts: readonly string[], years: readonly number[]): { text: string; rank: number }[] {
  let amounts = texts.flatMap(amountsIn)
  if (amounts.length > 1) amounts = amounts.filter((amount, index) => !isNote(amount, index))
  if (years.length >= 2 && amounts.length >= years.length) {
    const columns = amounts.slice(-years.length)
    const order = years.map((year, index) => ({ year, text: columns[index] ?? '' })).sort((a, b) => b.year - a.year)
    return order.map(({ text }, rank) => ({ text, rank }))
  }
  return amounts.slice(0, 5).map((text, rank) => ({ text, rank }))
}

/** 1000 or a million when a heading says so: 'in thousands', '$000', "£'000s". */
export function scaleOf(text: string): number | undefined {
  const small = text.toLowerCase()
  if (small.includes('in thousands') || small.includes('thousands of')) return 1000
  if (small.includes('in millions') || small.includes('millions of')) return 1_000_000
  return /(^|[^\d,.])[$£€] ?['’]?000s?($|[^\d,.])/.test(small) ? 1000 : undefined
}

/** The number of a note, or a bare year of the label: not a figure. */
function isNote(amount: string, index: number): boolean {
  return (index === 0 && /^\d{1,2}$/.test(amount)) || /^(19|20)\d\d$/.test(amount)
}
