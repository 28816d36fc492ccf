// The criteria: what a project says about itself and programmes ask for. One list, from which come the vocabulary that
// GET /criteria-definitions/ gives, the check of values, and what a rule may do with a criterion.
import { type TSchema, Type } from 'typebox'
import { CalendarDate, Country, described, Nullable, Region } from '../../../platform/values/fields.ts'
import { Industry } from '../../../platform/values/industries.ts'
import { Money } from '../../../platform/values/money.ts'
import type { legalForms as businessLegalForms } from '../../businesses/schema.ts'

/** How values of a criterion compare. */
export type CriterionType =
  | 'money'
  | 'integer'
  | 'percent'
  | 'date'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'country'
  | 'region'
  | 'postal_code'
  | 'industry'
  | 'bankruptcy'
  | 'equipment'

interface Criterion {
  key: string
  type: CriterionType
  unit: 'months' | 'percent' | 'points' | 'people' | null
  label: string
  help: string
  allowed_values: readonly { value: string; label: string }[]
  /** Needed before anything can be calculated. */
  required: boolean
  /** How a project that fails because of it may come to fit. */
  remedy: 'answer' | 'time' | 'none'
  schema: TSchema
}

export const fundingTypes = {
  term_loan: 'Term loan',
  line_of_credit: 'Line of credit',
  merchant_cash_advance: 'Merchant cash advance',
  invoice_finance: 'Invoice finance',
  asset_finance: 'Asset finance',
  trade_finance: 'Trade finance',
  commercial_property: 'Commercial property',
  microloan: 'Microloan',
  grant: 'Grant',
  tax_credit: 'Tax credit',
  equity: 'Equity',
  guarantee: 'Guarantee',
  other: 'Other',
} as const

const usesOfFunds = {
  working_capital: 'Working capital',
  equipment: 'Equipment',
  vehicles: 'Vehicles',
  inventory: 'Inventory',
  real_estate: 'Purchase of real estate',
  construction: 'Construction',
  renovation: 'Renovation and improvements',
  refinancing: 'Refinancing of debt',
  acquisition: 'Purchase of a business',
  franchise: 'Franchise',
  expansion: 'Expansion',
  hiring: 'Hiring',
  payroll: 'Payroll',
  marketing: 'Marketing',
  technology: 'Technology and software',
  research_and_development: 'Research and development',
  export: 'Export',
  energy_efficiency: 'Energy efficiency',
  startup_costs: 'Costs of starting up',
  invoices: 'Unpaid invoices',
  purchase_orders: 'Purchase orders',
  training: 'Training',
  taxes: 'Taxes',
  emergency: 'Recovery from an emergency',
  other: 'Other',
}
const legalForms = {
  sole_proprietor: 'Sole proprietor',
  partnership: 'Partnership',
  llp: 'Limited liability partnership',
  llc: 'Limited liability company (LLC)',
  corporation: 'Corporation',
  s_corp: 'S corporation',
  limited_company: 'Limited company',
  nonprofit: 'Nonprofit',
  cooperative: 'Cooperative',
  public_body: 'Public body',
  other: 'Other',
} satisfies Record<(typeof businessLegalForms)[number], string>
const collaterals = {
  real_estate: 'Real estate',
  equipment: 'Equipment',
  vehicles: 'Vehicles',
  inventory: 'Inventory',
  receivables: 'Receivables',
  cash: 'Cash',
  securities: 'Securities',
  intellectual_property: 'Intellectual property',
  personal_assets: 'Personal assets of an owner',
  other: 'Other',
}
const ownershipAttributes = {
  women_owned: 'Owned by women',
  minority_owned: 'Owned by members of a minority',
  veteran_owned: 'Owned by veterans',
  disability_owned: 'Owned by people with a disability',
  lgbtq_owned: 'Owned by LGBTQ people',
  indigenous_owned: 'Owned by indigenous people',
  immigrant_owned: 'Owned by immigrants',
  youth_owned: 'Owned by young people',
  family_owned: 'Owned by a family',
  employee_owned: 'Owned by its employees',
  rural: 'In a rural area',
  low_income_area: 'In a low-income area',
}
const equipmentTypes = {
  vehicle: 'Vehicle',
  construction: 'Construction machine',
  manufacturing: 'Manufacturing machine',
  agricultural: 'Agricultural machine',
  medical: 'Medical equipment',
  restaurant: 'Restaurant equipment',
  technology: 'Computers and technology',
  office: 'Office equipment',
  energy: 'Energy equipment',
  other: 'Other',
}

