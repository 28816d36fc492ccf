// What a schema cannot say about the values of criteria.

import { bodyDetail, type ErrorDetail } from '../../../platform/protocol/errors.ts'
import { decimalProblems } from '../../../platform/protocol/money-problems.ts'
import { isRegionOf } from '../../../platform/values/countries.ts'
import { type Industry, isIndustryCode } from '../../../platform/values/industries.ts'
import { type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { criteriaByKey } from './vocabulary.ts'

/** `all` are the values as they will be after the change; `today` is the day in UTC. */
export function valueProblems(
  sent: Readonly<Record<string, unknown>>,
  all: Readonly<Record<string, unknown>>,
  today: string,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [...dayProblems(sent, today)]
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

/** What has happened is not in the future, and what never was has not been discharged. */
function dayProblems({ founded_on, bankruptcy }: Readonly<Record<string, unknown>>, today: string): ErrorDetail[] {
  // safe because it has passed the schema
  const { has, discharged_on } = (bankruptcy ?? {}) as { has?: boolean; discharged_on?: string | null }
  const problems: ErrorDetail[] = []
  const requirePast = (pointer: string, name: string, day: unknown) => {
    if (typeof day === 'string' && day > today)
      problems.push(
        bodyDetail(
          `/values/${pointer}`,
          'out_of_range',
          `${name} must not be in the future; today is ${today} (UTC).`,
          {
            maximum: today,
          },
        ),
      )
  }
  requirePast('founded_on', 'founded_on', founded_on)
  requirePast('bankruptcy/discharged_on', 'discharged_on', discharged_on)
  if (has === false && typeof discharged_on === 'string')
    problems.push(
      bodyDetail(
        '/values/bankruptcy/discharged_on',
        'invalid_format',
        'discharged_on must be null or absent when has is false.',
      ),
    )
  return problems
}
