import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { inWords } from '../../../platform/protocol/validation.ts'
import {
  CalendarDate,
  createdFilters,
  described,
  ExternalReference,
  Id,
  Nullable,
  notBlank,
  recordFields,
  Time,
  Words,
} from '../../../platform/values/fields.ts'
import { Money } from '../../../platform/values/money.ts'
import { fundingTypes } from '../criteria/vocabulary.ts'
import { operators } from '../matching/rules.ts'
import { programStates } from './states.ts'

/** More than any real programme has; what one rule may list is bounded by the check of rules. */
const maximumRules = 100

const ruleId = inWords(
  '^[a-z0-9_.-]{1,64}$',
  'must have 1 to 64 characters from lowercase letters, digits, underscores, dots and hyphens',
)
const criterion = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'The criterion to compare, such as `credit_score`. Parts of a criterion: `bankruptcy.has`, `bankruptcy.discharged_on`, `bankruptcy.months_since_discharge`, `equipment.type`, `equipment.age_years`.',
  examples: ['time_in_business_months'],
})
const operator = Type.Enum([...operators], {
  description: 'How to compare. Bounds are inclusive. Which operators a criterion accepts depends on its type.',
  examples: ['gte'],
})
const value = Type.Unsafe<unknown>({
  description:
    'The value to compare with, in the form of the criterion: a number, a boolean, a code, an amount of money, or a date (`YYYY-MM-DD`, or relative such as `today-36 months`). `between` accepts a list of two bounds. `in`, `not_in`, `contains_*` and `*prefix_in` accept a list of up to 500 values (industry and postal code prefixes: 2,000). `exists` accepts true (the default) or false.',
  examples: [24],
})
const Condition = Type.Object(
  { criterion, operator, value: Type.Optional(value) },
  { title: 'EligibilityCondition', additionalProperties: false },
)
const whenWords = 'The rule applies only when this comparison holds.'
const message = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: notBlank,
  format: 'lines',
  description: 'A note of your own about the rule. It is shown with the reasons of a match.',
  examples: ['Ask us about guarantees.'],
})
const remedy = Type.Enum(['answer', 'time', 'none'], {
  description:
    'How a project that fails the rule can meet it later: with a different answer, with time, or not at all. Default: the remedy of the criterion.',
  examples: ['time'],
})
const id = Type.String({
  pattern: ruleId,
  description:
    'The id of the rule. Must be unique within the programme and must not begin with `program.` or `recipient.`. Default: `rule_1` and so on.',
  examples: ['rule_1'],
})
const effect = Type.Enum(['required', 'preferred'], {
  description:
    '`required`: a project that fails the rule is not eligible. `preferred`: the rule only changes the score. Default: `required`.',
  examples: ['required'],
})
const weight = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'How much the rule counts in the score: more than 0, at most 100. Default: 1.',
  examples: [1],
})

const RuleInput = Type.Object(
  {
    criterion,
    operator,
    value: Type.Optional(value),
    id: Type.Optional(id),
    effect: Type.Optional(effect),
    weight: Type.Optional(weight),
    when: Type.Optional(described(Nullable(Condition), whenWords)),
    message: Type.Optional(Nullable(message)),
    remedy: Type.Optional(Nullable(remedy)),
  },
  { title: 'EligibilityRuleInput', additionalProperties: false },
)
export type RuleInput = Static<typeof RuleInput>
const Rule = Type.Object(
  {
    id,
    criterion,
    operator,
    value,
    effect,
    weight,
    when: described(Nullable(Condition), whenWords),
    message: Nullable(message),
    remedy: Nullable(remedy),
  },
  { title: 'EligibilityRule' },
)

const name = Words(200, 'Growth loan', 'The name of the programme.')
const funding_type = Type.Enum(typedKeys(fundingTypes), {
  description: 'The type of funding.',
  examples: ['term_loan'],
})
const months = Type.Integer({ minimum: 0, maximum: 600, description: 'A number of months.', examples: [60] })
const days = Type.Integer({ minimum: 0, maximum: 3650, description: 'A number of days.', examples: [10] })
const rate = Type.Number({ minimum: 0, maximum: 1000, description: 'A rate.', examples: [7.5] })
const Fee = Type.Object(
  {
    name: Words(100, 'Origination fee', 'The name of the fee.'),
    amount: Type.Optional(
      described(Nullable(Money), 'A fixed amount. A fee has either `amount` or `percent`, not both.'),
    ),
    percent: Type.Optional(
      Nullable(
        Type.Number({
          minimum: 0,
          maximum: 100,
          description: 'A share of the amount, in percent. A fee has either `amount` or `percent`, not both.',
          examples: [2],
        }),
      ),
    ),
  },
  { title: 'Fee', additionalProperties: false },
)

