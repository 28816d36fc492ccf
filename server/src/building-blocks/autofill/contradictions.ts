// Documents that contradict the record about who the business is, and documents that are older than others.
import { readAddress } from './address-texts.ts'
import { believedFrom, confidences } from './confidence.ts'
import type { Fact } from './facts.ts'
import { isSameAddress, isSameNumber } from './same-answers.ts'

const identity = ['business.registration_number', 'business.tax_id', 'business.registered_address'] as const

/**
 * Facts as they may be believed together. A document with another number or address than the record may be that of
 * another company of the same name: nothing of it is sure. Of two figures the one of the later period counts.
 */
export function weighTogether(facts: readonly Fact[]): Fact[] {
  const record = facts.filter(({ source }) => source === 'business')
  const country = record.find(({ fact }) => fact === 'business.country')?.value
  const isForeign = new Map<string, boolean>()
  for (const fact of facts) {
    if (fact.source !== 'documents' || fact.confidence < believedFrom) continue
    const known = record.find((one) => one.fact === fact.fact)
    const name = documentOf(fact)
    if (known && contradicts(fact, known, typeof country === 'string' ? country : null)) isForeign.set(name, true)
  }
  const newest = new Map<string, string>()
  for (const { fact, source, confidence, period_end, row } of facts) {
    if (source !== 'documents' || period_end === undefined || row !== undefined || confidence < believedFrom) continue
    if (period_end > (newest.get(fact) ?? '')) newest.set(fact, period_end)
  }
  return facts.map((fact) => {
    if (fact.source !== 'documents') return fact
    const isOld =
      fact.row === undefined && fact.period_end !== undefined && fact.period_end < (newest.get(fact.fact) ?? '')
    return isOld || isForeign.get(documentOf(fact))
      ? { ...fact, confidence: Math.min(fact.confidence, confidences.more_doubts) }
      : fact
  })
}

function contradicts({ fact, value }: Fact, known: Fact, country: string | null): boolean {
  if (!identity.some((one) => one === fact) || typeof value !== 'string') return false
  if (fact !== 'business.registered_address')
    return typeof known.value === 'string' && !isSameNumber(value, known.value)
  const [found, own] = [readAddress(value, country), addressOf(known.value, country)]
  return found?.postal_code !== undefined && own?.postal_code !== undefined && !isSameAddress(found, own)
}

function addressOf(value: unknown, country: string | null) {
  if (typeof value === 'string') return readAddress(value, country)
  // safe because a record's address has this form
  return typeof value === 'object' && value !== null && 'line1' in value
    ? (value as { line1: string; postal_code?: string })
    : undefined
}

function documentOf({ reference }: Fact): string {
  return reference?.split(',', 1)[0] ?? ''
}
