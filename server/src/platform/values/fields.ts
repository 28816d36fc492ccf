// The values every resource shares, as schemas: ids, times, the caller's own references.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { type IdPrefix, idPattern } from './ids.ts'

/** At least one character that can be seen. */
export const notBlank = '[\\p{L}\\p{N}\\p{P}\\p{S}]'

export function Id(prefix: IdPrefix, description?: string) {
  return Type.String({ pattern: idPattern(prefix), examples: [exampleId(prefix)], ...(description && { description }) })
}

/** A fixed id for examples; the tests that run them put a real one in its place. */
export function exampleId(prefix: IdPrefix): string {
  return `${prefix}_01jcz3v0v2fd6tqvh1m8r5k9wx`
}

export const Time = Type.String({
  format: 'date-time',
  description: 'UTC, RFC 3339 with milliseconds.',
  examples: ['2026-01-31T12:00:00.000Z'],
})
export const CalendarDate = Type.String({ format: 'date', examples: ['2019-04-01'] })
export const Country = Type.String({ format: 'country', description: 'ISO 3166-1 alpha-2.', examples: ['US'] })
export const Region = Type.String({
  format: 'region',
  description: 'ISO 3166-2, of the same country.',
  examples: ['US-CA'],
})
export const Email = Type.String({ format: 'email', maxLength: 254, examples: ['office@example.com'] })
/** E.164. */
export const phoneForm = '^\\+[1-9][0-9]{6,14}$'
export const Phone = Type.String({ format: 'phone', description: 'E.164.', examples: ['+14155550100'] })

export const ExternalReference = Type.String({
  pattern: notBlank,
  minLength: 1,
  maxLength: 200,
  description: 'Your own id for this record; unique among the records of this kind in the Portal.',
  examples: ['crm-4711'],
})
export const Metadata = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  Type.String({ maxLength: 500 }),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'Up to 50 pairs of your own. Sent whole: a new value replaces all pairs.',
    examples: [{ segment: 'retail' }],
  },
)

/** Text with something in it. */
export function Words(maxLength: number, example: string, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: notBlank,
    examples: [example],
    ...(description && { description }),
  })
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** A place letters reach. */
export const addressFields = {
  line1: Words(200, '1 Harbour Street'),
  line2: Type.Optional(Nullable(Words(200, 'Floor 2'))),
  city: Words(100, 'San Francisco'),
  region: Type.Optional(Nullable(Region)),
  postal_code: Type.Optional(Nullable(Words(20, '94105'))),
  country: Country,
}

/** What every record begins with. */
export function recordFields<P extends TProperties>(prefix: IdPrefix, path: string, rest: P) {
  return {
    id: Id(prefix),
    url: Type.String({
      format: 'uri',
      description: 'The address of this record; use it as given.',
      examples: [`http://127.0.0.1:8080/v1${path}${exampleId(prefix)}/`],
    }),
    etag: Type.String({
      description: 'The strong ETag of this version, quotes included.',
      examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
    }),
    created_at: Time,
    updated_at: Time,
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
