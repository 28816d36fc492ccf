// Whoever was erased after a backup was written is in it. A restore applies the erasures it finds and says where it found
// them, so that nobody forgets them without noticing.
import { existsSync } from 'node:fs'
import { withdrawDeal } from '../areas/deal-applications/expiry-commands.ts'
import { completeErasures, rememberErasures } from '../building-blocks/peoples-data/commands.ts'
import { type LedgerEntry, ledgerFile, readLedger } from '../building-blocks/peoples-data/ledger.ts'
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { inTransaction } from '../platform/database/races.ts'
import { counted } from '../platform/values/counted.ts'
import { CommandError } from './output.ts'

interface AppliedErasures {
  applied: number
  /** The lists that were read, with how many erasures each has. */
  lists: { file: string; erasures: number }[]
}

/** Reads the lists before anything is restored: one that cannot be read stops the restore. */
export function findErasures(config: Config, given: string | undefined) {
  if (given !== undefined && !existsSync(given)) throw new CommandError(`${given} does not exist.`)
  const own = ledgerFile(config)
  const files = [...new Set([...(existsSync(own) ? [own] : []), ...(given === undefined ? [] : [given])])]
  const lists = files.map((file) => ({ file, entries: readLedger(file) }))
  const entries: LedgerEntry[] = lists.flatMap((list) => list.entries)
  return {
    async apply(context: Context): Promise<AppliedErasures> {
      await inTransaction(context.database, (tx) => rememberErasures(tx, entries))
      const done = await completeErasures(context, { withdraw: withdrawDeal })
      if (done.length > 0) await context.database.removeTraces()
      return { applied: done.length, lists: lists.map((list) => ({ file: list.file, erasures: list.entries.length })) }
    },
  }
}

export function erasureSentence(config: Config, { applied, lists }: AppliedErasures): string {
  if (lists.length === 0)
    return `No list of erasures was found at ${ledgerFile(config)}. If businesses were erased after this backup was written, they are back: copy the list of the old deployment, then run: portico business erasures --apply FILE`
  const read = lists.map(({ file, erasures }) => `${file} (${erasures})`).join(', ')
  return `Applied ${counted(applied, 'erasure')} that the backup did not contain. Lists read: ${read}.`
}
