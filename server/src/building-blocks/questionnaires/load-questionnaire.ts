import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { type IfMatch, requireVersion, tagsOf } from '../../platform/protocol/etag.ts'
import { findContractModel, type KnownContract } from '../contracts/known-contracts.ts'
import { type Access, type Application, type ApplicationKind, rightsOf } from './application-kind.ts'
import { requireEditable } from './editing.ts'
import type { Questionnaire } from './questionnaire.ts'
import { emptySheet, type Sheet } from './sheet.ts'
import { loadSheet, loadSheets } from './sheet-queries.ts'
import { loadSubmittedSheet, loadSubmittedSheets } from './submissions/submitted-sheet.ts'

export interface Target {
  application_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/** An application and its sheet, as the caller's role may read it. */
export async function loadQuestionnaire<Row extends Application>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind<Row>,
  applicationId: string,
): Promise<Questionnaire<Row>> {
  return atOneVersion(db, caller, kind, applicationId, (db, access) => completeQuestionnaire(db, caller, kind, access))
}

/**
 * Reads what is under an application as of one version of it. It takes several statements, so a write may come between
 * them: then the version has moved, and all is read again.
 */
export async function atOneVersion<Row extends Application, T>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind<Row>,
  applicationId: string,
  read: (db: Connection, access: Access<Row>) => Promise<T>,
): Promise<T> {
  for (let round = 1; round <= maximumRounds; round++) {
    const access = await findApplication(db, caller, kind, applicationId)
    const found = await read(db, access)
    const { application } = await findApplication(db, caller, kind, applicationId)
    if (application.version === access.application.version) return found
  }
  // Somebody writes without a pause: look at one unchanging view instead, which costs more.
  return caller.context.database.snapshot(async (tx) =>
    read(tx, await findApplication(tx, caller, kind, applicationId)),
  )
}

const maximumRounds = 5

/** The same for an application that is at hand. */
export async function completeQuestionnaire<Row extends Application>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { application, role }: Access<Row>,
): Promise<Questionnaire<Row>> {
  const [contract, sheet] = await Promise.all([
    requireContract(db, application),
    sheetFor(db, caller, kind, { application, role }),
  ])
  return { kind, application, role, contract, sheet }
}

/** The same for a page of applications, as records. `versionsOf` tells which versions the caller sees now, by id. */
export async function mapQuestionnaires<Row extends Application, T>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind<Row>,
  found: readonly Access<Row>[],
  versionsOf: (db: Connection, portalId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  toRecord: (questionnaire: Questionnaire<Row>) => T,
): Promise<T[]> {
  const records: T[] = []
  // Not all of a large page at once: an application may have many answers, of which a record shows only the review.
  for (let begin = 0; begin < found.length; begin += atOnce) {
    const some = found.slice(begin, begin + atOnce)
    const ids = some.map(({ application }) => application.id)
    const thatRead = (what: string) =>
      some.filter(({ role }) => rightsOf(kind, role).reads === what).map(({ application }) => application)
    const { vault } = caller.context
    const ownIds = thatRead('working_copy').map(({ id }) => id)
    const [working, submitted] = await Promise.all([
      loadSheets(db, vault, caller.portal_id, ownIds),
      loadSubmittedSheets(db, vault, thatRead('last_submission')),
    ])
    const read = await Promise.all(
      some.map(async (access) => ({
        kind,
        ...access,
        contract: await requireContract(db, access.application),
        sheet: working.get(access.application.id) ?? submitted.get(access.application.id) ?? emptySheet,
      })),
    )
    const versions = await versionsOf(db, caller.portal_id, ids)
    const loaded = read.map(async (questionnaire) => {
      const { id, version } = questionnaire.application
      // Written meanwhile: it is read whole, so that its answers are those of its version.
      return versions.get(id) === version ? questionnaire : loadQuestionnaire(db, caller, kind, id)
    })
    records.push(...(await Promise.all(loaded)).map(toRecord))
  }
  return records
}

const atOnce = 25

/** What the role may read of the answers. */
async function sheetFor(
  db: Connection,
  { context }: Caller,
  kind: ApplicationKind,
  { application, role }: Access,
): Promise<Sheet> {
  const { portal_id, id } = application
  if (rightsOf(kind, role).reads === 'working_copy') return loadSheet(db, context.vault, portal_id, id)
  return loadSubmittedSheet(db, context.vault, portal_id, id)
}

/** The questionnaire of an application whose answers may be written, at the version the caller has seen. */
export async function openForEdit<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { application_id, ifMatch }: Target,
  /** Throws when the address names something that is not there: that comes before versions and states. */
  requireNamed: (questionnaire: Questionnaire<Row>) => unknown = () => undefined,
): Promise<Questionnaire<Row>> {
  const access = await findApplication(tx, caller, kind, application_id)
  const questionnaire = await completeQuestionnaire(tx, caller, kind, access)
  await requireNamed(questionnaire)
  requireVersion(ifMatch, ...tagsOf(access.application))
  requireEditable(questionnaire)
  return questionnaire
}

/** The application an address names, in the caller's role. */
export async function findApplication<Row extends Application>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind<Row>,
  applicationId: string,
): Promise<Access<Row>> {
  const access = await kind.find(db, caller, applicationId)
  if (!access) throw new ApiError('not_found')
  return access
}

/** The same for what belongs to the work on an application, which a role that reads submissions alone never sees. */
export async function findWorkingCopy<Row extends Application>(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind<Row>,
  applicationId: string,
): Promise<Access<Row>> {
  const access = await findApplication(db, caller, kind, applicationId)
  if (rightsOf(kind, access.role).reads !== 'working_copy') throw new ApiError('not_found')
  return access
}

export async function requireContract(
  db: Connection,
  { contract_portal_id, contract_id }: Application,
): Promise<KnownContract> {
  const contract = await findContractModel(db, contract_portal_id, contract_id)
  if (!contract) throw new Error(`the contract ${contract_id} of an application is gone`)
  return contract
}
