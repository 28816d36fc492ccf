import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { note } from '../platform/audit/notes.ts'
import { asDeployment, deployment } from '../platform/background/jobs.ts'
import { hour, isoTime, second } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { deploymentProblem } from '../platform/deployment.ts'
import { processesWithout } from '../platform/secrets/key-holders.ts'
import { countLeft, enqueueSealing, resumeSealing } from '../platform/secrets/sealing-again.ts'
import { findUnreadable, unreadableSentence } from '../platform/secrets/unreadable-values.ts'
import { counted } from '../platform/values/counted.ts'
import { createVault } from '../platform/vault.ts'
import { CommandError, type OutputOptions, print } from './output.ts'
import { isKeyFileUsed, keysInFile, replaceKeys, secretKeyFile } from './secret-key.ts'
import { withContext } from './session.ts'

/** As long as cursors are valid: they are not stored, so nobody can seal them again. */
const overlapMs = 72 * hour

export function secretCommands(program: Command): void {
  const secret = program.command('secret').description('Rotate the secret key.')
  secret
    .command('rotate')
    .description('Encrypt with a new secret key from now on. Existing values are encrypted again in the background.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async (context) => {
        const key = await rotate(context)
        print(
          options,
          { key },
          `The secret key ${key} is in use. Existing values are encrypted again by the worker: portico secret status shows how many are left. Copy the new key to a safe place now: new backups need it. Keep the old key as long as you keep backups from before.`,
        )
      }),
    )
  secret
    .command('status')
    .description('Show the secret keys and how many values are not encrypted with the current one.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async (context) => {
        const { left, total, removable_at, ...status } = await statusOf(context)
        if (total > 0) await resumeSealing(context)
        const unreadable = total > 0 ? await findSomeUnreadable(context) : undefined
        const tables = Object.entries(left).map(([table, count]) => `${table} ${count}`)
        const others = status.known.filter((key) => key !== status.current)
        print(
          options,
          { ...status, left, total, unreadable: unreadable ?? null, removable_at },
          [
            `Current key: ${status.current}`,
            `Other keys: ${others.join(', ') || 'none'}`,
            `Values not encrypted with the current key: ${total}${tables.length > 0 ? ` (${tables.join(', ')})` : ''}`,
            ...(unreadable ? [unreadable] : []),
            ...(removable_at && others.length > 0 ? [`The other keys are needed until ${removable_at} at least.`] : []),
          ].join('\n'),
        )
      }),
    )
  secret
    .command('retire')
    .description('Remove the old keys from secret.key, when no value and no cursor needs them any more.')
    .option('--force', 'do not wait for cursors from before the rotation to expire')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { force?: true }) =>
      withContext(async (context) => {
        const retired = await retire(context, options.force ?? false)
        print(options, { retired }, `Removed ${counted(retired, 'key')} from ${secretKeyFile(context.config)}.`)
      }),
    )
}

/** The check of the key that is now in use. */
async function rotate(context: Context): Promise<string> {
  const { database, vault, clock } = context
  const before = vault.keys.sealing()
  const next = await database.transaction((tx) => newKey(tx, context))
  await untilEveryProcessKnows(context, next)
  await database.transaction(async (tx) => {
    await lockDeployment(tx)
    requireInFile(context, next)
    const { numUpdatedRows } = await tx
      .updateTable('deployments')
      .set({
        key_check: next,
        sealed_hash_keys: vault.keys.sealHashKeys(next),
        key_changed_at: isoTime(clock.now()),
      })
      .where('portal_id', '=', deployment)
      .where('key_check', '=', before)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n)
      throw new CommandError(
        'The secret key was rotated by another command at the same time. Run: portico secret status',
      )
    await enqueueSealing(tx, context)
    await note(tx, asDeployment(context), { action: 'secret_key.rotated', resource_id: deployment })
  })
  return next
}

/** Made and written to the file, where there is one; otherwise it must be among the settings already. */
async function newKey(tx: Tx, { config, vault }: Context): Promise<string> {
  await lockDeployment(tx)
  const known = vault.keys.known()
  if (!isKeyFileUsed(config)) {
    const [next] = known
    if (next !== undefined && next !== vault.keys.sealing()) return next
    throw new CommandError(
      'PORTICO_SECRET_KEY is the key in use. Generate a new key with: openssl rand -base64 32. Set PORTICO_SECRET_KEY to it and PORTICO_SECRET_KEY_PREVIOUS to the old key, restart every process with both, then run this command again.',
    )
  }
  const keys = keysInFile(config)
  vault.keys.learn(keys)
  // A rotation that was interrupted has left a key that nobody has used.
  const unused = fromCurrentOn(keys, vault.keys.sealing()).slice(1).at(-1)
  if (unused) return checkOf(unused)
  const key = randomBytes(32)
  replaceKeys(config, [...keys, key])
  vault.keys.learn([key])
  return checkOf(key)
}

/** Whoever changes the file of the keys holds this: of two commands at once, neither undoes what the other wrote. */
async function lockDeployment(tx: Tx): Promise<void> {
  await tx
    .updateTable('deployments')
    .set((eb) => ({ key_check: eb.ref('key_check') }))
    .where('portal_id', '=', deployment)
    .execute()
}

/** Nobody may seal with a key that is no longer in the file. */
function requireInFile({ config }: Context, check: string): void {
  if (isKeyFileUsed(config) && !keysInFile(config).map(checkOf).includes(check))
    throw new CommandError(
      `The key to seal with is no longer in ${secretKeyFile(config)}: the file was replaced meanwhile. Nothing was changed. Run this command again.`,
    )
}

