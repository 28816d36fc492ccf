import type { Command } from 'commander'
import { archiveBusiness } from '../areas/businesses/commands.ts'
import { withdrawDeal } from '../areas/deal-applications/expiry-commands.ts'
import {
  completeErasure,
  type ErasureRequest,
  removeErasedBytes,
  requestErasure,
} from '../building-blocks/peoples-data/commands.ts'
import { requireAnonymous } from '../building-blocks/peoples-data/erasure-reasons.ts'
import type { Subject } from '../building-blocks/peoples-data/holdings.ts'
import { ledgerFile, requireLedger } from '../building-blocks/peoples-data/ledger.ts'
import { type Erasure, findBusinessToErase, findErasureOf, findOwner } from '../building-blocks/peoples-data/queries.ts'
import type { Context } from '../platform/context.ts'
import { counted } from '../platform/values/counted.ts'
import {
  type CompactOptions,
  compact,
  compactDescription,
  readWait,
  removeTraces,
  tracesSentence,
} from './business-compact.ts'
import { applyErasures, countRowsHeld, showErasures, unfinishedErasure } from './business-erasures.ts'
import { exportBusiness } from './business-export.ts'
import { CommandError, type OutputOptions, print } from './output.ts'
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
        print(
          options,
          result,
          `Wrote ${counted(sum(result.records), 'record')} and ${counted(result.files, 'file')} to ${result.file}.`,
        )
        const { missing_files: missing, damaged_files: damaged } = result
        const wrong = [
          ...(missing.length > 0 ? [`missing from the file store: ${missing.join(', ')}`] : []),
          ...(damaged.length > 0 ? [`different from what was uploaded: ${damaged.join(', ')}`] : []),
        ]
        if (wrong.length > 0)
          throw new CommandError(
            `The archive is complete but for ${counted(missing.length + damaged.length, 'file')}: ${wrong.join('; ')}. Restore these files from a backup, then export again with --force.`,
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
        if (options.apply === undefined) await showErasures(context, options)
        else await applyErasures(context, options.apply, options)
      }),
    )
  business
    .command('compact')
    .description(compactDescription)
    .option('--wait <seconds>', 'how long to wait for other transactions, and for the lock of each table', readWait, 60)
    .option('--json', 'print JSON')
    .action((options: CompactOptions) => withContext((context) => compact(context, options)))
}

async function erase(context: Context, id: string, options: EraseOptions): Promise<void> {
  const request: ErasureRequest = {
    business_id: id,
    scope: { recipients: options.recipients ?? false, funded: options.funded ?? false },
    reason: options.reason ?? null,
    ...(options.withdraw && { withdraw: withdrawDeal }),
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
  const requested = await requestErasure(context, request)
  if (requested.state === 'completed') return printErased(context, requested, options)
  const by = { withdraw: withdrawDeal, isAttended: true }
  const { counts, ...erasure } = await completeErasure(context, requested, by).catch(async (error) => {
    throw await unfinishedErasure(context, requested, error)
  })
  await removeTraces(context)
  const { result, kept, erased } = resultOf({ ...erasure, counts })
  print(
    options,
    result,
    `Erased ${id}: ${counted(sum(erased), 'row')} and ${counted(erased.files ?? 0, 'file')}. ${keptSentence(kept)}The erasure is recorded as ${erasure.id} in the database and in ${ledgerFile(context.config)}. Keep a copy of this file with your backups.${tracesSentence(context)}`,
  )
}

function resultOf({ id, business_id, completed_at, counts }: Erasure) {
  const { kept_deals: kept = 0, ...erased } = counts
  return { result: { id, business_id, completed_at, erased, kept_deals: kept }, kept, erased }
}

/** Done before: bytes can have come back since, from a copy of the file store, and what a job did has left its traces. */
async function printErased(context: Context, erasure: Erasure, options: EraseOptions): Promise<void> {
  const found = await removeErasedBytes(context, erasure)
  await removeTraces(context)
  const { result, kept } = resultOf(erasure)
  const missing = (['recipients', 'funded'] as const).filter((name) => !erasure.scope[name]).map((name) => `--${name}`)
  const sentences = [
    `${erasure.business_id} was erased at ${erasure.completed_at} (${erasure.id}).`,
    found === 0 ? 'Nothing was left to erase.' : `Removed ${counted(found, 'file')} that had come back.`,
    ...(options.reason === undefined ? [] : ['Its reason was not changed.']),
    ...(kept > 0 ? [keptSentence(kept).trim()] : []),
    ...(kept > 0 && missing.length > 0 ? [`To erase more, add ${missing.join(' or ')}.`] : []),
  ]
  print(options, { ...result, returned_files: found }, sentences.join(' ') + tracesSentence(context))
}

function keptSentence(kept: number): string {
  if (kept === 0) return ''
  return `Kept ${counted(kept, 'deal')} that ${kept === 1 ? 'was' : 'were'} shared with a recipient or funded. `
}

async function showPlan(context: Context, subject: Subject, scope: ErasureRequest['scope'], options: EraseOptions) {
  const { database } = context
  // What would be refused is refused here, too.
  requireLedger(context.config)
  const business = await findBusinessToErase(database.read, subject)
  if (business) requireAnonymous(context, options.reason ?? null, business)
  const rows = await countRowsHeld(database.read, subject)
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

async function requireBusiness(context: Context, id: string): Promise<Subject> {
  const portal_id = await findOwner(context.database.read, id)
  if (portal_id !== undefined) return { portal_id, business_id: id }
  const erasure = await findErasureOf(context.database.read, id)
  throw new CommandError(
    erasure ? `The business ${id} was erased at ${erasure.requested_at}.` : `There is no business ${id}.`,
  )
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
