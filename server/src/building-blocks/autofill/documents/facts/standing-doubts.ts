// Whether a fact may be believed as the subject's, by how the document stands to the subject.
import { taxAndRegister } from '../readings/labels.ts'
import type { Parties } from '../readings/parties.ts'
import type { Doubt } from '../readings/reading.ts'
import type { Standing } from '../readings/standings.ts'

const own: readonly Standing[] = ['named', 'titled', 'alone']

/** Details of reaching somebody: every letter has those of its author. */
const contact = new Set(['business.phone', 'business.email', 'business.website', 'business.registered_address'])

export function ownerDoubts(fact: string, { standing, is_statement, is_bill, is_assessment }: Parties): Doubt[] {
  const isOwn = own.includes(standing)
  // The tax office has written it, and the subject is whom it is written to.
  if (is_assessment) return ['owner']
  // A list of owners that names no company is the list of the company it was uploaded for.
  if (fact === 'owner') return isOwn || standing === 'absent' ? [] : ['owner']
  if (fact === 'business.bank_balance' && is_bill) return ['owner']
  if (fact === 'business.bank_balance') return isOwn || (standing === 'addressed' && is_statement) ? [] : ['owner']
  if (contact.has(fact)) return isOwn && !is_statement ? [] : ['owner']
  if (taxAndRegister.has(fact)) return isOwn && !(is_statement && standing !== 'named') ? [] : ['owner']
  return isOwn ? [] : ['owner']
}

/**
 * `Phone` in a document of the subject's own is its phone: only letters and statements have somebody else's as well. A phone,
 * an e-mail and an address that stand alone may be those of a person.
 */
export function isPlainContact(
  fact: string,
  { standing, is_statement, is_other_register }: Parties,
  labelled: ReadonlySet<string>,
): boolean {
  return (
    contact.has(fact) &&
    // The phone on the certificate of a tax is that of the office.
    !(is_other_register && fact !== 'business.registered_address') &&
    own.includes(standing) &&
    !is_statement &&
    (standing !== 'alone' || [...labelled].some((one) => one !== 'business.bank_balance'))
  )
}
