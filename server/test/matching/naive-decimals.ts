// Decimals as whole numbers of millionths: exact, however they are added.
import { minorDigits } from '../../src/platform/values/money.ts'

const places = 6
export const one = 10n ** BigInt(places)

/** Of a text such as `-12.50`, or of a number with at most six decimal places. */
export function decimal(value: string | number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(String(value))
  if (!match) throw new Error(`not a decimal: ${value}`)
  const [, sign, whole = '', fraction = ''] = match
  const units = BigInt(whole + fraction.padEnd(places, '0'))
  return sign === '-' ? -units : units
}

export function numberOf(units: bigint): number {
  return Number(textOf(units, places))
}

/** With as many decimal places as the currency has. */
export function moneyText(units: bigint, currency: string): string {
  return textOf(units, minorDigits(currency))
}

function textOf(units: bigint, digits: number): string {
  const text = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const fraction = text.slice(-places).slice(0, digits)
  return `${units < 0n ? '-' : ''}${text.slice(0, -places)}${digits > 0 ? `.${fraction}` : ''}`
}
