// Ways a document names the subject that the record writes otherwise: in full, by the name it trades under, and without
// the town that somebody has typed behind the name; and deeds that found it.
import { wordsOf } from '../words/phrases.ts'
import { deeds, foundingWords, parties as partyWords, registers } from '../words/vocabulary.ts'
import {
  areNamesakes,
  isFullerName,
  isSubject,
  isWholeName,
  type Names,
  namesOf,
  nameWords,
  type Subject,
  subjectIn,
  withoutClientNumber,
} from './company-names.ts'
import { beforeNextLabel, readLabel } from './labels.ts'
import type { Pair } from './pair.ts'
import { ownerOfPlace } from './place-owners.ts'
import type { PlacedLine, ReadDocument } from './places.ts'
import { tradingNameIn } from './trading-names.ts'

/** `Name: Boulangerie Roy` and an address in Namur: the `Boulangerie Roy Namur` of the record. */
function namesWithoutTown({ pages }: ReadDocument, pairs: readonly Pair[], { legal_name }: Subject): string[] {
  const record = legal_name ? nameWords(legal_name) : []
  const shorter = pairs.flatMap(({ labels, relation, values, page, index }) => {
    const isName = labels.some(
      ({ fact, is_exact, certainty }) => fact === 'business.legal_name' && is_exact && certainty === 'sure',
    )
    const words = isName && relation !== 'inline' ? nameWords(values[0]?.text ?? '') : []
    const isShorter =
      words.length >= 2 && words.length < record.length && words.every((word, at) => record[at] === word)
    return isShorter ? [{ text: values[0]?.text ?? '', town: record.slice(words.length).join(' '), page, index }] : []
  })
  // `Lee Bakery North Ltd` has its form behind the last word: that is no town.
  if (shorter.length === 0 || isWholeName(legal_name ?? '')) return []
  const isOfTown = ({ town, page, index }: (typeof shorter)[number]) => {
    const near = pages[page]?.lines.slice(index, index + linesOfBlock) ?? []
    return near.some(({ text }) => townsIn(text).some((one) => one === town || one.startsWith(`${town} `)))
  }
  return [...new Set(shorter.filter(isOfTown).map(({ text }) => text))]
}

/** So far below its name stands the address of a business. */
const linesOfBlock = 10

