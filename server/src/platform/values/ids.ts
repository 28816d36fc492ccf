// Ids are UUIDs of version 7 (RFC 9562) in lowercase base32: they sort by the time they were made, and those of one
// process exactly in the order they were made, however many fall into one millisecond. Every request gets one, so they
// are put together from ready pieces of text instead of bytes.
import { randomFillSync } from 'node:crypto'

/** Every prefix, with the kind of record it stands for. */
export const idPrefixes = {
  ptl: 'Portal',
  key: 'API key',
  ldsrc: 'lead source',
  biz: 'business',
  own: 'owner of a business',
  ctr: 'contract',
  cia: 'client intake application',
  itm: 'item',
  fil: 'file',
  afr: 'Autofill run',
  prj: 'project',
  prg: 'programme',
  cal: 'match calculation',
  mat: 'match',
  rcp: 'recipient',
  deal: 'deal',
  tml: 'entry of a timeline',
  dsc: 'disclosure',
  dap: 'deal application',
  ofr: 'offer',
  ireq: 'information request',
  whk: 'webhook',
  evt: 'event',
  dlv: 'delivery',
  att: 'attempt',
  rcv: 'recovery of deliveries',
  aud: 'entry of the audit log',
  ers: 'erasure of a business',
  req: 'request',
  job: 'job',
  lease: 'lease of a job',
} as const
export type IdPrefix = keyof typeof idPrefixes

/** `<prefix>_<26 characters>`. */
export function newId(prefix: IdPrefix): string {
  tick(Date.now())
  const tail = random32()
  // 80 bits, ten at a time: version, 12 bits of the counter, variant, the counter's other 30 bits, 32 random bits.
  const first = piece((7 << 6) | (counterHigh >> 6)) + piece(((counterHigh & 63) << 4) | (2 << 2) | (counterLow >> 28))
  const second = piece(counterLow >> 18) + piece(counterLow >> 8)
  const third = piece((counterLow << 2) | (tail >>> 30)) + piece(tail >>> 20)
  return `${prefix}_${timeText}${first}${second}${third}${piece(tail >>> 10)}${piece(tail)}`
}

/** Moves on to the next id: by the time, or within one millisecond by a counter that begins anywhere. */
function tick(now: number): void {
  // A clock that is set back a little must not change the order; one that was far ahead must not stay there.
  if (now > time || now < time - maximumSetBackMs) begin(now)
  else {
    counterLow = (counterLow + 1) & 0x3fff_ffff
    if (counterLow === 0) counterHigh++
    if (counterHigh > 0xfff) begin(time + 1)
  }
}

function begin(at: number): void {
  time = at
  timeText = ''
  // 50 bits: of the 130 that base32 can hold, two too many for a UUID come first.
  for (let bits = 40; bits >= 0; bits -= 10) timeText += piece(Math.floor(at / 2 ** bits))
  // Its highest bit is left free, so that there is always room to count.
  counterHigh = random32() & 0x7ff
  counterLow = random32() & 0x3fff_ffff
}

let time = 0
let timeText = ''
let counterHigh = 0
let counterLow = 0

/** Ten bits as text. */
function piece(bits: number): string {
  return pieces[bits & 1023] ?? ''
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pieces = [...alphabet].flatMap((high) => [...alphabet].map((low) => high + low))
const maximumSetBackMs = 10_000

/** What a record is, by its id: `business`, `deal_application`. */
export function recordTypeOf(id: string): string {
  const prefix = id.slice(0, id.indexOf('_'))
  if (prefix === 'prg') return 'funding_program'
  // safe because a prefix that is not among them gives undefined
  const kind = (idPrefixes as Readonly<Record<string, string>>)[prefix] ?? prefix
  return kind.toLowerCase().replaceAll(' ', '_')
}

/** When an id of the right form was made, in milliseconds. */
export function timeOfId(id: string): number {
  const text = id.slice(id.indexOf('_') + 1)
  let time = 0
  for (const character of text.slice(0, timeCharacters)) time = time * 32 + alphabet.indexOf(character)
  return time
}
const timeCharacters = 10

/** Source of a regular expression that fits ids of one prefix, for schemas and path parameters. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}

/** Of which ids a pattern is, if it is one of theirs. */
export function prefixOfPattern(pattern: string): IdPrefix | undefined {
  return prefixes.get(pattern)
}

// safe because these are the keys of idPrefixes
const prefixes = new Map((Object.keys(idPrefixes) as IdPrefix[]).map((prefix) => [idPattern(prefix), prefix]))

// Random numbers are drawn many at a time: a draw costs more than an id.
function random32(): number {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  return pool[drawn++] ?? 0
}

const pool = new Uint32Array(1024)
let drawn = pool.length
