import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import color from 'picocolors'
import { newSecret } from '../areas/webhooks/endpoints/secrets.ts'
import { signatureHeaders } from '../areas/webhooks/sending/signature.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { type ApiOptions, apiOptions, type Call, callerOf } from './api-client.ts'
import { CommandError, type OutputOptions } from './output.ts'

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
    .option('--secret <secret>', 'sign with this secret (default: a new one, which is printed)')
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
  const call = callerOf(options)
  const target = URL.canParse(options.forwardTo) ? new URL(options.forwardTo) : undefined
  if (!target) throw new CommandError('--forward-to must be a URL, such as http://localhost:3000/hook.')
  const secret = options.secret ?? newSecret()
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new CommandError('--secret must begin with whsec_ and be base64.')
  const wanted = options.events?.split(',').map((type) => type.trim())
  let position = await lastSequence(call)
  say(
    options,
    { forward_to: target.href, secret },
    `Forwarding events to ${target.href}\nSecret: ${secret}\nPress Ctrl+C to stop.`,
  )
  for (;;) {
    const events = await eventsAfter(call, position)
    for (const event of events) {
      position = event.sequence
      if (wanted && !wanted.includes(event.type)) continue
      await forward(options, target, secret, event)
    }
    if (events.length === 0) await wait(pollMs)
  }
}

const pollMs = 500

async function lastSequence(call: Call): Promise<number> {
  const [last] = itemsOf(await call('GET', 'events/?page_size=1'))
  return last?.sequence ?? 0
}

async function eventsAfter(call: Call, position: number): Promise<ListedEvent[]> {
  return itemsOf(await call('GET', `events/?order=sequence&page_size=100&sequence_after=${position}`))
}

function itemsOf(answer: Record<string, unknown>): ListedEvent[] {
  // safe because the API lists events in this form
  return (answer.items ?? []) as ListedEvent[]
}

async function forward(options: OutputOptions, target: URL, secret: string, event: ListedEvent): Promise<void> {
  const body = JSON.stringify(event)
  const seconds = Math.floor(Date.now() / 1000)
  const headers = { 'content-type': 'application/json', ...signatureHeaders([secret], { id: event.id, seconds, body }) }
  const { id, type, sequence } = event
  try {
    const response = await fetch(target, { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) })
    await response.arrayBuffer()
    const mark = response.ok ? color.green(String(response.status)) : color.red(String(response.status))
    say(options, { id, type, sequence, status: response.status }, `${mark}  ${type}  ${id}`)
  } catch (error) {
    say(
      options,
      { id, type, sequence, error: reasonOf(error) },
      `${color.red('✗')}  ${type}  ${id}  ${reasonOf(error)}`,
    )
  }
}

function say({ json }: OutputOptions, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}
