// Keys made from what people type, the same on both engines: to sort by, to search by, to compare by.

/**
 * Lowercase without accents. Only marks that readers treat as optional are removed: accents of Latin, Greek and Cyrillic
 * letters, vowel points of Hebrew and Arabic. Marks that make another letter stay: dakuten (ガ), Indic and Thai vowel
 * signs, the breve of й. Letters with a stroke or ligature become the letters people type instead of them.
 */
export function foldText(text: string): string {
  if (plainText.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(optionalMarks, '')
    .toLowerCase()
    .replace(otherLetters, (letter) => letterNames[letter] ?? letter)
    .normalize('NFC')
}

/** For sorting: what a reader of the list would expect, however the name is written. */
export function sortKey(text: string): string {
  return cut(foldText(text).replace(/\s+/g, ' ').trim(), maximumKeyLength)
}

/** The words of a text, each once and only so many. Text of a script without spaces is a word of its own. */
export function wordsOf(text: string | null, maximum = 40): string[] {
  if (!text) return []
  const folded = foldText(text)
  const words = new Set<string>()
  for (const word of plainText.test(folded) ? folded.split(betweenPlainWords) : runsOf(folded)) {
    if (word !== '' && words.size < maximum) words.add(cut(word, maximumWordLength))
  }
  return [...words]
}

function runsOf(folded: string): string[] {
  return folded.split(betweenWords).flatMap((word) => word.match(runs) ?? [])
}

/** Words with the punctuation inside them left out: `obrien` for O'Brien, `abc` for A.B.C. and for A B C. */
export function joinedWordsOf(text: string | null, maximum = 40): string[] {
  if (!text || nothingToJoin.test(text)) return wordsOf(text, maximum)
  const folded = foldText(text)
  const isPlain = plainText.test(folded)
  const initials = folded.replace(isPlain ? plainInitials : spacedInitials, (run) => run.replace(/[\s.]+/g, ''))
  return wordsOf(initials.replace(isPlain ? plainPunctuation : punctuation, ''), maximum)
}

/** Where in a word a search may begin: anywhere in a script without spaces, otherwise at its start. */
export function beginningsOf(word: string): string[] {
  if (!isUnspaced(word)) return [word]
  const characters = Array.from(word)
  return characters.map((_, index) => characters.slice(index).join(''))
}

export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) > 127 && unspaced.test(word)
}

/** For comparing numbers of registers, which people write with and without punctuation. Null when nothing is left. */
export function numberKey(text: string): string | null {
  const folded = foldText(text)
  return folded.replace(plainText.test(folded) ? notInPlainWords : notInWords, '') || null
}

/** For comparing company names: without punctuation and without the words that name a legal form. Null when nothing is left. */
export function companyNameKey(name: string): string | null {
  const words = wordsOf(name.replaceAll('&', ' and ').replace(/[.'’‘ʼ＇`´]/g, ''))
  const kept = words.filter((word) => !legalFormWords.has(word))
  return cut((kept.length > 0 ? kept : words).join(' '), maximumKeyLength) || null
}

/** By characters, not by halves of them: half a surrogate pair is no text to a database. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character that needs no folding
const plainText = /^[\x00-\x7f]*$/
// After NFKD. In Cyrillic only ё and stress marks lose theirs: й, ї, ў, ѓ and ќ are letters of their own.
const optionalMarks =
  /(?<![иИуУ])\u0306|(?<![іІ])\u0308|(?<![гГкК])\u0301|[\u0300\u0302-\u0305\u0307\u0309-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]|\p{Cf}/gu
const letterNames: Record<string, string> = {
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ς: 'σ',
}
const otherLetters = new RegExp(`[${Object.keys(letterNames).join('')}]`, 'gu')
const betweenWords = /[^\p{L}\p{N}\p{M}]+/u
const notInWords = /[^\p{L}\p{N}\p{M}]+/gu
const punctuation = /[^\p{L}\p{N}\p{M}\s]+/gu
// The same for plain text, several times as fast.
const betweenPlainWords = /[^a-z0-9]+/
const notInPlainWords = /[^a-z0-9]+/g
const plainPunctuation = /[^a-z0-9\s]+/g
// ー and ・-free kana belong together with Han; Thai, Lao, Khmer and Burmese are written without spaces as well.
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const unspaced = new RegExp(`^[${unspacedScripts}]`, 'u')
const runs = new RegExp(`[${unspacedScripts}][${unspacedScripts}\\p{M}]*|[^${unspacedScripts}]+`, 'gu')
const spacedInitials = /(?<![\p{L}\p{N}\p{M}])\p{L}(?:[\s.]+\p{L}(?![\p{L}\p{N}\p{M}]))+/gu
const plainInitials = /(?<![a-z0-9])[a-z](?:[\s.]+[a-z](?![a-z0-9]))+/g
/** Plain words of at least two letters: the most frequent kind of name, recognised at once. */
const nothingToJoin = /^ *[A-Za-z0-9]{2,}(?: +[A-Za-z0-9]{2,})* *$/
const maximumWordLength = 40
const maximumKeyLength = 200
const legalFormWords = new Set(
  'the inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh ag kg ug sa sas sarl srl spa bv nv ab as oy aps pty pte'.split(
    ' ',
  ),
)
