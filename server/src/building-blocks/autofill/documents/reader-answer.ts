// The reading process may have been taken over by its document, so its answer is believed only in the right form.
import type { DocumentPage, DocumentText } from './document-text.ts'
import { unreadableCodes } from './document-unreadable.ts'
import type { ReadFailure } from './read-document.ts'

/** Undefined when the text is no answer. */
export function toAnswer(json: string): DocumentText | ReadFailure | undefined {
  const value = parse(json)
  if (!isRecord(value)) return undefined
  const code = unreadableCodes.find((one) => one === value.error)
  if (code) return { error: code, message: typeof value.message === 'string' ? value.message.slice(0, 500) : '' }
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
