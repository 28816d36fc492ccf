import { bodyDetail, type ErrorDetail } from '../../platform/protocol/errors.ts'
import { decimalProblems } from '../../platform/protocol/money-problems.ts'
import { type Money, plainMoney, toMinorUnits } from '../../platform/values/money.ts'

/** What is wrong with an amount beyond its form. */
export function amountProblems(
  amount: Money | null | undefined,
  pointer: string,
  { isPositive = false } = {},
): ErrorDetail[] {
  if (!amount) return []
  const problems: ErrorDetail[] = decimalProblems(amount, pointer).map((one) => ({ location: 'body', ...one }))
  const units = toMinorUnits(amount) ?? 1
  if (units < 0 || (isPositive && units === 0)) {
    const rule = isPositive ? 'amount must be greater than 0.' : 'amount must not be negative.'
    problems.push(bodyDetail(`${pointer}/amount`, 'out_of_range', rule))
  }
  return problems
}

/** An amount as it is kept: with the digits of its currency. */
export function moneyOf(money: Money | null | undefined): Money | null {
  return money ? plainMoney(money) : null
}
