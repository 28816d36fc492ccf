// From the uploaded file to the facts, through the real reading process.
import { afterAll, describe, expect, test } from 'vitest'
import { customersCsv, factsCsv, financialsXlsx, ownersDocx } from '../../../../test/documents/business-office-files.ts'
import { accountsPdf, bankStatementPdf, taxReturnPdf } from '../../../../test/documents/business-pdfs.ts'
import { sampleBusiness as business } from '../../../../test/documents/sample-business.ts'
import { createDocumentReader } from './document-reader.ts'
import type { FoundFact } from './found-fact.ts'

const reader = createDocumentReader({ concurrency: 2 })
afterAll(() => reader.close())

const pdf = 'application/pdf'
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

async function factsOf(bytes: Buffer, contentType: string): Promise<FoundFact[]> {
  return (await reader.find(bytes, contentType)).facts
}
/** The surest text of every fact. */
function surest(found: readonly FoundFact[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { fact, text } of found) texts[fact] ??= text
  return texts
}
const candidates = (found: readonly FoundFact[], fact: string) =>
  found.filter((one) => one.fact === fact).map(({ text, confidence }) => [text, confidence])

describe('facts of documents', () => {
  test('a bank statement tells the holder, the address over three lines and the last closing balance', async () => {
    const found = await factsOf(bankStatementPdf(), pdf)
    expect(surest(found)).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.trading_name': business.trading_name,
      'business.registered_address': business.address.join(', '),
      'business.email': business.email,
      'business.phone': business.phone,
      'business.bank_balance': business.closing_balance,
    })
    expect(candidates(found, 'business.bank_balance')).toEqual([
      [business.closing_balance, 0.9],
      ['$51,003.88', 0.45],
    ])
    expect(found.find(({ fact }) => fact === 'business.bank_balance')?.place).toMatch(/^page 3, line \d+$/)
  })

  test('accounts of two years give the latest year first, whatever stands in the column of notes', async () => {
    const found = await factsOf(accountsPdf(), pdf)
    expect(surest(found)).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.registration_number': business.registration_number,
      'business.founded_on': business.founded_on,
      'business.registered_address': business.address.join(', '),
    })
    expect(candidates(found, 'business.annual_revenue')).toEqual([
      ['1,250,000', 0.9],
      ['1,104,500', 0.6],
    ])
    expect(candidates(found, 'business.annual_profit')).toEqual([
      ['(48,210)', 0.9],
      ['61,004', 0.6],
    ])
    expect(found.some(({ scale }) => scale !== undefined)).toBe(false)
  })

  test('a heading in thousands is told with every amount of its page', async () => {
    const found = await factsOf(accountsPdf(business, "£'000"), pdf)
    const amounts = found.filter(({ fact }) => fact.startsWith('business.annual_'))
    expect(amounts.map(({ scale }) => scale)).toEqual([1000, 1000, 1000, 1000])
  })

  test('a tax return is read through its line numbers, dot leaders and captions', async () => {
    expect(surest(await factsOf(taxReturnPdf(), pdf))).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.tax_id': business.tax_id,
      'business.registered_address': business.address.join(', '),
      'business.legal_form': business.legal_form,
      'business.employee_count': business.employee_count,
      'business.annual_revenue': '1,250,000',
      'business.annual_profit': '(48,210)',
    })
  })

  test('a table of owners gives every person a row', async () => {
    const found = await factsOf(ownersDocx(), docx)
    expect(surest(found)).toMatchObject({ 'business.registration_number': business.registration_number })
    for (const [index, owner] of business.owners.entries()) {
      const own = Object.fromEntries(found.filter(({ row }) => row === index + 1).map(({ fact, text }) => [fact, text]))
      expect(own).toEqual(Object.fromEntries(Object.entries(owner).map(([field, text]) => [`owner.${field}`, text])))
    }
  })

  test('a workbook gives figures by year with their scale, and dates as dates', async () => {
    const found = await factsOf(financialsXlsx(), xlsx)
    expect(surest(found)).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.founded_on': '2019-03-31',
    })
    expect(candidates(found, 'business.annual_revenue')).toEqual([
      ['1250', 0.9],
      ['1104.5', 0.6],
    ])
    expect(found.find(({ fact }) => fact === 'business.annual_profit')).toMatchObject({ text: '-48.21', scale: 1000 })
  })

  test.each([',', ';', '\t'])('a CSV separated by %j gives its facts', async (separator) => {
    expect(surest(await factsOf(factsCsv(business, separator), 'text/csv; charset=utf-8'))).toEqual({
      'business.legal_name': business.legal_name,
      'business.trading_name': business.trading_name,
      'business.tax_id': business.tax_id,
      'business.phone': business.phone,
      'business.website': business.website,
      'business.annual_revenue': '$1,250,000.50',
    })
  })

  test('a list of customers is not taken for the business or its owners', async () => {
    const found = await factsOf(customersCsv(), 'text/csv')
    expect(found.filter(({ confidence }) => confidence >= 0.4)).toEqual([])
  })
})
