import type { Command } from 'commander'
import { createPortal, setIntakeExpiry, setPortalState } from '../building-blocks/portals/commands.ts'
import { listPortals } from '../building-blocks/portals/queries.ts'
import { claimDatabase } from '../platform/deployment.ts'
import { type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

export function portalCommands(program: Command): void {
  const portal = program.command('portal').description('Create and list Portals.')
  portal
    .command('create')
    .description('Create a Portal.')
    .requiredOption('--name <name>', 'the name integrators see')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { name: string }) =>
      withContext(async (context) => {
        await claimDatabase(context)
        const created = await context.database.transaction((tx) => createPortal(tx, context, options))
        print(
          options,
          created,
          `Created the Portal ${created.id} (${created.name}).\nNext: portico key create --portal ${created.id} --name "my integration" --grant all`,
        )
      }),
    )
  portal
    .command('list')
    .description('List the Portals.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async (context) => {
        const portals = (await listPortals(context.database.read)).map(({ portal_id, ...rest }) => ({
          id: portal_id,
          ...rest,
        }))
        print(
          options,
          portals,
          portals.length > 0 ? table(portals) : 'There are no Portals yet. Make one: portico portal create --name NAME',
        )
      }),
    )
  portal
    .command('set <id>')
    .description('Change a setting of a Portal.')
    .requiredOption('--intake-expiry-days <days>', 'how long a client intake application may rest before it expires')
    .option('--json', 'print JSON')
    .action((id: string, options: OutputOptions & { intakeExpiryDays: string }) =>
      withContext(async (context) => {
        const intake_expiry_days = Number(options.intakeExpiryDays)
        await context.database.transaction((tx) => setIntakeExpiry(tx, id, intake_expiry_days))
        print(
          options,
          { id, intake_expiry_days },
          `Applications of ${id} that are begun from now on expire after ${intake_expiry_days} days without an edit.`,
        )
      }),
    )
  for (const [verb, state] of [
    ['suspend', 'suspended'],
    ['resume', 'active'],
  ] as const) {
    portal
      .command(`${verb} <id>`)
      .description(
        verb === 'suspend' ? 'Refuse every request of a Portal, keeping its data.' : 'Let a suspended Portal in again.',
      )
      .option('--json', 'print JSON')
      .action((id: string, options: OutputOptions) =>
        withContext(async (context) => {
          await context.database.transaction((tx) => setPortalState(tx, id, state))
          print(options, { id, state }, `The Portal ${id} is ${state}.`)
        }),
      )
  }
}
