// Deals that a broker sends to the demo Portal: the work of a recipient, with the notes that only it sees.
import { inReview, type Step, type Story, submitted } from './story.ts'

type Sketch = [
  business: string,
  title: string,
  amount: string,
  use: string,
  created: number,
  assignee: string,
  steps: Step[],
]

const offer = (at: number, amount: string, rate: number): Step => ({
  at,
  do: 'offer',
  offer: {
    kind: 'final',
    amount,
    term_months: 36,
    rate,
    fee_percent: 1,
    conditions: ['Signed agreement'],
    valid_days: 30,
  },
})

/** Most are waiting for the demo Portal, which may be whoever reads the reference. */
const sketches: readonly Sketch[] = [
  ['Alder Creek Sawmill LLC', 'Band saw', '60000.00', 'equipment', 6, 'Maya Chen', submitted(5)],
  ['Bright Fork Catering LLC', 'Kitchen van', '48000.00', 'vehicles', 5, 'Maya Chen', submitted(4)],
  ['Canyon Road Auto Repair', 'Two lifts', '32000.00', 'equipment', 4, 'Oscar Bell', submitted(3)],
  ['Dovetail Cabinet Works Inc.', 'Edge bander', '55000.00', 'equipment', 14, 'Maya Chen', inReview(12, 'HF-2026-031')],
  [
    'Evergreen Physical Therapy PC',
    'Second room',
    '40000.00',
    'renovation',
    27,
    'Oscar Bell',
    [
      ...inReview(26, 'HF-2026-018'),
      {
        at: 22,
        do: 'offer',
        offer: { kind: 'indicative', amount: '30000.00', term_months: 36, rate: 10.1, valid_days: 7 },
      },
      { at: 14, do: 'expire_offer' },
    ],
  ],
  ['Foxglove Garden Centre LLC', 'Greenhouse', '75000.00', 'expansion', 12, 'Oscar Bell', inReview(10, 'HF-2026-033')],
  ['Gull Island Charters LLC', 'New engine', '38000.00', 'equipment', 11, 'Maya Chen', inReview(9, 'HF-2026-034')],
  [
    'Highline Roofing Inc.',
    'Crane truck',
    '98000.00',
    'vehicles',
    10,
    'Oscar Bell',
    [
      ...inReview(8, 'HF-2026-035'),
      offer(5, '98000.00', 9.2),
      { at: 4, do: 'withdraw_offer', note: 'We will look at the price of the truck again.' },
    ],
  ],
  ['Ivy & Oak Bookshop', 'Reading café', '22000.00', 'renovation', 9, 'Maya Chen', inReview(7, 'HF-2026-036')],
  [
    'Jasper Tool & Die LLC',
    'Grinding machine',
    '90000.00',
    'equipment',
    13,
    'Oscar Bell',
    [
      ...inReview(12, 'HF-2026-030'),
      {
        at: 4,
        do: 'ask',
        message: 'Please add the debts that were taken up this year.',
        keys: ['existing_debt', 'debt_detail'],
        due_in: 21,
      },
    ],
  ],
  [
    'Kestrel Courier Services LLC',
    'Five electric vans',
    '99000.00',
    'vehicles',
    12,
    'Maya Chen',
    [
      ...inReview(11, 'HF-2026-029'),
      { at: 5, do: 'return', message: 'Please correct the number of employees.', keys: ['employee_count'] },
    ],
  ],
  [
    'Long Meadow Creamery LLC',
    'Cheese vats',
    '75000.00',
    'equipment',
    15,
    'Maya Chen',
    [...inReview(14, 'HF-2026-027'), offer(5, '75000.00', 9.5)],
  ],
  [
    'Mirror Lake Print Shop',
    'Digital press',
    '64000.00',
    'equipment',
    14,
    'Oscar Bell',
    [
      ...inReview(13, 'HF-2026-028'),
      {
        at: 6,
        do: 'offer',
        offer: { kind: 'indicative', amount: '50000.00', term_months: 36, rate: 10.5, valid_days: 30 },
      },
    ],
  ],
  [
    'North Fork Brewing LLC',
    'Canning line',
    '75000.00',
    'equipment',
    18,
    'Maya Chen',
    [
      ...inReview(17, 'HF-2026-024'),
      offer(9, '75000.00', 9.5),
      { at: 7, do: 'accept_offer', note: 'Accepted by the owner.' },
    ],
  ],
  [
    'Orchard Hill Daycare LLC',
    'Fire doors',
    '30000.00',
    'renovation',
    17,
    'Oscar Bell',
    [...inReview(16, 'HF-2026-025'), offer(8, '30000.00', 9.9), { at: 6, do: 'accept_offer' }],
  ],
  [
    'Pinecone Outfitters Inc.',
    'Winter stock',
    '45000.00',
    'inventory',
    8,
    'Maya Chen',
    [{ at: 6, do: 'move', stage: 'site_visit', note: 'Visit the shop on Thursday.' }],
  ],
  ['Gull Island Charters LLC', 'Second boat', '95000.00', 'vehicles', 3, 'Oscar Bell', []],
  [
    'Highline Roofing Inc.',
    'Working capital',
    '60000.00',
    'working_capital',
    7,
    'Oscar Bell',
    [{ at: 3, do: 'hold', note: 'One loan at a time: after the crane truck.' }],
  ],
  [
    'Alder Creek Sawmill LLC',
    'Bridge for timber',
    '40000.00',
    'inventory',
    25,
    'Maya Chen',
    [
      ...inReview(24, 'HF-2026-019'),
      offer(20, '40000.00', 10.2),
      { at: 18, do: 'accept_offer', note: 'Thank you for the quick decision.' },
      { at: 15, do: 'fund', amount: '40000.00', note: 'Paid out.' },
    ],
  ],
  [
    'Pinecone Outfitters Inc.',
    'Online shop',
    '30000.00',
    'expansion',
    24,
    'Oscar Bell',
    [
      ...inReview(23, 'HF-2026-020'),
      { at: 16, do: 'decline', reasons: ['cash_flow', 'aggregate_exposure'], note: 'Too many loans for this revenue.' },
    ],
  ],
  [
    'Bright Fork Catering LLC',
    'Event tents',
    '26000.00',
    'equipment',
    23,
    'Oscar Bell',
    [...inReview(22, 'HF-2026-021'), offer(17, '20000.00', 11.4), { at: 14, do: 'decline_offer', note: 'Too little.' }],
  ],
  [
    'Dovetail Cabinet Works Inc.',
    'Dust extraction',
    '28000.00',
    'equipment',
    22,
    'Maya Chen',
    [...submitted(21), { at: 19, do: 'withdraw_application', note: 'Paid from savings.' }],
  ],
  [
    'Canyon Road Auto Repair',
    'Wheel balancer',
    '18000.00',
    'equipment',
    21,
    'Oscar Bell',
    [...submitted(20), { at: 18, do: 'cancel_application', note: 'Sent twice.' }],
  ],
  [
    'Foxglove Garden Centre LLC',
    'Delivery van',
    '35000.00',
    'vehicles',
    28,
    'Maya Chen',
    [
      ...inReview(27, 'HF-2026-017'),
      { at: 23, do: 'ask', message: 'Which van, and at what price?', keys: ['purpose_detail'], due_in: 7 },
      { at: 14, do: 'expire' },
    ],
  ],
]

