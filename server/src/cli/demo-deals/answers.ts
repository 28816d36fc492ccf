// Answers of a demo business to the questions of a recipient: what its record says, and what its deal is about.
import { businessFacts } from '../../areas/businesses/facts.ts'
import type { BusinessRow } from '../../areas/businesses/queries.ts'
import { dealApplications } from '../../areas/deal-applications/kind.ts'
import type { ContractDraft } from '../../building-blocks/contracts/contract-schema.ts'
import type { AnswerWrite } from '../../building-blocks/questionnaires/answers/changes.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { fromMinorUnits, type Money, toMinorUnits } from '../../platform/values/money.ts'
import { uploadDemoFile } from '../demo-uploads.ts'
import type { Story } from './story.ts'

const usd = (amount: string): Money => ({ amount, currency: 'USD' })

/** One answer for every question that a person would answer in writing. */
export function answersOf({ questions }: ContractDraft, business: BusinessRow, story: Story): AnswerWrite[] {
  const known = new Map<string, unknown>([
    ...businessFacts(business)
      .filter(({ row }) => row === undefined)
      .map(({ fact, value }) => [fact, value] as const),
    ...Object.entries(factsOf(business, story)),
  ])
  return questions.flatMap(({ key, type, maps_to = '' }): AnswerWrite[] => {
    if (type === 'file' || type === 'group' || type === 'display') return []
    const value = type === 'declaration' ? true : (known.get(maps_to) ?? plainAnswers[key])
    return value === undefined ? [] : [{ question_key: key, value }]
  })
}

/** The owners of a business, as the items of the group that asks for them. */
export function ownersOf({ owners }: BusinessRow): Record<string, unknown>[] {
  // safe because only owners of this form are ever stored
  return (owners as Record<string, unknown>[]).map(({ first_name, last_name, ownership_percent }) => ({
    first_name,
    last_name,
    ownership_percent,
  }))
}

function factsOf(business: BusinessRow, { amount, use, purpose }: Story): Record<string, unknown> {
  const revenue = business.annual_revenue_minor ?? 0
  return {
    'business.tax_id': `98-${business.registration_number?.slice(-7)}`,
    'business.description': `${business.legal_name} has served its customers since ${business.founded_on?.slice(0, 4)}.`,
    'business.annual_revenue': fromMinorUnits(revenue, 'USD'),
    'business.monthly_revenue': fromMinorUnits(Math.round(revenue / 12), 'USD'),
    'business.existing_debt': fromMinorUnits(Math.round(revenue / 1000) * 80, 'USD'),
    'business.debt_detail': 'A bank loan that is repaid every month, as agreed.',
    'business.liens_or_judgments': false,
    'project.amount_requested': usd(amount),
    'project.use_of_funds': [use],
    'project.description': purpose,
    'project.term_months': (toMinorUnits(usd(amount)) ?? 0) > 10_000_000 ? 60 : 36,
    'project.personal_guarantee': true,
    'project.collateral': ['equipment'],
    'project.ownership_attributes': ['family_owned'],
    'project.project_start_on': new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10),
    'project.match_funding_percent': 25,
    'project.supplier': 'Ostrander Machine Supply',
  }
}

const plainAnswers: Readonly<Record<string, unknown>> = {
  is_used: false,
  other_funders: 'The owners pay their share from savings.',
  jobs_created: 2,
  was_turned_down: false,
}

/** Uploads a short document for a question. */
export async function uploadDocument(
  tx: Tx,
  sender: Caller,
  application_id: string,
  question_key: string,
): Promise<void> {
  const bytes = Buffer.from(
    'date,text,amount,balance\n2026-01-02,Opening balance,,18250.40\n2026-01-05,Card sales,2210.00,20460.40\n',
  )
  const filename = `${question_key.replaceAll('_', '-')}.csv`
  const document = { question_key, filename, content_type: 'text/csv', bytes }
  await uploadDemoFile(tx, sender, dealApplications, application_id, document)
}