/** What follows a postcode, and the parts of a line that ends with one. */
function townsIn(text: string): string[] {
  const behind = [...text.matchAll(/(?<!\d)\d{4,5}\s+(\p{Lu}[\p{L}' -]{1,40})/gu)].map(([, town = '']) => town)
  const before = /\b[A-Z\d]{3,7}$/.test(text.trim()) ? text.split(',').slice(1, -1) : []
  return [...behind, ...before].map((town) => nameWords(town).join(' '))
}

/** `Escritura 18,442 – constitución de “Lee Obras SL”`: a deed of anything else has two parties. */
export function isFoundingDeed(text: string, names: Names): boolean {
  const places = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
  const words = places.map(([word]) => wordsOf(word)[0] ?? '')
  const at = words.findIndex((word) => foundingWords.has(word))
  const place = places[at]
  if (!place || !words.some((word) => deeds.has(word))) return false
  const rest = text.slice(place.index + place[0].length)
  const own = subjectIn(rest, names)
  // `constitution d'hypothèque par Lee Obras` founds something else.
  return own !== undefined && rest.indexOf(own) <= longestJoint
}

/** `de la sociedad “` */
const longestJoint = 18

/** `BUSINESS PROFILE (COMPANY) OF LEE BAKERY PTE. LTD.` */
const profileOf = /^[^,]{0,40}\bprofile\b[^,]{0,20}?\sof\s+/i

/** Further down no title stands. */
const titleLines = 12

/** What a label says the subject is called in full. */
export function fullerNames(document: ReadDocument, pairs: readonly Pair[], subject: Subject): string[] {
  const known = [subject.legal_name, subject.trading_name].filter((name) => name !== null)
  const names = namesOf(subject)
  const isFuller = (text: string, isLabelled = false) =>
    !isSubject(text, names) && known.some((name) => isFullerName(text, name, isLabelled))
  const titles = document.pages
    .slice(0, 3)
    .flatMap(({ lines }) => lines.slice(0, titleLines).flatMap(({ cells }) => (cells.length <= 2 ? cells : [])))
    .map(({ text }) => withoutClientNumber(text.replace(profileOf, '')))
    .flatMap((text) => (text.length <= 90 && isWholeName(text) && isFuller(text) ? [text] : []))
  const labelled = pairs.flatMap((pair) => {
    const isName = pair.labels.some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact)
    const [written = ''] = nameBehindVerb(pair, pair.values[0]?.text ?? '').split(/,(?=[^,]*\d)/)
    const value = withoutClientNumber(written.replace(profileOf, ''))
    const isSure = pair.labels.some(({ fact, certainty }) => fact === 'business.legal_name' && certainty === 'sure')
    if (!isName || /\d{4}/.test(value) || !isFuller(value, isSure && pair.relation !== 'inline')) return []
    // `Customer: Lee Artisan Bakery Ltd` says itself who it is, below whatever name of a bank.
    const isCalled = partyWords.addressee.at(wordsOf(pair.label_text), 0) !== undefined
    const isPlain = !pair.labels.some(({ certainty }) => certainty === 'sure')
    const owner = () => ownerOfPlace(document, pair.page, pair.index - 1, pair.cell.left, names, isPlain)
    return isCalled || owner() !== 'other' ? [value] : []
  })
  return [
    ...labelled,
    ...titles,
    ...namesBeside(document, pairs, names),
    ...namesWithoutTown(document, pairs, subject),
    ...tradingNamesIn(document, names),
    ...tradedAs(pairs, names),
    ...namesSpelledApart(document, subject),
  ]
}

/** `Boatworks` where the record has `Boat Works`: the same letters, apart in another place. */
function namesSpelledApart({ pages }: ReadDocument, { legal_name, trading_name }: Subject): string[] {
  const known = new Set(
    [legal_name, trading_name].flatMap((name) => {
      const letters = nameWords(name ?? '').join('')
      return letters.length >= fewestLetters ? [letters] : []
    }),
  )
  if (known.size === 0) return []
  const texts = pages.slice(0, 3).flatMap(({ lines }) => lines.slice(0, 200).flatMap(({ cells }) => cells))
  // `Legal name: LEE BOATWORKS LLC`
  const names = texts.flatMap(({ text }) =>
    text.length <= 120 ? [text, text.slice(text.indexOf(':') + 1).trim()] : [],
  )
  const isNamesake = (name: string) => [legal_name, trading_name].some((own) => own !== null && areNamesakes(name, own))
  return [...new Set(names.filter((name) => known.has(nameWords(name).join('')) && !isNamesake(name)))].slice(0, 5)
}

const fewestLetters = 8

/** `Legal name is Lee Bakery LLC. It is …`: the name is the rest of the first sentence. */
export function nameBehindVerb({ relation }: Pair, text: string): string {
  const [, name] = (relation === 'inline' ? /^(?:is|lautet|est|es)\s(?=\p{Lu})(.+)$/u.exec(text) : null) ?? []
  return name?.split(/(?<=\p{L}{2})\.\s(?=\p{Lu}\p{Ll})/u)[0] ?? text
}

/** `Lee Catering Ltd trading as Best Kitchens. Registered in …`: the subject says by what other name it goes. */
function tradedAs(pairs: readonly Pair[], names: Names): string[] {
  return pairs.flatMap(({ labels, label_text, relation, values }) => {
    const isTrading = labels.some(({ fact }) => fact === 'business.trading_name')
    const name = beforeNextLabel(values[0]?.text ?? '').replace(/\.$/, '')
    const isName = wordsOf(name).length <= 6 && /^\p{Lu}/u.test(name) && !/[,:;\d]/.test(name)
    const own = subjectIn(label_text, names)
    const isOwn = own !== undefined && label_text.startsWith(own)
    return relation === 'inline' && isTrading && isName && isOwn ? [name] : []
  })
}

/** `Best Kitchens is a trading name of Lee Catering Ltd` */
function tradingNamesIn({ pages }: ReadDocument, names: Names): string[] {
  return pages.slice(0, 3).flatMap(({ lines }) => lines.flatMap(({ text }) => tradingNameIn(text, names) ?? []))
}

/** `Number of the enterprise | 1170483926`, and the name in the next line: nobody else of an extract has that. */
function isBelowNumber(lines: readonly PlacedLine[] = [], { index }: Pair): boolean {
  const [label, value] = lines[index - 1]?.cells ?? []
  const isNumber = readLabel(label?.text ?? '').some(
    ({ fact, is_exact }) => is_exact && fact === 'business.registration_number',
  )
  return isNumber && /\d{5}/.test(value?.text ?? '')
}

/**
 * The record may know the business by the name it trades under: the legal name stands beside it in the same form, or first in
 * the extract of a register, however far down its other names are.
 */
function namesBeside({ pages }: ReadDocument, pairs: readonly Pair[], names: Names): string[] {
  const isWritten = ({ relation }: Pair) => relation !== 'inline'
  const traded = pairs.filter(
    (pair) =>
      isWritten(pair) &&
      pair.labels.some(({ fact, is_exact }) => fact === 'business.trading_name' && is_exact) &&
      isSubject(pair.values[0]?.text ?? '', names),
  )
  const legal = pairs.filter(({ labels }) =>
    labels.some(({ fact, is_exact, certainty }) => fact === 'business.legal_name' && is_exact && certainty === 'sure'),
  )
  const isExtract = (pages[0]?.lines ?? [])
    .slice(0, titleLines)
    .some(({ text }) => text.length <= 120 && registers.in(wordsOf(text)) !== undefined)
  return legal.flatMap((pair, at) => {
    const [value] = pair.values
    const isNear = traded.some(({ page, index }) => page === pair.page && Math.abs(index - pair.index) <= 4)
    const isFirst =
      isExtract && at === 0 && pair.page === 0 && traded.length > 0 && isBelowNumber(pages[0]?.lines, pair)
    return value && (isNear || isFirst) && isWritten(pair) && isWholeName(value.text) ? [value.text] : []
  })
}
