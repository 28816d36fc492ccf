// The secret of a webhook: shown once, kept sealed. While one takes the place of another, both sign.
import { randomBytes } from 'node:crypto'
import type { Context } from '../../../platform/context.ts'
import type { WebhookRow } from './queries.ts'

/** A new secret in the form that libraries of Standard Webhooks read. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export function sealSecret(
  { vault }: Context,
  { portal_id, id }: Pick<WebhookRow, 'portal_id' | 'id'>,
  secret: string,
) {
  return { sealed_secret: vault.seal('webhook_secret', secret, `${portal_id} ${id}`), secret_last4: secret.slice(-4) }
}

/** The secrets that sign now, the current one first. */
export function secretsOf({ vault, clock }: Context, webhook: WebhookRow): string[] {
  const { portal_id, id, sealed_secret, sealed_previous_secret, previous_expires_at } = webhook
  const isOverlapping = previous_expires_at !== null && Date.parse(previous_expires_at) > clock.now()
  const sealed = [sealed_secret, ...(isOverlapping && sealed_previous_secret !== null ? [sealed_previous_secret] : [])]
  return sealed.map((text) => {
    const secret = vault.open('webhook_secret', text, `${portal_id} ${id}`)
    if (secret === undefined)
      throw new Error('the secret of a webhook cannot be decrypted: was PORTICO_SECRET_KEY changed?')
    return secret
  })
}
