// Amounts as programmes state them: none below zero where that makes no sense, no more decimals than the currency has.
import { checkAgainst, type Problem } from '../../../platform/protocol/validation.ts'
import { counted } from '../../../platform/values/counted.ts'
import { Money, minorDigits, toMinorUnits } from '../../../platform/values/money.ts'

const checkMoney = checkAgainst(Money)

/** Every problem of a value that should be an amount. */
export function moneyProblems(value: unknown, pointer: string): Problem[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const message = 'An amount of money is required, such as {"amount": "25000.00", "currency": "USD"}.'
    return [{ pointer, code: 'invalid_type', message, meta: { expected: ['object'] } }]
  }
  const problems = checkMoney(value).map((problem) => ({ ...problem, pointer: `${pointer}${problem.pointer}` }))
  // safe because it has the form of an amount when there are no problems
  return problems.length > 0 ? problems : decimalProblems(value as Money, pointer)
}

/** The problem of an amount that its currency cannot express. */
export function decimalProblems(money: Money, pointer: string): Problem[] {
  if (toMinorUnits(money) !== undefined) return []
  const { currency } = money
  const digits = minorDigits(currency)
  const message = `amount must have at most ${counted(digits, 'decimal place')} in ${currency}, and at most 15 digits including decimal places.`
  return [{ pointer: `${pointer}/amount`, code: 'invalid_format', message, meta: { currency, digits } }]
}
