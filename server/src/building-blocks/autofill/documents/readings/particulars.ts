// What identifies a business and how it is reached: names, numbers of registers, address, phone, and its beginning.
import { wordsOf } from '../words/phrases.ts'
import { examples, nothing, proseWords, registeredWords, salesTaxes } from '../words/vocabulary.ts'
import { addressAt, addressOfParts } from './addresses.ts'
import {
  isSubject,
  isWholeName,
  mentionsSubject,
  type Names,
  subjectIn,
  withArticle,
  withoutClientNumber,
} from './company-names.ts'
import { datesIn, isoOf } from './dates.ts'
import { figureFacts } from './figures.ts'
import { emailIn, identifierIn, isTaxAccount, phoneIn, websiteIn } from './identifiers.ts'
import { beforeNextLabel, contacts, isLabel, type ReadLabel, taxAndRegister } from './labels.ts'
import { type FoundValue, legalFormValue } from './legal-form-values.ts'
import { isOrganisation } from './organisations.ts'
import { isBehindOther, isForeign } from './others-particulars.ts'
import type { Pair } from './pair.ts'
import type { Parties } from './parties.ts'
import { isSigned } from './place-owners.ts'
import { overlap, placeOf, type ReadDocument } from './places.ts'
import type { Doubt, Reading } from './reading.ts'
import { shortText } from './short-texts.ts'
import { nameBehindVerb } from './subject-names.ts'

export function readParticulars(document: ReadDocument, pairs: readonly Pair[], parties: Parties): Reading[] {
  const named = firstMention(document, parties.names)
  return pairs.flatMap((pair) =>
    pair.labels.flatMap((label): Reading[] => {
      if (figureFacts.has(label.fact)) return []
      const found = readValue(document, pairs, pair, label, parties)
      if (!found) return []
      const doubts: Doubt[] = [...found.doubts]
      // `Lee Bakery LLC (registered number 123)`: the name before the label says whose it is.
      if (!label.is_exact && !mentionsSubject(pair.label_text, parties.names))
        doubts.push(pair.relation === 'inline' ? 'prose' : 'label')
      // The subject's own name is its own wherever it stands.
      const isOwnName = label.fact === 'business.legal_name' && isSubject(found.value, parties.names)
      const isOthers = isForeign(document, pair, label, parties) || isBehindOther(pair.before ?? '', parties.names)
      if (!isOwnName && isOthers) doubts.push('owner')
      if (contacts.has(label.fact) && isSigned(pair.cell.text)) doubts.push('owner')
      // What stands above whom a form is about belongs to whoever made the form.
      const isLetterhead = pair.page === named?.page && pair.index < named.index
      if (contacts.has(label.fact) && label.certainty === 'likely' && isLetterhead) doubts.push('owner')
      // The small print of a statement is the bank's.
      const isSmallPrint = parties.is_statement && pair.relation === 'inline' && taxAndRegister.has(label.fact)
      if (isSmallPrint && !mentionsSubject(pair.line.text, parties.names)) doubts.push('owner')
      if (isList(document, pair)) doubts.push('number')
      const text = pair.label_text.trim()
      const fact = factOf(label.fact, found.value, text, parties)
      const isPlain = label.is_plain && label.is_exact && pair.relation !== 'inline'
      return [{ fact, value: found.value, label: text, is_plain: isPlain, doubts, place: placeOf(pair.value_line) }]
    }),
  )
}

function firstMention({ pages }: ReadDocument, names: Names) {
  for (const [page, { lines }] of pages.entries()) {
    const index = lines.findIndex(({ text }) => mentionsSubject(text, names))
    if (index !== -1) return { page, index }
  }
  return undefined
}

/** What the form of a value says of it: the number of a Swiss company is one of taxes only where it says so. */
function factOf(fact: string, value: string, label: string, { is_other_register, names }: Parties): string {
  if (fact === 'address.street') return 'business.registered_address'
  // In Britain the `registered business name` is the legal one.
  const isRegistered = registeredWords.in(wordsOf(label)) !== undefined
  if (fact === 'business.trading_name' && isRegistered && isWholeName(value) && isSubject(value, names))
    return 'business.legal_name'
  // `Registration number (VRN)` below `Value Added Tax`
  if (fact === 'business.registration_number' && is_other_register && salesTaxes.in(wordsOf(label)))
    return 'business.tax_id'
  if (fact === 'business.registration_number' && isTaxAccount(value, label)) return 'business.tax_id'
  const isPlainUid = /^CHE-/.test(value) && !/mwst|tva|iva|vat/i.test(`${label} ${value}`)
  return fact === 'business.tax_id' && isPlainUid ? 'business.registration_number' : fact
}

