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
    .description('Set up the HTTPS endpoint that Autofill asks for facts about a business.')
  provider
    .command('set')
    .description('Set or replace the provider of a Portal; prints the secret it will be sent, once.')
    .requiredOption('--portal <id>', 'the Portal')
    .requiredOption('--url <url>', 'where facts are asked for')
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
          `Autofill of ${portal} may now ask ${url}.\nIt will be sent: Authorization: Bearer ${secret}\nThis secret is not shown again.`,
        )
      }),
    )
  provider
    .command('remove')
    .description('Ask nobody any more.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((options: ProviderOptions) =>
      withContext(async (context) => {
        await context.database.transaction((tx) => removeProvider(tx, context, options.portal))
        print(options, { portal_id: options.portal, url: null }, `Autofill of ${options.portal} asks no provider.`)
      }),
    )
}
