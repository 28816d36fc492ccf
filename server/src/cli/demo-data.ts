// Made-up businesses that look like real ones: different countries, sizes, owners, a duplicate, an archived one.
import type { NewLeadSource } from '../areas/businesses/commands.ts'
import type { BusinessInput } from '../areas/businesses/schema.ts'
import { resolveDay } from '../building-blocks/contracts/relative-days.ts'

export const demoPortalName = 'Harbour Funding (demo)'

export const demoLeadSources: readonly NewLeadSource[] = [
  { name: 'Website', kind: 'website', requires_detail: false },
  { name: 'Partner accountants', kind: 'referral_partner', requires_detail: true },
  { name: 'Small business fair', kind: 'event', requires_detail: false },
  { name: 'Spring campaign', kind: 'campaign', requires_detail: false },
  { name: 'CRM import', kind: 'import', requires_detail: false },
]

type Sketch = [
  name: string,
  country: string,
  region: string | null,
  form: BusinessInput['legal_form'],
  naics: string,
  /** A date, or one that is told from the day of the demo, where the age matters. */
  founded: string,
  staff: number,
  /** None before the first sale. */
  revenue: string | null,
  owner: string,
  address?: [line1: string, city: string, postal_code: string],
]

const sketches: readonly Sketch[] = [
  [
    'Lee Bakery LLC',
    'US',
    'US-CA',
    'llc',
    '311811',
    '2016-03-01',
    12,
    '1250000.50',
    'Ann Lee',
    ['2210 Sycamore Avenue', 'Fresno', '93721'],
  ],
  [
    'Northwind Machining Inc.',
    'US',
    'US-OH',
    'corporation',
    '332710',
    '2008-06-15',
    48,
    '9400000.00',
    'Paul Novak',
    ['410 Foundry Road', 'Canton', '44702'],
  ],
  [
    'Blue Heron Landscaping LLC',
    'US',
    'US-OR',
    'llc',
    '561730',
    '2019-02-20',
    9,
    '610000.00',
    'Maria Santos',
    ['64 Fern Hollow Road', 'Salem', '97301'],
  ],
  [
    'Castle Street Dental PC',
    'US',
    'US-MA',
    's_corp',
    '621210',
    '2012-09-10',
    15,
    '2300000.00',
    'Priya Raman',
    ['9 Castle Street', 'Worcester', '01608'],
  ],
  [
    'Prairie Sun Solar LLC',
    'US',
    'US-TX',
    'llc',
    '238210',
    '2020-05-04',
    31,
    '5200000.00',
    'Dwayne Carter',
    ['3100 Windmill Drive', 'Lubbock', '79401'],
  ],
  [
    'Maple & Pine Furniture Co.',
    'US',
    'US-NC',
    'corporation',
    '337122',
    '2003-11-01',
    27,
    '3900000.00',
    'Ruth Abrams',
    ['815 Mill Race Lane', 'Hickory', '28601'],
  ],
  [
    'Coastal Cold Storage Inc.',
    'US',
    'US-WA',
    'corporation',
    '493120',
    '2011-01-17',
    52,
    '11200000.00',
    'Kenji Mori',
    ['1400 Pier View Road', 'Tacoma', '98421'],
  ],
  [
    'Riverbend Childcare',
    'US',
    'US-MN',
    'nonprofit',
    '624410',
    '2014-08-25',
    22,
    '980000.00',
    'Ellen Fischer',
    ['77 Riverbend Road', 'Duluth', '55802'],
  ],
  [
    'Two Rivers Trucking LLC',
    'US',
    'US-TN',
    'llc',
    '484121',
    '2017-04-12',
    19,
    '4100000.00',
    'Marcus Hill',
    ['520 Freight Street', 'Memphis', '38103'],
  ],
  [
    'Juniper Software Inc.',
    'US',
    'US-CO',
    'corporation',
    '541511',
    '2021-10-05',
    14,
    '1750000.00',
    'Sofia Petrova',
    ['1200 Larkspur Street', 'Boulder', '80302'],
  ],
  [
    'Harvest Table Restaurant LLC',
    'US',
    'US-NY',
    'llc',
    '722511',
    '2018-07-30',
    26,
    '2050000.00',
    'Antonio Russo',
    ['33 Orchard Place', 'Albany', '12207'],
  ],
  ['Granite State Plumbing', 'US', 'US-NH', 'sole_proprietor', '238220', '2015-05-11', 4, '430000.00', 'Tom Bailey'],
  [
    'Lakeside Veterinary Clinic LLC',
    'US',
    'US-WI',
    'llc',
    '541940',
    '2010-03-22',
    18,
    '1900000.00',
    'Hannah Berg',
    ['410 Lakeside Drive', 'Madison', '53703'],
  ],
  [
    'Desert Bloom Cosmetics Inc.',
    'US',
    'US-AZ',
    'corporation',
    '325620',
    '2022-02-14',
    7,
    '520000.00',
    'Layla Haddad',
    ['2600 Mesquite Way', 'Tucson', '85701'],
  ],
  [
    'Ironwood Fitness LLC',
    'US',
    'US-FL',
    'llc',
    '713940',
    '2019-12-02',
    11,
    '740000.00',
    'Jorge Diaz',
    ['905 Palmetto Street', 'Orlando', '32801'],
  ],
  [
    'Thames Print Works Ltd',
    'GB',
    'GB-LND',
    'limited_company',
    '323111',
    '2009-04-06',
    16,
    '1480000.00',
    'Oliver Grant',
  ],
  ['Pennine Bikes Ltd', 'GB', 'GB-LDS', 'limited_company', '459110', '2017-09-01', 8, '690000.00', 'Amelia Ward'],
  ['Clyde Marine Services LLP', 'GB', 'GB-GLG', 'llp', '488390', '2006-10-19', 34, '5600000.00', 'Fiona Mackay'],
  ['Severn Valley Dairy', 'GB', 'GB-SHR', 'cooperative', '112120', '1998-01-05', 61, '8700000.00', 'Gareth Price'],
  ['Maison Duval SAS', 'FR', 'FR-IDF', 'limited_company', '311813', '2013-06-03', 21, '2650000.00', 'Claire Duval'],
  [
    'Bergmann Feinmechanik GmbH',
    'DE',
    'DE-BW',
    'limited_company',
    '332721',
    '1994-02-28',
    73,
    '12800000.00',
    'Jürgen Bergmann',
  ],
  [
    'Nordlicht Energieberatung GmbH',
    'DE',
    'DE-HH',
    'limited_company',
    '541690',
    '2020-11-16',
    6,
    '560000.00',
    'Svenja Petersen',
  ],
  [
    'Cedar Lane Builders Ltd.',
    'CA',
    'CA-ON',
    'limited_company',
    '236115',
    '2015-03-30',
    24,
    '4700000.00',
    'David Chen',
  ],
  ['Fundy Shellfish Co-op', 'CA', 'CA-NS', 'cooperative', '114112', '2004-05-21', 40, '6100000.00', 'Marie Leblanc'],
  ['Lee Bakery, L.L.C.', 'US', 'US-CA', 'llc', '311811', '2016-03-01', 12, '1250000.50', 'Ann Lee'],
  [
    'Marigold Lane Bakery LLC',
    'US',
    'US-OR',
    'llc',
    '311811',
    'today-22 months',
    6,
    '228000.00',
    'Nora Whitfield',
    ['18 Marigold Lane', 'Portland', '97214'],
  ],
  [
    'Tidewater Sensing Inc.',
    'US',
    'US-MA',
    'corporation',
    '334519',
    'today-7 months',
    4,
    null,
    'Imani Okafor',
    ['75 Quay Street', 'New Bedford', '02740'],
  ],
  ['Old Mill Candles', 'US', 'US-VT', 'sole_proprietor', '339999', '2007-10-10', 2, '84000.00', 'Grace Miller'],
]

