// Numbers as people write them, read exactly: digits and their scale, never floating point.
//   head  middle        tail        head and tail hold the sign, the currency, `k` or `million`, units;
//   ($    1.234.567,89  m USD)      the middle only digits and separators.
// One separator with three digits behind it is a thousand or a fraction: the country decides.
import { fromMinorUnits, isCurrency, type Money, minorDigits } from '../../platform/values/money.ts'
import { commaCountries, currencyByCountry, currencySigns, dollars } from './written-money.ts'

/** The number `units` / 10^`decimals`. */
interface ExactNumber {
  units: bigint
  decimals: number
}

/** An amount of money; the scale counts unless the text says `k` or `million` itself. */
export function readAmount(text: string, country: string | null, scale = 1): Money | undefined {
  const parts = splitAtDigits(text)
  if (!parts || !Number.isSafeInteger(scale) || scale < 1) return undefined
  const [word, power] = multiplierIn(parts.tail, everyMultiplier)
  const currency = currencyOf(compact(parts.head), compact(parts.tail.slice(word.length)), country)
  const number = digitsOf(parts.middle, country, word === '')
  if (currency === undefined || !number) return undefined
  const digits = minorDigits(currency)
  const units = number.units * (word === '' ? BigInt(scale) : 10n ** power) * 10n ** BigInt(digits)
  const divisor = 10n ** BigInt(number.decimals)
  const minor = units / divisor
  if (minor * divisor !== units || minor > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  return fromMinorUnits(Number(parts.isNegative ? -minor : minor), currency)
}

/** A number, perhaps with a unit of a few words behind it: `12 full-time employees`. */
export function readQuantity(text: string, country: string | null, isWhole: boolean): ExactNumber | undefined {
  const parts = splitAtDigits(text)
  if (parts?.head !== '') return undefined
  // `12 m` may be metres, months or millions.
  const [word, power] = multiplierIn(parts.tail, clearMultipliers)
  const unit = parts.tail.slice(word.length).trim()
  const words = unit === '' ? [] : unit.split(' ')
  if (words.length > 3 || !words.every((one) => unitWord.test(one) && !unclearUnits.has(one.toLowerCase())))
    return undefined
  const number = digitsOf(parts.middle, country, isWhole && word === '')
  return number && signed({ ...number, units: number.units * 10n ** power }, parts.isNegative)
}

/** `60 %` and `60` are 60; `0.6` is not taken for 60. */
export function readPercent(text: string, country: string | null): ExactNumber | undefined {
  const parts = splitAtDigits(text)
  if (parts?.head !== '' || !percentSigns.has(compact(parts.tail).toLowerCase())) return undefined
  const number = digitsOf(parts.middle, country, false)
  return number && signed(number, parts.isNegative)
}

/** The nearest number JavaScript has. */
export function toNumber({ units, decimals }: ExactNumber): number {
  return Number(`${units}e-${decimals}`)
}

/** Undefined when there is a fraction. */
export function toInteger({ units, decimals }: ExactNumber): number | undefined {
  const divisor = 10n ** BigInt(decimals)
  return units % divisor === 0n ? Number(units / divisor) : undefined
}

function signed({ units, decimals }: ExactNumber, isNegative: boolean): ExactNumber {
  return { units: isNegative ? -units : units, decimals }
}

interface Parts {
  head: string
  middle: string
  tail: string
  isNegative: boolean
}

/** Around the first and the last digit, with the sign taken out. */
function splitAtDigits(written: string): Parts | undefined {
  const text = written.replace(/[−–—]/g, '-').replace(/’/g, "'").replace(/\s+/g, ' ').trim()
  const first = text.search(/[0-9]/)
  if (first === -1) return undefined
  let last = text.length - 1
  while (!/[0-9]/.test(text.charAt(last))) last--
  const startsWithPoint = /(^|[^\p{L}])\.$/u.test(text.slice(Math.max(0, first - 2), first))
  const start = startsWithPoint ? first - 1 : first
  const middle = text.slice(start, last + 1)
  // `1.250,-` has no cents rather than a sign.
  const head = text.slice(0, start)
  const tail = text.slice(last + 1).replace(/^[.,](-| |$)/, ' ')
  const opened = head.split('(').length - 1
  const closed = tail.split(')').length - 1
  const minusBefore = head.split('-').length - 1
  const minusAfter = /^ ?-(?!\p{L})/u.test(tail) ? 1 : 0
  if (opened !== closed || opened + minusBefore + minusAfter > 1) return undefined
  return {
    head: head.replace(/[(\-+]/g, ' ').trim(),
    middle,
    tail: (minusAfter ? tail.replace('-', ' ') : tail).replace(')', ' ').trim(),
    isNegative: opened + minusBefore + minusAfter === 1,
  }
}

/** `isThousands` where three digits behind a comma can be no fraction: in whole numbers and in most money. */
function digitsOf(middle: string, country: string | null, isThousands: boolean): ExactNumber | undefined {
  if (!/^[0-9., ']+$/.test(middle)) return undefined
  const [points, commas] = [middle.split('.').length - 1, middle.split(',').length - 1]
  const hasGaps = /[ ']/.test(middle)
  if (points > 0 && commas > 0) {
    const mark = middle.lastIndexOf('.') > middle.lastIndexOf(',') ? '.' : ','
    return hasGaps || (mark === '.' ? points : commas) > 1
      ? undefined
      : numberOf(middle, mark, mark === '.' ? ',' : '.')
  }
  const gap = middle.includes(' ') ? ' ' : "'"
  if (points + commas === 0) return numberOf(middle, undefined, gap)
  const mark = points > 0 ? '.' : ','
  if (points + commas > 1) return hasGaps ? undefined : numberOf(middle, undefined, mark)
  if (hasGaps) return numberOf(middle, mark, gap)
  const [before = '', after = ''] = middle.split(mark)
  const writesCommas = commaCountries.has(country ?? '')
  if (/^[1-9][0-9]{0,2}$/.test(before) && after.length === 3) {
    const isGroup = mark === '.' ? writesCommas : !writesCommas || isThousands
    return isGroup ? numberOf(middle, undefined, mark) : numberOf(middle, mark, undefined)
  }
  // Where fractions follow a point, only cents are believed to follow a comma.
  if (mark === ',' && !writesCommas && after.length > 2) return undefined
  return numberOf(middle, mark, undefined)
}

function numberOf(middle: string, mark: string | undefined, gap: string | undefined): ExactNumber | undefined {
  const [whole = '', fraction = ''] = mark === undefined ? [middle] : middle.split(mark)
  const [first = '', ...groups] = gap === undefined ? [whole] : whole.split(gap)
  const isGrouped = groups.length === 0 || (/^[0-9]{1,3}$/.test(first) && groups.every((one) => /^[0-9]{3}$/.test(one)))
  const digits = `${first}${groups.join('')}${fraction}`
  return isGrouped && /^[0-9]+$/.test(digits) ? { units: BigInt(digits), decimals: fraction.length } : undefined
}

function multiplierIn(tail: string, multipliers: ReadonlyMap<string, bigint>): [word: string, power: bigint] {
  const [word = ''] = /^\p{L}{1,9}(?!\p{L})/u.exec(tail) ?? []
  const power = multipliers.get(word.toLowerCase())
  return power === undefined ? ['', 0n] : [word, power]
}

function currencyOf(head: string, tail: string, country: string | null): string | undefined {
  const [before, after] = [currencyNamed(head, country), currencyNamed(tail, country)]
  if ((head !== '' && !before) || (tail !== '' && !after)) return undefined
  // `$1,250 CAD` says which dollar.
  if (before && after) return before === after || (head === '$' && dollars.has(after)) ? after : undefined
  return before ?? after ?? currencyByCountry.get(country ?? '')
}

function currencyNamed(name: string, country: string | null): string | undefined {
  if (name === '$' || /^dollars?$/i.test(name)) {
    const own = currencyByCountry.get(country ?? '')
    return own !== undefined && dollars.has(own) ? own : 'USD'
  }
  // Codes only in capitals: `all` and `top` are words.
  return isCurrency(name) ? name : currencyNames.get(name.toLowerCase())
}

function compact(text: string): string {
  return text.replaceAll(' ', '')
}

const clearMultipliers = new Map<string, bigint>([
  ...['k', 'thousand'].map((word) => [word, 3n] as const),
  ...['mn', 'million', 'millions'].map((word) => [word, 6n] as const),
  ...['bn', 'billion', 'billions'].map((word) => [word, 9n] as const),
])
const everyMultiplier = new Map<string, bigint>([...clearMultipliers, ['m', 6n], ['mm', 6n], ['b', 9n]])
const unclearUnits = new Set(['m', 'mm', 'b'])
const unitWord = /^\p{L}[\p{L}.'-]{0,30}$/u
const percentSigns = new Set(['', '%', 'percent', 'pct', 'pct.'])

const currencyNames = new Map([
  ...[...currencySigns].map(([sign, code]) => [sign.toLowerCase(), code] as const),
  ['pounds', 'GBP'],
  ['poundssterling', 'GBP'],
  ['euro', 'EUR'],
  ['euros', 'EUR'],
])
