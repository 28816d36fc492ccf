import type { EventKind } from '../../platform/background/events.ts'
import { exampleId } from '../../platform/values/fields.ts'

const kind = (verb: string, description: string): EventKind => ({ type: `deal.${verb}`, resource: 'Deal', description })

/** Both parties of a deal get its events. */
export const dealEvents: readonly EventKind[] = [
  kind('created', 'A deal was created, by your Portal or for it.'),
  kind(
    'updated',
    'What both parties see of a deal changed, and the deal did not move. `data.changes` lists `title`, `amount_requested`, `expected_close_on`, or `timeline` for a note.',
  ),
  kind('stage_changed', 'A deal moved to another stage.'),
  kind('on_hold', 'A deal was put on hold.'),
  kind('resumed', 'A deal on hold was resumed.'),
  kind('won', 'A deal was won.'),
  kind('lost', 'A deal was lost. Its `outcome` says why.'),
  kind('withdrawn', 'The sender withdrew a deal.'),
  kind('expired', 'A deal expired with its application.'),
  kind('reopened', 'A deal that had ended was reopened.'),
  {
    ...kind(
      'business_erased',
      'The sender of a deal erased its business. You can still read what was shared with you. Decide how long you keep it.',
    ),
    example: { path: `/deals/${exampleId('deal')}/`, state: 'withdrawn' },
  },
  {
    ...kind(
      'erased',
      'A deal was erased, together with its business and also for its recipient. Its URL returns 404. Erase your own copies.',
    ),
    example: { path: `/deals/${exampleId('deal')}/`, state: 'withdrawn' },
  },
]
