// Scales, lists of owners, small print and numbers of boxes that are about somebody or something else. Each has misled a rule
// once.
import { expect, test } from 'vitest'
import { filledIn } from '../../../../../test/documents/facts-in-text.ts'

const figures = [
  ['annual_revenue', '1284310.00'],
  ['annual_profit', '184220.00'],
]
const rand = [
  ['annual_revenue', '61384220.00'],
  ['annual_profit', '4286100.00'],
]

test.each<[string, string, string, string, string[][]]>([
  [
    'loaves are counted in thousands, money is not',
    'GB',
    'Lee Bakery Ltd',
    "Lee Bakery Ltd\nKey figures 2025\nLoaves baked ('000)   2,410\nTurnover   1,284,310\nNet profit   184,220\n",
    figures,
  ],
  [
    'so are visitors, below the figures',
    'GB',
    'Lee Bakery Ltd',
    "Lee Bakery Ltd\nAnnual review 2025\nTurnover: 1,284,310\nNet profit: 184,220\nChart 1: visitors to our website ('000)\n",
    figures,
  ],
  [
    'a plan in thousands says nothing of the figures above it',
    'ZA',
    'Lee Bakery (Pty) Ltd',
    "Lee Bakery (Pty) Ltd\nManagement accounts for the year ended 28 February 2026\nRevenue   61 384 220\nProfit after tax   4 286 100\nBudget for next year (R'000)\nBread   41 000\n",
    rand,
  ],
  [
    'the manager of a bank',
    'GB',
    'Lee Bakery Ltd',
    'Lee Bakery Ltd\nFacility letter\nBank manager: Tom Ray\nPhone: 0113 496 0000\nEmail: tom.ray@northbank.co.uk\n',
    [],
  ],
  [
    'the home of a shareholder',
    'DE',
    'Homburg Prüftechnik GmbH',
    'Homburg Prüftechnik GmbH\nGesellschafter: Dirk Homburg\nSteuernummer: 026 235 12345\nAnschrift: Gartenweg 3, 34117 Kassel\n',
    [
      ['first_name', 'Dirk'],
      ['last_name', 'Homburg'],
    ],
  ],
  [
    'the register of a general partner',
    'DE',
    'Homburg Prüftechnik GmbH',
    'Homburg Prüftechnik GmbH\nvertreten durch die Komplementärin Homburg Verwaltungs-GmbH\nGeschäftsführer: Dirk Homburg\nAmtsgericht Kassel, HRB 17284\n',
    [],
  ],
  [
    'a company that another was merged with',
    'DE',
    'Homburg Prüftechnik GmbH',
    'Homburg Prüftechnik GmbH\nverschmolzen mit Best Boats (Amtsgericht Oldenburg HRB 204419)\n',
    [],
  ],
  [
    'the code of a town is no box',
    'DE',
    'Homburg Prüftechnik GmbH',
    'Homburg Prüftechnik GmbH\nSteuernummer   026   235 12345\n',
    [],
  ],
  [
    'where the books are kept',
    'CA',
    'Prairie Fibre Networks',
    "T2 Corporation Income Tax Return\nCorporation's name   002   Prairie Fibre Networks Inc.\nLocation of books and records\nStreet   031   12 Old Road\nCity   035   Regina   Province 036   SK   Postal code 038   S4P 0B9\n",
    [['legal_form', 'Corporation']],
  ],
  [
    'a caption of two letters is no state',
    'US',
    'Lee Bakery LLC',
    'Lee Bakery LLC\nBusiness address   City   ST   ZIP\n12 Old Road   Boulder   CO   80301\n',
    [['registered_address', '12 Old Road, Boulder, 80301']],
  ],
  [
    'the owners of a parent',
    'DE',
    'Homburg Prüftechnik GmbH',
    'Homburg Prüftechnik GmbH\nMuttergesellschaft: Homburg Holding AG\nBedeutende Aktionäre\nDirk Homburg, Kassel   60 %\nPetra Homburg, Kassel   40 %\n',
    [],
  ],
  [
    'commissions, in the part behind that about owners',
    'DE',
    'Homburg Prüftechnik GmbH',
    'Homburg Prüftechnik GmbH\n1. Gesellschafter\nsiehe Liste beim Handelsregister\n2. Provisionen der Vertreter\nDirk Homburg   6 %\nPetra Brandt   4 %\n',
    [],
  ],
  [
    'partners in research',
    'GB',
    'Lee Bakery Ltd',
    'Lee Bakery Ltd\nResearch project: smart ovens\n2. Partners\nAnn Berg   60 %\nTom Ray   40 %\n',
    [],
  ],
  [
    'the interest on loans of shareholders',
    'CH',
    'Seetal Holzbau AG',
    'Seetal Holzbau AG\n2. Wesentliche Gesellschafter\nRegula Amrein, Darlehen 120,000, 5,5 %\nStefan Amrein, Zins 2,25 %\n',
    [],
  ],
  [
    'shares that a person and a company hold together',
    'NZ',
    'Tasman Hop Growers Ltd',
    'Company Extract\nTASMAN HOP GROWERS LIMITED\nAllocation 1: 600 shares (60.00%)\nKERSHAW, Lynette Joy\n212 Moutere Highway, 7173, NZ\nMOUTERE TRUSTEES LIMITED\nLevel 1, 105 Trafalgar Street, Nelson\n',
    [],
  ],
  [
    'a place below an allocation is nobody',
    'NZ',
    'Tasman Hop Growers Ltd',
    'Company Extract\nTASMAN HOP GROWERS LIMITED\nAllocation 1: 1,000 shares (100.00%)\nKershaw, L J & Bruce, A\nUpper Moutere\n',
    [],
  ],
  [
    'the allocations of another company',
    'NZ',
    'Tasman Hop Growers Ltd',
    'Company Extract\nTASMAN HOP GROWERS LIMITED\n\nShareholders of Moutere Holdings Limited\nAllocation 1: 600 shares (60.00%)\nKERSHAW, Lynette Joy\n',
    [],
  ],
  [
    'an estimate of the year',
    'MX',
    'Las Lomas',
    'Las Lomas S.A. de C.V.\nEjercicio 2025\nEstimado anual:\nVentas netas: 5,284,306\nUtilidad neta: 412,000\n',
    [],
  ],
  [
    'a forecast of sales to customers',
    'GB',
    'Lee Bakery Ltd',
    'Lee Bakery Ltd\nYear 2025\nCustomer sales forecast:\nTurnover: £1,284,310\nNet profit: £184,220\n',
    [],
  ],
  [
    'months as numbers are no accounts',
    'US',
    'Lee Bakery LLC',
    'Lee Bakery LLC\nProfit & Loss 2025\n                8-2025   9-2025   10-2025\nTotal revenue   41,000   42,000   43,000\nNet income      3,000    4,000    5,000\n',
    [],
  ],
  [
    'a spouse in the line of an owner',
    'US',
    'Lee Bakery LLC',
    'Lee Bakery LLC\nOwner: Ann Lee Spouse name: Tom Ray Share: 50%\n',
    [],
  ],
  [
    'what the business itself has received as a partner',
    'US',
    'Lee Bakery LLC',
    "Lee Bakery LLC\nReturn of Partnership Income\nSchedule K-1 (Form 1065) 2025\nB Partnership's name, address   OAK FUND LP\nF Name, address, city, state, and ZIP code for partner   TOM RAY\nentered in E   77 OXBOW LANE\nProfit   10.0000 %   12.0000 %\n",
    [['legal_form', 'Partnership']],
  ],
  [
    'employees of one state',
    'US',
    'Quillstack Robotics',
    'Quillstack Robotics, Inc.\nYear 2025\nNevada employees   12\nDelaware net income   33,000\n',
    [],
  ],
  ['more than is said', 'GB', 'Lee Bakery Ltd', 'Lee Bakery Ltd\nYear 2025\nTurnover £1,250,000.00+\n', []],
  [
    'the day on which somebody began to act',
    'BE',
    'Menuiserie Hannecart SRL',
    'SPF Economie | Banque-Carrefour des Entreprises\nDénomination :   Menuiserie Hannecart\nActivités TVA\nDate de début :   12 février 2021\n',
    [],
  ],
  [
    'titles behind a name',
    'GB',
    'Lee Bakery Ltd',
    'Lee Bakery Ltd\nShareholders\nAnn Lee Mrs   60 %\n',
    [
      ['first_name', 'Ann'],
      ['last_name', 'Lee'],
      ['ownership_percent', '60'],
    ],
  ],
])('%s', (_name, country, record, text, expected) => {
  expect(filledIn(text, country, record)).toEqual(expected)
})
