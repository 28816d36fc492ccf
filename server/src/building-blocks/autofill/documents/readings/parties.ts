// Who is who in a document: whose it is, who wrote it, and whose details stand in a part of it. The names of the record
// decide; a name that is not one of them is somebody else's.
import { wordsOf } from '../words/phrases.ts'
import { letters, parties as partyWords, periods, statements } from '../words/vocabulary.ts'
import { isOrganisation, isSubject, mentionsSubject, namesOf, type Subject } from './company-names.ts'
import type { Pair } from './pairs.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

/**
 * `named`: a label says that it is the subject's. `titled`: its heading does. `addressed`: somebody else wrote it to the
 * subject. `mentioned`: the subject appears somewhere. `absent`: nobody is named. `other`: it is somebody else's.
 */
export type Standing = 'named' | 'titled' | 'addressed' | 'mentioned' | 'absent' | 'other'

export interface Parties {
  standing: Standing
  /** A statement of an account: the bank wrote it, the balance is the holder's. */
  is_statement: boolean
  /** A letter, an invoice, a contract: two parties, each with details of its own. */
  is_letter: boolean
  /** Profit and loss, a tax return: its figures are those of one business. */
  is_report: boolean
  names: string[][]
}

const headLines = 12

export function partiesOf(document: ReadDocument, pairs: readonly Pair[], subject: Subject): Parties {
  const names = namesOf(subject)
  const lines = document.pages.slice(0, 5).flatMap(({ lines: own }) => own.filter(({ cells }) => cells.length > 0))
  const words = wordsOf(
    lines
      .slice(0, 60)
      .map(({ text }) => text)
      .join(' \n '),
  )
  const head = wordsOf(
    lines
      .slice(0, 25)
      .map(({ text }) => text)
      .join(' \n '),
  )
  const isLetter = lines.slice(0, 40).some(({ cells }) => cells.some(({ text }) => isLetterLine(text)))
  const standing = standingOf(document, pairs, names)
  return {
    names,
    is_statement: countOf(words, statements) >= 2,
    is_letter: isLetter,
    is_report: periods.titles.in(head) !== undefined,
    standing:
      isLetter && (standing === 'named' || standing === 'titled') ? standingOfLetter(document, names) : standing,
  }
}

function standingOf(document: ReadDocument, pairs: readonly Pair[], names: readonly string[][]): Standing {
  const named = pairs.filter(
    ({ labels, label_text }) =>
      labels.some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact) &&
      partyWords.others.in(wordsOf(label_text)) === undefined,
  )
  const labelled = named.filter(
    (pair) => ownerOfLine(document, pair.page, pair.index - 1, pair.cell.left, names) !== 'other',
  )
  const nameOf = ({ values }: Pair) => values[0]?.text ?? ''
  const isSure = ({ labels }: Pair) => labels.some(({ certainty }) => certainty === 'sure')
  if (names.length > 0 && named.some((pair) => mentionsSubject(nameOf(pair), names))) return 'named'
  const top = headOf(document, names)
  const standing = standingInHead(top, names)
  const isNamedOther = named.some(
    (pair) => isOrganisation(nameOf(pair)) && (isSure(pair) || pair.relation === 'behind'),
  )
  if (isNamedOther && standing !== 'titled') return 'other'
  if (standing) return standing
  const isMentioned = document.pages.some(({ lines }) => lines.some(({ text }) => mentionsSubject(text, names)))
  if (isMentioned) return 'mentioned'
  const hasOther =
    top.slice(0, 4).some(({ cells }) => cells.length <= 2 && cells.some(({ text }) => isOrganisation(text))) ||
    labelled.some((pair) => isSure(pair) && nameOf(pair) !== '')
  return hasOther ? 'other' : 'absent'
}

/** The first lines of every page, and the names of sheets that name the subject. */
function headOf({ pages }: ReadDocument, names: readonly string[][]): PlacedLine[] {
  return pages.slice(0, 10).flatMap(({ lines, title }) => {
    const filled = lines.filter(({ cells }) => cells.length > 0).slice(0, headLines)
    return title !== '' && mentionsSubject(title, names) ? [titleLine(title), ...filled] : filled
  })
}

/** Who writes a letter stands at its top; whom it is about or written to, further down. */
function standingOfLetter(document: ReadDocument, names: readonly string[][]): Standing {
  const top = headOf(document, names).slice(0, 3)
  return standingInHead(top, names) === 'titled' ? 'titled' : 'addressed'
}

/** `Invoice 4711`, `Dear Sirs`: at the beginning of a short line. */
function isLetterLine(text: string): boolean {
  const words = wordsOf(text)
  return words.length <= 6 && letters.at(words, 0) !== undefined
}

