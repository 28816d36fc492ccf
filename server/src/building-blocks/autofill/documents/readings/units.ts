// The unit that headings and labels give figures in: their scale and their currency.
import { currencyCodes, currencySigns } from '../../written-money.ts'
import { scaleHeadings, scaleWords } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'

/** 1000 or a million when a heading says so: `in thousands`, `$000`, `T€`, `£'000s`, `R'000`. */
export function scaleIn(text: string): number | undefined {
  if (text.length > 200) return undefined
  const found = scaleHeadings.in(wordsOf(text))
  if (found) return found.meaning[0]
  if (thousands.test(text) || inThousands.test(text)) return 1000
  const spoken = /(?:(?<!\p{L})(?:R|Rs\.?|[A-Z]{3})|[$£€₹]) ?(thousand|million)s?(?!\p{L})/u.exec(text)?.[1]
  if (spoken !== undefined) return spoken === 'thousand' ? 1000 : 1_000_000
  return /(^|[\s(])(M€|Mio\.? ?€|€m|£m|\$m)(?!\p{L})/u.test(text) ? 1_000_000 : undefined
}

const codes = currencyCodes.join('|')
const thousands = new RegExp(
  `(^|[^\\d,.])[$£€₹] ?['’‘]?000s?($|[^\\d,.'’‘]|[,.](?=\\s|$))|(?<!\\p{L})(?:(?:${codes}|R|Rs\\.?) ?['’‘]000s?|(?:${codes}) ?000s)($|[^\\d,.'’‘]|[,.](?=\\s|$))|(^|[\\s(])(T|k|K)(€|EUR|CHF|£|\\$)(?!\\p{L})`,
  'u',
)

/** `Amounts in CHF 1'000` */
const inThousands = new RegExp(`\\bin\\s(?:${codes}|Fr\\.?|[$£€])\\s?1['’.,]?000(?![\\d'’.,])`, 'iu')

/** `Figures: R thousand`, not `$1.0 million` and not `assets of $10 million or more`. */
export function isScaleWord(text: string): boolean {
  if (text.length > 80 || /\d/.test(text.replace(/\b(?:19|20)\d\d\b|^\d\.\s/g, ''))) return false
  return wordsOf(text).some((word) => scaleWords.has(word))
}

const currency = new RegExp(`(?<!\\p{L})(${codes})(?!\\p{L})|[£€₹]|US\\$|TEUR`, 'u')

export function currencyIn(text: string): string | undefined {
  const [sign] = currency.exec(text) ?? []
  if (sign === undefined) return /\beuros?\b/i.test(text) ? 'EUR' : undefined
  return sign === 'TEUR' ? 'EUR' : (currencySigns.get(sign) ?? sign)
}
