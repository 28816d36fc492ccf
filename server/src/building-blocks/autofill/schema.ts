import { type Static, Type } from 'typebox'
import { described, exampleId, Nullable, recordFields, Time } from '../../platform/values/fields.ts'
import { autofillSources } from '../contracts/contract-schema.ts'
import { QuestionKey, SourceDetail } from '../questionnaires/schema.ts'
import { runStates } from './states.ts'

const autofillModes = ['fill_empty', 'suggest_only', 'overwrite_unconfirmed'] as const
export type AutofillMode = (typeof autofillModes)[number]

const mode = Type.Enum([...autofillModes], {
  description:
    'Which answers Autofill can write. `fill_empty`: only questions without an answer. `suggest_only`: none, only suggestions. `overwrite_unconfirmed`: also answers that are not confirmed. Autofill never overwrites a confirmed answer. Default: `fill_empty`.',
  examples: ['fill_empty'],
})
const sources = Type.Array(Type.Enum([...autofillSources]), {
  minItems: 1,
  maxItems: autofillSources.length,
  description:
    'The sources to use. Default: all sources; `provider` only if the Portal has a provider. If you name `provider` and the Portal has none, `problems` reports it.',
  examples: [['business', 'documents']],
})

export const AutofillInput = Type.Object(
  { mode: Type.Optional(mode), sources: Type.Optional(sources) },
  { title: 'AutofillInput', additionalProperties: false },
)
export type AutofillInput = Static<typeof AutofillInput>

const Value = Type.Unsafe<unknown>({
  description: 'The value. Its form depends on the question type.',
  examples: ['Lee Bakery LLC'],
})
const Candidate = Type.Object(
  { value: Value, source_detail: described(SourceDetail, 'Where the value was found.') },
  { title: 'AutofillCandidate' },
)

const place = {
  question_key: QuestionKey,
  group_key: Nullable(
    described(QuestionKey, 'The `key` of the group that contains the question. Null outside a group.'),
  ),
  item_id: Nullable(
    Type.String({
      description: 'The id of the item. Null outside a group and for a suggested new item.',
      examples: [exampleId('itm')],
    }),
  ),
}
const offer = {
  ...place,
  value: Value,
  candidates: Type.Array(Candidate, {
    description:
      'All values that were found, highest confidence first. More than one value means that the sources disagree.',
  }),
}

export const skipReasons = [
  'already_answered',
  'confirmed',
  'declined',
  'hidden',
  'not_editable',
  'does_not_fit',
  'nothing_found',
  'full',
] as const

export const AutofillRun = Type.Object(
  recordFields('afr', {
    application_id: Type.String({ description: 'The id of the application.' }),
    state: Type.Enum(runStates.states, { description: 'The state of the run.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(runStates.actions), {
      description:
        'The actions that are allowed in the current state: `apply` when the run is completed and has suggestions.',
    }),
    mode,
    sources,
    filled: Type.Array(
      Type.Object({ ...offer, source_detail: described(SourceDetail, 'Where the value was found.') }),
      {
        description: 'The values that were written, with their source and confidence.',
      },
    ),
    suggested: Type.Array(Type.Object(offer), {
      description:
        'Values that were found but not written, because the sources disagree, the confidence is low, the question already has a different answer, or the mode is `suggest_only`.',
    }),
    skipped: Type.Array(
      Type.Object({
        ...place,
        reason: Type.Enum([...skipReasons], { description: 'Why the question was skipped.' }),
      }),
      { description: 'The questions that were skipped.' },
    ),
    problems: Type.Array(
      Type.Object({
        source: Type.Enum([...autofillSources], { description: 'The source that failed.' }),
        reference: Nullable(
          Type.String({ description: 'The file or record that could not be read.', examples: [exampleId('fil')] }),
        ),
        code: Type.String({ description: 'What went wrong, as a stable code for programs.', examples: ['malformed'] }),
        message: Type.String({
          description: 'A message for people. The text may change.',
          examples: ['The file is damaged. Open it, save it as a new file and upload that file.'],
        }),
      }),
      { description: 'The sources that could not be read. The other sources were used.' },
    ),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({
            description: 'Why the run failed, as a stable code for programs.',
            examples: ['sources_failed'],
          }),
          message: Type.String({
            description: 'A message for people. The text may change.',
            examples: ['None of the sources could be read.'],
          }),
        },
        { description: 'Why the run failed. Null unless it failed.' },
      ),
    ),
  }),
  { title: 'AutofillRun' },
)
export type AutofillRun = Static<typeof AutofillRun>
export type AutofillOutcome = Pick<AutofillRun, 'filled' | 'suggested' | 'skipped' | 'problems'>

export const ApplyInput = Type.Object(
  {
    question_keys: Type.Array(QuestionKey, {
      minItems: 1,
      maxItems: 200,
      description:
        'The keys of the questions whose suggestions to accept. The key of a group accepts all suggestions for the group.',
      examples: [['annual_revenue']],
    }),
  },
  { title: 'AutofillApplyInput', additionalProperties: false },
)
export type ApplyInput = Static<typeof ApplyInput>
