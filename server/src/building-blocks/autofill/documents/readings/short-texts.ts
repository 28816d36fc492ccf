// A value that is a name or a few words, without the signs around it.
import { wordsOf } from '../words/phrases.ts'
import { proseWords } from '../words/vocabulary.ts'

/** Undefined for what is long or a sentence. */
export function shortText(text: string): string | undefined {
  const value = text.replace(/^[\s:.,;–-]+/, '').replace(/[\s:;,]+$/, '')
  const words = wordsOf(value)
  if (words.length === 0 || words.length > 14 || words.filter((word) => proseWords.has(word)).length > 1)
    return undefined
  return /\p{L}/u.test(value) ? value.slice(0, 200) : undefined
}