const checkOf = (key: Buffer) => createVault(key).keys.sealing()

/** The key that is in use and those behind it, which are newer; all of them if it is not there. */
function fromCurrentOn(keys: readonly Buffer[], current: string): Buffer[] {
  return keys.slice(Math.max(0, keys.map(checkOf).indexOf(current)))
}

/** A process reads the file again every few seconds; one that gets its keys as settings must be restarted. */
async function untilEveryProcessKnows(context: Context, check: string): Promise<void> {
  const deadline = performance.now() + (isKeyFileUsed(context.config) ? patienceMs : 0)
  for (;;) {
    const without = await processesWithout(context, check)
    if (without.length === 0) return
    if (performance.now() > deadline)
      throw new CommandError(
        `These processes do not have the new key: ${without.join(', ')}. Nothing was changed. Restart them with PORTICO_SECRET_KEY and PORTICO_SECRET_KEY_PREVIOUS, then run this command again. A process that was stopped is forgotten after 1 minute.`,
      )
    await new Promise((resolve) => setTimeout(resolve, second / 2))
  }
}

const patienceMs = 30 * second

async function statusOf({ database, vault }: Context) {
  const { key_changed_at } = await database.read
    .selectFrom('deployments')
    .select('key_changed_at')
    .where('portal_id', '=', deployment)
    .executeTakeFirstOrThrow(() => new CommandError('Nobody has used this database yet: there is nothing to rotate.'))
  // Before the first rotation, values do not name their key, and there is only one it can be.
  const left = key_changed_at === null ? {} : await countLeft(database.read, vault)
  return {
    current: vault.keys.sealing(),
    known: vault.keys.known(),
    changed_at: key_changed_at,
    removable_at: key_changed_at === null ? null : isoTime(Date.parse(key_changed_at) + overlapMs),
    left,
    total: Object.values(left).reduce((sum, count) => sum + count, 0),
  }
}

/** How many keys were removed. */
async function retire(context: Context, isForced: boolean): Promise<number> {
  const { config, clock } = context
  const { total, removable_at, current } = await statusOf(context)
  if (total > 0) {
    await resumeSealing(context)
    throw new CommandError(
      `${counted(total, 'value')} still ${total === 1 ? 'needs' : 'need'} an old key. Let the worker finish: portico secret status shows how many are left.`,
    )
  }
  if (!isForced && removable_at !== null && Date.parse(removable_at) > clock.now())
    throw new CommandError(
      `Cursors from before the rotation are valid until ${removable_at}. Wait until then, or add --force: clients then get 400 invalid_cursor and start their lists again.`,
    )
  if (!isKeyFileUsed(config)) {
    const advice =
      config.previous_secret_keys.length > 0
        ? 'No stored value needs an old key: remove PORTICO_SECRET_KEY_PREVIOUS and restart every process.'
        : 'PORTICO_SECRET_KEY_PREVIOUS is not set: there is no old key to remove.'
    throw new CommandError(`The keys are settings, which this command cannot change. ${advice}`)
  }
  const inFile = async (tx: Tx) => {
    await lockDeployment(tx)
    requireInFile(context, current)
    const keys = keysInFile(config)
    const kept = fromCurrentOn(keys, current)
    return { kept, removed: keys.length - kept.length }
  }
  // The file does not roll back. Replaced before the note is committed, it could lose its keys without a trace for ever:
  // a second command would find nothing to do. This way round a crash leaves a note and the keys; the next command
  // removes them, and tells of it again. Better told twice than never.
  const { removed } = await context.database.transaction(async (tx) => {
    const found = await inFile(tx)
    if (found.removed > 0)
      await note(tx, asDeployment(context), { action: 'secret_key.retired', resource_id: deployment })
    return found
  })
  if (removed === 0) return 0
  return context.database.transaction(async (tx) => {
    // Once more: between the two, another command may have changed the file.
    const found = await inFile(tx)
    if (found.removed > 0) replaceKeys(config, found.kept)
    return found.removed
  })
}

/** As many as can be tried while somebody waits; that there are any is what counts. */
async function findSomeUnreadable({ database, vault }: Context): Promise<string | undefined> {
  return unreadableSentence(await findUnreadable(database.read, vault, 10_000))
}

/** After a restore. One key seals, but a backup that was written during a rotation has values of more than one. */
export async function restoredKeyProblem(context: Context): Promise<string | undefined> {
  const { database, vault } = context
  return (await deploymentProblem(context)) ?? unreadableSentence(await findUnreadable(database.read, vault))
}

/** For doctor: what a rotation has left to do. */
export async function examineKeys(context: Context): Promise<{ outcome: 'ok' | 'warning'; message: string }> {
  const { total, known, changed_at, removable_at } = await statusOf(context)
  const unreadable = total > 0 ? await findSomeUnreadable(context) : undefined
  if (unreadable !== undefined) return { outcome: 'warning', message: unreadable }
  if (total > 0)
    return {
      outcome: 'warning',
      message: `${counted(total, 'value')} not encrypted with the current secret key yet; the worker encrypts them again. Keep the old key. To see how far it is, run: portico secret status`,
    }
  if (changed_at !== null && known.length > 1)
    return {
      outcome: 'ok',
      message: `every value is encrypted with the current secret key; old keys are needed until ${removable_at}, then ${
        isKeyFileUsed(context.config)
          ? 'run: portico secret retire'
          : 'remove PORTICO_SECRET_KEY_PREVIOUS and restart every process'
      }`,
    }
  return { outcome: 'ok', message: 'every value is encrypted with the current secret key' }
}
