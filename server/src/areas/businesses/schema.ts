import { type Static, Type } from 'typebox'
import {
  addressFields,
  CalendarDate,
  Country,
  createdFilters,
  described,
  Email,
  ExternalReference,
  Id,
  Metadata,
  Nullable,
  Phone,
  Region,
  recordFields,
  Time,
  Url,
  WebAddress,
  Words,
} from '../../platform/values/fields.ts'
import { Industry } from '../../platform/values/industries.ts'
import { Money } from '../../platform/values/money.ts'
import { businessStates } from './states.ts'

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
  recordFields('ldsrc', {
    name: Type.String({ description: 'The name of the lead source.', examples: ['Website'] }),
    kind: Type.Enum([...leadSourceKinds], { description: 'The kind of lead source.' }),
    is_active: Type.Boolean({ description: 'Whether new businesses can use this lead source.', examples: [true] }),
    requires_detail: Type.Boolean({
      description: 'Whether a business from this lead source must have `lead_source_detail`.',
      examples: [false],
    }),
  }),
  { title: 'LeadSource' },
)
export type LeadSource = Static<typeof LeadSource>

const LeadSourceDetail = Type.Object(
  {
    campaign: Type.Optional(Nullable(Words(200, 'spring-2026', 'The campaign that brought the business.'))),
    referrer_name: Type.Optional(
      Nullable(Words(200, 'Ann Lee', 'The name of the person or company that referred the business.')),
    ),
    referral_code: Type.Optional(Nullable(Words(100, 'AL-17', 'The referral code.'))),
  },
  { title: 'LeadSourceDetail', additionalProperties: false },
)

const Address = Type.Object(
  {
    kind: Type.Enum(['registered', 'trading', 'mailing', 'other'], { description: 'What the address is used for.' }),
    ...addressFields,
  },
  { title: 'Address', additionalProperties: false },
)

const ownerFields = {
  first_name: Words(100, 'Ann', 'First name.'),
  last_name: Words(100, 'Lee', 'Last name.'),
  email: Type.Optional(Nullable(Email)),
  phone: Type.Optional(Nullable(Phone)),
  role: Type.Optional(Nullable(Words(100, 'Director', 'The role of this person in the business.'))),
  ownership_percent: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'The share of the business this person owns, in percent. The shares of all owners must not add up to more than 100.',
        examples: [60],
      }),
    ),
  ),
}
const OwnerInput = Type.Object(
  {
    id: Type.Optional(Id('own', 'The id of an existing owner of this business. Omit it for a new owner.')),
    ...ownerFields,
  },
  { title: 'OwnerInput', additionalProperties: false },
)
const Owner = Type.Object(
  { id: Id('own', 'The id of this owner.'), ...ownerFields },
  { title: 'Owner', additionalProperties: false },
)

const Consent = Type.Object(
  {
    kind: Type.Enum(
      [
        'data_processing',
        'data_sharing',
        'credit_check',
        'marketing_email',
        'marketing_phone',
        'electronic_records',
        'other',
      ],
      { description: 'What the consent is for.' },
    ),
    granted: Type.Boolean({ description: 'Whether the business consented.', examples: [true] }),
    granted_at: Type.Optional(Nullable(Time('When the business gave or refused consent.'))),
    text_version: Type.Optional(Nullable(Words(100, '2026-01', 'The version of the consent text.'))),
  },
  { title: 'Consent', additionalProperties: false },
)

