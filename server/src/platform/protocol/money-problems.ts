import { counted } from '../values/counted.ts'
import { type Money, minorDigits, toMinorUnits } from '../values/money.ts'
import type { Problem } from './validation.ts'

/** The problem of an amount that its currency cannot express. */
export function decimalProblems(money: Money, pointer: string): Problem[] {
  if (toMinorUnits(money) !== undefined) return []
  const { currency } = money
  const digits = minorDigits(currency)
  const message = `amount must have at most ${counted(digits, 'decimal place')} in ${currency}, and at most 15 digits including decimal places.`
  return [{ pointer: `${pointer}/amount`, code: 'invalid_format', message, meta: { currency, digits } }]
}
