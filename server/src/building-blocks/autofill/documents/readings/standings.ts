// How a document stands to the subject: whether it is its own, was written to it, or only mentions it. Labels decide, then
// who is named first at the top.

import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { accountWords, courts, letters, parties as partyWords, preparers } from '../words/vocabulary.ts'
import { beginsWithSubject, isSubject, mentionsSubject, type Names } from './company-names.ts'
import { isClientFirst } from './heading-owners.ts'
import type { MailSender } from './mails.ts'
import { isOrganisation } from './organisations.ts'
import { isOther } from './other-companies.ts'
import type { Pair } from './pair.ts'
import { ownerOfPlace } from './place-owners.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

/**
 * `named`: a label says that it is the subject's. `titled`: its heading does. `addressed`: somebody else wrote it to the
 * subject. `mentioned`: the subject appears somewhere. `absent`: nobody is named. `alone`: nor does
 * anything else say that it is about somebody else. `other`: it is somebody else's.
 */
export type Standing = 'named' | 'titled' | 'addressed' | 'mentioned' | 'absent' | 'alone' | 'other'

/** So many lines are the head of a document. */
export const headLines = 12

/** `Landlord's name`, but not `Account owner`. */
function isOfOther(label: string): boolean {
  const other = partyWords.others.in(wordsOf(label))
  return other !== undefined && !isClientFirst(label, other)
}

export function standingOf(
  document: ReadDocument,
  pairs: readonly Pair[],
  names: Names,
  isRegister: boolean,
  isOtherRegister: boolean,
): Standing {
  const named = pairs.filter(
    ({ labels, label_text, values }) =>
      labels.some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact) &&
      (!isOfOther(label_text) || (isOtherRegister && isSubject(values[0]?.text ?? '', names))),
  )
  const labelled = named.filter(
    (pair) => ownerOfPlace(document, pair.page, pair.index - 1, pair.cell.left, names, true) !== 'other',
  )
  const nameOf = ({ values }: Pair) => values[0]?.text ?? ''
  // `Name, type and address of the legal entity for which …`: a longer label than any list has.
  const isWordy = pairs.some(
    (pair) =>
      pair.relation !== 'inline' &&
      pair.labels.some(({ fact, certainty }) => fact === 'business.legal_name' && certainty === 'sure') &&
      !isOfOther(pair.label_text) &&
      isSubject(nameOf(pair), names),
  )
  const isSure = ({ labels }: Pair) => labels.some(({ certainty }) => certainty === 'sure')
  // `Company: Lee Bakery GmbH`, `Owner: Lee Holding GmbH`: the surer label says whose it is.
  const sureOther = named.find(
    (pair) => isSure(pair) && isOrganisation(nameOf(pair)) && !mentionsSubject(nameOf(pair), names),
  )
  // On a later page they are those of owners and the like.
  const isBefore = ({ page }: Pair) => sureOther === undefined || page < sureOther.page
  const isNamed = named.some((pair) => mentionsSubject(nameOf(pair), names) && (isSure(pair) || isBefore(pair)))
  if (isWordy || isNamed || isFilledInFirst(document, names)) return 'named'
  // The record may know the business by the name it trades under.
  const traded = pairs.filter(({ labels }) =>
    labels.some(({ fact, is_exact }) => fact === 'business.trading_name' && is_exact),
  )
  if (traded.some((pair) => pair.relation !== 'inline' && isSubject(nameOf(pair), names))) return 'named'
  const top = headOf(document, names)
  const isReport = top.slice(0, headLines).some(({ text }) => isTitle(wordsOf(text)))
  const standing = standingInHead(top, names, isReport)
  const isNamedOther = named.some(
    (pair) => isOrganisation(nameOf(pair)) && (isSure(pair) || pair.relation === 'behind'),
  )
  // An extract has names of agents and directors too.
  const isOthers = isRegister ? named.some((pair) => isOrganisation(nameOf(pair)) && isSure(pair)) : isNamedOther
  if (isOthers && standing !== 'titled') return 'other'
  // Who certifies stands above whom it is about.
  if (standing) return isRegister || isHeaded(document, names) || isOnCover(document, names) ? 'titled' : standing
  const isMentioned = document.pages.some(({ lines }) => lines.some(({ text }) => mentionsSubject(text, names)))
  if (isMentioned) return isRegister ? 'titled' : 'mentioned'
  const hasOther =
    top
      .slice(0, 4)
      .some((line) => !isShareOf(line) && line.cells.length <= 2 && line.cells.some(({ text }) => isOther(text))) ||
    labelled.some((pair) => isSure(pair) && nameOf(pair) !== '')
  return hasOther ? 'other' : 'absent'
}

/** A form whose first fields hold the name, whatever their captions are. */
function isFilledInFirst({ pages }: ReadDocument, names: Names): boolean {
  const fields = (pages[0]?.lines ?? []).flatMap(({ cells }) => cells.filter(({ field }) => field !== undefined))
  return fields.slice(0, firstFields).some(({ text, field = '' }) => isSubject(text, names) && !isOfOther(field))
}

