// What no schema can say of a business. Pure; every problem is reported, not only the first.
import type { ErrorDetail } from '../../platform/protocol/errors.ts'
import { bodyDetail } from '../../platform/protocol/errors.ts'
import { isRegionOf } from '../../platform/values/countries.ts'
import { isIndustryCode } from '../../platform/values/industries.ts'
import { minorDigits, toMinorUnits } from '../../platform/values/money.ts'
import { numberKey } from '../../platform/values/text-keys.ts'
import type { BusinessChange } from './schema.ts'

interface Surroundings {
  /** As they will be after the change. */
  country: string
  region: string | null
  /** Owners that are on record. */
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
      bodyDetail(pointer, 'invalid_format', `The region ${region} is not in ${country}.`, { country, region }),
    )
  }
  for (const [index, address] of addresses.entries()) {
    if (address.region && !isRegionOf(address.region, address.country)) {
      problems.push(
        bodyDetail(
          `/addresses/${index}/region`,
          'invalid_format',
          `The region ${address.region} is not in ${address.country}.`,
          { country: address.country },
        ),
      )
    }
  }
  if (industry && !isIndustryCode(industry)) {
    problems.push(
      bodyDetail('/industry/code', 'invalid_format', `This is not a code of ${industry.system}.`, {
        system: industry.system,
      }),
    )
  }
  if (annual_revenue && toMinorUnits(annual_revenue) === undefined) {
    const { currency } = annual_revenue
    const digits = minorDigits(currency)
    const message = `${currency} has ${digits} digits after the point; the whole amount may have 15 digits.`
    problems.push(bodyDetail('/annual_revenue/amount', 'invalid_format', message, { currency, digits }))
  }
  if (founded_on && founded_on > today)
    problems.push(bodyDetail('/founded_on', 'out_of_range', 'The date is in the future.', { maximum: today }))
  if (tax_id && (numberKey(tax_id)?.length ?? 0) < 5)
    problems.push(bodyDetail('/tax_id', 'too_short', 'A tax id has at least 5 letters and digits.', { minimum: 5 }))

  const total = owners.reduce((sum, owner) => sum + (owner.ownership_percent ?? 0), 0)
  if (total > 100 + 1e-9)
    problems.push(
      bodyDetail(
        '/owners',
        'out_of_range',
        `The owners hold ${Number(total.toFixed(6))} % in total; at most 100 is possible.`,
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
          'Name an owner of this business, once; leave the id out for a new owner.',
        ),
      )
    }
    seen.add(id)
  }
  return problems
}
