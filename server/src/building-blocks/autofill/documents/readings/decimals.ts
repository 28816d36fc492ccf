// Exact decimals as texts: no amount passes through floating point.

/** The amount in cents, as `-3204.77`; fractions of a cent are rounded away from zero. */
export function toCents(value: string, scale: number): string {
  const isNegative = value.startsWith('-')
  const [whole = '0', fraction = ''] = value.replace(/^-/, '').split('.')
  const digits = fraction.slice(0, 15)
  const scaled = BigInt(`${whole}${digits}` || '0') * BigInt(scale) * 1000n
  const thousandths = scaled / 10n ** BigInt(digits.length)
  const cents = (thousandths + 5n) / 10n
  const text = String(cents).padStart(3, '0')
  return `${isNegative && cents !== 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`
}

export function negated(value: string): string {
  return value.startsWith('-') ? value : /^[0.]*$/.test(value) ? value : `-${value}`
}