const legal_name = Words(200, 'Lee Bakery LLC', 'The registered name of the business.')
const lead_source_id = Id(
  'ldsrc',
  'The lead source the business came from. It must be active, and it cannot be changed later.',
)
const optionalFields = {
  lead_source_detail: described(
    Nullable(LeadSourceDetail),
    'Details about where the business came from. At least one field must be set when the lead source has `requires_detail`.',
  ),
  trading_name: Nullable(Words(200, 'Lee Bakery', 'The name the business trades under.')),
  legal_form: Nullable(Type.Enum([...legalForms], { description: 'The legal form of the business.' })),
  region: Nullable(Region),
  registration_number: Nullable(Words(50, 'C1234567', 'The number of the business in its company register.')),
  industry: described(Nullable(Industry), 'The industry of the business.'),
  founded_on: described(Nullable(CalendarDate), 'The date the business was founded. Must not be in the future.'),
  employee_count: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      description: 'How many people the business employs.',
      examples: [12],
    }),
  ),
  website: described(
    Nullable(WebAddress(500)),
    'The website of the business: an http or https URL without credentials.',
  ),
  email: Nullable(Email),
  phone: Nullable(Phone),
  annual_revenue: described(Nullable(Money), 'The revenue of the last full year.'),
  external_reference: Nullable(ExternalReference),
}
const listFields = {
  addresses: Type.Array(Address, { maxItems: 20, description: 'The addresses of the business.' }),
  consents: Type.Array(Consent, { maxItems: 50, description: 'The consents the business has given or refused.' }),
  do_not_contact: Type.Boolean({ description: 'Whether the business asked not to be contacted.', examples: [false] }),
  tags: Type.Array(Words(50, 'priority', 'A tag.'), { maxItems: 50, description: 'Your own labels.' }),
  metadata: Metadata,
}
const tax_id = Nullable(
  Type.String({
    minLength: 5,
    maxLength: 30,
    pattern: '^[0-9A-Za-z][0-9A-Za-z ./-]*$',
    writeOnly: true,
    description: 'The tax id. It is stored encrypted and never returned; read `tax_id_last4` instead.',
    examples: ['12-3456789'],
  }),
)
const changeable = {
  legal_name,
  country: Country,
  ...optionalFields,
  tax_id,
  owners: Type.Array(OwnerInput, { maxItems: 50, description: 'The people who own the business.' }),
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
    'The fields to change. A field that is sent is replaced completely, and null clears it; send an empty list or object to clear owners, addresses, consents, tags or metadata. A field that is not sent keeps its value.',
})
export type BusinessChange = Static<typeof BusinessChange>

export const Business = Type.Object(
  recordFields('biz', {
    state: Type.Enum(businessStates.states, { description: 'Whether the business is active or archived.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(businessStates.actions), {
      description: 'The actions that are allowed in the current state.',
    }),
    legal_name,
    country: Country,
    lead_source_id,
    ...optionalFields,
    tax_id_last4: Nullable(
      Type.String({
        description: 'The last four characters of the tax id. The full tax id is never returned.',
        examples: ['6789'],
      }),
    ),
    owners: Type.Array(Owner, { description: 'The people who own the business.' }),
    ...listFields,
    possible_duplicates_url: Url('The address of the list of possible duplicates.'),
  }),
  { title: 'Business' },
)
export type Business = Static<typeof Business>

export const PossibleDuplicate = Type.Object(
  {
    business_id: Id('biz', 'The id of the possible duplicate.'),
    url: Url('The address of the possible duplicate.'),
    reasons: Type.Array(Type.Enum(['same_registration_number', 'same_tax_id', 'same_name']), {
      description:
        'Why the business may be a duplicate. `same_name` compares names without punctuation and legal form, within one country.',
    }),
  },
  { title: 'PossibleDuplicate' },
)
export type PossibleDuplicate = Static<typeof PossibleDuplicate>

export const businessFilters = {
  state: Type.Optional(Type.Enum(businessStates.states, { description: 'Only businesses in this state.' })),
  lead_source_id: Type.Optional(Id('ldsrc', 'Only businesses from this lead source.')),
  external_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only the business with this external reference.' }),
  ),
  country: Type.Optional(described(Country, 'Only businesses in this country (ISO 3166-1 alpha-2 code).')),
  search: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 200,
      description:
        'Words to search for. Only the first 12 words are used. Finds businesses where every word is the beginning of a word in the names, external reference, registration number, e-mail address or website. In Chinese, Japanese and other scripts without spaces, a word can be any part of the text. Case, accents and punctuation inside words are ignored.',
    }),
  ),
  ...createdFilters,
}
const BusinessFilters = Type.Object(businessFilters)
export type BusinessFilters = Static<typeof BusinessFilters>

export const leadSourceFilters = {
  kind: Type.Optional(Type.Enum([...leadSourceKinds], { description: 'Only lead sources of this kind.' })),
  is_active: Type.Optional(
    Type.Boolean({ description: '`true`: only active lead sources. `false`: only inactive lead sources.' }),
  ),
}
