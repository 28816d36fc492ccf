// The secret of a webhook: shown once, kept sealed. While one takes the place of others, all of them sign.
import { randomBytes } from 'node:crypto'
import { isoTime } from '../../../platform/clock.ts'
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
export function secretsOf(context: Context, webhook: WebhookRow): string[] {
  const { portal_id, id, sealed_secret } = webhook
  const sealed = [sealed_secret, ...earlierSecrets(context, webhook).map((earlier) => earlier.sealed)]
  return sealed.map((text) => {
    const secret = context.vault.open('webhook_secret', text, `${portal_id} ${id}`)
    if (secret === undefined)
      throw new Error('the secret of a webhook cannot be decrypted: was PORTICO_SECRET_KEY changed?')
    return secret
  })
}

/** What becomes of the secrets at a rotation. Without an overlap, all that were there end at once. */
export function rotatedSecrets(context: Context, webhook: WebhookRow, overlapMs: number) {
  if (overlapMs === 0) return { sealed_previous_secret: null, previous_expires_at: null, older_secrets: [] }
  return {
    sealed_previous_secret: webhook.sealed_secret,
    previous_expires_at: isoTime(context.clock.now() + overlapMs),
    older_secrets: earlierSecrets(context, webhook).slice(0, keptOlder),
  }
}

/** Each is one more signature in every message. */
const keptOlder = 4

/** Secrets whose overlap has not ended, the last one first. */
function earlierSecrets({ clock }: Context, webhook: WebhookRow): { sealed: string; expires_at: string }[] {
  const { sealed_previous_secret: sealed, previous_expires_at: expires_at, older_secrets } = webhook
  const previous = sealed !== null && expires_at !== null ? [{ sealed, expires_at }] : []
  return [...previous, ...older_secrets].filter((earlier) => Date.parse(earlier.expires_at) > clock.now())
}
