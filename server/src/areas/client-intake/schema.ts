import { type Static, Type } from 'typebox'
import { Progress } from '../../building-blocks/questionnaires/schema.ts'
import {
  createdFilters,
  ExternalReference,
  exampleId,
  Id,
  Metadata,
  Nullable,
  recordFields,
  Time,
  Words,
} from '../../platform/values/fields.ts'
import { allIntakeActions, intakeStates } from './states.ts'

const anApplication = `http://127.0.0.1:8080/v1/client-intake-applications/${exampleId('cia')}/`
const address = (description: string, example: string) =>
  Type.String({ format: 'uri', description, examples: [example] })

const title = Words(200, 'Loan for a second oven')
const business_id = Id('biz', 'The business the application is about; it must be active.')

export const ClientIntakeApplicationInput = Type.Object(
  {
    business_id,
    contract_id: Type.Optional(
      Id(
        'ctr',
        'The questions to ask: a client intake contract. Default: the latest version the Portal has published.',
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
  recordFields('cia', '/client-intake-applications/', {
    state: Type.Enum(intakeStates),
    state_changed_at: Time,
    available_actions: Type.Array(Type.Enum(allIntakeActions), {
      description: 'What can be done in this state; `answer` stands for every write of answers, items and files.',
    }),
    business_id,
    project_ids: Type.Array(Id('prj'), { description: 'Projects that were made from it.' }),
    title,
    external_reference: Nullable(ExternalReference),
    metadata: Metadata,
    contract_url: address('Where its questions are read.', `http://127.0.0.1:8080/v1/contracts/${exampleId('ctr')}/`),
    contract_version: Type.Integer({ minimum: 1, examples: [1] }),
    progress: Progress,
    is_submittable: Type.Boolean({
      description:
        'Whether it can be submitted: nothing was missing when it last changed. `validation_url` says it for today.',
      examples: [false],
    }),
    attempt: Type.Integer({ minimum: 1, description: 'Which attempt at a submission this is.', examples: [1] }),
    submission: Nullable(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1, examples: [1] }),
          submitted_at: Time,
          sha256: Type.String({
            examples: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
          }),
          url: address('What was submitted.', `${anApplication}submissions/1/`),
        },
        { description: 'The last submission.' },
      ),
    ),
    returned: Nullable(
      Type.Object(
        {
          message: Type.String({ examples: ['Please upload the complete statement.'] }),
          question_keys: Type.Array(Type.String({ examples: ['bank_statements'] })),
        },
        { description: 'Why it was returned, until it is submitted again.' },
      ),
    ),
    decision: Nullable(
      Type.Object(
        { message: Nullable(Type.String({ examples: ['Complete and plausible.'] })), decided_at: Time },
        { description: 'What the reviewer said when it was accepted or rejected.' },
      ),
    ),
    expires_at: Nullable(Time),
    answers_url: address('Its answers.', `${anApplication}answers/`),
    files_url: address('Its files.', `${anApplication}files/`),
    validation_url: address('What is missing.', `${anApplication}validation/`),
    autofill_runs_url: address('Its runs of Autofill.', `${anApplication}autofill-runs/`),
  }),
  { title: 'ClientIntakeApplication' },
)
export type ClientIntakeApplication = Static<typeof ClientIntakeApplication>

export const DecisionInput = Type.Object(
  { message: Type.Optional(Nullable(Words(2000, 'Complete and plausible.', 'For the client.'))) },
  { title: 'DecisionInput', additionalProperties: false },
)
export type DecisionInput = Static<typeof DecisionInput>

export const intakeFilters = {
  state: Type.Optional(Type.Enum(intakeStates)),
  business_id: Type.Optional(Id('biz')),
  external_reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  ...createdFilters,
}
