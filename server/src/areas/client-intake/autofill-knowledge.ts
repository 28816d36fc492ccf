import type { Fact } from '../../building-blocks/autofill/facts.ts'
import type { Knowledge } from '../../building-blocks/autofill/knowledge.ts'
import { businessFacts } from '../businesses/facts.ts'
import { findBusiness } from '../businesses/queries.ts'
import { clientIntake } from './kind.ts'
import { listIntakesOfBusiness } from './queries.ts'

/** Further back than this, answers have had their day. */
const earlierApplications = 5

export const clientIntakeKnowledge: Knowledge = {
  kind: clientIntake,
  async businessFacts(db, portalId, businessId): Promise<Fact[]> {
    const business = await findBusiness(db, portalId, businessId)
    if (!business) return []
    return businessFacts(business).map((fact) => ({
      ...fact,
      source: 'business',
      reference: business.id,
      confidence: 0.95,
    }))
  },
  async otherApplications(db, portalId, { id, business_id }) {
    const rows = await listIntakesOfBusiness(db, portalId, business_id, earlierApplications + 1)
    return rows
      .filter((row) => row.id !== id)
      .slice(0, earlierApplications)
      .map((application) => ({ kind: clientIntake, application }))
  },
  // Projects are made from submitted applications; an application of its own project does not exist yet.
  projectFacts: async () => [],
}