const firstFields = 3

/** `Lee Holding GmbH  45 %`: one of the owners. */
function isShareOf({ cells }: PlacedLine): boolean {
  return cells.length === 2 && /^\d{1,3}(?:[.,]\d+)?\s?%$/.test(cells[1]?.text.trim() ?? '')
}

/** A page of figures that begins with the name: the accounts behind the letter of those who have looked at them. */
function isHeaded({ pages }: ReadDocument, names: Names): boolean {
  return pages.slice(0, 10).some(({ lines }) => {
    const top = lines.filter(({ cells }) => cells.length > 0).slice(0, 4)
    const at = top.findIndex(({ text }) => isSubject(text, names))
    const isReport = top.some(({ text }) => periods.titles.in(wordsOf(text)) !== undefined)
    return at !== -1 && at < 2 && isReport
  })
}

/** The first lines of every page, and the names of sheets that name the subject. */
function headOf({ pages }: ReadDocument, names: Names): PlacedLine[] {
  return pages.slice(0, 10).flatMap(({ lines, title }) => {
    const filled = lines.filter(({ cells }) => cells.length > 0).slice(0, headLines)
    return title !== '' && mentionsSubject(title, names) ? [titleLine(title), ...filled] : filled
  })
}

/** Who writes a letter stands at its top; whom it is about or written to, further down. */
export function standingOfLetter(
  document: ReadDocument,
  pairs: readonly Pair[],
  names: Names,
  isOtherRegister: boolean,
  isOfAccount: boolean,
): Standing {
  // Details that are written one below the other, with the full name, are the subject's own.
  const listed = pairs.filter(
    ({ labels, relation, label_text, cell, values }) =>
      (relation === 'behind' ||
        relation === 'beside' ||
        relation === 'field' ||
        (relation === 'inline' && cell.text.startsWith(label_text))) &&
      labels.some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact) &&
      // An office calls those whom it registers for a tax vendors or employers.
      (isOtherRegister || (labels.some(({ certainty }) => certainty === 'sure') && !isOfOther(label_text))) &&
      isSubject(values[0]?.text ?? '', names),
  )
  const top = headOf(document, names)
  // `Account holder`, in what a bank has written to its customer.
  const isOfBank = !isOfAccount && listed.every(({ label_text }) => accountWords.in(wordsOf(label_text)) !== undefined)
  const isByOther = isAttestedByOther(top, names) || (isOfBank && standingInHead(top, names) === 'addressed')
  if (listed.length > 0 && !isByOther) return 'named'
  const isWritten = isWriterByHead(top, names) || isIssuer(top, names)
  return standingInHead(top.slice(0, 3), names) === 'titled' || isWritten || isOnCover(document, names)
    ? 'titled'
    : 'addressed'
}

/** The letterhead of another company, and below it `We certify that`: whoever attests writes down what others have told. */
function isAttestedByOther(top: readonly PlacedLine[], names: Names): boolean {
  const own = top.findIndex(({ text }) => mentionsSubject(text, names))
  const before = own === -1 ? top : top.slice(0, own)
  return (
    before.slice(0, 4).some(({ cells }) => cells.some(({ text }) => isOther(text))) &&
    before.some(({ text }) => attests.test(text.slice(0, 300)))
  )
}

const attests =
  /^(?:je soussignée?|nous soussignée?s|nous attestons|nous certifions|i,? the undersigned|we,? the undersigned|we (?:hereby )?(?:certify|confirm)|hiermit (?:bestätige|bescheinige)|(?:wir|ich) (?:bestätige|bescheinige)|el que suscribe|la que suscribe|quien suscribe|certificamos|por la presente certific)/i

/** `Issuer | Customer` over `Lee Bakery Ltd | Best Homes Ltd` */
function isIssuer(top: readonly PlacedLine[], names: Names): boolean {
  return top.some(({ cells }, index) =>
    cells.some((cell) => {
      const below = top[index + 1]?.cells.find((one) => Math.abs(one.left - cell.left) <= 3)
      return partyWords.issuer.has(wordsOf(cell.text).join(' ')) && isSubject(below?.text ?? '', names)
    }),
  )
}

/** The first who is named, with another company below `Bill to`. */
function isWriterByHead(top: readonly PlacedLine[], names: Names): boolean {
  const own = top.findIndex(({ text }) => mentionsSubject(text, names))
  const isFirst =
    own !== -1 && own < 4 && !top.slice(0, own).some(({ cells }) => cells.some(({ text }) => isOther(text)))
  return isFirst && isWriter(top, own, names)
}

/** Who is named at a line, with nothing above but a title or the same name, and another company below `Bill to`. */
function isWriter(lines: readonly PlacedLine[], index: number, names: Names): boolean {
  const [text = '', words] = [lines[index - 1]?.text.trim(), wordsOf(lines[index - 1]?.text ?? '')]
  const isOwn = names.some(([first = '']) => words.includes(first)) || letters.at(words, 0) !== undefined
  // `Service location`, and below it the name: where the work was done.
  const isHeaded = /^[\p{L}\s]{3,40}:?$/u.test(text) && !isOwn
  return !isHeaded && isWrittenToOther(lines.slice(index + 1), names)
}

