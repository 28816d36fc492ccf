// Figures that cannot be right together: a scale, a column or a digit was lost somewhere.
import { endOfYear } from '../readings/periods.ts'
import type { Reading } from '../readings/reading.ts'

/** Less in a year is the number of a line, or lacks its thousands. */
const leastRevenue = 1_000
const almostYear = 350 * 86_400_000

/** The readings of each fact; what cannot be believed is in doubt. */
export function believable(byFact: readonly Reading[][]): Reading[][] {
  const sure = (fact: string) => byFact.flat().find((one) => one.fact === fact && one.doubts.length === 0)
  const [revenue, profit] = [sure('business.annual_revenue'), sure('business.annual_profit')]
  const doubted = new Set<string>()
  if (revenue && amountOf(revenue) !== 0 && amountOf(revenue) < leastRevenue) doubted.add(revenue.fact)
  if (revenue && profit) {
    // Nobody earns more than all there was.
    if (amountOf(profit) > amountOf(revenue)) doubted.add(revenue.fact).add(profit.fact)
    // The same table has both: where one is of an earlier year, its newest column was not understood.
    const [a, b] = [endOf(revenue), endOf(profit)]
    const apart = Math.abs(Date.parse(a) - Date.parse(b))
    if (apart >= almostYear) doubted.add(a < b ? revenue.fact : profit.fact)
  }
  if (doubted.size === 0) return [...byFact]
  return byFact.map((own) =>
    own.map((one) => (doubted.has(one.fact) ? { ...one, doubts: [...one.doubts, 'number'] } : one)),
  )
}

function endOf({ period }: Reading): string {
  return (period && endOfYear(period)) ?? ''
}

/** Of `USD -3204.77`. */
function amountOf({ value }: Reading): number {
  return Number(value.split(' ').at(-1))
}
