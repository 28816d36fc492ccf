// Names of companies, compared without what is written differently from letter to letter: case, accents, legal form.

import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { remembered } from '../words/remembered.ts'
import { companyWords, labels, legalForms, statements } from '../words/vocabulary.ts'
import { bareWords, type Forms, formIn, formsIn, haveTwoKinds, joining, plainForm } from './forms-in-names.ts'
import { isGiven } from './name-order.ts'
import { isOrganisation, isWrittenAsForm } from './organisations.ts'

/** The names somebody is known by, each as its words. */
export type Names = readonly (readonly string[])[]

/** Whose application it is: the names of its record. */
export interface Subject {
  legal_name: string | null
  trading_name: string | null
  country: string | null
}

/** `Ann Lee dba Lee Bakery` in the record: two names, where people have one field for both. */
export function withBothNames({ legal_name, trading_name, country }: Subject): Subject {
  const text = (legal_name ?? '').slice(0, 300)
  const [, name, other] = bothNames.exec(text) ?? []
  if (name === undefined || other === undefined) return { legal_name, trading_name, country }
  return { legal_name: name.replace(/[\s,(]+$/, ''), trading_name: trading_name ?? other.replace(/\)$/, ''), country }
}

const bothNames =
  /^(\S.{1,140}?)[\s,(]{1,4}(?:d\/?b\/?a\.?|d\.b\.a\.?|doing business as|t\/a|trading as|o\/a|operating as)\s(\S.{1,140})$/i

/** Whether a text is a name with its legal form at the end, and nothing else: no label before it, no town behind it. */
export function isWholeName(text: string): boolean {
  const words = bareWords(text)
  const isForm = (_: string, at: number) => at > 0 && at + (legalForms.at(words, at)?.length ?? 0) === words.length
  return !/[:;]/.test(text) && isOrganisation(text) && words.some(isForm)
}

const leadingArticles = new Set(['les', 'le', 'la', 'los', 'las', 'el'])

/** The words a company is known by. `Lee & Sons (Bakers) Ltd.` and `LEE AND SONS BAKERS LIMITED` have the same. */
export const nameWords = remembered((name): readonly string[] => {
  const words = bareWords(name)
  const kept: string[] = []
  for (let at = 0; at < words.length; at++) {
    // `SARL Toitures Vasseur`: the form may lead, but a name is more than one word and its form.
    const form = at > 0 || words.length > 2 ? legalForms.at(words, at) : undefined
    if (form) at += form.length - 1
    else if (!joining.has(words[at] ?? '')) kept.push(plainUmlauts(words[at] ?? ''))
  }
  // `Les Serres du Fleuve` and `Serres du Fleuve`
  return kept.length > 2 && leadingArticles.has(kept[0] ?? '') ? kept.slice(1) : kept
})

/** `Mueller` and `Müller` are one name. */
export function plainUmlauts(word: string): string {
  return word.replace(/([aou])e/g, '$1')
}

/** Whether two names are those of the same company. */
export function isSameName(a: string, b: string): boolean {
  return nameWords(a).join('') === nameWords(b).join('') && !haveTwoKinds(formsIn(a), formsIn(b))
}

/** A name with more to it than the record says: `Lee Bakery` and `Lee Artisan Bakery (Leeds) Ltd`, not its holding. */
export function isFullerName(full: string, short: string, isLabelled = false): boolean {
  const [own, more] = [nameWords(short), nameWords(full)]
  const core = own.filter((word) => !small.has(word))
  if (core.length === 0 || more.length === 0 || !isNameLike(full)) return false
  // `Regards, Ann Lee, Lee Bakery Ltd`: who signs is no part of the name.
  if (full.includes(', ') && own.join('') === nameWords(full.slice(full.lastIndexOf(', '))).join('')) return false
  if (core.length === 1) return isOnlyWord(core[0] ?? '', full, more)
  const [formOf, formsOf] = [formIn(short), formIn(full)]
  if (haveTwoKinds(formsIn(short), formsIn(full))) return false
  if (formOf !== undefined && formsOf !== undefined && formOf !== formsOf) return false
  // `Lee Bakery (North) Ltd` is a sister of `Lee Bakery Ltd`.
  if (formOf !== undefined && /\(/.test(full) && !/\(/.test(short)) return false
  // In any order: `Chauffage Pittet` and `Pittet Chauffage et Sanitaire`.
  const open = new Set(core)
  const extra = more.filter((word) => {
    const found = [...open].find((one) => singular(one) === singular(word) || isShortFor(one, word))
    if (found !== undefined) open.delete(found)
    return found === undefined && !small.has(word) && !core.includes(word)
  })
  // Where a label asks for the legal name, `Group` may be a part of it.
  const isOther = (word: string) => otherOnes.has(word) && !(isLabelled && word === 'group')
  return open.size === 0 && extra.length <= 3 && !extra.some(isOther)
}

/** `Lumenpath` for `Lumenpath Robotics, Inc.`: one rare word, first in a whole name, and no bank or accountant. */
function isOnlyWord(word: string, full: string, more: readonly string[]): boolean {
  const extra = more.slice(1)
  const isOther = extra.some((one) => otherOnes.has(one) || companyWords.at([one], 0) !== undefined)
  return word.length >= 7 && more[0] === word && extra.length <= 2 && !isOther && isWholeName(full)
}

/** No sentence: every word but small ones begins with a capital. */
function isNameLike(text: string): boolean {
  const raw = text.match(/\p{L}[\p{L}'’-]*/gu) ?? []
  return raw.every(
    (word) =>
      !/^\p{Ll}/u.test(word) ||
      small.has(plainUmlauts(wordsOf(word).join(''))) ||
      joining.has(wordsOf(word)[0] ?? '') ||
      legalForms.at(wordsOf(word), 0) !== undefined,
  )
}

/** `Textiles` and `Textile`. */
function singular(word: string): string {
  return word.length > 4 ? word.replace(/s$/, '') : word
}

/** `Physio` for `Physiotherapy`. */
function isShortFor(short: string, word: string): boolean {
  return short.length >= 4 && word.startsWith(short)
}

const small = new Set(
  'of de del du des la le les los las el l d der die das den dem am im zum zur von van and e y'.split(' '),
)

/** The names of the subject, each as its words, the longest first. */
export function namesOf({ legal_name, trading_name }: Subject, fuller: readonly string[] = []): Names {
  return [legal_name, trading_name, ...fuller]
    .filter((name) => name !== null)
    .flatMap((name) => {
      const words = nameWords(name)
      forms.set(words, formsIn(name))
      return words.length > 0 ? [words] : []
    })
    .sort((a, b) => b.length - a.length)
}

/** Those that were given with their legal form: nothing belongs between the two. */
const forms = new WeakMap<readonly string[], Forms>()

function isWhole(name: readonly string[]): boolean {
  return forms.get(name)?.behind !== undefined
}

/** `10482/31 Lee Bakery GmbH`, `0R41 - Lee Bakery Inc`: the number of a client for whoever keeps its books, or of a taxpayer. */
export function withoutClientNumber(text: string): string {
  return text.replace(/^(?:\d{3,8}\/\d{1,5}\s+|(?:(?=[A-Z]{0,4}\d)[A-Z\d]{3,8}|\d{9,12})\s?[-–—:]\s)(?=\p{Lu})/u, '')
}

/** Whether a text is the name of the subject and nothing else. */
export function isSubject(text: string, names: Names): boolean {
  const words = nameWords(text)
  const said = words.join('')
  return names.some((name) => (name.join('') === said && !isOfOtherKind(name, text)) || isSamePerson(name, words, text))
}

function isOfOtherKind(name: readonly string[], text: string): boolean {
  return haveTwoKinds(forms.get(name) ?? {}, formsIn(text))
}

/** `Legal name: Lee Bakery Limited`, where the record has `Lee Bakery LLP` and no other place of the text does. */
function isOnlyOfOtherKind(name: readonly string[], text: string): boolean {
  const own = forms.get(name)
  if (own === undefined) return false
  const words = bareWords(text.slice(0, 400))
  const places = placesOf(name, words)
  return (
    places.length > 0 &&
    places.every(({ begin, end }) => {
      const length = legalForms.at(words, end)?.length
      const behind = length === undefined ? undefined : plainForm(words.slice(end, end + length))
      const before = [3, 2, 1].find((count) => legalForms.at(words, begin - count)?.length === count)
      return haveTwoKinds(own, {
        behind,
        before: before === undefined ? undefined : plainForm(words.slice(begin - before, begin)),
      })
    })
  )
}

/** Where the words of a name stand, one after the other, but for an `and` between them. */
function placesOf(name: readonly string[], words: readonly string[]): { begin: number; end: number }[] {
  return words.flatMap((_, begin) => {
    let [end, found] = [begin, 0]
    for (; found < name.length && end < words.length; end++) {
      if (plainUmlauts(words[end] ?? '') === name[found]) found++
      else if (found === 0 || !joining.has(words[end] ?? '')) break
    }
    return found === name.length ? [{ begin, end }] : []
  })
}

/** Whether two names have the same words and legal forms that are not those of one company. */
export function areNamesakes(a: string, b: string): boolean {
  return nameWords(a).join('') === nameWords(b).join('') && haveTwoKinds(formsIn(a), formsIn(b))
}

/** `Rosalind K. Achterberg` is `Rosalind Achterberg`: a letter between two names stands for a third. */
function isSamePerson(name: readonly string[], words: readonly string[], text: string): boolean {
  // Registers write `ACHTERBERG Rosalind`.
  const isTurned = name.length === 2 && words.length === 2 && name[0] === words[1] && name[1] === words[0]
  const isPerson = isGiven(name[0]) !== isGiven(name[1])
  if (isTurned) return isPerson && !isWhole(name) && legalForms.in(wordsOf(text)) === undefined
  const [short, long] = name.length < words.length ? [name, words] : [words, name]
  if (short.length !== 2 || long.length !== 3 || !/^[a-z]$/.test(long[1] ?? '')) return false
  const isSame = short[0] === long[0] && short[1] === long[2] && (short[0]?.length ?? 0) > 1
  // `Smith B Jones Ltd` is another company than `Smith Jones Ltd`.
  return isSame && legalForms.in(wordsOf(text)) === undefined
}

/** The words of a text that are the name of the subject, with its legal form. */
export function subjectIn(text: string, known: Names): string | undefined {
  const names = known.filter((name) => !isOnlyOfOtherKind(name, text))
  if (names.length === 0) return undefined
  const parts = [...text.slice(0, 400).matchAll(/[^\s]+/g)]
  for (const [begin, { index: from }] of parts.entries())
    for (let end = Math.min(parts.length, begin + 12); end > begin; end--) {
      const last = parts[end - 1]
      const name = text.slice(from, (last?.index ?? 0) + (last?.[0].length ?? 0)).replace(/^[“"(]|[,;:)”"]+$/gu, '')
      // `Name of the limited company: Lee Bakery Ltd` has a label before the name.
      const isOpen = name.includes('(') !== name.includes(')') || name.includes(':')
      if (
        isSubject(name, names) &&
        !isOpen &&
        !/^(?:and|the|und|et|y|i|les?|l[ao]s?|el) | (?:and|und|et|y|i)$/i.test(name)
      )
        return (/\.$/.test(name) && !shortForm.test(name.slice(0, -1)) ? name.slice(0, -1) : name).trim()
    }
  return undefined
}

/** The full stop behind it belongs to the name. */
export const shortForm = /\b(?:inc|ltd|pte|pty|co|corp|ltda|cia|cía|\p{L}\.\p{L})$/iu

/** `Lee Bakery LLC is a …` */
export function beginsWithSubject(text: string, names: Names): boolean {
  const words = nameWords(text.slice(0, 120))
  if (!/^.{4,80}\s(?:is an?|ist eine?|est une?|es una)\s/.test(text)) return false
  return names.some((name) => name.every((word, index) => words[index] === word))
}

/** Whether a text mentions the subject: `Lee Bakery Holdings` is somebody else. */
export function mentionsSubject(text: string, names: Names): boolean {
  const words = nameWords(text)
  const raw = text.match(/[\p{L}\p{N}&'’.-]+/gu) ?? []
  return names.some((name) => {
    if (isSamePerson(name, words, text)) return true
    if (isLongerName(text, name)) return false
    if (isOnlyOfOtherKind(name, text)) return false
    for (let at = 0; at + name.length <= words.length; at++) {
      if (!name.every((word, index) => words[at + index] === word)) continue
      const next = words[at + name.length]
      if (next === undefined || !isPartOfName(raw, name.at(-1) ?? '', next)) return true
    }
    return false
  })
}

/** `LEE BAKERY NORTH LTD`: more words of a name, and only then its form. */
function isLongerName(text: string, name: readonly string[]): boolean {
  if (!isWhole(name)) return false
  const parts = text.slice(0, 200).split(/\s+/)
  const words = parts.map((part) => plainUmlauts(wordsOf(part).join('')))
  const begin = words.findIndex((_, at) => name.every((word, index) => words[at + index] === word))
  if (begin === -1) return false
  const rest = parts.slice(begin + name.length - 1)
  const more = rest.slice(1).findIndex((part, at) => /[,;:.]$/.test(rest[at] ?? '') || !/^\(?\p{Lu}/u.test(part))
  const following = rest.slice(1, more === -1 ? 5 : more + 1).map((part) => part.replace(/[()]/g, ''))
  const form = following.findIndex((_, at) => isFormAt(following, at))
  return form > 0 && form <= 3 && !beginsSomethingElse(following.slice(0, form).flatMap(wordsOf))
}

function isFormAt(parts: readonly string[], at: number): boolean {
  const words = bareWords(parts.slice(at).join(' '))
  return isAllForms(words) && isWrittenAsForm(parts, wordsOf(parts[at] ?? '')[0] ?? '')
}

/** `Co-operative Ltd` has two. */
function isAllForms(words: readonly string[]): boolean {
  let at = 0
  while (at < words.length) {
    const form = legalForms.at(words, at)
    if (!form) return false
    at += form.length
  }
  return words.length > 0
}

/** The word after the name belongs to it when both are capitalised and nothing stands between. */
function isPartOfName(raw: readonly string[], last: string, next: string): boolean {
  const at = raw.findIndex(
    (word, index) =>
      plainUmlauts(wordsOf(word).at(-1) ?? '') === last &&
      plainUmlauts(wordsOf(raw[index + 1] ?? '')[0] ?? '') === next,
  )
  const isShouting = raw.every((word) => word === word.toUpperCase())
  if (companyWords.at([next], 0) || moreName.has(next)) return at !== -1
  if (at !== -1 && beginsSomethingElse(raw.slice(at + 1).flatMap(wordsOf))) return false
  return at !== -1 && !isShouting && /^\p{Lu}\p{Ll}/u.test(raw[at + 1] ?? '') && raw.length <= 8
}

/** `Lee Bakery Profit and Loss`: the name is over where the title of a document or a label begins. */
function beginsSomethingElse(words: readonly string[]): boolean {
  return [periods.titles, periods.year, periods.part, periods.stamps, statements, labels].some(
    (phrases) => phrases.at(words, 0) !== undefined,
  )
}

const otherOnes = new Set(
  'holding holdings group groupe gruppe grupo properties property management international investments investment beteiligungs beteiligung verwaltungs verwaltung immobilien immobiliere inmobiliaria patrimonio patrimonial trust fund capital europe deutschland france espana usa uk foundation stiftung fundacion pension scheme trustees nominees'.split(
    ' ',
  ),
)
const moreName = new Set([...otherOnes, ...'services north south east west'.split(' ')])

/** `Les Ateliers du Rhône`, where somebody has typed it without its article. */
export function withArticle(written: string, known = written): string {
  return written.endsWith(known) && definite.has(written.slice(0, -known.length).trim().toLowerCase()) ? written : known
}

const definite = new Set('the les le la los las el die der das'.split(' '))
