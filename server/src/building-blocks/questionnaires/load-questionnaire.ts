import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { etagOf, type IfMatch, requireVersion } from '../../platform/http/etag.ts'
import { findContractModel, type KnownContract } from '../contracts/contract-models.ts'
import type { Application, ApplicationKind } from './application-kind.ts'
import { loadSheet } from './queries.ts'
import type { Questionnaire } from './records.ts'

export interface Target {
  application_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/**
 * An application and its sheet as of one version. They are read one after the other, so a write may come between them:
 * then the version has moved, and both are read again.
 */
export async function loadQuestionnaire(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  applicationId: string,
): Promise<Questionnaire> {
  for (let round = 1; round <= maximumRounds; round++) {
    const application = await loadApplication(db, caller, kind, applicationId)
    const questionnaire = await completeQuestionnaire(db, caller, kind, application)
    const { version } = await loadApplication(db, caller, kind, applicationId)
    if (version === application.version) return questionnaire
  }
  // Somebody writes without a pause: look at one unchanging view instead, which costs more.
  return caller.context.database.snapshot(async (tx) =>
    completeQuestionnaire(tx, caller, kind, await loadApplication(tx, caller, kind, applicationId)),
  )
}

const maximumRounds = 5

/** The same for an application that is at hand. */
export async function completeQuestionnaire(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  application: Application,
): Promise<Questionnaire> {
  const { vault } = caller.context
  const [contract, sheet] = await Promise.all([
    requireContract(db, caller, application.contract_id),
    loadSheet(db, vault, caller.portal_id, application.id),
  ])
  return { kind, application, contract, sheet }
}

/** The questionnaire of an application whose answers may be written, at the version the caller has seen. */
export async function openForEdit(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  { application_id, ifMatch }: Target,
): Promise<Questionnaire> {
  const application = await loadApplication(tx, caller, kind, application_id)
  requireVersion(ifMatch, etagOf(application))
  kind.requireEditable(application)
  return completeQuestionnaire(tx, caller, kind, application)
}

export async function loadApplication(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  applicationId: string,
): Promise<Application> {
  const application = await kind.find(db, caller.portal_id, applicationId)
  if (!application) throw new ApiError('not_found')
  return application
}

async function requireContract(db: Connection, caller: Caller, id: string): Promise<KnownContract> {
  const contract = await findContractModel(db, caller.portal_id, id)
  if (!contract) throw new Error(`the contract ${id} of an application is gone`)
  return contract
}
