// The PDFs an applicant uploads, laid out as banks, accountants and tax offices do.
import { type PdfOptions, type PdfText, pageWidth, writePdf } from './pdf-writer.ts'
import { type SampleBusiness, sampleBusiness } from './sample-business.ts'

/** Several pages of a running balance; the closing balance stands in the summary and again at the end. */
export function bankStatementPdf(business: SampleBusiness = sampleBusiness, options: PdfOptions = {}): Buffer {
  const rowsPerPage = 30
  const rows = Array.from({ length: 75 }, (_, index) => statementRow(index))
  const pages: PdfText[][] = []
  for (let begin = 0; begin < rows.length; begin += rowsPerPage) {
    const page: PdfText[] = []
    const top = begin === 0 ? 300 : 100
    if (begin === 0) page.push(...statementHead(business))
    for (const [index, text] of ['Date', 'Description', 'Paid out', 'Paid in', 'Balance'].entries())
      page.push({ ...statementColumn(index), y: top - 18, text, is_bold: true })
    for (const [line, row] of rows.slice(begin, begin + rowsPerPage).entries())
      for (const [index, text] of row.entries())
        if (text !== '') page.push({ ...statementColumn(index), y: top + line * 14, text, size: 9 })
    pages.push(page)
  }
  pages
    .at(-1)
    ?.push(
      { x: 60, y: 400, text: 'Average daily balance', size: 10 },
      { x: 550, y: 400, text: '$51,003.88', is_right_aligned: true },
      { x: 60, y: 430, text: 'Closing balance', is_bold: true },
      { x: 550, y: 430, text: business.closing_balance, is_right_aligned: true, is_bold: true },
    )
  return writePdf(withFooters(pages, 'First Coastal Bank, member of the deposit scheme'), options)
}

/** Profit and loss of two years in columns, with a column of notes and a page of company information. */
export function accountsPdf(business: SampleBusiness = sampleBusiness, heading = '£'): Buffer {
  const information: [string, string][] = [
    ['Company name', business.legal_name],
    ['Company number', business.registration_number],
    ['Date of incorporation', business.founded_on],
    ['Registered office', business.address.join(', ')],
  ]
  const cover: PdfText[] = [
    { x: 60, y: 90, text: business.legal_name, size: 20, is_bold: true },
    {
      x: 60,
      y: 120,
      text: `Annual report and accounts for the year ended 31 March ${business.years[0]?.year}`,
      size: 12,
    },
    ...information.flatMap(([label, text], index) => [
      { x: 60, y: 200 + index * 24, text: label, is_bold: true },
      { x: 240, y: 200 + index * 24, text },
    ]),
  ]
  const columns = [420, 530]
  const figures: [string, string, readonly string[]][] = [
    ['Turnover', '3', business.years.map(({ revenue }) => revenue)],
    ['Cost of sales', '', ['(702,140)', '(655,900)']],
    ['Gross profit', '', ['547,860', '448,600']],
    ['Administrative expenses', '4', ['(596,070)', '(387,596)']],
    ['Profit after tax', '', business.years.map(({ profit }) => profit)],
  ]
  const accounts: PdfText[] = [
    { x: 60, y: 70, text: 'Profit and loss account', size: 14, is_bold: true },
    { x: 330, y: 100, text: 'Notes', is_bold: true },
    ...business.years.flatMap(({ year }, index) => [
      { x: columns[index] ?? 0, y: 100, text: String(year), is_bold: true, is_right_aligned: true },
      { x: columns[index] ?? 0, y: 114, text: heading, is_right_aligned: true },
    ]),
    ...figures.flatMap(([label, note, amounts], line) => [
      { x: 60, y: 140 + line * 18, text: label },
      ...(note === '' ? [] : [{ x: 340, y: 140 + line * 18, text: note }]),
      ...amounts.map((text, index) => ({
        x: columns[index] ?? 0,
        y: 140 + line * 18,
        text,
        is_right_aligned: true,
      })),
    ]),
  ]
  return writePdf(withFooters([cover, accounts], business.legal_name))
}

