import { type Static, Type } from 'typebox'
import { Progress } from '../../building-blocks/questionnaires/schema.ts'
import { LatestSubmission } from '../../building-blocks/questionnaires/submissions/schema.ts'
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

const title = Words(200, 'Loan for a second oven', 'A short title. Default when creating: the title of the contract.')
const business_id = Id('biz', 'The business the application is for. It must be active when the application is created.')

export const ClientIntakeApplicationInput = Type.Object(
  {
    business_id,
    contract_id: Type.Optional(
      Id(
        'ctr',
        'The id of a contract version of kind `client_intake`. Default: the latest version of the contract with the key `client_intake`. If no contract has that key: the contract of kind `client_intake` that was published last.',
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
    state: Type.Enum(intakeStates.states, { description: 'The state of the application.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(intakeStates.actions), {
      description:
        'The actions that are allowed in the current state. `answer` covers every change of answers, items and files.',
    }),
    business_id,
    project_ids: Type.Array(Id('prj', 'The id of a project.'), {
      description: 'The projects created from this application.',
    }),
    title,
    external_reference: Nullable(ExternalReference),
    metadata: Metadata,
    contract_url: Url('The address of the contract version that holds the questions.'),
    contract_version: Type.Integer({ minimum: 1, description: 'The version number of the contract.', examples: [1] }),
    progress: described(Progress, 'How many of the required questions are answered.'),
    is_submittable: Type.Boolean({
      description:
        'Whether the application can be submitted, as of its last change. Some rules depend on the current date: read `validation_url` for the result as of today.',
      examples: [false],
    }),
    attempt: Type.Integer({
      minimum: 1,
      description:
        'The number of the current or next submission. It increases when a reviewer returns the application.',
      examples: [1],
    }),
    submission: LatestSubmission,
    returned: Nullable(
      Type.Object(
        {
          message: Type.String({
            description: 'What the client must do.',
            examples: ['Please upload the complete statement.'],
          }),
          question_keys: Type.Array(Type.String({ examples: ['bank_statements'] }), {
            description: 'The keys of the questions that the message concerns.',
          }),
        },
        {
          description:
            'Why the application was returned. Null unless it was returned and has not been submitted again.',
        },
      ),
    ),
    decision: Nullable(
      Type.Object(
        {
          message: Nullable(
            Type.String({ description: 'The message from the reviewer.', examples: ['Complete and plausible.'] }),
          ),
          decided_at: Time('When the application was accepted or rejected.'),
        },
        { description: 'The decision of the reviewer. Null until the application is accepted or rejected.' },
      ),
    ),
    expires_at: Nullable(
      Time('When the application expires if it is not edited or submitted before. Null when it cannot expire.'),
    ),
    answers_url: Url('The address of the answers.'),
    files_url: Url('The address of the files.'),
    validation_url: Url('The address that lists what is missing before the application can be submitted.'),
    autofill_runs_url: Url('The address of the Autofill runs.'),
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
  business_id: Type.Optional(Id('biz', 'Only applications for this business.')),
  external_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only the application with this external reference.' }),
  ),
  ...createdFilters,
}