export const received: readonly Story[] = sketches.map(
  ([business, title, amount, use, created, assignee, steps]): Story => ({
    business,
    title,
    amount,
    use,
    purpose: `${title}: the business has grown, and the old one is not enough any more.`,
    created,
    assignee,
    steps,
  }),
)

/** Deals that the demo Portal works on for its own businesses. */
export const own: readonly Story[] = (
  [
    ['Lee Bakery LLC', 'Bridge until the bank pays', '20000.00', 2, []],
    [
      'Riverbend Childcare',
      'Bridge for the playground',
      '15000.00',
      9,
      [{ at: 7, do: 'move', stage: 'site_visit', note: 'Ellen Fischer shows us the place on Tuesday.' }],
    ],
    [
      'Juniper Software Inc.',
      'Bridge until the round closes',
      '60000.00',
      18,
      [
        { at: 16, do: 'move', stage: 'qualifying', note: 'Called Sofia Petrova; the investors have signed.' },
        { at: 12, do: 'move', stage: 'closing', note: 'Contract is with the notary.' },
      ],
    ],
    [
      'Coastal Cold Storage Inc.',
      'Bridge for the deposit',
      '50000.00',
      20,
      [
        { at: 18, do: 'move', stage: 'closing', note: 'A short loan until the bank pays out.' },
        { at: 16, do: 'win', note: 'Paid out; repaid when the bank pays.' },
      ],
    ],
    [
      'Harvest Table Restaurant LLC',
      'Bridge for the deposit of the building',
      '40000.00',
      11,
      [{ at: 8, do: 'hold', note: 'Depends on the valuation.' }],
    ],
    [
      'Granite State Plumbing',
      'Working capital',
      '10000.00',
      22,
      [{ at: 17, do: 'lose', reason: 'client_no_longer_needs_funding', note: 'A large invoice was paid.' }],
    ],
  ] as const satisfies readonly (readonly [string, string, string, number, readonly Step[]])[]
).map(
  ([business, title, amount, created, steps]): Story => ({
    business,
    title,
    amount,
    use: 'working_capital',
    purpose: title,
    created,
    steps: [...steps],
  }),
)
