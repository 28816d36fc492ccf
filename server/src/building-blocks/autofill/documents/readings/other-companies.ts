// Whether a text names a company that somebody has to do with: no label, no kind of company, no court that keeps a register.
import { isLegalForm } from '../../legal-form-names.ts'
import { wordsOf } from '../words/phrases.ts'
import { courts } from '../words/vocabulary.ts'
import { hasBoxes, isBulleted } from './choices.ts'
import { isNamelessKind } from './heading-owners.ts'
import { readLabel } from './labels.ts'
import { isOrganisation } from './organisations.ts'

/** The name of a company; a court or an office that keeps a register is nobody's. */
export function isOther(text: string): boolean {
  // `ACN (Australian Company Number)` and `Sole trader ☒ Pty Ltd company` name nobody.
  if (!isOrganisation(text) || (hasBoxes(text) && !isBulleted(text))) return false
  // `3 Personal service corp.`
  if (isNamelessKind(text)) return false
  // `Private company` is what somebody is.
  if (isSureLabel(text) || isLegalForm(text)) return false
  if (text.includes('(') && isSureLabel(text.replace(/\([^()]*\)/g, ' '))) return false
  // Nor does `Legal form: limited company` name anybody.
  const [label = ''] = text.split(':', 1)
  if (isSureForm(label) && isLegalForm(text.slice(label.length + 1))) return false
  // Nor does `Goods and Services Tax Identification Number: 27AAFCS8841K1Z6`.
  if (label !== text && isSureLabel(label) && !isOrganisation(text.slice(label.length + 1))) return false
  const isOffice = (part: string) => courts.in(wordsOf(part)) !== undefined
  if (!isOffice(text)) return true
  // `First Bank SA - RCS Bordeaux 455 201 118` names the bank before the court.
  return text.split(/\s[-–—]\s|,\s/).some((part) => isOrganisation(part) && !isOffice(part))
}

function isSureForm(label: string): boolean {
  return readLabel(label).some(
    ({ fact, is_exact, certainty }) => fact === 'business.legal_form' && is_exact && certainty === 'sure',
  )
}

/** `The Staffing Company` is a name. */
export function isSureLabel(text: string): boolean {
  return readLabel(text).some(({ is_exact, certainty }) => is_exact && certainty === 'sure')
}
