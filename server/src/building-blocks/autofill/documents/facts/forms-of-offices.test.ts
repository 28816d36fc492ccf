// Forms of tax offices, extracts of registers, tables of brokers and shares as a batch of 44 documents has them: amounts and
// names stand where their codes and captions say, beside others that look the same.
import { expect, test } from 'vitest'
import { type FilledCase, factsIn, filledIn, ownerFilled } from '../../../../../test/documents/facts-in-text.ts'

test.each<[string, FilledCase]>([
  [
    'gross receipts behind their code, and not the total income below the cost of goods',
    {
      text: 'Form 1120-S   U.S. Income Tax Return for an S Corporation   2025\nFor calendar year 2025\nName: Harbor Lane Bakery LLC\n1a Gross receipts or sales   2,418,930 b Less returns and allowances   0 c Balance   1c   2,418,930\n2 Cost of goods sold   2   1,402,115\n3 Gross profit. Subtract line 2 from line 1c   3   1,016,815\n6 Total income (loss). Add lines 3 through 5   6   1,016,815\n',
      filled: [
        ['annual_revenue', '2418930.00'],
        ['legal_form', 'S corporation'],
      ],
    },
  ],
  [
    'a total income that adds lines is no revenue, even where nothing else is',
    {
      text: 'U.S. Income Tax Return for an S Corporation\nFor calendar year 2025\nName: Harbor Lane Bakery LLC\n6 Total income (loss). Add lines 3 through 5   6   1,016,815\n',
      filled: [['legal_form', 'S corporation']],
    },
  ],
  [
    'euros and cents in boxes of their own',
    {
      text: 'Anlage EÜR   2025\nfür das Kalenderjahr 2025\nFirma: Harbor Lane Bakery\n                                              EUR      Ct\n22   Summe Betriebseinnahmen           159   198.412  37\n90   Steuerpflichtiger Gewinn/Verlust   219    71.806  14\n',
      country: 'DE',
      filled: [
        ['annual_revenue', 'EUR 198412.37'],
        ['annual_profit', 'EUR 71806.14'],
      ],
    },
  ],
  [
    'columns called by their months, with a dash between them',
    {
      text: 'Harbor Lane Bakery LLC\nProfit and Loss\nUSD   Budget 2026   Jan – Sep 2026 (YTD)   Jan – Dec 2025   Jan – Dec 2024\nTotal revenue   1,430,000.00   1,051,988.45   1,204,883.16   1,119,242.52\nNet income after income tax   111,000.00   93,458.58   64,866.54   49,434.44\n',
      filled: [
        ['annual_revenue', 'USD 1204883.16'],
        ['annual_profit', 'USD 64866.54'],
      ],
    },
  ],
  [
    'shares that are issued beside those that are fully diluted',
    {
      text: 'Harbor Lane Bakery LLC\nCap table\nHolder   Shares   % of issued and outstanding   % fully diluted\nAnn Lee   4500000   60%   45%\nBob Carter   3000000   40%   30%\n',
      filled: [...ownerFilled('Ann', 'Lee', '60'), ...ownerFilled('Bob', 'Carter', '40')],
    },
  ],
  [
    'the number of an extract, and not those of a director and an auditor with the same captions',
    {
      text: 'Extrait Kbis\nRegistre du commerce et des sociétés\nImmatriculation au RCS, numéro   842 317 604 R.C.S. Nantes\nDénomination ou raison sociale   HARBOR LANE BAKERY\nDirecteur général\nDénomination   PENFRET GESTION\nImmatriculation au RCS, numéro   817 405 525 R.C.S. Nantes\n',
      country: 'FR',
      filled: [['registration_number', '842 317 604']],
    },
  ],
  [
    'the register of Florida: number, tax number and the day of filing, but no event',
    {
      text: 'Florida Department of State\nDivision of Corporations\nDetail by Entity Name\nFlorida Limited Liability Company\nHARBOR LANE BAKERY, LLC\nFiling Information\nDocument Number   L14000187342\nFEI/EIN Number   47-1836205\nDate Filed   12/03/2014\nEvent Date Filed   04/18/2022\n',
      filled: [
        ['tax_id', '47-1836205'],
        ['registration_number', 'L14000187342'],
        ['founded_on', '2014-12-03'],
      ],
    },
  ],
  [
    'the street of Belgian accounts with its number in a field of its own',
    {
      text: 'COMPTES ANNUELS\nDénomination: Harbor Lane Bakery\nAdresse: Rue de la Houblonnière   N°: 33   Boîte:\n\nCode postal: 5340   Commune: Gesves\n',
      country: 'BE',
      filled: [['registered_address', 'Rue de la Houblonnière 33, 5340 Gesves']],
    },
  ],
  [
    'a day is no phone number',
    {
      text: 'Company name: Harbor Lane Bakery LLC\nPhone: 05.05.2014\n',
      country: 'AT',
      filled: [],
    },
  ],
  [
    'the name a register knows first, where the record has another of its names',
    {
      text: "Registraire des entreprises\nNuméro d'entreprise du Québec (NEQ)   1170483926\nNom   LEE CULTURES INC.\nForme juridique   Société par actions\n\nActionnaires\nNom   9402-7718 QUÉBEC INC.\n\nIndex des noms\nAutre nom   LES SERRES DU FLEUVE\n",
      country: 'CA',
      name: 'Serres du Fleuve',
      filled: [
        ['registration_number', '1170483926'],
        ['trading_name', 'LES SERRES DU FLEUVE'],
      ],
    },
  ],
  [
    'the legal name beside the name of an account',
    {
      text: [
        ['Account Name', 'Legal Name', 'Entity Type', 'EIN', 'Business Phone', 'Employees'],
        ['Larkin Yoga', 'Larkin Wellness LLC', 'LLC', '87-3350912', '(303) 555-0169', '5'],
        ['Harbor Bakery', 'Harbor Lane Bakery LLC', 'LLC', '84-5521907', '(303) 555-0126', '14'],
      ]
        .map((row) => row.map((cell) => cell.padEnd(28)).join(''))
        .join('\n'),
      name: 'Harbor Bakery',
      filled: [
        ['tax_id', '84-5521907'],
        ['phone', '(303) 555-0126'],
        ['employee_count', '14'],
      ],
    },
  ],
])('%s', (_, { text, country = 'US', name = 'Harbor Lane Bakery', filled }) => {
  const found = filledIn(text, country, name)
  expect(found).toEqual(expect.arrayContaining(filled))
  const asked = new Set(filled.map(([fact]) => fact))
  expect(found.filter(([fact = '']) => asked.has(fact))).toHaveLength(filled.length)
})

