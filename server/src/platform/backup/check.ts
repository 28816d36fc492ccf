// Reads a whole backup before anything is changed: a broken one must not leave half of itself behind.
import { createHash, type Hash, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { primaryKeys } from '../database/tables.ts'
import { counted } from '../values/counted.ts'
import { BackupError, type Heading, type KeptFile, type Line, line, type Row, readHeading, readLines } from './lines.ts'

export interface CheckedBackup {
  heading: Heading
  /** How many rows each table has. */
  tables: Map<string, number>
  rows: number
  /** Its code was made with the secret key. Without it, nobody can tell whether the backup was changed. */
  isAuthentic: boolean
  files: { whole: Set<string>; missing: string[]; damaged: string[]; removed: string[] }
}

/** Throws a sentence unless the backup is complete, consistent in itself, as it was written, and one of this deployment. */
export async function checkBackup(context: Pick<Context, 'config' | 'vault'>, file: string): Promise<CheckedBackup> {
  const heading = await readHeading(file)
  const checked: CheckedBackup = {
    heading,
    tables: new Map(),
    rows: 0,
    isAuthentic: false,
    files: { whole: new Set(), missing: [], damaged: [], removed: [] },
  }
  const unknownTables = new Set<string>()
  const check = createLineCheck(checked, unknownTables)
  const code = context.vault.startCode('backup', heading.key_check)
  let end: number | undefined
  for await (const { entry, number, text } of readLines(file)) {
    const problem = end === undefined ? check(entry) : 'comes after the end of the backup'
    if (problem !== undefined)
      throw new BackupError(`${file} is damaged: line ${number} ${problem}. Use a different backup.`)
    if ('end' in entry) {
      end = entry.end
      if (!code || entry.code === undefined) continue
      code.update(line({ end }))
      if (!isSame(code.digest('base64url'), entry.code) || text !== line({ end, code: entry.code }))
        throw new BackupError(
          `${file} was changed after it was written, or is damaged: its authentication code does not match its content. Use a different backup.`,
        )
      checked.isAuthentic = true
    } else code?.update(text)
  }
  const { rows, files } = checked
  if (end === undefined && rows === heading.rows)
    throw new BackupError(`${file} is incomplete: its last line is missing. Use a different backup.`)
  if (end !== rows || rows !== heading.rows)
    throw new BackupError(
      `${file} is incomplete: it should contain ${counted(heading.rows, 'row')} but contains ${rows}. Use a different backup.`,
    )
  const found = files.whole.size + files.missing.length + files.damaged.length + files.removed.length
  if (found !== (heading.files ?? 0))
    throw new BackupError(
      `${file} is incomplete: it should contain ${counted(heading.files ?? 0, 'file')} but contains ${found}. Use a different backup.`,
    )
  requireSameDeployment(context, heading)
  if (unknownTables.size > 0)
    throw new BackupError(
      `The backup contains a table that this release does not know: ${[...unknownTables].join(', ')}. Restore it with the release that created it. ${checked.isAuthentic ? '' : 'If that is this release, the file is damaged: use a different backup.'}`.trimEnd(),
    )
  return checked
}

/** Of a backup without a code. */
export const cannotBeChecked =
  'The backup has no authentication code: an earlier release wrote it, or somebody removed the code. Whether it was changed cannot be checked.'

function isSame(made: string, read: string): boolean {
  const [one, other] = [Buffer.from(made), Buffer.from(String(read))]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** What is wrong with a line after those before it, as the end of a sentence. */
function createLineCheck(checked: CheckedBackup, unknownTables: Set<string>): (entry: Line) => string | undefined {
  const { tables, files } = checked
  let table = ''
  let columns = ''
  let file: (KeptFile & { digest: Hash }) | undefined
  const takeRow = (row: Row): string | undefined => {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'is not a row'
    if (unknownTables.has(table)) {
      checked.rows++
      return undefined
    }
    if (!isTable(table)) return 'is a row without a table'
    const missing = primaryKeys[table].find((column) => row[column] === undefined || row[column] === null)
    if (missing !== undefined) return `is a row of the table ${table} without ${missing}`
    const names = Object.keys(row).join()
    columns ||= names
    if (names !== columns) return `is a row of the table ${table} with different columns than the rows before it`
    tables.set(table, (tables.get(table) ?? 0) + 1)
    checked.rows++
    return undefined
  }
  const endFile = (end: string): string | undefined => {
    if (!file) return 'ends a file that did not begin'
    const { key, sha256, digest } = file
    file = undefined
    if (end === 'missing') files.missing.push(key)
    else if (end === 'damaged') files.damaged.push(key)
    else if (end === 'removed') files.removed.push(key)
    else if (digest.digest('hex') === sha256) files.whole.add(key)
    else return `ends the file ${key}, whose bytes do not match its SHA-256`
    return undefined
  }
  return (entry) => {
    if ('row' in entry) return takeRow(entry.row)
    if ('table' in entry) {
      table = entry.table
      // Said at the end: a damaged file is found to be one only there.
      if (!isTable(table)) {
        unknownTables.add(table)
        return undefined
      }
      columns = ''
      tables.set(table, 0)
      return undefined
    }
    if ('file' in entry) file = { ...entry.file, digest: createHash('sha256') }
    else if ('bytes' in entry) file?.digest.update(Buffer.from(entry.bytes, 'base64'))
    else if ('file_end' in entry) return endFile(entry.file_end)
    else if (!('end' in entry || 'portico_backup' in entry)) return 'is not a line of a backup'
    return undefined
  }
}

export function isTable(name: string): name is keyof typeof primaryKeys {
  return Object.hasOwn(primaryKeys, name)
}

function requireSameDeployment(context: Pick<Context, 'config' | 'vault'>, heading: Heading): void {
  if (!context.vault.keys.known().includes(heading.key_check))
    throw new BackupError(
      'The backup was created with a different secret key. Copy that secret.key into the data directory, or set PORTICO_SECRET_KEY to that key. A key from before a rotation goes to PORTICO_SECRET_KEY_PREVIOUS.',
    )
  if (heading.environment !== context.config.environment)
    throw new BackupError(
      `The backup is from a ${heading.environment} deployment. Set PORTICO_ENVIRONMENT=${heading.environment} to restore it.`,
    )
}
