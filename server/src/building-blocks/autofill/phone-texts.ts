// Phone numbers as E.164. A number without its country is read by the rules of the business's own country, where we
// know them; no number is better than somebody else's.

export function readPhone(written: string, country: string | null): string | undefined {
  const text = written
    .trim()
    .replace(/^(tel|telephone|phone|mobile|t|p|m)(\.|:|\.:| ) ?/i, '')
    .replace(/[ ,;]{0,3}(ext\.?|extension|x) ?[0-9]{1,6}$/i, '')
    .replace(/[‐‑‒–—]/g, '-')
  if (text.length > 40 || !/^\+?[0-9 ()./\s-]+$/.test(text)) return undefined
  const digits = text.replace(/\(0\)/, isInternational(text) ? '' : '0').replace(/[^0-9]/g, '')
  if (text.startsWith('+')) return international(digits)
  if (country === 'US' || country === 'CA') {
    if (digits.startsWith('011')) return international(digits.slice(3))
    return /^1?[2-9][0-9]{9}$/.test(digits) ? international(`1${digits.slice(-10)}`) : undefined
  }
  if (digits.startsWith('00')) return international(digits.slice(2))
  const whole = wholeNumbers.get(country ?? '')
  if (whole?.lengths.includes(digits.length) && !digits.startsWith('0')) return international(`${whole.code}${digits}`)
  const plan = plans.find((one) => one.country === country)
  if (!plan || !digits.startsWith('0')) return undefined
  // Without its own zero a number has as many digits as the plan has.
  const length = digits.length - (plan.keepsZero ? 0 : 1)
  return length >= plan.shortest && length <= plan.longest ? international(`${plan.code}${digits}`) : undefined
}

/** The digits behind the plus. */
function international(digits: string): string | undefined {
  // The zero is only dialled at home, except in Italy, where it is part of the number.
  const plan = plans.find(({ code, keepsZero }) => !keepsZero && digits.startsWith(`${code}0`))
  const number = plan ? `${plan.code}${digits.slice(plan.code.length + 1)}` : digits
  if (number.startsWith('1')) return /^1[2-9][0-9]{2}[2-9][0-9]{6}$/.test(number) ? `+${number}` : undefined
  return /^[1-9][0-9]{6,14}$/.test(number) ? `+${number}` : undefined
}

function isInternational(text: string): boolean {
  return text.startsWith('+') || text.startsWith('00')
}

interface Plan {
  country: string
  code: string
  shortest: number
  longest: number
  keepsZero: boolean
}

/** Countries where a number is dialled as it is, without a zero before it. */
const wholeNumbers = new Map([
  ['ES', { code: '34', lengths: [9] }],
  ['PT', { code: '351', lengths: [9] }],
  ['MX', { code: '52', lengths: [10] }],
  ['DK', { code: '45', lengths: [8] }],
  ['NO', { code: '47', lengths: [8] }],
  ['LU', { code: '352', lengths: [8] }],
  ['PL', { code: '48', lengths: [9] }],
  ['CZ', { code: '420', lengths: [9] }],
  ['SG', { code: '65', lengths: [8] }],
  ['HK', { code: '852', lengths: [8] }],
  ['IN', { code: '91', lengths: [10] }],
  ['CL', { code: '56', lengths: [9] }],
  ['CO', { code: '57', lengths: [10] }],
  ['PE', { code: '51', lengths: [8, 9] }],
  ['AR', { code: '54', lengths: [10] }],
])

const plans: readonly Plan[] = [
  { country: 'GB', code: '44', shortest: 9, longest: 10, keepsZero: false },
  { country: 'DE', code: '49', shortest: 6, longest: 12, keepsZero: false },
  { country: 'FR', code: '33', shortest: 9, longest: 9, keepsZero: false },
  { country: 'NL', code: '31', shortest: 9, longest: 9, keepsZero: false },
  { country: 'AU', code: '61', shortest: 9, longest: 9, keepsZero: false },
  { country: 'IE', code: '353', shortest: 7, longest: 9, keepsZero: false },
  { country: 'CH', code: '41', shortest: 9, longest: 9, keepsZero: false },
  { country: 'AT', code: '43', shortest: 5, longest: 12, keepsZero: false },
  { country: 'BE', code: '32', shortest: 8, longest: 9, keepsZero: false },
  { country: 'NZ', code: '64', shortest: 8, longest: 10, keepsZero: false },
  { country: 'ZA', code: '27', shortest: 9, longest: 9, keepsZero: false },
  { country: 'SE', code: '46', shortest: 7, longest: 9, keepsZero: false },
  { country: 'IN', code: '91', shortest: 10, longest: 10, keepsZero: false },
  { country: 'PE', code: '51', shortest: 8, longest: 8, keepsZero: false },
  { country: 'AR', code: '54', shortest: 10, longest: 10, keepsZero: false },
  { country: 'AE', code: '971', shortest: 8, longest: 9, keepsZero: false },
  { country: 'IT', code: '39', shortest: 6, longest: 11, keepsZero: true },
]
