import { type Static, Type } from 'typebox'
import { Progress, QuestionKey } from '../../building-blocks/questionnaires/schema.ts'
import { LatestSubmission } from '../../building-blocks/questionnaires/submissions/schema.ts'
import {
  CalendarDate,
  described,
  Id,
  Nullable,
  notBlank,
  recordFields,
  Time,
  Url,
  Words,
} from '../../platform/values/fields.ts'
import { Money } from '../../platform/values/money.ts'
import { Deal, declineReasons, directions, note } from '../deals/schema.ts'
import { applicationStates } from './states.ts'

const message = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: notBlank,
  format: 'lines',
  description: 'What the sender must do.',
  examples: ['Please upload the complete statement.'],
})
const keys = { maxItems: 200, uniqueItems: true }
const due_on = described(
  Nullable(CalendarDate),
  'The last day to respond, in the time zone of the recipient. After it the application is closed as incomplete.',
)

/** How many applications an override names. */
export const mostOverridden = 100

export const ApplicationInput = Type.Object(
  {
    deal_id: Id('deal', 'The deal to apply for. It must be open, and your Portal must have sent it.'),
    recipient_id: Type.Optional(
      Id('rcp', 'The recipient. It must be the recipient of the deal, which is the default.'),
    ),
    program_id: Type.Optional(
      Nullable(Id('prg', 'The funding programme of the recipient to apply for. Default: the programme of the deal.')),
    ),
    override: Type.Optional(
      Type.Boolean({
        description:
          'Creates the application although the business has another open application with the same recipient. This is recorded.',
        examples: [false],
      }),
    ),
  },
  { title: 'DealApplicationInput', additionalProperties: false },
)
export type ApplicationInput = Static<typeof ApplicationInput>

const question_keys = Type.Array(QuestionKey, {
  ...keys,
  description:
    'The questions that the message concerns. The sender can change them, and the questions that their answers can show or make required.',
})

export const DealApplication = Type.Object(
  recordFields('dap', {
    state: Type.Enum(applicationStates.states, { description: 'The state of the application.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(applicationStates.actions), {
      description:
        'The actions that your Portal can take now. `submit` also requires an active business and a recipient that accepts applications. `answer` covers every change of answers, items and files; it is not listed while `open_question_keys` is empty.',
    }),
    direction: Type.Enum([...directions], {
      description: '`received` when another Portal sent the application to yours; otherwise `sent`.',
    }),
    deal_id: Id('deal', 'The deal of the application.'),
    business_id: Id('biz', 'The business that applies. The recipient cannot read its record.'),
    recipient: Deal.properties.recipient,
    sender: Deal.properties.sender,
    program_id: Nullable(Id('prg', 'The funding programme that is applied for.')),
    contract_url: Url('The address of the contract version that holds the questions.'),
    contract_version: Type.Integer({ minimum: 1, description: 'The version number of the contract.', examples: [1] }),
    progress: described(Progress, 'How many of the required questions are answered.'),
    is_submittable: Type.Boolean({
      description:
        'Whether the application can be submitted, or the request for information answered, as of its last change. Some rules depend on the current date: read `validation_url` for the result as of today.',
      examples: [false],
    }),
    attempt: Type.Integer({
      minimum: 1,
      description: 'The number of the current or next submission. It increases when the recipient asks for changes.',
      examples: [1],
    }),
    submission: LatestSubmission,
    acknowledgement: Nullable(
      Type.Object(
        {
          reference: Nullable(
            Type.String({ description: 'The reference of the recipient.', examples: ['HL-2026-0017'] }),
          ),
          at: Time('When the recipient acknowledged the application.'),
        },
        { description: 'The acknowledgement of the recipient. Null when it has not acknowledged.' },
      ),
    ),
    information_request: Nullable(
      Type.Object(
        { id: Id('ireq', 'The id of the request.'), message, question_keys, due_on, at: Time('When it was asked.') },
        { description: 'The open request for information. Null when there is none.' },
      ),
    ),
    returned: Nullable(
      Type.Object(
        { message, question_keys, at: Time('When it was returned.') },
        {
          description:
            'Why the application was returned. Null unless it was returned and has not been submitted again.',
        },
      ),
    ),
    open_question_keys: Nullable(
      Type.Array(QuestionKey, {
        description:
          'The questions that can be changed now: those that the recipient named, and those that their answers can show or make required. Empty when the request for information named none: then nothing can be changed, and the sender only responds. A request that replaces another one leaves open what the sender has changed since; only the sender sees these questions here. Null unless information is requested or the application was returned: then all questions can be changed in a draft, and none after submission.',
      }),
    ),
    active_offer_id: Nullable(Id('ofr', 'The id of the active offer. Null when there is none.')),
    decision: Nullable(
      Type.Object(
        {
          reason_codes: Type.Array(Type.Enum([...declineReasons]), { description: 'Why it was declined.' }),
          note: Nullable(
            Type.String({ description: 'The note that was given.', examples: ['Too short in business.'] }),
          ),
          at: Time('When it was decided.'),
        },
        { description: 'How the application ended, if it was declined, cancelled or withdrawn. Null otherwise.' },
      ),
    ),
    funding: Nullable(
      Type.Object(
        {
          amount: described(Money, 'The amount that was paid out.'),
          funded_on: described(CalendarDate, 'The day it was paid out.'),
          at: Time('When the recipient reported it.'),
        },
        { description: 'What was paid out. Null until the application is funded.' },
      ),
    ),
    override: Nullable(
      Type.Object(
        {
          application_ids: Type.Array(Id('dap', 'The id of an application.'), {
            maxItems: mostOverridden,
            description: `The open applications with the same recipient, at most the latest ${mostOverridden}.`,
          }),
          at: Time('When the application was created beside them.'),
        },
        { description: 'Set when the application was created with `override`. Null for the recipient.' },
      ),
    ),
    expires_at: Nullable(
      Time(
        'When the application ends by itself. Null when it cannot. Null for the recipient of a returned application: every edit of the sender moves it.',
      ),
    ),
    answers_url: Url('The address of the answers.'),
    files_url: Url('The address of the files.'),
    validation_url: Url('The address that lists what is missing before the application can be submitted.'),
    autofill_runs_url: Nullable(Url('The address of the Autofill runs. Null for the recipient.')),
    offers_url: Url('The address of the offers.'),
  }),
  { title: 'DealApplication' },
)
export type DealApplication = Static<typeof DealApplication>

