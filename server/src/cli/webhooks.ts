// Receives the events of a Portal over the API and forwards them, signed like deliveries, to a URL on this machine.
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { Option } from 'commander'
import color from 'picocolors'
import { newSecret } from '../areas/webhooks/endpoints/secrets.ts'
import { deadlineMs, messageHeaders } from '../areas/webhooks/sending/send.ts'
import { closestWord } from '../platform/values/closest-word.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { type ApiOptions, apiOptions, type Call, CallError, callerOf } from './api-client.ts'
import { CommandError, type OutputOptions, print } from './output.ts'

interface ListenOptions extends OutputOptions, ApiOptions {
  forwardTo: string
  secret?: string
  events?: string
}

export function webhookCommands(program: Command): void {
  const listen = program
    .command('webhooks')
    .description('Work with webhooks on your own machine.')
    .command('listen')
    .description(
      'Forward the events of a Portal to a URL on your machine, signed like deliveries. No public address is needed.',
    )
    .requiredOption('--forward-to <url>', 'the URL that receives the events, such as http://localhost:3000/hook')
    .option('--events <types>', 'forward only these event types, separated by commas')
    .addOption(
      new Option('--secret <secret>', 'sign with this secret (default: a new one, which is printed)').env(
        'PORTICO_WEBHOOK_SECRET',
      ),
    )
    .option('--json', 'print JSON lines')
  for (const option of apiOptions()) listen.addOption(option)
  listen.action(run)
}

interface ListedEvent {
  id: string
  type: string
  sequence: number
}

async function run(options: ListenOptions): Promise<void> {
  const target = targetOf(options)
  const secret = options.secret ?? newSecret()
  if (!/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(secret))
    throw new CommandError('--secret must be whsec_ followed by at least 24 bytes in base64.')
  const call = callerOf(options)
  const wanted = await wantedTypes(call, options)
  let position = await lastSequence(call)
  const counts = { forwarded: 0, failed: 0 }
  const end = endOnSignal()
  print(
    options,
    { forward_to: target.href, secret },
    [
      `Forwarding events to ${target.href}`,
      `Secret: ${secret}`,
      'Only events from now on are forwarded, each once. Press Ctrl+C to stop.',
    ].join('\n'),
  )
  while (!end.aborted) {
    const events = await eventsAfter(options, call, position, end)
    for (const event of events) {
      if (end.aborted) break
      position = event.sequence
      if (wanted && !wanted.includes(event.type)) continue
      counts[(await forward(options, target, secret, event)) ? 'forwarded' : 'failed']++
    }
    if (events.length === 0) await wait(pollMs, undefined, { signal: end }).catch(() => undefined)
  }
  print(options, counts, `Stopped. ${counted(counts.forwarded, 'event')} forwarded, ${counts.failed} failed.`)
}

const pollMs = 500

/** Aborted when the user wants to stop; a second time ends the program at once. */
function endOnSignal(): AbortSignal {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  return ending.signal
}

function targetOf({ forwardTo }: ListenOptions): URL {
  const target = URL.canParse(forwardTo) ? new URL(forwardTo) : undefined
  if (!target || !/^https?:$/.test(target.protocol))
    throw new CommandError('--forward-to must be an http or https URL, such as http://localhost:3000/hook.')
  return target
}

/** The types that were asked for; undefined for all. */
async function wantedTypes(call: Call, { events }: ListenOptions): Promise<string[] | undefined> {
  if (events === undefined) return undefined
  const wanted = events.split(',').map((type) => type.trim())
  const known = await knownTypes(call)
  const unknown = wanted.filter((type) => !known.includes(type))
  if (unknown.length > 0) throw unknownType(unknown[0] ?? '', known)
  return wanted
}

/** Every event type that happens in a Portal. */
export async function knownTypes(call: Call): Promise<string[]> {
  const { items } = await call('GET', 'webhook-event-types/?page_size=200')
  // safe because the API lists event types in this form
  const types = (items ?? []) as { type: string; is_subscribable: boolean }[]
  return types.filter(({ is_subscribable }) => is_subscribable).map(({ type }) => type)
}

export function unknownType(type: string, known: readonly string[]): CommandError {
  const closest = closestWord(type, known)
  return new CommandError(
    `There is no event type ${type}. ${closest ? `Did you mean ${closest}? ` : ''}GET /webhook-event-types/ lists the types.`,
  )
}

async function lastSequence(call: Call): Promise<number> {
  const [last] = itemsOf(await call('GET', 'events/?page_size=1'))
  return last?.sequence ?? 0
}

/** The next events. While the API cannot be reached it is asked again: nothing is missed meanwhile. */
async function eventsAfter(
  { json }: OutputOptions,
  call: Call,
  position: number,
  end: AbortSignal,
): Promise<ListedEvent[]> {
  let isAway = false
  while (!end.aborted) {
    try {
      const events = itemsOf(await call('GET', `events/?order=sequence&page_size=100&sequence_after=${position}`))
      if (isAway && !json) process.stderr.write('Connected again.\n')
      return events
    } catch (error) {
      if (!(error instanceof CallError) || error.retrySeconds === undefined) throw error
      if (!isAway && !json) process.stderr.write(`${error.message} Trying again until it succeeds.\n`)
      isAway = true
      await wait(error.retrySeconds * 1000, undefined, { signal: end }).catch(() => undefined)
    }
  }
  return []
}

function itemsOf(answer: Record<string, unknown>): ListedEvent[] {
  // safe because the API lists events in this form
  return (answer.items ?? []) as ListedEvent[]
}

/** Sends an event once, as a delivery would, and says what came of it. */
async function forward(options: OutputOptions, target: URL, secret: string, event: ListedEvent): Promise<boolean> {
  const { id, type, sequence } = event
  const body = JSON.stringify(event)
  const seconds = Math.floor(Date.now() / 1000)
  const headers = messageHeaders([secret], { id, seconds, body })
  const begun = performance.now()
  const took = () => Math.round(performance.now() - begun)
  try {
    const signal = AbortSignal.timeout(deadlineMs)
    const response = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.arrayBuffer()
    const { status, ok } = response
    const mark = ok ? color.green(String(status)) : color.red(String(status))
    const note = ok ? '' : '  expected 2xx; a webhook would be delivered again'
    print(options, { id, type, sequence, status, duration_ms: took() }, `${mark}  ${type}  ${id}  ${took()} ms${note}`)
    return ok
  } catch (error) {
    const reason = failureOf(error, target)
    print(
      options,
      { id, type, sequence, error: reason, duration_ms: took() },
      `${color.red('---')}  ${type}  ${id}  ${reason}`,
    )
    return false
  }
}

function failureOf(error: unknown, { host }: URL): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no response from ${host} within ${deadlineMs / 1000} seconds`
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return `nothing listens on ${host}`
  return `${host} did not respond: ${reasonOf(cause ?? error)}`
}
