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
  'must begin with a lowercase letter and contain only lowercase letters, digits and underscores, at most 64 characters',
)
export const mediaType = inWords(
  '^[a-z]+/[a-z0-9.+-]+$',
  'must be a lowercase media type without parameters, such as application/pdf',
)

const Key = Type.String({
  pattern: contractKey,
  description:
    'A stable name. It begins with a lowercase letter and contains only lowercase letters, digits and underscores.',
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
        description: `${description} A condition is \`{question, operator, value}\`, or a list of conditions under \`all\`, \`any\` or \`not\` (\`not\` is true when none of them is true). For a question that is hidden or not answered, only \`exists: false\` is true.`,
        examples: [{ any: [{ question: 'has_loans', operator: 'equals', value: true }] }],
      },
    ),
  )

const strict = { additionalProperties: false }

export const Option = Type.Object(
  {
    value: described(Key, 'The value of the answer when this option is chosen.'),
    label: Words(200, 'Limited company', 'The text to show for this option.'),
  },
  strict,
)
export type Option = Static<typeof Option>
const Options = Type.Array(Option, { minItems: 1, maxItems: 500 })

const Bound = (description: string) =>
  Type.Union([Type.Number(), Type.String({ maxLength: 20 })], {
    description: `${description} A number; a decimal string for money.`,
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
      Type.Integer({ minimum: 1, maximum: 20_000, description: 'The minimum number of characters in a text.' }),
    ),
    max_length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20_000, description: 'The maximum number of characters in a text.' }),
    ),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A regular expression that a text must match.',
        examples: ['^[A-Z]{2}[0-9]{6}$'],
      }),
    ),
    min: Type.Optional(Bound('The minimum value.')),
    max: Type.Optional(Bound('The maximum value.')),
    multiple_of: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'The value must be a multiple of this number.' }),
    ),
    min_date: Type.Optional(DateBound('The earliest date.')),
    max_date: Type.Optional(DateBound('The latest date.')),
    min_items: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 500,
        description: 'The minimum number of options to choose in a multiple choice.',
      }),
    ),
    max_items: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        description: 'The maximum number of options to choose in a multiple choice.',
      }),
    ),
    accept: Type.Optional(
      Type.Array(Type.String({ pattern: mediaType, examples: ['application/pdf'] }), {
        minItems: 1,
        maxItems: 30,
        description: 'The accepted media types of a file.',
      }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50 * 1024 * 1024, description: 'The maximum size of a file in bytes.' }),
    ),
    min_files: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'The minimum number of files.' })),
    max_files: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of files.' })),
    unique_in_group: Type.Optional(
      Type.Boolean({ description: 'Whether every item of the group must have a different value.' }),
    ),
  },
  strict,
)
export type Validation = Static<typeof Validation>

const questionFields = {
  key: Key,
  label: Words(500, 'What was your revenue last year?', 'The text of the question.'),
  help: Type.Optional(
    Type.String({ maxLength: 2000, format: 'lines', description: 'A help text to show with the question.' }),
  ),
  required: Type.Optional(
    Type.Boolean({ description: 'Whether the question must be answered while it is visible. Default: false.' }),
  ),
  required_when: Type.Optional(Condition('The question is required while this condition is true.')),
  visible_when: Type.Optional(
    Condition('The question is visible while this condition is true. Default: always visible.'),
  ),
  sensitivity: Type.Optional(
    Type.Enum(['normal', 'personal', 'restricted'], {
      description: 'How sensitive the answer is. `restricted` answers are stored encrypted. Default: `normal`.',
    }),
  ),
  validation: Type.Optional(described(Validation, 'The rules that the answer must satisfy.')),
  options: Type.Optional(described(Options, 'The options of a choice question.')),
  option_set: Type.Optional(described(Key, 'The name of a list in `option_sets`. Use it instead of `options`.')),
  allow_other: Type.Optional(
    Type.Boolean({ description: 'Whether a choice question also accepts other text. Default: false.' }),
  ),
  maps_to: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*){1,3}$',
      maxLength: 100,
      description:
        'The name of the fact that the question asks for. Autofill uses it to find the answer in records, documents and earlier applications.',
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
        must_confirm: Type.Optional(
          Type.Boolean({
            description:
              'Whether an answer that Autofill wrote must be confirmed before the application can be submitted. Default: false; `validation/` then lists the answer as a notice.',
            examples: [true],
          }),
        ),
      },
      {
        ...strict,
        description:
          'The Autofill settings of the question. Default: Autofill does not fill the question. A question in a group uses the settings of the group by default.',
      },
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
    section: described(Key, 'The `key` of the section that contains the question.'),
    type: Type.Enum([...questionTypes], {
      description: 'The type of the question. It defines the form of the answer.',
    }),
    repeat: Type.Optional(
      Type.Object(
        {
          min: Type.Integer({ minimum: 0, maximum: 100, description: 'The minimum number of items.' }),
          max: Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of items.' }),
          item_label: Words(100, 'Owner', 'The name of one item.'),
        },
        { ...strict, description: 'How many items a group can have.' },
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
    title: Words(200, 'About your business', 'The heading of the section.'),
    visible_when: Type.Optional(
      Condition('The section is visible while this condition is true. Default: always visible.'),
    ),
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
        description:
          'The key of the contract. Publishing under an existing key creates its next version. Default: the kind.',
      }),
    ),
    kind: Type.Enum([...contractKinds], { description: 'The kind of application the questions are for.' }),
    title: Words(200, 'Client intake', 'The title of the contract.'),
    locale: Type.String({
      pattern: inWords('^[a-z]{2,3}(-[A-Z]{2})?$', 'must be a language code such as en or en-US'),
      description: 'The language of the texts, such as `en` or `en-US`.',
      examples: ['en-US'],
    }),
    sections: Type.Array(Section, {
      minItems: 1,
      maxItems: 50,
      description: 'The sections, in display order.',
    }),
    questions: Type.Array(Question, {
      minItems: 1,
      maxItems: 500,
      description: 'The questions, in display order.',
    }),
    option_sets: Type.Optional(
      Type.Record(Key, Options, {
        maxProperties: 50,
        additionalProperties: false,
        description: 'Named lists of options that questions can share.',
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
