import { type Static, Type } from 'typebox'
import { CalendarDate, described, Id, Nullable, recordFields, Time, Url } from '../../../platform/values/fields.ts'
import { Reason } from '../matches/schema.ts'
import { outcomes } from '../matching/evaluation.ts'
import { calculationStates } from './states.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [12] })
const Counts = Type.Object(
  {
    evaluated: count('How many programmes were evaluated.'),
    eligible: count('How many fit.'),
    near_miss: count('How many fail one requirement by little.'),
    undetermined: count('How many could fit, if what is unknown turns out well.'),
    ineligible: count('How many do not fit.'),
  },
  { title: 'MatchCounts' },
)

export const MatchCalculation = Type.Object(
  recordFields('cal', {
    project_id: Id('prj', 'The project.'),
    state: Type.Enum(calculationStates.states, { description: 'How far the calculation is.' }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.String(), {
      description: 'Always empty: a calculation goes its way by itself.',
    }),
    calculated_on: Nullable(
      described(
        CalendarDate,
        'The day the programmes were evaluated for (UTC); null until the calculation is completed.',
      ),
    ),
    counts: described(
      Nullable(Counts),
      'How many programmes have which outcome; null until the calculation is completed.',
    ),
    most_useful_criteria: Type.Array(
      Type.Object(
        {
          criterion: Type.String({ description: 'The criterion that is not known.', examples: ['credit_score'] }),
          would_settle: count('How many undetermined programmes this answer alone would settle.'),
        },
        { description: 'A missing criterion.' },
      ),
      { description: 'The missing criteria, the one that settles most first.' },
    ),
    is_stale: Type.Boolean({
      description:
        'Whether the criteria or a catalogue have changed since the calculation, or a day has come on which its results may differ. Calculate again to take this into account.',
      examples: [false],
    }),
    stale_reasons: Type.Array(Type.Enum(['criteria_changed', 'catalogue_changed', 'day_changed']), {
      description:
        'What has changed since. `criteria_changed`: the criteria of the project. `catalogue_changed`: a programme that was or is open or scheduled, or a recipient that your Portal can see. `day_changed`: a day has come on which a rule or the order of matches can differ: a window opens or closes in the time zone of its recipient, or months in business, months since a discharge or a relative date reach a limit (in UTC).',
    }),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'What went wrong, as a stable code.', examples: ['internal_error'] }),
          message: Type.String({ description: 'What to do.', examples: ['Calculate again.'] }),
        },
        { description: 'Why the calculation failed; null otherwise.' },
      ),
    ),
    matches_url: Url('The address of the matches of this calculation.'),
  }),
  { title: 'MatchCalculation' },
)
export type MatchCalculation = Static<typeof MatchCalculation>

export const WhatIf = Type.Object(
  {
    counts: described(Counts, 'How many programmes would have which outcome.'),
    changed_count: count('How many programmes would have another outcome.'),
    changed: Type.Array(
      Type.Object(
        {
          program: Type.Object(
            {
              id: Id('prg', 'The programme.'),
              name: Type.String({ description: 'Its name.', examples: ['Small business term loan'] }),
            },
            { description: 'The programme.' },
          ),
          from: Type.Enum([...outcomes], { description: 'The outcome without the values.' }),
          to: Type.Enum([...outcomes], { description: 'The outcome with them.' }),
          reasons: Type.Array(Reason, { description: 'The rules that come out differently.' }),
        },
        { description: 'A programme whose outcome would change.' },
      ),
      { description: 'The first 200 programmes whose outcome would change, the best outcome first.' },
    ),
  },
  { title: 'WhatIf' },
)
export type WhatIf = Static<typeof WhatIf>
