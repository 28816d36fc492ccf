// E-mails that were saved as text: who wrote one is told by the address it came from, and what it answers to or passes on
// was written by somebody else.
import { fold, wordsOf } from '../words/phrases.ts'
import { mails } from '../words/vocabulary.ts'
import { isSubject, mentionsSubject, namesOf, plainUmlauts, type Subject, subjectIn } from './company-names.ts'
import { isOther } from './other-companies.ts'
import { type PersonName, splitName } from './person-names.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

/** `own`: from a domain that is called as the subject is. */
export type MailSender = 'own' | 'other'

const headLines = 8

/** Undefined when it is no e-mail. `answers`: what it says to the questions it was sent. */
export function mailSenderOf(
  { pages }: ReadDocument,
  subject: Subject,
  answers: readonly string[] = [],
): MailSender | undefined {
  const head = (pages[0]?.lines ?? []).filter(({ cells }) => cells.length > 0).slice(0, headLines)
  const from = head.find(isFrom)?.text
  if (from === undefined || !head.some(isOtherHeader)) return undefined
  // What stands before the address is a name that anybody can choose.
  const address = /<([^<>\s]+@[^<>\s]+)>\s*$/.exec(from)?.[1] ?? from.trim().split(/\s/).at(-1) ?? ''
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const own = withoutAnswers(pages[0]?.lines ?? [], answers)
  // Whoever was asked about the business is mostly somebody of it.
  const isAnswer = answers.length > 0
  const isAnswered = isAnswer && (isAnsweredFrom(domain, subject, answers, own) || isSignedFrom(domain, subject, own))
  return isAnswered || isDomainOf(domain, subject, isAnswer) ? 'own' : 'other'
}

/** Each answer stands there once; what repeats it may be the signature. */
function withoutAnswers(lines: readonly PlacedLine[], answers: readonly string[]): PlacedLine[] {
  const left = new Map<string, number>()
  for (const answer of answers) left.set(answer, (left.get(answer) ?? 0) + 1)
  return lines.filter(({ text }) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0 && !text.startsWith('>')
  })
}

/** Whoever answers what the subject is called and where it is on the web, and writes from there; no other company signs. */
function isAnsweredFrom(
  domain: string,
  subject: Subject,
  answers: readonly string[],
  lines: readonly PlacedLine[],
): boolean {
  const names = namesOf(subject)
  const isNamed = answers.some((answer) => subjectIn(answer, names) !== undefined)
  if (!isNamed || !answers.some((text) => isSite(text, domain))) return false
  const body = lines.findIndex(({ cells }) => cells.length === 0)
  const end = lines.findIndex((_, at) => at > body && beginsQuoted(lines, at))
  const own = lines.slice(body, end === -1 ? undefined : end)
  return !own.some(({ cells }) => cells.some(({ text }) => isOther(text) && !mentionsSubject(text, names)))
}

/** The name in a line of its own, and below it the website that the e-mail comes from. */
function isSignedFrom(domain: string, subject: Subject, lines: readonly PlacedLine[]): boolean {
  const names = namesOf(subject)
  return lines.some(({ text }, at) => {
    const below = isSubject(text, names) ? lines.slice(at + 1, at + 1 + signature) : []
    const site = below.findIndex((line) => isSite(line.text, domain))
    return site !== -1 && !below.slice(0, site + 1).some((line) => line.cells.some((cell) => isOther(cell.text)))
  })
}

/** So many lines below the name. */
const signature = 6

function isSite(text: string, domain: string): boolean {
  const words = text.toLowerCase().split(/[\s,;()/|]+/)
  return words.some((word) => word.replace(/^www\./, '') === domain)
}

