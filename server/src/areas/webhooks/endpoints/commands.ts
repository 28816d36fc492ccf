import { randomBytes } from 'node:crypto'
import { enqueue } from '../../../platform/background/jobs.ts'
import { lockPortal } from '../../../platform/background/outbox.ts'
import { isoTime, second } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { addressProblem } from '../../../platform/outbound/public-addresses.ts'
import {
  ApiError,
  bodyDetail,
  type ErrorDetail,
  limitReached,
  validationFailed,
} from '../../../platform/protocol/errors.ts'
import type { IfMatch } from '../../../platform/protocol/etag.ts'
import { type RecordKind, requireRow, saveRecord, takeAction } from '../../../platform/records/stateful-records.ts'
import { canonicalJson } from '../../../platform/values/canonical-json.ts'
import { newId } from '../../../platform/values/ids.ts'
import { webhookEvents } from '../events/catalogue.ts'
import { addressRules } from '../outbound.ts'
import { skipFanOut } from '../sending/fan-out.ts'
import { countChallenge } from './challenge-limits.ts'
import {
  allWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
} from './queries.ts'
import { requireSeen, webhookPath } from './records.ts'
import type { WebhookChange, WebhookInput } from './schema.ts'
import { newSecret, rotatedSecrets, sealSecret } from './secrets.ts'
import { type WebhookAction, type WebhookState, webhookStates } from './states.ts'

export const webhookRecord: RecordKind<WebhookState, WebhookAction, 'owner' | 'job', WebhookRow> = {
  states: webhookStates,
  path: webhookPath,
  update: (tx, _caller, row) => updateWebhook(tx, row),
  audience: (_caller, { portal_id }) => [portal_id],
}

