import type { Command } from 'commander'
import { providerProblem, removeProvider, setProvider } from '../building-blocks/autofill/provider-setting.ts'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import { CommandError, type OutputOptions, print } from './output.ts'
import { withContext } from './session.ts'

interface ProviderOptions extends OutputOptions {
  portal: string
}

export function autofillProviderCommands(program: Command): void {
  const provider = program
    .command('autofill-provider')
    .description('Manage the HTTPS endpoint that Autofill queries for facts about a business.')
  provider
    .command('set')
    .description('Set or replace the Autofill provider of a Portal. The secret is shown only once.')
    .requiredOption('--portal <id>', 'the Portal')
    .requiredOption('--url <url>', 'the HTTPS endpoint of the provider')
    .option('--json', 'print JSON')
    .action((options: ProviderOptions & { url: string }) =>
      withContext(async (context) => {
        await requirePortal(context.database.read, options.portal)
        const problem = providerProblem(context, options.url)
        if (problem !== undefined) throw new CommandError(problem)
        const { url, portal } = options
        const { secret } = await context.database.transaction((tx) => setProvider(tx, context, portal, url))
        print(
          options,
          { portal_id: portal, url, secret },
          `The Autofill provider of ${portal} is now ${url}.\nRequests to it include: Authorization: Bearer ${secret}\nThis secret is not shown again.`,
          'Nobody has seen the new secret; it is in use. Run the command again for another one.',
        )
      }),
    )
  provider
    .command('remove')
    .description('Remove the Autofill provider of a Portal.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((options: ProviderOptions) =>
      withContext(async (context) => {
        await context.database.transaction((tx) => removeProvider(tx, context, options.portal))
        print(options, { portal_id: options.portal, url: null }, `Removed the Autofill provider of ${options.portal}.`)
      }),
    )
}
