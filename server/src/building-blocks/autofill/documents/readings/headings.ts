// The name of the subject where no label stands: in headings, letterheads and footers.

import { isLegalForm } from '../../legal-form-names.ts'
import { people } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import {
  isA,
  legalFormNames,
  legalFormPhrases,
  legalForms,
  parties as partyWords,
  theCompany,
} from '../words/vocabulary.ts'
import { hasBoxes, isBulleted, tickedIn } from './choices.ts'
import {
  isFullerName,
  isSubject,
  isWholeName,
  mentionsSubject,
  type Names,
  namesOf,
  type Subject,
  shortForm,
  subjectIn,
  withoutClientNumber,
} from './company-names.ts'
import { isLabel } from './labels.ts'
import { localForm } from './legal-form-values.ts'
import type { Parties } from './parties.ts'
import { isRole } from './person-names.ts'
import { placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

/** What a title says of the legal form: `Return for an S Corporation`; in an extract of a register, any words for one. */
/** `a Did any foreign or domestic corporation …`, `… corporation? If “Yes,” …`: what a form wants to know. */
const asks = /\?(?:\s|$)|^(?:\d{0,2}[a-z]?\s{1,3})?(?:did|does|do|is|was|has|have|were)\b/i

export function readForms(document: ReadDocument, { is_register, is_report, names }: Parties): Reading[] {
  return document.pages.slice(0, 8).flatMap(({ lines }) =>
    lines.slice(0, 80).flatMap((line, index): Reading[] => {
      // `Type of entity of the landlord:` says whose boxes stand below it.
      const isOthers = partyWords.others.in(wordsOf(lines[index - 1]?.text ?? '')) !== undefined
      const isChoice = hasBoxes(line.text) && !isNameInList(line.text) && !isOthers
      // `☒ LLC. Enter the tax classification`
      const [ticked] = (isChoice ? tickedIn(line.text) : undefined)?.split(/\.\s/) ?? []
      // `Limited partner` is what an owner is.
      const form = ticked !== undefined && isForm(ticked) && !/\bpartner\b/i.test(ticked) ? ticked : undefined
      if (form !== undefined)
        return [
          {
            fact: 'business.legal_form',
            value: localForm(form, document, true),
            label: line.text,
            doubts: [],
            place: placeOf(line),
          },
        ]
      if (hasBoxes(line.text)) return []
      const words = wordsOf(line.text.slice(0, 300))
      // `To file a Form 1120-S you must …` is advice, `Lee Bakery Limited is a private company …` is not.
      const isAdvice = is_report && words.length > 7 && (/[\p{Ll}\d]\.\s*$/u.test(line.text) || asks.test(line.text))
      const isTold = () =>
        [line.text, `${lines[index - 1]?.text ?? ''} ${line.text}`].some((text) => saysWhatItIs(text, names))
      if (isAdvice && !isTold()) return []
      // `…; partnerships must generally file Form 1065.` is said to others.
      if (/\bmust (?:generally )?file\b/i.test(line.text)) return []
      // `… partnerships must generally file`, and `Form 1065.` below it.
      const isAbove = lines.slice(Math.max(0, index - 3), index).some(({ text }) => /\bfile$/i.test(text.trim()))
      if (isAbove && /^form\b/i.test(line.text)) return []
      // `2025 gross receipts: $2,267,914 (Form 1065, line 1a)` says where a figure stands.
      if (/\bform \d{3,4}\S*,? line \d/i.test(line.text)) return []
      const found = legalFormPhrases.in(words) ?? (is_register ? legalFormNames.in(words) : undefined)
      const value = found?.meaning[0]
      if (value === undefined) return []
      return [{ fact: 'business.legal_form', value, label: line.text, doubts: [], place: placeOf(line) }]
    }),
  )
}

/** `Lee Bakery, Inc. (a Delaware corporation)`, or what stands in the brackets below the name. */
export function readFormBelowTitle({ pages }: ReadDocument, { names, standing, is_letter }: Parties): Reading[] {
  const lines = pages[0]?.lines.filter(({ cells }) => cells.length > 0).slice(0, 6) ?? []
  const bracket = /\s\(([^()]{5,60})\)\s*$/
  const at = lines.findIndex(({ text }) => isSubject(text.replace(bracket, ''), names))
  if (at === -1 || is_letter || standing !== 'titled') return []
  // What stands in brackets says what it is, or that more is to come about somebody else.
  const until = bracket.test(lines[at]?.text ?? '') ? at + 1 : at + 3
  return lines.slice(at, until).flatMap((line, index): Reading[] => {
    const text = line.cells[0]?.text ?? ''
    const [head = ''] = index === 0 ? [bracket.exec(text)?.[1]] : text.split(/[,.;:]/)
    const value = formOfState(head.replace(/^\(|\)$/g, ''))
    if (value === undefined) return []
    return [{ fact: 'business.legal_form', value, label: line.text, doubts: [], place: placeOf(line) }]
  })
}

/** `Delaware corporation`: what the law of a state calls it. */
function formOfState(text: string): string | undefined {
  const parts = text.trim().split(/\s+/)
  const own = /^an?$/i.test(parts[0] ?? '') ? parts.slice(1) : parts
  // `Birch Tree Corporation` is a name.
  const isForm = (from: number) => {
    const form = own.slice(from).join(' ')
    return isLegalForm(form) && form.length > 8 && !/\p{Lu}\p{Ll}/u.test(form)
  }
  const from = [1, 2].find((at) => own.length > at && isForm(at))
  const isState = own.slice(0, from).every((part) => /^\p{Lu}\p{Ll}+$/u.test(part))
  return from !== undefined && isState && !isLabel(text) ? own.join(' ') : undefined
}

/** Whether a sentence that begins with its name, or with the company of the accounts, says at once what it is. */
function saysWhatItIs(text: string, names: Names): boolean {
  return text
    .slice(0, 300)
    .split(/\.\s+(?=\p{Lu})/u)
    .some((sentence) => {
      const places = [...sentence.matchAll(/[\p{L}\p{N}]+/gu)]
      const words = places.map(([word]) => wordsOf(word)[0] ?? '')
      const found = isA.in(words)
      if (!found || !legalFormPhrases.at(words, found.begin + found.length)) return false
      const name = sentence.slice(0, places[found.begin]?.index ?? 0).trim()
      return isSubject(name, names) || theCompany.has(wordsOf(name).join(' '))
    })
}

/** A tick before a form is a choice, but before a name it is a bullet. */
function isNameInList(text: string): boolean {
  return isBulleted(text) && isWholeName(text.replace(/^\W+/u, ''))
}

function isForm(choice: string): boolean {
  const words = wordsOf(choice)
  return words.length <= 6 && (legalForms.in(words) !== undefined || /partnership|proprietor|sole trader/i.test(choice))
}

/** The name as the business itself writes it, with what the record leaves out. */
function fullNameIn(pages: ReadDocument['pages'], name: string): Reading | undefined {
  for (const { lines } of pages.slice(0, 5))
    for (const line of lines)
      for (const cell of line.cells) {
        const text = withoutClientNumber(cell.text)
        const [before = ''] = text.split(
          /(?<=\p{L}{2})[.,;]?\s[-–—|]\s|,\s(?=.*\d)|(?<=\p{L}{3})\.\s(?!ltd|limited|bhd)|(?<=\p{L}{2})\.$|\s(?=(?:is an?|ist eine?|est une?|es una)\s)/iu,
        )
        const whole = text[before.length] === '.' && shortForm.test(before) ? `${before}.` : before
        // `Controller, Lee Bakery Ltd` signs.
        const value = whole.replace(/^([^,]{3,30}),\s+/, (part, role) => (isRole(role) ? '' : part))
        if (value.length <= 90 && isWholeName(value) && isFullerName(value, name) && !isTitleOf(value, name))
          return { fact: 'business.legal_name', value, label: 'heading', doubts: [], place: placeOf(line) }
      }
  return undefined
}

/** `Shareholders of Lee Bakery Ltd`: the whole name of the record, and before it what the page is about. */
function isTitleOf(text: string, name: string): boolean {
  const names = namesOf({ legal_name: name, trading_name: null, country: null })
  const own = subjectIn(text, names)
  if (own === undefined || isSubject(text, names) || !text.endsWith(own)) return false
  const before = wordsOf(text.slice(0, -own.length).replace(/\s(?:de|du|des|del|of|der|von)\s*$/iu, ''))
  // `Liste der Gesellschafter der Lee Bäckerei GmbH`
  return people.owners.has(before.join(' ')) || (before.length > 1 && people.headings.has(before.at(-1) ?? ''))
}

/** The legal name, once, where it stands by itself or in a title. */
export function readHeadings(
  { pages }: ReadDocument,
  { names, standing }: Parties,
  { legal_name }: Subject,
): Reading[] {
  if (!legal_name || standing === 'absent' || standing === 'alone' || standing === 'other') return []
  const own = names.filter((name) => isSubject(legal_name, [name]))
  const full = fullNameIn(pages, legal_name)
  if (full) return [full]
  for (const { lines } of pages)
    for (const line of lines)
      for (const { text } of line.cells)
        if (mentionsSubject(text, own))
          return [
            {
              fact: 'business.legal_name',
              value:
                isSubject(text, own) && text.length <= 90
                  ? text
                  : (subjectIn(text, own)?.replace(/^[-–—]\s/u, '') ?? legal_name),
              label: 'heading',
              doubts: [],
              place: placeOf(line),
            },
          ]
  return []
}
