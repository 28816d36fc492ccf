import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { archiveBusiness } from '../areas/businesses/commands.ts'
import { withdrawDeal } from '../areas/deal-applications/expiry-commands.ts'
import {
  completeErasure,
  completeErasures,
  type ErasureRequest,
  rememberErasures,
  requestErasure,
} from '../building-blocks/peoples-data/commands.ts'
import { countHeld, heldTables, type Subject } from '../building-blocks/peoples-data/holdings.ts'
import { type LedgerEntry, ledgerFile, readLedger, requireLedger } from '../building-blocks/peoples-data/ledger.ts'
import { findErasureOf, findOwner, listErasures, listOpenDeals } from '../building-blocks/peoples-data/queries.ts'
import type { Context } from '../platform/context.ts'
import { inTransaction } from '../platform/database/races.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { exportBusiness } from './business-export.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

interface EraseOptions extends OutputOptions {
  dryRun?: true
  withdraw?: true
  recipients?: true
  funded?: true
  reason?: string
  yes?: true
}

export function businessCommands(program: Command): void {
  const business = program.command('business').description('Export or erase what is held about a business.')
  business
    .command('export <id>')
    .description('Write everything that is held about a business, files included, to one archive (.tar.gz).')
    .option('--output <file>', 'the archive to write (default: <id>.tar.gz)')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .action((id: string, options: OutputOptions & { output?: string; force?: true }) =>
      withContext(async (context) => {
        const subject = await requireBusiness(context, id)
        const result = await exportBusiness(context, subject, options.output ?? `${id}.tar.gz`, {
          isReplacing: options.force ?? false,
        })
        const missing =
          result.missing_files.length > 0
            ? ` Missing from the file store: ${result.missing_files.join(', ')}. Run: portico files verify`
            : ''
        print(
          options,
          result,
          `Wrote ${sum(result.records)} records and ${counted(result.files, 'file')} to ${result.file}.${missing}`,
        )
      }),
    )
  business
    .command('erase <id>')
    .description('Erase a business with everything that belongs to it. This cannot be undone.')
    .option('--dry-run', 'only show what would be erased and what would be kept')
    .option('--withdraw', 'withdraw its open deals first')
    .option('--recipients', 'also erase the copies of recipients that it was shared with; ask them first')
    .option('--funded', 'also erase funded deals; check how long you must keep them')
    .option('--reason <text>', 'a ticket number or the like; it is kept, so it must not contain data of the business')
    .option('--yes', 'confirm that it cannot be undone; required unless --dry-run')
    .option('--json', 'print JSON')
    .action((id: string, options: EraseOptions) => withContext((context) => erase(context, id, options)))
  business
    .command('erasures')
    .description('List the erasures, as JSON lines with --json: a copy of them belongs to every backup.')
    .option('--apply <file>', 'erase what is in this list, for example after a restore')
    .option('--json', 'print JSON lines')
    .action((options: OutputOptions & { apply?: string }) =>
      withContext(async (context) => {
        if (options.apply !== undefined) return applyErasures(context, options.apply, options)
        const known = await allErasures(context)
        if (options.json) process.stdout.write(known.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
        else {
          const rows = known.map(({ at, portal_id, business_id, erasure_id }) => ({
            at,
            portal_id,
            business_id,
            erasure_id,
          }))
          print(options, known, rows.length > 0 ? table(rows) : 'Nothing was erased.')
        }
      }),
    )
  business
    .command('compact')
    .description('Remove the traces of deleted rows from the SQLite file. Writes wait for it.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async (context) => {
        await removeTraces(context, '')
        print(options, { compacted: true }, 'The database contains no traces of deleted rows.')
      }),
    )
}

async function erase(context: Context, id: string, options: EraseOptions): Promise<void> {
  const request: ErasureRequest = {
    business_id: id,
    scope: { recipients: options.recipients ?? false, funded: options.funded ?? false },
    reason: options.reason ?? null,
    archive: async (tx, caller, business_id) =>
      void (await archiveBusiness(tx, caller, { business_id, ifMatch: null })),
  }
  const earlier = await findErasureOf(context.database.read, id)
  const subject = earlier ? { portal_id: earlier.portal_id, business_id: id } : await requireBusiness(context, id)
  if (options.dryRun) return showPlan(context, subject, request.scope, options)
  if (!options.yes)
    throw new CommandError('Erasing cannot be undone. Add --yes to confirm, or --dry-run to see what would be erased.')
  // Before anything else is done that cannot be undone.
  requireLedger(context.config)
  if (options.withdraw) await withdrawDeals(context, subject)
  const { counts, ...erasure } = await completeErasure(context, await requestErasure(context, request), {
    withdraw: withdrawDeal,
  })
  await removeTraces(context)
  const { kept_deals: kept = 0, ...erased } = counts
  const result = { id: erasure.id, business_id: id, completed_at: erasure.completed_at, erased, kept_deals: kept }
  print(
    options,
    result,
    `Erased ${id}: ${sum(erased)} rows and ${counted(erased.files ?? 0, 'file')}. ${keptSentence(kept)}The erasure is recorded as ${erasure.id} in the database and in ${ledgerFile(context.config)}. Keep a copy of this file with your backups.`,
  )
}

