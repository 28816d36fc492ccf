// The pipeline: a document → its lines with their places → labels and values → readings → facts with evidence.
// Every stage is pure, never throws and takes linear time.
import type { DocumentText } from '../formats/document-text.ts'
import { readByForm } from '../readings/by-form.ts'
import { readCertificate } from '../readings/certificates.ts'
import type { Subject } from '../readings/company-names.ts'
import { readFigures } from '../readings/figures.ts'
import { readForms, readHeadings } from '../readings/headings.ts'
import { pairsOf } from '../readings/pairs.ts'
import { readParticulars } from '../readings/particulars.ts'
import { partiesOf } from '../readings/parties.ts'
import { readOwners } from '../readings/people.ts'
import { placeLines } from '../readings/places.ts'
import { chooseFacts } from './choose-facts.ts'
import type { FoundFact } from './found-fact.ts'
import { type CompanyOwnerFound, ownerFacts } from './owner-facts.ts'

interface FoundFacts {
  facts: FoundFact[]
  /** Owners that are companies: nobody's first and last name. */
  company_owners: CompanyOwnerFound[]
}

export function findFacts(text: DocumentText, subject: Subject, today: string): FoundFacts {
  const document = placeLines(text, subject.country)
  const pairs = pairsOf(document)
  const parties = partiesOf(document, pairs, subject)
  const particulars = readParticulars(document, pairs, parties)
  const hasForm = particulars.some(({ fact }) => fact === 'business.legal_form')
  // Where a label says what the business is called, its other name in a heading is no legal name.
  const isNamed = particulars.some(
    ({ fact, doubts }) => fact === 'business.legal_name' && (doubts.join() || 'owner') === 'owner',
  )
  const readings = [
    ...readFigures(document, pairs),
    ...particulars,
    ...(isNamed ? [] : readHeadings(document, parties, subject)),
    // The title of a return says less than a label: a limited liability company files one of partnerships.
    ...(hasForm ? [] : readForms(document, parties)),
    ...readCertificate(document, parties),
    ...readByForm(document, parties),
  ]
  const owners = ownerFacts(readOwners(document), parties)
  return { facts: [...chooseFacts(readings, parties, today), ...owners.facts], company_owners: owners.company_owners }
}
