// The numbers in a text, with what is written around them: sign, currency, scale, and whether they are figures at all.
//   A year, a date, the number of a line, a box or a page is not a figure.
import { commaCountries, currencyCodes, currencySigns } from '../../written-money.ts'
import { scales, signs } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { references, vague } from '../words/vocabulary.ts'
import { datesIn } from './dates.ts'

export interface FoundNumber {
  /** Where it stands, with its currency, sign and scale. */
  begin: number
  end: number
  /** Exactly, with a point: `-3204.77`. The scale of its own words is in it. */
  value: string
  currency?: string
  is_percent: boolean
  /** It says `million` or `k` itself, so the scale of a heading does not count. */
  is_scaled: boolean
  /** 1900 to 2099 without any other sign of a figure. */
  is_year: boolean
  /** Written as a figure is: with a currency, groups of thousands or cents. */
  is_formatted: boolean
  /** Both readings are possible, as of `1.250`. */
  is_unclear: boolean
}

/** How a document writes fractions. */
export type DecimalMark = '.' | ','

/** A text with more is no value of anything: those behind them are not looked at. */
const mostNumbers = 40

/** The longest first; `R` of the rand only before a figure. */
const currencySign = `(?:\\$ ?US(?=\\s*(?:[),;.]|$))|${[...currencySigns.keys(), '$', ...currencyCodes].map((sign) => sign.replace(/[$./]/g, '\\$&')).join('|')}|R(?=[ \\d]))`
const digits = String.raw`(?:\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d{1,2})?(?![.,]?\d)|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?(?!\d)|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?)`
const pattern = new RegExp(
  String.raw`(?<![\p{L}\d.,/#&])(?<open>[(<-]|[−–-] ?)?(?<before>${currencySign})? ?(?<minus>[−–-])?(?<open2>\()?(?<digits>${digits})(?<tail>[-−](?![\d\p{L}])|\s[-−](?=\s*(?:EUR|€|$)))?(?<close>[)>])?(?: ?(?<percent>%))?(?: ?(?<after>${currencySign})(?![\p{L}]))?`,
  'gu',
)

