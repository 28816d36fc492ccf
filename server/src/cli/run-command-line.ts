import { Command, CommanderError } from 'commander'
import { version } from '../platform/version.ts'
import { explainFailure } from './output.ts'

/** Runs what the arguments say. A failure is not thrown: the text that tells of it is returned, for standard error. */
export async function runCommandLine(args: readonly string[]): Promise<string | undefined> {
  /** What commander would have written. Errors are printed in our own form; help is printed as it is. */
  let written = ''
  const program = new Command('portico')
    .description('Run and manage Portico, the service behind a funding Portal.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        written += text
      },
    })
    .configureHelp({ showGlobalOptions: true })
  try {
    const first = args[0] ?? ''
    const asked = commands.filter(({ names }) => names.includes(first))
    const isVersion = first === '--version' || first === '-V'
    for (const { load } of asked.length > 0 || isVersion ? asked : commands) {
      const add = await load()
      add(program)
    }
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) {
      process.stdout.write(written)
      return undefined
    }
    const message = explainFailure(error)
    return args.includes('--json') ? JSON.stringify({ error: message }) : `portico: ${message}`
  }
}

/**
 * A command loads its own part of the program when it is asked for, the version none; help, and a name that nobody knows,
 * load them all.
 */
const commands: readonly { names: readonly string[]; load(): Promise<(program: Command) => void> }[] = [
  { names: ['serve', 'worker'], load: async () => (await import('./serve.ts')).serveCommands },
  { names: ['migrate'], load: async () => (await import('./migrate.ts')).migrateCommand },
  { names: ['portal'], load: async () => (await import('./portal.ts')).portalCommands },
  { names: ['key'], load: async () => (await import('./key.ts')).keyCommands },
  { names: ['lead-source'], load: async () => (await import('./lead-source.ts')).leadSourceCommands },
  { names: ['contract'], load: async () => (await import('./contract.ts')).contractCommands },
  { names: ['program'], load: async () => (await import('./program.ts')).programCommands },
  { names: ['recipient'], load: async () => (await import('./recipient.ts')).recipientCommands },
  { names: ['autofill-provider'], load: async () => (await import('./autofill-provider.ts')).autofillProviderCommands },
  { names: ['business'], load: async () => (await import('./business.ts')).businessCommands },
  { names: ['files'], load: async () => (await import('./files.ts')).fileCommands },
  { names: ['demo'], load: async () => (await import('./demo.ts')).demoCommand },
  { names: ['clock'], load: async () => (await import('./clock.ts')).clockCommands },
  { names: ['jobs'], load: async () => (await import('./jobs.ts')).jobCommands },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).doctorCommand },
  { names: ['secret'], load: async () => (await import('./secret.ts')).secretCommands },
  { names: ['audit'], load: async () => (await import('./audit.ts')).auditCommands },
  { names: ['database'], load: async () => (await import('./database.ts')).databaseCommands },
  { names: ['backup', 'restore'], load: async () => (await import('./backup.ts')).backupCommands },
  { names: ['webhooks'], load: async () => (await import('./webhooks.ts')).webhookCommands },
  { names: ['trigger'], load: async () => (await import('./trigger.ts')).triggerCommand },
]
