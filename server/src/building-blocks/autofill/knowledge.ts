import type { Connection } from '../../platform/database/database.ts'
import type { Access, Application, ApplicationKind } from '../questionnaires/application-kind.ts'
import type { Fact } from './facts.ts'

/** What an area knows for Autofill about an application of its kind: always of the owner, whoever asks. */
export interface Knowledge<Row extends Application = Application> {
  kind: ApplicationKind<Row>
  businessFacts(db: Connection, application: Row): Promise<Fact[]>
  /** Other applications of the same business, the latest first. */
  otherApplications(db: Connection, application: Row): Promise<(Access & { kind: ApplicationKind })[]>
  /** The criteria of its project, once there is one. */
  projectFacts(db: Connection, application: Row): Promise<Fact[]>
}
