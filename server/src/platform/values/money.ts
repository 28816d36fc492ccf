// Money travels as a decimal string with its currency and is stored as an integer of the currency's minor units.
import { type Static, Type } from 'typebox'

export const decimalForm = '^-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$'

export const Money = Type.Object(
  {
    amount: Type.String({
      pattern: decimalForm,
      description: 'Amount as a decimal string. Must not have more decimal places than the currency.',
      examples: ['1250000.50'],
    }),
    currency: Type.String({ format: 'currency', description: 'Currency, as an ISO 4217 code.', examples: ['USD'] }),
  },
  { title: 'Money', additionalProperties: false },
)
export type Money = Static<typeof Money>

/** What a value must be that is no money. */
export const moneyForm = 'an amount of money such as {"amount": "25000.00", "currency": "USD"}'

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

/** The amount with the digits of its currency: one amount has one form. What the currency cannot express stays as it is. */
export function plainMoney(money: Money): Money {
  const units = toMinorUnits(money)
  return units === undefined ? money : fromMinorUnits(units === 0 ? 0 : units, money.currency)
}

/** How many digits after the point a currency has. */
export function minorDigits(currency: string): number {
  return minorDigitsByCurrency.get(currency) ?? 2
}

// ISO 4217 in our own words: the digits decide how stored amounts are read, so they must not change with the platform.
export const currencyCodes: readonly string[] =
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
  CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
  HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA
  MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD
  RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD
  USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`.split(/\s+/)
const currencies = new Set(currencyCodes)
const minorDigitsByCurrency = new Map<string, number>([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])
