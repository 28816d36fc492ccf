// Statements and transactions on the connections of a driver. Kysely builds the queries; it could run them, too, but
// puts about ten promises around every statement of a transaction, which is more work than many a statement.
import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  Kysely,
  type QueryResult,
  Transaction,
  type TransactionSettings,
} from 'kysely'
import type { Connection, Tx } from './database.ts'
import type { Tables } from './tables.ts'

/** Runs a statement on the connection it is given, and nothing around it. */
class PlainExecutor extends DefaultQueryExecutor {
  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.provideConnection((connection) => connection.executeQuery<R>(query))
  }
}

interface Statements {
  /** Each statement by itself, on any connection. */
  db: Connection
  transaction<T>(work: (tx: Tx) => Promise<T>, settings?: TransactionSettings): Promise<T>
}

/** `lend` is for whoever has a connection that all statements may use. */
export function openStatements(dialect: Dialect, lend?: ConnectionProvider): Statements {
  const driver = dialect.createDriver()
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()]
  const propsWith = (provider: ConnectionProvider) => ({
    config: { dialect },
    dialect,
    driver,
    executor: new PlainExecutor(compiler, adapter, provider),
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
          await driver.commitTransaction(connection)
          return result
        } catch (error) {
          isOver = true
          await driver.rollbackTransaction(connection)
          throw error
        }
      }),
  }
}
