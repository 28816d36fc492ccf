import type { Fact } from '../../building-blocks/autofill/facts.ts'
import type { Knowledge } from '../../building-blocks/autofill/knowledge.ts'
import type { Connection } from '../../platform/database/database.ts'
import { factsOfRecord, intakesOf } from '../client-intake/autofill-knowledge.ts'
import { findDeal } from '../deals/queries.ts'
import { findProject } from '../funding-recommendations/projects/queries.ts'
import { dealApplications } from './kind.ts'
import { type ApplicationRow, listApplicationsOfBusiness } from './queries.ts'

/** What a business has answered once, in its intake or to another recipient, it need not answer again. */
export const dealApplicationKnowledge: Knowledge<ApplicationRow> = {
  kind: dealApplications,
  businessFacts: factsOfRecord,
  async otherApplications(db, { portal_id, id, business_id }) {
    const [intakes, applications] = await Promise.all([
      intakesOf(db, portal_id, business_id),
      listApplicationsOfBusiness(db, portal_id, business_id, earlierApplications + 1),
    ])
    const others = applications
      .filter((application) => application.id !== id)
      .slice(0, earlierApplications)
      .map((application) => ({ kind: dealApplications, application, role: 'sender' }))
    return [...intakes, ...others].sort((a, b) => (a.application.updated_at < b.application.updated_at ? 1 : -1))
  },
  projectFacts,
}

/** Answers of older applications are too old to reuse. */
const earlierApplications = 5

/** The amount of the deal, and the criteria of its project under the names that questions ask for them by. */
async function projectFacts(db: Connection, { portal_id, deal_id }: ApplicationRow): Promise<Fact[]> {
  const deal = await findDeal(db, portal_id, deal_id)
  if (!deal) return []
  const known = { source: 'project', confidence: 0.95 } as const
  const facts: Fact[] = []
  if (deal.amount_requested)
    facts.push({ fact: 'project.amount_requested', value: deal.amount_requested, reference: deal.id, ...known })
  const project = deal.project_id === null ? undefined : await findProject(db, portal_id, deal.project_id)
  if (!project) return facts
  if (project.description !== null)
    facts.push({ fact: 'project.description', value: project.description, reference: project.id, ...known })
  for (const [key, { value }] of Object.entries(project.criteria)) {
    if (key === 'amount_requested' && deal.amount_requested) continue
    for (const subject of ['project', 'business'])
      facts.push({ fact: `${subject}.${key}`, value, reference: project.id, ...known })
  }
  return facts
}
