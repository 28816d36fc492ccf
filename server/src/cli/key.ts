import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  createKey,
  endOfKey,
  type Overlap,
  overlapsMs,
  requirePortal,
  revokeKey,
  rotateKey,
} from '../building-blocks/portals/commands.ts'
import { listKeys } from '../building-blocks/portals/queries.ts'
import { type RateLimits, readRateLimit } from '../platform/config.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'
import { readTime } from './time-option.ts'

type KeyRates = Partial<RateLimits>

export function keyCommands(program: Command): void {
  const key = program.command('key').description('Create, list, revoke and rotate API keys.')
  key
    .command('create')
    .description('Create an API key. The key is shown only once.')
    .requiredOption('--portal <id>', 'the Portal of the key')
    .requiredOption('--name <name>', 'a name that says what the key is for')
    .requiredOption('--grant <grant...>', 'all, a resource, or resource:action; can be repeated')
    .option('--expires <time>', 'when the key expires, such as 2027-01-31T00:00:00Z', readTime)
    .addOption(
      new Option('--rate <limit...>', 'rate limits of this key as requests/seconds, such as read=100/10')
        .argParser(collectRates)
        .default({}, 'the limits of the deployment'),
    )
    .option('--json', 'print JSON')
    .action(
      (options: OutputOptions & { portal: string; name: string; grant: string[]; expires?: string; rate: KeyRates }) =>
        withContext(async (context) => {
          const created = await context.database.transaction((tx) =>
            createKey(tx, context, {
              portal_id: options.portal,
              name: options.name,
              grants: options.grant,
              expires_at: options.expires ?? null,
              rate_limits: options.rate,
            }),
          )
          print(
            options,
            created,
            `Created the key ${created.id}. Store it in a secret manager; it is not shown again:\n\n  ${created.key}\n`,
            `Nobody has seen the new key; it is active. Run: portico key revoke ${created.id}`,
          )
        }),
    )
  key
    .command('list')
    .description('List the API keys of a Portal. The keys themselves are not shown.')
    .requiredOption('--portal <id>', 'the Portal')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { portal: string }) =>
      withContext(async (context) => {
        await requirePortal(context.database.read, options.portal)
        const keys = (await listKeys(context.database.read, options.portal)).map(({ portal_id: _, ...row }) => row)
        const rows = keys.map((row) => ({
          id: row.id,
          name: row.name,
          ends_with: row.last4,
          grants: row.grants.join(' '),
          ends_at: endOfKey(row),
          revoked_at: row.revoked_at,
          last_used_at: row.last_used_at,
        }))
        print(options, keys, rows.length > 0 ? table(rows) : 'This Portal has no keys.')
      }),
    )
  key
    .command('revoke <id>')
    .description('Revoke an API key. All servers reject it within one second.')
    .option('--json', 'print JSON')
    .action((id: string, options: OutputOptions) =>
      withContext(async (context) => {
        const revoked = await context.database.transaction((tx) => revokeKey(tx, context, id))
        print(options, { id, name: revoked.name, revoked: true }, `Revoked the key ${id} (${revoked.name}).`)
      }),
    )
  key
    .command('rotate <id>')
    .description(
      'Replace an API key with a new one that has the same grants. The old key works until the overlap ends.',
    )
    .addOption(
      new Option('--overlap <time>', 'how long the old key continues to work')
        .choices(Object.keys(overlapsMs))
        .default('24h'),
    )
    .option('--json', 'print JSON')
    .action((id: string, options: OutputOptions & { overlap: Overlap }) =>
      withContext(async (context) => {
        const rotated = await context.database.transaction((tx) =>
          rotateKey(tx, context, { key_id: id, overlap: options.overlap }),
        )
        print(
          options,
          rotated,
          `Created the key ${rotated.id}. The old key ${id} works until ${rotated.old_key_ends_at}. Store the new key in a secret manager; it is not shown again:\n\n  ${rotated.key}\n`,
          `Nobody has seen the new key; it is active. Run: portico key revoke ${rotated.id}, then create another one.`,
        )
      }),
    )
}

function collectRates(text: string, rates: KeyRates): KeyRates {
  const [name = '', limit = ''] = text.split('=')
  if (name !== 'read' && name !== 'write' && name !== 'heavy')
    throw new InvalidArgumentError(
      'It must be read=, write= or heavy= followed by requests/seconds, such as read=100/10.',
    )
  try {
    return { ...rates, [name]: readRateLimit(limit) }
  } catch (error) {
    throw new CommandError(`--rate ${name} ${reasonOf(error)}. Example: --rate ${name}=100/10`)
  }
}
