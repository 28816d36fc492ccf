// Who is a person: names in their parts, and what stands where a name would and is none.

import { type PersonField, people, personColumns } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { remembered } from '../words/remembered.ts'
import { theCompany } from '../words/vocabulary.ts'
import { isSubject, type Names } from './company-names.ts'
import { tokensOf } from './identifiers.ts'
import { familyNameAhead, isGiven, isGivenBehindParticle, particles } from './name-order.ts'
import { isOrganisation } from './organisations.ts'

/** What a column or a label says of a person. */
export const fieldOfHeader = remembered((text): PersonField | 'name' | undefined => {
  if (text.length > 160) return undefined
  // `Percentage common shares 400`, `Director 1`: forms number their columns.
  const bare = text
    .replace(/\([^()]*(?:\)|$)/g, ' ')
    .replace(/\s(?:\d{3}|\d)\s*$/, '')
    .replace(/^\d{3}\s+(?=\D)/, '')
    // `% holding 31.03.2026`
    .replace(/(?<=%.*)\s(?:(?:as )?(?:at|on|of|per|zum|am|au|al) )?\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d$/u, '')
    // `Percentage of ownership for tax year`
    .replace(/\sfor (?:the )?tax year(?: (?:19|20)\d\d)?$/iu, '')
    // `Owner 1: Name`
    .replace(/^\p{L}{5,12} \d:\s/u, '')
  const [first = ''] = bare.split(/\s?[/;]\s?/)
  for (const part of [text, bare, first, withoutCompany(bare)]) {
    const words = wordsOf(part)
    const found =
      personColumns.get(words.join(' ')) ??
      personColumns.get(words.filter((word) => word !== 'percent' && word !== 'in').join(' '))
    if (found) return found
  }
  return undefined
})

/** `Partners of the company`, and `Shareholders of Lee Bakery Ltd` if those are its names. */
export function withoutCompany(text: string, names: Names = []): string {
  const [, heading = '', name = ''] =
    /^(\p{L}[\p{L} ]{3,30}?)\s(?:of|der|des|von|de|del|du)\s(.{3,80})$/u.exec(text.trim()) ?? []
  const words = wordsOf(name)
  const isOwn = words.length <= 2 && [...theCompany].some((one) => wordsOf(one).at(-1) === words.at(-1))
  const isOfOwners = people.headings.has(wordsOf(heading).join(' '))
  return isOfOwners && (isOwn || isSubject(name, names)) ? heading : text
}

export interface PersonName {
  first_name: string
  last_name: string
  /** Which of them is which is a guess. */
  is_order_unsure?: boolean
}

