// What the building blocks under an application have to know about a kind of application. Client intake applications are
// one kind, deal applications another; each area describes its own, and gets the operations on answers, items and files.
//   An application has one owner Portal. Whoever calls finds it in a role, decided once by `find`; everything underneath
//   works on the owner's data, and the contract is read from the Portal that asks the questions.
import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Obstacle, StateMachine } from '../../platform/protocol/states.ts'
import type { IdPrefix } from '../../platform/values/ids.ts'

/** The part of an application that every kind has. */
export interface Application {
  /** The owner: answers, items, files, runs and events are kept in this Portal. */
  portal_id: string
  id: string
  /** Whose view it is, where the roles see different versions of it: a part of the ETag. */
  view?: string | undefined
  version: number
  updated_at: string
  /** What time has changed since the version was written, such as a deadline that has passed: a part of the ETag. */
  aspect?: string | undefined
  state: string
  business_id: string
  contract_id: string
  /** The Portal that asks the questions: the owner, or a recipient the application is prepared for. */
  contract_portal_id: string
}

/** What a role may read of an application. */
interface Rights {
  /** The parties of the table of states it acts as: a Portal can be both sides of an application. */
  acts_as: readonly string[]
  /** The answers as they are now, or as they were last submitted. */
  reads: 'working_copy' | 'last_submission'
}

/** An application as a caller found it. */
export interface Access<Row extends Application = Application> {
  application: Row
  /** One of the kind's roles: what the caller may read, and the parties it acts as. */
  role: string
}

export interface ApplicationKind<Row extends Application = Application> {
  /** Its heading in the reference. */
  readonly resource: string
  /** The address of its collection. */
  readonly path: string
  /** What its ids begin with. */
  readonly id_prefix: IdPrefix
  /** The resource a key is granted. */
  readonly grant: string
  /** Where the examples of the reference find one that can be edited, and one with a submission. */
  readonly examples?: { readonly editable: string; readonly submitted: string }
  /** Has the actions `answer`, for every write under an application, and `submit`; `respond` submits again what was opened since. */
  readonly states: StateMachine
  /** The roles a caller can have. */
  readonly roles: Readonly<Record<string, Rights>>
  /** Undefined when there is none, or none this caller may know of. */
  find(db: Connection, caller: Caller, id: string): Promise<Access<Row> | undefined>
  /** Lets nobody else write the application until the transaction ends; what is read afterwards is the latest. */
  lock(tx: Tx, caller: Caller, id: string): Promise<void>
  /** What is in the way of actions that the state allows. */
  obstacle?(application: Row): Obstacle<string>
  /** The questions that may be answered while the state allows `answer`; a request for information opens only some. */
  openQuestions(application: Row): 'all' | ReadonlySet<string>
  /**
   * Writes the application as its next version, if nobody else has meanwhile (`precondition_failed`): whatever happens
   * under an application moves its ETag. An edit may also move its state, as from returned to in progress.
   */
  saveEdited(tx: Tx, caller: Caller, access: Access<Row>): Promise<Row>
  /** The same for what is not an edit of the caller, such as a scanner's verdict: the state stays. */
  saveTouched(tx: Tx, caller: Caller, application: Row): Promise<Row>
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

/** What the caller's role may read. */
export function rightsOf({ roles }: Pick<ApplicationKind, 'roles'>, role: string): Rights {
  const rights = roles[role]
  if (!rights) throw new Error(`no rights are described for the role ${role}`)
  return rights
}
