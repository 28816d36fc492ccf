// Genuine forms of American authorities, as people file them, and what came of reading them: their captions and the numbers
// of their lines are known, and what stands in their boxes is the filer's.
import { expect, test } from 'vitest'
import { type FilledCase, factsIn, filledIn } from '../../../../../test/documents/facts-in-text.ts'
import { writePdf } from '../../../../../test/documents/pdf-writer.ts'
import { createOcr } from '../formats/ocr.ts'
import { readPdf } from '../formats/pdf-text.ts'
import { findFacts } from './find-facts.ts'

test.each<[string, FilledCase]>([
  [
    'a Schedule C: figures behind the numbers of their lines, and the business name as what it trades under',
    {
      name: 'Ann Lee dba Harbor Lane Bakery',
      text: 'SCHEDULE C   Profit or Loss From Business   2025\n(Form 1040)   (Sole Proprietorship)\nName of proprietor: Ann Lee\nC Business name: Harbor Lane Bakery\nD Employer ID number (EIN): 38-3906175\nFor calendar year 2025\n1   Gross receipts or sales. See instructions for line 1 and check the box if this was\n    reported to you on Form W-2   1   138,450\n7   Gross income. Add lines 5 and 6   7   139,650\n29   Tentative profit or (loss)   29   80,832\n31   Net profit or (loss). Subtract line 30 from line 29.   31   71,943\n',
      filled: [
        ['annual_revenue', '138450.00'],
        ['annual_profit', '71943.00'],
        ['trading_name', 'Harbor Lane Bakery'],
        ['tax_id', '38-3906175'],
        ['legal_form', 'Sole proprietor'],
        ['first_name', 'Ann'],
        ['last_name', 'Lee'],
      ],
    },
  ],
  [
    'digits in boxes so wide that each is a cell of its own',
    {
      text: 'Form 941 for 2025   Employer’s QUARTERLY Federal Tax Return\nEmployer identification number (EIN)   7   4   –   3   0   1   1   8   6   5\nName (not your trade name)   Harbor Lane Bakery LLC\n',
      filled: [['tax_id', '74-3011865']],
    },
  ],
  [
    'the phones on a return of wages are those of whoever signs or may be asked',
    {
      text: 'Form 941 for 2025   Employer’s QUARTERLY Federal Tax Return\nEmployer identification number (EIN)   74-3011865\nName (not your trade name)   Harbor Lane Bakery LLC\nBest daytime phone: 512-555-0147\nPhone: 512-555-0180\n',
      filled: [['tax_id', '74-3011865']],
    },
  ],
  [
    'figures with their years before them, the newest of which counts',
    {
      text: 'Harbor Lane Bakery LLC\nCapability statement\n\nANNUAL REVENUE\n2023: $14.9M   2024: $16.2M   2025: $18.6M\n',
      filled: [['annual_revenue', '$ 18600000.00']],
    },
  ],
  [
    'the same letters apart in another place',
    {
      name: 'Harbor Lane Boat Works, LLC',
      text: 'Legal name: HARBOR LANE BOATWORKS LLC\nEmployer identification number: 01-0629934\n',
      filled: [['tax_id', '01-0629934']],
    },
  ],
  [
    'the year of a span written without spaces',
    {
      country: 'NZ',
      text: 'Profit and Loss\nHarbor Lane Bakery Limited\nFor the year ended 31 March 2026\nAccount   1 Apr 2025-31 Mar 2026   1 Apr 2024-31 Mar 2025\nTotal Trading Income   1,727,295.60   1,667,380.25\nNet Profit after tax   107,661.16   118,047.76\n',
      filled: [
        ['annual_revenue', '1727295.60'],
        ['annual_profit', '107661.16'],
      ],
    },
  ],
])('%s', (_, { text, country, name, filled }) => {
  expect(filledIn(text, country, name)).toEqual(filled)
})

