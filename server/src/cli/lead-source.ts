import { type Command, Option } from 'commander'
import { createLeadSource, type NewLeadSource, setLeadSourceActive } from '../areas/businesses/commands.ts'
import { listLeadSources } from '../areas/businesses/lead-source-queries.ts'
import { leadSourceKinds } from '../areas/businesses/schema.ts'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import type { Caller, Context } from '../platform/context.ts'
import { type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

export function leadSourceCommands(program: Command): void {
  const leadSource = program
    .command('lead-source')
    .description('Manage lead sources: where the businesses of a Portal come from.')
  leadSource
    .command('create')
    .description('Create a lead source.')
    .requiredOption('--portal <id>', 'the Portal')
    .requiredOption('--name <name>', 'the name of the lead source')
    .addOption(
      new Option('--kind <kind>', 'the kind of lead source').choices([...leadSourceKinds]).makeOptionMandatory(),
    )
    .option('--requires-detail', 'businesses with this lead source must include lead_source_detail', false)
    .option('--json', 'print JSON')
    .action(
      (
        options: OutputOptions & { portal: string; name: string; kind: NewLeadSource['kind']; requiresDetail: boolean },
      ) =>
        withContext(async (context) => {
          const caller = await callerFor(context, options.portal)
          const { name, kind, requiresDetail: requires_detail } = options
          const id = await context.database.transaction((tx) =>
            createLeadSource(tx, caller, { name, kind, requires_detail }),
          )
          print(options, { id, name, kind, requires_detail }, `Created the lead source ${id} (${name}).`)
        }),
    )
  leadSource
    .command('list')
    .description('List the lead sources of a Portal.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { portal: string }) =>
      withContext(async (context) => {
        const { portal_id } = await callerFor(context, options.portal)
        const page = {
          order: 'name',
          is_descending: false,
          size: 10_000,
          direction: 'forward' as const,
          position: undefined,
        }
        const { items } = await listLeadSources(context.database.read, portal_id, {}, page)
        const rows = items.map(({ id, name, kind, is_active, requires_detail }) => ({
          id,
          name,
          kind,
          is_active,
          requires_detail,
        }))
        print(
          options,
          rows,
          rows.length > 0
            ? table(
                rows.map((row) => ({
                  ...row,
                  is_active: String(row.is_active),
                  requires_detail: String(row.requires_detail),
                })),
              )
            : 'This Portal has no lead sources.',
        )
      }),
    )
  for (const [verb, isActive] of [
    ['deactivate', false],
    ['activate', true],
  ] as const) {
    leadSource
      .command(`${verb} <id>`)
      .description(
        isActive
          ? 'Allow new businesses to use the lead source again.'
          : 'Do not allow new businesses to use the lead source. Existing businesses keep it.',
      )
      .requiredOption('--portal <id>', 'the Portal')
      .option('--json', 'print JSON')
      .action((id: string, options: OutputOptions & { portal: string }) =>
        withContext(async (context) => {
          const caller = await callerFor(context, options.portal)
          await context.database.transaction((tx) => setLeadSourceActive(tx, caller, id, isActive))
          print(options, { id, is_active: isActive }, `The lead source ${id} is ${isActive ? 'active' : 'inactive'}.`)
        }),
      )
  }
}

async function callerFor(context: Context, portalId: string): Promise<Caller> {
  await requirePortal(context.database.read, portalId)
  return { context, portal_id: portalId, request_id: null }
}
