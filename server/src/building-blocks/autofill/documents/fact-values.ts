// Finds a value of a given form at or after the beginning of a text. Works on words of bounded length, so that every
// pattern takes linear time.
import type { ValueKind } from './fact-labels.ts'

/** The first value of the kind in the text, as written; undefined when there is none. */
export function firstValue(text: string, kind: ValueKind): string | undefined {
  const cut = text.slice(0, 400).trim()
  if (kind === 'text' || kind === 'address') return textValue(cut)
  const tokens = tokensOf(cut)
  switch (kind) {
    case 'amount':
      return amountsIn(text)[0]
    case 'date':
      return dateIn(tokens)
    case 'count':
      return tokens.map(bare).find((token) => /^\d[\d,]{0,8}$/.test(token))
    case 'identifier':
      return identifierIn(tokens)
    case 'phone':
      return phoneIn(tokens)
    case 'email':
      return tokens.map(bare).find(isEmail)
    case 'website':
      return tokens.map(bare).find(isWebsite)
  }
}

/** All amounts of a text: '$1,250,000.50', '(48,210)', '£ 900', '1 250 000,00 EUR' up to its spaces. No percentages. */
export function amountsIn(text: string): string[] {
  const tokens = tokensOf(text.slice(0, 400))
  const found: string[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = (tokens[index] ?? '').replace(/[;:.,]$/, '')
    const next = tokens[index + 1] ?? ''
    if (isAmount(token)) {
      // A month beside it makes it a day: 31 March is no amount.
      if (isMonth(next) || isMonth(tokens[index - 1] ?? '')) continue
      found.push(/^(CR|DR|USD|GBP|EUR|CAD|AUD)$/.test(next) ? `${token} ${tokens[++index]}` : token)
    } else if (/^[-(]?([$£€¥]|USD|GBP|EUR|CAD|AUD)$/.test(token) && isAmount(next)) {
      found.push(`${token} ${next}`)
      index++
    }
  }
  return found
}

export function yearIn(text: string): number | undefined {
  for (const word of text.slice(0, 200).match(/[\p{L}\p{N}]+/gu) ?? []) {
    const year = /^(?:FY)?((?:19|20)\d\d)$/i.exec(word)?.[1]
    if (year) return Number(year)
  }
  return undefined
}

export function isPercent(text: string): boolean {
  return /^\d{1,3}([.,]\d{1,6})? ?%$/.test(text)
}

export function isEmail(text: string): boolean {
  const [name = '', host = '', ...more] = text.length <= 254 ? text.split('@') : []
  return more.length === 0 && /^[\w.+'-]{1,64}$/.test(name) && isHost(host)
}

export function dateIn(tokens: readonly string[]): string | undefined {
  for (let index = 0; index < tokens.length; index++) {
    const token = bare(tokens[index] ?? '')
    if (/^\d{1,4}([/.-])\d{1,2}\1\d{1,4}$/.test(token)) return token
    if (!isMonth(token)) continue
    const before = tokens[index - 1] ?? ''
    const after = tokens[index + 1] ?? ''
    const isYear = (word: string) => /^(19|20)\d\d$/.test(bare(word))
    if (isYear(after)) return (isDay(before) ? [before, token, bare(after)] : [token, bare(after)]).join(' ')
    const year = tokens[index + 2] ?? ''
    if (isDay(after) && isYear(year)) return [token, after, bare(year)].join(' ')
  }
  // A year alone is better than nothing.
  return tokens.map(bare).find((token) => /^(19|20)\d\d$/.test(token))
}

export function tokensOf(text: string): string[] {
  return text.split(/\s+/).filter((token) => token !== '' && token.length <= 260)
}

function isAmount(token: string): boolean {
  if (token.length > 30) return false
  return /^[-+]?\(?[-+]?[$£€¥]?\(?[-+]?[$£€¥]?\d[\d,.']*[$£€¥]?\)?-?$/.test(token) && !/^\d+[./]\d+[./]\d+$/.test(token)
}

function identifierIn(tokens: readonly string[]): string | undefined {
  for (let begin = 0; begin < tokens.length; begin++) {
    let text = ''
    let digits = 0
    for (let index = begin; index < tokens.length && index < begin + 5; index++) {
      const token = bare(tokens[index] ?? '')
      const own = token.replace(/\D/g, '').length
      // Masked, as on copies for others.
      if (/X{2}|\*/i.test(token)) return undefined
      // Letters lead ('GB 123 4567 89', 'HRB 12345'); a word without digits behind the number is something else.
      if (!/^[A-Z0-9][A-Z0-9/.-]{0,24}$/.test(token) || (own === 0 && (token.length > 3 || digits > 0))) break
      text = text === '' ? token : `${text} ${token}`
      digits += own
      if (token !== tokens[index]) break
    }
    if (digits >= 4 && digits <= 20) return text
  }
  return undefined
}

function phoneIn(tokens: readonly string[]): string | undefined {
  for (let begin = 0; begin < tokens.length; begin++) {
    const parts: string[] = []
    let digits = 0
    for (const token of tokens.slice(begin, begin + 7)) {
      const part = token.replace(/[,;]$/, '')
      if (!/^[+(]?[\d().\-/]{1,20}$/.test(part)) break
      parts.push(part)
      digits += part.replace(/\D/g, '').length
      if (part !== token) break
    }
    if (digits >= 7 && digits <= 15) return parts.join(' ')
  }
  return undefined
}

function isWebsite(token: string): boolean {
  if (/^(https?:\/\/|www\.)\S{3,200}$/i.test(token)) return true
  return isHost(token.split('/', 1)[0] ?? '')
}

/** Labels between dots, the last one of letters: '1.250' is no host. */
function isHost(text: string): boolean {
  const labels = text.split('.')
  return (
    text.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-z0-9-]{1,63}$/i.test(label)) &&
    /^[a-z]{2,}$/i.test(labels.at(-1) ?? '')
  )
}

function textValue(text: string): string | undefined {
  const value = text
    .replace(/^[\s:.,;–-]+/, '')
    .replace(/[\s:;]+$/, '')
    .slice(0, 200)
  return /\p{L}/u.test(value) ? value : undefined
}

/** Without the punctuation of the sentence around it. */
function bare(token: string): string {
  return token.replace(/^[<("'[]+/, '').replace(/[>)"',;:.\]]+$/, '')
}

const months = new Set('jan feb mar apr may jun jul aug sep oct nov dec'.split(' '))

function isMonth(token: string): boolean {
  return /^\p{L}{3,9}[.,]?$/u.test(token) && months.has(token.slice(0, 3).toLowerCase())
}

function isDay(token: string): boolean {
  return /^\d{1,2}(st|nd|rd|th)?[.,]?$/.test(token)
}
