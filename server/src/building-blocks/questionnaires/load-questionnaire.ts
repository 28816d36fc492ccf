import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { etagOf, type IfMatch, requireVersion } from '../../platform/protocol/etag.ts'
import { findContractModel, type KnownContract } from '../contracts/known-contracts.ts'
import type { Application, ApplicationKind } from './application-kind.ts'
import type { Questionnaire } from './questionnaire.ts'
import { loadSheet } from './sheet-queries.ts'

export interface Target {
  application_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/** An application and its sheet. */
export async function loadQuestionnaire(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  applicationId: string,
): Promise<Questionnaire> {
  return atOneVersion(db, caller, kind, applicationId, (db, application) =>
    completeQuestionnaire(db, caller, kind, application),
  )
}

/**
 * Reads what is under an application as of one version of it. It takes several statements, so a write may come between
 * them: then the version has moved, and all is read again.
 */
export async function atOneVersion<T>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  applicationId: string,
  read: (db: Connection, application: Application) => Promise<T>,
): Promise<T> {
  for (let round = 1; round <= maximumRounds; round++) {
    const application = await loadApplication(db, caller, kind, applicationId)
    const found = await read(db, application)
    const { version } = await loadApplication(db, caller, kind, applicationId)
    if (version === application.version) return found
  }
  // Somebody writes without a pause: look at one unchanging view instead, which costs more.
  return caller.context.database.snapshot(async (tx) =>
    read(tx, await loadApplication(tx, caller, kind, applicationId)),
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
  /** Throws when the address names something that is not there: that comes before versions and states. */
  requireNamed: (questionnaire: Questionnaire) => unknown = () => undefined,
): Promise<Questionnaire> {
  const application = await loadApplication(tx, caller, kind, application_id)
  const questionnaire = await completeQuestionnaire(tx, caller, kind, application)
  await requireNamed(questionnaire)
  requireVersion(ifMatch, etagOf(application))
  kind.requireEditable(application)
  return questionnaire
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
