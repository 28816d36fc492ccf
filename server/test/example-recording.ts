// Makes recorded responses stable: what differs from run to run (ids, times, ETags, secrets) gets values that stay,
// the same one wherever the same thing is meant.
import { createHash } from 'node:crypto'
import { published } from '../src/app.ts'
import { exampleDigest } from '../src/building-blocks/questionnaires/files/schema.ts'
import { recordedAddress } from '../src/reference/recorded-examples.ts'
import { readPageExamples, runPageExamples } from './page-examples.ts'

export interface Recording {
  responses: Record<string, unknown>
  events: Record<string, unknown>
}

/** Runs every example of the reference on a server with the demo data: what each answered, and which did not succeed. */
export async function recordExamples(
  origin: string,
  key: string,
): Promise<{ recording: Recording; failures: string[] }> {
  const startedAt = Date.now()
  const outcomes = await runPageExamples(await readPageExamples(origin), key)
  const stabilize = createStabilizer(origin, startedAt)
  const recording: Recording = { responses: {}, events: {} }
  const failures: string[] = []
  for (const { id, status } of [...published.operations, ...published.others]) {
    const { setup = [], statuses = [], found = '', printed = 'no page' } = outcomes.get(id) ?? {}
    const isFine = setup.every((one) => one >= 200 && one < 300) && statuses.at(-1) === status && !/=(\s|$)/.test(found)
    if (!isFine) failures.push(`${id}: ${[...setup, ...statuses].join(' ')} ${found}\n  ${printed.slice(0, 400)}`)
    else recording.responses[id] = shortened(readJson(stabilize(printed)))
  }
  for (const event of await everyEvent(origin, key)) {
    const { type } = event
    if (!byChance.has(type)) recording.events[type] ??= JSON.parse(stabilize(JSON.stringify(event)))
  }
  return { recording, failures }
}

/** Told by a job that runs every minute: it may run while the examples do, or not. */
const byChance: ReadonlySet<string> = new Set(['match.found'])

async function everyEvent(origin: string, key: string): Promise<{ type: string }[]> {
  const headers = { authorization: `Bearer ${key}` }
  // The demo has older ones, which may be removed while the examples run.
  const since = new Date(Date.now() - 29 * 86_400_000).toISOString()
  const events: { type: string }[] = []
  let cursor = ''
  do {
    const query = `order=sequence&page_size=250&created_after=${since}${cursor && `&cursor=${cursor}`}`
    const response = await fetch(`${origin}/v1/events/?${query}`, { headers })
    const page: { items: { type: string }[]; next_cursor: string | null } = JSON.parse(await response.text())
    events.push(...page.items)
    cursor = encodeURIComponent(page.next_cursor ?? '')
  } while (cursor !== '')
  return events
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return `${text}\n` // the bytes of a file
  }
}

/** Lists of objects to three entries; a whole OpenAPI document to its beginning. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return (value.some(isObject) ? value.slice(0, 3) : value).map(shortened)
  if (!isObject(value)) return value
  if (typeof value.openapi === 'string' && isObject(value.info))
    return { openapi: value.openapi, info: value.info, servers: value.servers }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** A function that makes texts stable; things that occur in several texts stay the same things. */
function createStabilizer(origin: string, startedAt: number) {
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()
  const numbered = (known: string, make: (index: number) => string, kind: string) => {
    const name = `${kind} ${known}`
    const existing = ids.get(name)
    if (existing) return existing
    const index = counts.get(kind) ?? 0
    counts.set(kind, index + 1)
    const value = make(index)
    ids.set(name, value)
    return value
  }
  return (text: string): string =>
    text
      .replaceAll(origin, recordedAddress)
      .replace(/\b([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, (id, prefix: string) =>
        numbered(id, (index) => `${prefix}_01jcz3v0v2fd6tqvh1m8r5${stableLetters(`${prefix}${index}`, 4)}`, prefix),
      )
      .replace(/\bptt_[A-Za-z0-9_-]+/g, 'ptt_…')
      .replace(/\bwhsec_[A-Za-z0-9+/]+=*/g, 'whsec_…')
      .replace(/"secret_last4":"[^"]+"/g, '"secret_last4":"x7Q="')
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => stableTime(time, startedAt))
      .replace(
        /\\"([A-Za-z0-9_-]{22})(?:\.[a-z0-9.]+)?\\"/g,
        (_, tag: string) => `\\"${numbered(tag, (index) => stableTag(index), 'etag')}\\"`,
      )
      .replace(/\b[0-9a-f]{64}\b/g, (digest) =>
        digest === exampleDigest ? digest : numbered(digest, (index) => sha256(`digest ${index}`), 'digest'),
      )
      .replace(/"(next|previous)_cursor":"[^"]+"/g, '"$1_cursor":"Yk0x…"')
      .replace(/"last4":"[^"]+"/g, '"last4":"x7Qd"')
}

/** What two responses must have in common to be the same answer: members, types, nulls, and words that look like names. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
  if (typeof value === 'string') return /^[a-z][a-z_]*$/.test(value) ? value : 'text'
  return value === null ? null : typeof value
}

/** To five minutes: a run is shorter, and everything with a lifetime has a longer one. */
function stableTime(time: string, startedAt: number): string {
  const step = 5 * 60_000
  const distance = Math.round((Date.parse(time) - startedAt) / step) * step
  return new Date(Date.parse('2026-01-31T12:00:00.000Z') + distance).toISOString()
}

function stableLetters(seed: string, length: number): string {
  const letters = '0123456789abcdefghjkmnpqrstvwxyz'
  return [...createHash('sha256').update(seed).digest().subarray(0, length)].map((byte) => letters[byte % 32]).join('')
}

function stableTag(index: number): string {
  return createHash('sha256').update(`etag ${index}`).digest('base64url').slice(0, 22)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
