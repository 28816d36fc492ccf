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
import { isTime } from '../platform/values/times.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

type KeyRates = Partial<RateLimits>

export function keyCommands(program: Command): void {
  const key = program.command('key').description('Create, list, revoke and rotate API keys.')
  key
    .command('create')
    .description('Create an API key. Its value is shown once, here.')
    .requiredOption('--portal <id>', 'the Portal it belongs to')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--grant <grant...>', 'all, a resource, or resource:action; may be repeated')
    .option('--expires <time>', 'when it ends: a time such as 2027-01-31T00:00:00Z', readTime)
    .option('--rate <limit...>', 'its own limits, such as read=100/10', collectRates, {})
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
            `Created the key ${created.id}. This is its value, shown once; keep it in a secret manager:\n\n  ${created.key}\n`,
          )
        }),
    )
  key
    .command('list')
    .description('List the keys of a Portal, without their values.')
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
    .description('End a key. It is refused everywhere within one second.')
    .option('--json', 'print JSON')
    .action((id: string, options: OutputOptions) =>
      withContext(async (context) => {
        const revoked = await context.database.transaction((tx) => revokeKey(tx, context, id))
        print(options, { id, name: revoked.name, revoked: true }, `Revoked the key ${id} (${revoked.name}).`)
      }),
    )
  key
    .command('rotate <id>')
    .description('Create a second key with the same grants; the first goes on working for the overlap.')
    .addOption(
      new Option('--overlap <time>', 'how long the old key goes on working')
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
          `Created the key ${rotated.id} in place of ${id}, which ends at ${rotated.old_key_ends_at}. Its value, shown once:\n\n  ${rotated.key}\n`,
        )
      }),
    )
}

function readTime(text: string): string {
  if (!isTime(text)) throw new InvalidArgumentError('Give a time such as 2027-01-31T00:00:00Z.')
  return new Date(text).toISOString()
}

function collectRates(text: string, rates: KeyRates): KeyRates {
  const [name = '', limit = ''] = text.split('=')
  if (name !== 'read' && name !== 'write' && name !== 'heavy')
    throw new InvalidArgumentError('Give read=, write= or heavy= with requests/seconds, such as read=100/10.')
  try {
    return { ...rates, [name]: readRateLimit(limit) }
  } catch (error) {
    throw new CommandError(`--rate ${text} ${error instanceof Error ? error.message : ''}`)
  }
}
