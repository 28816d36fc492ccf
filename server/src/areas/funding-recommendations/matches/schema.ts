import { type Static, Type } from 'typebox'
import { described, Id, Nullable, Time, Url } from '../../../platform/values/fields.ts'
import { Money } from '../../../platform/values/money.ts'
import { fundingTypes } from '../criteria/vocabulary.ts'
import { outcomes } from '../matching/evaluation.ts'

// safe because these are the keys of fundingTypes
const fundingTypeNames = Object.keys(fundingTypes) as (keyof typeof fundingTypes)[]
const results = ['pass', 'fail', 'unknown', 'not_applicable'] as const

const Gap = Type.Object(
  {
    unit: Type.String({
      description: 'What the numbers count: a currency code, `number`, `percent`, `months` or `days`.',
      examples: ['months'],
    }),
    actual: Type.Union([Type.String(), Type.Number()], {
      description: 'What the project has: a decimal string for amounts, a date for days, a number otherwise.',
      examples: [19],
    }),
    bound: Type.Union([Type.String(), Type.Number()], { description: 'The bound it misses.', examples: [24] }),
    short_by: Type.Union([Type.String(), Type.Number()], { description: 'The difference.', examples: [5] }),
  },
  { title: 'Gap' },
)

export const Reason = Type.Object(
  {
    rule_id: Type.String({
      description:
        'The rule of the programme. Ids that begin with `program.` and `recipient.` stand for what the programme says of itself.',
      examples: ['time_in_business'],
    }),
    criterion: Type.String({ description: 'The criterion it is about.', examples: ['time_in_business_months'] }),
    result: Type.Enum([...results], { description: 'How the rule comes out.' }),
    effect: Type.Enum(['required', 'preferred'], {
      description: '`required` rules decide the outcome; `preferred` ones only change the score.',
    }),
    expected: Type.Object(
      {
        operator: Type.String({ description: 'How it is compared.', examples: ['gte'] }),
        value: Type.Unknown({ description: 'What it is compared with.', examples: [24] }),
      },
      { description: 'What the rule asks for.' },
    ),
    actual: Type.Unknown({ description: 'What is known of the project; null when nothing is.', examples: [19] }),
    gap: described(Nullable(Gap), 'How far the project is from the bound; null where nothing is missed or measured.'),
    message: Type.String({
      description: 'The reason in one sentence.',
      examples: ['Requires at least 24 months in business; this business has 19: 5 months short.'],
    }),
    note: Nullable(Type.String({ description: 'What the programme itself says about the rule.' })),
    remedy: Type.Enum(['answer', 'time', 'none'], {
      description:
        'What may change the result: a different answer, the passing of time, or nothing. `time` is stated only where waiting brings the project nearer to the bound.',
    }),
  },
  { title: 'Reason' },
)

export const Match = Type.Object(
  {
    id: Id('mat', 'The id of the match of this project with this programme. It stays the same in later calculations.'),
    url: Url('The URL of this record.'),
    etag: Type.String({
      description: 'The ETag of this version, including the quotes. Send it in `If-Match` to dismiss or restore.',
      examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
    }),
    created_at: Time('When the calculation was completed.'),
    updated_at: Time('When the match was dismissed, or the calculation completed.'),
    project_id: Id('prj', 'The project.'),
    calculation_id: Id('cal', 'The calculation the match is from.'),
    program: Type.Object(
      {
        id: Id('prg', 'The programme.'),
        name: Type.String({ description: 'Its name.', examples: ['Small business term loan'] }),
        funding_type: Type.Enum(fundingTypeNames, { description: 'Its type of funding.' }),
        url: Url('The address of the programme as it is now.'),
      },
      { description: 'The programme.' },
    ),
    recipient: Type.Object(
      {
        id: Id('rcp', 'The recipient the programme belongs to.'),
        name: Type.String({ description: 'Its name.', examples: ['Harbour Lending'] }),
        accepting_applications: Type.Boolean({
          description:
            'Whether the recipient accepts new applications now. Not part of the calculation: it is read with the match, and the ETag changes with it. False if your Portal can no longer see the recipient.',
          examples: [true],
        }),
      },
      { description: 'Who offers the programme.' },
    ),
    outcome: Type.Enum([...outcomes], {
      description:
        '`eligible`: every requirement is met. `undetermined`: none fails, some are unknown. `near_miss`: one fails by little. `ineligible`: it does not fit.',
    }),
    score: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'How well the programme fits, from 0 to 100; null unless it is eligible or undetermined.',
        examples: [87],
      }),
    ),
    rank: Type.Integer({ minimum: 1, description: 'The place among all matches of the calculation.', examples: [1] }),
    estimated_amount: described(
      Nullable(
        Type.Object({
          min: described(Money, 'The least the programme gives.'),
          max: described(Money, 'The most the programme gives of the requested amount.'),
        }),
      ),
      'The part of the requested amount inside the range of the programme; null when nothing overlaps.',
    ),
    reasons: Type.Array(Reason, { description: 'Every rule with its result, the decisive ones first.' }),
    missing_criteria: Type.Array(Type.String({ examples: ['credit_score'] }), {
      description: 'The criteria that would have to be known to decide every rule.',
    }),
    deal_id: Nullable(Id('deal', 'The deal that was created from the match.')),
    dismissed_at: Nullable(Time('When the match was dismissed; null while it is not.')),
  },
  { title: 'Match' },
)
export type Match = Static<typeof Match>

export const matchFilters = {
  outcome: Type.Optional(Type.Enum([...outcomes], { description: 'Only matches with this outcome.' })),
  funding_type: Type.Optional(Type.Enum(fundingTypeNames, { description: 'Only programmes of this funding type.' })),
  recipient_id: Type.Optional(Id('rcp', 'Only programmes of this recipient.')),
  calculation_id: Type.Optional(
    Id('cal', 'The matches of this calculation. Without it, those of the last one that was completed.'),
  ),
  dismissed: Type.Optional(
    Type.Boolean({ description: '`true`: only dismissed matches. `false`: only those that are not dismissed.' }),
  ),
}
const MatchFilters = Type.Object(matchFilters)
export type MatchFilters = Static<typeof MatchFilters>
