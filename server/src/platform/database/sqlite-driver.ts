// Transactions on SQLite's one writing connection: one at a time, in the order of arrival.
// Making a transaction durable takes longer than running it. So those of one turn of the event loop are not made durable
// one by one: each runs on top of the ones before it, under a savepoint of its own, and a single commit makes them all
// durable. None is reported as done, or as refused because of another, before that.
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { createQueue } from './queue.ts'
import { isBusy, type NativeConnection, SqliteConnection } from './sqlite-connection.ts'

export class SqliteDriver implements Driver {
  readonly #native: NativeConnection
  readonly #connection: SqliteConnection
  readonly #begin: string
  readonly #failed: (error: unknown) => void
  readonly #queue = createQueue({ maximumWaiting: 2000, maximumWaitMs: 10_000 })
  #group: Group | undefined
  #turn: Turn | undefined
  #isCommitDue = false

  /** `failed` is told of every error that SQLite answers with. */
  constructor(native: NativeConnection, begin: string, failed: (error: unknown) => void) {
    this.#native = native
    this.#connection = new SqliteConnection(native, failed)
    this.#begin = begin
    this.#failed = failed
  }

  get load(): { in_use: number; idle: number; waiting: number } {
    const in_use = this.#queue.isTaken ? 1 : 0
    return { in_use, idle: 1 - in_use, waiting: this.#queue.length }
  }

  async init(): Promise<void> {
    // The connection is open from the start.
  }

  async acquireConnection(): Promise<Turn> {
    const arrived = performance.now()
    await this.#queue.enter()
    this.#turn = new Turn(this.#connection, () => this.#commitGroup(), arrived)
    return this.#turn
  }

  async beginTransaction(turn: Turn): Promise<void> {
    if (this.#group && !this.#native.isTransaction) this.#loseGroup()
    if (this.#group) this.#native.exec('savepoint turn')
    else {
      await beginWhenFree(this.#native, this.#begin, turn.arrived + maximumBeginWaitMs).catch((error) => {
        this.#failed(error)
        throw error
      })
      this.#group = new Group()
    }
    turn.group = this.#group
  }

  async commitTransaction(turn: Turn): Promise<void> {
    const { group } = turn
    if (!group) throw new Error('only a transaction that has begun can be committed')
    if (group.members > 0) this.#native.exec('release turn')
    group.members++
    this.#endTurn(turn)
    await group.isDurable
  }

  async rollbackTransaction(turn: Turn): Promise<void> {
    const { group } = turn
    if (!group || turn.hasEnded) return
    this.#undo(group)
    const isGroupAlive = this.#group === group
    this.#endTurn(turn)
    if (isGroupAlive) await group.isDurable
  }

  async releaseConnection(turn: Turn): Promise<void> {
    this.#endTurn(turn)
  }

  async destroy(): Promise<void> {
    const group = this.#turn?.hasEnded === false ? this.#turn.group : undefined
    if (group) this.#undo(group)
    this.#commitGroup()
    if (this.#native.isOpen) this.#native.close()
  }

  /** Takes back what the present turn has done, and leaves what the others of its group did. */
  #undo(group: Group): void {
    try {
      if (group.members > 0 && this.#native.isTransaction) {
        this.#native.exec('rollback to turn')
        this.#native.exec('release turn')
      } else this.#loseGroup()
    } catch (error) {
      // What cannot be taken back must not be committed either, and the others cannot be told apart from it.
      this.#loseGroup(error)
    }
  }

  /** Out of room or unable to write, SQLite rolls back everything, and what the whole group did is gone. */
  #loseGroup(cause?: unknown): void {
    const group = this.#group
    this.#group = undefined
    group?.fail(new GroupLostError('the database rolled back every open transaction', { cause }))
    try {
      if (this.#native.isTransaction) this.#native.exec('rollback')
    } catch {
      // Whoever begins next is told.
    }
  }

  /** Lets the next one in, and sees to it that what was done becomes durable when no more are coming. */
  #endTurn(turn: Turn): void {
    if (turn.hasEnded) return
    turn.hasEnded = true
    if (this.#group?.isFull) {
      this.#commitGroup()
      // Whoever waits for the event loop comes first: those who follow one another here would never let it turn.
      setImmediate(() => this.#queue.leave())
      return
    }
    this.#queue.leave()
    if (!this.#group || this.#isCommitDue) return
    this.#isCommitDue = true
    // Requests that have arrived by now are read before this runs, and join.
    setImmediate(() => {
      this.#isCommitDue = false
      // A turn that is still going on will end, and come here again.
      if (!this.#queue.isTaken) this.#commitGroup()
    })
  }

  #commitGroup(): void {
    const group = this.#group
    this.#group = undefined
    if (!group) return
    try {
      this.#native.exec('commit')
      group.succeed()
    } catch (error) {
      this.#failed(error)
      group.fail(error)
      this.#loseGroup()
    }
  }
}

/** One's time on the connection. */
class Turn implements DatabaseConnection {
  readonly #connection: SqliteConnection
  readonly #commitOthers: () => void
  group: Group | undefined
  hasEnded = false
  /** When it was asked for. */
  readonly arrived: number

  constructor(connection: SqliteConnection, commitOthers: () => void, arrived: number) {
    this.#connection = connection
    this.#commitOthers = commitOthers
    this.arrived = arrived
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.hasEnded) throw new Error('a statement came after the end of its transaction')
    // A statement outside any transaction is durable when it is answered, and no part of what others do.
    if (!this.group) this.#commitOthers()
    return this.#connection.executeQuery<R>(query)
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>()
  }
}

/** Transactions that become durable together. */
class Group {
  /** Those that have done their part. */
  members = 0
  readonly #begun = performance.now()
  readonly isDurable: Promise<void>
  succeed: () => void = () => undefined
  fail: (error: unknown) => void = () => undefined

  constructor() {
    this.isDurable = new Promise((resolve, reject) => {
      this.succeed = resolve
      this.fail = reject
    })
    // Whoever waits for it is told; that nobody does yet is no fault.
    this.isDurable.catch(() => undefined)
  }

  get isFull(): boolean {
    return this.members >= maximumMembers || performance.now() - this.#begun >= maximumGroupMs
  }
}

/** The transaction went well, but one it shared its commit with took it down. */
export class GroupLostError extends Error {}

/** Another process may be writing: wait for it without holding up this process's other work. */
async function beginWhenFree(native: NativeConnection, begin: string, deadline: number): Promise<void> {
  for (;;) {
    try {
      native.exec(begin)
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20))
    }
  }
}

/** Counted from the arrival: those who wait behind one another for the same lock are all told within 5 s. */
const maximumBeginWaitMs = 3000
/** Enough that the commit no longer counts; few enough that nobody waits long for the others. */
const maximumMembers = 64
const maximumGroupMs = 10