interface WebhookTarget {
  webhook_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/** A Portal needs few; many would be a way to flood others. */
const mostWebhooks = 10

/** The name of the job that sends a challenge. */
export const verifyJob = 'webhooks.verify'

export async function createWebhook(
  tx: Tx,
  caller: Caller,
  { url, event_types, description = null }: WebhookInput,
  knownTypes: ReadonlySet<string>,
): Promise<{ webhook: WebhookRow; secret: string }> {
  const { portal_id, context, request_id } = caller
  requireValid([...formProblems(caller, url), ...typeProblems(event_types, knownTypes)])
  requireAllowed(caller, url)
  // Nobody else adds one meanwhile.
  await lockPortal(tx, portal_id)
  const existing = await allWebhooks(tx, portal_id)
  if (existing.length >= mostWebhooks)
    throw limitReached(`A Portal can have at most ${mostWebhooks} webhooks.`, {
      name: 'webhooks',
      advice: 'Delete a webhook that is no longer needed.',
      meta: { maximum: mostWebhooks },
    })
  // The first one is told of what comes after it.
  if (existing.length === 0) await skipFanOut(tx, portal_id)
  const now = isoTime(context.clock.now())
  const id = newId('whk')
  const secret = newSecret()
  const webhook: WebhookRow = {
    portal_id,
    id,
    version: 1,
    state: webhookStates.initial,
    state_reason: null,
    state_changed_at: now,
    url,
    pending_url: null,
    event_types,
    description,
    ...sealSecret(context, { portal_id, id }, secret),
    sealed_previous_secret: null,
    previous_expires_at: null,
    older_secrets: [],
    ...(await newChallenge(tx, caller, { id, url })),
    // The first challenge is ours; how often others follow is counted from then on.
    challenged_at: null,
    verified_at: null,
    failing_since: null,
    created_at: now,
    updated_at: now,
  }
  await insertWebhook(tx, webhook)
  await enqueue(tx, context, { portal_id, kind: verifyJob, payload: { webhook_id: id }, request_id })
  return { webhook, secret }
}

/** Writes the fields that were sent. A new URL is verified before it takes the place of the old one. */
export async function changeWebhook(
  tx: Tx,
  caller: Caller,
  target: WebhookTarget,
  change: WebhookChange,
  knownTypes: ReadonlySet<string>,
): Promise<WebhookRow> {
  const { portal_id, context, request_id } = caller
  const current = await openWebhook(tx, caller, target, 'update')
  requireValid([
    ...(change.url === undefined ? [] : formProblems(caller, change.url)),
    ...(change.event_types === undefined ? [] : typeProblems(change.event_types, knownTypes)),
  ])
  if (change.url !== undefined) requireAllowed(caller, change.url)
  const { event_types = current.event_types, description = current.description } = change
  const { url = current.pending_url ?? current.url } = change
  const isNewUrl = url !== (current.pending_url ?? current.url)
  const moved = !isNewUrl
    ? {}
    : current.verified_at === null
      ? { url, pending_url: null }
      : { pending_url: url === current.url ? null : url }
  const next: WebhookRow = { ...current, event_types, description, ...moved }
  if (canonicalJson(next) === canonicalJson(current)) return current
  const isToVerify = isNewUrl && (next.pending_url !== null || next.verified_at === null)
  const saved = await saveRecord(tx, caller, webhookRecord, {
    ...next,
    ...(isToVerify && (await newChallenge(tx, caller, { id: current.id, url }))),
  })
  if (isToVerify) {
    // One each time: a job that is sending to the URL before knows nothing of this one.
    await enqueue(tx, context, { portal_id, kind: verifyJob, payload: { webhook_id: saved.id }, request_id })
  }
  return saved
}

/** A challenge that the receiver must echo, as it is kept until then. */
async function newChallenge(tx: Tx, caller: Caller, { id, url }: { id: string; url: string }) {
  await countChallenge(tx, caller, url)
  const { context, portal_id } = caller
  const challenge = randomBytes(24).toString('base64url')
  return {
    sealed_challenge: context.vault.seal('webhook_challenge', challenge, `${portal_id} ${id}`),
    challenged_at: isoTime(context.clock.now()),
  }
}

export function challengeOf({ vault }: Caller['context'], { portal_id, id, sealed_challenge }: WebhookRow) {
  return sealed_challenge === null ? undefined : vault.open('webhook_challenge', sealed_challenge, `${portal_id} ${id}`)
}

/** A new challenge in place of the last one. */
export async function renewChallenge(tx: Tx, caller: Caller, webhookId: string): Promise<WebhookRow> {
  await lockWebhook(tx, caller.portal_id, webhookId)
  const current = requireRow(await findWebhook(tx, caller.portal_id, webhookId), null)
  webhookStates.requireStep(current.state, 'verify', 'owner')
  const waitMs =
    (current.challenged_at === null ? 0 : Date.parse(current.challenged_at)) +
    challengePauseMs -
    caller.context.clock.now()
  if (waitMs > 0)
    throw new ApiError('rate_limited', {
      message: 'This webhook sent a challenge a moment ago. Wait before you cause another one.',
      headers: { 'retry-after': String(Math.ceil(waitMs / second)) },
    })
  const challenge = await newChallenge(tx, caller, { id: webhookId, url: current.pending_url ?? current.url })
  return saveRecord(tx, caller, webhookRecord, { ...current, ...challenge })
}

const challengePauseMs = 5 * second

/** Takes an echoed challenge: the URL it was sent to receives from now on. */
export async function completeVerification(
  tx: Tx,
  caller: Caller,
  webhookId: string,
  challenge: string,
): Promise<WebhookRow> {
  await lockWebhook(tx, caller.portal_id, webhookId)
  const current = requireRow(await findWebhook(tx, caller.portal_id, webhookId), null)
  webhookStates.requireStep(current.state, 'verify', 'owner')
  // Echoed twice, or to another request at the same time: it is verified already.
  if (current.sealed_challenge === null && current.verified_at !== null && current.pending_url === null) return current
  if (challenge !== challengeOf(caller.context, current))
    throw verificationFailed('The challenge is not the one that was sent last.')
  const change = {
    url: current.pending_url ?? current.url,
    pending_url: null,
    sealed_challenge: null,
    state_reason: null,
    failing_since: null,
    verified_at: isoTime(caller.context.clock.now()),
  }
  return takeAction(tx, caller, webhookRecord, current, { action: 'verify', by: 'owner', change })
}

export function verificationFailed(message: string, meta?: Record<string, unknown>): ApiError {
  return new ApiError('webhook_verification_failed', {
    message,
    details: [{ location: 'state', name: 'url', code: 'webhook_verification_failed', message, ...(meta && { meta }) }],
  })
}

export async function pauseWebhook(
  tx: Tx,
  caller: Caller,
  target: WebhookTarget,
  action: 'pause' | 'resume',
): Promise<WebhookRow> {
  const current = await openWebhook(tx, caller, target, action)
  const change = { state_reason: null, ...(action === 'resume' && { failing_since: null }) }
  return takeAction(tx, caller, webhookRecord, current, { action, by: 'owner', change })
}

export async function rotateSecret(
  tx: Tx,
  caller: Caller,
  target: WebhookTarget,
  overlapSeconds: number,
): Promise<{ webhook: WebhookRow; secret: string }> {
  const current = await openWebhook(tx, caller, target, 'rotate_secret')
  const secret = newSecret()
  const webhook = await saveRecord(tx, caller, webhookRecord, {
    ...current,
    ...sealSecret(caller.context, current, secret),
    ...rotatedSecrets(caller.context, current, overlapSeconds * second),
  })
  return { webhook, secret }
}

/** Deletes a webhook; what was still to be sent to it is cancelled. */
export async function removeWebhook(tx: Tx, caller: Caller, target: WebhookTarget): Promise<void> {
  // Whoever makes deliveries of events holds this too, and makes none for a webhook that is gone.
  await lockPortal(tx, caller.portal_id)
  const { id } = await openWebhook(tx, caller, target, 'delete')
  await deleteWebhook(tx, caller.portal_id, id)
  await endDeliveries(tx, caller, id)
}

/** The name of the job that ends what waits for a webhook which is disabled or gone. */
export const endDeliveriesJob = 'webhooks.end_deliveries'

/** In the background, because there may be very many. Nothing is sent meanwhile: only active webhooks are looked at. */
export async function endDeliveries(
  tx: Tx,
  { context, portal_id, request_id }: Caller,
  webhookId: string,
  after_ms = 0,
): Promise<void> {
  const payload = { webhook_id: webhookId }
  await enqueue(tx, context, { portal_id, kind: endDeliveriesJob, payload, request_id, after_ms })
}

async function openWebhook(
  tx: Tx,
  caller: Caller,
  { webhook_id, ifMatch }: WebhookTarget,
  action: WebhookAction,
): Promise<WebhookRow> {
  await lockWebhook(tx, caller.portal_id, webhook_id)
  const row = requireRow(await findWebhook(tx, caller.portal_id, webhook_id), null)
  requireSeen(ifMatch, row)
  webhookStates.requireStep(row.state, action, 'owner')
  return row
}

function requireValid(problems: readonly ErrorDetail[]): void {
  if (problems.length > 0) throw validationFailed(problems)
}

function formProblems({ context: { config } }: Caller, url: string): ErrorDetail[] {
  if (URL.canParse(url)) return []
  const schemes = addressRules(config).allowHttp ? 'https or http' : 'https'
  return [bodyDetail('/url', 'invalid_format', `url must be an absolute ${schemes} URL.`)]
}

/** Refuses a URL that nothing may be sent to. */
function requireAllowed({ context: { config } }: Caller, url: string): void {
  const problem = addressProblem(new URL(url), addressRules(config))
  if (problem === undefined) return
  throw new ApiError('webhook_url_not_allowed', {
    message: problem,
    details: [{ location: 'body', pointer: '/url', code: 'webhook_url_not_allowed', message: problem }],
  })
}

/** Sent to one endpoint, whatever it has subscribed to. */
const sentAnyway = new Set(webhookEvents.flatMap(({ type, message }) => (message === undefined ? [] : [type])))

function typeProblems(types: readonly string[], known: ReadonlySet<string>): ErrorDetail[] {
  if (types.includes('*') && types.length > 1)
    return [bodyDetail('/event_types', 'invalid_enum', 'event_types must be ["*"] or a list of event types, not both.')]
  return types.flatMap((type, index) =>
    type === '*' || known.has(type)
      ? []
      : [
          bodyDetail(
            `/event_types/${index}`,
            'invalid_enum',
            sentAnyway.has(type)
              ? `${type} cannot be subscribed to: it is sent to one webhook when it is tested or verified, whatever its event_types.`
              : `There is no event type ${type.slice(0, 100)}. GET /webhook-event-types/ lists the types.`,
          ),
        ],
  )
}
