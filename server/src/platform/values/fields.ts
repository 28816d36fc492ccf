// The values every resource shares, as schemas: ids, times, the caller's own references.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { type IdPrefix, idPattern } from './ids.ts'

/** What a validator of any language understands of "not blank"; the formats `line` and `lines` are stricter. */
export const notBlank = '\\S'

const oneLine = 'Must be a single line without control characters.'

export function Id(prefix: IdPrefix, description: string) {
  return Type.String({ pattern: idPattern(prefix), description, examples: [exampleId(prefix)] })
}

/** A fixed id for examples; the tests that run them put a real one in its place. */
export function exampleId(prefix: IdPrefix): string {
  return `${prefix}_01jcz3v0v2fd6tqvh1m8r5k9wx`
}

/** A time, and what happened then. */
export function Time(description: string) {
  return Type.String({
    format: 'date-time',
    description: `${description} UTC, RFC 3339 with milliseconds.`,
    examples: ['2026-01-31T12:00:00.000Z'],
  })
}
export const CalendarDate = Type.String({
  format: 'date',
  description: 'A date in the form YYYY-MM-DD.',
  examples: ['2019-04-01'],
})
export const Country = Type.String({
  format: 'country',
  description: 'Country, as an ISO 3166-1 alpha-2 code.',
  examples: ['US'],
})
export const Region = Type.String({
  format: 'region',
  description: 'State, province or region, as an ISO 3166-2 code of the same country.',
  examples: ['US-CA'],
})
export const TimeZone = Type.String({
  format: 'time-zone',
  maxLength: 64,
  description: 'A time zone, by its IANA name.',
  examples: ['America/Los_Angeles'],
})
export const longestEmail = 254
export const Email = Type.String({
  format: 'idn-email',
  maxLength: longestEmail,
  description: 'An e-mail address. It can contain international characters.',
  examples: ['office@example.com'],
})
export function WebAddress(maxLength: number) {
  return Type.String({
    format: 'web-address',
    maxLength,
    description: 'An http or https URL without user name and password. The host can contain international characters.',
    examples: ['https://bakery.example.com'],
  })
}
/** E.164. */
export const phoneForm = '^\\+[1-9][0-9]{6,14}$'
export const Phone = Type.String({
  format: 'phone',
  description: 'Phone number in E.164 format.',
  examples: ['+14155550100'],
})

export const ExternalReference = Type.String({
  pattern: notBlank,
  format: 'line',
  minLength: 1,
  maxLength: 200,
  description: `Your own id for this record. Must be unique among the records of this type in the Portal. ${oneLine}`,
  examples: ['crm-4711'],
})
export const metadataKey = '^[A-Za-z0-9_.-]{1,64}$'

export const Metadata = Type.Record(Type.String({ pattern: metadataKey }), Type.String({ maxLength: 500 }), {
  maxProperties: 50,
  additionalProperties: false,
  description:
    'Up to 50 key-value pairs of your own. A key has 1 to 64 characters from A–Z a–z 0–9 _ . - and a value has at most 500 characters. A new value replaces all existing pairs; send {} to remove them.',
  examples: [{ segment: 'retail' }],
})

/** One line of text with something in it. */
export function Words(maxLength: number, example: string, description: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: notBlank,
    format: 'line',
    description: `${description} ${oneLine}`,
    examples: [example],
  })
}

/** The same schema with other words about it. */
export function described<T extends TSchema>(schema: T, description: string): T {
  const copy = { ...schema, description }
  originals.set(copy, schema)
  return copy
}

/** The schema before other words were put to it. */
export function originalOf(schema: TSchema): TSchema {
  return originals.get(schema) ?? schema
}

const originals = new WeakMap<object, TSchema>()

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** An address of this service. */
export function Url(description: string) {
  return Type.String({ format: 'uri', description })
}

/** A postal address. */
export const addressFields = {
  line1: Words(200, '1 Harbour Street', 'Street and number.'),
  line2: Type.Optional(Nullable(Words(200, 'Floor 2', 'Floor, suite or building.'))),
  city: Words(100, 'San Francisco', 'City or town.'),
  region: Type.Optional(Nullable(Region)),
  postal_code: Type.Optional(Nullable(Words(20, '94105', 'Postal code or ZIP code.'))),
  country: Country,
}

/** What every record begins with. */
export function recordFields<P extends TProperties>(prefix: IdPrefix, rest: P) {
  return {
    id: Id(prefix, 'The id of this record.'),
    url: Url('The URL of this record.'),
    etag: Type.String({
      description: 'The ETag of this version, including the quotes. Send it in `If-Match` to change the record.',
      examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
    }),
    created_at: Time('When the record was created.'),
    updated_at: Time('When the record last changed.'),
    ...rest,
  }
}

/** Filters by time of creation, which most collections have. */
export const createdFilters = {
  created_after: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only records created after this time.' }),
  ),
  created_before: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only records created before this time.' }),
  ),
}
export type CreatedFilters = Static<ReturnType<typeof Type.Object<typeof createdFilters>>>

/** The same times in the form the tables hold. */
export function createdBounds({ created_after, created_before }: CreatedFilters) {
  const iso = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString())
  return { created_after: iso(created_after), created_before: iso(created_before) }
}
