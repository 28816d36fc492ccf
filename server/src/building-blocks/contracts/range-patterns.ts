// Bounds on values that are texts, as regular expressions: JSON Schema has no other way to say that an amount or a date
// lies in a range. Each function gives the inside of a pattern; digits are compared from the left, as people do.

/** Dates or months (digits and dashes, all of one length) that are not before `bound`. */
export function notBefore(bound: string): string {
  return fixed(bound, (digit) => higher(digit))
}

/** Dates or months that are not after `bound`. */
export function notAfter(bound: string): string {
  return fixed(bound, (digit) => lower(digit))
}

/** Decimal texts with at most `digits` digits after the point that are at least `bound`. */
export function atLeast(bound: string, digits: number): string {
  const { isNegative, whole, fraction } = parts(bound, digits)
  const zero = /^0*$/.test(whole + fraction) ? `|-0${optional(`\\.0{1,${digits}}`, digits)}` : ''
  return isNegative ? `(?:${any(digits)}|-(?:${upTo(whole, fraction)}))` : `(?:${from(whole, fraction)}${zero})`
}

/** Decimal texts with at most `digits` digits after the point that are at most `bound`. */
export function atMost(bound: string, digits: number): string {
  const { isNegative, whole, fraction } = parts(bound, digits)
  return isNegative ? `-(?:${from(whole, fraction)})` : `(?:-${any(digits)}|${upTo(whole, fraction)})`
}

function parts(bound: string, digits: number) {
  const [whole = '0', fraction = ''] = bound.replace('-', '').split('.')
  const isZero = /^0*$/.test(whole + fraction)
  return { isNegative: bound.startsWith('-') && !isZero, whole, fraction: fraction.padEnd(digits, '0') }
}

/** Any decimal text without a sign. */
function any(digits: number): string {
  return `(?:0|[1-9][0-9]{0,14})${optional(`\\.[0-9]{1,${digits}}`, digits)}`
}

function from(whole: string, fraction: string): string {
  const choices = [`${whole}${fractionFrom(fraction)}`]
  const greater = sameLength(whole, higher)
  if (greater !== '') choices.push(`(?:${greater})${optional(`\\.[0-9]{1,${fraction.length}}`, fraction.length)}`)
  if (whole.length < 15)
    choices.push(`[1-9][0-9]{${whole.length},14}${optional(`\\.[0-9]{1,${fraction.length}}`, fraction.length)}`)
  return choices.join('|')
}

function upTo(whole: string, fraction: string): string {
  const choices = [`${whole}${fractionUpTo(fraction)}`]
  const anyFraction = optional(`\\.[0-9]{1,${fraction.length}}`, fraction.length)
  const less = sameLength(whole, lower)
  if (less !== '') choices.push(`(?:${less})${anyFraction}`)
  if (whole.length > 1) choices.push(`(?:0|[1-9][0-9]{0,${whole.length - 2}})${anyFraction}`)
  return choices.join('|')
}

/** Whole numbers of the same length that differ from this one, first at a digit that is higher or lower. */
function sameLength(whole: string, other: (digit: string) => string): string {
  return Array.from(whole)
    .flatMap((digit, index) => {
      // A number of several digits does not begin with zero.
      const digits = index === 0 && whole.length > 1 && other === lower ? lowerThan(digit, 1) : other(digit)
      return digits === '' ? [] : [`${whole.slice(0, index)}${digits}[0-9]{${whole.length - index - 1}}`]
    })
    .join('|')
}

/** What follows a whole number that is just large enough: nothing, or digits that do not fall below. */
function fractionFrom(fraction: string): string {
  if (fraction.length === 0) return ''
  if (/^0*$/.test(fraction)) return `(?:\\.[0-9]{1,${fraction.length}})?`
  return `\\.${tailFrom(fraction)}`
}

function tailFrom(fraction: string): string {
  if (/^0*$/.test(fraction)) return `[0-9]{0,${fraction.length}}`
  const [digit = '', rest] = [fraction[0], fraction.slice(1)]
  const above = higher(digit)
  return `(?:${digit}${tailFrom(rest)}${above === '' ? '' : `|${above}[0-9]{0,${rest.length}}`})`
}

function fractionUpTo(fraction: string): string {
  if (fraction.length === 0) return ''
  const [digit = '', rest] = [fraction[0], fraction.slice(1)]
  const below = lower(digit)
  return `(?:\\.(?:${digit}${tailUpTo(rest)}${below === '' ? '' : `|${below}[0-9]{0,${rest.length}}`}))?`
}

function tailUpTo(fraction: string): string {
  if (fraction === '') return ''
  const [digit = '', rest] = [fraction[0], fraction.slice(1)]
  const below = lower(digit)
  return `(?:${digit}${tailUpTo(rest)}${below === '' ? '' : `|${below}[0-9]{0,${rest.length}}`})?`
}

function fixed(bound: string, other: (digit: string) => string): string {
  if (bound === '') return ''
  const [character = '', rest] = [bound[0], bound.slice(1)]
  if (character === '-') return `-${fixed(rest, other)}`
  const differing = other(character)
  const anything = rest.replace(/[0-9]/g, '[0-9]')
  return `(?:${character}${fixed(rest, other)}${differing === '' ? '' : `|${differing}${anything}`})`
}

function higher(digit: string): string {
  return digit === '9' ? '' : `[${Number(digit) + 1}-9]`
}

function lower(digit: string): string {
  return lowerThan(digit, 0)
}

function lowerThan(digit: string, least: number): string {
  return Number(digit) <= least ? '' : `[${least}-${Number(digit) - 1}]`
}

function optional(pattern: string, digits: number): string {
  return digits === 0 ? '' : `(?:${pattern})?`
}
