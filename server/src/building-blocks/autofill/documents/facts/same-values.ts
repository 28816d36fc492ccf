// Whether two values of a fact say the same, however they are written.
import { legalFormIn } from '../../legal-form-names.ts'
import { isFullerName, isSameName } from '../readings/company-names.ts'

export function sameValue(value: string): string {
  return value.toLowerCase().replace(/[^\p{L}\p{N}.-]/gu, '')
}

export function isSameText(fact: string, a: string, b: string): boolean {
  if (fact === 'business.legal_form') return sameValue(a) === sameValue(b) || isSameForm(a, b)
  // `IE3418207NA` is `3418207NA` with its country.
  if (fact === 'business.tax_id') return withoutCountry(sameValue(a)) === withoutCountry(sameValue(b))
  if (fact !== 'business.legal_name') return sameValue(a) === sameValue(b)
  return isSameName(a, b) || isFullerName(a, b) || isFullerName(b, a)
}

function withoutCountry(value: string): string {
  return value.replace(/^[a-z]{2}(?=\d{6})/, '')
}

function isSameForm(a: string, b: string): boolean {
  const form = legalFormIn(a)
  return form !== undefined && form === legalFormIn(b)
}
