import { type Static, Type } from 'typebox'
import {
  CalendarDate,
  Country,
  described,
  ExternalReference,
  Id,
  Metadata,
  Nullable,
  recordFields,
  Time,
  Url,
  Words,
} from '../../platform/values/fields.ts'
import { Money } from '../../platform/values/money.ts'
import { Stage, stageKeyForm, steps } from './stages.ts'
import { dealStates } from './states.ts'

export const directions = ['sent', 'received'] as const

/** How many applications a deal can have, one after the other. */
export const mostApplications = 100

/** Why a deal was not won. The reasons of a decline are among them. */
export const declineReasons = [
  'business_credit',
  'owner_credit',
  'use_of_funds',
  'cash_flow',
  'collateral',
  'time_in_business',
  'program_criteria',
  'aggregate_exposure',
  'unverifiable_information',
  'incomplete_application',
  'bankruptcy',
  'liens_or_judgments',
  'industry',
  'geography',
  'amount_out_of_range',
  'duplicate_application',
  'fraud',
  'budget_exhausted',
  'other',
] as const
const lossReasons = [
  ...declineReasons,
  'client_unresponsive',
  'client_chose_other',
  'client_no_longer_needs_funding',
] as const
/** What only an application does to its deal. */
const applicationEnds = [
  'declined',
  'cancelled',
  'offer_declined',
  'application_expired',
  'information_not_provided',
] as const

const title = Words(
  200,
  'Loan for a second oven',
  'A short title. The recipient can read it. Default when creating: the name of the business.',
)
const amount_requested = described(
  Nullable(Money),
  'The amount the business asks for. Must be greater than 0. The recipient can read it.',
)
const expected_close_on = described(
  Nullable(CalendarDate),
  'The day on which the sender expects the deal to be closed. The recipient can read it.',
)
const tags = Type.Array(Words(50, 'priority', 'A tag.'), {
  maxItems: 50,
  description: 'Your own labels. The other party does not see them.',
})
const metadata = described(
  Metadata,
  'Up to 50 key-value pairs of your own. A new value replaces all existing pairs. The other party does not see them.',
)
const external_reference = Nullable(
  described(
    ExternalReference,
    'Your own id for this deal. Must be unique among the deals of your Portal. The other party does not see it.',
  ),
)
const assignee = Nullable(
  Words(200, 'Ann Lee', 'Who works on the deal in the Portal that received it. The sender does not see it.'),
)
export const note = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '\\S',
  format: 'lines',
  description: 'A note for the timeline. Both parties can read it.',
  examples: ['Called the owner; documents follow.'],
})

export const DealInput = Type.Object(
  {
    business_id: Id('biz', 'The business the deal is for. It must be active.'),
    recipient_id: Type.Optional(
      Id('rcp', 'The recipient of the deal. Default: the recipient of the match; without `match_id`, your own Portal.'),
    ),
    project_id: Type.Optional(Id('prj', 'A project of the business. Its amount is the default of `amount_requested`.')),
    match_id: Type.Optional(
      Id(
        'mat',
        'The match the deal is created from. Requires `project_id`. `recipient_id`, if sent, must be the recipient of the match.',
      ),
    ),
    title: Type.Optional(title),
    amount_requested: Type.Optional(amount_requested),
    expected_close_on: Type.Optional(expected_close_on),
    external_reference: Type.Optional(external_reference),
    tags: Type.Optional(tags),
    metadata: Type.Optional(metadata),
  },
  { title: 'DealInput', additionalProperties: false },
)
export type DealInput = Static<typeof DealInput>

export const DealChange = Type.Partial(
  Type.Object({ title, amount_requested, expected_close_on, external_reference, tags, metadata, assignee }),
  {
    title: 'DealChange',
    additionalProperties: false,
    minProperties: 1,
    description:
      'The fields to change. The sender can change every field but `assignee`; the recipient can change `tags`, `metadata`, `external_reference` and `assignee`. A field that is not sent keeps its value.',
  },
)
export type DealChange = Static<typeof DealChange>

export const Progress = Type.Object(
  {
    percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How far the deal has come: the place of its current step, or of the step at which it ended.',
      examples: [33],
    }),
    steps: Type.Array(
      Type.Object({
        key: Type.Enum([...steps], { description: 'The category of the step.' }),
        label: Type.String({ description: 'The name of the step.', examples: ['Under review'] }),
        state: Type.Enum(['done', 'current', 'upcoming', 'skipped'], {
          description:
            'The state of the step. `skipped`: the deal is past this step, or has ended, without having reached it.',
        }),
        at: Nullable(
          Time(
            'When the deal reached the step. Null when it has not, and while an open deal is back at an earlier step.',
          ),
        ),
      }),
      { description: 'The steps of a deal, in their order.' },
    ),
  },
  { title: 'DealProgress' },
)

/** What a recipient knows of a business: its identity, and the facts that were submitted. */
const SharedBusiness = Type.Object(
  {
    id: Id(
      'biz',
      'The id of the business in the Portal of the sender. The recipient cannot read the record of the business.',
    ),
    legal_name: Type.String({ description: 'The registered name of the business.', examples: ['Lee Bakery LLC'] }),
    country: Country,
    facts: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The facts about the business that the last submitted application answered, by their names, such as `business.annual_revenue`.',
      examples: [{ 'business.employee_count': 12 }],
    }),
  },
  { title: 'SharedBusiness' },
)
export type SharedBusiness = Static<typeof SharedBusiness>

