import { decimalForm } from '../../platform/values/money.ts'

/** Whether a text is an amount as money is written. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && form.test(value)
}

/** Compares decimal texts such as `25000.50` exactly, whatever their length: below zero when the first is less. */
export function compareDecimals(a: string, b: string): number {
  const digits = Math.max(fractionOf(a).length, fractionOf(b).length)
  const difference = scaled(a, digits) - scaled(b, digits)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function scaled(text: string, digits: number): bigint {
  const [whole = ''] = text.split('.')
  return BigInt(`${whole}${fractionOf(text).padEnd(digits, '0')}`)
}

function fractionOf(text: string): string {
  return text.split('.')[1] ?? ''
}

const form = new RegExp(decimalForm)