function readValue(
  document: ReadDocument,
  pairs: readonly Pair[],
  pair: Pair,
  { fact, certainty }: ReadLabel,
  parties: Parties,
): FoundValue | undefined {
  const [first, second] = pair.values
  // `Company registration number | 2 | 08630274`: the number of the box.
  const isBox =
    taxAndRegister.has(fact) && /^\d{1,2}$/.test(first?.text.trim() ?? '') && /\d{5}/.test(second?.text ?? '')
  const text = (isBox ? second : first)?.text.trim() ?? ''
  // `EIN (example 12-3456789): applied for`
  const bracket = /^\([^()]*\)|\([^()]*\)$/.exec(text.slice(0, 200))?.[0] ?? ''
  const isExample = examples.at(wordsOf(bracket), 0) !== undefined
  if (text === '' || isExample || nothing.has(wordsOf(text).join(' '))) return undefined
  const likely: Doubt[] = certainty === 'likely' ? ['label'] : []
  const plain = (value: string | undefined, doubts: Doubt[] = likely) =>
    value === undefined ? undefined : { value, doubts }
  switch (fact) {
    case 'business.legal_name':
      return nameValue(pair, nameAcross(document, pair, text, parties), parties, likely)
    case 'business.trading_name':
      // `… is a trading name of Lee Bakery Ltd`
      if (pair.relation === 'inline' && /^\p{Ll}{2,3}\s/u.test(text)) return undefined
      return plain(
        shortText(beforeNextLabel(text)),
        pair.relation === 'inline' && !isAfterSubject(pair, parties) ? ['prose'] : [],
      )
    case 'business.tax_id': {
      const number = withCountry(
        pair,
        numberInBoxes(pair) ?? identifierIn(text) ?? identifierIn(nextText(document, pair)),
      )
      // `BN | 54 300` is a code of a form and an amount: no tax number is as short.
      return plain(number !== undefined && wordsOf(number).join('').length < shortestTaxNumber ? undefined : number)
    }
    case 'business.registration_number': {
      // `IC 3419 (2008/04)` is the number of a form.
      if (/\((?:19|20)\d\d\/\d\d\)/.test(text)) return undefined
      const sheet = sheetIn(text)
      if (sheet !== undefined) return plain(sheet, [])
      return plain(withCourt(pair, identifierIn(text) ?? identifierIn(nextText(document, pair))))
    }
    case 'business.phone':
      return plain(phoneIn(withRest(text, pair.values[1]?.text ?? '')))
    case 'business.email':
      return plain(emailIn(text))
    case 'business.website':
      return plain(websiteIn(text))
    case 'business.founded_on':
      // `If your business started after 5 April 2025, enter the start date`
      if (pair.relation === 'inline' && /^(?:\d{1,2}\s+)?(?:if|wenn|falls|si)\s/i.test(pair.label_text))
        return undefined
      return dateValue(document, textWithNext(document, pair, text), likely)
    case 'business.registered_address':
      // `The registered office is given on page 2.`
      return addressValue(
        document,
        addressAt(document, pair, pairs),
        isSentence(pair, text) ? [...likely, 'prose'] : likely,
      )
    case 'address.street':
      // In Canada's returns, the boxes from 021 on are where letters go, and from 031 on where the books are.
      return addressValue(
        document,
        addressOfParts(document, pair, pairs),
        /^0[23]\d\s/.test(pair.line.text) ? [...likely, 'label', 'owner'] : likely,
      )
    case 'business.legal_form':
      return legalFormValue(document, pair, likely)
    default:
      return undefined
  }
}

const shortestTaxNumber = 7

function isSentence({ relation }: Pair, text: string): boolean {
  return relation === 'inline' && /^\p{Ll}/u.test(text) && proseWords.has(wordsOf(text)[0] ?? '')
}

