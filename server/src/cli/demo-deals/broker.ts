// A made-up broker that sends deals to the demo Portal, with businesses of its own.
import { createBusiness, createLeadSource } from '../../areas/businesses/commands.ts'
import type { BusinessRow } from '../../areas/businesses/queries.ts'
import type { BusinessInput } from '../../areas/businesses/schema.ts'
import { createPortal } from '../../building-blocks/portals/commands.ts'
import type { Caller, Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { daysAgo } from '../demo-time.ts'

const brokerName = 'Larkmoor Brokers (demo)'

type Sketch = [
  name: string,
  region: string,
  form: BusinessInput['legal_form'],
  naics: string,
  founded: string,
  staff: number,
  revenue: string,
  owner: string,
]

const sketches: readonly Sketch[] = [
  ['Alder Creek Sawmill LLC', 'US-OR', 'llc', '321113', '2009-05-18', 23, '3150000.00', 'Henrik Dahl'],
  ['Bright Fork Catering LLC', 'US-CA', 'llc', '722320', '2018-03-07', 14, '1120000.00', 'Rosa Medina'],
  ['Canyon Road Auto Repair', 'US-NV', 'sole_proprietor', '811111', '2013-09-02', 6, '640000.00', 'Walt Jensen'],
  ['Dovetail Cabinet Works Inc.', 'US-ID', 'corporation', '337110', '2011-11-14', 19, '2380000.00', 'Ines Varga'],
  ['Evergreen Physical Therapy PC', 'US-WA', 's_corp', '621340', '2016-01-25', 12, '1490000.00', 'Samuel Osei'],
  ['Foxglove Garden Centre LLC', 'US-OR', 'llc', '444240', '2014-04-10', 10, '980000.00', 'Beth Lindqvist'],
  ['Gull Island Charters LLC', 'US-WA', 'llc', '487210', '2017-06-21', 5, '455000.00', 'Noel Tran'],
  ['Highline Roofing Inc.', 'US-CO', 'corporation', '238160', '2012-08-30', 28, '4260000.00', 'Derek Malone'],
  ['Ivy & Oak Bookshop', 'US-CA', 'sole_proprietor', '459210', '2015-10-01', 4, '390000.00', 'June Hartley'],
  ['Jasper Tool & Die LLC', 'US-UT', 'llc', '333514', '2006-02-13', 31, '5070000.00', 'Grant Sorensen'],
  ['Kestrel Courier Services LLC', 'US-AZ', 'llc', '492110', '2019-07-15', 17, '1830000.00', 'Amina Farah'],
  ['Long Meadow Creamery LLC', 'US-CA', 'llc', '311513', '2013-03-28', 15, '1710000.00', 'Piet van Dorn'],
  ['Mirror Lake Print Shop', 'US-MT', 'partnership', '323111', '2010-12-06', 7, '720000.00', 'Carol Whitehorse'],
  ['North Fork Brewing LLC', 'US-OR', 'llc', '312120', '2018-05-16', 13, '1360000.00', 'Eli Brandt'],
  ['Orchard Hill Daycare LLC', 'US-CA', 'llc', '624410', '2016-09-12', 16, '870000.00', 'Tamara Quist'],
  ['Pinecone Outfitters Inc.', 'US-WY', 'corporation', '459110', '2014-06-19', 9, '1050000.00', 'Luke Abbott'],
]

/** The broker's Portal, and its businesses by legal name. */
export async function createBroker(
  tx: Tx,
  context: Context,
): Promise<{ broker: Caller; businesses: Map<string, BusinessRow> }> {
  const { id: portal_id } = await createPortal(tx, context, { name: brokerName })
  const broker: Caller = { context, portal_id, request_id: null }
  const before = daysAgo(broker, 30)
  const lead_source_id = await createLeadSource(tx, before, {
    name: 'Website',
    kind: 'website',
    requires_detail: false,
  })
  const businesses = new Map<string, BusinessRow>()
  for (const [legal_name, region, legal_form, naics, founded_on, employee_count, revenue, owner] of sketches) {
    const number = businesses.size
    const [first_name = '', ...rest] = owner.split(' ')
    const domain = `${legal_name
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')
      .replace(/-$/, '')}.example.com`
    businesses.set(
      legal_name,
      await createBusiness(tx, before, {
        legal_name,
        country: 'US',
        region,
        legal_form,
        lead_source_id,
        industry: { system: 'naics_2022', code: naics },
        founded_on,
        employee_count,
        annual_revenue: { amount: revenue, currency: 'USD' },
        website: `https://${domain}`,
        email: `hello@${domain}`,
        phone: `+1303555${String(100 + number).padStart(4, '0')}`,
        registration_number: `LM${4_000_000 + number * 7919}`,
        owners: [
          { first_name, last_name: rest.join(' '), role: 'Owner', ownership_percent: number % 4 === 0 ? 55 : 100 },
        ],
      }),
    )
  }
  return { broker, businesses }
}