export const Deal = Type.Object(
  recordFields('deal', {
    number: Type.Integer({
      minimum: 1,
      description: 'The number of the deal in your Portal. The other party has a number of its own.',
      examples: [17],
    }),
    state: Type.Enum(dealStates.states, { description: 'The state of the deal.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(dealStates.actions), {
      description: 'The actions that your Portal can take now.',
    }),
    direction: Type.Enum([...directions], {
      description: '`received` when another Portal sent the deal to yours; otherwise `sent`.',
    }),
    title,
    business: described(
      SharedBusiness,
      'What the recipient knows of the business. The sender sees the same, to know what was shared.',
    ),
    recipient: Type.Object(
      {
        id: Id('rcp', 'The id of the recipient.'),
        name: Type.String({ description: 'The name of the recipient.', examples: ['Harbour Lending'] }),
        kind: Type.String({
          description: 'The kind of recipient: `own_portal` when the deal is for your own Portal.',
          examples: ['lender'],
        }),
      },
      { description: 'The recipient of the deal.' },
    ),
    sender: Type.Object(
      {
        portal_id: Id('ptl', 'The Portal that sent the deal.'),
        name: Type.String({
          description: 'The name of the Portal that sent the deal.',
          examples: ['Fairfield Brokers'],
        }),
      },
      { description: 'The Portal that created the deal.' },
    ),
    business_id: Id('biz', 'The business the deal is for. The recipient cannot read its record.'),
    project_id: Nullable(Id('prj', 'The project of the sender. Null for the recipient.')),
    match_id: Nullable(Id('mat', 'The match of the sender. Null for the recipient.')),
    program_id: Nullable(Id('prg', 'The funding programme that was matched. Null when there is none.')),
    amount_requested,
    amount_approved: described(Nullable(Money), 'The amount of the final offer that was accepted.'),
    amount_funded: described(Nullable(Money), 'The amount that was paid out.'),
    stage: described(Stage, 'The stage of the deal, as the Portal that works on the deal names it.'),
    progress: described(Progress, 'The progress of the deal in the fixed categories.'),
    outcome: Nullable(
      Type.Object(
        {
          kind: Type.Enum(['won', 'lost', 'withdrawn', 'expired'], { description: 'How the deal ended.' }),
          reason_code: Nullable(
            Type.Enum([...lossReasons, ...applicationEnds], { description: 'Why the deal was not won.' }),
          ),
          note: Nullable(Type.String({ description: 'The note that was given.', examples: ['Chose another lender.'] })),
          at: Time('When the deal ended.'),
        },
        { description: 'How the deal ended. Null while it is open or on hold.' },
      ),
    ),
    application_ids: Type.Array(Id('dap', 'The id of a deal application.'), {
      maxItems: mostApplications,
      description:
        'The applications of the deal, in the order of their creation. The recipient sees only those that were submitted.',
    }),
    expected_close_on,
    external_reference,
    assignee,
    tags,
    metadata,
    progress_url: Url('The address of the timeline.'),
  }),
  { title: 'Deal' },
)
export type Deal = Static<typeof Deal>

export const MoveInput = Type.Object(
  {
    stage: Type.String({
      pattern: stageKeyForm,
      description: 'The key of a stage of the Portal that works on the deal.',
      examples: ['qualifying'],
    }),
    note: Type.Optional(Nullable(note)),
  },
  { title: 'DealMoveInput', additionalProperties: false },
)
export const NoteInput = Type.Object(
  { note: Type.Optional(Nullable(note)) },
  { title: 'NoteInput', additionalProperties: false },
)
export const WinInput = Type.Object(
  {
    amount_funded: Type.Optional(described(Nullable(Money), 'The amount that was paid out.')),
    note: Type.Optional(Nullable(note)),
  },
  { title: 'DealWinInput', additionalProperties: false },
)
export const LoseInput = Type.Object(
  {
    reason_code: Type.Enum([...lossReasons], { description: 'Why the deal was lost. `other` requires a note.' }),
    note: Type.Optional(Nullable(note)),
  },
  { title: 'DealLoseInput', additionalProperties: false },
)

export const dealFilters = {
  direction: Type.Optional(
    Type.Enum([...directions], {
      description:
        '`sent`: only deals that your Portal created. `received`: only deals that other Portals sent to yours.',
    }),
  ),
  state: Type.Optional(Type.Enum(dealStates.states, { description: 'Only deals in this state.' })),
  stage: Type.Optional(Type.String({ pattern: stageKeyForm, description: 'Only deals in the stage with this key.' })),
  recipient_id: Type.Optional(Id('rcp', 'Only deals with this recipient.')),
  business_id: Type.Optional(Id('biz', 'Only deals for this business.')),
  project_id: Type.Optional(Id('prj', 'Only deals for this project.')),
  external_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only the deal with this external reference.' }),
  ),
}
const DealFilters = Type.Object(dealFilters)
export type DealFilters = Static<typeof DealFilters>
