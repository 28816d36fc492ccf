// From the uploaded file to the facts: read here, and by the reading process, which finds the same.
import { afterAll, describe, expect, test } from 'vitest'
import {
  customersCsv,
  factsCsv,
  financialsXlsx,
  ownersDocx,
} from '../../../../../test/documents/business-office-files.ts'
import { accountsPdf, bankStatementPdf, taxReturnPdf } from '../../../../../test/documents/business-pdfs.ts'
import { sampleBusiness as business } from '../../../../../test/documents/sample-business.ts'
import { createOcr } from '../formats/ocr.ts'
import { readDocument } from '../formats/read-document.ts'
import { createDocumentReader } from '../process/document-reader.ts'
import { findFacts } from './find-facts.ts'
import type { FoundFact } from './found-fact.ts'

const reader = createDocumentReader()
afterAll(() => reader.close())
const today = '2026-11-16'
const noOcr = () => createOcr({ program: undefined, time_ms: 0, onBegin: () => undefined })

const pdf = 'application/pdf'
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const subject = { legal_name: business.legal_name, trading_name: null, country: 'US' }
const stranger = { legal_name: 'Cedar Point Dental PLLC', trading_name: null, country: 'US' }

async function factsOf(bytes: Buffer, contentType: string, whose = subject): Promise<FoundFact[]> {
  const text = await readDocument(bytes, contentType, noOcr())
  if (!('pages' in text)) throw new Error(`not read: ${JSON.stringify(text)}`)
  return findFacts(text, whose, today).facts
}
/** The sure text of every fact. */
function sure(found: readonly FoundFact[]): Record<string, string> {
  return Object.fromEntries(
    found.filter(({ confidence, row }) => confidence >= 0.9 && !row).map(({ fact, text }) => [fact, text]),
  )
}

describe('facts of documents', () => {
  test.each([
    ['PDF', bankStatementPdf(), pdf],
    ['DOCX', ownersDocx(), docx],
    ['XLSX', financialsXlsx(), xlsx],
    ['CSV', factsCsv(), 'text/csv'],
  ])('of a %s, the reading process finds the same facts', async (_, bytes, type) => {
    const found = await factsOf(bytes, type)
    expect(found.length).toBeGreaterThan(0)
    expect((await reader.find(bytes, type, { subject, today })).facts).toEqual(found)
  })

  test('a bank statement tells the holder and the last closing balance with its place, and the phone is not sure', async () => {
    const found = await factsOf(bankStatementPdf(), pdf)
    expect(sure(found)).toEqual({
      'business.legal_name': business.legal_name,
      'business.trading_name': business.trading_name,
      'business.bank_balance': '$ 84310.27',
    })
    expect(found.find(({ fact }) => fact === 'business.bank_balance')).toMatchObject({
      page: 3,
      line: expect.any(Number),
      words: expect.stringContaining('Closing balance'),
    })
    expect(found.find(({ fact }) => fact === 'business.phone')?.confidence).toBeLessThan(0.85)
  })

  test('accounts of two years give the latest year, whatever stands in the column of notes', async () => {
    const found = await factsOf(accountsPdf(), pdf)
    expect(sure(found)).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.registration_number': business.registration_number,
      'business.annual_revenue': 'GBP 1250000.00',
      'business.annual_profit': 'GBP -48210.00',
    })
    const older = found.find(({ text }) => text === 'GBP 1104500.00')
    expect([older?.confidence, older?.period_end]).toEqual([0.3, '2024-12-31'])
  })

  test('a heading in thousands multiplies every amount of its page', async () => {
    const found = sure(await factsOf(accountsPdf(business, "£'000"), pdf))
    expect(found['business.annual_revenue']).toBe('GBP 1250000000.00')
  })

  test('a tax return is read through its line numbers, dot leaders and captions', async () => {
    expect(sure(await factsOf(taxReturnPdf(), pdf))).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.tax_id': business.tax_id,
      'business.registered_address': business.address.join(', '),
      'business.legal_form': business.legal_form,
      'business.employee_count': business.employee_count,
      'business.annual_revenue': '1250000.00',
      'business.annual_profit': '-48210.00',
    })
  })

  test('a table of owners gives every person a row', async () => {
    const found = await factsOf(ownersDocx(), docx)
    expect(sure(found)).toMatchObject({ 'business.registration_number': business.registration_number })
    for (const [index, { birth_date: _, ...owner }] of business.owners.entries()) {
      const own = Object.fromEntries(found.filter(({ row }) => row === index + 1).map(({ fact, text }) => [fact, text]))
      expect(own).toMatchObject(
        Object.fromEntries(Object.entries(owner).map(([field, text]) => [`owner.${field}`, text.replace('%', '')])),
      )
    }
  })

  test('a workbook gives figures by year with their scale, and dates as dates', async () => {
    expect(sure(await factsOf(financialsXlsx(), xlsx))).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.founded_on': '2019-03-31',
      'business.annual_revenue': '1250000.00',
      'business.annual_profit': '-48210.00',
    })
  })

  test.each([',', ';', '\t'])('a CSV separated by %j gives its facts', async (separator) => {
    expect(sure(await factsOf(factsCsv(business, separator), 'text/csv; charset=utf-8'))).toMatchObject({
      'business.legal_name': business.legal_name,
      'business.trading_name': business.trading_name,
      'business.tax_id': business.tax_id,
      'business.phone': business.phone,
      'business.website': business.website,
      'business.annual_revenue': '$ 1250000.50',
    })
  })

  test('a list of customers is not taken for the business or its owners', async () => {
    expect(sure(await factsOf(customersCsv(), 'text/csv'))).toEqual({})
  })

  test.each([
    ['a bank statement', bankStatementPdf(), pdf],
    ['accounts', accountsPdf(), pdf],
    ['a tax return', taxReturnPdf(), pdf],
    ['a list of owners', ownersDocx(), docx],
    ['a workbook', financialsXlsx(), xlsx],
  ])('nothing of %s of another company is sure', async (_name, bytes, type) => {
    const found = await factsOf(bytes, type, stranger)
    expect(found.filter(({ confidence }) => confidence >= 0.85)).toEqual([])
  })
})
