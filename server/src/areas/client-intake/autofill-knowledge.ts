import type { Fact } from '../../building-blocks/autofill/facts.ts'
import type { Knowledge } from '../../building-blocks/autofill/knowledge.ts'
import { businessFacts } from '../businesses/facts.ts'
import { findBusiness } from '../businesses/queries.ts'
import { clientIntake, ownedBy } from './kind.ts'
import { type IntakeRow, listIntakesOfBusiness } from './queries.ts'

/** Answers of older applications are too old to reuse. */
const earlierApplications = 5

export const clientIntakeKnowledge: Knowledge<IntakeRow> = {
  kind: clientIntake,
  async businessFacts(db, { portal_id, business_id }): Promise<Fact[]> {
    const business = await findBusiness(db, portal_id, business_id)
    if (!business) return []
    return businessFacts(business).map((fact) => ({
      ...fact,
      source: 'business',
      reference: business.id,
      confidence: 0.95,
    }))
  },
  async otherApplications(db, { portal_id, id, business_id }) {
    const rows = await listIntakesOfBusiness(db, portal_id, business_id, earlierApplications + 1)
    return rows
      .filter((row) => row.id !== id)
      .slice(0, earlierApplications)
      .map((application) => ({ kind: clientIntake, ...ownedBy(application) }))
  },
  // Projects are made from submitted applications, so an application in progress has no project yet.
  projectFacts: async () => [],
}
