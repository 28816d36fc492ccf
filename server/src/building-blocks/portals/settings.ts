// Settings of a Portal. An area describes a setting; it is kept here, read here and offered by `portico portal set`.
import { type Static, type TSchema, Type } from 'typebox'
import { isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { checkAgainst } from '../../platform/protocol/validation.ts'
import { AdministrationError, noteAct, requirePortal } from './commands.ts'
import { findSetting, upsertSetting } from './queries.ts'

export interface PortalSetting<Schema extends TSchema = TSchema> {
  /** Unique among all settings. `intake_expiry_days` is `--intake-expiry-days` on the command line. */
  name: string
  schema: Schema
  /** The value until an administrator sets another one. */
  default: Static<Schema>
  /** Shown by `portico portal set --help`. Absent when the setting has a command of its own. */
  description?: string
}

export async function readSetting<Schema extends TSchema>(
  db: Connection,
  portalId: string,
  { name, default: ifUnset }: PortalSetting<Schema>,
): Promise<Static<Schema>> {
  const text = await findSetting(db, portalId, name)
  return text === undefined ? ifUnset : JSON.parse(text)
}

/** Accepts any value, because the command line does; throws unless it fits the schema of the setting. */
export async function writeSetting(
  tx: Tx,
  context: Context,
  portalId: string,
  { name, schema }: PortalSetting,
  value: unknown,
): Promise<void> {
  // As a field of an object, so that a problem names the setting.
  const problems = checkAgainst(Type.Object({ [name]: schema }))({ [name]: value })
  if (problems.length > 0) throw new AdministrationError(problems.map(({ message }) => message).join(' '))
  await requirePortal(tx, portalId)
  const updated_at = isoTime(context.clock.now())
  await upsertSetting(tx, portalId, { name, value: JSON.stringify(value), updated_at })
  await noteAct(tx, context, portalId, { action: 'portal.setting_changed', resource_id: portalId, changes: [name] })
}