/** The person who has written an e-mail of the subject's own: `From: Ann Lee <ann@lee.example>`. */
export function mailWriterOf({ pages, country }: ReadDocument): PersonName | undefined {
  const from = pages[0]?.lines.find(isFrom)?.text ?? ''
  const [, name = ''] = /:\s*"?([\p{L}.'’ -]{3,60}?)"?\s*<[^<>\s]+@[^<>\s]+>\s*$/u.exec(from) ?? []
  // `Ann Lee via DocuSign`
  return wordsOf(name).length <= 3 ? splitName(name, country) : undefined
}

/** Whether the name of a domain is the whole name of the subject, or two of its words and more. */
function isDomainOf(domain: string, { legal_name, trading_name }: Subject, mayOmit: boolean): boolean {
  const parts = domain.toLowerCase().split('.')
  const isShared = parts.length > 2 && /^(?:co|com|org|net|ac|gov)$/.test(parts.at(-2) ?? '')
  const own = squeezed(parts.at(isShared ? -3 : -2) ?? '')
  return [legal_name, trading_name].some((name) => {
    const words = (name ?? '')
      .split(/\s+/)
      .map(squeezed)
      .filter((word) => word !== '')
    if (words.length === 1) return own === words[0] && own.length >= 6
    return own.length >= 6 && isMadeOf(own, words, mayOmit)
  })
}

/** `leeartisan` of `Lee Artisan Bakery`, or `leebakery`, without a word between. */
function isMadeOf(domain: string, [first = '', ...others]: readonly string[], mayOmit: boolean): boolean {
  if (first === '' || domain === first || !domain.startsWith(first)) return false
  let rest = domain.slice(first.length)
  for (const word of others) {
    if (rest.startsWith(word)) rest = rest.slice(word.length)
    else if (!mayOmit) break
  }
  return rest === ''
}

/** Without what it answers to or passes on, and what follows that. */
export function withoutQuoted(document: ReadDocument): ReadDocument {
  let isQuoted = false
  const pages = document.pages.map((page, number) => {
    // The head of the e-mail itself; prints have the name of whoever printed it above that.
    const head = number === 0 ? page.lines.findIndex(isFrom) : 0
    const body = number === 0 ? page.lines.findIndex(({ cells }, at) => at > head && cells.length === 0) : 0
    const lines = page.lines.map((line, at): PlacedLine => {
      isQuoted ||= at >= body && body !== -1 && beginsQuoted(page.lines, at)
      return isQuoted || line.text.startsWith('>') ? { ...line, cells: [], text: '' } : line
    })
    return { ...page, lines }
  })
  return { ...document, pages }
}

function beginsQuoted(lines: readonly PlacedLine[], at: number): boolean {
  const line = lines[at]
  if (!line || line.cells.length === 0) return false
  const words = wordsOf(line.text).join(' ')
  if (mails.quoted.has(words)) return true
  if (isFrom(line) && lines.slice(at + 1, at + 5).some(isOtherHeader)) return true
  // `On Tue, 3 Nov 2026, Ann Lee <ann@lee.example> wrote:`, perhaps in two lines.
  const two = `${line.text} ${lines[at + 1]?.text ?? ''}`
  return [line.text, two].some((text) => {
    const said = wordsOf(text)
    const isSaid = said.some((word, place) => mails.wrote.has(word) || mails.wrote.has(`${word} ${said[place + 1]}`))
    return isSaid && text.length < 300 && text.trim().endsWith(':') && /\d/.test(text) && /@|\d{4}/.test(text)
  })
}

/** `From: 01/01/2025` heads a report. */
function isFrom({ text }: PlacedLine): boolean {
  return text.includes('@') && mails.from.has(headerOf(text))
}

function isOtherHeader({ text }: PlacedLine): boolean {
  return mails.headers.has(headerOf(text))
}

function headerOf(text: string): string {
  return wordsOf(/^[\p{L} ]{1,20}(?=\s?:)/u.exec(text)?.[0] ?? '').join(' ')
}

/** `alpenkraeuter` and `Alpenkräuter` are one. */
function squeezed(name: string): string {
  return plainUmlauts(fold(name).replace(/[^a-z0-9]/g, ''))
}