export function numbersIn(written: string, mark: DecimalMark): FoundNumber[] {
  const text = written.slice(0, 1_000)
  if (!/\d/.test(text)) return []
  const blocked = blockedSpans(text)
  const found: FoundNumber[] = []
  for (const match of text.matchAll(pattern)) {
    if (found.length === mostNumbers) break
    const { groups = {} } = match
    const begin = match.index
    let end = begin + match[0].length
    const at = begin + match[0].indexOf(groups.digits ?? '')
    if (blocked.some(([from, to]) => at < to && at + (groups.digits?.length ?? 0) > from)) continue
    const next = text.slice(end, end + 30)
    // `12th`, `3rd`, `2b`, `1120-S`, `10-49`: part of something else.
    if (/^[\p{L}\d]/u.test(next) && !scaleAt(next) && !(isWithCents(groups.digits ?? '') && signAfter(next))) continue
    const scale = scaleAt(next)
    if (scale) end += scale.length
    const number = parseDigits(groups.digits ?? '', mark, scale !== undefined)
    if (!number) continue
    const tailCurrency = scale && new RegExp(`^ ?(${currencySign})(?!\\p{L})`, 'u').exec(text.slice(end))
    if (tailCurrency) end += tailCurrency[0].length
    const sign = signAfter(text.slice(end, end + 24))
    if (sign) end += sign.length
    const isInBrackets = (groups.open === '(' || groups.open2 === '(') && groups.close === ')'
    const isDash = groups.open !== undefined && groups.open !== '(' && groups.open !== '<'
    // `10 - 49` is a range; a dash right behind a word is a dash.
    const isMinus = isDash && !/[\p{L}\d]\s*$/u.test(text.slice(0, begin))
    const isSigned = isMinus || groups.minus !== undefined || groups.tail !== undefined || sign?.is_negative === true
    const isNegative = isInBrackets || isSigned || saysLossOf(text.slice(Math.max(0, begin - 40), begin))
    const currency = currencyOf(groups.before ?? groups.after ?? tailCurrency?.[1])
    const isFormatted =
      currency !== undefined || isInBrackets || /[.,'’ ]/.test(groups.digits ?? '') || scale !== undefined
    found.push({
      begin,
      end,
      value: `${isNegative && !/^[0.]*$/.test(number.value) ? '-' : ''}${shift(number.value, scale?.power ?? 0)}`,
      ...(currency !== undefined && { currency }),
      is_percent: groups.percent !== undefined || /^ ?(percent|prozent|pour cent|por ciento)/i.test(text.slice(end)),
      is_scaled: scale !== undefined,
      is_year: !isFormatted && !isNegative && /^(19|20)\d\d$/.test(groups.digits ?? ''),
      is_formatted: isFormatted,
      is_unclear: number.is_unclear,
    })
  }
  return found
}

/** `187,455.09Cr`: behind cents, letters that are a sign may follow at once. */
function isWithCents(text: string): boolean {
  return /[.,]\d\d$/.test(text)
}

/** Whether the words say that a number is not exact: `about`, `between`, `up to`, `50+`, or a second number behind a dash. */
export function isVague(text: string): boolean {
  const words = wordsOf(withoutTimes(text))
  for (let at = 0; at < words.length; at++) if (vague.at(words, at)) return true
  return /\d\s*[-–—]\s*[$£€]?\s*\d|[<>~≈±+]\s*[$£€]?\s*\d|\d\+|(?<![.,]\d)\d\s\+/.test(
    text.replace(/\d{4}-\d\d-\d\d/g, ''),
  )
}

/** `Approx. turnover`, `Turnover (estimated)`: in a label only what stands at its ends counts. */
export function isVagueLabel(text: string): boolean {
  const words = wordsOf(withoutTimes(text))
  for (let at = 0; at < words.length; at++) {
    const found = vague.at(words, at)
    // `CA` is a turnover in French, not `circa`.
    const isLong = words.slice(at, at + (found?.length ?? 0)).join('').length > 2
    if (found && isLong && (at === 0 || at + found.length === words.length)) return true
  }
  return false
}

/** `um 20:04 Uhr` is exact. */
function withoutTimes(text: string): string {
  return text.replace(/(?:\p{L}{1,3}\s)?(?<!\d)\d{1,2}:\d\d(?!\d)(?:\sUhr)?/gu, ' ')
}

/** The mark most numbers of a document need to be read at all; the habit of the country where none does. */
export function decimalMarkOf(texts: Iterable<string>, country: string | null): DecimalMark {
  let points = 0
  let commas = 0
  for (const text of texts) {
    points += 2 * (text.match(/\d,\d{3}\.\d|\d,\d{3},\d{3}/g)?.length ?? 0)
    commas += 2 * (text.match(/\d\.\d{3},\d|\d\.\d{3}\.\d{3}/g)?.length ?? 0)
    points += text.match(/(?<![\d.,])\d+\.\d{1,2}(?![\d.,/])/g)?.length ?? 0
    commas += text.match(/(?<![\d.,])\d+,\d{1,2}(?![\d.,])/g)?.length ?? 0
  }
  const habit = commaCountries.has(country ?? '') ? ',' : '.'
  // One alone may be the code of a trade: `659.7`.
  const isOnlyOne = points + commas === 1 && country !== null
  if (points === commas || isOnlyOne) return habit
  return points > commas ? '.' : ','
}

/** `line 21`, `Form 1120`, dates, times, phone numbers and links hold digits that are no figures. */
function blockedSpans(text: string): [number, number][] {
  const spans: [number, number][] = datesIn(text).map(({ begin, end }) => [begin, end])
  for (const match of text.matchAll(
    /(?<!\p{L})\p{L}+\.?\s?#?\s*(?:\d+[a-z]?(?:\s?(?:and|und|et|y|or|to|through|[-–+,&])\s?\d+[a-z]?(?![\d.,]))*)/gu,
  )) {
    const word = wordsOf(match[0])[0] ?? ''
    if (references.has(word)) spans.push([match.index, match.index + match[0].length])
  }
  // `Exercice N-1`, `as of 20261031`, `£'000`
  for (const match of text.matchAll(
    /(?<!\d)['’‘]000s?(?![\d.,'’‘])|(?<=^|[$£€₹] ?)000s?(?! ?[\d.,'’‘])|\bN ?- ?\d\b|\b(?:as of|as at|date|on|to|from) (?:19|20)\d\d[01]\d[0-3]\d\b|\b\d{1,2}:\d\d\b|(?<!\S)\S+@\S+|https?:\S+|www\.\S+|§\s?\d+/g,
  ))
    spans.push([match.index, match.index + match[0].length])
  return spans
}

function scaleAt(next: string): { length: number; power: number } | undefined {
  const match = /^\s?(\p{L}{1,10})\.?(?!\p{L})/u.exec(next)
  const power = scales.get(wordsOf(match?.[1] ?? '').join(' '))
  if (!match || power === undefined) return undefined
  // `350 m wide` may be metres, `350m`, `350 k€` and `350 million` are not; a lone letter must stand close, be a capital,
  // have a currency behind it or nothing more.
  const isLetter = (match[1] ?? '').length === 1
  if (isLetter && /^\s/.test(next) && !/^\s(?:[MKT]\b|\p{L} ?[€£$]|[km]\.?\s?(?:[,;)]|$))/u.test(next)) return undefined
  return { length: match[0].length, power }
}

function signAfter(next: string): { length: number; is_negative: boolean } | undefined {
  const match = /^[\s(]{0,2}(\p{L}{1,10}(?:[ /]\p{L}{1,9})?)\b\)?/u.exec(next)
  if (!match) return undefined
  const [first = '', second] = wordsOf(match[1] ?? '')
  for (const name of [second === undefined ? first : `${first} ${second}`, first]) {
    // A lone letter is a sign only as a capital: `S` and `H` of German banks.
    const isPlain = name.length > 1 || new RegExp(`\\b${name.toUpperCase()}\\b`).test(match[1] ?? '')
    if (isPlain && signs.negative.has(name)) return { length: match[0].length, is_negative: true }
    if (isPlain && signs.positive.has(name)) return { length: match[0].length, is_negative: false }
  }
  return undefined
}

/** `Net result 2025: loss of £22,300`, `a small loss of £22,300`: all the words before the amount are its sign. */
function saysLossOf(before: string): boolean {
  // `Net profit 2025: (loss) 22,300`; `Profit (loss) 22,300` is none.
  const said = /(?:^|[:(])\s*([\p{L}'’ ]{4,40})$/u.exec(before) ?? /(?:^|:)\s*\(([\p{L}'’ ]{4,40})\)\s?$/u.exec(before)
  const words = wordsOf(said?.[1] ?? '')
  const loss = signs.losses.at(words, 0)
  const rest = loss && words.slice(loss.length).join(' ')
  return rest === '' || (rest !== undefined && signs.joints.has(rest))
}

function parseDigits(
  text: string,
  mark: DecimalMark,
  hasScale: boolean,
): { value: string; is_unclear: boolean } | undefined {
  const clean = text.replace(/[ '’]/g, '')
  const [points, commas] = [clean.split('.').length - 1, clean.split(',').length - 1]
  if (points > 0 && commas > 0) {
    const decimal = clean.lastIndexOf('.') > clean.lastIndexOf(',') ? '.' : ','
    return { value: plain(clean, decimal), is_unclear: false }
  }
  const own = points > 0 ? '.' : ','
  const count = points + commas
  if (count === 0) return { value: clean, is_unclear: false }
  if (count > 1) return { value: clean.replaceAll(own, ''), is_unclear: false }
  const [before = '', after = ''] = clean.split(own)
  const hasGap = clean !== text
  if (after.length !== 3 || hasGap || before.length > 3 || before === '0')
    return { value: plain(clean, own), is_unclear: false }
  // Three digits behind one mark: thousands, unless a scale follows (`1.250 million`).
  if (hasScale) return { value: own === mark ? plain(clean, own) : before + after, is_unclear: own !== mark }
  return { value: before + after, is_unclear: own === mark }
}

function plain(text: string, decimal: string): string {
  const [whole = '', fraction] = text.split(decimal)
  const bare = whole.replace(/[.,]/g, '')
  return fraction === undefined ? bare : `${bare}.${fraction}`
}

/** Moves the point to the right: `1.9` by 6 is `1900000`. */
function shift(value: string, power: number): string {
  const [whole = '', fraction = ''] = value.split('.')
  const padded = fraction.padEnd(power, '0')
  const rest = padded.slice(power)
  const joined = `${whole}${padded.slice(0, power)}`.replace(/^0+(?=\d)/, '')
  return rest === '' ? joined : `${joined}.${rest}`
}

function currencyOf(sign: string | undefined): string | undefined {
  if (sign === undefined) return undefined
  if (sign === 'R') return 'ZAR'
  if (/^\$ ?US$/.test(sign)) return 'USD'
  return currencySigns.get(sign) ?? sign
}
