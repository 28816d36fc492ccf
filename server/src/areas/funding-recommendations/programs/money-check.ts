import { decimalProblems } from '../../../platform/protocol/money-problems.ts'
import { checkAgainst, fieldOf, type Problem } from '../../../platform/protocol/validation.ts'
import { Money, moneyForm } from '../../../platform/values/money.ts'

const checkMoney = checkAgainst(Money)

/** Every problem of a value that should be an amount. */
export function moneyProblems(value: unknown, pointer: string): Problem[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const message = `${fieldOf(pointer)} must be ${moneyForm}.`
    return [{ pointer, code: 'invalid_type', message, meta: { expected: ['object'] } }]
  }
  const problems = checkMoney(value).map((problem) => ({ ...problem, pointer: `${pointer}${problem.pointer}` }))
  // safe because it has the form of an amount when there are no problems
  return problems.length > 0 ? problems : decimalProblems(value as Money, pointer)
}
