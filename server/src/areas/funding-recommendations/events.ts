import type { EventKind } from '../../platform/background/events.ts'
import { exampleId } from '../../platform/values/fields.ts'

export const fundingRecommendationEvents: readonly EventKind[] = [
  { type: 'project.created', resource: 'Project', description: 'A project was created.' },
  {
    type: 'project.criteria_completed',
    resource: 'Project',
    description: 'Every required criterion of a project has a value. Matches can be calculated.',
  },
  {
    type: 'match_calculation.completed',
    resource: 'Match calculation',
    description: 'A match calculation completed. Its matches can be read.',
  },
  {
    type: 'match_calculation.failed',
    resource: 'Match calculation',
    description: 'A match calculation failed. Its `error` field says why.',
    example: {
      path: `/projects/${exampleId('prj')}/match-calculations/${exampleId('cal')}/`,
      state: 'failed',
      previous_state: 'running',
    },
  },
  {
    type: 'match.found',
    resource: 'Match',
    description:
      'A change of a catalogue made a programme newly eligible for a project. Calculate again to read the match. One import creates at most 20 of these events for a project, not always for its best new matches: the calculation has all of them by rank.',
    example: { path: `/projects/${exampleId('prj')}/matches/${exampleId('mat')}/` },
  },
]
