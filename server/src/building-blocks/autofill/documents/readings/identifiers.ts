// Numbers of registers and ways to reach somebody, told by their form. Works on words of bounded length, so that every
// pattern takes linear time.
import { wordsOf } from '../words/phrases.ts'
import { businessWords } from '../words/vocabulary.ts'

export function identifierIn(written: string): string | undefined {
  // `6 2 - 4 4 7 1 9 0 8`: forms put every digit into a box.
  const isBoxed = /^(?:[\dA-Z-] ){6,}[\dA-Z]$/.test(written.trim())
  // `2016 / 284517 / 07` is one number.
  const text = isBoxed
    ? written.replaceAll(' ', '')
    : written.replace(/(?<!\d)(\d{4}) \/ (\d{4,7}) \/ (\d{2})(?!\d)/, '$1/$2/$3')
  const tokens = tokensOf(text)
  for (let begin = 0; begin < Math.min(tokens.length, 6); begin++) {
    let found = ''
    let digits = 0
    for (let index = begin; index < tokens.length && index < begin + 5; index++) {
      const token = bare(tokens[index] ?? '')
      const own = token.replace(/\D/g, '').length
      // Masked, as on copies for others.
      if (/X{2}|\*|•|…/i.test(token)) return undefined
      // Letters lead (`GB 123 4567 89`, `HRB 12345`); a word without digits behind the number is something else,
      // but for the letters of a German court.
      const isLast = index === tokens.length - 1
      const isCourt = /^[A-Z]$/.test(token) || (isLast && /^HR[AB] /.test(found) && /^(?!AG|KG)[A-Z]{2,3}$/.test(token))
      const isSwiss = /^CHE-?\d/.test(found) && /^(?:MWST|TVA|IVA)$/.test(token)
      const isTail = digits > 0 && (isCourt || isSwiss || (found.startsWith('FN') && /^[a-z]$/.test(token)))
      if (
        (!/^[A-Z0-9][A-Z0-9/.-]{0,24}$/.test(token) && !isTail) ||
        (own === 0 && (token.length > 4 || digits > 0) && !isTail)
      )
        break
      found = found === '' ? token : `${found} ${token}`
      digits += own
      if (token !== tokens[index]) break
    }
    if (digits >= 4 && digits <= 20 && !/^(19|20)\d\d$/.test(found) && !writtenDay.test(found)) return found
  }
  return undefined
}

/** `74182 9360 RC0001` of a Canadian business is its account for a tax, and so is `27AAFCS8841K1Z6` of an Indian one. */
export function isTaxAccount(value: string, label: string): boolean {
  const isIndian = /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[\dA-Z]$/.test(value)
  if (isIndian) return businessWords.in(wordsOf(label)) === undefined
  return /^\d{5} ?\d{4} ?R[CT] ?\d{4}$/.test(value)
}

/** `12.05.1994` is the day of an entry, not its number. */
const writtenDay = /^(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2})$/

export function phoneIn(text: string): string | undefined {
  const tokens = tokensOf(text)
  for (let begin = 0; begin < Math.min(tokens.length, 12); begin++) {
    const parts: string[] = []
    let digits = 0
    for (const token of tokens.slice(begin, begin + 7)) {
      const part = token.replace(/[,;]$/, '')
      if (!/^[+(]?[\d().\-/]{1,20}$/.test(part) || (parts.length === 0 && writtenDay.test(part))) break
      parts.push(part)
      digits += part.replace(/\D/g, '').length
      if (part !== token) break
    }
    if (digits >= 7 && digits <= 15) return parts.join(' ')
  }
  return undefined
}

export function emailIn(text: string): string | undefined {
  return tokensOf(text).map(bare).find(isEmail)
}

export function websiteIn(text: string): string | undefined {
  return tokensOf(text)
    .map(bare)
    .find((token) => /^(https?:\/\/|www\.)\S{3,200}$/i.test(token) || isHost(token.split('/', 1)[0] ?? ''))
}

export function isEmail(text: string): boolean {
  const [name = '', host = '', ...more] = text.length <= 254 ? text.split('@') : []
  return more.length === 0 && /^[\w.+'-]{1,64}$/.test(name) && isHost(host)
}

/** Labels between dots, the last one of letters: `1.250` is no host. */
function isHost(text: string): boolean {
  const parts = text.split('.')
  return (
    text.length <= 253 &&
    parts.length >= 2 &&
    parts.every((part) => /^[a-z0-9-]{1,63}$/i.test(part)) &&
    /^[a-z]{2,}$/i.test(parts.at(-1) ?? '')
  )
}

export function tokensOf(text: string): string[] {
  return text
    .slice(0, 1_000)
    .split(/\s+/)
    .filter((token) => token !== '' && token.length <= 260)
}

/** Without the punctuation of the sentence around it. */
function bare(token: string): string {
  return token.replace(/^[<("'[]+/, '').replace(/[>)"',;:.\]]+$/, '')
}
