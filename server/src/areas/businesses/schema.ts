import { type Static, Type } from 'typebox'
import {
  addressFields,
  CalendarDate,
  Country,
  createdFilters,
  Email,
  ExternalReference,
  exampleId,
  Id,
  Metadata,
  Nullable,
  Phone,
  Region,
  recordFields,
  Time,
  Words,
} from '../../platform/values/fields.ts'
import { Industry } from '../../platform/values/industries.ts'
import { Money } from '../../platform/values/money.ts'

export const leadSourceKinds = [
  'referral_partner',
  'website',
  'event',
  'campaign',
  'import',
  'api',
  'manual',
  'other',
] as const
export const legalForms = [
  'sole_proprietor',
  'partnership',
  'llp',
  'llc',
  'corporation',
  's_corp',
  'limited_company',
  'nonprofit',
  'cooperative',
  'public_body',
  'other',
] as const

export const LeadSource = Type.Object(
  recordFields('ldsrc', '/lead-sources/', {
    name: Type.String({ examples: ['Website'] }),
    kind: Type.Enum([...leadSourceKinds]),
    is_active: Type.Boolean({ description: 'Whether new businesses may name it.', examples: [true] }),
    requires_detail: Type.Boolean({
      description: 'Whether a business that names it must say more in `lead_source_detail`.',
      examples: [false],
    }),
  }),
  { title: 'LeadSource' },
)
export type LeadSource = Static<typeof LeadSource>

export const LeadSourceDetail = Type.Object(
  {
    campaign: Type.Optional(Nullable(Words(200, 'spring-2026'))),
    referrer_name: Type.Optional(Nullable(Words(200, 'Ann Lee'))),
    referral_code: Type.Optional(Nullable(Words(100, 'AL-17'))),
  },
  { title: 'LeadSourceDetail', additionalProperties: false },
)

export const Address = Type.Object(
  {
    kind: Type.Enum(['registered', 'trading', 'mailing', 'other']),
    ...addressFields,
  },
  { title: 'Address', additionalProperties: false },
)

const ownerFields = {
  first_name: Words(100, 'Ann'),
  last_name: Words(100, 'Lee'),
  email: Type.Optional(Nullable(Email)),
  phone: Type.Optional(Nullable(Phone)),
  role: Type.Optional(Nullable(Words(100, 'Director'))),
  ownership_percent: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 100, examples: [60] }))),
}
export const OwnerInput = Type.Object(
  { id: Type.Optional(Id('own', 'Keeps an owner that is on record; without it the owner is new.')), ...ownerFields },
  { title: 'OwnerInput', additionalProperties: false },
)
export const Owner = Type.Object({ id: Id('own'), ...ownerFields }, { title: 'Owner', additionalProperties: false })
export type Owner = Static<typeof Owner>

export const Consent = Type.Object(
  {
    kind: Type.Enum([
      'data_processing',
      'data_sharing',
      'credit_check',
      'marketing_email',
      'marketing_phone',
      'electronic_records',
      'other',
    ]),
    granted: Type.Boolean({ examples: [true] }),
    granted_at: Type.Optional(Nullable(Time)),
    text_version: Type.Optional(Nullable(Words(100, '2026-01'))),
  },
  { title: 'Consent', additionalProperties: false },
)

