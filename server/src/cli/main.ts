import { watchOutput } from './output.ts'
import { runCommandLine } from './run-command-line.ts'

// Files that this program creates are readable by its own user only.
process.umask(0o077)
watchOutput()

/** For whoever loads the program (server/bin/load-program.js). */
export const ended = runCommandLine(process.argv.slice(2)).then((failure) => {
  // Whatever was opened before the failure must not keep the process alive.
  if (failure !== undefined) process.stderr.write(`${failure}\n`, () => process.exit(1))
})
