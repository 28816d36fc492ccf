import { describe, expect, test } from 'vitest'
import { readLabel } from './labels.ts'

const factsOf = (text: string) => readLabel(text).filter((label) => label.is_exact && label.certainty === 'sure')

describe('labels in an order that no list has', () => {
  test.each([
    ['Address of the company’s head office', 'registered_address'],
    ['What is the exact legal name of your organization?', 'legal_name'],
    ['Number of staff currently employed', 'employee_count'],
    ['Company, date of formation', 'founded_on'],
    ['Anschrift der Gesellschaft (Hauptsitz)', 'registered_address'],
    ['Wie viele Mitarbeiter beschäftigen Sie derzeit', 'employee_count'],
    ['Adresse complète du siège', 'registered_address'],
    ['Nombre total de salariés de la société', 'employee_count'],
    ['Denominación completa de la sociedad', 'legal_name'],
  ])('%s', (text, fact) => {
    expect(factsOf(text).map((label) => label.fact)).toEqual([`business.${fact}`])
  })

  test.each([
    'Name of the landlord’s company',
    'Previous address of the business',
    'Company car registration number',
    'Number of employees leaving',
    'Parent company name',
    'Address of the accountant’s office',
  ])('%s is none', (text) => {
    expect(factsOf(text)).toEqual([])
  })
})
