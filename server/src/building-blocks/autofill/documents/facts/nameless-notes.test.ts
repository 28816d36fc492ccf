// A few lines that name nobody: what is taken to be about the client, and what may be about somebody else.
import { describe, expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Harbor Lane Bakery, LLC', trading_name: null }

/** What would be filled in, as `fact value`. */
function filledIn(text: string, country = 'US'): string[] {
  return findFacts(readPlainText(Buffer.from(text)), { ...subject, country }, '2026-11-16')
    .facts.filter(({ confidence }) => confidence >= 0.85)
    .map(({ fact, text: value }) => `${fact.replace('business.', '')} ${value}`)
}

describe('lines that name nobody are about the client', () => {
  test.each<[string, string, string[]]>([
    ['US', 'EIN: 12-3456789', ['tax_id 12-3456789']],
    ['GB', 'Company UTR: 48213 07719', ['tax_id 48213 07719']],
    [
      'GB',
      "                 Note     2025 £'000     2024 £'000\nTurnover            3          7,204          6,918",
      ['annual_revenue GBP 7204000.00'],
    ],
    [
      'GB',
      'Year ended 31 March 2026\nTurnover    £1,905,330\nGross profit    £702,118',
      ['annual_revenue GBP 1905330.00'],
    ],
    ['ES', 'Forma jurídica: sociedad cooperativa\nSocios cooperativistas: 31', ['legal_form sociedad cooperativa']],
    [
      'CA',
      'GST/HST registration no.: 10555 0188 RT0001\nLandlord’s GST/HST no.: 10555 0231 RT0001',
      ['tax_id 10555 0188 RT0001'],
    ],
    ['DE', 'USt-IdNr.: DE416664507 (Vermieter: DE267077622)', ['tax_id DE416664507']],
    [
      'FR',
      'Solde débiteur au 31/10/2026 : 2 411,60 €\nAutorisation de découvert : 5 000,00 €',
      ['bank_balance EUR -2411.60'],
    ],
    [
      'GB',
      'Company number: 05550187\nConfirmation statement made up to: 14 May 2026',
      ['registration_number 05550187'],
    ],
  ])('%s: %j', (country, text, facts) => {
    expect(filledIn(text, country)).toEqual(facts)
  })
})

describe('what may be about somebody else is only suggested', () => {
  test.each<[string, string]>([
    ['a parent', 'Ultimate parent, consolidated, 2025\nRevenue: EUR 412 million\nEmployees: 2,310'],
    ['a guarantor', 'Personal guarantor\nDate of birth: 03/14/1971\nAnnual revenue 2025: $196,000'],
    ['an average', 'Industry average income statement 2025\nTotal revenue: $540,000'],
    ['a previous owner', 'From the sale contract, about the previous owner:\nAnnual revenue 2025: $612,000'],
    ['a budget', '2027 budget\nTotal revenue: $2,100,000\nEmployees: 22'],
    ['a sector', 'Datos medios del sector ferretero, 2025\nEmpleados: 5\nVentas: 540.000 €'],
    ['a bank', 'First Coastal Bank plc, 2 Park Row\nCompany No. 01234567. VAT No. GB 123 4567 89.'],
    ['an example', 'EIN (example 12-3456789): applied for'],
    ['a person', 'Name: Ann Lee\nTax ID: 123-45-6789'],
    ['a partner that is a company', 'Register number: HRA 55508\nGeneral partner: Lee Verwaltungs GmbH, HRB 55504'],
    ['a predecessor', 'Predecessor: Lee Brothers Inc.\nEIN: 12-3456789'],
    ['a change', 'Employees: up by 3'],
    ['a page', 'Net profit (2025): see attached, p. 12'],
    ['years to come', 'Forecast      2027     2028\nEmployees        4        5'],
  ])('%s', (_who, text) => {
    expect(filledIn(text)).toEqual([])
  })
})
