// Statements and transactions on the connections of a driver. Kysely builds the queries; it could run them, too, but
// puts about ten promises around every statement of a transaction, which is more work than many a statement.
import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  Transaction,
  type TransactionSettings,
} from 'kysely'
import type { Connection, StatementTimes, Tx } from './database.ts'
import type { Tables } from './tables.ts'

/** Runs a statement on the connection it is given, and nothing around it. */
class PlainExecutor extends DefaultQueryExecutor {
  readonly #times: StatementTimes
  /** Whether statements may have an effect and an answer, as long as nobody knows. */
  permission: Promise<unknown> | undefined

  constructor(
    compiler: ConstructorParameters<typeof DefaultQueryExecutor>[0],
    adapter: ConstructorParameters<typeof DefaultQueryExecutor>[1],
    provider: ConnectionProvider,
    times: StatementTimes,
  ) {
    super(compiler, adapter, provider)
    this.#times = times
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { permission } = this
    if (permission && !isPlainRead(query)) await permission
    const begun = performance.now()
    let isFailed = true
    try {
      const answer = this.provideConnection((connection) => connection.executeQuery<R>(query))
      if (permission) {
        // Nobody looks at it when permission is refused.
        answer.catch(() => undefined)
        await permission
      }
      const result = await answer
      isFailed = false
      return result
    } finally {
      note(this.#times, query.sql, performance.now() - begun, isFailed)
    }
  }
}

/** It changes nothing, waits for no lock and takes none. */
function isPlainRead({ query }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) && query.endModifiers === undefined && query.with === undefined
}

/**
 * Does work of which nobody knows yet whether it may be done at all, to save a journey to the database: what it reads is
 * asked for at once, together with the question whether it may. Answers, and everything that is not a plain read, wait
 * for the permission. Where that is refused, every statement of the work fails by the refusal, and so does the whole.
 */
export async function doAhead<T>(tx: Tx, permission: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const executor = tx.getExecutor()
  if (!(executor instanceof PlainExecutor)) {
    // Somebody has put something of Kysely's around it: then everything waits.
    await permission
    return work()
  }
  const isGiven = permission.then(() => {
    executor.permission = undefined
  })
  executor.permission = isGiven
  const [given, done] = await Promise.allSettled([isGiven, work()])
  executor.permission = undefined
  if (given.status === 'rejected') throw given.reason
  if (done.status === 'rejected') throw done.reason
  return done.value
}

function note(times: StatementTimes, sql: string, milliseconds: number, isFailed: boolean): void {
  times.statements++
  times.milliseconds += milliseconds
  if (milliseconds > slowMs) times.slow++
  times.observe?.(sql, milliseconds, isFailed)
}

const slowMs = 500

interface Statements {
  /** Each statement by itself, on any connection. */
  db: Connection
  transaction<T>(work: (tx: Tx) => Promise<T>, settings?: TransactionSettings): Promise<T>
}

export function noStatementsYet(): StatementTimes {
  return { statements: 0, milliseconds: 0, slow: 0 }
}

/** `lend` is for whoever has a connection that all statements may use. */
export function openStatements(dialect: Dialect, times: StatementTimes, lend?: ConnectionProvider): Statements {
  const driver = dialect.createDriver()
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()]
  const propsWith = (provider: ConnectionProvider) => ({
    config: { dialect },
    dialect,
    driver,
    executor: new PlainExecutor(compiler, adapter, provider, times),
  })
  const pool: ConnectionProvider = {
    async provideConnection(use) {
      const connection = await driver.acquireConnection()
      try {
        return await use(connection)
      } finally {
        await driver.releaseConnection(connection)
      }
    },
  }
  return {
    db: new Kysely<Tables>(propsWith(lend ?? pool)),
    transaction: (work, settings = {}) =>
      pool.provideConnection(async (connection) => {
        let isOver = false
        const props = propsWith({
          // Afterwards the connection may be anybody's: nothing may reach it from here.
          provideConnection: (use) =>
            isOver ? Promise.reject(new Error('a statement came after the end of its transaction')) : use(connection),
        })
        await driver.beginTransaction(connection, settings)
        try {
          const result = await work(new Transaction<Tables>(props))
          isOver = true
          const begun = performance.now()
          await driver.commitTransaction(connection)
          note(times, 'commit', performance.now() - begun, false)
          return result
        } catch (error) {
          isOver = true
          await driver.rollbackTransaction(connection)
          throw error
        }
      }),
  }
}
