// How many queries a request takes: what it costs must not depend on how much there is.
import type { KyselyPlugin, QueryId, RootOperationNode } from 'kysely'
import type { Context } from '../src/platform/context.ts'
import type { Database } from '../src/platform/database/database.ts'

function counting(count: () => unknown): KyselyPlugin {
  const lookups = new WeakSet<QueryId>()
  return {
    transformQuery: ({ node, queryId }) => {
      if (isLookupOfKey(node)) lookups.add(queryId)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      if (!lookups.has(queryId)) count()
      return result
    },
  }
}

/** The key of a request is looked up now and then by its hash, beside the requests: by time, not by what is asked. */
const isLookupOfKey = (node: RootOperationNode) =>
  node.kind === 'SelectQueryNode' &&
  JSON.stringify(node.from).includes('"api_keys"') &&
  JSON.stringify(node.where ?? null).includes('"hash"')

/** Counts what is read outside transactions of this process while `work` runs. */
async function countQueries(context: Context, work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const counter = counting(() => count++)
  const { database } = context
  const { read, within } = database
  const counted = (one: Database): Database => ({
    ...one,
    read: one.read.withPlugin(counter),
    within: (portalId) => counted(one.within(portalId)),
  })
  // In place: the server has taken the database from the context long ago.
  const { read: readCounted, within: withinCounted } = counted({ ...database })
  Object.assign(database, { read: readCounted, within: withinCounted })
  try {
    await work()
  } finally {
    Object.assign(database, { read, within })
  }
  return count
}

/** Counts the statements inside transactions of this process while `work` runs. */
export async function countWritingStatements(context: Context, work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const counter = counting(() => count++)
  const { database } = context
  const { transaction, within } = database
  const counted = (one: Database): Database['transaction'] => {
    const plain = one.transaction
    // safe because a transaction with a plugin is a transaction
    return (inside) => plain((tx) => inside(tx.withPlugin(counter) as typeof tx)) as ReturnType<typeof inside>
  }
  database.transaction = counted(database)
  database.within = (portalId) => {
    const own = within(portalId)
    return { ...own, transaction: counted(own) }
  }
  try {
    await work()
  } finally {
    Object.assign(database, { transaction, within })
  }
  return count
}

/** What is read by a request that is sent again and again: the least of a few, because now and then a key is looked up. */
export async function countLeastQueries(context: Context, work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let round = 0; round < 4; round++) counts.push(await countQueries(context, work))
  const least = Math.min(...counts)
  if (least === 0) throw new Error('nothing was counted')
  return least
}