/** `Annual accounts`, and right below it whose they are: the accountants who have made them stand above both. */
function isOnCover({ pages }: ReadDocument, names: Names): boolean {
  const top = (pages[0]?.lines ?? []).filter(({ cells }) => cells.length > 0).slice(0, headLines)
  return top.some(({ text }, at) => isCoverTitle(text) && isSubject(top[at + 1]?.text ?? '', names))
}

/** Who sent it is told by the address, and by the name in a line of its own: that of a title or of who signs. */
export function standingOfMail(
  lines: readonly PlacedLine[],
  names: Names,
  standing: Standing,
  sender: MailSender,
): Standing {
  const isSigned = lines.some(({ cells }) => cells.length <= 2 && cells.some(({ text }) => isSubject(text, names)))
  if (standing === 'titled' && (!isSigned || sender === 'other')) return 'mentioned'
  return standing === 'mentioned' && isSigned && sender === 'own' ? 'titled' : standing
}

/** By the first lines of a page: who stands first has written it, and who is written to comes after `To`. */
function standingInHead(lines: readonly PlacedLine[], names: Names, isReport = false): Standing | undefined {
  let isOtherFirst = false
  let isAddressed = false
  for (const [index, { cells }] of lines.entries()) {
    for (const { text } of cells) {
      const words = wordsOf(text)
      if (words.length === 0) continue
      if (mentionsSubject(text, names)) {
        const own = partyWords.addressee.at(words, 0)
        // `Requested by: Lee Bakery LLC` is no title.
        const isAbout =
          isSubject(text, names) ||
          beginsWithSubject(text, names) ||
          (index === 0 && isBeforeTradingName(text, names)) ||
          (words.length <= 14 && !/^[^:]{2,40}:/.test(text) && !isSentence(text, names))
        if (!isAbout) continue
        if (isIssuer(lines.slice(Math.max(0, index - 1), index + 1), names)) return 'titled'
        // Below `Annual accounts` stands whose they are, with the address.
        const isCover = lines
          .slice(0, index)
          .some((line) => line.page === lines[index]?.page && isCoverTitle(line.text))
        const isInWindow = index > 0 && !isCover && hasAddressBelow(lines, index) && !isWriter(lines, index, names)
        return isOtherFirst || isAddressed || isInWindow || (own && own.length < words.length && !isTitle(words))
          ? 'addressed'
          : 'titled'
      }
      const addressee = partyWords.addressee.at(words, 0)
      isAddressed ||= addressee !== undefined && (addressee.length === words.length || text.trim().endsWith(':'))
      // A list names many; who wrote it stands by itself. The office whose form it is has not filled it in.
      // And who has prepared accounts is not whose they are.
      const isPreparer = isReport && words.some((word) => preparers.has(word))
      const isName = isOrganisation(text) && courts.in(words) === undefined && !endsAsReport.test(text)
      isOtherFirst ||= cells.length <= 2 && isName && !isPreparer
    }
  }
  return undefined
}

/** `Lee Bakery LLC, dba: Best Bread` */
function isBeforeTradingName(text: string, names: Names): boolean {
  const [, name = ''] = /^([^:]{3,80}?),?\s(?:dba|d\/b\/a|t\/a|trading as)\b/i.exec(text) ?? []
  return isSubject(name, names)
}

/** `Call with Ann Lee re Lee Bakery.` is no title. */
function isSentence(text: string, names: Names): boolean {
  return /\p{Ll}{2}\.$/u.test(text.trim()) && wordsOf(text).length > 6 && !mentionsSubject(text.slice(0, 40), names)
}

/** `Bill to`, and below it the name of another company: who stands above that has written it. */
function isWrittenToOther(lines: readonly PlacedLine[], names: Names): boolean {
  return lines.some(({ cells }, index) => {
    const heading = cells.find(({ text }) => {
      const words = wordsOf(text)
      return words.length > 0 && partyWords.addressee.at(words, 0)?.length === words.length
    })
    const below = heading && lines[index + 1]?.cells.find((cell) => Math.abs(cell.left - heading.left) <= 3)
    return below !== undefined && isOrganisation(below.text) && !mentionsSubject(below.text, names)
  })
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

/** `Annual accounts`, `Annual accounts to 31 March 2026`: a title and nothing else. */
function isCoverTitle(text: string): boolean {
  const words = wordsOf(text)
  const found = periods.titles.at(words, 0)
  return found !== undefined && (found.length === words.length || /\b(?:19|20)\d\d\b/.test(text))
}

/** `Payroll Activity Summary`: what a program calls what it prints. */
const endsAsReport =
  /(?<=\p{L}\s)(?:summary|report|register|journal|ledger|overview|übersicht|bericht|informe|resumen)$/iu

function isTitle(words: readonly string[]): boolean {
  return periods.titles.in(words) !== undefined
}

function titleLine(title: string): PlacedLine {
  return { page: 0, number: 0, cells: [{ text: title, left: 0, right: 1 }], text: title }
}
