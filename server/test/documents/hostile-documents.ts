// Files that harm a careless reader.
import { deflateSync } from 'node:zlib'
import { docx, xmlHead } from './business-office-files.ts'
import { bankStatementPdf } from './business-pdfs.ts'
import { assemblePdf, streamObject } from './pdf-writer.ts'
import { sampleBusiness } from './sample-business.ts'
import { assembleTagged } from './tagged-pdf.ts'
import { writeZip } from './zip-writer.ts'

export function encryptedPdf(userPassword = 'open sesame'): Buffer {
  return bankStatementPdf(sampleBusiness, { user_password: userPassword })
}

/** The cross-reference table is gone and startxref points into a stream: readers must search for the objects. */
export function brokenPdf(): Buffer {
  const whole = bankStatementPdf()
  const table = whole.lastIndexOf('xref\n0 ')
  const trailer = whole.subarray(whole.lastIndexOf('trailer'), whole.lastIndexOf('startxref'))
  return Buffer.concat([whole.subarray(0, table), trailer, Buffer.from('startxref\n1234\n%%EOF\n')])
}

/** Only the beginning of a PDF: no page can be found. */
export function cutOffPdf(): Buffer {
  return bankStatementPdf().subarray(0, 120)
}

/** The tree of pages contains itself. */
export function circularPdf(): Buffer {
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 100000 >>'),
    Buffer.from('<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 3 0 R] /Count 100000 >>'),
  ])
}

/** Arrays inside arrays, a hundred thousand deep, where a page's contents should be. */
export function deepPdf(depth = 100_000): Buffer {
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${'['.repeat(depth)}${']'.repeat(depth)} >>`,
    ),
  ])
}

/** A page whose tags are a tree in which each part has the next one twice: of three kilobytes, a million parts. */
export function doublingTagsPdf(levels: number): Buffer {
  const element = (parent: string, kids: string) => `<< /Type /StructElem /S /Div /P ${parent} /K [${kids}] >>`
  const elements = Array.from({ length: levels }, (_, level) =>
    element(level === 0 ? '@root@' : `@element${level - 1}@`, `@element${level + 1}@ @element${level + 1}@`),
  )
  elements.push(element(`@element${levels - 1}@`, '<< /Type /MCR /Pg @page0@ /MCID 0 >>'))
  const text = 'For the year ended 31 December 2025 these are the figures of the business. '.repeat(4)
  const drawn = [`/P << /MCID 0 >> BDC BT /F1 4 Tf 36 700 Td (${text}) Tj ET EMC`]
  return assembleTagged({ drawn, elements, kids: '@element0@', parents: [`@element${levels}@`] })
}

/** A small page whose compressed contents draw words for ever. */
export function bombPdf(megabytes: number): Buffer {
  const drawn = Buffer.alloc(megabytes * 1024 * 1024, '(many words) Tj 1 0 0 1 9 9 Td\n')
  const content = Buffer.concat([Buffer.from('BT /F1 10 Tf 1 0 0 1 60 700 Tm\n'), drawn, Buffer.from('\nET')])
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    ),
    streamObject(deflateSync(content, { level: 1 }), '/Filter /FlateDecode '),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ])
}

/** A document of a few kilobytes that unpacks to many megabytes of spaces. */
export function zipBombDocx(megabytes: number): Buffer {
  return docx(`<w:p><w:r><w:t>${' '.repeat(megabytes * 1024 * 1024)}</w:t></w:r></w:p>`)
}

/** The same as a workbook that claims to be small. */
export function zipBombXlsx(megabytes: number): Buffer {
  const body = Buffer.alloc(megabytes * 1024 * 1024, ' ')
  return writeZip([
    { name: 'xl/workbook.xml', body: `${xmlHead}<workbook><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>` },
    { name: 'xl/sharedStrings.xml', body, claimed_size: 1000 },
    { name: 'xl/worksheets/sheet1.xml', body: '<worksheet/>' },
  ])
}
