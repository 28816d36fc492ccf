import type { Command } from 'commander'
import { setStages } from '../areas/deals/stage-commands.ts'
import { dealStages } from '../areas/deals/stages.ts'
import { forgetFailures } from '../areas/webhooks/endpoints/queries.ts'
import { createPortal, requirePortal, setPortalState } from '../building-blocks/portals/commands.ts'
import { listPortals } from '../building-blocks/portals/queries.ts'
import { type PortalSetting, readSetting, writeSetting } from '../building-blocks/portals/settings.ts'
import { claimDatabase } from '../platform/deployment.ts'
import { readJsonFile } from './json-file.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { portalSettings } from './portal-settings.ts'
import { withContext } from './session.ts'

export function portalCommands(program: Command): void {
  const portal = program.command('portal').description('Manage Portals.')
  portal
    .command('create')
    .description('Create a Portal.')
    .requiredOption('--name <name>', 'the name that integrators see')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { name: string }) =>
      withContext(
        async (context) => {
          await claimDatabase(context)
          const created = await context.database.transaction((tx) => createPortal(tx, context, options))
          print(
            options,
            created,
            `Created the Portal ${created.id} (${created.name}).\nNext: portico key create --portal ${created.id} --name "my integration" --grant all`,
          )
        },
        { mayCreate: true },
      ),
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
          portals.length > 0
            ? table(portals)
            : 'There are no Portals yet. Create one with: portico portal create --name NAME',
        )
      }),
    )
  addSet(portal)
  addStages(portal)
  for (const [verb, state] of [
    ['suspend', 'suspended'],
    ['resume', 'active'],
  ] as const) {
    portal
      .command(`${verb} <id>`)
      .description(
        verb === 'suspend'
          ? 'Reject all requests of a Portal and stop deliveries to its webhooks. Its data is kept.'
          : 'Accept requests of a suspended Portal again, and send the deliveries that waited.',
      )
      .option('--json', 'print JSON')
      .action((id: string, options: OutputOptions) =>
        withContext(async (context) => {
          await context.database.transaction(async (tx) => {
            await setPortalState(tx, context, id, state)
            if (state === 'active') await forgetFailures(tx, id)
          })
          print(options, { id, state }, `The Portal ${id} is ${state}.`)
        }),
      )
  }
}

/** One option for each setting that an area describes. */
function addSet(portal: Command): void {
  const offered = portalSettings.filter(({ description }) => description !== undefined)
  const set = portal.command('set <id>').description('Change the settings of a Portal.')
  for (const setting of offered)
    set.option(`${flagOf(setting)} <value>`, `${setting.description} (default: ${JSON.stringify(setting.default)})`)
  set.option('--json', 'print JSON')
  set.action((id: string, options: OutputOptions, command: Command) =>
    withContext(async (context) => {
      const given = offered.flatMap((setting) => {
        const text: unknown = command.getOptionValue(optionNameOf(setting))
        return typeof text === 'string' ? [{ setting, value: readValue(setting, text) }] : []
      })
      if (given.length === 0) throw new CommandError(`Specify at least one setting: ${offered.map(flagOf).join(', ')}.`)
      await context.database.transaction(async (tx) => {
        for (const { setting, value } of given) await writeSetting(tx, context, id, setting, value)
      })
      print(
        options,
        { id, ...Object.fromEntries(given.map(({ setting, value }) => [setting.name, value])) },
        given.map(({ setting, value }) => `${setting.name} of ${id} is now ${JSON.stringify(value)}.`).join('\n'),
      )
    }),
  )
}

/** The stages of deals, which are too many for an option. */
function addStages(portal: Command): void {
  portal
    .command('stages <id> [file]')
    .description(
      'Print the stages of the deals that a Portal works on, or set them from a JSON file: a list of {"key", "label", "category"}.',
    )
    .option('--json', 'print JSON')
    .action((id: string, file: string | undefined, options: OutputOptions) =>
      withContext(async (context) => {
        await requirePortal(context.database.read, id)
        if (file !== undefined) {
          const stages = readJsonFile(file, { maximumBytes: 100_000 })
          await context.database.transaction((tx) => setStages(tx, context, id, stages))
        }
        const stages = await readSetting(context.database.read, id, dealStages)
        print(options, stages, table(stages))
      }),
    )
}

function flagOf({ name }: PortalSetting): string {
  return `--${name.replaceAll('_', '-')}`
}

/** As commander names an option: in camel case. */
function optionNameOf({ name }: PortalSetting): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Texts as they are, everything else as JSON. What is not JSON stays a text, which the setting then refuses. */
function readValue({ schema }: PortalSetting, text: string): unknown {
  if ('type' in schema && schema.type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