const sentenceBefore =
  /^(?:(?:The|Its|Our|El|La|Le|Der|Die|Das)\s|(?=\p{Ll}{2}))[^\d,]{4,100}\s(?:is|be|located|situated|est|situé|ist|befindet sich|está|establece|fija)\s(?:at|in|en|à|au)\s(?=[\d\p{Lu}])/u

/** `61 Larch Lane` alone is no address: the town may stand where it was not looked for. */
function addressValue({ country }: ReadDocument, told: string | undefined, likely: Doubt[]): FoundValue | undefined {
  if (told === undefined) return undefined
  // `The principal office of the Company shall be located at 22 High Street, Leeds`
  const [before = ''] = sentenceBefore.exec(told) ?? []
  if (before !== '') return { value: told.slice(before.length), doubts: [...likely, 'prose'] }
  // `mit dem Sitz in Göttingen`, and the court below it.
  if (/^in\s\p{Lu}[\p{L} -]*,.*\bHR[AB]\b/u.test(told)) return undefined
  // `c/o Lee Law Corp`: where letters go.
  if (/^c\/o\s/i.test(told)) return { value: told, doubts: [...likely, 'owner'] }
  const value = told
  // `Santiago de` runs on somewhere else; in the United States, `Dover DE` is a state.
  const isCut =
    country !== 'US' && value.split(', ').some((part) => / (?:de|del|du|des|von|der|am|im|ob|sur)$/i.test(part))
  const isWhole = !isCut && (/,|\s\d{4}|\d\s*$/.test(value) || wordsOf(value).length > 4)
  return { value, doubts: isWhole ? likely : [...likely, 'number'] }
}

/** `(423) | 555-0183`: an area code that stands apart; in Mexico, `33 Número: 3798 2214`. */
function withRest(text: string, next: string): string {
  const [, area, number] = /^(\d{2,3}) N[uú]mero:\s?(\d[\d ]{6,9})$/.exec(text) ?? []
  if (area !== undefined) return `${area} ${number}`
  return /^\(\d{2,5}\)$/.test(text) && /^[\d\s-]{5,12}$/.test(next) ? `${text} ${next}` : text
}

/** `Registro Mercantil de Santiago, Tomo 214, Folio 88, Hoja SC-40877`: of all of them, the sheet is the company's own. */
function sheetIn(text: string): string | undefined {
  return /(?:^|[\s,])hoja\s+(?:n[.º°úm]*\s*)?([A-Z]{1,2}\s?-\s?\d{3,7})(?=[\s,.;)]|$)/i.exec(text)?.[1]
}

/** `57 | - | 2047716` */
function numberInBoxes({ values }: Pair): string | undefined {
  const [, first, last] = /^(\d\d)-?(\d{7})$/.exec(values.map(({ text }) => text.trim()).join('')) ?? []
  return values.length >= 2 && values.length <= 3 && first !== undefined ? `${first}-${last}` : undefined
}

/** `HRB-Nr.: 12345` has its register in the label. */
function withCourt({ label_text }: Pair, number: string | undefined): string | undefined {
  const register = /\bHR ?([AB])\b/.exec(label_text)?.[1]
  return register !== undefined && number !== undefined && /^\d+$/.test(number) ? `HR${register} ${number}` : number
}

/** `TVA BE 0478.221.381` has its country in the label, as it stands there. */
function withCountry({ label_text }: Pair, number: string | undefined): string | undefined {
  const country = / (BE|CHE|ATU|DE|FR|ES|LU)$/.exec(label_text)?.[1]
  return country !== undefined && number !== undefined && /^\d[\d. ]*$/.test(number) ? `${country} ${number}` : number
}

/** What runs on below the value, where no other label begins. */
function nextText({ pages }: ReadDocument, pair: Pair): string {
  const [first] = pair.values
  const next = pages[pair.page]?.lines[pair.value_line.number]
  const [cell] = next?.cells ?? []
  const isBelow = first && cell && next?.cells.length === 1 && Math.abs(cell.left - first.left) <= 6
  return isBelow && pair.relation !== 'inline' && cell.left > pair.cell.left + 6 ? cell.text : ''
}

/** A name that runs on in the next line. */
function nameAcross(document: ReadDocument, pair: Pair, text: string, { names }: Parties): string {
  const whole = `${text} ${nextText(document, pair)}`
  return !isSubject(text, names) && isSubject(whole, names) ? whole : text
}