test('a form of somebody else tells nothing of the business', () => {
  const text =
    'Form 941 for 2025   Employer’s QUARTERLY Federal Tax Return\nEmployer identification number (EIN)   74-3011865\nName (not your trade name)   Northern Fence Company LLC\nPhone: 512-555-0180\n'
  expect(filledIn(text)).toEqual([])
})

test('the name of the record behind “dba” is its other name, a word in brackets is not', () => {
  const text = 'Legal name: Ann Lee\nEmployer identification number: 38-3906175\n'
  expect(filledIn(text, 'US', 'Ann Lee dba Best Bread')).toContainEqual(['tax_id', '38-3906175'])
  const other = factsIn(
    'Legal name: Ann Lee\nEmployer identification number: 38-3906175\n',
    'US',
    'Best Bread (North) Ltd',
  )
  expect(other.filter(({ fact, confidence }) => fact === 'business.tax_id' && confidence >= 0.85)).toEqual([])
})

test('boxes of a return side by side: name, address and number of the filer, and nothing of the preparer', async () => {
  const small = (x: number, y: number, text: string) => ({ x, y, text, size: 7 })
  const large = (x: number, y: number, text: string) => ({ x, y, text, size: 10, is_bold: true })
  const row = (y: number, ...sides: number[]) =>
    sides.slice(1).map((right, at) => ({ x: sides[at] ?? 0, y, width: right - (sides[at] ?? 0), height: 26 }))
  const bytes = writePdf(
    [
      [
        ...[
          large(122, 60, 'U.S. Return of Partnership Income'),
          small(122, 80, 'For calendar year 2025, or tax year beginning'),
        ],
        ...[small(40, 108, 'A Principal business activity'), small(122, 108, 'Name of partnership')],
        ...[small(402, 108, 'D Employer'), small(402, 116, 'identification number')],
        ...[large(40, 122, 'MILLWORK'), large(122, 122, 'HARBOR LANE BAKERY PARTNERS'), large(402, 124, '54-6093318')],
        ...[
          small(40, 134, 'B Principal product'),
          small(122, 134, 'Number and street'),
          small(320, 134, 'Room or suite no.'),
        ],
        ...[small(402, 134, 'E Date business started')],
        ...[
          large(40, 148, 'BREAD'),
          large(122, 148, '1180 DOCKSIDE ROAD'),
          large(320, 148, 'SUITE B'),
          large(402, 150, '03/14/2009'),
        ],
        ...[
          small(40, 160, 'C Business code number'),
          small(122, 160, 'City or town'),
          small(222, 160, 'State or province'),
        ],
        ...[small(320, 160, 'ZIP or foreign postal code'), small(402, 160, 'F Total assets')],
        ...[large(40, 174, '321910'), large(122, 174, 'HAMPTON'), large(222, 174, 'VA'), large(320, 174, '23661')],
        large(450, 174, '1,266,940'),
        ...[small(40, 560, 'Firm’s name'), large(100, 560, 'ABELARD & FINCH CPAS PLLC')],
        ...[small(330, 560, 'Firm’s EIN'), large(400, 560, '46-2271508')],
        small(
          40,
          600,
          'Under penalties of perjury, I declare that I have examined this return, including accompanying schedules.',
        ),
      ],
    ],
    {
      boxes: [
        ...row(100, 36, 120, 400, 570),
        ...row(126, 36, 120, 318, 400, 570),
        ...row(152, 36, 120, 220, 318, 400, 570),
      ],
    },
  )
  const text = await readPdf(bytes, createOcr({ program: undefined, time_ms: 0 }))
  const { facts } = findFacts(
    text,
    { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' },
    '2026-11-16',
  )
  const sure = facts.flatMap(({ fact, text: value, confidence }) => (confidence >= 0.85 ? [[fact, value]] : []))
  expect(sure).toEqual([
    ['business.legal_name', 'HARBOR LANE BAKERY PARTNERS'],
    ['business.tax_id', '54-6093318'],
    ['business.registered_address', '1180 DOCKSIDE ROAD SUITE B, HAMPTON, VA 23661'],
    ['business.founded_on', '2009-03-14'],
    ['business.legal_form', 'Partnership'],
  ])
})
