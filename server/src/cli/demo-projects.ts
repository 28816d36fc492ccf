// Three projects with very different prospects: a young bakery that nearly fits much, an established manufacturer that
// many programmes want, and a start-up about which little is known.

import type { BusinessRow } from '../areas/businesses/queries.ts'
import { calculationJob, startCalculation } from '../areas/funding-recommendations/calculations/commands.ts'
import { calculationJobs } from '../areas/funding-recommendations/calculations/jobs.ts'
import { changeCriteria, createProject } from '../areas/funding-recommendations/projects/commands.ts'
import { resolveDay } from '../building-blocks/contracts/relative-days.ts'
import type { Caller } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { type Enquiry, submitEnquiry } from './demo-applications.ts'
import { finishDemoJobs } from './demo-jobs.ts'
import { daysAgo } from './demo-time.ts'

interface ProjectSketch {
  /** The legal name of its business. */
  business: string
  title: string
  external_reference: string
  /** Where the project comes from an application. */
  enquiry?: Enquiry
  values: Record<string, unknown>
}

const usd = (amount: string) => ({ amount, currency: 'USD' })

const sketches = (today: string): ProjectSketch[] => [
  {
    business: 'Marigold Lane Bakery LLC',
    title: 'Second oven and a cold room',
    external_reference: 'demo-project-1',
    enquiry: {
      title: 'Second oven and a cold room',
      amount: '60000.00',
      purpose: 'equipment',
      message: 'We turn down orders every weekend: one oven is not enough any more.',
    },
    values: {
      term_months: 48,
      needed_by: resolveDay('today+75 days', today),
      monthly_revenue: usd('19000.00'),
      credit_score: 648,
      collateral: ['equipment'],
      personal_guarantee: true,
      ownership_attributes: ['women_owned'],
      existing_debt: usd('35000.00'),
      bankruptcy: { has: false },
      liens_or_judgments: false,
      equipment: { type: 'restaurant', age_years: 4 },
    },
  },
  {
    business: 'Northwind Machining Inc.',
    title: 'Five-axis milling centre',
    external_reference: 'demo-project-2',
    values: {
      amount_requested: usd('450000.00'),
      use_of_funds: ['equipment', 'expansion'],
      term_months: 60,
      project_start_on: resolveDay('today+60 days', today),
      monthly_revenue: usd('783000.00'),
      net_profit: usd('610000.00'),
      credit_score: 742,
      collateral: ['equipment', 'receivables', 'real_estate'],
      personal_guarantee: true,
      ownership_attributes: ['family_owned', 'veteran_owned'],
      existing_debt: usd('1100000.00'),
      bankruptcy: { has: false },
      liens_or_judgments: false,
      match_funding_percent: 20,
      equipment: { type: 'manufacturing', age_years: 0 },
    },
  },
  {
    business: 'Tidewater Sensing Inc.',
    title: 'Prototype of a water quality sensor',
    external_reference: 'demo-project-3',
    values: {
      amount_requested: usd('250000.00'),
      use_of_funds: ['research_and_development', 'hiring'],
    },
  },
]

/** The ids of projects by title, with their criteria. Calculations are asked for here and done by `finishDemoCalculations`. */
export async function createDemoProjects(
  tx: Tx,
  caller: Caller,
  { businesses, enquiryId, today }: { businesses: readonly BusinessRow[]; enquiryId: string; today: string },
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const before = daysAgo(caller, 26)
  for (const { business: name, enquiry, values, ...input } of sketches(today)) {
    const business = businesses.find(({ legal_name }) => legal_name === name)
    if (!business) throw new Error(`the demo has no business ${name}`)
    const application = enquiry && (await submitEnquiry(tx, before, business, enquiryId, enquiry))
    const { id: project_id } = await createProject(tx, before, {
      ...input,
      business_id: business.id,
      ...(application && { intake_application_id: application.application_id }),
    })
    await changeCriteria(tx, before, { project_id, ifMatch: null }, { values })
    await startCalculation(tx, caller, project_id)
    ids.set(input.title, project_id)
  }
  return ids
}

/** What is interrupted here, a worker finishes: the calculations are jobs like all others. */
export async function finishDemoCalculations(demo: Caller): Promise<void> {
  await finishDemoJobs(demo, calculationJobs, calculationJob)
}
