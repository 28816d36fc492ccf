// A contract: the questions of a questionnaire and their rules. This is the form of what an administrator drafts and
// of what integrators read; what no schema can say (references, circles, patterns) is said by `contract-check.ts`.
import { type Static, Type } from 'typebox'
import { inWords } from '../../platform/protocol/validation.ts'
import { described, Words } from '../../platform/values/fields.ts'

const contractKinds = ['client_intake', 'deal_application'] as const

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
  'must be a name of lowercase letters, digits and underscores that begins with a letter',
)
export const mediaType = inWords(
  '^[a-z]+/[a-z0-9.+-]+$',
  'must be a media type in lowercase without parameters, such as application/pdf',
)

const Key = Type.String({
  pattern: contractKey,
  description: 'A stable name of lowercase letters, digits and underscores.',
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

const Condition = (description: string) =>
  Type.Unsafe<Condition>(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: `${description} A condition is \`{question, operator, value}\`, or a list of conditions under \`all\`, \`any\` or \`not\` (none of them). A question that is hidden or not answered fulfils only \`exists: false\`.`,
        examples: [{ any: [{ question: 'has_loans', operator: 'equals', value: true }] }],
      },
    ),
  )

const strict = { additionalProperties: false }

export const Option = Type.Object(
  {
    value: described(Key, 'The value an answer has.'),
    label: Words(200, 'Limited company', 'What people read.'),
  },
  strict,
)
export type Option = Static<typeof Option>
const Options = Type.Array(Option, { minItems: 1, maxItems: 500 })

const Bound = (description: string) =>
  Type.Union([Type.Number(), Type.String({ maxLength: 20 })], {
    description: `${description} A number, or for money a decimal string.`,
  })
const DateBound = (description: string) =>
  Type.String({
    maxLength: 30,
    description: `${description} A date, or \`today\`, \`today+30 days\`, \`today-18 years\`.`,
    examples: ['today-18 years'],
  })

export const Validation = Type.Object(
  {
    min_length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20_000, description: 'The fewest characters of a text.' }),
    ),
    max_length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20_000, description: 'The most characters of a text.' }),
    ),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A regular expression that a text must match.',
        examples: ['^[A-Z]{2}[0-9]{6}$'],
      }),
    ),
    min: Type.Optional(Bound('The smallest value.')),
    max: Type.Optional(Bound('The largest value.')),
    multiple_of: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'A number of which the value must be a multiple.' }),
    ),
    min_date: Type.Optional(DateBound('The earliest date.')),
    max_date: Type.Optional(DateBound('The latest date.')),
    min_items: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 500, description: 'The fewest options of a multiple choice.' }),
    ),
    max_items: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: 'The most options of a multiple choice.' }),
    ),
    accept: Type.Optional(
      Type.Array(Type.String({ pattern: mediaType, examples: ['application/pdf'] }), {
        minItems: 1,
        maxItems: 30,
        description: 'The media types a file may have.',
      }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50 * 1024 * 1024, description: 'The most bytes of a file.' }),
    ),
    min_files: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'The fewest files.' })),
    max_files: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'The most files.' })),
    unique_in_group: Type.Optional(
      Type.Boolean({ description: 'Whether each item of the group must have a different value.' }),
    ),
  },
  strict,
)
export type Validation = Static<typeof Validation>

const questionFields = {
  key: Key,
  label: Words(500, 'What was your revenue last year?', 'The question, as people read it.'),
  help: Type.Optional(
    Type.String({ maxLength: 2000, format: 'lines', description: 'An explanation to show with the question.' }),
  ),
  required: Type.Optional(
    Type.Boolean({ description: 'Whether the question must be answered while it is visible. Default: false.' }),
  ),
  required_when: Type.Optional(Condition('The question must be answered while this holds.')),
  visible_when: Type.Optional(Condition('The question is visible while this holds. Default: always.')),
  sensitivity: Type.Optional(
    Type.Enum(['normal', 'personal', 'restricted'], {
      description: 'How sensitive the answer is. `restricted` answers are stored encrypted. Default: `normal`.',
    }),
  ),
  validation: Type.Optional(described(Validation, 'What the answer must fulfil.')),
  options: Type.Optional(described(Options, 'The options of a choice.')),
  option_set: Type.Optional(described(Key, 'The name of the shared options of a choice, instead of `options`.')),
  allow_other: Type.Optional(
    Type.Boolean({ description: 'Whether a choice may also be answered with other text. Default: false.' }),
  ),
  maps_to: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*){1,3}$',
      maxLength: 100,
      description:
        'The fact the question asks for. Questions of other contracts that map to the same fact share their answers.',
      examples: ['business.legal_name'],
    }),
  ),
  autofill: Type.Optional(
    Type.Object(
      {
        sources: Type.Array(Type.Enum([...autofillSources]), {
          maxItems: 5,
          description: 'The sources Autofill may use for this question.',
        }),
      },
      { ...strict, description: 'Whether and where Autofill looks for the answer. Default: it does not.' },
    ),
  ),
}

const plainTypes = questionTypes.filter((type) => type !== 'group')

export const GroupedQuestion = Type.Object(
  { ...questionFields, type: Type.Enum(plainTypes, { description: 'The type of the question.' }) },
  strict,
)
export type GroupedQuestion = Static<typeof GroupedQuestion>

export const Question = Type.Object(
  {
    ...questionFields,
    section: described(Key, 'The `key` of the section it belongs to.'),
    type: Type.Enum([...questionTypes], { description: 'The type of the question: which form its answer has.' }),
    repeat: Type.Optional(
      Type.Object(
        {
          min: Type.Integer({ minimum: 0, maximum: 100, description: 'The fewest items.' }),
          max: Type.Integer({ minimum: 1, maximum: 100, description: 'The most items.' }),
          item_label: Words(100, 'Owner', 'What one item is called.'),
        },
        { ...strict, description: 'How many items a group has.' },
      ),
    ),
    questions: Type.Optional(
      Type.Array(GroupedQuestion, { minItems: 1, maxItems: 50, description: 'The questions of a group.' }),
    ),
  },
  strict,
)
export type Question = Static<typeof Question>

export const Section = Type.Object(
  {
    key: Key,
    title: Words(200, 'About your business', 'The heading, as people read it.'),
    visible_when: Type.Optional(Condition('The section is visible while this holds. Default: always.')),
  },
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
    kind: Type.Enum([...contractKinds], { description: 'The kind of application the questions are for.' }),
    title: Words(200, 'Client intake', 'The title, as people read it.'),
    locale: Type.String({
      pattern: inWords('^[a-z]{2,3}(-[A-Z]{2})?$', 'must be a language such as en or en-US'),
      description: 'The language of its texts, such as `en` or `en-US`.',
      examples: ['en-US'],
    }),
    sections: Type.Array(Section, {
      minItems: 1,
      maxItems: 50,
      description: 'Its sections, in the order to show them.',
    }),
    questions: Type.Array(Question, {
      minItems: 1,
      maxItems: 500,
      description: 'Its questions, in the order to show them.',
    }),
    option_sets: Type.Optional(
      Type.Record(Key, Options, {
        maxProperties: 50,
        additionalProperties: false,
        description: 'Lists of options that several questions share, by name.',
      }),
    ),
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
