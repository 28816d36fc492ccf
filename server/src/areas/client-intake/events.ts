import type { EventKind } from '../../platform/background/events.ts'

const resource = 'Client intake application'
const kind = (verb: string, description: string): EventKind => ({
  type: `client_intake_application.${verb}`,
  resource,
  description,
})

export const clientIntakeEvents: readonly EventKind[] = [
  kind('created', 'A client intake application was begun.'),
  kind('submitted', 'An application was submitted; its answers are frozen.'),
  kind('returned', 'A reviewer returned an application; `returned` of the record says why.'),
  kind('accepted', 'A reviewer accepted an application.'),
  kind('rejected', 'A reviewer rejected an application.'),
  kind('withdrawn', 'An application was withdrawn.'),
  kind('expired', 'An application rested for too long and expired.'),
  kind('autofill_completed', 'A run of Autofill ended; answers may have changed.'),
  kind('autofill_failed', 'A run of Autofill failed; no answer was changed by it.'),
]