const legal_name = Words(200, 'Lee Bakery LLC', 'The registered name.')
const lead_source_id = Id('ldsrc', 'An active lead source of the Portal; fixed once the business exists.')
const optionalFields = {
  lead_source_detail: Nullable(LeadSourceDetail),
  trading_name: Nullable(Words(200, 'Lee Bakery')),
  legal_form: Nullable(Type.Enum([...legalForms])),
  region: Nullable(Region),
  registration_number: Nullable(Words(50, 'C1234567')),
  industry: Nullable(Industry),
  founded_on: Nullable(CalendarDate),
  employee_count: Nullable(Type.Integer({ minimum: 0, maximum: 10_000_000, examples: [12] })),
  website: Nullable(Type.String({ format: 'web-address', maxLength: 500, examples: ['https://bakery.example.com'] })),
  email: Nullable(Email),
  phone: Nullable(Phone),
  annual_revenue: Nullable(Money),
  external_reference: Nullable(ExternalReference),
}
const listFields = {
  addresses: Type.Array(Address, { maxItems: 20 }),
  consents: Type.Array(Consent, { maxItems: 50 }),
  do_not_contact: Type.Boolean({ examples: [false] }),
  tags: Type.Array(Words(50, 'priority'), { maxItems: 50 }),
  metadata: Metadata,
}
const tax_id = Nullable(
  Type.String({
    minLength: 5,
    maxLength: 30,
    pattern: '^[0-9A-Za-z][0-9A-Za-z ./-]*$',
    writeOnly: true,
    description: 'Kept encrypted and never returned; `tax_id_last4` is.',
    examples: ['12-3456789'],
  }),
)
const changeable = {
  legal_name,
  country: Country,
  ...optionalFields,
  tax_id,
  owners: Type.Array(OwnerInput, { maxItems: 50 }),
  ...listFields,
}

export const BusinessInput = Type.Object(
  { ...Type.Partial(Type.Object(changeable)).properties, legal_name, country: Country, lead_source_id },
  { title: 'BusinessInput', additionalProperties: false },
)
export type BusinessInput = Static<typeof BusinessInput>

export const BusinessChange = Type.Partial(Type.Object(changeable), {
  title: 'BusinessChange',
  additionalProperties: false,
  minProperties: 1,
  description:
    'The fields to change. A field that is sent is replaced whole; null empties it; a field that is not sent stays.',
})
export type BusinessChange = Static<typeof BusinessChange>

export const Business = Type.Object(
  recordFields('biz', '/businesses/', {
    state: Type.Enum(['active', 'archived']),
    state_changed_at: Time,
    available_actions: Type.Array(Type.Enum(['update', 'archive', 'restore']), {
      description: 'What can be done with the record in its state.',
    }),
    legal_name,
    country: Country,
    lead_source_id,
    ...optionalFields,
    tax_id_last4: Nullable(
      Type.String({ description: 'The end of the tax id; the rest is never returned.', examples: ['6789'] }),
    ),
    owners: Type.Array(Owner),
    ...listFields,
    possible_duplicates_url: Type.String({
      format: 'uri',
      examples: [`http://127.0.0.1:8080/v1/businesses/${exampleId('biz')}/possible-duplicates/`],
    }),
  }),
  { title: 'Business' },
)
export type Business = Static<typeof Business>

export const PossibleDuplicate = Type.Object(
  {
    business_id: Id('biz'),
    url: Type.String({ format: 'uri', examples: [`http://127.0.0.1:8080/v1/businesses/${exampleId('biz')}/`] }),
    reasons: Type.Array(Type.Enum(['same_registration_number', 'same_tax_id', 'same_name']), {
      description: '`same_name` compares names without punctuation and legal form, in one country.',
    }),
  },
  { title: 'PossibleDuplicate' },
)
export type PossibleDuplicate = Static<typeof PossibleDuplicate>

export const businessFilters = {
  state: Type.Optional(Type.Enum(['active', 'archived'])),
  lead_source_id: Type.Optional(Id('ldsrc')),
  external_reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  country: Type.Optional(Country),
  search: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 200,
      description:
        'Up to five words. Every word must begin a word of the names, the external reference, the registration number, the e-mail address or the website.',
    }),
  ),
  ...createdFilters,
}
const BusinessFilters = Type.Object(businessFilters)
export type BusinessFilters = Static<typeof BusinessFilters>

export const leadSourceFilters = {
  kind: Type.Optional(Type.Enum([...leadSourceKinds])),
  is_active: Type.Optional(Type.Boolean()),
}