/** Undefined for companies, totals, pools, headers: whatever is no name of one person. The label may tell the order. */
export function splitName(written: string, country: string | null, label = ''): PersonName | undefined {
  const text = written
    .replace(/\([^()]*\)/g, ' ')
    .replace(/^\s*\d{1,2}[.)]\s+/, '')
    .trim()
  const words = wordsOf(text)
  if (words.length < 2 || words.length > 6 || /[\d@%$£€:]/.test(text) || isOrganisation(withoutTitle(text)))
    return undefined
  if (
    words.some((word) => people.not_people.has(word) || personColumns.has(word)) ||
    people.headings.has(words.join(' '))
  )
    return undefined
  const turned = /^([^,]{1,60}),([^,]{1,60})$/.exec(text)
  // `Ann Lee, M.D.`
  if (turned && isPostNominal(turned[2] ?? '')) return splitName(turned[1] ?? '', country)
  // The `M` of `Kyle M Berg` is no `Monsieur`.
  const isTitle = (word: string, index: number) =>
    index <= 2 && people.titles.has(wordsOf(word).join(' ')) && (index === 0 || !/^\p{L}\.?$/u.test(word))
  const titled = (part: string) => tokensOf(part).filter((word, index) => !isTitle(word, index))
  if (turned) {
    const [last, first] = [titled(turned[1] ?? ''), titled(turned[2] ?? '')]
    // `Priska Wicki, Hochdorf`: a name and a town.
    const isBeforeTown = last.length > 1 && isGiven(last[0]) && !isGiven(first[0])
    if (isBeforeTown) return splitName(turned[1] ?? '', country, label)
    // `Amsler Wicki, Priska`, and where people have one last name it may be the other way round.
    const isOneName = last.some((word) => particles.has(word.toLowerCase())) || /^[\p{Lu}\s'’-]+$/u.test(last.join(' '))
    const isUnsure = last.length > 1 && !hasTwoLastNames(country) && !isGiven(first[0]) && !isOneName
    return last.length > 0 && first.length > 0 && !isRole(first.join(' '))
      ? { first_name: first.join(' '), last_name: last.join(' '), ...(isUnsure && { is_order_unsure: true }) }
      : undefined
  }
  const parts = titled(text)
  if (parts.length < 2 || !isNameShaped(parts)) return undefined
  // `LE GUENNEC Thibault`: last names are often written in capitals.
  const isShouted = (word = '') => /^[\p{Lu}'’-]{2,}$/u.test(word)
  // `Paul de LESQUEN`
  const shouted = parts.filter(
    (word, index) => isShouted(word) || (index > 0 && particles.has(word) && isShouted(parts[index + 1])),
  )
  if (shouted.length > 0 && parts.some((word) => /\p{Ll}/u.test(word)))
    return { first_name: parts.filter((word) => !shouted.includes(word)).join(' '), last_name: shouted.join(' ') }
  // Spaniards have two last names.
  const hasTwo = hasTwoLastNames(country) && parts.length >= 3
  const ahead = familyNameAhead(parts, { label, country, hasTwo })
  if (ahead)
    return {
      first_name: [...parts.slice(0, ahead.begin), ...parts.slice(ahead.end)].join(' '),
      last_name: parts.slice(ahead.begin, ahead.end).join(' '),
      ...(ahead.is_unsure && { is_order_unsure: true }),
    }
  // `van der Berg` is one name: it begins at its first small word, or at a capital one of this kind.
  const particle = parts.findIndex(
    (word, index) =>
      index > 0 &&
      index < parts.length - 1 &&
      (/^\p{Ll}/u.test(word) || particles.has(word.toLowerCase())) &&
      // `Flor de María Quispe Mamani`
      !(hasTwo && index < parts.length - 3 && isGivenBehindParticle(parts[index + 1])),
  )
  const cut = particle === -1 ? parts.length - (hasTwo ? 2 : 1) : particle
  return { first_name: parts.slice(0, cut).join(' '), last_name: parts.slice(cut).join(' ') }
}

/** `Ing. Markus Berg` is an engineer, and `ING` a bank. */
function withoutTitle(text: string): string {
  const [, title = '', rest = ''] = /^(\p{L}{2,5})\.\s+(.+)$/u.exec(text.slice(0, 200)) ?? []
  return people.titles.has(wordsOf(title).join(' ')) ? rest : text
}

/** `Mag. Katharina` is Katharina. */
export function withoutTitles(name: string): string {
  const parts = tokensOf(name)
  const at = parts.findIndex((word) => /^\p{L}\.?$/u.test(word) || !people.titles.has(wordsOf(word).join(' ')))
  return at > 0 ? parts.slice(at).join(' ') : name
}

/** Degrees and the like behind a name. */
function isPostNominal(text: string): boolean {
  return tokensOf(text).every(
    (token) => /^(?:\p{L}{1,2}\.){2,}$/u.test(token) || postNominals.has(wordsOf(token).join('')),
  )
}

const postNominals = new Set(
  'md do phd dds dmd dvm rn np pa cpa ca cfa fca aca acca esq jr sr ii iii iv mba llm pe ra aia mbe obe'.split(' '),
)
const twoLastNames = new Set(['ES', 'MX', 'CO', 'CL', 'PE'])

/** Spaniards and many others have two. */
export function hasTwoLastNames(country: string | null): boolean {
  return country !== null && twoLastNames.has(country)
}

function isNameShaped(parts: readonly string[]): boolean {
  const isWord = (word: string) => /^[\p{L}.'’-]{1,40}$/u.test(word)
  // `my sister Isla`, `Timo Pfaff mit`
  const isSmall = (word = '') => /^\p{Ll}+$/u.test(word) && !particles.has(word)
  const isWithin = !isSmall(parts[0]) && !/^\p{Ll}+$/u.test(parts.at(-1) ?? '')
  // `d'Entremont`
  const isLarge = (word: string) => /^(?:\p{Ll}{1,2}['’])?\p{Lu}/u.test(word)
  return parts.every(isWord) && isWithin && parts.filter(isLarge).length >= 2
}

export function isRole(text: string): boolean {
  return wordsOf(text).some((word) => people.roles.has(word))
}

/** `owner`, `shareholders` */
export function isOwnerWord(word: string): boolean {
  return people.owners.has(word) || people.owners.has(word.replace(/s$/, ''))
}

export function isFormer(text: string): boolean {
  return wordsOf(text).some((word) => people.former.has(word))
}

export function isCompany(text: string): boolean {
  const bare = withoutTitle(text.replace(/\([^()]*\)/g, ' ').trim())
  return (
    isOrganisation(bare) &&
    !wordsOf(bare).some((word) => ['total', 'totals', 'summe', 'pool', 'option', 'options', 'esop'].includes(word))
  )
}
