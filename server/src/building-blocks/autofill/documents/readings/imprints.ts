// The small print of German letters: the name of the company, its address, how to reach it, who manages it, and below that
// the numbers under which it is registered, as the law demands.
import { hasPostcode } from './addresses.ts'
import { isSubject, type Names } from './company-names.ts'
import { splitName } from './person-names.ts'
import type { PlacedLine } from './places.ts'

const managers =
  /^(?:vertretungsberechtigte\p{L}* )?(?:geschäftsführ(?:er|erin|er:in|ung|erinnen)|vorstand)\s?:\s+([^:]{3,80})$/iu
const registered =
  /^(?:sitz|amtsgericht|registergericht|handelsregister|HR[AB]\b|USt\b).*(?:\bHR[AB]\b|\bUSt\.?-? ?Id|\d{3})/i
const contact = /@|www\.|^(?:tel|telefon|fax|fon|e-?mail)\b/i
const reach = 7

/** Whether a line holds the numbers of the subject: nothing but its imprint stands between its name and them. */
export function isInImprint(lines: readonly PlacedLine[], index: number, names: Names): boolean {
  if (!registered.test(lines[index]?.text ?? '')) return false
  for (let above = index - 1; above >= 0 && above >= index - reach; above--) {
    const text = lines[above]?.text ?? ''
    if (isSubject(text, names)) return true
    if (!registered.test(text) && !contact.test(text) && !hasPostcode(text, 'DE') && !isOfManagers(text)) return false
  }
  return false
}

function isOfManagers(text: string): boolean {
  const named = managers.exec(text)?.[1]?.split(/,\s|\s(?:und|&)\s/)
  return named?.every((one) => splitName(one, 'DE') !== undefined) ?? false
}
