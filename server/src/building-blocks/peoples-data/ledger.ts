// The list of erasures beside the secret key, outside the database and its backups: one line of JSON each, ids only. It
// is written before anything is erased, so that whatever is restored later, nothing that was erased comes back unnoticed.
// Several processes write it at once, each line with one append; nothing that stands there is ever taken away.
import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config.ts'
import { directoryAdvice, makeDirectories, syncDirectory } from '../../platform/storage/directories.ts'
import { idPattern } from '../../platform/values/ids.ts'
import { reasonOf } from '../../platform/values/reason.ts'
import { AdministrationError } from '../portals/commands.ts'

export interface LedgerEntry {
  portal_id: string
  business_id: string
  erasure_id: string
  at: string
  scope: { recipients: boolean; funded: boolean }
}

export function ledgerFile({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'erasures.jsonl')
}

/** The entries of a list; none when there is no such file. */
export function readLedger(file: string): LedgerEntry[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new AdministrationError(`The list of erasures ${file} cannot be read: ${reasonOf(error)}.`)
  }
  const lines = text.split('\n')
  // A crash while the last line was written leaves a part of it: nothing was erased for it yet.
  const whole = text.endsWith('\n') ? lines : lines.slice(0, -1)
  const entries = whole.flatMap((line, index) => {
    if (line.trim() === '' || line.endsWith(unfinished)) return []
    const entry = entryOf(line)
    if (!entry)
      throw new AdministrationError(`Line ${index + 1} of ${file} is not an erasure. Restore the file from a copy.`)
    return [entry]
  })
  // A collected list has an erasure twice when it was collected before it was finished and again afterwards.
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

function entryOf(line: string): LedgerEntry | undefined {
  try {
    const { portal_id, business_id, erasure_id, at, scope } = JSON.parse(line)
    const isEntry = portalPattern.test(portal_id) && businessPattern.test(business_id) && !Number.isNaN(Date.parse(at))
    if (!isEntry) return undefined
    const isTrue = (name: string) => scope?.[name] === true
    return {
      portal_id,
      business_id,
      erasure_id,
      at,
      scope: { recipients: isTrue('recipients'), funded: isTrue('funded') },
    }
  } catch {
    return undefined // not JSON
  }
}
const portalPattern = new RegExp(idPattern('ptl'))
const businessPattern = new RegExp(idPattern('biz'))

/** Ends a line that a crash has cut off. Nothing was erased for it: the erasure that it was for has a line of its own. */
const unfinished = ' (unfinished)'

/** Durable when it returns. An erasure that stands there with the same scope is not written again. */
export function appendToLedger(config: Pick<Config, 'data_dir'>, entry: LedgerEntry): void {
  const file = ledgerFile(config)
  try {
    makeDirectories(config.data_dir)
    const handle = openSync(file, 'a', 0o600)
    try {
      const bytes = readFileSync(file)
      if (!isListed(bytes, file, entry)) append(handle, `${endOfLine(bytes)}${JSON.stringify(entry)}\n`)
      // Also for a line that another process wrote and did not come to this.
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    syncDirectory(config.data_dir)
  } catch (error) {
    throw cannotBeWritten(file, error)
  }
}

/** In one piece, so that lines of several processes do not mix. */
function append(handle: number, text: string): void {
  const bytes = Buffer.from(text)
  if (writeSync(handle, bytes) < bytes.length) throw new Error('the disk is full')
}

/** The list is long, and hardly ever has the erasure that is asked for: it is read closely only if it may have. */
function isListed(bytes: Buffer, file: string, { erasure_id, scope }: LedgerEntry): boolean {
  return (
    bytes.includes(erasure_id) &&
    readLedger(file).some((one) => one.erasure_id === erasure_id && JSON.stringify(one.scope) === JSON.stringify(scope))
  )
}

function endOfLine(bytes: Buffer): string {
  return bytes.length === 0 || bytes.at(-1) === newline ? '' : `${unfinished}\n`
}
const newline = 0x0a

/** Throws a sentence unless the list can be read and written, as far as this can be told without writing. */
export function requireLedger(config: Pick<Config, 'data_dir'>): void {
  const file = ledgerFile(config)
  readLedger(file)
  try {
    makeDirectories(config.data_dir)
    if (existsSync(file)) closeSync(openSync(file, 'a'))
    else accessSync(config.data_dir, constants.W_OK)
  } catch (error) {
    throw cannotBeWritten(file, error)
  }
}

function cannotBeWritten(file: string, error: unknown): AdministrationError {
  return new AdministrationError(
    `The list of erasures ${file} cannot be written: ${reasonOf(error)}. Nothing was erased. ${directoryAdvice(error, 'PORTICO_DATA_DIR')}`,
    { cause: error },
  )
}
