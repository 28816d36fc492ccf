import { type Static, Type } from 'typebox'
import { Progress } from '../../building-blocks/questionnaires/schema.ts'
import {
  createdFilters,
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
import { intakeStates } from './states.ts'

const title = Words(200, 'Loan for a second oven', 'What the application is about, in a few words.')
const business_id = Id('biz', 'The business the application is about; it must be active.')

export const ClientIntakeApplicationInput = Type.Object(
  {
    business_id,
    contract_id: Type.Optional(
      Id(
        'ctr',
        'The version of a `client_intake` contract that holds the questions. Default: the latest version of the contract whose key is `client_intake`; when there is none, the `client_intake` contract that was published last.',
      ),
    ),
    title: Type.Optional(title),
    external_reference: Type.Optional(Nullable(ExternalReference)),
    metadata: Type.Optional(Metadata),
  },
  { title: 'ClientIntakeApplicationInput', additionalProperties: false },
)
export type ClientIntakeApplicationInput = Static<typeof ClientIntakeApplicationInput>

export const ClientIntakeApplicationChange = Type.Object(
  { title: Type.Optional(title), metadata: Type.Optional(Metadata) },
  { title: 'ClientIntakeApplicationChange', additionalProperties: false, minProperties: 1 },
)
export type ClientIntakeApplicationChange = Static<typeof ClientIntakeApplicationChange>

export const ClientIntakeApplication = Type.Object(
  recordFields('cia', {
    state: Type.Enum(intakeStates.states, { description: 'Where the application stands.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(intakeStates.actions), {
      description: 'What can be done in this state; `answer` stands for every write of answers, items and files.',
    }),
    business_id,
    project_ids: Type.Array(Id('prj', 'A project.'), { description: 'Projects that were made from it.' }),
    title,
    external_reference: Nullable(ExternalReference),
    metadata: Metadata,
    contract_url: Url('The contract with its questions.'),
    contract_version: Type.Integer({ minimum: 1, description: 'The version of that contract.', examples: [1] }),
    progress: described(Progress, 'How much of it is answered.'),
    is_submittable: Type.Boolean({
      description:
        'Whether it can be submitted: nothing was missing when it last changed. `validation_url` says it for today.',
      examples: [false],
    }),
    attempt: Type.Integer({ minimum: 1, description: 'Which attempt at a submission this is.', examples: [1] }),
    submission: Nullable(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1, description: 'The number of the submission.', examples: [1] }),
          submitted_at: Time('When it was submitted.'),
          sha256: Type.String({ description: 'The SHA-256 of its content, in lowercase hex.' }),
          url: Url('What was submitted.'),
        },
        { description: 'The last submission; null before the first.' },
      ),
    ),
    returned: Nullable(
      Type.Object(
        {
          message: Type.String({
            description: 'What the reviewer asks for.',
            examples: ['Please upload the complete statement.'],
          }),
          question_keys: Type.Array(Type.String({ examples: ['bank_statements'] }), {
            description: 'The questions it is about.',
          }),
        },
        { description: 'Why it was returned; null unless it was returned and not yet submitted again.' },
      ),
    ),
    decision: Nullable(
      Type.Object(
        {
          message: Nullable(
            Type.String({ description: 'The message of the reviewer.', examples: ['Complete and plausible.'] }),
          ),
          decided_at: Time('When the reviewer decided.'),
        },
        { description: 'What the reviewer decided; null until the application is accepted or rejected.' },
      ),
    ),
    expires_at: Nullable(Time('When it expires unless it is edited or submitted before; null when it cannot expire.')),
    answers_url: Url('Its answers.'),
    files_url: Url('Its files.'),
    validation_url: Url('What is missing before it can be submitted.'),
    autofill_runs_url: Url('Its runs of Autofill.'),
  }),
  { title: 'ClientIntakeApplication' },
)
export type ClientIntakeApplication = Static<typeof ClientIntakeApplication>

export const DecisionInput = Type.Object(
  { message: Type.Optional(Nullable(Words(2000, 'Complete and plausible.', 'A message for the client.'))) },
  { title: 'DecisionInput', additionalProperties: false },
)
export type DecisionInput = Static<typeof DecisionInput>

export const intakeFilters = {
  state: Type.Optional(Type.Enum(intakeStates.states, { description: 'Only applications in this state.' })),
  business_id: Type.Optional(Id('biz', 'Only applications of this business.')),
  external_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only the application with this external reference.' }),
  ),
  ...createdFilters,
}
