import type { Connection } from '../../platform/database/database.ts'
import type { Application, ApplicationKind } from '../questionnaires/application-kind.ts'
import type { Fact } from './facts.ts'

/** What an area knows for Autofill about an application of its kind. */
export interface Knowledge {
  kind: ApplicationKind
  businessFacts(db: Connection, portalId: string, businessId: string): Promise<Fact[]>
  /** Other applications of the same business, the latest first. */
  otherApplications(
    db: Connection,
    portalId: string,
    application: Application,
  ): Promise<{ kind: ApplicationKind; application: Application }[]>
  /** The criteria of its project, once there is one. */
  projectFacts(db: Connection, portalId: string, application: Application): Promise<Fact[]>
}
