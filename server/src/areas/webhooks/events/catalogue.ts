import type { EventKind } from '../../../platform/background/events.ts'

export const webhookEvents: readonly EventKind[] = [
  {
    type: 'webhook.disabled',
    resource: 'Webhook',
    description:
      'A webhook was disabled because its endpoint failed for days or asked for it. Other webhooks are told.',
  },
]
