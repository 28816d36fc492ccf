// What a schema cannot say about the values of criteria.

import { bodyDetail, type ErrorDetail } from '../../../platform/protocol/errors.ts'
import { decimalProblems } from '../../../platform/protocol/money-problems.ts'
import { isRegionOf } from '../../../platform/values/countries.ts'
import { type Industry, isIndustryCode } from '../../../platform/values/industries.ts'
import { type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { criteriaByKey } from './vocabulary.ts'

/** `all` are the values as they will be after the change. */
export function valueProblems(
  sent: Readonly<Record<string, unknown>>,
  all: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  for (const [key, value] of Object.entries(sent)) {
    if (value === null) continue
    const { type } = criteriaByKey.get(key) ?? {}
    if (type === 'money') problems.push(...moneyProblems(key, value as Money)) // safe because it has passed the schema
    if (type === 'industry' && !isIndustryCode(value as Industry))
      // safe because it has passed the schema
      problems.push(
        bodyDetail(
          `/values/${key}/code`,
          'invalid_format',
          `code must have the format of a ${(value as Industry).system} code.`,
        ),
      )
  }
  const { region, country } = all
  const isSent = sent.region !== undefined || sent.country !== undefined
  if (isSent && typeof region === 'string' && typeof country === 'string' && !isRegionOf(region, country)) {
    const key = sent.region === undefined ? 'country' : 'region'
    problems.push(
      bodyDetail(
        `/values/${key}`,
        'invalid_format',
        `region must be a region of ${country}; ${region} is not. Send both, or null for the region.`,
        {
          country,
          region,
        },
      ),
    )
  }
  return problems
}

function moneyProblems(key: string, money: Money): ErrorDetail[] {
  const pointer = `/values/${key}`
  if (key === 'amount_requested' && (toMinorUnits(money) ?? 1) <= 0)
    return [bodyDetail(`${pointer}/amount`, 'out_of_range', 'amount must be more than 0.', { minimum: 0 })]
  return decimalProblems(money, pointer).map((one) => bodyDetail(one.pointer, one.code, one.message, one.meta))
}
