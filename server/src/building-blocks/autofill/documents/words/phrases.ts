import { remembered } from './remembered.ts'

/** Phrases of one or more words, found at a place in a row of words. */
export interface Phrases<Meaning> {
  /** The longest phrase that begins at a word. */
  at(words: readonly string[], begin: number): { length: number; meaning: Meaning } | undefined
  /** The first phrase anywhere. */
  in(words: readonly string[]): { begin: number; length: number; meaning: Meaning } | undefined
}

/**
 * Phrases by their names (`namesIn`). One that is listed more than once has all its meanings. The list is made when it is
 * first asked for.
 */
export function createPhrases<Meaning>(
  list: () => readonly (readonly [name: string, meaning: Meaning])[],
): Phrases<Meaning[]> {
  let index: PhraseIndex<Meaning> | undefined
  const at = (words: readonly string[], begin: number) => {
    index ??= indexOf(list())
    for (const length of index.lengths.get(words[begin] ?? '') ?? []) {
      if (begin + length > words.length) continue
      const meaning = index.byText.get(words.slice(begin, begin + length).join(' '))
      if (meaning) return { length, meaning }
    }
    return undefined
  }
  return {
    at,
    in(words) {
      for (let begin = 0; begin < words.length; begin++) {
        const found = at(words, begin)
        if (found) return { begin, ...found }
      }
      return undefined
    },
  }
}

interface PhraseIndex<Meaning> {
  byText: ReadonlyMap<string, Meaning[]>
  /** How many words the phrases have that begin with a word, the longest first. */
  lengths: ReadonlyMap<string, number[]>
}

function indexOf<Meaning>(list: readonly (readonly [name: string, meaning: Meaning])[]): PhraseIndex<Meaning> {
  const byText = new Map<string, Meaning[]>()
  const lengths = new Map<string, number[]>()
  for (const [name, meaning] of list) {
    const meanings = byText.get(name)
    if (meanings) {
      meanings.push(meaning)
      continue
    }
    byText.set(name, [meaning])
    const words = name.split(' ')
    const [first = ''] = words
    const known = lengths.get(first)
    if (!known) lengths.set(first, [words.length])
    else if (!known.includes(words.length)) known.push(words.length)
  }
  for (const known of lengths.values()) known.sort((a, b) => b - a)
  return { byText, lengths }
}

/** Every way to say a text, in words as they are compared. */
export function namesIn(text: string): string[] {
  // Folded once for all of them: there are tens of thousands.
  return spellOut(fold(text)).map((one) => wordsIn(one).join(' '))
}

/** `[annual|] [sales|turnover]` is `annual sales`, `annual turnover`, `sales` and `turnover`. */
function spellOut(text: string): string[] {
  const open = text.indexOf('[')
  const close = text.indexOf(']', open)
  if (open === -1 || close === -1) return [text]
  const [before, choices, after] = [text.slice(0, open), text.slice(open + 1, close), text.slice(close + 1)]
  const rest = spellOut(after)
  return choices.split('|').flatMap((choice) => rest.map((end) => `${before}${choice}${end}`))
}

/** Words as they are compared: small letters without accents, and digits. */
export const wordsOf = remembered((text): readonly string[] => wordsIn(fold(text)))

function wordsIn(folded: string): readonly string[] {
  // Most texts are plain, and plain texts are quick.
  return folded.match(isPlain(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? []
}

export function fold(text: string): string {
  const small = text.toLowerCase()
  const bare = isPlain(small)
    ? small
    : small
        .normalize('NFD')
        .replace(/\p{M}+/gu, '')
        .replaceAll('ß', 'ss')
        .replace(/[ºª]/g, '')
  return bare.includes('%') ? bare.replaceAll('%', ' percent ') : bare
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}
