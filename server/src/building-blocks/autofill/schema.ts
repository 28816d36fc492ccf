import { type Static, Type } from 'typebox'
import { described, exampleId, Nullable, recordFields, Time } from '../../platform/values/fields.ts'
import { autofillSources } from '../contracts/contract-schema.ts'
import { QuestionKey, SourceDetail } from '../questionnaires/schema.ts'
import { runStates } from './states.ts'

const autofillModes = ['fill_empty', 'suggest_only', 'overwrite_unconfirmed'] as const
export type AutofillMode = (typeof autofillModes)[number]

const mode = Type.Enum([...autofillModes], {
  description:
    'What Autofill may write. `fill_empty`: answers to questions without one. `suggest_only`: nothing. `overwrite_unconfirmed`: also replaces answers that are not confirmed. A confirmed answer is never overwritten. Default: `fill_empty`.',
  examples: ['fill_empty'],
})
const sources = Type.Array(Type.Enum([...autofillSources]), {
  minItems: 1,
  maxItems: autofillSources.length,
  description:
    'The sources to look in. Default: every source the Portal has; `provider` only where one is set up. A source that is named and not set up is reported in `problems`.',
  examples: [['business', 'documents']],
})

export const AutofillInput = Type.Object(
  { mode: Type.Optional(mode), sources: Type.Optional(sources) },
  { title: 'AutofillInput', additionalProperties: false },
)
export type AutofillInput = Static<typeof AutofillInput>

const Value = Type.Unsafe<unknown>({
  description: 'The value, in the form of its question type.',
  examples: ['Lee Bakery LLC'],
})
const Candidate = Type.Object(
  { value: Value, source_detail: described(SourceDetail, 'Where the value was found.') },
  { title: 'AutofillCandidate' },
)

const place = {
  question_key: QuestionKey,
  group_key: Nullable(described(QuestionKey, 'The group the question belongs to; null outside a group.')),
  item_id: Nullable(
    Type.String({ description: 'The item it belongs to; null for a whole new item.', examples: [exampleId('itm')] }),
  ),
}
const offer = {
  ...place,
  value: Value,
  candidates: Type.Array(Candidate, {
    description: 'Every value that was found, the most certain first. More than one means that the sources disagree.',
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
    application_id: Type.String({ description: 'The application it looks for answers to.' }),
    state: Type.Enum(runStates.states, { description: 'How far the run is.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(runStates.actions), {
      description: 'What can be done with the run: `apply` when it has suggestions to accept.',
    }),
    mode,
    sources,
    filled: Type.Array(
      Type.Object({ ...offer, source_detail: described(SourceDetail, 'Where the value was found.') }),
      {
        description: 'The values that were written, with where they were found and how certain Autofill is.',
      },
    ),
    suggested: Type.Array(Type.Object(offer), {
      description:
        'Values that were found but not written: the sources disagree, the question has another answer, or the mode is `suggest_only`.',
    }),
    skipped: Type.Array(
      Type.Object({
        ...place,
        reason: Type.Enum([...skipReasons], { description: 'Why the question was left alone.' }),
      }),
      { description: 'Questions that were left alone.' },
    ),
    problems: Type.Array(
      Type.Object({
        source: Type.Enum([...autofillSources], { description: 'The source that failed.' }),
        reference: Nullable(
          Type.String({ description: 'The file or record that could not be read.', examples: [exampleId('fil')] }),
        ),
        code: Type.String({ description: 'What went wrong. Stable; decide by this.', examples: ['malformed'] }),
        message: Type.String({ description: 'For people; may change.', examples: ['This PDF cannot be read.'] }),
      }),
      { description: 'Sources that could not be read. The other sources are used all the same.' },
    ),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'Why it failed. Stable; decide by this.', examples: ['sources_failed'] }),
          message: Type.String({
            description: 'For people; may change.',
            examples: ['None of the sources could be read.'],
          }),
        },
        { description: 'Why the run failed; null unless it did.' },
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
        'The questions whose suggestions to accept. The key of a group accepts everything that is suggested for it.',
      examples: [['annual_revenue']],
    }),
  },
  { title: 'AutofillApplyInput', additionalProperties: false },
)
export type ApplyInput = Static<typeof ApplyInput>