/** A name that fits the record is sure whatever its label; another one is somebody else's, or a contradiction. */
function nameValue(pair: Pair, text: string, { names }: Parties, likely: Doubt[]): FoundValue | undefined {
  // `Lee Bakery LLC, company number 123`
  const [part = ''] = nameBehindVerb(pair, text).split(/,(?=[^,]*\d{3})/)
  const written = part.replace(/\s[-–—]\s*$/, '')
  // `10432 Lee Bakery LLC` is no client's number where the business is called so.
  const isCalled = isSubject(written, names)
  const value = shortText(isCalled ? written : withoutClientNumber(written).replace(/^\d{3,8}\s+(?=\p{Lu})/u, ''))
  if (value === undefined || !/\p{L}{2}/u.test(value)) return undefined
  if (isSubject(value, names)) return { value, doubts: [] }
  // More than the name: `Lee Bakery LLC (company number 123)`, `The name of the company is Lee Bakery LLC.`
  if (mentionsSubject(value, names)) return { value: withArticle(value, subjectIn(value, names)), doubts: [] }
  if (pair.relation === 'inline' || (likely.length > 0 && !isOrganisation(value))) return undefined
  return { value, doubts: [...likely, 'owner'] }
}

function isAfterSubject({ cell, label_text }: Pair, { names }: Parties): boolean {
  return mentionsSubject(label_text, names) || mentionsSubject(cell.text.slice(0, label_text.length), names)
}

/** So many words may stand around a day. */
const longestRemark = 8

function dateValue({ country }: ReadDocument, text: string, doubts: Doubt[]): FoundValue | undefined {
  const [date, ...more] = datesIn(text, country)
  if (!date || date.year === 0) return undefined
  // `since 2019` and `March 2019` are no days.
  if (date.day === undefined)
    return { value: `${date.year}-${String(date.month).padStart(2, '0')}`, doubts: [...doubts, 'number'] }
  // `1987 (registered 12/05/1994)` was there before.
  const around = `${text.slice(0, date.begin)} ${text.slice(date.end)}`
  const isLater = [...around.matchAll(/(?<![\d./-])(?:19|20)\d\d(?![\d./-])/g)].some(
    ([year]) => Number(year) < date.year,
  )
  const isUnclear = date.is_unclear || more.length > 0 || isLater
  // `By private deed of 4 June 2013 of the assembly, entered …` tells more than a day.
  const isProse = wordsOf(`${text.slice(0, date.begin)} ${text.slice(date.end)}`).length > longestRemark
  const told: Doubt[] = isProse ? [...doubts, 'prose'] : doubts
  return { value: isoOf(date), doubts: isUnclear ? [...told, 'number'] : told }
}

/** A date may run on in the next line: `3 de octubre de`, `2016`. */
function textWithNext({ pages }: ReadDocument, pair: Pair, text: string): string {
  if (/(19|20)\d\d/.test(text)) return text
  const next = pages[pair.page]?.lines[pair.value_line.number]?.text ?? ''
  return /^(19|20)\d\d$/.test(next) ? `${text} ${next}` : text
}

/** Captions over several rows of values are a list of others; in a form the next row is one of captions again. */
function isList(document: ReadDocument, pair: Pair): boolean {
  if (pair.relation !== 'below' || pair.line.cells.length < 2 || pair.value_line.cells.length < 2) return false
  // `Code | Type | Address` over `0001 | Shop | 12 Mill Road`
  const [head, code] = [pair.line.cells[0]?.text ?? '', pair.value_line.cells[0]?.text ?? '']
  if (/^c[oó]d(?:e|igo|\.)?$/i.test(head) && /^\d{1,6}$/.test(code)) return true
  const next = document.pages[pair.page]?.lines[pair.value_line.number]
  if (!next || next.cells.length < pair.line.cells.length || next.cells.some(({ text }) => isLabel(text))) return false
  // `A Principal business | B Enter code`: boxes of a form have letters or numbers.
  if (next.cells.every(({ text }) => /^(?:[A-Z]|\d{1,2}[a-z]?)\.?\s\p{Lu}\p{Ll}/u.test(text))) return false
  const under = next.cells.find((cell) => overlap(cell, pair.cell) > 0)
  return under !== undefined && /\d/.test(under.text) === /\d/.test(pair.values[0]?.text ?? '')
}
