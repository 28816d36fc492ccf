// A transaction on PostgreSQL, in as few journeys as it needs. Statements are sent without waiting for the answers to
// those before: BEGIN goes out with the first statement, and inserts that nobody waits for go out together, as one
// statement, with whatever comes next or with COMMIT. PostgreSQL itself keeps this safe: after a statement that failed
// it answers every further one with an error, and COMMIT with a rollback. (A statement that fails before it is sent
// ends the connection, so that nothing can follow it.)
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import type { KnownQuery } from './compiled-query.ts'
import { ConnectionFailed, ConnectionsBusy } from './database.ts'
import { RowQuery } from './postgres-rows.ts'
import { told } from './postgres-wall.ts'

interface ConnectionRules {
  isConnectionLost(error: unknown): boolean
  /** A connection whose server has not said a word for so long is given up, with whatever waits for an answer. */
  silenceMs: number | undefined
  /**
   * Behind a pooler, the next transaction may find itself on another session: nothing is remembered, and each begins with
   * these settings.
   */
  perTransaction: string | undefined
}

/** The connections of a pool, lent to whoever reads and writes in some Portal. */
export class PostgresConnections {
  readonly #pool: pg.Pool
  readonly #rules: ConnectionRules
  readonly #lent = new Set<PostgresConnection>()
  readonly #watch: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, rules: ConnectionRules) {
    this.#pool = pool
    this.#rules = rules
    const { silenceMs } = rules
    if (silenceMs === undefined) return
    // One timer for all: the driver's own, one for each statement, are felt in the time of a request that writes.
    const everyMs = silenceMs / 10
    let last = performance.now()
    this.#watch = setInterval(() => {
      const now = performance.now()
      // After a pause of the process itself, answers may have come that nobody has read yet.
      const isLate = now - last > 3 * everyMs
      last = now
      if (!isLate) for (const connection of this.#lent) connection.giveUpIfSilent(now - silenceMs)
    }, everyMs).unref()
  }

  async lend(scope: string): Promise<PostgresConnection> {
    const client = await this.#pool.connect().catch((cause: Error) => {
      throw this.#isBusy() ? new ConnectionsBusy(cause) : new ConnectionFailed(cause)
    })
    const connection = new PostgresConnection(client, this.#rules, scope)
    this.#lent.add(connection)
    return connection
  }

  /** Whether others have all connections, and PostgreSQL answers some of them. */
  #isBusy(): boolean {
    if (this.#lent.size < this.#pool.options.max) return false
    const since = performance.now() - (this.#rules.silenceMs ?? 0) * 0.75
    return [...this.#lent].some((connection) => connection.hasAnswered(since))
  }

  takeBack(connection: PostgresConnection): void {
    this.#lent.delete(connection)
    connection.release()
  }

  async end(): Promise<void> {
    clearInterval(this.#watch)
    await this.#pool.end()
  }
}

/** Statements that see the rows of one scope: see `postgres-wall.ts`. */
export class PostgresDriver implements Driver {
  readonly #connections: PostgresConnections
  readonly #scope: string

  constructor(connections: PostgresConnections, scope: string) {
    this.#connections = connections
    this.#scope = scope
  }

  async init(): Promise<void> {
    // The pool connects when it is first needed.
  }

  acquireConnection(): Promise<PostgresConnection> {
    return this.#connections.lend(this.#scope)
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings
    connection.begin(
      ['begin', isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(' '),
    )
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    const { command } = await connection.end('commit')
    // What a transaction gets that was lost in a way nobody has noticed.
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered COMMIT with ${command}`)
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    connection.forgetUnsent()
    await connection.end('rollback')
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    this.#connections.takeBack(connection)
  }

  async destroy(): Promise<void> {
    // Other scopes use the same connections.
  }
}

/** A connection of the pool, for as long as somebody has it. */
class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #rules: ConnectionRules
  readonly #scope: string
  /** Inserts that go out with the next statement. */
  #unsent: KnownQuery[] = []
  #begin: string | undefined
  #isInTransaction = false
  /** The first error in the transaction: PostgreSQL does nothing more in it. */
  #failed: Error | undefined
  #lost: Error | undefined
  #unanswered = 0
  /** When PostgreSQL last answered, or was asked while it owed nothing. */
  #lastHeard = 0

  constructor(client: pg.PoolClient, rules: ConnectionRules, scope: string) {
    this.#client = client
    this.#rules = rules
    this.#scope = scope
  }

  async executeQuery<R>(query: KnownQuery): Promise<QueryResult<R>> {
    if (query.isUnhurried && this.#isInTransaction) {
      this.#unsent.push(query)
      return { rows: [] }
    }
    const { command, rowCount, rows } = await this.run(query.sql, query.parameters, query.isRepeated)
    return {
      // safe because Kysely derived R from the columns that the query returns
      rows: rows as R[],
      ...(changing.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    }
  }

  // biome-ignore lint/correctness/useYield: nothing in this project is large enough to be streamed from a query
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('PostgreSQL results are not streamed')
  }

  /** Sends a statement after everything that waits to be sent. Throws the first error among all of them. */
  async run(text: string, values: readonly unknown[] = [], isRepeated = false): Promise<Answer> {
    const isAlone = !this.#isInTransaction && this.#rules.perTransaction !== undefined
    if (isAlone) this.#begin = 'begin'
    const earlier = this.#tellScope()
    for (const { sql, parameters } of joinInserts(this.#unsent)) earlier.push(this.#send(sql, parameters, true))
    this.#unsent = []
    const answer = this.#send(text, values, isRepeated)
    if (isAlone) earlier.push(answer, this.#send('commit', [], false))
    for (const one of earlier) await one
    return answer
  }

  /** Begins a transaction; the statement goes out with the next one. */
  begin(text: string): void {
    this.#isInTransaction = true
    this.#failed = undefined
    this.#begin = text
  }

  async end(text: 'commit' | 'rollback'): Promise<Answer> {
    const answer = await this.run(text)
    this.#isInTransaction = false
    this.#failed = undefined
    return answer
  }

  forgetUnsent(): void {
    this.#unsent = []
  }

  giveUpIfSilent(since: number): void {
    if (this.#unanswered > 0 && this.#lastHeard < since)
      this.#lose(new Error('Connection terminated: no answer in time'))
  }

  hasAnswered(since: number): boolean {
    return this.#unanswered === 0 || this.#lastHeard > since
  }

  /** A connection that failed under a statement is thrown away instead of being used again. */
  release(): void {
    if (this.#unsent.length > 0) this.#lost ??= new Error('a transaction ended before its inserts were sent')
    this.#client.release(this.#lost)
  }

  /** BEGIN, if it is due, and whose rows may be seen from here on, if PostgreSQL does not know it yet. */
  #tellScope(): Promise<Answer>[] {
    const begin = this.#begin
    this.#begin = undefined
    if (this.#rules.perTransaction !== undefined)
      return begin === undefined
        ? []
        : [this.#send(`${begin}; ${this.#rules.perTransaction}; set local ${told(this.#scope)}`, [], false)]
    const sent: Promise<Answer>[] = []
    if (!this.#isInTransaction || begin !== undefined) {
      // Before BEGIN, so that a rollback does not take it back. It is remembered for as long as the session lives.
      if (scopes.get(this.#client) !== this.#scope) {
        const answer = this.#send(`set ${told(this.#scope)}`, [], false)
        scopes.set(this.#client, this.#scope)
        answer.catch((error) => this.#lose(error))
        sent.push(answer)
      }
    }
    if (begin !== undefined) sent.push(this.#send(begin, [], false))
    return sent
  }

  /** Ends the connection at once: nothing that was meant to follow may reach PostgreSQL. */
  #lose(error: Error): void {
    this.#lost = error
    this.#client.connection.stream.destroy()
  }

  #send(text: string, values: readonly unknown[], isRepeated: boolean): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      // Not even a rollback can be sent any more, and waiting for its answer would double the delay.
      if (this.#lost) return reject(this.#lost)
      let isSent = false
      // safe because pg does not change the values
      const query = new RowQuery(text, values as unknown[], (error, result) => {
        this.#unanswered--
        this.#lastHeard = performance.now()
        // A value that cannot be written: PostgreSQL has not heard of it and would go on.
        if (error && !isSent) this.#lose(error)
        if (!error && !query.failure)
          return resolve({ command: result.command, rowCount: result.rowCount, rows: query.made })
        // What was skipped says nothing of its own. A statement whose preparation was skipped is not a lost one.
        if (this.#failed && isSkipped(error)) return reject(this.#failed)
        if (this.#isInTransaction) this.#failed ??= error
        if (this.#rules.isConnectionLost(error)) this.#lost ??= error
        reject(this.#lost ?? error ?? query.failure)
      })
      if (this.#unanswered++ === 0) this.#lastHeard = performance.now()
      // Not said in an object with the text: pg would copy that, property by property.
      if (isRepeated && this.#rules.perTransaction === undefined) query.name = statementName(text)
      this.#client.query(query)
      isSent = true
    })
    // Whoever looks at it is told; that nobody does because an earlier one failed is no fault.
    answer.catch(() => undefined)
    return answer
  }
}

/** What the session of each connection was last told. */
const scopes = new WeakMap<pg.PoolClient, string>()

interface Answer {
  command: string
  rowCount: number | null
  rows: readonly unknown[]
}

type Insert = Pick<CompiledQuery, 'sql' | 'parameters'>

/** The inserts as one statement, or as they are where one would have too many parameters. */
function joinInserts(inserts: readonly Insert[]): readonly Insert[] {
  if (inserts.length < 2) return inserts
  const all: unknown[] = []
  for (const { parameters } of inserts) for (const parameter of parameters) all.push(parameter)
  if (all.length > maximumJoinedParameters) return inserts
  const name = inserts.map(({ sql }) => sql).join('\n')
  let joined = joinedTexts.get(name)
  if (joined === undefined) {
    if (joinedTexts.size >= maximumStatements) joinedTexts.clear()
    joined = joinTexts(inserts)
    joinedTexts.set(name, joined)
  }
  return [{ sql: joined, parameters: all }]
}

/** `with first as (insert …), second as (insert …) insert …`, its parameters numbered through. */
function joinTexts(inserts: readonly Insert[]): string {
  let before = 0
  const texts = inserts.map(({ sql, parameters }) => {
    const shift = before
    before += parameters.length
    return sql.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + shift}`)
  })
  const parts = texts.slice(0, -1).map((text, index) => `part_${index} as (${text})`)
  return `with ${parts.join(', ')} ${texts.at(-1)}`
}

/** Texts already joined, by the inserts they were made of. */
const joinedTexts = new Map<string, string>()
const maximumJoinedParameters = 500

/** Under this name the server keeps a statement prepared, connection by connection; so many, and no more. */
function statementName(text: string): string | undefined {
  let name = statementNames.get(text)
  if (name === undefined && statementNames.size < maximumStatements) {
    name = `portico_${statementNames.size + 1}`
    statementNames.set(text, name)
  }
  return name
}
const statementNames = new Map<string, string>()
const maximumStatements = 500

/** The transaction has failed; or it had when the statement, which this one takes for prepared, was to be prepared. */
function isSkipped(error: Error | undefined): boolean {
  return error !== undefined && 'code' in error && (error.code === '25P02' || error.code === '26000')
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE'])
