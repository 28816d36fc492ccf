import type { Fact } from '../../building-blocks/autofill/facts.ts'
import type { Knowledge } from '../../building-blocks/autofill/knowledge.ts'
import type { Connection } from '../../platform/database/database.ts'
import { businessFacts } from '../businesses/facts.ts'
import { findBusiness } from '../businesses/queries.ts'
import { clientIntake, ownedBy } from './kind.ts'
import { type IntakeRow, listIntakesOfBusiness } from './queries.ts'

/** Answers of older applications are too old to reuse. */
const earlierApplications = 5

export const clientIntakeKnowledge: Knowledge<IntakeRow> = {
  kind: clientIntake,
  businessFacts: factsOfRecord,
  async otherApplications(db, { portal_id, id, business_id }) {
    return intakesOf(db, portal_id, business_id, id)
  },
  // Projects are made from submitted applications, so an application in progress has no project yet.
  projectFacts: async () => [],
}

/** What the record of a business says, for an application of any kind. */
export async function factsOfRecord(
  db: Connection,
  { portal_id, business_id }: { portal_id: string; business_id: string },
): Promise<Fact[]> {
  const business = await findBusiness(db, portal_id, business_id)
  if (!business) return []
  const known = { source: 'business', reference: business.id, confidence: 0.95 } as const
  return businessFacts(business).map((fact) => ({ ...fact, ...known }))
}

/** The client intake applications of a business, the latest first, without the one that is being filled. */
export async function intakesOf(db: Connection, portalId: string, businessId: string, exceptId?: string) {
  const rows = await listIntakesOfBusiness(db, portalId, businessId, earlierApplications + 1)
  return rows
    .filter((row) => row.id !== exceptId)
    .slice(0, earlierApplications)
    .map((application) => ({ kind: clientIntake, ...ownedBy(application) }))
}
