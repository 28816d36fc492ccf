// Commands of the program inside the test process: what they do and print, without a process for each of them. What is only
// there in a process (its start, signals, exit, locks that end with it, races) is tested with the built program.
import { stripVTControlCharacters } from 'node:util'
import { runCommandLine } from '../src/cli/run-command-line.ts'
import type { AuditEntry } from '../src/platform/audit/entries.ts'
import { deployment } from '../src/platform/background/jobs.ts'
import { cleanEnvironment, jsonOf, type Outcome } from './built-program.ts'

let last: Promise<unknown> = Promise.resolve()

/** One after the other: environment and output belong to the whole process. */
export function runHere(args: readonly string[], environment: Record<string, string>): Promise<Outcome> {
  const outcome = last.then(() => runAlone(args, environment))
  last = outcome.catch(() => undefined)
  return outcome
}

/** The same, for commands that must succeed and print JSON. */
export const jsonHere = (args: readonly string[], environment: Record<string, string>) =>
  jsonOf(runHere, args, environment)

async function runAlone(args: readonly string[], environment: Record<string, string>): Promise<Outcome> {
  const { env, exitCode, stdout, stderr } = process
  const written = { stdout: keepOutput(stdout), stderr: keepOutput(stderr) }
  const umask = process.umask(0o077)
  process.env = cleanEnvironment(environment)
  process.exitCode = undefined
  try {
    const failure = await runCommandLine(args)
    if (failure !== undefined) stderr.write(`${failure}\n`)
    return {
      code: failure === undefined ? Number(process.exitCode ?? 0) : 1,
      stdout: written.stdout.text(),
      stderr: written.stderr.text(),
    }
  } finally {
    process.exitCode = exitCode
    process.env = env
    process.umask(umask)
    written.stdout.stop()
    written.stderr.stop()
  }
}

/** What is written to it from now on is kept, and nobody sees it. */
function keepOutput(stream: NodeJS.WriteStream) {
  const { write } = stream
  const chunks: Buffer[] = []
  const keep = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk))
    const done = rest.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
  stream.write = keep as typeof write // safe because an encoding other than UTF-8 is asked for by nobody
  return {
    // A terminal gets colours, and so does whoever tests in one.
    text: () => stripVTControlCharacters(Buffer.concat(chunks).toString()),
    stop: () => {
      stream.write = write
    },
  }
}

/** What the audit log of the deployment has: each action with the id of its record. */
export async function recordedForDeployment(environment: Record<string, string>): Promise<[string, string][]> {
  const { stdout } = await runHere(['audit', 'export'], environment)
  const entries: AuditEntry[] = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return entries
    .filter(({ portal_id }) => portal_id === deployment)
    .map(({ action, resource }) => [action, resource.id])
}
