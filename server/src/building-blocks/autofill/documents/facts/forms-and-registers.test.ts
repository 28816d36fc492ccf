// What forms, returns, registers and invoices of the business itself say of it, and what of others stands beside that.
import { describe, expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

interface Read {
  country?: string
  record?: string
}

/** What is sure of a fact. */
function sureIn(fact: string, text: string, { country = 'GB', record = 'Harbor Lane Bakery' }: Read = {}): string[] {
  const subject = { legal_name: record, trading_name: null, country }
  const { facts } = findFacts(readPlainText(Buffer.from(text)), subject, '2026-11-16')
  return facts.filter(({ fact: name, confidence }) => name.endsWith(fact) && confidence >= 0.85).map((one) => one.text)
}

const named = 'Legal name: Harbor Lane Bakery Ltd'

describe('whose it is', () => {
  test.each([
    ['below a street of its own', `${named}\nAddress: 1190 SE Wilson Ave, Bend, OR 97702\nPhone: (541) 555-0174`],
    ['below what it is', `${named}\nCompany type\tPrivate company\nPhone: (541) 555-0174`],
    ['below the end of its year', `${named}\nFinancial Year End\tFebruary\nPhone: (541) 555-0174`],
    ['below its capital', `${named}\nIssued share capital\t1,000 ordinary shares\nPhone: (541) 555-0174`],
  ])('the phone %s is that of the business', (_, text) =>
    expect(sureIn('phone', text, { country: 'US' })).toEqual(['(541) 555-0174']),
  )

  test.each([
    ['a bank', `${named}\nBank\tSummit Bank Inc\nPhone: (541) 555-0122`],
    ['a share of somebody', `${named}\nShareholding\t55 %\nPhone: (541) 555-0122`],
    ['a company whose name is a number', `${named}\n\n1190 SE\nPhone: (541) 555-0122`],
  ])('a phone below %s is not', (_, text) => expect(sureIn('phone', text, { country: 'US' })).toEqual([]))

  test('the number that an office has given to the business is its own, and the phone of the office is not', () => {
    const text = `Operating agreement\n${named}\nSecretary of State file number\tC1555207`
    expect(sureIn('registration_number', text, { country: 'US' })).toEqual(['C1555207'])
    expect(sureIn('phone', `${named}\nSecretary of State phone: (541) 555-0122`, { country: 'US' })).toEqual([])
  })

  test('the owner of an account is the business, its owner is a person', () => {
    const statement = (label: string) =>
      `Business checking statement\nSummit Bank Inc\nHARBOR LANE BAKERY LLC\n4 Mill Rd\nPEORIA IL 61602\n\n${label}\tHARBOR LANE BAKERY LLC\nAccount number\t000 5551 4472\nBeginning balance\t$30,906.98\nEnding balance\t$38,204.77`
    expect(sureIn('legal_name', statement('Account owner'), { country: 'US' })).toEqual(['HARBOR LANE BAKERY LLC'])
    expect(sureIn('legal_name', statement('Landlord'), { country: 'US' })).toEqual([])
  })

  test('a record with the town behind the name is that of the business, not of its namesake in another town', () => {
    const record = 'Harbor Lane Spices, Pune'
    const own = 'Legal name: HARBOR LANE SPICES\nAddress: Shop 14, Market Yard, Pune, Maharashtra, 411037'
    expect(sureIn('legal_name', own, { country: 'IN', record })).toEqual(['HARBOR LANE SPICES'])
    const other = 'Legal name: Harbor Lane Spices, Mumbai'
    expect(sureIn('legal_name', other, { country: 'IN', record })).toEqual([])
  })
})

test('an office registers the business for a tax as a vendor, a buyer has vendors of its own', () => {
  const letter = (title: string) =>
    `${title}\nDear Vendor\n\nName of vendor\tHARBOR LANE BAKERY (PTY) LTD\nCompany registration number\t2017/318846/07`
  const read = (title: string) => sureIn('registration_number', letter(title), { country: 'ZA' })
  expect(read('VALUE-ADDED TAX')).toEqual(['2017/318846/07'])
  expect(read('SUMMIT RETAIL LIMITED')).toEqual([])
})

describe('an invoice of its own', () => {
  const invoice = `HARBOR LANE BAKERY
Mill Cross, Newtown, Co. Cork

INVOICE 2026-0388
Bill to:                         Date: 14 October 2026
Lee Valley Homes Ltd             Terms: 30 days
2 Lapp's Quay, Cork, T12 X5K7    Your ref: PO 55180
VAT No. IE6555904H

Harbor Lane Bakery Ltd. Registered in Ireland No. 655518. Registered office: 14 South Mall, Cork, T12 CD57. VAT No. IE3555182VA.`
  test.each([
    ['tax_id', 'IE3555182VA'],
    ['registration_number', '655518'],
    ['registered_address', '14 South Mall, Cork, T12 CD57'],
  ])('has its own %s, not that of the customer', (fact, value) =>
    expect(sureIn(fact, invoice, { country: 'IE' })).toEqual([value]),
  )
})

describe('an invoice under the name it trades under', () => {
  const invoice = (footer: string) => `HARBOR KITCHENS
Invoice no. WX-26118
Invoice to: The Gilded Pheasant Inns Ltd

${footer} Registered in England and Wales, company no.
09773316. Registered office: Unit 4, Hopton Park, Devizes, Wiltshire SN10 9EY.`
  const own = invoice('Harbor Kitchens is a trading name of Harbor Lane Bakery Ltd.')
  test.each([
    ['trading_name', 'Harbor Kitchens'],
    ['registration_number', '09773316'],
    ['registered_address', 'Unit 4, Hopton Park, Devizes, Wiltshire SN10 9EY'],
  ])('has its %s', (fact, value) => expect(sureIn(fact, own)).toEqual([value]))
  test('says nothing of it where the name is that of another', () => {
    const other = invoice('Harbor Kitchens is a trading name of Oakes Timber Ltd.')
    expect(sureIn('trading_name', other)).toEqual([])
    expect(sureIn('registration_number', other)).toEqual([])
  })
})

describe('figures below their headings', () => {
  const table = (head: string, cells: string) =>
    `Harbor Lane Bakery Ltd\nProfit and loss\n\n${head}\nTurnover\t${cells}`
  test.each([
    ['thousands beside the year', "\t2025 €'000\t2024 €'000", '6,412\t5,987', ['EUR 6412000.00']],
    ['months counted with a letter', '\t6m to Sep 2026\tYear to 31 Mar 2026', '1,187,000\t2,184,000', ['2184000.00']],
    ['only months', '\t6m to Sep 2026\t6m to Sep 2025', '1,187,000\t1,066,000', []],
  ])('%s', (_, head, cells, expected) => expect(sureIn('annual_revenue', table(head, cells))).toEqual(expected))

  test('of a group, those in the column of the business', () => {
    const group = (first: string) =>
      `Lane group - profit and loss by entity\nYear ended 31 March 2026\n\nNZD\t${first}\tOakes Timber Limited\tGroup\nTurnover\t4318900\t1206450\t5525350`
    expect(sureIn('annual_revenue', group('Harbor Lane Bakery Limited'))).toEqual(['NZD 4318900.00'])
    expect(sureIn('annual_revenue', group('Lane Cool Stores Limited'))).toEqual([])
  })

  test('below choices that end in the name of a form', () => {
    const form = `${named}\n[ ] Partnership [X] LLC [ ] Corporation [ ] S-Corp\n\n2. FINANCIAL INFORMATION\nGross annual sales, 2025\t$1,318,400`
    expect(sureIn('annual_revenue', form, { country: 'US' })).toEqual(['$ 1318400.00'])
  })

  test('how many there are at the end of a quarter are those of that day, how many were paid in it are not', () => {
    expect(sureIn('employee_count', `${named}\nActive employees at quarter end: 12`)).toEqual(['12'])
    expect(sureIn('employee_count', `${named}\nEmployees paid this quarter: 12`)).toEqual([])
  })

  test('the year of a return stands at the end of its title, the number of the form is none', () => {
    const text = (title: string) => `${title}\n${named}\nGross receipts or sales\t214,860`
    const read = (title: string) => sureIn('annual_revenue', text(title), { country: 'US' })
    expect(read('SCHEDULE C (Form 1040) Profit or Loss From Business 2025')).toEqual(['214860.00'])
    expect(read('SCHEDULE C (Form 2025) Profit or Loss From Business')).toEqual([])
  })
})

describe('days and addresses', () => {
  test.each([
    ['Date of incorporation: 2014/06/17', ['2014-06-17']],
    ['Date of incorporation: 17 06 2014', ['2014-06-17']],
    ['Date of incorporation: 2014/15', []],
  ])('%s', (text, expected) => expect(sureIn('founded_on', `${named}\n${text}`)).toEqual(expected))

  test.each([
    [
      'Registered office    Mill Cross, Newtown, Co.\n                     Tipperary, E45 PX20',
      ['Mill Cross, Newtown, Co., Tipperary, E45 PX20'],
    ],
    [
      'Address of registered    22 Mill Curve, Alton,\noffice                   3900\nDirectors                Ann Lee',
      ['22 Mill Curve, Alton, 3900'],
    ],
    ['The registered office is given on page 2.', []],
  ])('%s', (text, expected) =>
    expect(sureIn('registered_address', `${named}\n\n${text}`, { country: 'IE' })).toEqual(expected),
  )
})

describe('legal form', () => {
  const note = (sentence: string) => `Harbor Lane Bakery Limited\nFinancial statements\n\n${sentence}`
  test.each([
    [
      'Harbor Lane Bakery Limited is a\nprivate company limited by shares incorporated in Ireland.',
      ['Limited company'],
    ],
    ['1. The company is a private company limited by shares and registered in England.', ['Limited company']],
    ['Their customer Oakes Timber Limited is a\nprivate company limited by shares incorporated in Ireland.', []],
  ])('%s', (text, expected) => expect(sureIn('legal_form', note(text))).toEqual(expected))
})

test.each([
  ['A Delaware corporation', ['Delaware corporation']],
  ['Delaware limited liability company – file no. 7555184', ['Delaware limited liability company']],
  ['A wholly owned subsidiary of a Delaware corporation', []],
])('below the title, %s', (text, expected) =>
  expect(sureIn('legal_form', `Harbor Lane Bakery, Inc.\n${text}\n\nHolder\tShares\nAnn Lee\t40`)).toEqual(expected),
)

test('the day of a certificate may run on in the next line; the day of a copy is none of the foundation', () => {
  const certificate = (given: string) =>
    `Certificate of Incorporation
HARBOR LANE BAKERY LIMITED
is this day incorporated under the Companies Act 2014
${given}
for Registrar of Companies
Copy issued 02/09/2026`
  const read = (given: string) => sureIn('founded_on', certificate(given), { country: 'IE' })
  expect(read('Given under my hand, this Thursday, the 11th day of April,\n2019')).toEqual(['2019-04-11'])
  expect(read('Given under my hand')).toEqual([])
})

describe('the number of a certificate', () => {
  const certificate = (head: string, words: string) =>
    sureIn(
      'registration_number',
      `${head}\nCertificate of Incorporation\nHARBOR LANE BAKERY LIMITED\n${words}\n9 March 2022`,
    )
  test.each([
    ['Number 714206', 'is this day incorporated under the Companies Act 2014', ['714206']],
    ['Number: SC718864', 'is this day incorporated under the Companies Act 2014', ['SC718864']],
    ['Page 714206', 'is this day incorporated under the Companies Act 2014', []],
    ['Number 714206', 'has paid the fee', []],
  ])('%s, on a certificate that says: %s', (head, words, expected) =>
    expect(certificate(head, words)).toEqual(expected),
  )
})

describe('reports of bookkeeping programs', () => {
  const report = (to: string, total: string) =>
    `Harbor Lane Bakery Ltd
Profit and Loss
From:  Month 1, July 2025
To:  ${to}

                    Period        Year to Date
Sales
Bread               88,412.10     1,102,366.05
Cakes               20,990.00       248,300.50
                    ${total}
Purchases
Flour               61,204.60       744,118.20`
  test.each([
    ['Month 12, June 2026', '109,402.10     1,350,666.55', ['1350666.55']],
    ['Month 11, May 2026', '109,402.10     1,350,666.55', []],
    // The sum of neither column.
    ['Month 12, June 2026', '109,402.10     1,350,766.55', []],
  ])('up to %s, with %s below the sales', (to, total, expected) =>
    expect(sureIn('annual_revenue', report(to, total))).toEqual(expected),
  )
})

test('a number is that of a tax where the document also calls it so, unless it is that of a company', () => {
  const read = (label: string) =>
    sureIn('registration_number', `${label}: 27AAKFS5551R1Z4\n${named}\nGSTIN: 27AAKFS5551R1Z4`, { country: 'IN' })
  expect(read('Registration number')).toEqual([])
  expect(read('Company number')).toEqual(['27AAKFS5551R1Z4'])
})

describe('owners in tables', () => {
  const owners = (text: string) => {
    const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' }
    const { facts } = findFacts(readPlainText(Buffer.from(`${named}\n\n${text}`)), subject, '2026-11-16')
    return facts
      .filter(({ fact, confidence }) => /owner\.(last_name|ownership_percent)/.test(fact) && confidence >= 0.85)
      .map((one) => one.text)
  }
  test.each([
    ['% common shares', ['Lee', '65.000', 'Ray', '35.000']],
    ['% SHARES', ['Lee', '65.000', 'Ray', '35.000']],
    ['Profit %', []],
    ['Votes cast', []],
  ])('below %s', (head, expected) =>
    expect(owners(`Name of shareholder\t${head}\nAnn Lee\t65.000\nCal Ray\t35.000`)).toEqual(expected),
  )

  describe('with shares that are only counted', () => {
    const list = (total: string) => `${total}\n\nShareholder\tNumber of shares\nAnn Lee\t150\nLee Holdings Inc\t100`
    test.each([
      ['Total number of shares: 250', ['Lee', '60']],
      ['Total number of shares: 400', []],
      ['Shareholders: 250', []],
    ])('%s', (total, expected) => expect(owners(list(total))).toEqual(expected))
  })

  test('headings in several lines, and a label that is no role', () => {
    const table = `Shareholder     Identifying no.   Shareholder's
                                  percentage of
                                  stock ownership


Joanna Lee      XXX-XX-4410       55.0000%
Wade Ray        XXX-XX-2087       45.0000%`
    expect(owners(table)).toEqual(['Lee', '55.0000', 'Ray', '45.0000'])
  })

  test('a name that a narrow column breaks in two is one, and what stands below a whole name is none of it', () => {
    const row = (name: string, below: string) =>
      `Shareholder    Ownership %\n${name}        100 %\n${below}\nTotal          100 %`
    expect(owners(row('Corinne', 'Hutchens'))).toEqual(['Hutchens', '100'])
    expect(owners(row('Ann Lee', 'Signed'))).toEqual(['Lee', '100'])
  })
})
