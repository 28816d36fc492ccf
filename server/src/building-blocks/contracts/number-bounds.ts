// The bounds of number questions, and whether any number lies within them.
import type { QuestionType, Validation } from './contract-schema.ts'

/** What every number of a type must lie within, whatever its question says. */
export const numberRanges = {
  integer: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  decimal: { minimum: -1e15, maximum: 1e15 },
  percent: { minimum: -1e6, maximum: 1e6 },
} as const
export type NumberType = keyof typeof numberRanges

export function isNumberType(type: QuestionType): type is NumberType {
  return type in numberRanges
}

/** The bounds that hold for a question: a percentage lies between 0 and 100 unless the contract says otherwise. */
export function numberBounds(type: NumberType, validation: Validation) {
  const { minimum, maximum } = numberRanges[type]
  const { min, max, multiple_of } = { ...(type === 'percent' && { min: 0, max: 100 }), ...validation }
  return {
    min: typeof min === 'number' ? Math.max(min, minimum) : minimum,
    max: typeof max === 'number' ? Math.min(max, maximum) : maximum,
    multiple_of,
  }
}

export function isMultiple(type: NumberType, value: number, of: number): boolean {
  if (type === 'integer') return value % of === 0
  const times = value / of
  // Decimal fractions are not exact: 1.13 is 112.99999999999999 times 0.01.
  return !(Math.abs(times - Math.round(times)) > 4 * Number.EPSILON * Math.abs(times))
}

/** How many numbers fit, counted up to `enough`. */
export function countOfNumbers(type: NumberType, validation: Validation, enough: number): number {
  const { min, max, multiple_of } = numberBounds(type, validation)
  if (min > max) return 0
  if (type === 'integer') {
    const step = BigInt(multiple_of ?? 1)
    const count = floorDivided(BigInt(max), step) - floorDivided(BigInt(min) - 1n, step)
    return count > BigInt(enough) ? enough : Number(count)
  }
  if (multiple_of === undefined) return min === max ? 1 : enough
  const found = new Set<number>()
  const first = Math.floor(min / multiple_of) - 1
  // The bounds themselves count as multiples even where the product misses them by a rounding error.
  const candidates = [min, max, ...Array.from({ length: enough + 4 }, (_, index) => (first + index) * multiple_of)]
  for (const value of candidates)
    if (value >= min && value <= max && isMultiple(type, value, multiple_of)) found.add(value)
  return Math.min(found.size, enough)
}

function floorDivided(value: bigint, step: bigint): bigint {
  const quotient = value / step
  return value < 0n && quotient * step !== value ? quotient - 1n : quotient
}
