import type { EventKind } from '../../platform/background/events.ts'
import { exampleId } from '../../platform/values/fields.ts'

const application = (verb: string, description: string): EventKind => ({
  type: `deal_application.${verb}`,
  resource: 'Deal application',
  description,
})
const offer = (verb: string, description: string): EventKind => ({
  type: `offer.${verb}`,
  resource: 'Offer',
  description,
})

/** Both parties get them, the recipient from the first submission on. */
export const dealApplicationEvents: readonly EventKind[] = [
  application('created', 'A deal application was created. Only the sender gets this event.'),
  application('submitted', 'An application was submitted to its recipient.'),
  application('acknowledged', 'The recipient acknowledged an application.'),
  application('information_requested', 'The recipient asked for information. `information_request` says what.'),
  application('responded', 'The sender responded to a request for information.'),
  application('returned', 'The recipient returned an application. Its `returned` field says why.'),
  application('declined', 'The recipient declined an application. Its `decision` says why.'),
  application('withdrawn', 'The sender withdrew an application.'),
  application('accepted', 'The sender accepted the final offer of the recipient.'),
  application('funded', 'The recipient paid out the money.'),
  application('expired', 'An application ended because it was not edited or answered in time.'),
  application('cancelled', 'The recipient cancelled an application.'),
  application('autofill_completed', 'An Autofill run completed. Answers may have changed.'),
  {
    ...application('autofill_failed', 'An Autofill run failed. It changed no answers.'),
    example: { path: `/deal-applications/${exampleId('dap')}/`, state: 'draft' },
  },
  offer('received', 'The recipient made an offer.'),
  offer('superseded', 'A newer offer took the place of an offer.'),
  offer('accepted', 'The sender accepted an offer.'),
  offer('declined', 'The sender declined an offer.'),
  offer('withdrawn', 'The recipient took an offer back.'),
  offer('expired', 'An offer expired.'),
]
