// The erasures that there are: which of them are finished, and what one that is not has left to do.
import { existsSync } from 'node:fs'
import { withdrawDeal } from '../areas/deal-applications/expiry-commands.ts'
import { completeErasures, rememberErasures } from '../building-blocks/peoples-data/commands.ts'
import { countHeld, heldTables, type Subject } from '../building-blocks/peoples-data/holdings.ts'
import { type LedgerEntry, ledgerFile, readLedger } from '../building-blocks/peoples-data/ledger.ts'
import { countUnfinished, type Erasure, listErasures } from '../building-blocks/peoples-data/queries.ts'
import { tablesOfIds } from '../building-blocks/peoples-data/traces.ts'
import { hour, isoTime } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Connection } from '../platform/database/database.ts'
import { inTransaction } from '../platform/database/races.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { removeTraces, tracesSentence } from './business-compact.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'

/** `listed`: it stands in the list beside the secret key alone; a background job takes it over if its Portal is there. */
type ListedErasure = LedgerEntry & { state: Erasure['state'] | 'listed'; completed_at: string | null }

export async function showErasures(context: Context, options: OutputOptions): Promise<void> {
  const known = await allErasures(context)
  if (options.json) {
    process.stdout.write(known.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    return
  }
  const states = { completed: 'finished', pending: 'not finished', listed: 'only in the list' }
  const rows = known.map(({ at, state, portal_id, business_id, erasure_id }) => ({
    at,
    state: states[state],
    portal_id,
    business_id,
    erasure_id,
  }))
  print(options, known, rows.length > 0 ? table(rows) : 'Nothing was erased.')
}

/** Those of the database and those of the list beside the secret key, each once. */
async function allErasures(context: Context): Promise<ListedErasure[]> {
  const stored = (await listErasures(context.database.read)).map(
    ({ portal_id, business_id, id, requested_at, scope, state, completed_at }): ListedErasure => ({
      portal_id,
      business_id,
      erasure_id: id,
      at: requested_at,
      scope,
      state,
      completed_at,
    }),
  )
  const known = new Set(stored.map(({ business_id }) => business_id))
  const list = await readLedger(ledgerFile(context.config))
  const listed = list.filter(({ business_id }) => !known.has(business_id))
  return [...stored, ...listed.map((entry): ListedErasure => ({ ...entry, state: 'listed', completed_at: null }))]
}

export async function applyErasures(context: Context, file: string, options: OutputOptions): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`${file} does not exist.`)
  const entries = await readLedger(file)
  await inTransaction(context.database, (tx) => rememberErasures(tx, context, entries))
  const done = await completeErasures(context, { withdraw: withdrawDeal, isAttended: true }).catch(async (error) => {
    const unfinished = await countUnfinished(context.database.read)
    throw new CommandError(
      `${counted(unfinished, 'erasure')} ${unfinished === 1 ? 'is' : 'are'} not finished: ${reasonOf(error)}. ${tryAgain}`,
      { cause: error },
    )
  })
  if (done.length > 0) await removeTraces(context)
  print(
    options,
    { applied: done.length, listed: entries.length },
    `Applied ${done.length} of ${counted(entries.length, 'erasure')} in ${file}; the others were applied before.${done.length > 0 ? tracesSentence(context) : ''}`,
  )
}

const tryAgain =
  'Remove the cause. Background jobs try again every minute; run the same command again to try at once. portico business erasures shows which are finished.'

/** Says of an erasure that failed on its way what is not erased yet. */
export async function unfinishedErasure(
  { database }: Context,
  { id, portal_id, business_id }: Erasure,
  error: unknown,
): Promise<CommandError> {
  // A database that is away has nothing to say of its rows.
  const rows = await countRowsHeld(database.read, { portal_id, business_id }).catch(() => undefined)
  const counts = Object.entries(rows ?? {}).map(([name, count]) => `${name} ${count}`)
  const readable = counts.length > 0 ? `rows that can still be read (${counts.join(', ')}), ` : ''
  const left = `${rows === undefined ? 'rows, ' : readable}and whatever is left of its files and stored responses`
  return new CommandError(
    `The erasure ${id} of ${business_id} is not finished: ${reasonOf(error)}. Not erased yet: ${left.replace(/^and /, '')}. ${tryAgain}`,
    { cause: error },
  )
}

/** What is erased with a business, by table. */
export async function countRowsHeld(db: Connection, subject: Subject): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const name of heldTables) {
    // Attempts stay, too, without what they were answered.
    if (tablesOfIds.has(name) || name === 'webhook_attempts') continue
    const count = await countHeld(db, name, subject)
    if (count > 0) rows[name] = count
  }
  return rows
}

/** For doctor. A job tries every minute, so one that is an hour old is stuck. */
export async function examineErasures({
  database,
  clock,
}: Context): Promise<{ outcome: 'ok' | 'warning'; message: string }> {
  const stuck = await countUnfinished(database.read, isoTime(clock.now() - hour))
  if (stuck === 0) return { outcome: 'ok', message: 'no erasure has been unfinished for more than 1 hour' }
  return {
    outcome: 'warning',
    message: `${counted(stuck, 'erasure')} not finished for more than 1 hour: data that must be erased is still there. The log of the worker has the reason ("an erasure could not be completed"). List them with: portico business erasures`,
  }
}
