// Responses as the examples of the reference really got them, from a server with the demo data. They are written by
// `npm run record-examples`; a test runs the examples again and compares.
import type { Config } from '../platform/config.ts'
import recorded from './recorded-examples.json' with { type: 'json' }

/** The address that stands in the recording for the server's own. */
export const recordedAddress = 'http://127.0.0.1:8080'

/** The response to an operation's example, or undefined when it was not recorded yet. */
export function recordedResponse(id: string, config: Pick<Config, 'public_url'>): unknown {
  return withAddress(responses[id], config)
}

/** An event of this type, or undefined when the examples cause none. */
export function recordedEvent(type: string, config: Pick<Config, 'public_url'>): unknown {
  return withAddress(events[type], config)
}

const responses: Readonly<Record<string, unknown>> = recorded.responses
const events: Readonly<Record<string, unknown>> = recorded.events

function withAddress(value: unknown, { public_url }: Pick<Config, 'public_url'>): unknown {
  if (value === undefined || public_url === recordedAddress) return value
  return JSON.parse(JSON.stringify(value).replaceAll(recordedAddress, JSON.stringify(public_url).slice(1, -1)))
}
