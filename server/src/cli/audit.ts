import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { chainOwners, entriesAfter, findHead, numberBefore } from '../building-blocks/audit-log/queries.ts'
import { beginning, type ChainCheck, type ChainFinding, checkChain } from '../building-blocks/audit-log/verification.ts'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import { chainEntries, countWaiting } from '../platform/audit/chain.ts'
import { AuditEntry } from '../platform/audit/entries.ts'
import { deployment } from '../platform/background/jobs.ts'
import { numberEvents } from '../platform/background/outbox.ts'
import { writeAsDraft } from '../platform/backup/drafts.ts'
import type { Context } from '../platform/context.ts'
import type { Connection } from '../platform/database/database.ts'
import { checkAgainst } from '../platform/protocol/validation.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { withContext } from './session.ts'
import { readTime } from './time-option.ts'

export function auditCommands(program: Command): void {
  const audit = program.command('audit').description('Export the audit log, and prove that nobody has changed it.')
  audit
    .command('export')
    .description('Write the audit log as JSON lines, one entry per line. The server can keep running.')
    .option('--portal <id>', 'only the entries of this Portal')
    .option('--since <time>', 'begin with the first entry of this time, such as 2027-01-31T00:00:00Z', readTime)
    .option('--output <file>', 'write to a file instead of standard output')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .action((options: ExportOptions) =>
      withContext(async (context) => {
        const { output } = options
        const entries = await exportLog(context, options)
        if (output !== undefined)
          print(options, { file: output, entries }, `Wrote ${counted(entries, 'entry', 'entries')} to ${output}.`)
      }),
    )
  audit
    .command('verify')
    .description(
      'Prove that no entry of the audit log was changed, removed or moved. Fails with the first entry that is not as it was written.',
    )
    .option('--portal <id>', 'only the log of this Portal')
    .addOption(new Option('--file <file>', 'an exported file instead of the database').conflicts('portal'))
    .option('--head', 'print the last entry of each log; keep it in a safe place for --expect')
    .option('--expect <hash...>', 'hashes that must be in the log, as printed by --head before')
    .option('--json', 'print JSON')
    .action(async (options: VerifyOptions) => {
      const expected = new Set(options.expect?.map((hash) => hash.toLowerCase()))
      const findings =
        options.file === undefined
          ? await withContext((context) => verifyDatabase(context, options.portal, expected))
          : await verifyFile(options.file, expected)
      report(options, findings, [...expected])
    })
}

interface ExportOptions extends OutputOptions {
  portal?: string
  since?: string
  output?: string
  force?: boolean
}

interface VerifyOptions extends OutputOptions {
  portal?: string
  file?: string
  head?: true
  expect?: string[]
}

async function exportLog(context: Context, { portal, since, output, force = false }: ExportOptions): Promise<number> {
  const { database } = context
  const owners = await ownersOf(database.read, portal)
  let count = 0
  async function* lines() {
    for (const owner of owners) {
      await numberEvents(database, owner)
      await chainEntries(database, owner)
      const after = since === undefined ? 0 : await numberBefore(database.read, owner, since)
      for await (const entry of entriesAfter(database.read, owner, after)) {
        yield `${JSON.stringify(entry)}\n`
        count++
      }
    }
  }
  if (output !== undefined)
    await writeAsDraft(output, force, (draft) =>
      pipeline(Readable.from(lines()), createWriteStream(draft, { mode: 0o600, flags: 'wx' })),
    )
  // What standard output has to say about itself has been said already (watchOutput).
  else await pipeline(Readable.from(lines()), process.stdout, { end: false }).catch(ignoreOutput)
  return count
}

function ignoreOutput(error: unknown): void {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error
}

async function ownersOf(db: Connection, portal: string | undefined): Promise<string[]> {
  if (portal === undefined) return chainOwners(db)
  if (portal !== deployment) await requirePortal(db, portal)
  return [portal]
}

/** A finding, and how many entries wait to be chained; unknown for a file. */
type Finding = ChainFinding & { waiting?: number }

/** On one view of the data, so that the end of the log is that of its entries. What is expected and found is removed. */
export async function verifyDatabase(
  { database }: Pick<Context, 'database'>,
  portal: string | undefined,
  expected: Set<string>,
): Promise<Finding[]> {
  return database.snapshot(async (tx) => {
    const owners = await ownersOf(tx, portal)
    const heads = new Map<string, Awaited<ReturnType<typeof findHead>>>()
    for (const owner of owners) heads.set(owner, await findHead(tx, owner))
    const total = [...heads.values()].reduce((sum, head) => sum + (head?.sequence ?? 0), 0)
    const showProgress = progressBar('Audit log', total)
    const findings: Finding[] = []
    let looked = 0
    for (const owner of owners) {
      const check = checkChain(owner, { isWhole: true })
      // Before the first number nothing may be, either.
      for await (const entry of entriesAfter(tx, owner, Number.MIN_SAFE_INTEGER)) {
        showProgress(++looked)
        if (!check.take(entry)) break
        expected.delete(entry.hash)
      }
      const finding = check.end(heads.get(owner) ?? beginning)
      findings.push({ ...finding, waiting: await countWaiting(tx, owner, mostCounted) })
    }
    return findings
  })
}

const mostCounted = 1_000_000

async function verifyFile(file: string, expected: Set<string>): Promise<Finding[]> {
  const checks = new Map<string, ChainCheck>()
  const isEntry = checkAgainst(AuditEntry)
  let line = 0
  try {
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      line++
      const entry = readEntry(text)
      if (entry === undefined || isEntry(entry).length > 0)
        throw new CommandError(`Line ${line} of ${file} is not an entry of an audit log.`)
      // safe because it has just been checked
      const { portal_id, hash } = entry as AuditEntry
      const check = checks.get(portal_id) ?? checkChain(portal_id, { isWhole: false })
      checks.set(portal_id, check)
      if (check.take(entry as AuditEntry)) expected.delete(hash)
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${file} cannot be read: ${reasonOf(error)}.`)
  }
  return [...checks.values()].map((check) => check.end())
}

function readEntry(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the line is not JSON
  }
}

function report(options: VerifyOptions, findings: readonly Finding[], missing: readonly string[]): void {
  const lines = findings.map((finding) => (options.head ? headOf(finding) : sentenceOf(finding)))
  const expectations = missing.map(
    (hash) => `${hash}: not in the log. Entries up to the one with this hash were removed or replaced.`,
  )
  print(
    options,
    { chains: findings, missing },
    [...lines.filter((line) => line !== ''), ...expectations].join('\n') || 'The audit log is empty.',
  )
  const broken = findings.filter((finding) => finding.broken).length
  if (broken + missing.length > 0)
    throw new CommandError(
      `The audit log is not as it was written: ${counted(broken, 'broken log')}, ${counted(missing.length, 'missing hash', 'missing hashes')}.`,
    )
}

function headOf({ portal_id, head, broken }: Finding): string {
  if (broken) return `${portal_id} broken at entry ${broken.sequence}: ${broken.problem}`
  return head ? `${portal_id} ${head.sequence} ${head.hash}` : ''
}

function sentenceOf({ portal_id, entries, broken, waiting = 0 }: Finding): string {
  const waits = waiting > 0 ? ` ${counted(waiting, 'entry waits', 'entries wait')} to be added.` : ''
  if (broken) {
    const name = broken.id === null ? `Entry ${broken.sequence}` : `Entry ${broken.sequence} (${broken.id})`
    return `${portal_id}: ${name} is broken: ${broken.problem}.${waits}`
  }
  return `${portal_id}: ${counted(entries, 'entry', 'entries')}, unbroken.${waits}`
}
