// What the machinery of questionnaires has to know about a kind of application. Client intake applications are one kind,
// deal applications another; each area describes its own, and gets the operations on answers, items and files for it.
import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { IdPrefix } from '../../platform/values/ids.ts'

/** The part of an application that every kind has. */
export interface Application {
  id: string
  version: number
  updated_at: string
  state: string
  business_id: string
  contract_id: string
}

export interface ApplicationKind {
  /** As events name it. */
  readonly type: string
  /** Its heading in the reference. */
  readonly resource: string
  /** The address of its collection. */
  readonly path: string
  /** What its ids begin with. */
  readonly id_prefix: IdPrefix
  /** The resource a key is granted. */
  readonly grant: string
  /** Where the examples of the reference find an application that can be edited; its collection when not given. */
  readonly example_found_in?: string
  find(db: Connection, portalId: string, id: string): Promise<Application | undefined>
  /** Lets nobody else write the application until the transaction ends; what is read afterwards is the latest. */
  lock(tx: Tx, portalId: string, id: string): Promise<void>
  /** Whether answers can be written in its state. */
  isEditable(application: Application): boolean
  /** Throws `state_conflict` while they cannot. */
  requireEditable(application: Application): void
  /**
   * Writes the application as its next version, if nobody else has meanwhile (`precondition_failed`): whatever happens
   * under an application moves its ETag. An edit may also move its state, as from returned to in progress.
   */
  saveEdited(tx: Tx, caller: Caller, application: Application): Promise<Application>
  /** The same for what is not an edit of the caller, such as a scanner's verdict: the state stays. */
  saveTouched(tx: Tx, caller: Caller, application: Application): Promise<Application>
}

export function applicationPath({ path }: Pick<ApplicationKind, 'path'>, id: string): string {
  return `${path}${id}/`
}

/** Ids say of which kind their application is. */
export function kindOf(kinds: readonly ApplicationKind[], applicationId: string): ApplicationKind {
  const prefix = applicationId.slice(0, applicationId.indexOf('_'))
  const kind = kinds.find(({ id_prefix }) => id_prefix === prefix)
  if (!kind) throw new Error(`no kind of application has ids that begin with ${prefix}`)
  return kind
}