const currencies: Record<string, string> = { US: 'USD', GB: 'GBP', FR: 'EUR', DE: 'EUR', CA: 'CAD' }

/** The beginning of numbers that are kept free for stories. */
const phones: Record<string, string> = {
  US: '+120255501',
  GB: '+4420794609',
  FR: '+3319900100',
  DE: '+493023125',
  CA: '+161355501',
}

/** Those with a deal that has run out of time. */
const longKnown: ReadonlySet<string> = new Set(['Desert Bloom Cosmetics Inc.', 'Ironwood Fitness LLC'])

export function demoBusinesses(
  leadSourceIds: readonly string[],
  today: string,
): (BusinessInput & { archived: boolean; known_for_days: number })[] {
  return sketches.map(
    ([legal_name, country, region, legal_form, naics, founded, employee_count, revenue, owner, address], index) => {
      // The same business twice has the same numbers.
      const number = legal_name === 'Lee Bakery, L.L.C.' ? 0 : index
      const [first_name = '', last_name = ''] = owner.split(' ')
      const domain = `${legal_name
        .toLowerCase()
        .normalize('NFKD')
        .replace(/[^a-z]+/g, '-')
        .replace(/^-|-$/g, '')}.example.com`
      return {
        legal_name,
        country,
        region,
        legal_form,
        lead_source_id: leadSourceIds[index % leadSourceIds.length] ?? '',
        lead_source_detail:
          index % leadSourceIds.length === 1
            ? { referrer_name: 'Baker & Young', referral_code: `BY-${100 + index}` }
            : null,
        industry: { system: 'naics_2022', code: naics },
        founded_on: resolveDay(founded, today) ?? founded,
        employee_count,
        annual_revenue: revenue === null ? null : { amount: revenue, currency: currencies[country] ?? 'USD' },
        website: `https://${domain}`,
        email: `office@${domain}`,
        phone: `${phones[country]}${String(100 + number).slice(1)}`,
        registration_number: `${country}${String(7_000_000 + number * 13_577)}`,
        tax_id: `${10 + number}-${String(3_456_789 + number * 91)}`,
        ...(address && {
          addresses: [
            { kind: 'registered', line1: address[0], city: address[1], region, postal_code: address[2], country },
          ],
        }),
        owners: [{ first_name, last_name, role: 'Owner', ownership_percent: index % 3 === 0 ? 100 : 60 }],
        consents: [{ kind: 'data_processing', granted: true, text_version: '2026-01' }],
        tags: employee_count > 30 ? ['established'] : ['growing'],
        external_reference: `demo-${String(index + 1).padStart(3, '0')}`,
        archived: legal_name === 'Old Mill Candles',
        known_for_days: longKnown.has(legal_name) ? 120 : 29,
      }
    },
  )
}
