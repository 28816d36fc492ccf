// Runs the examples of a guide as a reader would: one after the other in one shell, in a directory of their own.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const readGuide = (name: string) => readFileSync(new URL(`../../docs/guides/${name}`, import.meta.url), 'utf8')

/** The examples that are to be run, and the error that one is to show. */
export function examplesIn(guide: string): { code: string; error: string | undefined }[] {
  return [...guide.matchAll(/```bash run(?: error (\w+))?\n([\s\S]*?)\n```/g)].map(([, error, code = '']) => ({
    error,
    code,
  }))
}

/** The rows of the tables under a heading, as cells. */
export function tableOf(guide: string, heading: string): string[][] {
  return (guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
}

export interface ExampleAnswer {
  printed: string
  /** Of each of its requests. */
  statuses: number[]
}

export async function runExamples(
  examples: readonly string[],
  environment: Record<string, string>,
  files: Readonly<Record<string, string>> = {},
): Promise<ExampleAnswer[]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-guide-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(directory, 'node_modules'))
  const mark = '--- the next example ---'
  // Statuses go where no example looks, so that requests whose answers go into files are seen as well.
  const script = [
    `curl() { command curl -w '%{stderr}status %{http_code}\\n' "$@"; }`,
    examples.join(`\necho; echo '${mark}'; echo '${mark}' >&2\n`),
  ]
  try {
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euc', script.join('\n')], {
      cwd: directory,
      timeout: 170_000,
      env: { PATH: process.env.PATH ?? '', ...environment },
    })
    const told = stderr.split(mark)
    return stdout.split(mark).map((printed, index) => ({
      printed: printed.trim(),
      statuses: [...(told[index] ?? '').matchAll(/^status (\d{3})$/gm)].map(([, status]) => Number(status)),
    }))
  } finally {
    rmSync(directory, { recursive: true })
  }
}
