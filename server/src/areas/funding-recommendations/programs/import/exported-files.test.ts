// Files as spreadsheets and other programs write them. What is read is read right, and everything else is refused with a
// sentence that says what is wrong; nothing is ever taken for another number or day.
import { describe, expect, test } from 'vitest'
import { csvRecords } from './csv-records.ts'
import { BrokenFile, type FileRecord, withoutByteOrderMark } from './file-records.ts'
import { jsonArrayRecords, jsonLineRecords } from './json-records.ts'
import { readProgram } from './program-rows.ts'

type Reader = (chunks: AsyncIterable<Buffer>) => AsyncIterable<FileRecord>

/** Every row as what it says, or as its problems in words. */
async function read(reader: Reader, file: string | Buffer): Promise<unknown[]> {
  async function* chunks() {
    yield Buffer.from(file)
  }
  const found: unknown[] = []
  const inWords = (problems: { pointer: string; message: string }[]) =>
    problems.map(({ pointer, message }) => (pointer ? `${pointer}: ${message}` : message))
  try {
    for await (const record of reader(withoutByteOrderMark(chunks()))) {
      const program = 'value' in record ? readProgram(record.value) : record
      found.push('problems' in program ? inWords(program.problems) : program)
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    found.push(error.message)
  }
  return found
}

const fields = [
  ...['external_reference', 'name', 'funding_type', 'amount.min', 'amount.max', 'amount.currency'],
  ...['term_months.min', 'term_months.max', 'rate.min', 'rate.max', 'rate.kind', 'opens_on', 'closes_on', 'summary'],
]
const plain = { external_reference: 'G-1', name: 'Growth', funding_type: 'grant' }

/** As Excel saves "CSV UTF-8" in a country where the comma is the decimal sign. */
function excelFile(...rows: Record<string, string>[]): string {
  const lines = rows.map((row) => fields.map((field) => row[field] ?? '').join(';'))
  return `\ufeff${[fields.join(';'), ...lines].join('\r\n')}\r\n`
}

describe('a file that Excel saved', () => {
  test('with a mark, semicolons, line breaks in cells and quotes is read as it was meant', async () => {
    const file = excelFile({
      ...plain,
      name: '"Growth; ""the large one"""',
      'amount.min': '5000',
      'amount.max': '250000.00',
      'amount.currency': 'EUR',
      'term_months.min': '12',
      'term_months.max': '60.0',
      'rate.min': '3.125',
      'rate.kind': 'fixed',
      opens_on: '2026-02-01',
      summary: '"For machines.\r\nNot for vehicles."',
    })
    const eur = (amount: string) => ({ amount, currency: 'EUR' })
    expect(await read(csvRecords, file)).toMatchObject([
      {
        external_reference: 'G-1',
        content: {
          name: 'Growth; "the large one"',
          amount: { min: eur('5000.00'), max: eur('250000.00') },
          term_months: { min: 12, max: 60 },
          rate: { min: 3.125, max: null, kind: 'fixed' },
          opens_on: '2026-02-01',
          summary: 'For machines.\r\nNot for vehicles.',
        },
      },
    ])
  })

  test('with columns and rows that are empty is read without them; a value in a column without a name is refused', async () => {
    const file = [
      'sep=;',
      'external_reference;name;funding_type;;;',
      'a;A;grant;;;',
      ';;;;;',
      'b;B;grant;;seen by Ann;',
      'c;C;grant;;;',
      ';;;;;',
    ]
    const [a, b, c, ...more] = await read(csvRecords, file.join('\r\n'))
    expect([a, c]).toMatchObject([{ external_reference: 'a' }, { external_reference: 'c' }])
    expect([b, more]).toEqual([
      ['Cell 5 has a value, but its column has no name in the header. Name the column, or remove the value.'],
      [],
    ])
  })

  test('with spaces around cells is read without them', async () => {
    const file =
      'external_reference, name, funding_type, summary, opens_on\n a , "Growth" ,grant ,  ,\u00a02026-02-01\n'
    expect(await read(csvRecords, file.replace(' "Growth" ', '" Growth "'))).toMatchObject([
      {
        external_reference: 'a',
        content: { name: 'Growth', funding_type: 'grant', summary: null, opens_on: '2026-02-01' },
      },
    ])
  })

  const amount = '/amount/min/amount: amount must be a decimal string such as 1250.00.'
  const months = '/term_months/min: min must be of type integer.'
  const rate = '/rate/min: min must be of type number.'
  const date = '/opens_on: opens_on must be a date such as 2026-01-31.'
  test.each([
    ['amount.min', '1.000,00', amount],
    ['amount.min', '1,000.00', amount],
    ['amount.min', '1000,00', amount],
    ['amount.min', '1 000', amount],
    ['amount.min', "1'000", amount],
    ['amount.min', '€ 1000', amount],
    ['amount.min', '1E+06', amount],
    [
      'amount.min',
      '1.000',
      '/amount/min/amount: amount must have at most 2 decimal places in EUR, and at most 15 digits including decimal places.',
    ],
    ['term_months.min', '1.000', months],
    ['term_months.min', '1,000', months],
    ['term_months.min', '12,5', months],
    ['term_months.min', '12 months', months],
    ['rate.min', '7,5', rate],
    ['rate.min', '7.5 %', rate],
    ['rate.min', '#N/A', rate],
    ['opens_on', '31.12.2026', date],
    ['opens_on', '12/31/2026', date],
    ['opens_on', '2026-12-31 00:00:00', date],
    ['opens_on', '46387', date],
    ['opens_on', '2026-02-29', date],
  ])('%s as %s is refused', async (field, cell, message) => {
    const file = excelFile({ ...plain, 'amount.currency': 'EUR', 'rate.kind': 'fixed', [field]: cell })
    expect(await read(csvRecords, file)).toEqual([[message]])
  })
})

describe('a file that cannot be read', () => {
  const wide =
    'The file must be UTF-8; this one is UTF-16 or UTF-32. Save it as UTF-8 (in Excel: "CSV UTF-8") and import it again.'
  const other = (what: string) =>
    `The file must be JSON, JSON lines or CSV; this one is ${what}. Save the table as "CSV UTF-8" and import that.`
  const text = '{"external_reference":"a","name":"A","funding_type":"grant"}'
  test.each<[string, Reader, string | Buffer, unknown]>([
    ['UTF-16 text of Excel', csvRecords, Buffer.from('\ufeffexternal_reference\tname\r\n', 'utf16le'), wide],
    ['UTF-16 with the other byte first', csvRecords, Buffer.from('\ufeffname\n', 'utf16le').swap16(), wide],
    ['UTF-16 without a mark', jsonArrayRecords, Buffer.from(`[${text}]`, 'utf16le'), wide],
    ['UTF-16 JSON lines', jsonLineRecords, Buffer.from(`\ufeff${text}\n`, 'utf16le'), wide],
    [
      'two columns of one name',
      csvRecords,
      'name,funding_type,name\n',
      'Duplicate column: name. Name each column once.',
    ],
    [
      'quotes that are never closed',
      csvRecords,
      'name,funding_type\nA,grant\n"B,grant\nC,grant\n',
      'The file is incomplete: the quotes opened in line 3 are never closed.',
    ],
    [
      'line ends of old computers',
      csvRecords,
      'name,funding_type\rA,grant\r',
      'Lines must end with LF or CRLF; this file uses CR alone. Save it as "CSV UTF-8" and import it again.',
    ],
    ['a workbook', csvRecords, Buffer.from('PK\x03\x04\x14\0\x06\0'), other('an Excel workbook or a ZIP archive')],
    [
      'a workbook called JSON',
      jsonArrayRecords,
      Buffer.from('PK\x03\x04\x14\0'),
      other('an Excel workbook or a ZIP archive'),
    ],
    ['an old workbook', csvRecords, Buffer.from('d0cf11e0a1b11ae1', 'hex'), other('an old Excel workbook')],
    ['a PDF', csvRecords, '%PDF-1.7\n', other('a PDF')],
    [
      'Latin-1 as Excel saves "CSV"',
      csvRecords,
      Buffer.from('name;funding_type;summary\nA;grant;B\xe4cker\n', 'latin1'),
      'The line must be UTF-8 text without NUL characters. Save the file as UTF-8 (in Excel: "CSV UTF-8") and import it again.',
    ],
    [
      'other names of columns',
      csvRecords,
      `External Reference,Program Name,Funding-Type,Amount Min,constructor,__proto__,${Array.from({ length: 994 }, (_, n) => `Column ${n}`)}\n`,
      expect.stringMatching(
        /^Unknown columns: External Reference \(did you mean external_reference\?\), Program Name, Funding-Type \(did you mean funding_type\?\), Amount Min \(did you mean amount\.min\?\), constructor, __proto__, Column 0, Column 1, Column 2, Column 3 and 990 more\. The first line must name the fields, separated by commas, semicolons or tabs\. Rename or remove other columns\. Known columns: external_reference, name, .*eligibility\.$/,
      ),
    ],
    [
      'a list of other signs',
      csvRecords,
      'external_reference|name\na|A\n',
      expect.stringContaining('separated by commas, semicolons or tabs'),
    ],
    ['one line of 10 MB', csvRecords, 'x'.repeat(10_000_000), 'The header is too long. It must name the fields.'],
    [
      'an array that ends too early',
      jsonArrayRecords,
      `[${text}`,
      'The file is incomplete: it ends inside programme 1.',
    ],
  ])('%s', async (_, reader, file, message) => {
    expect([(await read(reader, file)).at(-1)].flat()).toEqual([message])
  })
})

describe('JSON of other programs', () => {
  const text = JSON.stringify(plain)
  const large = JSON.stringify({ ...plain, summary: 'x'.repeat(10_000_000) })
  const tooLarge = ['A programme must be at most 1048576 bytes.']
  const duplicate = ['A programme must not contain a duplicate member in one object: name.']
  const comma = [
    'The line must not end with a comma. Remove the commas, or save the file as one JSON array that begins with [.',
  ]
  test.each<[string, Reader, string, unknown[]]>([
    ['lines with an empty one at the end', jsonLineRecords, `${text}\r\n\r\n`, [plain]],
    ['lines with commas between them', jsonLineRecords, `${text},\n${text}\n`, [comma, plain]],
    ['a line of 10 MB beside others', jsonLineRecords, `${text}\n${large}\n${text}`, [plain, tooLarge, plain]],
    ['an element of 10 MB beside others', jsonArrayRecords, `[${text},${large},${text}]`, [plain, tooLarge, plain]],
    [
      'members that come twice',
      jsonArrayRecords,
      `[${text.replace('{', '{"name":"Other",')},${text}]`,
      [duplicate, plain],
    ],
    [
      'numbers that JSON does not know',
      jsonLineRecords,
      `${text.replace('}', ',"rate":NaN}')}\n${text}`,
      [['A programme must be valid JSON; parsing failed at the character N.'], plain],
    ],
    [
      'numbers instead of amounts',
      jsonArrayRecords,
      `[${JSON.stringify({ ...plain, amount: { min: 5000 } })}]`,
      [['/amount/min: min must be an amount of money such as {"amount": "25000.00", "currency": "USD"}.']],
    ],
  ])('%s', async (_, reader, file, expected) => {
    const shown = (await read(reader, file)).map((one) => {
      if (Array.isArray(one)) return one
      const { external_reference, content } = one as { external_reference: string; content: typeof plain }
      return { external_reference, name: content.name, funding_type: content.funding_type }
    })
    expect(shown).toEqual(expected)
  })
})