function keptSentence(kept: number): string {
  if (kept === 0) return ''
  return `Kept ${counted(kept, 'deal')} that ${kept === 1 ? 'was' : 'were'} shared with a recipient or funded. `
}

async function showPlan(context: Context, subject: Subject, scope: ErasureRequest['scope'], options: OutputOptions) {
  const { database } = context
  const rows: Record<string, number> = {}
  for (const name of heldTables) {
    const count = await countHeld(database.read, name, subject)
    // Events and deliveries hold ids only, and stay.
    if (count > 0 && !unaffected.has(name)) rows[name] = count
  }
  const deals = await database.read
    .selectFrom('deals')
    .select(['id', 'number', 'state', 'recipient_name', 'recipient_portal_id'])
    .where('portal_id', '=', subject.portal_id)
    .where('business_id', '=', subject.business_id)
    .orderBy('id')
    .execute()
  const kept = deals.flatMap(({ id, state, recipient_name, recipient_portal_id }) => {
    if (recipient_portal_id !== subject.portal_id && !scope.recipients)
      return [{ deal_id: id, why: `${recipient_name} received it and decides about its copy` }]
    return state === 'won' && !scope.funded ? [{ deal_id: id, why: 'it was funded' }] : []
  })
  const open = deals.filter(({ state }) => state === 'open' || state === 'on_hold').map(({ id }) => id)
  const lines = [
    `Would erase, except what belongs to kept deals:\n${Object.entries(rows)
      .map(([name, count]) => `  ${name}: ${count}`)
      .join('\n')}`,
    ...(kept.length > 0 ? [`Would keep:\n${kept.map(({ deal_id, why }) => `  ${deal_id}: ${why}`).join('\n')}`] : []),
    ...(open.length > 0 ? [`Open deals, which must end first (--withdraw): ${open.join(', ')}`] : []),
    'Nothing was changed.',
  ]
  print(options, { business_id: subject.business_id, rows, kept_deals: kept, open_deals: open }, lines.join('\n'))
}
const unaffected: ReadonlySet<string> = new Set([
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'audit_log',
  'erasures',
  'erased_files',
])

async function withdrawDeals(context: Context, subject: Subject): Promise<void> {
  const caller = { context, portal_id: subject.portal_id, request_id: null }
  for (const { id } of await listOpenDeals(context.database.read, subject))
    await inTransaction(context.database, (tx) => withdrawDeal(tx, caller, id))
}

async function requireBusiness(context: Context, id: string): Promise<Subject> {
  const portal_id = await findOwner(context.database.read, id)
  if (portal_id !== undefined) return { portal_id, business_id: id }
  const erasure = await findErasureOf(context.database.read, id)
  throw new CommandError(
    erasure ? `The business ${id} was erased at ${erasure.requested_at}.` : `There is no business ${id}.`,
  )
}

async function applyErasures(context: Context, file: string, options: OutputOptions): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`${file} does not exist.`)
  const entries = readLedger(file)
  await inTransaction(context.database, (tx) => rememberErasures(tx, entries))
  const done = await completeErasures(context, { withdraw: withdrawDeal })
  if (done.length > 0) await removeTraces(context)
  print(
    options,
    { applied: done.length, listed: entries.length },
    `Applied ${done.length} of ${counted(entries.length, 'erasure')} in ${file}; the others were applied before.`,
  )
}

/** Those of the database and those of the list beside the secret key, each once. */
async function allErasures(context: Context): Promise<LedgerEntry[]> {
  const stored = (await listErasures(context.database.read)).map(
    ({ portal_id, business_id, id, requested_at, scope }): LedgerEntry => ({
      portal_id,
      business_id,
      erasure_id: id,
      at: requested_at,
      scope,
    }),
  )
  const known = new Set(stored.map(({ business_id }) => business_id))
  return [...stored, ...readLedger(ledgerFile(context.config)).filter(({ business_id }) => !known.has(business_id))]
}

/** What is erased is so already, whatever happens here. */
async function removeTraces(context: Context, done = 'Everything is erased, but '): Promise<void> {
  const isRemoved = await context.database.removeTraces().catch((error) => {
    throw new CommandError(
      `${done}${done ? 'the' : 'The'} database file could not be rewritten: ${reasonOf(error)}. Its free pages can still contain deleted rows. Free disk space of twice the size of the database, then run: portico business compact`,
      { cause: error },
    )
  })
  if (!isRemoved)
    throw new CommandError(
      `${done}${done ? 'another' : 'Another'} process reads the database: its log still contains older pages. Run: portico business compact`,
    )
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
