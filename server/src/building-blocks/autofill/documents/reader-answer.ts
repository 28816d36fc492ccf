// The reading process may have been taken over by its document, so its answer is believed only in the right form.
import type { DocumentPage, DocumentText } from './document-text.ts'
import { unreadableCodes } from './document-unreadable.ts'
import type { FoundFact } from './found-fact.ts'
import type { ReadFailure } from './read-document.ts'

/** Why the document could not be read; undefined when that is not what was said. */
export function toFailure(json: string): ReadFailure | undefined {
  // An answer of many megabytes is no failure, and need not be looked at twice.
  const value = json.length <= 10_000 ? parse(json) : undefined
  if (!isRecord(value)) return undefined
  const error = unreadableCodes.find((one) => one === value.error)
  return error && { error, message: typeof value.message === 'string' ? value.message.slice(0, 500) : '' }
}

export interface FactsOfDocument {
  facts: FoundFact[]
  /** There was more to read than is read. */
  is_truncated: boolean
}

/** Undefined when it is no list of facts. */
export function toFacts(json: string): FactsOfDocument | undefined {
  const value = parse(json)
  if (!isRecord(value) || !Array.isArray(value.facts) || value.facts.length > mostFacts) return undefined
  if (!value.facts.every(isFact)) return undefined
  const facts = value.facts.map(({ fact, text, confidence, place, row, scale }) => ({
    fact,
    text,
    confidence,
    place,
    ...(row !== undefined && { row }),
    ...(scale !== undefined && { scale }),
  }))
  return { facts, is_truncated: value.is_truncated === true }
}

const mostFacts = 2_000

function isFact(value: unknown): value is FoundFact {
  return (
    isRecord(value) &&
    [value.fact, value.text, value.place].every((text) => typeof text === 'string' && text.length <= 2_000) &&
    typeof value.confidence === 'number' &&
    value.confidence >= 0 &&
    value.confidence <= 1 &&
    [value.row, value.scale].every((number) => number === undefined || Number.isSafeInteger(number))
  )
}

/** Undefined when it is no text. */
export function toText(json: string): DocumentText | undefined {
  const value = parse(json)
  if (!isRecord(value)) return undefined
  if (!Array.isArray(value.pages) || !value.pages.every(isPage)) return undefined
  const pages = value.pages.map(({ number, lines, tables }) => ({ number, lines, tables }))
  return value.is_truncated === true ? { pages, is_truncated: true } : { pages }
}

function isPage(value: unknown): value is DocumentPage {
  return (
    isRecord(value) &&
    Number.isInteger(value.number) &&
    isTexts(value.lines) &&
    Array.isArray(value.tables) &&
    value.tables.every((table) => Array.isArray(table) && table.every(isTexts))
  )
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