/** A form: letters and line numbers before the labels, dot leaders, captions above their values. */
export function taxReturnPdf(business: SampleBusiness = sampleBusiness): Buffer {
  const [latest] = business.years
  const amounts: [string, string, string][] = [
    ['1a', 'Gross receipts or sales', latest?.revenue ?? ''],
    ['1b', 'Returns and allowances', '4,120'],
    ['8', 'Total deductions', '1,298,210'],
    ['22', 'Ordinary business income (loss)', latest?.profit ?? ''],
  ]
  const page: PdfText[] = [
    { x: 60, y: 60, text: `U.S. Return of Partnership Income ${latest?.year}`, size: 14, is_bold: true },
    { x: 60, y: 100, text: 'Legal name', size: 7 },
    { x: 360, y: 100, text: 'D Employer identification number', size: 7 },
    { x: 60, y: 114, text: business.legal_name },
    { x: 360, y: 114, text: business.tax_id },
    { x: 60, y: 140, text: 'Business address', size: 7 },
    ...business.address.map((text, index) => ({ x: 60, y: 154 + index * 12, text })),
    { x: 60, y: 210, text: `Entity type: ${business.legal_form}` },
    { x: 60, y: 226, text: `Number of employees: ${business.employee_count}` },
    ...amounts.flatMap(([number, label, text], index) => [
      { x: 60, y: 280 + index * 16, text: number, size: 9 },
      { x: 84, y: 280 + index * 16, text: `${label} ${'. '.repeat(12)}`, size: 9 },
      { x: 440, y: 280 + index * 16, text: number, size: 9 },
      { x: 550, y: 280 + index * 16, text, size: 9, is_right_aligned: true },
    ]),
  ]
  return writePdf(withFooters([page], 'For Paperwork Reduction Act Notice, see the instructions.'))
}

function statementHead(business: SampleBusiness): PdfText[] {
  return [
    { x: 60, y: 60, text: 'First Coastal Bank', size: 18, is_bold: true },
    { x: 400, y: 60, text: 'Business current account', size: 11 },
    { x: 60, y: 110, text: `Account holder: ${business.legal_name}` },
    { x: 60, y: 126, text: `Trading as: ${business.trading_name}` },
    { x: 60, y: 150, text: 'Registered address:' },
    ...business.address.map((text, index) => ({ x: 60, y: 163 + index * 13, text })),
    { x: 360, y: 110, text: 'Statement period:' },
    { x: 460, y: 110, text: '1 Mar 2025 to 31 Mar 2025' },
    { x: 360, y: 126, text: 'Opening balance' },
    { x: 550, y: 126, text: '$12,004.10', is_right_aligned: true },
    { x: 60, y: 230, text: `Email: ${business.email}` },
    { x: 360, y: 230, text: `Phone: ${business.phone}` },
  ]
}

function statementRow(index: number): string[] {
  const isPaidIn = index % 3 === 0
  const amount = `${100 + index * 7}.${String(index % 100).padStart(2, '0')}`
  const balance = `${(12 + index).toString()},${String(100 + ((index * 37) % 900))}.10`
  const day = `${String(1 + (index % 28)).padStart(2, '0')} Mar`
  const words = isPaidIn ? `Card takings batch ${1000 + index}` : `Direct debit supplier ${2000 + index}`
  return [day, words, isPaidIn ? '' : amount, isPaidIn ? amount : '', balance]
}

function statementColumn(index: number): { x: number; is_right_aligned: boolean } {
  return { x: [60, 120, 390, 470, 550][index] ?? 60, is_right_aligned: index >= 2 }
}

function withFooters(pages: readonly PdfText[][], text: string): PdfText[][] {
  return pages.map((page, index) => [
    ...page,
    { x: 60, y: 770, text, size: 7 },
    { x: pageWidth - 60, y: 770, text: `Page ${index + 1} of ${pages.length}`, size: 7, is_right_aligned: true },
  ])
}
