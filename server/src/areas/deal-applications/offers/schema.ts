import { type Static, Type } from 'typebox'
import { CalendarDate, described, Id, Nullable, Time, Url, Words } from '../../../platform/values/fields.ts'
import { Money } from '../../../platform/values/money.ts'
import { offerStates } from '../states.ts'

const percent = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1000, description, examples: [example] })

const terms = {
  kind: Type.Enum(['indicative', 'final'], {
    description: 'A final offer can be accepted as it is. An accepted indicative offer is followed by a final one.',
  }),
  amount: described(Money, 'The amount that is offered.'),
  term_months: Nullable(
    Type.Integer({ minimum: 1, maximum: 1200, description: 'The term in months.', examples: [36] }),
  ),
  rate: Nullable(
    Type.Object(
      {
        kind: Type.Enum(['fixed', 'variable', 'factor', 'equity', 'none'], { description: 'The kind of rate.' }),
        value: percent('The rate in percent; for `factor` the factor.', 9.5),
        apr: Type.Optional(Nullable(percent('The annual percentage rate, in percent.', 10.1))),
      },
      { additionalProperties: false, description: 'What the money costs.' },
    ),
  ),
  fees: Type.Array(
    Type.Object(
      {
        name: Words(100, 'Arrangement fee', 'What the fee is for.'),
        amount: Type.Optional(
          described(
            Nullable(Money),
            'The fee as an amount. Null when it is a percentage: a fee has either `amount` or `percent`, not both.',
          ),
        ),
        percent: Type.Optional(
          Nullable(
            percent(
              'The fee in percent of the amount. Null when it is an amount: a fee has either `amount` or `percent`, not both.',
              1.5,
            ),
          ),
        ),
      },
      { additionalProperties: false },
    ),
    { maxItems: 20, description: 'The fees.' },
  ),
  repayment: Nullable(
    Type.Object(
      {
        frequency: Type.Enum(['daily', 'weekly', 'monthly', 'quarterly', 'yearly', 'at_end', 'other'], {
          description: 'How often it is repaid.',
        }),
        amount: Type.Optional(described(Nullable(Money), 'Each repayment.')),
        total: Type.Optional(described(Nullable(Money), 'All repayments together.')),
      },
      { additionalProperties: false, description: 'How it is repaid.' },
    ),
  ),
  conditions: Type.Array(Words(500, 'Signed agreement', 'A condition.'), {
    maxItems: 50,
    description: 'The conditions of the offer.',
  }),
  valid_until: described(
    Nullable(CalendarDate),
    'The last day on which the offer can be accepted, in the time zone of the recipient. Null when it does not expire.',
  ),
}

export const OfferInput = Type.Object(
  { ...Type.Partial(Type.Object(terms)).properties, kind: terms.kind, amount: terms.amount },
  { title: 'OfferInput', additionalProperties: false },
)
export type OfferInput = Static<typeof OfferInput>

export const Offer = Type.Object(
  {
    id: Id('ofr', 'The id of the offer.'),
    url: Url('The URL of the offer.'),
    etag: Type.String({
      description: 'The ETag of the application, which an offer is a part of. Send it in `If-Match`.',
      examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
    }),
    application_id: Id('dap', 'The application of the offer.'),
    created_at: Time('When the offer was made.'),
    updated_at: Time('When the offer last changed.'),
    state: Type.Enum(offerStates.states, { description: 'The state of the offer.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(['accept', 'decline', 'withdraw']), {
      description: 'What your Portal can do with the offer now.',
    }),
    ...terms,
    expires_at: Nullable(Time('When the offer expires, as a time. Null when it does not expire.')),
  },
  { title: 'Offer' },
)
export type Offer = Static<typeof Offer>
