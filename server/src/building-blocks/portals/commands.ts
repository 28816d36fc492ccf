// What the administrator of a Portal does. Errors are sentences, because the command line shows them.
import { note } from '../../platform/audit/notes.ts'
import { hour, isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { newId } from '../../platform/values/ids.ts'
import { lineForm, textProblem } from '../../platform/values/text-forms.ts'
import { newKeyText } from './key-text.ts'
import {
  findKey,
  findPortal,
  insertKey,
  insertPortal,
  type KeyRow,
  setKeyReplaced,
  setKeyRevoked,
  updatePortal,
} from './queries.ts'
import { allGrants, expandGrants } from './resources.ts'

/** An error of the administrator, with what to do about it. */
export class AdministrationError extends Error {}

/** A name is shown in tables, and to integrators. */
function requireName(subject: string, name: string): void {
  if (name.trim() === '' || name.length > 200)
    throw new AdministrationError(`${subject} must have 1 to 200 characters.`)
  if (!line.test(name)) throw new AdministrationError(`${subject} ${textProblem(name, false)}.`)
}
const line = new RegExp(lineForm, 'u')

export async function createPortal(
  tx: Tx,
  context: Context,
  { name }: { name: string },
): Promise<{ id: string; name: string }> {
  requireName('The name of a Portal', name)
  const id = newId('ptl')
  await insertPortal(tx, { portal_id: id, name, created_at: isoTime(context.clock.now()) })
  await noteAct(tx, context, id, { action: 'portal.created', resource_id: id })
  return { id, name }
}

export async function setPortalState(
  tx: Tx,
  context: Context,
  portalId: string,
  state: 'active' | 'suspended',
): Promise<void> {
  if (!(await updatePortal(tx, portalId, { state }))) throw noSuchPortal(portalId)
  const action = state === 'active' ? 'portal.resumed' : 'portal.suspended'
  await noteAct(tx, context, portalId, { action, resource_id: portalId })
}

interface NewKey {
  portal_id: string
  name: string
  /** Words such as `all`, `businesses` and `businesses:read`. */
  grants: readonly string[]
  expires_at?: string | null
  rate_limits?: KeyRow['rate_limits']
}

interface CreatedKey {
  id: string
  key: string
  grants: string[]
  expires_at: string | null
}

/** The key's text is in the result and nowhere else: only its hash is kept. */
export async function createKey(tx: Tx, context: Context, input: NewKey): Promise<CreatedKey> {
  requireName('The name of a key', input.name)
  return createNamedKey(tx, context, input)
}

/** With a name that may be older than the rules for names. */
async function createNamedKey(tx: Tx, context: Context, input: NewKey): Promise<CreatedKey> {
  const { grants, unknown } = expandGrants(input.grants)
  if (unknown.length > 0)
    throw new AdministrationError(
      `Unknown grant: ${unknown.join(', ')}. Use all, the name of a resource, or one of: ${allGrants.join(', ')}.`,
    )
  if (grants.length === 0)
    throw new AdministrationError(
      'A key must have at least one grant, for example --grant businesses:read or --grant all.',
    )
  await requirePortal(tx, input.portal_id)
  const now = context.clock.now()
  const expires_at = input.expires_at ?? null
  if (expires_at !== null && Date.parse(expires_at) <= now)
    throw new AdministrationError('The expiry of a key must be in the future.')
  const key = newKeyText(context.config.environment)
  const id = newId('key')
  await insertKey(tx, input.portal_id, {
    id,
    name: input.name,
    hash: context.vault.hash('api_key_hash', key),
    last4: key.slice(-4),
    grants,
    rate_limits: input.rate_limits ?? {},
    created_at: isoTime(now),
    expires_at,
  })
  const changes = grants.map((grant) => `grants/${grant}`)
  await noteAct(tx, context, input.portal_id, { action: 'api_key.created', resource_id: id, changes })
  return { id, key, grants, expires_at }
}

export async function revokeKey(tx: Tx, context: Context, keyId: string): Promise<KeyRow> {
  const key = await requireKey(tx, keyId)
  await setKeyRevoked(tx, key.portal_id, key.id, isoTime(context.clock.now()))
  await noteAct(tx, context, key.portal_id, { action: 'api_key.revoked', resource_id: key.id })
  return key
}

export const overlapsMs = { now: 0, '1h': hour, '24h': 24 * hour, '7d': 7 * 24 * hour } as const
export type Overlap = keyof typeof overlapsMs

/** A second key with the same grants and the same expiry; the first goes on working for the overlap. */
export async function rotateKey(tx: Tx, context: Context, { key_id, overlap }: { key_id: string; overlap: Overlap }) {
  const old = await requireKey(tx, key_id)
  const now = context.clock.now()
  const ends_at = endOfKey(old)
  if (old.revoked_at !== null) throw new AdministrationError(`Key ${key_id} is revoked. Create a new key instead.`)
  if (ends_at !== null && Date.parse(ends_at) <= now) {
    throw new AdministrationError(`Key ${key_id} has expired. Create a new key instead.`)
  }
  const { portal_id, name, grants, rate_limits, expires_at } = old
  const created = await createNamedKey(tx, context, { portal_id, name, grants, rate_limits, expires_at })
  const replaced_until = isoTime(now + overlapsMs[overlap])
  const old_key_ends_at = ends_at !== null && ends_at < replaced_until ? ends_at : replaced_until
  if (overlap === 'now') await setKeyRevoked(tx, portal_id, old.id, isoTime(now))
  else await setKeyReplaced(tx, portal_id, old.id, old_key_ends_at)
  const changes = [`replaced_by/${created.id}`]
  await noteAct(tx, context, portal_id, { action: 'api_key.rotated', resource_id: old.id, changes })
  return { ...created, replaces: old.id, old_key_ends_at }
}

/** An act of an administrator has no event: integrators did not ask for it and need not hear of it. */
export function noteAct(tx: Tx, context: Context, portal_id: string, act: Parameters<typeof note>[2]): Promise<void> {
  return note(tx, { context, portal_id, request_id: null }, act)
}

/** When a key ends: at its expiry, or at the end of its overlap with a successor if that is earlier. */
export function endOfKey({ expires_at, replaced_until }: Pick<KeyRow, 'expires_at' | 'replaced_until'>): string | null {
  if (expires_at === null || replaced_until === null) return expires_at ?? replaced_until
  return expires_at < replaced_until ? expires_at : replaced_until
}

async function requireKey(tx: Tx, keyId: string): Promise<KeyRow> {
  const key = await findKey(tx, keyId)
  if (!key)
    throw new AdministrationError(
      `Key ${keyId} does not exist. To list the keys of a Portal: portico key list --portal ID`,
    )
  return key
}

export async function requirePortal(db: Connection, portalId: string): Promise<void> {
  if (!(await findPortal(db, portalId))) throw noSuchPortal(portalId)
}

function noSuchPortal(portalId: string): AdministrationError {
  return new AdministrationError(`Portal ${portalId} does not exist. To list all Portals: portico portal list`)
}
