// Whether anybody can answer a question within its own bounds. Each bound alone has been found well-formed.
import { currencyCodes, minorDigits } from '../../platform/values/money.ts'
import { isDate } from '../../platform/values/times.ts'
import type { Question, QuestionType, Validation } from './contract-schema.ts'
import { compareDecimals } from './decimals.ts'
import { countOfNumbers, isNumberType, numberBounds } from './number-bounds.ts'
import { resolveDay } from './relative-days.ts'

/** The word of `validation` that nobody can satisfy together with the others, and why. */
interface UnanswerableBound {
  word: keyof Validation
  message: string
}

export function unanswerableBound(
  type: QuestionType,
  validation: Validation,
  today: string,
): UnanswerableBound | undefined {
  const reversed = pairs.find(([low, high]) => isReversed(validation[low], validation[high], today))
  if (reversed) return { word: reversed[0], message: `${reversed[0]} must not be more than ${reversed[1]}` }
  if (isNumberType(type) && countOfNumbers(type, validation, 1) === 0) {
    const { min, max, multiple_of } = numberBounds(type, validation)
    if (min > max) {
      const word = validation.min === undefined ? 'max' : 'min'
      return { word, message: `the minimum is ${min} and the maximum is ${max}` }
    }
    return { word: 'multiple_of', message: `there is no multiple of ${multiple_of} between ${min} and ${max}` }
  }
  if (type === 'money' && !hasAmount(validation)) {
    const word = validation.min === undefined ? 'max' : 'min'
    return { word, message: 'no currency has an amount between min and max' }
  }
  return undefined
}

/** Too few different answers for a question that must be answered differently in every item of a group. */
export function tooFewDifferentAnswers(
  {
    type,
    validation = {},
    required,
    visible_when,
    allow_other,
  }: Pick<Question, 'type' | 'validation' | 'required' | 'visible_when' | 'allow_other'>,
  optionCount: number,
  leastItems: number,
): string | undefined {
  if (!validation.unique_in_group || !required || visible_when !== undefined) return undefined
  let count = Number.POSITIVE_INFINITY
  if (type === 'single_choice' && !allow_other && optionCount > 0) count = optionCount
  else if (isNumberType(type)) count = countOfNumbers(type, validation, leastItems)
  return count < leastItems
    ? `unique_in_group requires ${leastItems} different answers, one for each item, but the number of possible answers is ${count}`
    : undefined
}

const pairs = [
  ['min_length', 'max_length'],
  ['min', 'max'],
  ['min_date', 'max_date'],
  ['min_items', 'max_items'],
  ['min_files', 'max_files'],
] as const satisfies [keyof Validation, keyof Validation][]

function isReversed(low: unknown, high: unknown, today: string): boolean {
  if (typeof low === 'number' && typeof high === 'number') return low > high
  if (typeof low !== 'string' || typeof high !== 'string') return false
  if (isDate(low) && isDate(high)) return low > high
  if (resolveDay(low, today) === undefined && resolveDay(high, today) === undefined && !isDate(low) && !isDate(high))
    return compareDecimals(low, high) > 0
  // A fixed day can still come within reach of a relative one, but not when it lies behind.
  if (isDate(low)) return false
  if (isDate(high)) return (resolveDay(low, today) ?? low) > high
  // Months differ in length, so two relative days may change places during a year.
  return daysOfAYear.every((day) => (resolveDay(low, day) ?? low) > (resolveDay(high, day) ?? high))
}

const daysOfAYear = Array.from({ length: 366 }, (_, index) =>
  new Date(Date.UTC(2028, 0, 1 + index)).toISOString().slice(0, 10),
)

/** Whether some currency has an amount within the bounds: its digits after the point and its largest amount decide. */
function hasAmount({ min, max }: Validation): boolean {
  const scale = 4
  const most = 10n ** 15n * 10n ** BigInt(scale)
  const [low, high] = [scaled(min, -most, scale), scaled(max, most, scale)]
  return currencyDigits.some((digits) => {
    const unit = 10n ** BigInt(scale - digits)
    const largest = BigInt(Number.MAX_SAFE_INTEGER) * unit
    const lowest = ceilDivided(low > -largest ? low : -largest, unit)
    const end = high < largest ? high : largest
    return lowest * unit <= end && abs(lowest * unit) < most
  })
}

const currencyDigits = [...new Set(currencyCodes.map(minorDigits))]

function scaled(text: unknown, otherwise: bigint, digits: number): bigint {
  if (typeof text !== 'string') return otherwise
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(digits, '0')}`)
}

function ceilDivided(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value > 0n && quotient * by !== value ? quotient + 1n : quotient
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}
