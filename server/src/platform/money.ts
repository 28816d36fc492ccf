// Money travels as a decimal string with its currency and is stored as an integer of the currency's minor units.
import { type Static, Type } from 'typebox'

export const Money = Type.Object(
  {
    amount: Type.String({
      pattern: '^-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$',
      description: 'Decimal string with as many digits after the point as the currency has.',
      examples: ['1250000.50'],
    }),
    currency: Type.String({ format: 'currency', description: 'ISO 4217 code.', examples: ['USD'] }),
  },
  { title: 'Money', additionalProperties: false },
)
export type Money = Static<typeof Money>

export function isCurrency(code: string): boolean {
  return currencies.has(code)
}

/** The number of minor units, or undefined when the amount has more digits than its currency or is too large to keep exactly. */
export function toMinorUnits({ amount, currency }: Money): number | undefined {
  const digits = minorDigits(currency)
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  if (fraction.length > digits) return undefined
  const units = Number(whole + fraction.padEnd(digits, '0'))
  if (!Number.isSafeInteger(units)) return undefined
  return amount.startsWith('-') ? -units : units
}

export function fromMinorUnits(units: number, currency: string): Money {
  const digits = minorDigits(currency)
  const text = String(Math.abs(units)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const amount = digits === 0 ? whole : `${whole}.${text.slice(-digits)}`
  return { amount: units < 0 ? `-${amount}` : amount, currency }
}

const currencies = new Set(Intl.supportedValuesOf('currency'))
const digitsByCurrency = new Map<string, number>()

function minorDigits(currency: string): number {
  let digits = digitsByCurrency.get(currency)
  if (digits === undefined) {
    digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
    digitsByCurrency.set(currency, digits)
  }
  return digits
}
