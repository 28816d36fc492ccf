import { type Static, Type } from 'typebox'
import { described, Id, Nullable, Time, Url } from '../../../platform/values/fields.ts'
import { criteria } from './vocabulary.ts'

export const criteriaStates = ['incomplete', 'complete'] as const
const sources = ['api', 'business', 'client_intake_application', 'console'] as const

export const CriterionDefinition = Type.Object(
  {
    key: Type.String({
      description: 'The name of the criterion in `values` and in rules.',
      examples: ['credit_score'],
    }),
    type: Type.Enum([...new Set(criteria.map(({ type }) => type))], { description: 'What form its value has.' }),
    unit: Nullable(
      Type.Enum(['months', 'percent', 'points', 'people'], { description: 'What its number counts; null for others.' }),
    ),
    label: Type.String({ description: 'Its name for people.', examples: ['Credit score'] }),
    help: Type.String({
      description: 'What is meant, in one sentence.',
      examples: ['The credit score of the main owner.'],
    }),
    allowed_values: Type.Array(
      Type.Object(
        {
          value: Type.String({ description: 'The value to send.', examples: ['equipment'] }),
          label: Type.String({ description: 'The value for people.', examples: ['Equipment'] }),
        },
        { description: 'A value.' },
      ),
      { description: 'The values it can have; empty when it is not a choice.' },
    ),
    required: Type.Boolean({
      description: 'Whether it must be known before matches can be calculated.',
      examples: [false],
    }),
    remedy: Type.Enum(['answer', 'time', 'none'], {
      description:
        'How a project that fails because of it may come to fit: another answer, the passing of time, or not at all.',
    }),
  },
  { title: 'CriterionDefinition' },
)
export type CriterionDefinition = Static<typeof CriterionDefinition>

const SourceDetail = Nullable(
  Type.Object(
    {
      reference: Type.String({
        description: 'The id of the record it came from.',
        examples: ['biz_01jcz3v0v2fd6tqvh1m8r5k9wx'],
      }),
      fact: Type.String({ description: 'The canonical name of the fact.', examples: ['business.annual_revenue'] }),
    },
    { description: 'Where the value came from; null for values sent to this API.' },
  ),
)

const value = Type.Unknown({ description: 'The value, in the form of its criterion.', examples: [680] })

const CriterionValue = Type.Object(
  {
    value,
    source: Type.Enum([...sources], { description: 'Who gave the value.' }),
    source_detail: SourceDetail,
    updated_at: Time('When the value was set.'),
  },
  { title: 'CriterionValue' },
)
export type CriterionValue = Static<typeof CriterionValue>

export const Suggestion = Type.Object(
  {
    key: Type.String({ description: 'The criterion.', examples: ['annual_revenue'] }),
    value,
    source: Type.Enum(['business', 'client_intake_application'], { description: 'Where the newer value was found.' }),
    source_detail: SourceDetail,
    updated_at: Time('When the source last changed.'),
  },
  { title: 'CriterionSuggestion' },
)
export type Suggestion = Static<typeof Suggestion>

export const Criteria = Type.Object(
  {
    project_id: Id('prj', 'The project.'),
    url: Url('The URL of this record.'),
    etag: Type.String({
      description: 'The ETag of the project, including the quotes. Send it in `If-Match` to change the criteria.',
      examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
    }),
    state: Type.Enum([...criteriaStates], { description: 'Whether everything that a calculation needs is known.' }),
    missing: Type.Array(Type.String({ examples: ['use_of_funds'] }), {
      description: 'The required criteria that have no value.',
    }),
    values: Type.Record(Type.String(), CriterionValue, {
      description: 'The criteria that have a value, each with its source.',
    }),
    suggestions_url: Url('The address of newer values from the business and the client intake application.'),
  },
  { title: 'Criteria' },
)
export type Criteria = Static<typeof Criteria>

export const CriteriaChange = Type.Object(
  {
    values: Type.Object(
      Object.fromEntries(
        criteria.map(({ key, schema, help }) => [key, Type.Optional(described(Nullable(schema), help))]),
      ),
      {
        additionalProperties: false,
        minProperties: 1,
        description: 'Values by criterion. Null clears a criterion. What is not sent stays as it is.',
      },
    ),
  },
  { title: 'CriteriaChange', additionalProperties: false },
)
export type CriteriaChange = { values: Record<string, unknown> }
