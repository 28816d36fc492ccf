import type { Database, Tx } from './database.ts'

/**
 * One unchanging view of the data for as long as it is needed, for what reads rows first and does something longer after
 * them: a view that stays open keeps PostgreSQL from cleaning up, and lets the log of SQLite grow.
 */
export async function holdSnapshot(database: Database): Promise<{ tx: Tx; end(): Promise<void> }> {
  const needed = promiseToKeep<void>()
  const opened = promiseToKeep<Tx>()
  const work = database.snapshot(async (tx) => {
    opened.keep(tx)
    await needed.promise
  })
  // A snapshot that cannot be opened is never needed.
  const tx = await Promise.race([opened.promise, work.then(() => opened.promise)])
  return {
    tx,
    async end() {
      needed.keep()
      await work
    },
  }
}

function promiseToKeep<T>() {
  let keep: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => {
    keep = resolve
  })
  return { promise, keep }
}
