import { Command, CommanderError } from 'commander'
import { autofillProviderCommands } from './autofill-provider.ts'
import { backupCommands } from './backup.ts'
import { contractCommands } from './contract.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { fileCommands } from './files.ts'
import { keyCommands } from './key.ts'
import { leadSourceCommands } from './lead-source.ts'
import { migrateCommand } from './migrate.ts'
import { explainFailure, watchOutput } from './output.ts'
import { portalCommands } from './portal.ts'
import { programCommands } from './program.ts'
import { recipientCommands } from './recipient.ts'
import { serveCommands } from './serve.ts'
import { triggerCommand } from './trigger.ts'
import { webhookCommands } from './webhooks.ts'

// Files that this program creates are readable by its own user only.
process.umask(0o077)
watchOutput()

/** What commander would have written. Errors are printed in our own form; help is printed as it is. */
let written = ''

const program = new Command('portico')
  .description('Run and manage Portico, the service behind a funding Portal.')
  .version('0.1.0')
  .exitOverride()
  .configureOutput({
    writeErr: (text) => {
      written += text
    },
  })
  .configureHelp({ showGlobalOptions: true })

for (const add of [
  serveCommands,
  migrateCommand,
  portalCommands,
  keyCommands,
  leadSourceCommands,
  contractCommands,
  programCommands,
  recipientCommands,
  autofillProviderCommands,
  fileCommands,
  demoCommand,
  doctorCommand,
  backupCommands,
  webhookCommands,
  triggerCommand,
])
  add(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) {
    process.stdout.write(written)
    process.exit(0)
  }
  const message = explainFailure(error)
  const text = process.argv.includes('--json') ? JSON.stringify({ error: message }) : `portico: ${message}`
  // Whatever was opened before the failure must not keep the process alive.
  process.stderr.write(`${text}\n`, () => process.exit(1))
}
