// A contract: the questions of a questionnaire and their rules. This is the form of what an administrator drafts and
// of what integrators read; what no schema can say (references, circles, patterns) is said by `contract-check.ts`.
import { type Static, Type } from 'typebox'
import { inWords } from '../../platform/protocol/validation.ts'
import { Words } from '../../platform/values/fields.ts'

export const contractKinds = ['client_intake', 'deal_application'] as const

/** Where Autofill may find the answer to a question. */
export const autofillSources = ['business', 'previous_applications', 'project', 'documents', 'provider'] as const
export type AutofillSourceName = (typeof autofillSources)[number]

export const questionTypes = [
  'text',
  'long_text',
  'boolean',
  'integer',
  'decimal',
  'money',
  'percent',
  'date',
  'year_month',
  'email',
  'phone',
  'url',
  'single_choice',
  'multi_choice',
  'address',
  'country',
  'region',
  'industry',
  'identifier',
  'file',
  'declaration',
  'group',
  'display',
] as const
export type QuestionType = (typeof questionTypes)[number]

export const operators = [
  'exists',
  'equals',
  'not_equals',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'before',
  'after',
] as const
export type Operator = (typeof operators)[number]

export const contractKey = inWords(
  '^[a-z][a-z0-9_]{0,63}$',
  'must be a name of small letters, digits and underscores that begins with a letter',
)
export const mediaType = inWords(
  '^[a-z]+/[a-z0-9.+-]+$',
  'must be a media type in small letters without parameters, such as application/pdf',
)

const Key = Type.String({
  pattern: contractKey,
  description: 'Stable name: small letters, digits and underscores.',
  examples: ['annual_revenue'],
})

export interface Comparison {
  question: string
  operator: Operator
  value?: unknown
}
export type Condition =
  | Comparison
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: readonly Condition[] }

const Condition = Type.Unsafe<Condition>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        '`{question, operator, value}`, or a list of conditions under `all`, `any` or `not` (none of them). A question that is hidden or not answered fulfils nothing but `exists: false`.',
      examples: [{ any: [{ question: 'has_loans', operator: 'equals', value: true }] }],
    },
  ),
)

const strict = { additionalProperties: false }

export const Option = Type.Object({ value: Key, label: Words(200, 'Limited company') }, strict)
export type Option = Static<typeof Option>
const Options = Type.Array(Option, { minItems: 1, maxItems: 500 })

const Bound = Type.Union([Type.Number(), Type.String({ maxLength: 20 })], {
  description: 'A number, or for money a decimal string.',
})
const DateBound = Type.String({
  maxLength: 30,
  description: 'A date, or `today`, `today+30 days`, `today-18 years`.',
  examples: ['today-18 years'],
})

export const Validation = Type.Object(
  {
    min_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 20_000 })),
    max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 20_000 })),
    pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['^[A-Z]{2}[0-9]{6}$'] })),
    min: Type.Optional(Bound),
    max: Type.Optional(Bound),
    multiple_of: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    min_date: Type.Optional(DateBound),
    max_date: Type.Optional(DateBound),
    min_items: Type.Optional(Type.Integer({ minimum: 0, maximum: 500 })),
    max_items: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    accept: Type.Optional(
      Type.Array(Type.String({ pattern: mediaType, examples: ['application/pdf'] }), {
        minItems: 1,
        maxItems: 30,
      }),
    ),
    max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 * 1024 * 1024 })),
    min_files: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    max_files: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    unique_in_group: Type.Optional(Type.Boolean()),
  },
  strict,
)
export type Validation = Static<typeof Validation>

const questionFields = {
  key: Key,
  label: Words(500, 'What was your revenue last year?'),
  help: Type.Optional(Type.String({ maxLength: 2000 })),
  required: Type.Optional(Type.Boolean()),
  required_when: Type.Optional(Condition),
  visible_when: Type.Optional(Condition),
  sensitivity: Type.Optional(Type.Enum(['normal', 'personal', 'restricted'])),
  validation: Type.Optional(Validation),
  options: Type.Optional(Options),
  option_set: Type.Optional(Key),
  allow_other: Type.Optional(Type.Boolean({ description: 'Whether a choice may also be a text of its own.' })),
  maps_to: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*){1,3}$',
      maxLength: 100,
      description: 'The fact behind the question; questions of other contracts that map to it share their answers.',
      examples: ['business.legal_name'],
    }),
  ),
  autofill: Type.Optional(
    Type.Object(
      {
        sources: Type.Array(Type.Enum([...autofillSources]), {
          maxItems: 5,
        }),
      },
      strict,
    ),
  ),
}

const plainTypes = questionTypes.filter((type) => type !== 'group')

export const GroupedQuestion = Type.Object({ ...questionFields, type: Type.Enum(plainTypes) }, strict)
export type GroupedQuestion = Static<typeof GroupedQuestion>

export const Question = Type.Object(
  {
    ...questionFields,
    section: Key,
    type: Type.Enum([...questionTypes]),
    repeat: Type.Optional(
      Type.Object(
        {
          min: Type.Integer({ minimum: 0, maximum: 100 }),
          max: Type.Integer({ minimum: 1, maximum: 100 }),
          item_label: Words(100, 'Owner'),
        },
        strict,
      ),
    ),
    questions: Type.Optional(Type.Array(GroupedQuestion, { minItems: 1, maxItems: 50 })),
  },
  strict,
)
export type Question = Static<typeof Question>

export const Section = Type.Object(
  { key: Key, title: Words(200, 'About your business'), visible_when: Type.Optional(Condition) },
  strict,
)
export type Section = Static<typeof Section>

/** What an administrator writes into a file. */
export const ContractDraft = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        pattern: contractKey,
        description: 'Which contract this is a new version of; without it, the one of its kind.',
      }),
    ),
    kind: Type.Enum([...contractKinds]),
    title: Words(200, 'Client intake'),
    locale: Type.String({
      pattern: inWords('^[a-z]{2,3}(-[A-Z]{2})?$', 'must be a language such as en or en-US'),
      examples: ['en-US'],
    }),
    sections: Type.Array(Section, { minItems: 1, maxItems: 50 }),
    questions: Type.Array(Question, { minItems: 1, maxItems: 500 }),
    option_sets: Type.Optional(Type.Record(Key, Options, { maxProperties: 50, additionalProperties: false })),
  },
  strict,
)
export type ContractDraft = Static<typeof ContractDraft>

/** What is wrong with a contract. */
export interface ContractProblem {
  /** JSON Pointer into the contract. */
  place: string
  message: string
}
