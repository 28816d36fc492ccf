// A business that is one person: the record has the person's name, and what a return calls the name of the business is
// the one it trades under. The person owns it.
import { legalFormIn } from '../../legal-form-names.ts'
import { wordsOf } from '../words/phrases.ts'
import { businessWords } from '../words/vocabulary.ts'
import { isSubject, isWholeName, type Names, namesOf, type Subject } from './company-names.ts'
import type { Owners } from './owners.ts'
import { fieldOfHeader, splitName } from './person-names.ts'
import type { Reading } from './reading.ts'

interface SoleProprietor {
  readings: Reading[]
  owners: Owners
}

/** Undefined unless the document says that it is one, and names the person. */
export function soleProprietorIn(readings: readonly Reading[], subject: Subject): SoleProprietor | undefined {
  const { legal_name, country } = subject
  const person = legal_name ? splitName(legal_name, country) : undefined
  const isSole = readings.some(
    ({ fact, value, doubts }) =>
      fact === 'business.legal_form' && doubts.length === 0 && legalFormIn(value) === 'sole_proprietor',
  )
  const own = namesOf({ ...subject, trading_name: null })
  const named = readings.find(
    ({ fact, value, label, doubts }) =>
      fact === 'business.legal_name' &&
      // `Nom et prénom` asks for a person.
      (doubts.length === 0 || (doubts.join() === 'label' && fieldOfHeader(label) === 'name')) &&
      isSubject(value, own) &&
      // `Business name: Harbour Lights` is no person, nor is `Harbour Lights e.K.`
      !isWholeName(value) &&
      label !== 'heading' &&
      businessWords.in(wordsOf(label)) === undefined,
  )
  if (!person || !isSole || !named) return undefined
  // As the document has it where it says more: `Ann M. Lee` for `Ann Lee`.
  const written = splitName(named.value, country, named.label)
  const isFuller =
    written?.last_name.toLowerCase() === person.last_name.toLowerCase() &&
    written.first_name.toLowerCase().startsWith(`${person.first_name.toLowerCase()} `)
  return {
    readings: readings.map((reading) => (isBusinessName(reading, own) ? asTradingName(reading) : reading)),
    owners: { people: [{ ...(isFuller ? written : person), doubts: [], place: named.place }], companies: [] },
  }
}

function isBusinessName({ fact, value, label }: Reading, own: Names): boolean {
  return fact === 'business.legal_name' && label !== 'heading' && !isSubject(value, own)
}

function asTradingName(reading: Reading): Reading {
  return { ...reading, fact: 'business.trading_name', doubts: reading.doubts.filter((doubt) => doubt !== 'owner') }
}
