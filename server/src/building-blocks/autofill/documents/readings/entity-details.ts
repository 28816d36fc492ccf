// What Florida's register shows of a company of its own: `Detail by Entity Name`, its kind, its name, and when and under
// which number it was filed. On every other paper of that office, these labels say when and under which number that paper was.
import { mentionsSubject } from './company-names.ts'
import { datesIn, isoOf } from './dates.ts'
import type { Pair } from './pair.ts'
import type { Parties } from './parties.ts'
import { placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const headLines = 8
const title = /^detail by entity name$/i
/** A foreign company was only admitted there, and a name that is reserved is no company. */
const kind =
  /^florida (?:limited liability company|profit corporation|not for profit corporation|limited partnership)$/i
/** It was there before, in another form. */
const converted = /\b(?:conversion|domestication|merger)\b/i

export function readEntityDetails(
  { pages, country }: ReadDocument,
  pairs: readonly Pair[],
  { names }: Parties,
): Reading[] {
  const filled = (pages[0]?.lines ?? []).filter(({ cells }) => cells.length > 0).map(({ text }) => text.trim())
  const at = filled.slice(0, headLines).findIndex((text) => title.test(text))
  const [ofKind = '', name = ''] = at === -1 ? [] : filled.slice(at + 1)
  if (!kind.test(ofKind) || !mentionsSubject(name, names) || filled.some((text) => converted.test(text))) return []
  return pairs.flatMap(({ label_text, values, value_line, page, relation }): Reading[] => {
    const label = label_text.trim().toLowerCase()
    const value = values[0]?.text.trim() ?? ''
    if (page !== 0 || relation !== 'beside') return []
    const said = { label: label_text, doubts: [], place: placeOf(value_line) }
    if (label === 'document number' && /^[A-Z]\d{8,14}$/.test(value))
      return [{ fact: 'business.registration_number', value, ...said }]
    const [day] = label === 'date filed' ? datesIn(value, country) : []
    return day?.day === undefined ? [] : [{ fact: 'business.founded_on', value: isoOf(day), ...said }]
  })
}
