// E-mails that were saved as text: who wrote one is told by the address it came from, and what it answers to was written by
// somebody else.
import { fold, wordsOf } from '../words/phrases.ts'
import { mails } from '../words/vocabulary.ts'
import type { Subject } from './company-names.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

const headLines = 8
/** Shorter names of domains are common words. */
const fewestLetters = 6

/** `own`: from a domain that begins as the subject's name does. Undefined when it is no e-mail. */
export function mailSenderOf({ pages }: ReadDocument, subject: Subject): 'own' | 'other' | undefined {
  const head = headOf(pages[0]?.lines ?? [])
  // `From: 01/01/2025` heads a report.
  const from = head.find(({ text }) => mails.from.has(headerOf(text)) && text.includes('@'))?.text
  if (from === undefined || !head.some(({ text }) => mails.headers.has(headerOf(text)))) return undefined
  const domain = /@([\w.-]+)/.exec(from)?.[1]?.toLowerCase() ?? ''
  return domain
    .split('.')
    .slice(0, -1)
    .map(squeezed)
    .some((part) => isNameOf(part, subject))
    ? 'own'
    : 'other'
}

function isNameOf(domain: string, { legal_name, trading_name }: Subject): boolean {
  if (domain.length < fewestLetters) return false
  return [legal_name, trading_name].some((name) => {
    const own = squeezed(name ?? '')
    return own.startsWith(domain) || (own.length >= fewestLetters && domain.startsWith(own))
  })
}

/** Without what it answers to. */
export function withoutQuoted(document: ReadDocument): ReadDocument {
  const [first, ...rest] = document.pages
  if (!first) return document
  const begin = first.lines.findIndex(
    ({ text }, index) => index >= headLines && (mails.quoted.has(wordsOf(text).join(' ')) || isAnswered(text)),
  )
  const lines = first.lines.map(
    (line, index): PlacedLine =>
      line.text.startsWith('>') || (begin !== -1 && index >= begin) ? { ...line, cells: [], text: '' } : line,
  )
  return { ...document, pages: [{ ...first, lines }, ...rest] }
}

/** `On Tue, 3 Nov 2026, Ann Lee <ann@lee.example> wrote:` */
function isAnswered(text: string): boolean {
  const words = wordsOf(text)
  const isSaid = mails.wrote.has(words.at(-1) ?? '') || mails.wrote.has(words.slice(-2).join(' '))
  return isSaid && text.trim().endsWith(':') && /\d/.test(text)
}

function headOf(lines: readonly PlacedLine[]): PlacedLine[] {
  return lines.filter(({ cells }) => cells.length > 0).slice(0, headLines)
}

function headerOf(text: string): string {
  return wordsOf(/^[\p{L} ]{1,20}(?=:)/u.exec(text)?.[0] ?? '').join(' ')
}

function squeezed(name: string): string {
  return fold(name).replace(/[^a-z0-9]/g, '')
}
