// Whoever was erased after a backup was written is in it. A restore applies the erasures it finds and says where it found
// them, so that nobody forgets them without noticing.
import { existsSync } from 'node:fs'
import { withdrawDeal } from '../areas/deal-applications/expiry-commands.ts'
import { completeErasures, rememberErasures } from '../building-blocks/peoples-data/commands.ts'
import { type LedgerEntry, ledgerFile, readLedger } from '../building-blocks/peoples-data/ledger.ts'
import { AdministrationError } from '../building-blocks/portals/commands.ts'
import { findUnfinished, lockUnfinished, markFinished, markOnceDone } from '../platform/backup/unfinished.ts'
import { noteRestore } from '../platform/backup.ts'
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { inTransaction } from '../platform/database/races.ts'
import { StoreUnavailable } from '../platform/storage/file-store.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { tracesSentence } from './business-compact.ts'
import { CommandError } from './output.ts'

interface AppliedErasures {
  applied: number
  /** The lists that were read, with how many erasures each has. */
  lists: { file: string; erasures: number }[]
}

/** Reads the lists before anything is restored: one that cannot be read stops the restore. */
export async function findErasures(config: Config, given: string | undefined) {
  if (given !== undefined && !existsSync(given)) throw new CommandError(`${given} does not exist.`)
  const own = ledgerFile(config)
  const files = [...new Set([...(existsSync(own) ? [own] : []), ...(given === undefined ? [] : [given])])]
  const lists: { file: string; entries: LedgerEntry[] }[] = []
  for (const file of files) lists.push({ file, entries: await readLedger(file) })
  return {
    // Most stand in both: one is a copy of the other.
    entries: [
      ...new Map(lists.flatMap((list) => list.entries).map((entry) => [JSON.stringify(entry), entry])).values(),
    ],
    lists: lists.map(({ file, entries }) => ({ file, erasures: entries.length })),
  }
}

/**
 * Does what a restore has left to do when its rows are in, and says how many erasures that were. Any number of processes
 * may do it at once. Until it is done, nobody is served: what was erased would be back.
 */
export async function finishRestore(context: Context, more: readonly LedgerEntry[] = []): Promise<number> {
  const { database } = context
  try {
    await inTransaction(database, async (tx) => {
      await lockUnfinished(tx)
      const rest = (await findUnfinished(tx, database.engine))?.rest
      if (rest) await noteRestore(tx, context)
      // safe because it was written from such entries
      const entries = [...((rest ?? []) as LedgerEntry[]), ...more]
      await rememberErasures(tx, context, [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()])
      await markOnceDone(tx)
    })
    const done = await completeErasures(context, { withdraw: withdrawDeal, isAttended: true })
    await markFinished(database)
    if (done.length > 0) await removeTraces(context)
    return done.length
  } catch (error) {
    // Another process was faster.
    if ((await findUnfinished(database.read, database.engine)) === undefined) return 0
    if (!(error instanceof AdministrationError || error instanceof StoreUnavailable)) throw error
    throw new CommandError(
      `The rows of the backup are restored, but erasures that are newer than the backup could not be applied: ${reasonOf(error)}. Nobody is served until they are. Then run the same command again.`,
      { cause: error },
    )
  }
}

/** What is erased is so already: traces in free pages are no reason to stop. */
async function removeTraces({ database, log }: Context): Promise<void> {
  const advice = 'erased rows can still be in free pages of the database file; run: portico business compact'
  const isRemoved = await database.removeTraces().catch((error) => log.error({ err: error }, advice))
  if (isRemoved === false) log.error(advice)
}

export function erasureSentence(
  { config, database }: Pick<Context, 'config' | 'database'>,
  { applied, lists }: AppliedErasures,
  what = 'backup',
): string {
  if (lists.length === 0)
    return `No list of erasures was found at ${ledgerFile(config)}. If businesses were erased after the state of this ${what}, they are back: copy the list of the old deployment, then run: portico business erasures --apply FILE`
  const read = lists.map(({ file, erasures }) => `${file} (${erasures})`).join(', ')
  return `Applied ${counted(applied, 'erasure')} that the ${what} did not contain. Lists read: ${read}.${applied > 0 ? tracesSentence({ database }) : ''}`
}
