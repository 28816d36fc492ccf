// One message to one endpoint: signed, within one deadline, and what came of it in the words of an attempt.
import { isoTime, second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Outbound } from '../../../platform/outbound/calls.ts'
import { OutboundError } from '../../../platform/outbound/outbound-error.ts'
import type { WebhookRow } from '../endpoints/queries.ts'
import { secretsOf } from '../endpoints/secrets.ts'
import { signatureHeaders } from './signature.ts'

/** Everything together: waiting for a connection, connecting, sending and reading. */
export const deadlineMs = 15 * second
/** Enough of a response to see what is wrong. */
const keptBytes = 4096

export interface Sent {
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  /** What went wrong; null for a success. */
  error_code: string | null
  error_message: string | null
  retry_after: string | undefined
}

export async function sendTo(
  context: Context,
  outbound: Outbound,
  webhook: WebhookRow,
  { url, id, body, signal }: { url: string; id: string; body: string; signal?: AbortSignal },
): Promise<Sent> {
  const started_at = isoTime(context.clock.now())
  // The receiver compares it with its own clock.
  const seconds = Math.floor(context.clock.wall() / 1000)
  const clocked = performance.now()
  const took = () => Math.round(performance.now() - clocked)
  try {
    const response = await outbound.send({
      method: 'POST',
      url: new URL(url),
      headers: messageHeaders(secretsOf(context, webhook), { id, seconds, body }),
      body,
      timeout_ms: deadlineMs,
      maximum_response_bytes: keptBytes,
      ...(signal && { signal }),
    })
    const { status } = response
    const isSuccess = status >= 200 && status < 300
    return {
      started_at,
      duration_ms: took(),
      response_status: status,
      response_body: textOf(response.body),
      error_code: isSuccess ? null : status >= 300 && status < 400 ? 'redirect' : 'response_status',
      error_message: isSuccess ? null : `The endpoint responded with status ${status}; expected 2xx.`,
      retry_after: response.headers['retry-after'],
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const { code, message } = error
    return {
      started_at,
      duration_ms: took(),
      response_status: null,
      response_body: null,
      error_code: code,
      error_message: message,
      retry_after: undefined,
    }
  }
}

export function messageHeaders(...signed: Parameters<typeof signatureHeaders>) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Portico-Webhooks/1',
    ...signatureHeaders(...signed),
  }
}

/** As text that can be kept: without NUL, and without a character that was cut in two at the end. */
function textOf(body: Buffer): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '')
}
