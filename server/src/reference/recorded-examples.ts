// Responses as the examples of the reference really got them, from a server with the demo data. They are written by
// `npm run record-examples`; a test runs the examples again and compares.
import { readFileSync } from 'node:fs'
import type { Config } from '../platform/config.ts'

/** The address that stands in the recording for the server's own. */
export const recordedAddress = 'http://127.0.0.1:8080'

/** The response to an operation's example, or undefined when it was not recorded yet. */
export function recordedResponse(id: string, config: Pick<Config, 'public_url'>): unknown {
  return withAddress(readRecorded().responses[id], config)
}

/** An event of this type, or undefined when the examples cause none. */
export function recordedEvent(type: string, config: Pick<Config, 'public_url'>): unknown {
  return withAddress(readRecorded().events[type], config)
}

type Recorded = Readonly<Record<'responses' | 'events', Readonly<Record<string, unknown>>>>
let recorded: Recorded | undefined

/** Many, and only the documents need them: a server starts without. The build puts the file beside the program. */
function readRecorded(): Recorded {
  recorded ??= readJson(new URL('./recorded-examples.json', import.meta.url))
  return recorded
}

function readJson(file: URL): Recorded {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function withAddress(value: unknown, { public_url }: Pick<Config, 'public_url'>): unknown {
  if (value === undefined || public_url === recordedAddress) return value
  return JSON.parse(JSON.stringify(value).replaceAll(recordedAddress, JSON.stringify(public_url).slice(1, -1)))
}