const florida = (title: string, rest: string) =>
  `Florida Department of State\nDivision of Corporations\n${title}\n${rest}Document Number   L14000187342\nDate Filed   03/04/2025\n`

/** Texts that a reviewer wrote to mislead these rules: what must not be filled. */
test.each<[string, string, FilledCase]>([
  [
    'an annual report is filed every year',
    'founded_on',
    { text: florida('2025 Annual Report', 'Entity Name: HARBOR LANE BAKERY, LLC\n'), filled: [] },
  ],
  [
    'articles of amendment',
    'founded_on',
    { text: florida('Articles of Amendment', 'HARBOR LANE BAKERY, LLC\n'), filled: [] },
  ],
  [
    'a foreign company was only admitted',
    'founded_on',
    { text: florida('Detail by Entity Name\nForeign Profit Corporation', 'HARBOR LANE BAKERY, INC.\n'), filled: [] },
  ],
  [
    'a company that came of another',
    'founded_on',
    {
      text: florida(
        'Detail by Entity Name\nFlorida Limited Liability Company',
        'HARBOR LANE BAKERY, LLC\nLast Event   CONVERSION\n',
      ),
      filled: [],
    },
  ],
  [
    'the number of a payment',
    'registration_number',
    {
      text: 'Division of Corporations\nPayment receipt\nCustomer: Harbor Lane Bakery LLC\nDocument Number   900441122\n',
      filled: [],
    },
  ],
  [
    'a form that is attached to a return',
    'annual_revenue',
    {
      text: 'Form 1125-A   Cost of Goods Sold\nAttach to Form 1120, 1120-S, 1065\nName: Harbor Lane Bakery LLC   2025\nTotal inventory   1c   60,000\n',
      filled: [],
    },
  ],
  [
    'fees for a return',
    'annual_revenue',
    {
      text: 'Harbor Lane Bakery LLC\nEngagement letter, Form 1120-S, tax year ended December 31, 2025\nPreparation   1a   2,400\nPayroll filings   1c   1,200\n',
      filled: [],
    },
  ],
  [
    'the whole of a class of shares',
    'ownership_percent',
    {
      text: 'Harbor Lane Bakery LLC\nCap table\nHolder                        % of Series A                 % fully diluted\nAnn Lee                       100%                          60%\nBob Carter                    0%                            40%\n',
      filled: [
        ['ownership_percent', '60'],
        ['ownership_percent', '40'],
      ],
    },
  ],
  [
    'interest on what owners have lent',
    'ownership_percent',
    {
      text: 'Harbor Lane Bakery LLC\nCap table\nStockholder                   Interest rate %               Fully diluted %\nAnn Lee                       8%                            60%\nBob Carter                    8%                            40%\n',
      filled: [
        ['ownership_percent', '60'],
        ['ownership_percent', '40'],
      ],
    },
  ],
  [
    'shares of common and of preferred stock',
    'ownership_percent',
    {
      text: 'Harbor Lane Bakery LLC\nCap table\nStockholder             % of Common         % of Preferred      % Fully Diluted\nAnn Lee                 60%                 0%                  45%\nBob Carter              40%                 100%                55%\n',
      filled: [
        ['ownership_percent', '45'],
        ['ownership_percent', '55'],
      ],
    },
  ],
  [
    'a percentage beside whole euros',
    'annual_revenue',
    {
      text: 'Kennzahlen 2025\nHarbor Lane Bakery\n€ Cent\nUmsatzerlöse                       412.000           98\n',
      country: 'DE',
      filled: [['annual_revenue', 'EUR 412000.00']],
    },
  ],
  [
    'a number that looks like a day',
    'phone',
    {
      text: 'Company name: Harbor Lane Bakery LLC\nPhone: +45 20-10-2014\n',
      country: 'DK',
      filled: [['phone', '+45 20-10-2014']],
    },
  ],
])('misled by %s: %s', (_, fact, { text, country = 'US', name = 'Harbor Lane Bakery', filled }) => {
  expect(filledIn(text, country, name).filter(([found]) => found === fact)).toEqual(filled)
})

test.each([
  [
    'the legal name that a broker’s table has beside the name of an account',
    'Account Name                Legal Name                  Entity Type   EIN           Employees\nHarbor Bakery               Harbor Lane Bakery LLC      LLC           84-5521907    14\n',
    'Harbor Lane Bakery LLC',
  ],
  [
    'the legal name in a sentence, and not the one in the signature',
    'Hi Theo,\nLegal name is Harbor Artisan Bakery LLC. It is a Texas company.\nThanks\nHarbor Bakery Co.\n',
    'Harbor Artisan Bakery LLC',
  ],
  [
    'the name in the title of a profile',
    'BUSINESS PROFILE (COMPANY) OF HARBOR BAKERY PTE. LTD.\nCompany Name:   HARBOR BAKERY PTE. LTD.\nCompany Type:   PRIVATE COMPANY LIMITED BY SHARES\n',
    'HARBOR BAKERY PTE. LTD.',
  ],
])('%s', (_, text, name) => {
  const sure = factsIn(text, 'US', 'Harbor Bakery').filter(({ confidence }) => confidence >= 0.85)
  expect(sure.filter(({ fact }) => fact === 'business.legal_name').map((one) => one.text)).toEqual([name])
})
