import { fromMinorUnits } from '../../platform/values/money.ts'
import type { BusinessRow } from './queries.ts'

/** One thing known of a business, under the name questions ask for it by (`maps_to`). */
interface BusinessFact {
  fact: string
  value: unknown
  /** Facts of the same owner have the same row. */
  row?: number
}

/** What the record of a business says. Its tax id is never read back, so it is not among them. */
export function businessFacts(business: BusinessRow): BusinessFact[] {
  const { annual_revenue_minor, annual_revenue_currency, industry_system, industry_code } = business
  const known: Record<string, unknown> = {
    country: business.country,
    legal_name: business.legal_name,
    trading_name: business.trading_name,
    legal_form: business.legal_form,
    region: business.region,
    registration_number: business.registration_number,
    industry: industry_system === null ? null : { system: industry_system, code: industry_code },
    founded_on: business.founded_on,
    employee_count: business.employee_count,
    website: business.website,
    email: business.email,
    phone: business.phone,
    annual_revenue:
      annual_revenue_minor === null ? null : fromMinorUnits(annual_revenue_minor, annual_revenue_currency ?? ''),
    registered_address: addressOf(business, 'registered') ?? addressOf(business, 'trading'),
    trading_address: addressOf(business, 'trading'),
  }
  // safe because only owners of the schema's form are ever stored
  const owners = business.owners as Record<string, unknown>[]
  return [
    ...factsIn('business', known),
    ...owners.flatMap(({ id: _, ...owner }, row) => factsIn('owner', owner).map((fact) => ({ ...fact, row }))),
  ]
}

function factsIn(prefix: string, known: Record<string, unknown>): BusinessFact[] {
  return Object.entries(known)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => ({ fact: `${prefix}.${name}`, value }))
}

function addressOf({ addresses }: BusinessRow, wanted: string): unknown {
  // safe because only addresses of the schema's form are ever stored
  const found = (addresses as Record<string, unknown>[]).find(({ kind }) => kind === wanted)
  if (!found) return undefined
  const { kind: _, ...address } = found
  return Object.fromEntries(Object.entries(address).filter(([, part]) => part !== null))
}
