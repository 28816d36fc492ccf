// The rules of a business that a schema cannot express. Pure; reports every problem, not only the first.
import type { ErrorDetail } from '../../platform/protocol/errors.ts'
import { bodyDetail } from '../../platform/protocol/errors.ts'
import { decimalProblems } from '../../platform/protocol/money-problems.ts'
import { isRegionOf } from '../../platform/values/countries.ts'
import { isIndustryCode } from '../../platform/values/industries.ts'
import { numberKey } from '../../platform/values/text-keys.ts'
import type { BusinessChange } from './schema.ts'

interface Surroundings {
  /** As they will be after the change. */
  country: string
  region: string | null
  /** The ids of the existing owners. */
  owner_ids: ReadonlySet<string>
  today: string
}

export function businessProblems(
  input: BusinessChange,
  { country, region, owner_ids, today }: Surroundings,
): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  const { industry, annual_revenue, founded_on, tax_id, owners = [], addresses = [] } = input

  if (region !== null && !isRegionOf(region, country)) {
    const pointer = input.region === undefined ? '/country' : '/region'
    problems.push(
      bodyDetail(pointer, 'invalid_format', `region must be a region of ${country}; ${region} is not.`, {
        country,
        region,
      }),
    )
  }
  for (const [index, address] of addresses.entries()) {
    if (address.region && !isRegionOf(address.region, address.country)) {
      problems.push(
        bodyDetail(
          `/addresses/${index}/region`,
          'invalid_format',
          `region must be a region of ${address.country}; ${address.region} is not.`,
          { country: address.country },
        ),
      )
    }
  }
  if (industry && !isIndustryCode(industry)) {
    problems.push(
      bodyDetail('/industry/code', 'invalid_format', `code must have the format of a ${industry.system} code.`, {
        system: industry.system,
      }),
    )
  }
  if (annual_revenue)
    for (const { pointer, code, message, meta } of decimalProblems(annual_revenue, '/annual_revenue'))
      problems.push(bodyDetail(pointer, code, message, meta))
  if (founded_on && founded_on > today)
    problems.push(
      bodyDetail('/founded_on', 'out_of_range', `founded_on must not be in the future; today is ${today} (UTC).`, {
        maximum: today,
      }),
    )
  if (tax_id && (numberKey(tax_id)?.length ?? 0) < 5)
    problems.push(bodyDetail('/tax_id', 'too_short', 'tax_id must have at least 5 letters and digits.', { minimum: 5 }))

  const total = owners.reduce((sum, owner) => sum + (owner.ownership_percent ?? 0), 0)
  if (total > 100 + 1e-9)
    problems.push(
      bodyDetail(
        '/owners',
        'out_of_range',
        `Ownership adds up to ${Number(total.toFixed(6))} %; the maximum is 100 %.`,
        { maximum: 100 },
      ),
    )
  const seen = new Set<string>()
  for (const [index, { id }] of owners.entries()) {
    if (id === undefined) continue
    if (!owner_ids.has(id) || seen.has(id)) {
      problems.push(
        bodyDetail(
          `/owners/${index}/id`,
          'unknown_reference',
          'id must be the id of an owner of this business and must appear only once. Omit it for a new owner.',
        ),
      )
    }
    seen.add(id)
  }
  return problems
}
