// Deals of the demo Portal that have no application yet, and those that have ended.
import { inReview, type Story, submitted } from './story.ts'

const saltmarsh = 'Saltmarsh Community Bank'
const brackenfold = 'Brackenfold Equipment Finance'
const lanternlight = 'Lanternlight Microfund'
const coppervale = 'Coppervale Foundation'

type Early = [
  business: string,
  recipient: string,
  title: string,
  amount: string,
  use: string,
  created: number,
  note: string,
]

const early: readonly Early[] = [
  ['Blue Heron Landscaping LLC', saltmarsh, 'Yard and storage shed', '65000.00', 'real_estate', 11, 'Fits our region.'],
  ['Coastal Cold Storage Inc.', brackenfold, 'Forklifts', '120000.00', 'vehicles', 10, 'Please send the application.'],
  [
    'Granite State Plumbing',
    saltmarsh,
    'Working capital',
    '25000.00',
    'working_capital',
    9,
    'A small line is possible.',
  ],
  ['Northwind Machining Inc.', saltmarsh, 'Line for materials', '200000.00', 'inventory', 8, 'We know the company.'],
  [
    'Castle Street Dental PC',
    coppervale,
    'Free clinic days',
    '30000.00',
    'expansion',
    7,
    'A good cause; please apply.',
  ],
  ['Lee Bakery LLC', lanternlight, 'Delivery bicycles', '12000.00', 'vehicles', 6, 'An adviser will call the owner.'],
  [
    'Prairie Sun Solar LLC',
    coppervale,
    'Training for installers',
    '40000.00',
    'hiring',
    5,
    'Inside this year’s subject.',
  ],
]

export const earlySent: readonly Story[] = [
  ...early.map(
    ([business, recipient, title, amount, use, created, note]): Story => ({
      business,
      recipient,
      title,
      amount,
      use,
      purpose: title,
      created,
      closes_in: 40,
      steps: [{ at: created - 2, do: 'move', stage: 'qualifying', note }],
    }),
  ),
  {
    business: 'Harvest Table Restaurant LLC',
    recipient: saltmarsh,
    title: 'Purchase of the building',
    amount: '480000.00',
    use: 'real_estate',
    purpose: 'The landlord offers the building for sale.',
    created: 14,
    steps: [
      { at: 12, do: 'move', stage: 'qualifying', note: 'We need a valuation first.' },
      { at: 9, do: 'hold', note: 'Waiting for the valuation of the building.' },
    ],
  },
  {
    business: 'Castle Street Dental PC',
    recipient: brackenfold,
    title: 'Dental laboratory',
    amount: '70000.00',
    use: 'equipment',
    purpose: 'A milling unit for crowns.',
    created: 22,
    steps: [
      { at: 20, do: 'lose', reason: 'client_unresponsive', note: 'No answer for a month.' },
      { at: 6, do: 'reopen', note: 'The practice has called: the plan is back.' },
    ],
  },
]

export const endedSent: readonly Story[] = [
  {
    business: 'Blue Heron Landscaping LLC',
    recipient: lanternlight,
    title: 'Bridge until spring',
    amount: '15000.00',
    use: 'working_capital',
    purpose: 'Wages in the months without work.',
    created: 16,
    steps: [
      ...submitted(14),
      { at: 8, do: 'withdraw_application', note: 'The bank has raised the overdraft instead.' },
    ],
  },
  {
    business: 'Riverbend Childcare',
    recipient: lanternlight,
    title: 'Playground',
    amount: '25000.00',
    use: 'renovation',
    purpose: 'A new playground with shade.',
    created: 21,
    steps: [
      ...inReview(19, 'LL-3291'),
      {
        at: 11,
        do: 'decline',
        reasons: ['program_criteria', 'cash_flow'],
        note: 'We lend to businesses with an owner; a nonprofit should ask for a grant.',
      },
    ],
  },
  {
    business: 'Two Rivers Trucking LLC',
    recipient: brackenfold,
    title: 'Two trailers',
    amount: '95000.00',
    use: 'vehicles',
    purpose: 'Two refrigerated trailers.',
    created: 20,
    steps: [
      ...inReview(18, 'BEF-7760'),
      {
        at: 10,
        do: 'offer',
        offer: { kind: 'final', amount: '95000.00', term_months: 48, rate: 11.9, valid_days: 14 },
      },
      { at: 7, do: 'decline_offer', note: 'The dealer finances them for less.' },
    ],
  },
  {
    business: 'Juniper Software Inc.',
    recipient: saltmarsh,
    title: 'Office move',
    amount: '50000.00',
    use: 'expansion',
    purpose: 'Fitting out a larger office.',
    created: 19,
    steps: [
      ...submitted(17),
      { at: 13, do: 'cancel_application', note: 'Sent to the wrong branch. Please apply to the branch in Boulder.' },
    ],
  },
  {
    business: 'Juniper Software Inc.',
    recipient: coppervale,
    title: 'Accessibility grant',
    amount: '35000.00',
    use: 'research_and_development',
    purpose: 'Making the product usable without a mouse.',
    created: 12,
    steps: [{ at: 4, do: 'withdraw', note: 'The company pays for it itself.' }],
  },
  {
    business: 'Riverbend Childcare',
    recipient: coppervale,
    title: 'Grant for the playground',
    amount: '25000.00',
    use: 'renovation',
    purpose: 'A new playground with shade.',
    created: 10,
    steps: [{ at: 2, do: 'lose', reason: 'budget_exhausted', note: 'All money of this year is given away.' }],
  },
  {
    business: 'Desert Bloom Cosmetics Inc.',
    recipient: saltmarsh,
    title: 'Filling machine',
    amount: '45000.00',
    use: 'equipment',
    purpose: 'A filling machine for small series.',
    created: 103,
    steps: [
      { at: 102, do: 'apply', answered: 8 },
      { at: 11, do: 'expire' },
    ],
  },
  {
    business: 'Ironwood Fitness LLC',
    recipient: brackenfold,
    title: 'Rowing machines',
    amount: '28000.00',
    use: 'equipment',
    purpose: 'Twelve rowing machines.',
    created: 60,
    steps: [
      ...inReview(58, 'BEF-7702'),
      { at: 40, do: 'ask', message: 'Please send a quote of the supplier.', keys: ['quote', 'supplier'], due_in: 14 },
      { at: 24, do: 'expire' },
    ],
  },
]
