// The list of erasures beside the secret key, outside the database and its backups: one line of JSON each, ids only. It
// is written before anything is erased, so that whatever is restored later, nothing that was erased comes back unnoticed.
// Several processes write it at once, whole lines with one append; nothing that stands there is ever taken away.
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
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

/** The entries of a list, each once; none when there is no such file. */
export async function readLedger(file: string): Promise<LedgerEntry[]> {
  // A collected list has an erasure twice when it was collected before it was finished and again afterwards.
  const entries = new Map<string, LedgerEntry>()
  for await (const some of ledgerPages(file)) for (const entry of some) entries.set(JSON.stringify(entry), entry)
  return [...entries.values()]
}

/** The same, some at a time: a list may be larger than the memory, and what stands in it twice comes twice. */
export async function* ledgerPages(file: string): AsyncGenerator<LedgerEntry[]> {
  let number = 0
  for await (const lines of linesOf(file)) {
    const entries = lines.flatMap((line) => {
      number++
      if (line.trim() === '' || line.endsWith(unfinished)) return []
      const entry = entryOf(line)
      if (!entry)
        throw new AdministrationError(`Line ${number} of ${file} is not an erasure. Restore the file from a copy.`)
      return [entry]
    })
    for (let first = 0; first < entries.length; first += pageSize) yield entries.slice(first, first + pageSize)
  }
}

const pageSize = 500

/** The whole lines of a list. A crash while the last one was written leaves a part of it: nothing was erased for it yet. */
async function* linesOf(file: string): AsyncGenerator<string[]> {
  let begun = ''
  try {
    for await (const text of createReadStream(file, 'utf8')) {
      const lines = `${begun}${text}`.split('\n')
      begun = lines.pop() ?? ''
      yield lines
    }
  } catch (error) {
    if (error instanceof AdministrationError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw new AdministrationError(`The list of erasures ${file} cannot be read: ${reasonOf(error)}.`)
  }
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

/** Durable when it returns. Erasures that stand there with the same scope are not written again. */
export async function appendToLedger(config: Pick<Config, 'data_dir'>, entries: readonly LedgerEntry[]): Promise<void> {
  const file = ledgerFile(config)
  const listed = await listedAmong(file, entries)
  const text = entries
    .filter((entry) => !listed.has(entry.erasure_id))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
  try {
    makeDirectories(config.data_dir)
    const handle = openSync(file, 'a+', 0o600)
    try {
      if (text !== '') append(handle, `${endOfLine(handle)}${text}`)
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

/** The ids of those that the list has with the same scope. The list is long, so only the lines of these are parsed. */
async function listedAmong(file: string, entries: readonly LedgerEntry[]): Promise<Set<string>> {
  const wanted = new Map(entries.map((entry) => [entry.erasure_id, JSON.stringify(entry.scope)]))
  const listed = new Set<string>()
  for await (const lines of linesOf(file))
    for (const line of lines) {
      const id = /"erasure_id":"([^"]*)"/.exec(line)?.[1]
      const scope = id === undefined ? undefined : wanted.get(id)
      const entry = scope === undefined || line.endsWith(unfinished) ? undefined : entryOf(line)
      if (entry && JSON.stringify(entry.scope) === scope) listed.add(entry.erasure_id)
    }
  return listed
}

/** In one piece, so that lines of several processes do not mix. */
function append(handle: number, text: string): void {
  const bytes = Buffer.from(text)
  if (writeSync(handle, bytes) < bytes.length) throw new Error('the disk is full')
}

/** Ends a line that was cut off. */
function endOfLine(handle: number): string {
  const { size } = fstatSync(handle)
  const last = Buffer.alloc(1)
  return size === 0 || (readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === newline) ? '' : `${unfinished}\n`
}
const newline = 0x0a

/** Throws a sentence unless the list can be read and written, as far as this can be told without writing. */
export function requireLedger(config: Pick<Config, 'data_dir'>): void {
  const file = ledgerFile(config)
  try {
    makeDirectories(config.data_dir)
    if (existsSync(file)) closeSync(openSync(file, 'a+'))
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
