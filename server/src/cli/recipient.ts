import { type Command, Option } from 'commander'
import { requirePortal } from '../building-blocks/portals/commands.ts'
import { publishRecipient } from '../building-blocks/recipients/commands.ts'
import { listRecipients } from '../building-blocks/recipients/list-queries.ts'
import { toRecipient } from '../building-blocks/recipients/records.ts'
import { publishedKinds, type RecipientProfile, visibilities } from '../building-blocks/recipients/schema.ts'
import { inTransaction } from '../platform/database/races.ts'
import { type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

interface PublishOptions extends OutputOptions {
  portal: string
  name: string
  kind: RecipientProfile['kind']
  country: string[]
  contract?: string
  visibility?: RecipientProfile['visibility']
  invite?: string[]
  inviteNone?: true
  notAccepting?: true
  timeZone?: string
  description?: string
  website?: string
}

export function recipientCommands(program: Command): void {
  const recipient = program
    .command('recipient')
    .description('Manage recipients: Portals that receive deals and offer funding programmes.')
  recipient
    .command('publish')
    .description(
      'Publish the recipient profile of a Portal, or change it. State the whole profile: an option that you omit gets its default. Visibility and invitations are kept.',
    )
    .requiredOption('--portal <id>', 'the Portal')
    .requiredOption('--name <name>', 'the name that other Portals see')
    .addOption(new Option('--kind <kind>', 'the kind of recipient').choices([...publishedKinds]).makeOptionMandatory())
    .requiredOption('--country <code...>', 'the countries it works in (ISO 3166-1 alpha-2 codes)')
    .option('--contract <id>', 'the contract of its deal applications')
    .addOption(
      new Option(
        '--visibility <visibility>',
        'who can see it: every Portal (the first default), or invited ones',
      ).choices([...visibilities]),
    )
    .option('--invite <portal...>', 'the Portals that can see it; replaces the invitations made before')
    .addOption(new Option('--invite-none', 'remove all invitations').conflicts('invite'))
    .option('--not-accepting', 'it accepts no new applications')
    .option('--time-zone <zone>', 'its IANA time zone, such as Europe/Berlin (default: UTC)')
    .option('--description <text>', 'what it offers, and to whom')
    .option('--website <url>', 'its website')
    .option('--json', 'print JSON')
    .action((options: PublishOptions) =>
      withContext(async (context) => {
        const caller = { context, portal_id: options.portal, request_id: null }
        const profile = profileOf(options)
        const { id, name, visibility } = await inTransaction(context.database, (tx) =>
          publishRecipient(tx, caller, profile),
        )
        const readers = visibility === 'open' ? 'Every Portal' : 'Invited Portals'
        print(options, { id }, `Published the recipient ${id} (${name}). ${readers} can see it.`)
      }),
    )
  recipient
    .command('list')
    .description('List the recipients that a Portal can see.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { portal: string }) =>
      withContext(async (context) => {
        const { read } = context.database
        await requirePortal(read, options.portal)
        const page = {
          order: 'name',
          is_descending: false,
          size: 10_000,
          direction: 'forward' as const,
          position: undefined,
        }
        const { items } = await listRecipients(read, options.portal, {}, page)
        const recipients = items.map((row) => toRecipient(context, options.portal, row))
        const shown = recipients.map(({ id, name, kind, countries, accepting_applications }) => ({
          id,
          name,
          kind,
          countries: countries.join(' '),
          accepting_applications: String(accepting_applications),
        }))
        print(options, recipients, table(shown))
      }),
    )
}

function profileOf(options: PublishOptions): RecipientProfile {
  return {
    name: options.name,
    kind: options.kind,
    countries: options.country,
    description: options.description,
    website: options.website,
    time_zone: options.timeZone,
    accepting_applications: !options.notAccepting,
    application_contract_id: options.contract,
    visibility: options.visibility,
    invitations: options.inviteNone ? [] : options.invite,
  }
}
