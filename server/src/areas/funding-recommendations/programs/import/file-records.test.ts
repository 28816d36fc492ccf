import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvRecords } from './csv-records.ts'
import { BrokenFile, type FileRecord, withoutByteOrderMark } from './file-records.ts'
import { jsonArrayRecords, jsonLineRecords } from './json-records.ts'

type Reader = (chunks: AsyncIterable<Buffer>) => AsyncIterable<FileRecord>

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0
  for (const size of sizes) {
    if (at >= bytes.length) return
    yield bytes.subarray(at, at + size)
    at += size
  }
  if (at < bytes.length) yield bytes.subarray(at)
}

/** Every record, or what broke the file. */
async function read(reader: Reader, file: string | Buffer, sizes: readonly number[] = []) {
  const found: unknown[] = []
  try {
    for await (const record of reader(withoutByteOrderMark(cut(Buffer.from(file), sizes)))) found.push(record)
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    found.push({ ...error.place, broken: error.message })
  }
  return found
}
const rows = (values: readonly unknown[]) =>
  values.map((value, index) => ({ row: index + 1, line: expect.any(Number), value }))
const malformed = expect.objectContaining({ code: 'malformed_json' })

describe('a JSON array', () => {
  test('any values come out as they are, wherever the file is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'))),
        fc.array(fc.integer({ min: 1, max: 20 })),
        fc.constantFrom(0, 2),
        fc.boolean(),
        async (values, sizes, indent, hasMark) => {
          const text = `${hasMark ? '\ufeff' : ''} ${JSON.stringify(values, null, indent)}\r\n`
          expect(await read(jsonArrayRecords, text, sizes)).toEqual(rows(JSON.parse(JSON.stringify(values))))
        },
      ),
      { numRuns: 300 },
    )
  })

  test.each([
    [
      '[{"a":1},\n{"a":]},{"a":3}]',
      [
        { row: 1, line: 1, value: { a: 1 } },
        { row: 2, line: 2, problems: [malformed] },
      ],
    ],
    [
      '\n[\n\n{"a":\n1},\n{"a":1,\r\n"a":2}\n,\n{"a":3}]',
      [
        { row: 1, line: 4, value: { a: 1 } },
        { row: 2, line: 6, problems: [malformed] },
        { row: 3, line: 9, value: { a: 3 } },
      ],
    ],
    ['[]', []],
  ])('%s', async (text, expected) => {
    expect((await read(jsonArrayRecords, text)).slice(0, expected.length)).toEqual(expected)
  })

  test.each([
    ['', 1, 'The file is empty.'],
    ['  \n', 1, 'The file is empty.'],
    ['{"a":1}', 1, 'must begin with [.'],
    ['\xff\xfe[\0', 1, 'must begin with [.'],
    ['[', 1, 'does not end'],
    ['[{"a":1}', 1, 'ends inside programme 1.'],
    ['[{"a":1},', 1, 'does not end after programme 1.'],
    ['[{"a":1},{"a"', 2, 'ends inside programme 2.'],
    ['[{"a":1},]', 2, 'A programme is missing after programme 1'],
    ['[,{"a":1}]', 1, 'A programme is missing'],
    ['[{"a":1}] x', 1, 'must end after the JSON array'],
  ])('%j is broken at row %i: %s', async (text, row, words) => {
    const broken = (await read(jsonArrayRecords, text)).at(-1)
    expect(broken).toMatchObject({ row, broken: expect.stringContaining(words) })
  })

  test('a record that is too large, or not UTF-8, is refused alone', async () => {
    const large = JSON.stringify({ a: 'x'.repeat(1024 * 1024) })
    const bytes = Buffer.concat([
      Buffer.from(`[{"a":1},${large},{"a":"`),
      Buffer.from([0xff]),
      Buffer.from('"},{"a":4}]'),
    ])
    expect(
      await read(
        jsonArrayRecords,
        bytes,
        Array.from({ length: 100 }, () => 20_000),
      ),
    ).toEqual([
      { row: 1, line: 1, value: { a: 1 } },
      { row: 2, line: 1, problems: [expect.objectContaining({ code: 'too_long' })] },
      { row: 3, line: 1, problems: [malformed] },
      { row: 4, line: 1, value: { a: 4 } },
    ])
  })
})

