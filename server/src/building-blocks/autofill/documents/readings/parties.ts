// Who is who in a document: whose it is, who wrote it, and whose details stand in a part of it. The names of the record
// decide; a name that is not one of them is somebody else's.

import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import {
  assessments,
  bills,
  insurances,
  letters,
  otherRegisters,
  registers,
  statements,
  statementTitles,
} from '../words/vocabulary.ts'
import { mentionsSubject, type Names, namesOf, type Subject } from './company-names.ts'
import type { MailSender } from './mails.ts'
import { isNameless } from './nameless-notes.ts'
import { isOrganisation } from './organisations.ts'
import type { Pair } from './pair.ts'
import { isInParts } from './person-in-parts.ts'
import type { PlacedLine, ReadDocument } from './places.ts'
import { headLines, type Standing, standingOf, standingOfLetter, standingOfMail } from './standings.ts'
import { fullerNames, isFoundingDeed } from './subject-names.ts'

export interface Parties {
  standing: Standing
  /** A statement of an account: the bank wrote it, the balance is the holder's. */
  is_statement: boolean
  /** Its balance is what is to be paid. */
  is_bill: boolean
  /** A letter, an invoice, a contract: two parties, each with details of its own. */
  is_letter: boolean
  /** Profit and loss, a tax return: its figures are those of one business. */
  is_report: boolean
  /** What a register says of one business. */
  is_register: boolean
  /** A tax office says what the business owes, or an insurer what it has insured. */
  is_assessment: boolean
  /** Its head speaks of the registration of something else: for a tax, a licence, a trade mark. */
  is_other_register: boolean
  names: Names
}

export function partiesOf(
  document: ReadDocument,
  pairs: readonly Pair[],
  subject: Subject,
  sender?: MailSender,
): Parties {
  const names = namesOf(subject, fullerNames(document, pairs, subject))
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
  const isLetter = lines
    .slice(0, 40)
    .some(({ cells }, at) => cells.length <= 2 && cells.some(({ text }) => isLetterLine(text, at === 0)))
  const isRegister = lines
    .slice(0, headLines)
    .some(
      ({ text }) => text.length <= 120 && (registers.in(wordsOf(text)) !== undefined || isFoundingDeed(text, names)),
    )
  const isOtherRegister = lines.slice(0, headLines).some(isTitleOfOther)
  const isOfAccount = isStatement(words, head)
  const standing = standingOf(document, pairs, names, isRegister, isOtherRegister)
  const isTwoSided = isLetter && !isRegister && (standing === 'named' || standing === 'titled')
  const standingAs = () => {
    // A greeting makes no letter of somebody else's of what the subject has sent.
    if (isTwoSided && sender !== 'own') return standingOfLetter(document, pairs, names, isOtherRegister, isOfAccount)
    if (sender) return standingOfMail(lines, names, standing, sender)
    // `Name: Lee` alone is somebody else.
    const mayBeInParts = standing === 'absent' || (standing === 'other' && !namesCompany(pairs, names))
    if (mayBeInParts && !isLetter && isInParts(document, subject)) return 'named'
    if (standing !== 'absent') return standing
    return !isLetter && isNameless(document, pairs) ? 'alone' : standing
  }
  return {
    names,
    is_statement: isOfAccount,
    is_bill: lines.slice(0, 60).some(isLineOfBill),
    is_letter: isLetter,
    is_report: periods.titles.in(head) !== undefined,
    is_register: isRegister,
    is_assessment: lines.slice(0, 20).some(({ text }) => {
      const own = wordsOf(text.slice(0, 121))
      // `Please attach: insurance certificate` is no title.
      const isTitle = own.length <= 10 && !text.includes(':') && insurances.in(own) !== undefined
      return isTitle || (text.length <= 120 && assessments.in(own) !== undefined)
    }),
    is_other_register: isOtherRegister,
    standing: standingAs(),
  }
}

/** A form that asks for an account has its number too: a statement says so in its title, or has several marks of one. */
function isStatement(words: readonly string[], head: readonly string[]): boolean {
  const marks = countOf(words, statements)
  return marks >= 4 || (marks >= 2 && statementTitles.in(head) !== undefined)
}

/** `Amount due $4,918.27`, but no entry of an account such as `12 May  Tax invoice 224`. */
function isLineOfBill({ cells }: PlacedLine): boolean {
  const [first] = cells
  const isEntry = first === undefined || /^\d/.test(first.text)
  return !isEntry && cells.some(({ text }) => text.length <= 60 && bills.at(wordsOf(text), 0) !== undefined)
}

/** `Value Added Tax`: a title, not `VAT number: 123`. */
function isTitleOfOther({ cells, text }: PlacedLine): boolean {
  const words = wordsOf(text)
  return cells.length === 1 && words.length <= 8 && !/[\d:]/.test(text) && otherRegisters.in(words) !== undefined
}

/** Whether a label for names has one of another company beside it. */
function namesCompany(pairs: readonly Pair[], names: Names): boolean {
  return pairs.some(({ labels, values }) => {
    const name = values[0]?.text ?? ''
    return labels.some(({ fact }) => nameFacts.has(fact)) && isOrganisation(name) && !mentionsSubject(name, names)
  })
}

const nameFacts = new Set(['business.legal_name', 'business.trading_name'])

/** `Invoice 4711`, `Dear Sirs`: at the beginning of a short line, or of a title. */
function isLetterLine(text: string, isFirst: boolean): boolean {
  const words = wordsOf(text)
  return words.length <= (isFirst ? 14 : 6) && letters.at(words, 0) !== undefined
}

function countOf(words: readonly string[], phrases: typeof statements): number {
  const seen = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    const found = phrases.at(words, at)
    if (found) seen.add(words.slice(at, at + found.length).join(' '))
  }
  return seen.size
}
