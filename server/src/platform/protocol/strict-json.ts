// JSON as an API must read it: whole UTF-8, one meaning per document, bounded depth.
// JSON.parse does the parsing; a scan beside it refuses what JSON.parse lets pass: repeated keys, __proto__, deep nesting,
// NUL and unpaired surrogates (which databases and other parsers refuse).
import { ApiError } from './errors.ts'

/** `subject` is how messages name the document; the number of values is bounded by what its reader can use. */
export function parseStrictJson(
  bytes: Buffer,
  { subject, maximumValues }: { subject: string; maximumValues: number } = requestBody,
): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch (cause) {
    throw malformed(`${subject} must be valid UTF-8.`, {}, cause)
  }
  if (text.startsWith('\uFEFF')) throw malformed(`${subject} must not begin with a byte order mark (EF BB BF).`, {})
  const { depth, values, members } = measure(text)
  if (depth > maximumDepth)
    throw malformed(`${subject} must be nested at most ${maximumDepth} levels deep.`, { maximum_depth: maximumDepth })
  if (values > maximumValues) {
    throw malformed(`${subject} must have at most ${maximumValues} values.`, { maximum_values: maximumValues })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : ''
    const offset = /position (\d+)/.exec(said)?.[1]
    // V8 names the character instead of its place when it shows the text around it.
    const token = /^Unexpected token '(.)'/su.exec(said)?.[1]
    const place = offset === undefined ? token && ` at the character ${token}` : ` near character ${offset}`
    throw malformed(
      `${subject} must be valid JSON; parsing failed${place || ' at its end'}.`,
      offset === undefined ? {} : { offset: Number(offset) },
      cause,
    )
  }
  // Of members with equal names JSON.parse keeps one; what is spelled as usual needs no further look.
  const isPlain = countMembers(value) === members && !text.includes('__proto__') && !text.includes('\\u')
  const problem = isPlain ? undefined : memberProblem(text)
  if (problem) throw malformed(`${subject} must not ${problem}.`, {})
  if (text.includes('\\u') && hasUnusableText(value))
    throw malformed(`${subject} must not contain NUL characters or unpaired surrogates.`, {})
  return value
}

/** The deepest nesting, and about how many values and members there are; works on text that is not JSON as well. */
function measure(text: string): { depth: number; values: number; members: number } {
  let depth = 0
  let deepest = 0
  let values = 1
  let members = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) i = endOfText(text, i)
    else if (c === comma) values++
    else if (c === colon) members++
    else if (c === openBrace || c === openBracket) {
      values++
      deepest = Math.max(deepest, ++depth)
    } else if (c === closeBrace || c === closeBracket) depth--
  }
  return { depth: deepest, values, members }
}

function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  let count = 0
  if (Array.isArray(value)) for (const one of value) count += countMembers(one)
  else for (const one of Object.values(value)) count += 1 + countMembers(one)
  return count
}

/** What a valid document must not do with the names of its members, if it does. */
function memberProblem(text: string): string | undefined {
  const keysOfOpenObjects: (Set<string> | undefined)[] = []
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === openBrace) keysOfOpenObjects.push(new Set())
    else if (c === openBracket) keysOfOpenObjects.push(undefined)
    else if (c === closeBrace || c === closeBracket) keysOfOpenObjects.pop()
    else if (c === quote) {
      const end = endOfText(text, i)
      const keys = keysOfOpenObjects.at(-1)
      if (keys && isFollowedByColon(text, end)) {
        const raw = text.slice(i, end + 1)
        const key: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
        if (key === '__proto__') return 'have a member named __proto__'
        if (keys.has(key)) return `contain a duplicate member in one object: ${key.slice(0, 60)}`
        keys.add(key)
      }
      i = end
    }
  }
  return undefined
}

function endOfText(text: string, start: number): number {
  let i = start + 1
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === backslash) i++
    else if (c === quote) break
  }
  return i
}

function isFollowedByColon(text: string, end: number): boolean {
  let i = end + 1
  while (i < text.length && text.charCodeAt(i) <= space) i++
  return text.charCodeAt(i) === colon
}

function hasUnusableText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !isWellFormed(value)
  if (Array.isArray(value)) return value.some(hasUnusableText)
  if (value !== null && typeof value === 'object')
    return Object.entries(value).some(([key, member]) => hasUnusableText(key) || hasUnusableText(member))
  return false
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
}

function malformed(message: string, meta: Record<string, unknown>, cause?: unknown): ApiError {
  return new ApiError('malformed_json', {
    message,
    details: [{ location: 'body', pointer: '', code: 'malformed_json', message, meta }],
    cause,
  })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const maximumDepth = 32
/** More values than any operation accepts, and few enough to check quickly. */
const requestBody = { subject: 'The request body', maximumValues: 20_000 }
const [quote, backslash, colon, comma, space] = [34, 92, 58, 44, 32]
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93]
