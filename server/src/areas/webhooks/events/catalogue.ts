import { Type } from 'typebox'
import { Event, type EventKind } from '../../../platform/background/events.ts'
import { exampleId } from '../../../platform/values/fields.ts'
import { webhookPath } from '../endpoints/records.ts'

const sequence = Type.Null({ description: 'Always null: this is no event of the Portal.' })
const { changes: _, previous_state: __, request_id: ___, ...data } = Event.properties.data.properties
const message = (more: Record<string, ReturnType<typeof Type.String>>) =>
  Type.Object({
    ...Event.properties,
    sequence,
    data: Type.Object({ ...data, ...more }, { description: 'The webhook that this was sent for.' }),
  })

export const webhookEvents: readonly EventKind[] = [
  {
    type: 'webhook.ping',
    resource: 'Webhook',
    description: 'A test was requested. It is sent to that webhook only and is not in the list of events.',
    message: message({}),
    example: { path: webhookPath(exampleId('whk')), state: 'active' },
  },
  {
    type: 'webhook.verification',
    resource: 'Webhook',
    description:
      'A URL must be verified. The receiver must respond with `data.challenge` within 15 seconds. It is sent to that URL only and is not in the list of events.',
    message: message({
      challenge: Type.String({
        description: 'Respond with `{"challenge": "…"}` or with this text alone.',
        examples: ['Qm9zNXZ0d2g4c3JhbmRvbS1leGFtcGxl'],
      }),
    }),
    example: {
      path: webhookPath(exampleId('whk')),
      state: 'pending_verification',
      challenge: 'Qm9zNXZ0d2g4c3JhbmRvbS1leGFtcGxl',
    },
  },
  {
    type: 'webhook.disabled',
    resource: 'Webhook',
    description:
      'A webhook was disabled because its endpoint failed for 5 days or responded with status 410. The other webhooks of the Portal receive this event.',
    example: { path: webhookPath(exampleId('whk')), state: 'disabled', previous_state: 'active' },
  },
]
