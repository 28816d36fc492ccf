// A strong ETag stands for one version of one record, as of its last write: after a restore a version may be written
// anew with other content, and then it has another tag.
import { hash } from 'node:crypto'
import { ApiError } from './errors.ts'

/** Raised whenever a release changes how records look, so that cached copies of the old look are not taken for new. */
const representation = 2

interface Versioned {
  id: string
  /** Whose view it is, where the parties of a record see different versions of it. */
  view?: string | undefined
  version: number
  updated_at: string
  /** What time has changed since the version was written, such as a deadline that has passed. */
  aspect?: string | undefined
}

export function etagOf({ id, view, version, updated_at, aspect }: Versioned): string {
  const parts = [id, ...(view ? [view] : []), version, updated_at, representation, ...(aspect ? [aspect] : [])]
  return etagOfText(parts.join(' '))
}

/** The tags a write may name: time passing is nothing that somebody could overwrite. */
export function tagsOf(row: Versioned): readonly string[] {
  const passed = row.aspect?.split(' ') ?? []
  // One may have passed before the other: a tag from in between is as good.
  const earlier = passed.length > 1 ? passed : []
  return [...new Set([row.aspect, ...earlier, undefined])].map((aspect) => etagOf({ ...row, aspect }))
}

/** For what has no version: the text itself decides. */
export function etagOfText(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

/** The tags of an If-Match header. A weak one never matches, which is the standard's strong comparison. */
export type IfMatch = readonly { tag: string; isWeak: boolean }[]

export function parseIfMatch(header: string): IfMatch {
  if (header.trim() === '*')
    throw invalid(
      'wildcard_not_allowed',
      'If-Match: * is not supported because it could overwrite changes you have not seen. Send the ETag of the record you read.',
    )
  const tags: { tag: string; isWeak: boolean }[] = []
  // By hand, each character once: a pattern would try white space again from every place in it.
  for (let at = 0; ; at++) {
    at = skipBlanks(header, at)
    const isWeak = header.startsWith('W/', at)
    const start = isWeak ? at + 2 : at
    const end = endOfTag(header, start)
    tags.push({ tag: header.slice(start, end), isWeak })
    at = skipBlanks(header, end)
    if (at === header.length) return tags
    if (header[at] !== ',') throw unquoted()
  }
}

function skipBlanks(header: string, start: number): number {
  let at = start
  while (header[at] === ' ' || header[at] === '\t') at++
  return at
}

/** Where the tag that begins here ends; it may hold commas. */
function endOfTag(header: string, start: number): number {
  if (header[start] !== '"') throw unquoted()
  for (let at = start + 1; at < header.length; at++) {
    const c = header.charCodeAt(at)
    if (c === quote) return at + 1
    if (c <= space || c === del || c > 0xff) break
  }
  throw unquoted()
}

const [space, quote, del] = [0x20, 0x22, 0x7f]

/** Refuses a write based on another version than the current one. Null means the caller does not care (the command line). */
export function requireVersion(ifMatch: IfMatch | null, ...current: readonly string[]): void {
  if (ifMatch === null || ifMatch.some(({ tag, isWeak }) => !isWeak && current.includes(tag))) return
  throw preconditionFailed(ifMatch.some(({ isWeak }) => isWeak) ? 'weak_etag' : 'etag_mismatch')
}

export function preconditionFailed(code: 'weak_etag' | 'etag_mismatch' = 'etag_mismatch'): ApiError {
  const message =
    code === 'weak_etag'
      ? 'A weak ETag never matches. A proxy that compresses responses may have changed the ETag.'
      : 'The ETag in If-Match is not the current ETag of the record.'
  return new ApiError('precondition_failed', {
    ...(code === 'weak_etag' && {
      message: 'If-Match must contain a strong ETag, without W/. Read the record again and use its etag.',
    }),
    details: [{ location: 'header', name: 'If-Match', code, message }],
  })
}

/** Whether If-None-Match names this version, so that the caller already has it. */
export function isKnown(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((part) => part.trim().replace(/^W\//, '') === current)
  )
}

function unquoted(): ApiError {
  return invalid('unquoted', 'If-Match must contain the complete ETag, including the quotes.')
}

function invalid(code: string, message: string): ApiError {
  return new ApiError('invalid_if_match', {
    message,
    details: [{ location: 'header', name: 'If-Match', code, message }],
  })
}
