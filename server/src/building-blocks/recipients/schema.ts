import { type Static, Type } from 'typebox'
import {
  Country,
  described,
  Id,
  Nullable,
  notBlank,
  recordFields,
  TimeZone,
  Url,
  WebAddress,
  Words,
} from '../../platform/values/fields.ts'

/** What a recipient can be for others. */
export const publishedKinds = ['lender', 'grant_maker', 'investor', 'broker', 'service_provider', 'government'] as const
/** What every Portal is for itself. */
export const ownKind = 'own_portal'
export const visibilities = ['open', 'invited'] as const

const kinds = [...publishedKinds, ownKind]

const description = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 2000,
    pattern: notBlank,
    format: 'lines',
    description: 'What the recipient offers, and to whom.',
    examples: ['Term loans for small businesses in the western United States.'],
  }),
)
const website = described(
  Nullable(WebAddress(500)),
  'The website of the recipient: an http or https URL without credentials.',
)
const time_zone = described(
  TimeZone,
  'The time zone of the recipient. The dates of its programmes are dates in this time zone.',
)
const accepting_applications = Type.Boolean({
  description: 'Whether the recipient accepts new applications.',
  examples: [true],
})
const countries = { maxItems: 300, description: 'The countries the recipient works in.', examples: [['US', 'CA']] }

export const Recipient = Type.Object(
  recordFields('rcp', {
    name: Words(200, 'Harbour Bank', 'The name of the recipient.'),
    kind: Type.Enum(kinds, {
      description: 'The kind of recipient. Your own Portal is always `own_portal`.',
    }),
    description,
    website,
    countries: Type.Array(Country, countries),
    accepting_applications,
    time_zone,
    programs_url: Url('The address of the funding programmes of this recipient.'),
    application_contract_url: Nullable(
      Url('The address of the contract with the questions of its deal applications. Null when it has published none.'),
    ),
  }),
  { title: 'Recipient' },
)
export type Recipient = Static<typeof Recipient>

export const recipientFilters = {
  kind: Type.Optional(Type.Enum(kinds, { description: 'Only recipients of this kind.' })),
  accepting: Type.Optional(
    Type.Boolean({
      description: '`true`: only recipients that accept new applications. `false`: only those that do not.',
    }),
  ),
  country: Type.Optional(described(Country, 'Only recipients that work in this country (ISO 3166-1 alpha-2 code).')),
}
const RecipientFilters = Type.Object(recipientFilters)
export type RecipientFilters = Static<typeof RecipientFilters>

/** A whole profile, as an administrator publishes it. What is left out has its default. */
export const RecipientProfile = Type.Object(
  {
    name: Recipient.properties.name,
    kind: Type.Enum([...publishedKinds]),
    countries: Type.Array(Country, { ...countries, minItems: 1 }),
    description: Type.Optional(description),
    website: Type.Optional(website),
    time_zone: Type.Optional(time_zone),
    accepting_applications: Type.Optional(accepting_applications),
    application_contract_id: Type.Optional(Nullable(Id('ctr', 'The contract of its deal applications.'))),
    /** Left out, who can see the profile stays as it is, so that a change of the name opens it to nobody. */
    visibility: Type.Optional(Type.Enum([...visibilities])),
    /** The Portals that can see an invited profile: all of them, in place of those invited before. */
    invitations: Type.Optional(Type.Array(Id('ptl', 'A Portal.'), { maxItems: 1000 })),
  },
  { additionalProperties: false },
)
export type RecipientProfile = Static<typeof RecipientProfile>
