// Keys made from what people type, the same on both engines: to sort by, to search by, to compare by.

/** Letters and digits without accents or case. */
export function foldText(text: string): string {
  if (plainText.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** For sorting: what a reader of the list would expect, however the name is written. */
export function sortKey(text: string): string {
  return cut(foldText(text).replace(/\s+/g, ' ').trim(), maximumKeyLength)
}

/** The words of a text, each once and only so many. */
export function wordsOf(text: string | null, maximum = 40): string[] {
  const words = new Set<string>()
  for (const word of foldText(text ?? '').split(/[^\p{L}\p{N}]+/u)) {
    if (word !== '' && words.size < maximum) words.add(cut(word, maximumWordLength))
  }
  return [...words]
}

/** For comparing numbers of registers, which people write with and without punctuation. Null when nothing is left. */
export function numberKey(text: string): string | null {
  return foldText(text).replace(/[^\p{L}\p{N}]/gu, '') || null
}

/** For comparing company names: without punctuation and without the words that name a legal form. Null when nothing is left. */
export function companyNameKey(name: string): string | null {
  const words = wordsOf(name.replaceAll('&', ' and ').replaceAll('.', '').replaceAll("'", ''))
  const kept = words.filter((word) => !legalFormWords.has(word))
  return cut((kept.length > 0 ? kept : words).join(' '), maximumKeyLength) || null
}

/** By characters, not by halves of them: half a surrogate pair is no text to a database. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character that needs no folding
const plainText = /^[\x00-\x7f]*$/
export const maximumWordLength = 40
const maximumKeyLength = 200
const legalFormWords = new Set(
  'the inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh ag kg ug sa sas sarl srl spa bv nv ab as oy aps pty pte'.split(
    ' ',
  ),
)