export const AcknowledgeInput = Type.Object(
  { reference: Type.Optional(Nullable(Words(100, 'HL-2026-0017', 'Your own reference. The sender can read it.'))) },
  { title: 'AcknowledgeInput', additionalProperties: false },
)
export const InformationRequestInput = Type.Object(
  { message, question_keys: Type.Optional(question_keys), due_on: Type.Optional(due_on) },
  { title: 'InformationRequestInput', additionalProperties: false },
)
export type InformationRequestInput = Static<typeof InformationRequestInput>
export const ReturnApplicationInput = Type.Object(
  { message, question_keys: Type.Array(QuestionKey, { ...question_keys, minItems: 1 }) },
  { title: 'ReturnApplicationInput', additionalProperties: false },
)
export const DeclineInput = Type.Object(
  {
    reason_codes: Type.Array(Type.Enum([...declineReasons]), {
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description: 'Why the application is declined: one to four reasons. `other` requires a note.',
    }),
    note: Type.Optional(Nullable(note)),
  },
  { title: 'DeclineInput', additionalProperties: false },
)
export type DeclineInput = Static<typeof DeclineInput>
export const FundInput = Type.Object(
  {
    amount: described(Money, 'The amount that was paid out, in the currency of the accepted offer.'),
    funded_on: Type.Optional(
      described(
        CalendarDate,
        'The day it was paid out, in the time zone of the recipient. Must not be in the future. Default: today.',
      ),
    ),
    note: Type.Optional(Nullable(note)),
  },
  { title: 'FundInput', additionalProperties: false },
)
export type FundInput = Static<typeof FundInput>

export const applicationFilters = {
  direction: Type.Optional(
    Type.Enum([...directions], {
      description:
        '`sent`: only applications that your Portal prepares. `received`: only applications that were submitted to it.',
    }),
  ),
  state: Type.Optional(Type.Enum(applicationStates.states, { description: 'Only applications in this state.' })),
  deal_id: Type.Optional(Id('deal', 'Only applications of this deal.')),
  recipient_id: Type.Optional(Id('rcp', 'Only applications to this recipient.')),
}
const ApplicationFilters = Type.Object(applicationFilters)
export type ApplicationFilters = Static<typeof ApplicationFilters>