export const criteria: readonly Criterion[] = [
  {
    ...basics('amount_requested', 'money', 'Amount requested', 'How much money the project needs.'),
    required: true,
    schema: Money,
  },
  {
    ...basics('country', 'country', 'Country', 'The country of the business.'),
    required: true,
    remedy: 'none',
    schema: Country,
  },
  { ...choices('use_of_funds', usesOfFunds, 1, 'Use of funds', 'What the money is for.'), required: true },
  {
    ...basics('region', 'region', 'Region', 'State, province or region of the business.'),
    remedy: 'none',
    schema: Region,
  },
  {
    ...basics('postal_code', 'postal_code', 'Postal code', 'Postal code of the business.'),
    remedy: 'none',
    schema: Type.String({ minLength: 1, maxLength: 12, pattern: '^[A-Za-z0-9][A-Za-z0-9 -]*$' }),
  },
  choices(
    'funding_types',
    fundingTypes,
    1,
    'Types of funding',
    'The types of funding that are wanted. Leave it out for any.',
  ),
  {
    ...basics('term_months', 'integer', 'Term', 'For how many months the money is wanted.'),
    unit: 'months',
    schema: integer(1, 600),
  },
  { ...basics('needed_by', 'date', 'Needed by', 'The day by which the money is needed.'), schema: CalendarDate },
  { ...basics('industry', 'industry', 'Industry', 'The industry of the business.'), remedy: 'none', schema: Industry },
  choice('legal_form', legalForms, 'Legal form', 'The legal form of the business.'),
  {
    ...basics(
      'time_in_business_months',
      'integer',
      'Time in business',
      'Completed months since the business began. Worked out from `founded_on` when only that is known.',
    ),
    unit: 'months',
    remedy: 'time',
    schema: integer(0, 12_000),
  },
  {
    ...basics('founded_on', 'date', 'Founded on', 'The day the business was founded.'),
    remedy: 'time',
    schema: CalendarDate,
  },
  { ...basics('annual_revenue', 'money', 'Annual revenue', 'Revenue of the last full year.'), schema: Money },
  { ...basics('monthly_revenue', 'money', 'Monthly revenue', 'Average revenue of a month.'), schema: Money },
  {
    ...basics('net_profit', 'money', 'Net profit', 'Profit of the last full year after tax; below zero for a loss.'),
    schema: Money,
  },
  {
    ...basics('employee_count', 'integer', 'Employees', 'How many people the business employs.'),
    unit: 'people',
    schema: integer(0, 10_000_000),
  },
  {
    ...basics('credit_score', 'integer', 'Credit score', 'The credit score of the main owner.'),
    unit: 'points',
    schema: integer(0, 1000),
  },
  {
    ...basics('business_credit_score', 'integer', 'Business credit score', 'The credit score of the business.'),
    unit: 'points',
    schema: integer(0, 1000),
  },
  choices('collateral', collaterals, 0, 'Collateral', 'What can be given as security; empty when there is nothing.'),
  {
    ...basics('personal_guarantee', 'boolean', 'Personal guarantee', 'Whether an owner would guarantee the debt.'),
    schema: Type.Boolean(),
  },
  choices(
    'ownership_attributes',
    ownershipAttributes,
    0,
    'Ownership',
    'What is true of the owners or the place of the business; empty when nothing is.',
  ),
  { ...basics('existing_debt', 'money', 'Existing debt', 'What the business owes now.'), schema: Money },
  {
    ...basics('bankruptcy', 'bankruptcy', 'Bankruptcy', 'Whether there was a bankruptcy, and when it was discharged.'),
    remedy: 'time',
    schema: Type.Object(
      {
        has: Type.Boolean({ description: 'Whether there was a bankruptcy.' }),
        discharged_on: Type.Optional(described(Nullable(CalendarDate), 'The day it was discharged.')),
      },
      { additionalProperties: false },
    ),
  },
  {
    ...basics(
      'liens_or_judgments',
      'boolean',
      'Liens or judgments',
      'Whether there are tax liens or unpaid court judgments.',
    ),
    schema: Type.Boolean(),
  },
  {
    ...basics(
      'match_funding_percent',
      'percent',
      'Match funding',
      'How much of the costs the business pays itself, in percent.',
    ),
    unit: 'percent',
    schema: Type.Number({ minimum: 0, maximum: 100 }),
  },
  {
    ...basics('project_start_on', 'date', 'Project start', 'The day the project begins.'),
    schema: CalendarDate,
  },
  {
    ...basics('equipment', 'equipment', 'Equipment', 'The equipment to be bought, and its age in years.'),
    allowed_values: listed(equipmentTypes),
    schema: Type.Object(
      {
        type: Type.Enum(Object.keys(equipmentTypes), { description: 'The type of equipment.' }),
        age_years: Type.Optional(
          described(Nullable(Type.Number({ minimum: 0, maximum: 200 })), 'Its age in years; 0 for new equipment.'),
        ),
      },
      { additionalProperties: false },
    ),
  },
]

export const criteriaByKey: ReadonlyMap<string, Criterion> = new Map(criteria.map((one) => [one.key, one]))

function basics(key: string, type: CriterionType, label: string, help: string) {
  return { key, type, unit: null, label, help, allowed_values: [], required: false, remedy: 'answer' } as const
}

function choice(key: string, values: Record<string, string>, label: string, help: string): Criterion {
  return {
    ...basics(key, 'choice', label, help),
    allowed_values: listed(values),
    schema: Type.Enum(Object.keys(values)),
  }
}

function choices(
  key: string,
  values: Record<string, string>,
  minItems: number,
  label: string,
  help: string,
): Criterion {
  return {
    ...basics(key, 'choices', label, help),
    allowed_values: listed(values),
    schema: Type.Array(Type.Enum(Object.keys(values)), {
      minItems,
      maxItems: Object.keys(values).length,
      uniqueItems: true,
    }),
  }
}

function listed(values: Record<string, string>) {
  return Object.entries(values).map(([value, label]) => ({ value, label }))
}

function integer(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum })
}
