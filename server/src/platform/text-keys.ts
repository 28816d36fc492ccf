// Keys made from what people type, the same on both engines: to sort by, to search by, to compare by.

/** Letters and digits without accents or case. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** For sorting: what a reader of the list would expect, however the name is written. */
export function sortKey(text: string): string {
  return foldText(text).replace(/\s+/g, ' ').trim().slice(0, 200)
}

/** The words of some texts, each once. */
export function wordsOf(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    for (const word of foldText(text ?? '').split(/[^\p{L}\p{N}]+/u)) {
      if (word !== '' && words.size < maximumWords) words.add(word.slice(0, maximumWordLength))
    }
  }
  return [...words]
}

/** For comparing numbers of registers, which people write with and without punctuation. */
export function numberKey(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]/gu, '')
}

/** For comparing company names: without punctuation and without the words that name a legal form. */
export function companyNameKey(name: string): string {
  const words = wordsOf([name.replaceAll('&', ' and ').replaceAll('.', '').replaceAll("'", '')])
  const kept = words.filter((word) => !legalFormWords.has(word))
  return (kept.length > 0 ? kept : words).join(' ').slice(0, 200)
}

const maximumWords = 40
const maximumWordLength = 40
const legalFormWords = new Set(
  'the inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh ag kg ug sa sas sarl srl spa bv nv ab as oy aps pty pte'.split(
    ' ',
  ),
)