const termFields = {
  summary: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: notBlank,
      format: 'lines',
      description: 'What the programme offers, in a few sentences.',
      examples: ['Loans for businesses that have been trading for two years.'],
    }),
  ),
  opens_on: described(
    Nullable(CalendarDate),
    'The first day of the application window, in the time zone of the recipient. On this day the window of an `open` or `scheduled` programme opens; its status stays the same.',
  ),
  closes_on: described(
    Nullable(CalendarDate),
    'The last day of the application window, in the time zone of the recipient. Must not be before `opens_on`. After this day the window is closed, but the status stays the same until the programme is closed with `close`.',
  ),
  amount: range('AmountRange', 'The amounts the programme offers. Both bounds must have the same currency.', {
    min: described(Nullable(Money), 'The smallest amount.'),
    max: described(Nullable(Money), 'The largest amount.'),
  }),
  term_months: range('TermRange', 'The terms the programme offers, in months.', {
    min: described(Nullable(months), 'The shortest term, in months.'),
    max: described(Nullable(months), 'The longest term, in months.'),
  }),
  rate: described(
    Nullable(
      Type.Object(
        {
          kind: Type.Enum(['fixed', 'variable', 'factor', 'none'], {
            description: 'The kind of rate. `none`: the funding has no rate, like a grant.',
            examples: ['fixed'],
          }),
          min: Type.Optional(
            described(Nullable(rate), 'The lowest rate, in percent per year; for `factor`, a factor such as 1.25.'),
          ),
          max: Type.Optional(described(Nullable(rate), 'The highest rate.')),
        },
        { title: 'RateRange', additionalProperties: false },
      ),
    ),
    'The price of the funding.',
  ),
  time_to_fund_days: range('TimeToFund', 'How long it takes from the application to the money, in days.', {
    min: described(Nullable(days), 'The fewest days.'),
    max: described(Nullable(days), 'The most days.'),
  }),
}
const listFields = {
  fees: Type.Array(Fee, { maxItems: 50, description: 'The fees of the programme.' }),
  required_documents: Type.Array(Words(200, 'Bank statements of 6 months', 'A document.'), {
    maxItems: 100,
    description: 'The documents an applicant must provide.',
  }),
}
const eligibility = Type.Array(RuleInput, {
  maxItems: maximumRules,
  description:
    'The rules that decide who is eligible. The amount, term, funding type and window of the programme, and the countries of the recipient, are rules too. A rule here about the same criterion replaces the built-in one.',
})
const contentFields = { ...termFields, ...listFields, eligibility }

export const ProgramInput = Type.Object(
  {
    name,
    funding_type,
    ...optional(contentFields),
    status: Type.Optional(
      Type.Enum(['draft', 'open', 'scheduled'], {
        description: 'The status to create the programme in. Default: `draft`, which only your own Portal can see.',
        examples: ['open'],
      }),
    ),
    external_reference: Type.Optional(Nullable(ExternalReference)),
  },
  { title: 'FundingProgramInput', additionalProperties: false },
)
export type ProgramInput = Static<typeof ProgramInput>

export const ProgramChange = Type.Partial(
  Type.Object({ name, funding_type, ...contentFields, external_reference: Nullable(ExternalReference) }),
  {
    title: 'FundingProgramChange',
    additionalProperties: false,
    minProperties: 1,
    description:
      'The fields to change. A field that is sent is replaced completely, and null clears it. A field that is not sent keeps its value.',
  },
)
export type ProgramChange = Static<typeof ProgramChange>

/** A row of an import. It describes the whole programme: what it leaves out is cleared, except the status. */
export const ProgramRow = Type.Object(
  {
    external_reference: ExternalReference,
    name,
    funding_type,
    ...optional(contentFields),
    status: Type.Optional(Type.Enum(programStates.states, { description: 'The status of the programme.' })),
  },
  { title: 'FundingProgramRow', additionalProperties: false },
)
export type ProgramRow = Static<typeof ProgramRow>

const status = Type.Enum(programStates.states, {
  description:
    'The status of the programme. `draft`: only your own Portal can see it. `open` and `scheduled`: projects are matched with it. `paused` and `closed`: visible, but not matched. The status changes only by `publish`, `pause`, `close` and imports, never by itself on `opens_on` or `closes_on`: compare these dates with the current date at the recipient to see whether the application window is open. In a match, the rule `program.window` shows it.',
  examples: ['open'],
})
export const FundingProgram = Type.Object(
  recordFields('prg', {
    recipient_id: Id('rcp', 'The recipient that offers the programme.'),
    status,
    status_changed_at: Time('When the status last changed.'),
    available_actions: Type.Array(Type.Enum(programStates.actions), {
      description: 'The actions that are allowed in the current status. Empty for programmes of other Portals.',
    }),
    name,
    funding_type,
    ...termFields,
    ...listFields,
    eligibility: Type.Array(Rule, { description: 'The rules that decide who is eligible.' }),
    external_reference: described(
      Nullable(ExternalReference),
      'Your own id for the programme. Null for programmes of other Portals.',
    ),
    version: Type.Integer({ description: 'The version of the programme. Every change increases it.', examples: [1] }),
  }),
  { title: 'FundingProgram' },
)
export type FundingProgram = Static<typeof FundingProgram>

export const programFilters = {
  recipient_id: Type.Optional(Id('rcp', 'Only programmes of this recipient.')),
  funding_type: Type.Optional(described(funding_type, 'Only programmes of this type of funding.')),
  status: Type.Optional(described(status, 'Only programmes in this status.')),
  external_reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only the programme of your own Portal with this external reference.',
    }),
  ),
  ...createdFilters,
}
const ProgramFilters = Type.Object(programFilters)
export type ProgramFilters = Static<typeof ProgramFilters>

/** Two bounds, either of which may be left out. */
function range<Min extends TSchema, Max extends TSchema>(
  title: string,
  description: string,
  { min, max }: { min: Min; max: Max },
) {
  const bounds = { min: Type.Optional(min), max: Type.Optional(max) }
  return described(Nullable(Type.Object(bounds, { title, additionalProperties: false })), description)
}

function optional<P extends TProperties>(fields: P) {
  return Type.Partial(Type.Object(fields)).properties
}

function typedKeys<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[] // safe because the members of a record are its keys
}
