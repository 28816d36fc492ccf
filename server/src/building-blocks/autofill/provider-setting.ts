// Where Autofill may ask for facts, per Portal: an address and the secret it is sent, kept sealed.
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Context } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { addressProblem } from '../../platform/outbound/public-addresses.ts'
import { Nullable } from '../../platform/values/fields.ts'
import { type PortalSetting, readSetting, writeSetting } from '../portals/settings.ts'

/** Sealed; null when there is none. Its commands are `portico autofill-provider set` and `remove`. */
export const autofillProvider = {
  name: 'autofill_provider',
  schema: Nullable(Type.String()),
  default: null,
} satisfies PortalSetting

interface Provider {
  url: string
  secret: string
}

/** Sets the provider of a Portal. Returns the secret it will be sent, which is shown once. */
export async function setProvider(
  tx: Tx,
  context: Context,
  portalId: string,
  url: string,
): Promise<{ secret: string }> {
  const secret = `pts_${randomBytes(24).toString('base64url')}`
  const provider: Provider = { url, secret }
  const sealed = context.vault.seal('autofill', JSON.stringify(provider), portalId)
  await writeSetting(tx, context, portalId, autofillProvider, sealed)
  return { secret }
}

export async function removeProvider(tx: Tx, context: Context, portalId: string): Promise<void> {
  await writeSetting(tx, context, portalId, autofillProvider, null)
}

export async function hasProvider(db: Connection, portalId: string): Promise<boolean> {
  return (await readSetting(db, portalId, autofillProvider)) !== null
}

export async function findProvider(
  db: Connection,
  { vault }: Context,
  portalId: string,
): Promise<Provider | 'unreadable' | undefined> {
  const sealed = await readSetting(db, portalId, autofillProvider)
  if (sealed === null) return undefined
  const text = vault.open('autofill', sealed, portalId)
  return text === undefined ? 'unreadable' : JSON.parse(text)
}

/** Why an address cannot be a provider's, in a sentence. */
export function providerProblem({ config }: Context, text: string): string | undefined {
  if (!URL.canParse(text)) return 'The URL is not valid. Example: https://facts.example.com/portico'
  return addressProblem(new URL(text), {
    allowPrivate: config.allow_private_addresses,
    allowHttp: config.allow_private_addresses,
  })
}
