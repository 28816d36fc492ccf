// The lines of a cell as one text.
import { expect, test } from 'vitest'
import { textOfCell } from './cell-text.ts'

test.each([
  ['the lines of an address', ['12 High Street', 'Leeds', 'LS1 4AB'], '12 High Street, Leeds, LS1 4AB'],
  ['lines that end with a comma', ['12 High Street,', 'Leeds LS1 4AB'], '12 High Street, Leeds LS1 4AB'],
  [
    'a postcode that is broken',
    ['The Granary', '4 Mill Lane, Norwich NR2', '9DT'],
    'The Granary, 4 Mill Lane, Norwich NR2 9DT',
  ],
  ['words that go on', ['Bakery and', 'confectionery'], 'Bakery and confectionery'],
  ['a double name', ['Ann Quintero-', 'Haye'], 'Ann Quintero-Haye'],
  ['a link that is broken', ['www.best-bread.exam', 'ple'], 'www.best-bread.example'],
  ['an e-mail address that is broken', ['office@best-', 'bread.example'], 'office@best-bread.example'],
  [
    'a sentence with numbers',
    [`${'The rent of the premises '.repeat(3)}is`, '1,200 a month'],
    `${'The rent of the premises '.repeat(3)}is 1,200 a month`,
  ],
])('%s are put together as they are meant', (_, lines, text) => {
  expect(textOfCell(lines, true)).toBe(text)
})

test('the lines of a label are words that go on, also with numbers', () => {
  expect(textOfCell(['Address', 'on 31 December', '2025 of the firm'], false)).toBe(
    'Address on 31 December 2025 of the firm',
  )
})
