import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Tables } from './tables.ts'

/** What a query takes: the reading side, or the transaction of a write. */
export type Connection = Kysely<Tables>
export type Tx = Transaction<Tables>

/** One of the two engines. Everything in which they differ is behind this; queries are written once. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  /** For reading outside a transaction. */
  readonly read: Connection
  /** The writing side, for what cannot run in a transaction; everything else uses `transaction`. */
  readonly write: Connection
  /**
   * The same database, as far as this Portal may see it. PostgreSQL holds to it even where a query forgets its Portal;
   * on SQLite, the queries alone do.
   */
  within(portalId: string): Database
  /** Runs work that may wait for other processes without harm, because nobody else is served meanwhile. */
  patiently<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work` in one durable transaction; when it throws, nothing of it stays. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` on one unchanging view of the data. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** An expression that takes a lock for the rest of the transaction; false when another transaction holds it. */
  tryLock(name: string): RawBuilder<boolean>
  /** An expression that waits for a lock, alone or with others who share it, and holds it for the rest of the transaction. */
  lock(name: string, mode: 'alone' | 'shared'): RawBuilder<unknown>
  /**
   * The time so many milliseconds from now, by the one clock that all processes on this database share: what is due and
   * whose lease has run out is judged by nothing else. PostgreSQL has a clock of its own; processes on a SQLite file are on
   * one machine.
   */
  timeIn(clock: Clock, milliseconds: number): RawBuilder<string>
  /** The time in a column, so many milliseconds earlier. */
  earlier(column: string, milliseconds: number): RawBuilder<string>
  /** Rises from event to event as they were inserted. */
  readonly eventOrder: RawBuilder<number>
  /** Ends a `select … limit n` so that rows another worker holds are left to that worker. */
  readonly skipLocked: RawBuilder<unknown>
  /** Brings what is known of tables up to date before many of their rows are joined, where plans depend on it. */
  refreshStatistics(tables: readonly (keyof Tables)[]): Promise<void>
  /**
   * Leaves nothing of deleted rows in the file of SQLite; false when a reader was in the way. It takes long and holds up
   * writers: for the command line. On PostgreSQL nothing is done: `rewriteTables` is for that.
   */
  removeTraces(): Promise<boolean>
  /** Leaves nothing of deleted rows in what PostgreSQL knows of the values of these tables. SQLite knows none. */
  forgetStatistics(tables: readonly (keyof Tables)[]): Promise<void>
  /**
   * Leaves nothing of deleted rows in the data files of PostgreSQL that have these tables. Each is locked while it is
   * written anew: for the command line. On SQLite nothing is done, because `removeTraces` does all of it.
   */
  rewriteTables(tables: readonly (keyof Tables)[], rewriting: Rewriting): Promise<Rewritten>
  /** Columns of a row as one JSON object: texts and numbers as they are, JSON as what it holds. */
  jsonObject(members: Readonly<Record<string, JsonMember>>): RawBuilder<string>
  /** Gives word that events are being written, to every process that listens. No promise: who listens also looks. */
  announce(): void
  /** Hears that events were written somewhere. The result ends it. */
  listen(heard: () => void): () => Promise<void>
  /** What is known to be broken in the file of the database. PostgreSQL looks after its own files. */
  damage(): string | undefined
  /** The last write that the file did not take, if this is known without trying one. */
  writeRefusal(): WriteRefusal | undefined
  /** Looks through the whole file of the database for what is broken. */
  findDamage(): Promise<string | undefined>
  /** The trouble behind a driver's error, if it is one that callers can act upon. */
  troubleOf(error: unknown): DatabaseTrouble | undefined
  /** Whether the error is that others held a lock for too long. */
  isLocked(error: unknown): boolean
  /** How many connections are in use and idle, and how many wait for one. */
  connections(): { in_use: number; idle: number; waiting: number }
  /** What statements have taken since the start. */
  readonly times: StatementTimes
  close(): Promise<void>
}

export interface Rewriting {
  /** How long is waited for older transactions, and for the lock of each table. */
  patienceMs: number
  progress(done: number): void
}

export interface Rewritten {
  /** Who can still see deleted rows; then nothing was rewritten. */
  older: string[]
  left: { table: string; reason: string }[]
}

export interface WriteRefusal {
  reason: string
  /** By `performance.now()`. */
  at: number
}

export interface StatementTimes {
  statements: number
  milliseconds: number
  /** Those that made somebody wait. */
  slow: number
  /** Told of each, while somebody wants to know. */
  observe?: (sql: string, milliseconds: number, isFailed: boolean) => void
}

/** The column that a member of a JSON object comes from. */
export interface JsonMember {
  column: string
  isJson?: boolean
}

export type DatabaseTrouble =
  | { kind: 'duplicate'; constraint: string } // a unique index refused the row
  | { kind: 'collision' } // two transactions got in each other's way; the same work may succeed at once
  | { kind: 'unavailable' } // away, full, locked or too slow; the same work may succeed later

/** Names of column types in a migration, per engine. */
export interface ColumnTypes {
  time: RawBuilder<unknown>
  date: RawBuilder<unknown>
  json: RawBuilder<unknown>
  boolean: RawBuilder<unknown>
  /** Text that compares byte by byte on both engines. */
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  /** Ends the definition of a table that is nothing but its primary key. */
  clustered: RawBuilder<unknown>
}

/** No connection could be made: nobody answers, or the database lets nobody in. That may pass, whatever the reason. */
export class ConnectionFailed extends Error {
  readonly code: string

  constructor(cause: Error & { code?: string }) {
    super(cause.message, { cause })
    this.code = cause.code ?? ''
  }
}

/** All connections were in use by others, and the database answered them: it is busy, and well. */
export class ConnectionsBusy extends ConnectionFailed {}

/** The code of the error about a server that this release does not support. */
export const oldServerCode = 'OLD_SERVER'

/** The code of the error about files for TLS that cannot be used. */
export const tlsFilesCode = 'TLS_FILES'
