// The words a business is found by. A row has them twice:
//   search_text      `| word word …`, to tell whether a row in its order fits
//   business_words   each word, to find the rows of a rare word; of text without spaces also every part of it
// Rows written before release 0.2 have search_text ` word word …`, folded in another way. A job rewrites them (`jobs.ts`);
// until it is done a search also looks for the words as they were made then.
import { beginningsOf, cut, isUnspaced, joinedWordsOf, numberKey, wordsOf } from '../../platform/values/text-keys.ts'
import type { BusinessRow } from './queries.ts'

export function searchText(words: readonly string[]): string {
  return `| ${words.join(' ')}`
}

export function indexWords(words: readonly string[]): string[] {
  const found = new Set<string>()
  for (const word of words) for (const beginning of beginningsOf(word)) found.add(beginning)
  return [...found]
}

/** What may be in the index for a row of either form, and what certainly is. */
export function storedWords(row: BusinessRow): { possible: string[]; certain: string[] } {
  const [now, earlier] = [indexWords(searchWords(row)), earlierSearchWords(row)]
  return { possible: [...new Set([...now, ...earlier])], certain: now.filter((word) => earlier.includes(word)) }
}

/** The words in a stored text of the earlier form. */
export function wordsInText(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

/** Lists of words, one of which must be found whole: as typed, with punctuation left out, and as they were made before. */
export interface SearchForms {
  typed: readonly string[]
  joined: readonly string[]
  earlier: readonly string[]
}

/** The forms that differ from those before them; the others are empty. */
export function searchForms(search: string): SearchForms {
  const typed = wordsOf(search, maximumSearchWords)
  const joined = joinedWordsOf(search, maximumSearchWords)
  const earlier = earlierWordsOf(search, maximumSearchWords)
  return {
    typed,
    joined: isSame(joined, typed) ? [] : joined,
    earlier: isSame(earlier, typed) ? [] : earlier,
  }
}

/** A pattern that finds the word where it may begin. Words have only letters, digits and marks: nothing to escape. */
export function patternOf(word: string): string {
  return isUnspaced(word) ? `%${word}%` : `% ${word}%`
}

/** A pasted company name fits; the words after these are not needed to find it. */
export const maximumSearchWords = 12

/** Working them out is a good part of what a write costs: whoever needs them twice hands them on. */
export function searchWords(row: BusinessRow): string[] {
  const found = new Set<string>()
  const add = (words: readonly string[]) => {
    for (const word of words) found.add(word)
  }
  for (const name of [row.legal_name, row.trading_name]) {
    add(wordsOf(name, 30))
    add(joinedWordsOf(name, 30))
  }
  for (const number of [row.external_reference, row.registration_number]) {
    if (!number) continue
    add(wordsOf(number, 10))
    add(joinedWordsOf(number, 10))
    add(wordsOf(numberKey(number), 1))
  }
  for (const address of [row.email, row.website]) add(wordsOf(address, 10))
  return [...found]
}

function earlierSearchWords(row: BusinessRow): string[] {
  const names = [row.legal_name, row.trading_name].flatMap((name) => earlierWordsOf(name, 30))
  const others = [row.external_reference, row.registration_number, row.email, row.website]
  return [...new Set([...names, ...others.flatMap((text) => earlierWordsOf(text, 10))])]
}

function earlierWordsOf(text: string | null, maximum: number): string[] {
  const folded = (text ?? '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return [...new Set(words)].slice(0, maximum).map((word) => cut(word, 40))
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index])
}
