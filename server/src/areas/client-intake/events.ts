import type { EventKind } from '../../platform/background/events.ts'
import { exampleId } from '../../platform/values/fields.ts'

const resource = 'Client intake application'
const kind = (verb: string, description: string, example?: { state: string; previous_state?: string }): EventKind => ({
  type: `client_intake_application.${verb}`,
  resource,
  description,
  ...(example && { example: { path: `/client-intake-applications/${exampleId('cia')}/`, ...example } }),
})

export const clientIntakeEvents: readonly EventKind[] = [
  kind('created', 'A client intake application was created.'),
  kind('submitted', 'An application was submitted.'),
  kind('returned', 'A reviewer returned an application. Its `returned` field says why.'),
  kind('accepted', 'A reviewer accepted an application.'),
  kind('rejected', 'A reviewer rejected an application.'),
  kind('withdrawn', 'An application was withdrawn.'),
  kind('expired', 'An application expired because it was not edited in time.', {
    state: 'expired',
    previous_state: 'in_progress',
  }),
  kind('autofill_completed', 'An Autofill run completed. Answers may have changed.'),
  kind('autofill_failed', 'An Autofill run failed. It changed no answers.', { state: 'in_progress' }),
]
