// The Word, Excel and CSV files an applicant uploads.
import { type SampleBusiness, sampleBusiness } from './sample-business.ts'
import { writeZip } from './zip-writer.ts'

/** A letter with a table of owners. Word splits texts into runs wherever it likes. */
export function ownersDocx(business: SampleBusiness = sampleBusiness): Buffer {
  const header = ['Name', 'Title', '% owned', 'Email', 'Date of birth']
  const rows = business.owners.map((owner) => [
    `${owner.first_name} ${owner.last_name}`,
    owner.role,
    owner.ownership_percent,
    owner.email,
    owner.birth_date,
  ])
  const cell = (text: string) => `<w:tc><w:tcPr><w:tcW w:w="2000"/></w:tcPr>${paragraph(text)}</w:tc>`
  const table = [header, ...rows].map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')
  const body = [
    paragraph('Schedule of beneficial owners'),
    paragraph(`Legal name: ${business.legal_name}`),
    paragraph(`Company registration no.: ${business.registration_number}`),
    `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/></w:tblPr>${table}</w:tbl>`,
    paragraph('Signed on behalf of the company'),
  ]
  return docx(body.join(''))
}

/** A Word document; other parts, such as headers, by their names. */
export function docx(body: string, parts: Record<string, string> = {}): Buffer {
  return writeZip([
    { name: '[Content_Types].xml', body: `${xmlHead}<Types/>` },
    { name: '_rels/.rels', body: `${xmlHead}<Relationships/>` },
    {
      name: 'word/document.xml',
      body: `${xmlHead}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}<w:sectPr/></w:body></w:document>`,
    },
    ...Object.entries(parts).map(([name, text]) => ({ name, body: `${xmlHead}<w:hdr>${text}</w:hdr>` })),
  ])
}

/** Two sheets: figures by year with real numbers and percentages, and a sheet of company facts with a real date. */
export function financialsXlsx(business: SampleBusiness = sampleBusiness): Buffer {
  const shared = ['Income statement', 'in thousands', 'Total revenue', 'Net income', 'Gross margin', 'Legal name']
  const text = (place: string, words: string) => `<c r="${place}" t="s"><v>${shared.indexOf(words)}</v></c>`
  const number = (place: string, value: string, style = 0) => `<c r="${place}" s="${style}"><v>${value}</v></c>`
  const inThousands = (amount: string) => String(plainNumber(amount) / 1000)
  const [latest, earlier] = business.years
  const figures = [
    `<row r="1">${text('A1', 'Income statement')}${text('B1', 'in thousands')}</row>`,
    `<row r="3">${number('B3', String(earlier?.year))}${number('C3', String(latest?.year))}</row>`,
    `<row r="4">${text('A4', 'Total revenue')}${number('B4', inThousands(earlier?.revenue ?? ''))}${number('C4', inThousands(latest?.revenue ?? ''))}</row>`,
    `<row r="5">${text('A5', 'Gross margin')}${number('B5', '0.406', 2)}${number('C5', '0.438', 2)}</row>`,
    `<row r="6">${text('A6', 'Net income')}${number('B6', inThousands(earlier?.profit ?? ''))}<c r="C6"><f>C4-C5</f><v>${inThousands(latest?.profit ?? '')}</v></c></row>`,
  ]
  const [day = '1', month = '1', year = '2000'] = business.founded_on.split('/')
  const serial = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 86_400_000 + 25_569
  const facts = [
    `<row r="2">${text('B2', 'Legal name')}<c r="C2" t="inlineStr"><is><t>${escapeXml(business.legal_name)}</t></is></c></row>`,
    `<row r="3"><c r="B3" t="inlineStr"><is><t>Date of incorporation</t></is></c>${number('C3', String(serial), 1)}</row>`,
    `<row r="4"><c r="B4" t="inlineStr"><is><t>VAT registered</t></is></c><c r="C4" t="b"><v>1</v></c></row>`,
  ]
  const sheet = (rows: string[]) => `${xmlHead}<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`
  return writeZip([
    { name: '[Content_Types].xml', body: `${xmlHead}<Types/>` },
    {
      name: 'xl/workbook.xml',
      body: `${xmlHead}<workbook><sheets><sheet name="P&amp;L" sheetId="1" r:id="rId1"/><sheet name="Facts" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      body: `${xmlHead}<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      body: `${xmlHead}<sst>${shared.map((words) => `<si><r><t>${words.slice(0, 3)}</t></r><r><t xml:space="preserve">${words.slice(3)}</t></r></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      body: `${xmlHead}<styleSheet><numFmts><numFmt numFmtId="165" formatCode="0.0%"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    },
    { name: 'xl/worksheets/sheet1.xml', body: sheet(figures) },
    { name: 'xl/worksheets/sheet2.xml', body: sheet(facts) },
  ])
}

/** One fact a row, as an accounting package exports its company settings. */
export function factsCsv(business: SampleBusiness = sampleBusiness, separator = ','): Buffer {
  const rows = [
    ['Field', 'Value'],
    ['Legal name', business.legal_name],
    ['Doing business as', business.trading_name],
    ['EIN', business.tax_id],
    ['Phone', business.phone],
    ['Website', business.website],
    ['Annual revenue', `$${business.years[0]?.revenue}.50`],
  ]
  return Buffer.from(`\ufeff${rows.map((row) => row.map(quoted).join(separator)).join('\r\n')}\r\n`)
}

/** A list of other people: nothing in it is a fact of the business. */
export function customersCsv(count = 50): Buffer {
  const rows = Array.from({ length: count }, (_, index) => [
    `Customer ${index} "Ltd"`,
    `buyer${index}@customer${index}.example`,
    `+44 20 7946 ${String(index).padStart(4, '0')}`,
    String(index * 100),
  ])
  return Buffer.from(
    [['Company name', 'Email', 'Phone', 'Balance'], ...rows].map((row) => row.map(quoted).join(',')).join('\n'),
  )
}

export const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

function paragraph(text: string): string {
  const middle = Math.floor(text.length / 2)
  const run = (part: string) => `<w:r><w:t xml:space="preserve">${escapeXml(part)}</w:t></w:r>`
  return `<w:p><w:pPr><w:pStyle w:val="Normal"/></w:pPr>${run(text.slice(0, middle))}${run(text.slice(middle))}</w:p>`
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function quoted(text: string): string {
  return /[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function plainNumber(amount: string): number {
  const size = Number(amount.replace(/[^\d.]/g, ''))
  return amount.startsWith('(') ? -size : size
}
