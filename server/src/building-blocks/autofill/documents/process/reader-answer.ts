// The reading process may have been taken over by its document, so its answer is believed only in the right form.
import type { FoundFact } from '../facts/found-fact.ts'
import type { CompanyOwnerFound } from '../facts/owner-facts.ts'
import { type DocumentProblem, problemCodes } from '../formats/document-text.ts'
import { unreadableCodes } from '../formats/document-unreadable.ts'
import type { ReadFailure } from '../formats/read-document.ts'

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
  company_owners: CompanyOwnerFound[]
  problems: DocumentProblem[]
  /** How many pages were read. */
  pages: number
  /** There was more to read than is read. */
  is_truncated: boolean
}

/** Undefined when it is no list of facts. */
export function toFacts(json: string): FactsOfDocument | undefined {
  const value = parse(json)
  if (!isRecord(value) || !isListOf(value.facts, isFact) || !isListOf(value.company_owners, isCompanyOwner))
    return undefined
  if (!isListOf(value.problems, isProblem)) return undefined
  const { facts, company_owners, problems, is_truncated, pages } = value
  if (typeof pages !== 'number') return undefined
  return {
    facts: facts.map(({ fact, text, confidence, page, line, words, period, period_end, row }) => ({
      fact,
      text,
      confidence,
      page,
      line,
      words,
      ...(period !== undefined && { period }),
      ...(period_end !== undefined && { period_end }),
      ...(row !== undefined && { row }),
    })),
    company_owners: company_owners.map(({ name, ownership_percent, page, line }) => ({
      name,
      ...(ownership_percent !== undefined && { ownership_percent }),
      page,
      line,
    })),
    problems: problems.map(({ code, message }) => ({ code, message })),
    pages,
    is_truncated: is_truncated === true,
  }
}

const mostEntries = 2_000

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.length <= mostEntries && value.every(isItem)
}

function isFact(value: unknown): value is FoundFact {
  return (
    isRecord(value) &&
    [value.fact, value.text, value.words].every(isShort) &&
    [value.period, value.period_end].every((text) => text === undefined || isShort(text)) &&
    typeof value.confidence === 'number' &&
    value.confidence >= 0 &&
    value.confidence <= 1 &&
    [value.page, value.line].every(Number.isSafeInteger) &&
    (value.row === undefined || Number.isSafeInteger(value.row))
  )
}

function isCompanyOwner(value: unknown): value is CompanyOwnerFound {
  return (
    isRecord(value) &&
    isShort(value.name) &&
    (value.ownership_percent === undefined || isShort(value.ownership_percent)) &&
    [value.page, value.line].every(Number.isSafeInteger)
  )
}

function isProblem(value: unknown): value is DocumentProblem {
  return isRecord(value) && problemCodes.some((code) => code === value.code) && isShort(value.message)
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2_000
}

/** A document as plain lines. */
export interface PlainText {
  pages: { number: number; lines: string[] }[]
  is_truncated?: true
}

/** Undefined when it is no text. */
export function toText(json: string): PlainText | undefined {
  const value = parse(json)
  if (!isRecord(value)) return undefined
  if (!Array.isArray(value.pages) || !value.pages.every(isPage)) return undefined
  const pages = value.pages.map(({ number, lines }) => ({ number, lines }))
  return value.is_truncated === true ? { pages, is_truncated: true } : { pages }
}

function isPage(value: unknown): value is PlainText['pages'][number] {
  return isRecord(value) && Number.isInteger(value.number) && isTexts(value.lines)
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