describe('JSON lines', () => {
  test('any values, with any line ends, wherever the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: fc.string(), b: fc.integer() }), { minLength: 1 }),
        fc.array(fc.integer({ min: 1, max: 20 })),
        fc.constantFrom('\n', '\r\n', '\n\n', ' \r\n\t\n'),
        fc.boolean(),
        async (values, sizes, end, isEnded) => {
          const text = values.map((value) => JSON.stringify(value)).join(end) + (isEnded ? end : '')
          expect(await read(jsonLineRecords, text, sizes)).toEqual(rows(values))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('a line that is not JSON is refused alone; a file of nothing is broken', async () => {
    expect(await read(jsonLineRecords, '{"a":1}\n{"a":\n\n{"a":3}\n{"a"')).toEqual([
      { row: 1, line: 1, value: { a: 1 } },
      { row: 2, line: 2, problems: [malformed] },
      { row: 3, line: 4, value: { a: 3 } },
      { row: 4, line: 5, problems: [malformed] },
    ])
    expect(await read(jsonLineRecords, '\n \n')).toEqual([{ row: 1, broken: expect.stringContaining('empty') }])
  })
})

describe('CSV', () => {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

  test('any texts, quoted or not, with any separator and line end, wherever the file is cut', async () => {
    const cell = fc.string({
      minLength: 1,
      unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '\n', '\r\n', ' ', '漢'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 9 })),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (table, sizes, separator, end, isEnded) => {
          const write = (text: string) => (/^[aé漢 ]+$/.test(text) ? text : quoted(text))
          const lines = table.map((cells) => cells.map(write).join(separator))
          const text = `\ufeff${['external_reference', 'name', 'summary'].join(separator)}${end}${lines.join(end)}${isEnded ? end : ''}`
          const found = await read(csvRecords, text, sizes)
          expect(found).toEqual(
            table.map((cells, index) => {
              const [external_reference, name, summary] = cells.map((one) => one.trim() || undefined)
              return { row: index + 1, line: expect.any(Number), value: { external_reference, name, summary } }
            }),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  test('nested fields as JSON or as columns of their own; empty cells are left out; lines are counted', async () => {
    const text = [
      'external_reference,name,amount.min,amount.max,amount.currency,term_months.min,rate.kind,rate.min,eligibility',
      `a,"Two${'\r\n'}lines",1000,,USD,12,fixed,7.5,${quoted('[{"criterion":"country"}]')}`,
      '',
      'b,,,,,twelve,,,',
      'c,,5,,,,,,[',
    ].join('\r\n')
    expect(await read(csvRecords, text)).toEqual([
      {
        row: 1,
        line: 2,
        value: {
          external_reference: 'a',
          name: 'Two\r\nlines',
          amount: { min: { amount: '1000', currency: 'USD' } },
          term_months: { min: 12 },
          rate: { kind: 'fixed', min: 7.5 },
          eligibility: [{ criterion: 'country' }],
        },
      },
      { row: 2, line: 5, value: { external_reference: 'b', term_months: { min: 'twelve' } } },
      { row: 3, line: 6, problems: [expect.objectContaining({ pointer: '/eligibility', code: 'malformed_json' })] },
    ])
  })

  test.each([
    ['name,name', 'Duplicate column: name.'],
    ['name,colour', 'Unknown column: colour. The first line must name the fields'],
    ['name,,summary', 'Unknown column: (empty)'],
    ['name\rA\r', 'Lines must end with LF or CRLF'],
    [`name,${'x'.repeat(1024 * 1024)}`, 'The header is too long.'],
    ['amount,amount.min', 'Use either the column amount or the columns amount.*'],
    ['"name', 'the quotes opened in line 1 are never closed'],
    ['na"me', 'its quotes are not balanced'],
    ['', 'The file is empty.'],
    ['name\na\n"b\nc\n', 'the quotes opened in line 3 are never closed'],
  ])('%j is broken: %s', async (text, words) => {
    expect((await read(csvRecords, text)).at(-1)).toMatchObject({ broken: expect.stringContaining(words) })
  })

  test('a line `sep=` decides on the separator, and problems of the header are reported in its line', async () => {
    expect(await read(csvRecords, 'sep=;\n"name";summary\na,b;c\n')).toEqual([
      { row: 1, line: 3, value: { name: 'a,b', summary: 'c' } },
    ])
    const unknown = { row: 1, line: 2, broken: expect.stringContaining('Unknown column: name,summary.') }
    expect(await read(csvRecords, 'sep=;\nname,summary\na,b\n')).toEqual([unknown])
  })

  test.each(['a', 'a,b,c', 'a,"b"c', 'a,b"', 'a,"b""'])('the line %j is refused alone', async (line) => {
    const found = await read(csvRecords, `name,summary\n${line}\nx,y\n`)
    // Quotes that stay open take the rest of the file with them.
    if (line.endsWith('""')) return expect(found).toMatchObject([{ broken: expect.any(String) }])
    expect(found).toEqual([
      { row: 1, line: 2, problems: [expect.objectContaining({ code: 'malformed_csv' })] },
      { row: 2, line: 3, value: { name: 'x', summary: 'y' } },
    ])
  })

  test('a line that is not UTF-8 is refused alone', async () => {
    const bytes = Buffer.concat([Buffer.from('name\n'), Buffer.from([0xe9, 0x0a]), Buffer.from('x\n')])
    expect(await read(csvRecords, bytes)).toMatchObject([
      { problems: [{ code: 'malformed_csv' }] },
      { value: { name: 'x' } },
    ])
  })
})
