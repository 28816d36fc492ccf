// How many queries a request takes: what it costs must not depend on how much there is.
import type { KyselyPlugin } from 'kysely'
import type { Context } from '../src/platform/context.ts'

/** Counts what is read outside transactions of this process while `work` runs. */
async function countQueries(context: Context, work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      count++
      return result
    },
  }
  const { database } = context
  context.database = { ...database, read: database.read.withPlugin(counter) }
  try {
    await work()
  } finally {
    context.database = database
  }
  return count
}

/** The same for a request that is sent again and again: the least of a few, because now and then a key is looked up. */
export async function countLeastQueries(context: Context, work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let round = 0; round < 4; round++) counts.push(await countQueries(context, work))
  return Math.min(...counts)
}
