import { CommanderError } from 'commander'
import color from 'picocolors'
import { AdministrationError } from '../building-blocks/portals/commands.ts'
import { BackupError } from '../platform/backup/lines.ts'
import { ConfigError } from '../platform/config.ts'
import { redactSecrets } from '../platform/logging.ts'
import { ScannerAway } from '../platform/storage/clamav.ts'
import { StoreUnavailable } from '../platform/storage/file-store.ts'
import { ownName, asCalled as withName } from '../platform/values/as-called.ts'
import { reasonOf } from '../platform/values/reason.ts'

/** A failure with a message that says what to do; the program exits with status 1. */
export class CommandError extends Error {}

export interface OutputOptions {
  json?: boolean
}

/** Also before there is a configuration, and where there cannot be one. */
const asCalled = (text: string) => withName(text, process.env.PORTICO_PROGRAM || ownName)

/** What to do if the output is lost, because it is shown only once. */
let ifLost = ''

/** Prints the value as JSON with --json, otherwise the text. */
export function print(options: OutputOptions, value: unknown, text: string, adviceIfLost = ''): void {
  ifLost = adviceIfLost
  process.stdout.write(`${options.json ? JSON.stringify(value) : asCalled(text)}\n`)
}

/** Standard output that cannot be written fails the command with a sentence; a reader that went away needs none. */
export function watchOutput(): void {
  process.stderr.on('error', () => undefined) // nobody is left to hear of it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = 1
    // A reader that went away needs no sentence, unless it was to keep what is shown only once.
    if (error.code !== 'EPIPE' || ifLost)
      process.stderr.write(
        `portico: ${asCalled(`Standard output cannot be written (${error.code}). Check its destination. ${ifLost}`).trimEnd()}\n`,
      )
  })
}

/** For what serves: it goes on, whatever happens to its output. */
export function goOnWithoutOutput(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined)
}

export function table(rows: readonly Record<string, string | null>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return [color.bold(line(columns)), ...rows.map((row) => line(columns.map((column) => row[column] ?? '')))].join('\n')
}

/** Of a text that may have many, as much as fits a line of a table. */
export function firstLine(text: string | null): string {
  return text?.split('\n')[0]?.slice(0, 200) ?? ''
}

export function explainFailure(error: unknown): string {
  if (error instanceof CommanderError)
    return `${reasonOf(error).replace(/^error: /, '')}. Use --help to list commands and options.`
  const isExpected =
    error instanceof CommandError ||
    error instanceof ConfigError ||
    error instanceof AdministrationError ||
    error instanceof BackupError ||
    error instanceof ScannerAway ||
    error instanceof StoreUnavailable
  const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  return redactSecrets(asCalled(text))
}

/** A bar on a terminal, nothing in a pipe. */
export function progressBar(label: string, total: number) {
  const isShown = process.stderr.isTTY && total > 0
  let last = -1
  return (done: number) => {
    if (!isShown) return
    const percent = Math.min(100, Math.floor((done / total) * 100))
    if (percent === last) return
    last = percent
    const filled = Math.round(percent / 4)
    process.stderr.write(
      `\r${label} ${'█'.repeat(filled)}${'░'.repeat(25 - filled)} ${percent} %${percent === 100 ? '\n' : ''}`,
    )
  }
}