/** By the first lines of a page: who stands first has written it, and who is written to comes after `To`. */
function standingInHead(lines: readonly PlacedLine[], names: readonly string[][]): Standing | undefined {
  let isOtherFirst = false
  let isAddressed = false
  for (const [index, { cells }] of lines.entries()) {
    for (const { text } of cells) {
      const words = wordsOf(text)
      if (words.length === 0) continue
      if (mentionsSubject(text, names)) {
        const own = partyWords.addressee.at(words, 0)
        // `Requested by: Lee Bakery LLC` is no title.
        const isAbout = isSubject(text, names) || (words.length <= 14 && !/^[^:]{2,40}:/.test(text))
        if (!isAbout) continue
        const isInWindow = index > 0 && hasAddressBelow(lines, index)
        return isOtherFirst || isAddressed || isInWindow || (own && own.length < words.length && !isTitle(words))
          ? 'addressed'
          : 'titled'
      }
      const addressee = partyWords.addressee.at(words, 0)
      isAddressed ||= addressee !== undefined && (addressee.length === words.length || text.trim().endsWith(':'))
      // A list names many; who wrote it stands by itself.
      isOtherFirst ||= cells.length <= 2 && isOrganisation(text)
    }
  }
  return undefined
}

/** A street and a town below the name: the window of a letter. */
function hasAddressBelow(lines: readonly PlacedLine[], index: number): boolean {
  const below = lines.slice(index + 1, index + 5).map(({ cells }) => cells[0]?.text ?? '')
  const isTown = (text: string) =>
    /\b[A-Z]{2} \d{5}(-\d{4})?$|^(?:[A-Z]-)?\d{4,5} \p{Lu}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$/u.test(text) &&
    text.length < 60 &&
    !text.includes(',  ')
  return below.some(
    (text, at) => at > 0 && isTown(text) && /\d/.test(below[at - 1] ?? '') && !(below[at - 1] ?? '').includes(':'),
  )
}

function isTitle(words: readonly string[]): boolean {
  return periods.titles.in(words) !== undefined
}

function titleLine(title: string): PlacedLine {
  return { page: 0, number: 0, cells: [{ text: title, left: 0, right: 1 }], text: title }
}

/** Whose details stand at a place: told by the nearest heading or name above it, in its own column. */
export function ownerOfLine(
  document: ReadDocument,
  page: number,
  index: number,
  left: number,
  names: readonly string[][],
): 'client' | 'other' | 'unknown' {
  const lines = document.pages[page]?.lines ?? []
  let empty = 0
  for (let at = index; at >= 0 && at > index - 14; at--) {
    const line = lines[at]
    if (!line || line.cells.length === 0) {
      if (++empty > 3) break
      continue
    }
    // In the same line only what stands before it counts; above, what stands over it or runs along from the left.
    for (const cell of line.cells.toReversed()) {
      if (at === index && cell.left > left) continue
      if (at !== index && cell.left > left + 40) continue
      const owner = ownerOfText(cell.text, names, at === index, empty > 0)
      // A name or a heading further away in another column says nothing about this one.
      const isNear = at === index || Math.abs(cell.left - left) <= 60 || line.cells.length === 1
      if (owner !== 'unknown' && isNear) return owner
    }
    if (mentionsSubject(line.text, names)) return 'client'
    if (empty > 0 && at < index - 8) break
  }
  return 'unknown'
}

function ownerOfText(
  text: string,
  names: readonly string[][],
  isSameLine: boolean,
  isApart: boolean,
): 'client' | 'other' | 'unknown' {
  if (mentionsSubject(text, names)) return 'client'
  // Beyond an empty line a name is that of another block.
  if (isOrganisation(text) && !isApart) return 'other'
  const words = wordsOf(text)
  // `Prepared by: …`, however long it is.
  if (partyWords.others.at(words, 0) && /^[^:]{2,40}:/.test(text)) return 'other'
  if (words.length > 12) return 'unknown'
  const other = partyWords.others.in(words)
  const client = partyWords.client.in(words)
  const isHeading = (words.length <= 9 && !/\d{3}/.test(text)) || text.trim().endsWith(':')
  if (other && (isHeading || isSameLine)) return client && client.begin < other.begin ? 'client' : 'other'
  return client && isHeading && words.length <= 5 && !isSameLine ? 'client' : 'unknown'
}

function countOf(words: readonly string[], phrases: typeof statements): number {
  const seen = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    const found = phrases.at(words, at)
    if (found) seen.add(words.slice(at, at + found.length).join(' '))
  }
  return seen.size
}
