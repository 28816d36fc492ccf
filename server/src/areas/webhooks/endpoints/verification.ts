// The handshake: a signed challenge goes to the URL, and the receiver shows that it wants our events by echoing it.

import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Outbound } from '../../../platform/outbound/calls.ts'
import { newId } from '../../../platform/values/ids.ts'
import { messageTo } from '../sending/payloads.ts'
import { type Sent, sendTo } from '../sending/send.ts'
import { challengeOf } from './commands.ts'
import type { WebhookRow } from './queries.ts'

interface Handshake {
  challenge: string
  isEchoed: boolean
  sent: Sent
}

/** Sends the challenge of a webhook to the URL that is to be verified. */
export async function sendChallenge(
  { context }: Caller,
  outbound: Outbound,
  webhook: WebhookRow,
  signal?: AbortSignal,
): Promise<Handshake | undefined> {
  const challenge = challengeOf(context, webhook)
  if (challenge === undefined) return undefined
  const id = newId('evt')
  const at = isoTime(context.clock.now())
  const body = JSON.stringify(messageTo(context, webhook, { id, type: 'webhook.verification', at, challenge }))
  const url = webhook.pending_url ?? webhook.url
  const sent = await sendTo(context, outbound, webhook, { url, id, body, ...(signal && { signal }) })
  return { challenge, isEchoed: sent.error_code === null && echoes(sent.response_body ?? '', challenge), sent }
}

/** The challenge as JSON, or as plain text. */
function echoes(body: string, challenge: string): boolean {
  if (body.trim() === challenge) return true
  try {
    const answer: unknown = JSON.parse(body)
    return typeof answer === 'object' && answer !== null && 'challenge' in answer && answer.challenge === challenge
  } catch {
    return false // not JSON
  }
}
