// Names of companies, compared without what is written differently from letter to letter: case, accents, legal form.
import { wordsOf } from '../words/phrases.ts'
import { companyWords, legalForms } from '../words/vocabulary.ts'

/** Whose application it is: the names of its record. */
export interface Subject {
  legal_name: string | null
  trading_name: string | null
  country: string | null
}

/** The words a company is known by. `Lee & Sons (Bakers) Ltd.` and `LEE AND SONS BAKERS LIMITED` have the same. */
function nameWords(name: string): string[] {
  const words = wordsOf(name.replace(/\b(\p{L})\.(?=\s?\p{L}\b|\s|$)/gu, '$1').replaceAll('&', ' and '))
  const kept: string[] = []
  for (let at = 0; at < words.length; at++) {
    // `SARL Toitures Vasseur`: the form may lead, but a name is more than one word and its form.
    const form = at > 0 || words.length > 2 ? legalForms.at(words, at) : undefined
    if (form) at += form.length - 1
    else if (!joining.has(words[at] ?? '')) kept.push(words[at] ?? '')
  }
  return kept
}

const joining = new Set(['and', 'und', 'et', 'y', 'the', 'i'])

/** Whether two names are those of the same company. */
export function isSameName(a: string, b: string): boolean {
  return nameWords(a).join(' ') === nameWords(b).join(' ')
}

/** The names of the subject, each as its words, the longest first. */
export function namesOf({ legal_name, trading_name }: Subject): string[][] {
  return [legal_name, trading_name]
    .flatMap((name) => (name ? [nameWords(name)] : []))
    .filter((words) => words.length > 0)
    .sort((a, b) => b.length - a.length)
}

/** Whether a text is the name of the subject and nothing else. */
export function isSubject(text: string, names: readonly string[][]): boolean {
  const words = nameWords(text).join(' ')
  return names.some((name) => name.join(' ') === words)
}

/** Whether a text mentions the subject: `Lee Bakery Holdings` is somebody else. */
export function mentionsSubject(text: string, names: readonly string[][]): boolean {
  const words = nameWords(text)
  const raw = text.match(/[\p{L}\p{N}&'’.-]+/gu) ?? []
  return names.some((name) => {
    for (let at = 0; at + name.length <= words.length; at++) {
      if (!name.every((word, index) => words[at + index] === word)) continue
      const next = words[at + name.length]
      if (next === undefined || !isPartOfName(raw, name.at(-1) ?? '', next)) return true
    }
    return false
  })
}

/** The word after the name belongs to it when both are capitalised and nothing stands between. */
function isPartOfName(raw: readonly string[], last: string, next: string): boolean {
  const at = raw.findIndex((word, index) => wordsOf(word).at(-1) === last && wordsOf(raw[index + 1] ?? '')[0] === next)
  const isShouting = raw.every((word) => word === word.toUpperCase())
  if (companyWords.at([next], 0) || moreName.has(next)) return at !== -1
  return at !== -1 && !isShouting && /^\p{Lu}\p{Ll}/u.test(raw[at + 1] ?? '') && raw.length <= 8
}

const moreName = new Set(
  'holding holdings group properties management international investments beteiligungs verwaltungs immobilien patrimonio services europe deutschland france espana usa uk north south east west'.split(
    ' ',
  ),
)

/** Whether a text looks like the name of an organisation. */
export function isOrganisation(text: string): boolean {
  if (text.length > 90) return false
  const raw = text.replace(/\b(\p{L})\.(?=\s?\p{L}\b|\s|$)/gu, '$1').match(/[\p{L}\p{N}&'’-]+/gu) ?? []
  if (raw.length < 2 || raw.length > 10 || !/^[\p{Lu}\p{N}]/u.test(raw[0] ?? '')) return false
  const words = raw.flatMap(wordsOf)
  for (let at = 1; at < words.length; at++) {
    const form = legalForms.at(words, at)
    // `co`, `sa`, `ag` and others are words too: only as they are written in names.
    if (form && (form.length > 1 || isWrittenAsForm(raw, words[at] ?? ''))) return true
  }
  const isCapitalised = raw.filter((word) => /^\p{Lu}/u.test(word)).length >= Math.ceil(raw.length * 0.6)
  return isCapitalised && companyWords.in(words) !== undefined && !/:\s*$/.test(text)
}

function isWrittenAsForm(raw: readonly string[], form: string): boolean {
  const written = raw.findLast((word) => wordsOf(word)[0] === form) ?? ''
  return /^\p{Lu}/u.test(written) || /^(gmbh|mbh|e ?k)$/i.test(written)
}
