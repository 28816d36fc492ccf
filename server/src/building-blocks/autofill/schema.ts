import { type Static, Type } from 'typebox'
import { exampleId, Nullable, recordFields, Time } from '../../platform/values/fields.ts'
import { autofillSources } from '../contracts/contract-schema.ts'
import { QuestionKey, SourceDetail } from '../questionnaires/schema.ts'

const autofillModes = ['fill_empty', 'suggest_only', 'overwrite_unconfirmed'] as const
export type AutofillMode = (typeof autofillModes)[number]

const mode = Type.Enum([...autofillModes], {
  description:
    '`fill_empty` fills what has no answer; `suggest_only` writes nothing; `overwrite_unconfirmed` also replaces values nobody stands by. What is confirmed is never overwritten.',
  examples: ['fill_empty'],
})
const sources = Type.Array(Type.Enum([...autofillSources]), {
  minItems: 1,
  maxItems: autofillSources.length,
  description:
    'Where to look. Default: every source the Portal has; `provider` only where one is set up. A source that is named and not set up is reported in `problems`.',
  examples: [['business', 'documents']],
})

export const AutofillInput = Type.Object(
  { mode: Type.Optional(mode), sources: Type.Optional(sources) },
  { title: 'AutofillInput', additionalProperties: false },
)
export type AutofillInput = Static<typeof AutofillInput>

const Value = Type.Unsafe<unknown>({ examples: ['Lee Bakery LLC'] })
const Candidate = Type.Object({ value: Value, source_detail: SourceDetail }, { title: 'AutofillCandidate' })

const place = {
  question_key: QuestionKey,
  group_key: Nullable(QuestionKey),
  item_id: Nullable(
    Type.String({ description: 'The item it belongs to; null for a whole new item.', examples: [exampleId('itm')] }),
  ),
}
const offer = {
  ...place,
  value: Value,
  candidates: Type.Array(Candidate, {
    description: 'Everything that was found, the likeliest first. More than one: the sources disagree.',
  }),
}

export const skipReasons = [
  'already_answered',
  'confirmed',
  'declined',
  'hidden',
  'does_not_fit',
  'nothing_found',
  'full',
] as const

export const AutofillRun = Type.Object(
  recordFields('afr', `/client-intake-applications/${exampleId('cia')}/autofill-runs/`, {
    application_id: Type.String({ examples: [exampleId('cia')] }),
    state: Type.Enum(['queued', 'running', 'completed', 'failed']),
    state_changed_at: Time,
    available_actions: Type.Array(Type.Enum(['apply'])),
    mode,
    sources,
    filled: Type.Array(Type.Object({ ...offer, source_detail: SourceDetail }), {
      description: 'What was written, with where it comes from and how sure we are.',
    }),
    suggested: Type.Array(Type.Object(offer), {
      description:
        'What was found and not written: sources disagree, something else is there, or only suggestions were asked for.',
    }),
    skipped: Type.Array(Type.Object({ ...place, reason: Type.Enum([...skipReasons]) })),
    problems: Type.Array(
      Type.Object({
        source: Type.Enum([...autofillSources]),
        reference: Nullable(
          Type.String({ description: 'The file, or what else failed.', examples: [exampleId('fil')] }),
        ),
        code: Type.String({ examples: ['malformed'] }),
        message: Type.String({ examples: ['This PDF cannot be read.'] }),
      }),
      { description: 'What could not be looked at. The other sources are not held up by it.' },
    ),
    error: Nullable(
      Type.Object({
        code: Type.String({ examples: ['sources_failed'] }),
        message: Type.String({ examples: ['None of the sources could be read.'] }),
      }),
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
      description: 'The suggestions to accept, by question; a group stands for everything suggested for it.',
      examples: [['annual_revenue']],
    }),
  },
  { title: 'AutofillApplyInput', additionalProperties: false },
)
export type ApplyInput = Static<typeof ApplyInput>
