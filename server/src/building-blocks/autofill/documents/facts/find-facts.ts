// The pipeline: a document → its lines with their places → labels and values → readings → facts with evidence.
// Every stage is pure, never throws and takes linear time.
import type { DocumentText } from '../formats/document-text.ts'
import { withAnswers } from '../readings/answered-questions.ts'
import { readAverageEmployees } from '../readings/average-employees.ts'
import { withOwnRow } from '../readings/business-tables.ts'
import { readByForm } from '../readings/by-form.ts'
import { readFormWithCapital } from '../readings/capital-clauses.ts'
import { withCaptionsAbove } from '../readings/captions-below.ts'
import { withCentsJoined } from '../readings/cents-apart.ts'
import { readCertificate, readCertificateNumber, readNumberBesideName } from '../readings/certificates.ts'
import { isSubject, type Subject, withBothNames } from '../readings/company-names.ts'
import { readEntityDetails } from '../readings/entity-details.ts'
import { readFigures } from '../readings/figures.ts'
import { withoutEntryNumbers } from '../readings/firmenbuch.ts'
import { readFormLines } from '../readings/form-lines.ts'
import { readFormation } from '../readings/formation-filings.ts'
import { readFormBelowTitle, readForms, readHeadings } from '../readings/headings.ts'
import { mailSenderOf, mailWriterOf, withoutQuoted } from '../readings/mails.ts'
import { trustForms, withoutInstructions } from '../readings/official-forms.ts'
import { isOrganisation } from '../readings/organisations.ts'
import { pairsOf } from '../readings/pairs.ts'
import { readParticulars } from '../readings/particulars.ts'
import { partiesOf } from '../readings/parties.ts'
import { readOwners } from '../readings/people.ts'
import { addressesOnSchedules } from '../readings/people-on-schedules.ts'
import { isInParts, personInParts } from '../readings/person-in-parts.ts'
import { withoutPersonal } from '../readings/personal-details.ts'
import { placeLines } from '../readings/places.ts'
import { withPlainHead } from '../readings/printed-mails.ts'
import { readSalariedStaff } from '../readings/salaried-staff.ts'
import { withSectionTotals } from '../readings/section-totals.ts'
import { soleProprietorIn } from '../readings/sole-proprietors.ts'
import { readStaffTables } from '../readings/staff-tables.ts'
import { readStaffTotals } from '../readings/staff-totals.ts'
import { withoutStruckEntries } from '../readings/struck-entries.ts'
import { withoutTakeover } from '../readings/takeovers.ts'
import { readTradingNames } from '../readings/trading-names.ts'
import { withWholeAddresses } from '../readings/whole-addresses.ts'
import { withWholeLinks } from '../readings/wrapped-links.ts'
import { withWholeNames } from '../readings/wrapped-names.ts'
import { withWholeOffices } from '../readings/wrapped-offices.ts'
import { forgetAll } from '../words/remembered.ts'
import { chooseFacts } from './choose-facts.ts'
import { nonprofit } from './most-telling.ts'
import { ownerFacts } from './owner-facts.ts'
import { type FoundFacts, together } from './two-readings.ts'

export function findFacts(text: DocumentText, subject: Subject, today: string): FoundFacts {
  const { pages, as_tagged } = text
  const known = withBothNames(subject)
  try {
    const drawn = factsOf(text, known, today)
    return as_tagged ? together(drawn, factsOf({ pages: as_tagged }, known, today), pages) : drawn
  } finally {
    forgetAll()
  }
}

function factsOf(text: DocumentText, subject: Subject, today: string): FoundFacts {
  const placedLines = withPlainHead(placeLines(text, subject.country))
  const lines = withoutStruckEntries(withoutEntryNumbers(withCentsJoined(placedLines)))
  const written = withWholeAddresses(withWholeLinks(withWholeOffices(lines)), subject)
  const whole = withWholeNames(withCaptionsAbove(written), subject)
  const answered = withAnswers(whole, subject)
  const sender = mailSenderOf(whole, subject, answered?.answers)
  // What somebody else answers for the subject is only suggested.
  const placed = answered && sender === 'own' ? answered.document : whole
  const document = withoutInstructions(
    withSectionTotals(withOwnRow(sender === 'own' ? withoutQuoted(placed) : placed, subject)),
  )
  const pairs = pairsOf(document)
  const parties = partiesOf(document, pairs, subject, sender)
  const particulars = readParticulars(document, pairs, parties)
  const hasForm = particulars.some(({ fact, doubts }) => fact === 'business.legal_form' && doubts.length === 0)
  // Where a label says what the business is called, its other name in a heading is no legal name.
  const isNamed = particulars.some(
    ({ fact, value, doubts }) =>
      fact === 'business.legal_name' && (doubts.length === 0 || (doubts.join() === 'owner' && isOrganisation(value))),
  )
  const inParts = isNamed ? undefined : personInParts(document, subject)
  const readings = [
    ...readFigures(document, pairs, parties.names),
    ...readFormLines(document),
    ...readAverageEmployees(document, parties),
    ...readSalariedStaff(document),
    ...readStaffTotals(document),
    ...readStaffTables(document, parties),
    ...particulars,
    ...(isNamed ? [] : readHeadings(document, parties, subject)),
    // The title of a return says less than a label: a limited liability company files one of partnerships.
    ...readForms(document, parties).filter(({ value }) => !hasForm || value === nonprofit),
    ...(hasForm ? [] : [...readFormBelowTitle(document, parties), ...readFormWithCapital(document, parties)]),
    ...readCertificate(document, parties),
    ...readCertificateNumber(document, parties),
    ...readNumberBesideName(document, parties),
    ...readFormation(document, parties),
    ...readEntityDetails(document, pairs, parties),
    ...readTradingNames(document, parties.names),
    ...readByForm(document, parties),
    ...addressesOnSchedules(document, parties.names),
    ...(inParts && (parties.standing === 'named' || parties.standing === 'titled') ? [inParts] : []),
  ]
  const trusted = trustForms(document, readings, parties.names)
  const sole = soleProprietorIn(trusted, subject)
  const listed = readOwners(document, parties.names, sender === 'own' ? mailWriterOf(document) : undefined)
  // `Owner | Lee Bakery`: the business is nobody, unless it is a person.
  for (const person of sole || isInParts(document, subject) ? [] : listed.people)
    if (isSubject(`${person.first_name} ${person.last_name}`, parties.names)) person.doubts.push('owner')
  const isListed = listed.people.length + listed.companies.length > 0
  const owners = ownerFacts(sole && !isListed ? sole.owners : listed, parties)
  const facts = chooseFacts(
    withoutPersonal(withoutTakeover(document, sole?.readings ?? trusted), listed.people, subject.country),
    parties,
    today,
  )
  return { facts: [...facts, ...owners.facts], company_owners: owners.company_owners }
}
